/** Compares two documents without live state. Changes of limits, protection and rules count too. */
import { factsOf, type WindowFacts } from "../access-window.ts";
import { printAddress } from "../address.ts";
import { readOnlyKinds, removalKinds } from "../kinds/index.ts";
import { removalLists } from "../kinds/names.ts";
import { addressOfObject } from "../objects.ts";
import {
	type DesiredMembers,
	type DesiredOrganization,
	type DesiredRule,
	expectationsOf,
	type Limits,
	powerLimits,
	removalsOf,
} from "../organization.ts";
import { addressOfRule, valueOfRule } from "../rules/rules.ts";
import { compareText, sameValue } from "../value.ts";
import type { TagPair } from "./three-way-tags.ts";

type DocumentChangeWord =
	| "managed"
	| "unmanaged"
	| "renamed"
	| "members-mode"
	| "member"
	| "no-member"
	| "never"
	| "no-never"
	| "window"
	| "absent"
	| "not-absent"
	| "expected"
	| "not-expected"
	| "field"
	| "protected"
	| "unprotected"
	| "limit"
	| "rule";

/** One thing in which two documents differ; `before` is the base's, `after` the head's. */
export interface DocumentChange {
	/** An address, or where the document says it: `limits.policies`, `protect.users`, `rule:noNewAccess`. */
	readonly address: string;
	/** The live tag that it is about, or the id that the document gives it; null where neither is, and for other kinds. */
	readonly tagId: string | null;
	readonly what: DocumentChangeWord;
	readonly userId: string | null;
	readonly field: string | null;
	readonly before: unknown;
	readonly after: unknown;
}

/** A difference, and the atom of live that it demands something of; null where it demands nothing. */
interface DemandingDifference {
	readonly difference: DocumentChange;
	readonly demands: string | null;
}

/** Names of the smallest things that a document can demand; both documents call the same thing the same. */
export const cells = {
	name: (tagId: string): string => JSON.stringify(["name", tagId]),
	member: (tagId: string, userId: string): string => JSON.stringify(["member", tagId, userId]),
	object: (address: string): string => JSON.stringify(["object", address]),
	field: (address: string, field: string): string => JSON.stringify(["field", address, field]),
} as const;

/** Everything in which the head says something else than the base, in the order of the kinds and then by address. */
export function compareDocuments(
	base: DesiredOrganization,
	head: DesiredOrganization,
	pairs: readonly TagPair[],
): readonly DemandingDifference[] {
	return [
		...pairs
			.flatMap((pair) => tagDifferences(pair))
			.sort((left, right) => compareText(left.difference.address, right.difference.address)),
		...absentDifferences(base, head),
		...expectationDifferences(base, head),
		...protectDifferences(base, head),
		...limitDifferences(base.limits, head.limits),
		...ruleDifferences(base.rules, head.rules),
	];
}

function differenceAt(
	address: string,
	what: DocumentChange["what"],
	parts: Partial<DocumentChange> = {},
	demands: string | null = null,
): DemandingDifference {
	return {
		difference: { address, tagId: null, what, userId: null, field: null, before: null, after: null, ...parts },
		demands,
	};
}

function tagDifferences({ base, head, tagId, baseTagId }: TagPair): readonly DemandingDifference[] {
	const about = { tagId: tagId ?? head?.id ?? baseTagId ?? base?.id ?? null };
	if (head === undefined)
		return base === undefined ? [] : [differenceAt(printAddress("userTag", base.name), "unmanaged", about)];
	const address = printAddress("userTag", head.name);
	const found = tagId ?? null;
	const member = (userId: string): string | null => (found === null ? null : cells.member(found, userId));
	const modes = { before: base?.members?.mode ?? null, after: head.members?.mode ?? null };
	const wanted = changeOf(base?.members, head.members, listWritten);
	// A window that is not open demands nothing yet, or no longer.
	const now = new Set(listWanted(head.members));
	const forbidden = changeOf(base?.members, head.members, listNever);
	// A user who is no longer listed loses the tag only in the mode `exactly`.
	const takes = head.members?.mode === "exactly";
	const names = { ...about, before: base?.name, after: head.name };
	return [
		...(base === undefined ? [differenceAt(address, "managed", about)] : []),
		...(base === undefined || base.name === head.name
			? []
			: [differenceAt(address, "renamed", names, found === null ? null : cells.name(found))]),
		...(modes.before === modes.after ? [] : [differenceAt(address, "members-mode", { ...about, ...modes })]),
		...wanted.added.map((userId) => {
			const parts = { ...about, userId, after: windowIn(head.members, userId) };
			return differenceAt(address, "member", parts, now.has(userId) ? member(userId) : null);
		}),
		...wanted.gone.map((userId) => {
			const parts = { ...about, userId, after: modes.after };
			return differenceAt(address, "no-member", parts, takes ? member(userId) : null);
		}),
		...forbidden.added.map((userId) => differenceAt(address, "never", { ...about, userId }, member(userId))),
		...forbidden.gone.map((userId) => differenceAt(address, "no-never", { ...about, userId })),
		...windowDifferences(base?.members, head.members).map((parts) =>
			differenceAt(address, "window", { ...about, ...parts }),
		),
	];
}

/** Returns the windows that differ of users whom both documents list; null is always. */
function windowDifferences(
	base: DesiredMembers | undefined,
	head: DesiredMembers | undefined,
): readonly Pick<DocumentChange, "userId" | "before" | "after">[] {
	const listed = new Set(listWritten(base));
	return listWritten(head).flatMap((userId) => {
		const [before, after] = [windowIn(base, userId), windowIn(head, userId)];
		return !listed.has(userId) || sameValue(before, after) ? [] : [{ userId, before, after }];
	});
}

function windowIn(members: DesiredMembers | undefined, userId: string): WindowFacts | null {
	const window = members?.windows?.find((one) => one.userId === userId);
	return window === undefined ? null : factsOf(window);
}

function listWanted(members: DesiredMembers | undefined): readonly string[] {
	if (members === undefined) return [];
	return members.mode === "exactly" ? members.exactly : members.atLeast;
}

/** Returns the users as a document lists them, whether their window is open or not. */
function listWritten(members: DesiredMembers | undefined): readonly string[] {
	const windowed = (members?.windows ?? []).map(({ userId }) => userId);
	return [...new Set([...listWanted(members), ...windowed])].sort(compareText);
}

function listNever(members: DesiredMembers): readonly string[] {
	const windowed = new Set((members.windows ?? []).map(({ userId }) => userId));
	return (members.never ?? []).filter((userId) => !windowed.has(userId));
}

function changeOf<T>(
	base: T | undefined,
	head: T | undefined,
	list: (value: T) => readonly string[],
): { readonly added: readonly string[]; readonly gone: readonly string[] } {
	const [before, after] = [base, head].map((value) => (value === undefined ? [] : list(value))) as [string[], string[]];
	const [had, has] = [new Set(before), new Set(after)];
	return { added: after.filter((item) => !had.has(item)), gone: before.filter((item) => !has.has(item)) };
}

function absentDifferences(base: DesiredOrganization, head: DesiredOrganization): readonly DemandingDifference[] {
	return removalKinds.flatMap(({ name }) => {
		const { added, gone } = changeOf(base, head, (desired) =>
			removalsOf(desired, name).map((object) => addressOfObject(object, head)),
		);
		return [
			...added.map((address) => differenceAt(address, "absent", {}, cells.object(address))),
			...gone.map((address) => differenceAt(address, "not-absent")),
		].sort((left, right) => compareText(left.difference.address, right.difference.address));
	});
}

function expectationDifferences(base: DesiredOrganization, head: DesiredOrganization): readonly DemandingDifference[] {
	const [before, after] = [base, head].map(
		(desired) =>
			new Map(
				readOnlyKinds
					.flatMap(({ name }) => expectationsOf(desired, name))
					.map((object) => [addressOfObject(object, head), object.fields]),
			),
	);
	return [...new Set([...(after?.keys() ?? []), ...(before?.keys() ?? [])])].flatMap(
		(address): readonly DemandingDifference[] => {
			const [was, is] = [before?.get(address), after?.get(address)];
			if (is === undefined) return [differenceAt(address, "not-expected")];
			const fields = [...new Set([...Object.keys(is), ...Object.keys(was ?? {})])];
			return [
				...(was === undefined ? [differenceAt(address, "expected")] : []),
				...fields
					.filter((field) => !sameValue(was?.[field], is[field]))
					.map((field) => {
						const values = { field, before: was?.[field] ?? null, after: is[field] ?? null };
						return differenceAt(address, "field", values, is[field] === undefined ? null : cells.field(address, field));
					}),
			];
		},
	);
}

function protectDifferences(base: DesiredOrganization, head: DesiredOrganization): readonly DemandingDifference[] {
	const users = changeOf(base.protect, head.protect, ({ userIds }) => userIds);
	const tags = changeOf(base.protect, head.protect, ({ userTags }) => userTags);
	return [
		...users.added.map((userId) => differenceAt("protect.users", "protected", { userId })),
		...users.gone.map((userId) => differenceAt("protect.users", "unprotected", { userId })),
		...tags.added.map((after) => differenceAt("protect.userTags", "protected", { after })),
		...tags.gone.map((before) => differenceAt("protect.userTags", "unprotected", { before })),
	];
}

/** A limit is shown as a document writes it; null is none, or the default. */
function limitDifferences(base: Limits, head: Limits): readonly DemandingDifference[] {
	return (["memberRemovals", ...Object.values(removalLists), ...powerLimits, "expiries"] as const).flatMap((kind) => {
		const [before, after] = [base[kind], head[kind]].map(showLimit);
		return before === after ? [] : [differenceAt(`limits.${kind}`, "limit", { before, after })];
	});
}

/** A rule is shown by its address and its value; null is none. */
function ruleDifferences(
	base: readonly DesiredRule[] = [],
	head: readonly DesiredRule[] = [],
): readonly DemandingDifference[] {
	const [was, is] = [base, head].map((rules) => new Map(rules.map((rule) => [addressOfRule(rule), valueOfRule(rule)])));
	const addresses = [...new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])].sort(compareText);
	return addresses.flatMap((address) => {
		const [before, after] = [was?.get(address) ?? null, is?.get(address) ?? null];
		return before === after ? [] : [differenceAt(address, "rule", { before, after })];
	});
}

function showLimit(limit: Limits[keyof Limits]): string | number | null {
	if (typeof limit !== "object") return limit ?? null;
	return "count" in limit ? limit.count : `${limit.percent}%`;
}
