/** What is probably wrong in the policies of an organization: those that its documents write, and with its live state all of them. */
import { defined } from "../common/defined.ts";
import { type AccessPolicy, type AccessState, type Known, type NotRead, unreadIn } from "../policy/access.ts";
import type { Clause } from "../policy/language/syntax.ts";
import type { LintFinding, LintInput } from "../policy/lint/finding.ts";
import { type LintCode, type LintSeverity, lintRules } from "../policy/lint/lint.ts";
import { Population } from "../policy/lint/population.ts";
import { coverageOf } from "../policy/lint/together.ts";
import { findObjects } from "./kinds/found-objects.ts";
import { idsOfReferences, resolveText } from "./kinds/references.ts";
import {
	absentTagsOf,
	type DesiredOrganization,
	type IgnoredFinding,
	type Position,
	policiesOf,
	removalsOf,
	tagsOf,
} from "./organization.ts";
import { type NamedOrganization, namedIn } from "./organization-name.ts";
import { standInFor } from "./stand-in.ts";
import { compareText } from "./value.ts";

/** What was read of the live organization. */
export interface LintReading {
	readonly access: AccessState;
	/** By id. */
	readonly userNames: Known<Readonly<Record<string, string>>>;
	readonly tagNames: Readonly<Record<string, string>>;
}

/** A finding with its severity, the names of what it is about, and its place in a document. */
export interface PlacedFinding extends Omit<LintFinding, "others"> {
	readonly rule: LintCode | "unused-ignore";
	readonly severity: LintSeverity;
	/** The name of the policy or tag. */
	readonly name: string;
	/** Whether no document has it: then the place is that of the organization's id. */
	readonly isLiveOnly: boolean;
	/** The names of other policies that it is about. */
	readonly others?: readonly string[];
	readonly at: Position;
}

/** `conditions`: they distinguish more activities than are tried. `approvers`: a consensus needs more users than are tried, or their order. */
export interface NotCompared {
	readonly because: "conditions" | "approvers";
	/** Names, in the order of reports. */
	readonly policies: readonly string[];
}

export interface OrganizationLint extends NamedOrganization {
	/** Whether the live organization was read. */
	readonly isLive: boolean;
	/** What could not be read; rules that need it found nothing. */
	readonly unread: readonly { readonly what: string; readonly because: NotRead }[];
	/** Policies that rules could not compare with others. */
	readonly notCompared: readonly NotCompared[];
	/** In the order of the documents. */
	readonly findings: readonly PlacedFinding[];
	/** Findings that a document says are meant, each with its reason. */
	readonly ignored: readonly (PlacedFinding & { readonly reason: string })[];
}

/** Where documents have things; undefined where they do not. */
export interface PlacesInDocuments {
	readonly ofOrganization: (organizationId: string) => Position | undefined;
	readonly ofPolicy: (organizationId: string, name: string, clause?: Clause, part?: number) => Position | undefined;
}

/** Returns the findings of one organization. `reading`: null without its live state. `atMs`: milliseconds since 1970. */
export function lintOrganization(
	desired: DesiredOrganization,
	reading: LintReading | null,
	places: PlacesInDocuments,
	atMs: number,
): OrganizationLint {
	const subject = subjectOf(desired, reading);
	const input: LintInput = { ...subject.input, atMs, population: new Population() };
	const isKnown = { texts: true, policies: subject.isComplete, live: input.userNames !== null && subject.isComplete };
	const judged = lintRules.filter(({ needs }) => isKnown[needs]);
	const found = judged.flatMap(({ code, severity, find }) =>
		find(input).map((one) => placed(one, { rule: code, severity }, subject, desired, places)),
	);
	const ignoredFindings = desired.ignoredFindings ?? [];
	const keyOf = ({ rule, on, name }: Pick<IgnoredFinding, "rule" | "on" | "name">): string =>
		JSON.stringify([rule, on, name]);
	const reasons = new Map(ignoredFindings.map((one) => [keyOf(one), one.reason]));
	const all = new Set(found.map(keyOf));
	const codes = new Set<string>(judged.map(({ code }) => code));
	const useless = ignoredFindings.filter((one) => codes.has(one.rule) && !all.has(keyOf(one)));
	const findings = [
		...found.filter((one) => !reasons.has(keyOf(one))),
		...useless.map(({ rule, on, name, at }): PlacedFinding => {
			return { ...{ rule: "unused-ignore", severity: "warning", id: "", isLiveOnly: false }, on, name, at, text: rule };
		}),
	];
	return {
		...namedIn(desired),
		isLive: reading !== null,
		unread: reading === null ? [] : unreadIn({ users: reading.userNames, policies: reading.access.policies }),
		notCompared: notComparedIn(input, subject),
		findings: findings.sort(inOrder),
		ignored: found
			.flatMap((one) => {
				const reason = reasons.get(keyOf(one));
				return reason === undefined ? [] : [{ ...one, reason }];
			})
			.sort(inOrder),
	};
}

/** What rules noted; after they have judged. */
function notComparedIn(input: LintInput, { names }: Subject): readonly NotCompared[] {
	const all = { conditions: coverageOf(input).wide, approvers: input.population.unjudged };
	return (["conditions", "approvers"] as const).flatMap((because) => {
		const found = input.policies.filter(({ id }) => all[because].has(id));
		return found.length === 0 ? [] : [{ because, policies: found.map(({ id }) => names.get(id) || id) }];
	});
}

const inOrder = (left: PlacedFinding, right: PlacedFinding): number =>
	compareText(left.at.file, right.at.file) ||
	left.at.line - right.at.line ||
	left.at.column - right.at.column ||
	compareText(left.name, right.name);

interface Subject {
	readonly input: Omit<LintInput, "atMs" | "population">;
	/** Whether there are no other policies. */
	readonly isComplete: boolean;
	/** Ids of policies and tags that documents write, with their names there. */
	readonly written: ReadonlyMap<string, string>;
	/** By id, of policies and tags. */
	readonly names: ReadonlyMap<string, string>;
}

/** Returns the policies and tags as they are once the documents are applied. */
function subjectOf(desired: DesiredOrganization, reading: LintReading | null): Subject {
	const { organizationId, exactly } = desired;
	const [policies, users] = [reading?.access.policies, reading?.userNames];
	const live = policies?.known ? policies.value : [];
	const userTags = Object.entries(reading?.tagNames ?? {}).map(([id, name]) => {
		return { id, name, type: "", updatedAt: "", members: { known: false, because: { kind: "not-asked" } } as const };
	});
	const ids = idsOfReferences(desired, { userTags: { known: true, value: userTags } });
	const { found, missing } = findObjects(policiesOf(desired), live);
	const stated = [...found, ...missing.map((wanted) => ({ wanted, live: undefined }))];
	const written = stated.map(({ wanted, live: policy }): AccessPolicy => {
		const [consensus, condition, time] = [wanted.consensus, wanted.condition, wanted.time ?? ""].map((text) =>
			resolveText(text, ids),
		) as [string, string, string];
		const id = policy?.id ?? standInFor(organizationId, "policy", wanted.name);
		return { id, name: wanted.name, effect: wanted.effect, consensus, condition, time };
	});
	const gone = new Set([...found.map((one) => one.live.id), ...removalsOf(desired, "policy").map(({ id }) => id)]);
	const others = live
		.filter(({ id, name }) => !gone.has(id) && !gone.has(name))
		.sort((left, right) => compareText(left.name, right.name));
	const absentTags = new Set(absentTagsOf(desired).map(({ name }) => name));
	const otherTags = userTags.filter(({ id, name }) => !absentTags.has(id) && !absentTags.has(name));
	const tags = [...tagsOf(desired).map(({ name }) => [ids.userTags.get(name) ?? "", name] as const)];
	const tagNames = new Map([...otherTags.map(({ id, name }) => [id, name] as const), ...tags]);
	const all = [...written, ...others];
	return {
		input: {
			policies: all,
			tagNames: reading === null ? null : Object.fromEntries(tagNames),
			userNames: users?.known ? users.value : null,
			tagIds: [...tagNames.keys()],
		},
		isComplete: policies === undefined ? exactly?.policies?.except.length === 0 : policies.known,
		written: new Map([...written.map(({ id, name }) => [id, name] as const), ...tags]),
		names: new Map([...all.map(({ id, name }) => [id, name] as const), ...tagNames]),
	};
}

function placed(
	{ others, ...finding }: LintFinding,
	rule: Pick<PlacedFinding, "rule" | "severity">,
	{ written, names }: Subject,
	desired: DesiredOrganization,
	places: PlacesInDocuments,
): PlacedFinding {
	const { organizationId, files } = desired;
	const { id, on, clause, part } = finding;
	const name = written.get(id);
	const tag = on === "userTag" ? tagsOf(desired).find((one) => one.name === name)?.at : undefined;
	const own = name === undefined ? undefined : (tag ?? places.ofPolicy(organizationId, name, clause, part));
	const at = own ?? places.ofOrganization(organizationId) ?? { file: files[0] ?? "", line: 1, column: 1 };
	const named = others?.map((other) => names.get(other) || other);
	return {
		...finding,
		...rule,
		name: names.get(id) || id,
		isLiveOnly: own === undefined,
		...defined({ others: named }),
		at,
	};
}
