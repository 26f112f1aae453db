/** The drift report. Only a known difference is drift; others are listed as unread or waiting (docs/drift.md). */
import { defined } from "../../common/defined.ts";
import { combineExitCodes, type ExitCode, exitCodes } from "../../common/errors.ts";
import { includesObject, isRuleAddress, scopeOf } from "../address.ts";
import type { Plan } from "../plan.ts";
import type { BrokenRule } from "../rules/judge.ts";
import type { EarlierActivity } from "../step.ts";
import type { Attribution } from "./attribution.ts";
import type { CredentialNews } from "./credentials.ts";
import {
	type Difference,
	digestDifference,
	knownDifferences,
	type UnreadObject,
	unreadObjects,
	whyUnread,
} from "./difference.ts";
import { findTodo, type Todo, type TodoContext } from "./todo.ts";

/** What is known of an organization; only `drifted` is drift. */
type DriftVerdict = "drifted" | "could-not-look" | "waiting" | "as-documented";

/** How a finding compares with the last report. `not-looked-at`: this run does not know, so the last report is kept. */
type FindingState = "new" | "still-there" | "changed" | "not-looked-at";

export interface Finding extends Pick<Difference, "address" | "kind" | "what"> {
	/** Of the difference: it stays the same while live and document differ in the same way. */
	readonly digest: string;
	/** Times are ISO 8601 in UTC. */
	readonly firstSeenAt: string;
	readonly lastSeenAt: string;
	readonly state: FindingState;
	readonly by: Attribution | null;
	/** A text in a report that was read from a file. */
	readonly todo: Todo | string;
	/** What breaks a rule; left out for objects. A text in a report that was read from a file. */
	readonly message?: BrokenRule | string;
}

/** An object that becomes what the document says when the activity that it waits for has ended well. */
interface WaitingFinding extends Finding {
	readonly earlierActivity: EarlierActivity;
}

/** A finding of the last report that is none any more. */
interface GoneFinding extends Pick<Finding, "address" | "kind" | "what" | "firstSeenAt" | "lastSeenAt" | "by"> {
	readonly goneAt: string;
}

/** What is said of one organization; schemas/drift.json describes it. */
export interface OrganizationDrift {
	readonly organizationId: string;
	readonly verdict: DriftVerdict;
	/** When it was last read; null when it never was. */
	readonly readAt: string | null;
	/** When the last report read it; null without one. */
	readonly comparedWith: string | null;
	readonly findings: readonly Finding[];
	readonly gone: readonly GoneFinding[];
	readonly waiting: readonly WaitingFinding[];
	/** Objects of the document that could not be read and that orgsync did not apply since the last report. */
	readonly unread: readonly UnreadObject[];
	/** Addresses of unmanaged user tags. */
	readonly unmanaged: readonly string[];
	/** Where the document has rules about credentials, or protects users; left out otherwise. */
	readonly credentials?: CredentialNews;
	/** Why activities could not be attributed; null when they were listed, or not asked for. */
	readonly unattributed: string | null;
	/** Why the organization could not be read in this run; null when it was. */
	readonly error: { readonly code: string; readonly message: string; readonly hint: string | null } | null;
}

interface DriftContext extends TodoContext {
	/** What the last report says of this organization. */
	readonly earlier?: OrganizationDrift | undefined;
	/** By address. */
	readonly attributions?: ReadonlyMap<string, Attribution>;
	readonly unattributed?: string | null;
	readonly credentials?: CredentialNews | undefined;
	/** Whether this run looked at an object with this address (`--only`); all when left out. Rules are always judged. */
	readonly isSelected?: (address: string) => boolean;
	/** When orgsync last changed an object, by address (drift-memory.ts). */
	readonly appliedAt?: ReadonlyMap<string, string>;
}

export function reportDrift(plan: Plan, context: DriftContext = {}): OrganizationDrift {
	const { earlier, appliedAt } = context;
	const isSelected = (address: string): boolean => isRuleAddress(address) || context.isSelected?.(address) !== false;
	const differences = knownDifferences(plan);
	const before = new Map([...(earlier?.waiting ?? []), ...(earlier?.findings ?? [])].map((one) => [one.address, one]));
	const found = differences.map((difference) => ({
		earlierActivity: difference.earlierActivity,
		finding: makeFinding(difference, before.get(difference.address), plan, context),
	}));
	const drifted = found.filter(({ earlierActivity }) => earlierActivity === null).map(({ finding }) => finding);
	const waiting = found.flatMap(({ earlierActivity, finding }) =>
		earlierActivity === null ? [] : [{ ...finding, earlierActivity }],
	);
	const present = new Set(differences.map(({ address }) => address));
	const absent = (one: Finding): boolean => !present.has(one.address);
	// Last-applied state ends a finding only if orgsync applied it after the finding was last seen.
	const blind = (one: Finding): boolean =>
		isSelected(one.address) &&
		whyUnread(one.address, plan) !== undefined &&
		!isLater(appliedAt?.get(one.address), one.lastSeenAt);
	const unseen = (one: Finding): boolean => !isSelected(one.address) || blind(one);
	const past = (earlier?.findings ?? []).filter(absent);
	const pastWaiting = (earlier?.waiting ?? []).filter((one) => absent(one) && unseen(one));
	const credentials = context.credentials && withCauses(context.credentials, context);
	const unread = withKept(unreadObjects(plan), [...past, ...pastWaiting].filter(blind), plan);
	return {
		organizationId: plan.organizationId,
		verdict: hasEscalation(credentials) ? "drifted" : assessVerdict(drifted, waiting, unread),
		readAt: plan.readAt,
		comparedWith: earlier?.readAt ?? null,
		findings: [...drifted, ...past.filter(unseen).map(notLookedAt)],
		gone: past
			.filter((one) => !unseen(one))
			.map(({ address, kind, what, firstSeenAt, lastSeenAt, by }) => {
				return { address, kind, what, firstSeenAt, lastSeenAt, by, goneAt: plan.readAt };
			}),
		waiting: [...waiting, ...pastWaiting.map(notLookedAt)],
		unread,
		unmanaged: plan.unmanaged.map(({ address }) => address),
		...defined({ credentials }),
		unattributed: context.unattributed ?? null,
		error: null,
	};
}

/** Returns the report of an organization that could not be read: the last report's findings, unchanged. */
export function keepDrift(
	organizationId: string,
	earlier: OrganizationDrift | undefined,
	error: OrganizationDrift["error"],
): OrganizationDrift {
	return {
		organizationId,
		verdict: "could-not-look",
		readAt: earlier?.readAt ?? null,
		comparedWith: earlier?.readAt ?? null,
		findings: (earlier?.findings ?? []).map(notLookedAt),
		gone: [],
		waiting: (earlier?.waiting ?? []).map(notLookedAt),
		unread: [],
		unmanaged: earlier?.unmanaged ?? [],
		...defined({ credentials: earlier?.credentials && { ...earlier.credentials, added: [] } }),
		unattributed: null,
		error,
	};
}

function withCauses({ seen, added }: CredentialNews, { attributions }: DriftContext): CredentialNews {
	return { seen, added: added.map((one) => ({ ...one, by: attributions?.get(one.key) ?? null })) };
}

/** Whether a protected user has a new credential: its holder can do all that this user can do. */
function hasEscalation(news: CredentialNews | undefined): boolean {
	return news?.added.some(({ escalation }) => escalation !== null) === true;
}

function assessVerdict(
	drifted: readonly Finding[],
	waiting: readonly Finding[],
	unread: readonly UnreadObject[],
): DriftVerdict {
	if (drifted.length > 0) return "drifted";
	if (unread.length > 0) return "could-not-look";
	return waiting.length > 0 ? "waiting" : "as-documented";
}

function notLookedAt<F extends Finding>(finding: F): F {
	return { ...finding, state: "not-looked-at" };
}

function makeFinding(
	difference: Difference,
	before: Finding | undefined,
	plan: Plan,
	{ attributions, ...context }: DriftContext,
): Finding {
	const { address, kind, what } = difference;
	const digest = digestDifference(difference);
	const same = before?.digest === digest;
	return {
		address,
		kind,
		what,
		digest,
		firstSeenAt: before?.firstSeenAt ?? plan.readAt,
		lastSeenAt: plan.readAt,
		state: before === undefined ? "new" : same ? "still-there" : "changed",
		// Who did it is listed for a while only; what was known of the same difference stays known.
		by: attributions?.get(address) ?? (same ? (before?.by ?? null) : null),
		todo: findTodo(difference, plan, context),
		...(difference.rule?.before.state === "broken" ? { message: difference.rule.before.breach } : {}),
	};
}

function isLater(time: string | undefined, than: string): boolean {
	return time !== undefined && Date.parse(time) > Date.parse(than);
}

/** Returns the unread objects, with those whose finding is kept because they could not be read. */
function withKept(unread: readonly UnreadObject[], kept: readonly Finding[], plan: Plan): readonly UnreadObject[] {
	const missing = kept.filter(({ address }) => !unread.some((one) => includesObject(one, address)));
	return [
		...unread,
		...missing.map(({ address }) => ({
			...scopeOf(address),
			because: whyUnread(address, plan) ?? { kind: "not-asked" as const },
		})),
	];
}

const exitCodeOfVerdict: Readonly<Record<DriftVerdict, ExitCode>> = {
	"as-documented": exitCodes.inSync,
	drifted: exitCodes.changes,
	waiting: exitCodes.pendingApproval,
	"could-not-look": exitCodes.error,
};

/** Returns the exit code of these organizations: the most important of theirs. */
export function exitCodeOfDrift(organizations: readonly Pick<OrganizationDrift, "verdict">[]): ExitCode {
	return combineExitCodes(organizations.map(({ verdict }) => exitCodeOfVerdict[verdict]));
}
