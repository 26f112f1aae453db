/** Judges access cases: a case holds where it holds for each activity that it is about, at each of its times. */
import { groupBy } from "../../common/group-by.ts";
import { remember } from "../../common/remember.ts";
import type { AccessState } from "../../policy/access.ts";
import { factsOfGroup } from "../../policy/powers/activity.ts";
import { outcomeFor } from "../../policy/powers/compile.ts";
import { judgeCells } from "../../policy/powers/conditional.ts";
import { findExample } from "../../policy/powers/example.ts";
import { type ActivityGroup, printGroup } from "../../policy/powers/groups.ts";
import {
	findParts,
	findPolicyParts,
	type GroupParts,
	ownCredentials,
	partsOfOwner,
	withRootQuorum,
} from "../../policy/powers/judge.ts";
import { findMoments } from "../../policy/powers/moments.ts";
import { type PreparedAccess, prepareAccess } from "../../policy/powers/prepare.ts";
import { type Assumed, joinAssumptions, notRead, type Reason } from "../../policy/powers/reason.ts";
import { bound, orTooComplex } from "../../policy/sets/formula.ts";
import type { UserSets } from "../../policy/sets/resolve.ts";
import { Budget } from "../../policy/sets/work.ts";
import type { AskedActivities } from "./case.ts";
import { checksOf } from "./checks.ts";
import { explainSet } from "./explain.ts";
import type { CaseFinding, Check, JudgedCase, Point } from "./finding.ts";
import type { ResolvedCase } from "./resolve.ts";
import { type Survey, surveyOf } from "./survey.ts";

/** Max findings of a case that are kept. */
const maxFindings = 20;

/** Max combinations of open time windows that occur; so many take two seconds or so. Unverified, chosen. */
const maxCombinations = 200;

/** Max steps of all searches of one case; half a second or so. Unverified, chosen. */
const maxSteps = 2_000_000;

/** Judges the cases of one file, each kind of activities once. */
export class CaseJudge {
	readonly #access: AccessState;
	readonly #nowMs: number;
	readonly #hasRootQuorum: boolean;
	readonly #prepared = new Map<number, PreparedAccess>();
	readonly #points = new Map<string, readonly Point[] | Reason>();

	/** `nowMs`: milliseconds since 1970; a case without a time holds from then on. */
	constructor(access: AccessState, nowMs: number, hasRootQuorum: boolean) {
		this.#access = access;
		this.#nowMs = nowMs;
		this.#hasRootQuorum = hasRootQuorum;
	}

	judge(one: ResolvedCase): JudgedCase {
		const { findings, more } = this.#find(one);
		const states = findings.map(({ state }) => state);
		const verdict = states.includes("failed") ? "failed" : states.includes("unknown") ? "unknown" : "passed";
		return { name: one.name, at: one.at, asked: one.asked.text, verdict, findings, ...(more > 0 ? { more } : {}) };
	}

	/** Returns the first findings, and how many more there are. */
	#find(one: ResolvedCase): Required<Pick<JudgedCase, "findings" | "more">> {
		const found = this.#judgeAt(one, (points) => {
			const budget = new Budget(maxSteps);
			const all = points.flatMap((point) => {
				const own = { ...point, prepared: { ...point.prepared, budget } };
				return checksOf(one, own).map((check) => ({ check, point: own }));
			});
			const distinct = groupBy(all, keyOf).map(([first]) => first);
			// What fails comes first: it decides the verdict.
			const withState = (state: Check["state"]) => distinct.filter(({ check }) => check.state === state);
			const ordered = [...withState("failed"), ...withState("unknown")];
			const kept = ordered.slice(0, maxFindings);
			return { findings: kept.map(({ check, point }) => describe(check, point)), more: ordered.length - kept.length };
		});
		return "unknown" in found ? { findings: [unjudged(found.unknown)], more: 0 } : found;
	}

	/** Returns what `judge` returns of the points; the reason where not all that it needs is known, or it throws TooComplex. */
	#judgeAt<R extends object>(
		one: Pick<ResolvedCase, "asked" | "atMs" | "lists">,
		judge: (points: readonly Point[]) => R,
	): R | { readonly unknown: Reason } {
		const unread = this.#unread(one);
		if (unread !== null) return { unknown: unread };
		return orTooComplex(
			() => {
				const points = this.#pointsOf(one);
				return "kind" in points ? { unknown: points } : judge(points);
			},
			({ limit }) => ({ unknown: { kind: "too-complex", task: "judge-together", limit } }),
		);
	}

	/** Returns what was assumed of the policies in all that was judged, each once. */
	assumptions(): readonly Assumed[] {
		const points = [...this.#points.values()].flatMap((all) => ("kind" in all ? [] : all));
		const found = new Set(points.map((point) => point.found));
		return joinAssumptions([...found].flatMap(({ assumptions }) => assumptions));
	}

	/** Returns who can do these activities, alone or at all; the reason where something of that is unknown. */
	survey(asked: AskedActivities): Survey | { readonly unknown: Reason } {
		return this.#judgeAt({ asked, atMs: null, lists: [] }, surveyOf);
	}

	/** Returns what was not read that the case needs; null where all was. */
	#unread({ lists }: Pick<ResolvedCase, "lists">): Reason | null {
		const { users, policies } = this.#access;
		if (!users.known) return notRead(users.because);
		if (!policies.known) return notRead(policies.because);
		const open = users.value.find(({ tagIds }) => !tagIds.known)?.tagIds;
		const usesTags = lists.some(({ sets }) => sets.some(({ tagId }) => tagId !== null));
		return usesTags && open?.known === false ? notRead(open.because) : null;
	}

	#pointsOf({ asked, atMs }: Pick<ResolvedCase, "asked" | "atMs">): readonly Point[] | Reason {
		return remember(this.#points, `${atMs} ${asked.text}`, () => {
			const all: Point[] = [];
			for (const group of asked.groups) {
				const facts = factsOfGroup(group, asked.fields);
				const policies = this.#access.policies.known ? this.#access.policies.value : [];
				const timed = policies.filter((one) => one.time.trim() !== "" && outcomeFor(one, facts).holds !== "no");
				const { moments, isComplete } = findMoments(timed, this.#nowMs, maxCombinations);
				if (atMs === null && !isComplete) return { kind: "too-many-windows" };
				for (const at of atMs === null ? moments : [atMs]) {
					const prepared = remember(this.#prepared, at, () => prepareAccess(this.#access, at));
					const { isOwn, ownerId } = asked;
					const parts = (isOwn || ownerId !== undefined ? findParts : findPolicyParts)(prepared, facts);
					const found = partsOfOwner(prepared, parts, ownerId);
					all.push(...this.#pointsIn(prepared, group, found, moments.length > 1 ? at : null, asked.isOwn));
				}
			}
			return all.length === 0 ? { kind: "too-many-conditions" } : all;
		});
	}

	#pointsIn(
		prepared: PreparedAccess,
		group: ActivityGroup,
		found: GroupParts,
		atMs: number | null,
		isOwn: boolean,
	): readonly Point[] {
		const cells = judgeCells(prepared, found).filter(
			({ holding }) =>
				!isOwn || holding.has(ownCredentials) || !found.parts.some(({ condition }) => condition === ownCredentials),
		);
		const conditions = new Set(found.parts.flatMap(({ condition }) => condition ?? []));
		conditions.delete(ownCredentials);
		const isRootUnknown = this.#hasRootQuorum && !prepared.access.rootQuorum.known;
		const anyone: UserSets = [[bound(1, prepared.users.all)]];
		const withRoot = (sets: UserSets): UserSets => (this.#hasRootQuorum ? withRootQuorum(prepared, sets) : sets);
		return cells.map((cell): Point => {
			const holding = [...cell.holding].filter((text) => text !== ownCredentials);
			const { rootQuorum } = prepared.access;
			return {
				...{ prepared, group, found, atMs, parts: cell.parts },
				condition:
					holding.length === 0 ? null : holding.map((text) => (holding.length > 1 ? `(${text})` : text)).join(" && "),
				unless: [...conditions].filter((text) => !cell.holding.has(text) && !cell.open.has(text)),
				sure: withRoot(cell.sure),
				possible: isRootUnknown ? anyone : withRoot(cell.possible),
				because: isRootUnknown && !rootQuorum.known ? notRead(rootQuorum.because) : cell.because,
				hasRootQuorum: this.#hasRootQuorum,
			};
		});
	}
}

/** Equal for findings that a reader would take for one: the first says for which activities it is so. */
const keyOf = ({ check, point }: { readonly check: Check; readonly point: Point }): string =>
	JSON.stringify([check, check.state === "unknown" ? point.because : null, printGroup(point.group)]);

/** Returns that nothing can be said of a case. */
export const unjudged = (because: Reason): CaseFinding => ({
	...{ state: "unknown", key: "", found: "unjudged", userIds: [], group: null, condition: null, clauses: [] },
	because,
});

/** Returns what is unknown of the policy that the check is about, else of the first one. */
function becauseOf({ policyId }: Check, { parts, because }: Point): Reason | null {
	const own = parts.find((part) => policyId !== undefined && part.policyId === policyId && part.unknown !== null);
	return own?.unknown?.because ?? because;
}

function describe(check: Check, point: Point): CaseFinding {
	const { group, condition, unless, atMs } = point;
	const example = point.found.facts.fields === undefined ? findExample({ group, condition, unless }) : null;
	return {
		...check,
		...{ group, condition },
		...(example === null ? {} : { example }),
		...(atMs === null ? {} : { at: new Date(atMs).toISOString() }),
		because: check.state === "unknown" ? (becauseOf(check, point) ?? { kind: "user-attributes-unknown" }) : null,
		clauses: check.state === "unknown" ? [] : explainSet(check, point),
	};
}
