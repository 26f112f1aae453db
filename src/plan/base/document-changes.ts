/** Compares two documents without live state. Changes of limits, protection and rules count too. */
import { factsOf, type WindowFacts } from "../access-window.ts";
import { printAddress } from "../address.ts";
import { readOnlyKinds, removalKinds } from "../kinds/index.ts";
import { removalLists } from "../kinds/names.ts";
import { addressOfObject } from "../objects.ts";
import {
	absentTagsOf,
	type DesiredMembers,
	type DesiredOrganization,
	expectationsOf,
	type Limits,
	type LiveOrganization,
	powerLimits,
	removalsOf,
	writeLimits,
} from "../organization.ts";
import { addressOfRule, valueOfRule } from "../rules/rules.ts";
import { compareText, sameValue } from "../value.ts";
import { cells } from "./atoms.ts";
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
	| "exactly"
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
export interface DemandingDifference {
	readonly difference: DocumentChange;
	readonly demands: string | null;
}

/** What is known of both documents and live state before they are compared; `live` is null where it was not asked. */
interface Compared {
	readonly pairs: readonly TagPair[];
	readonly policies: readonly DemandingDifference[];
	readonly live: LiveOrganization | null;
}

/** Everything in which the head says something else than the base, in the order of the kinds and then by address. */
export function compareDocuments(
	base: DesiredOrganization,
	head: DesiredOrganization,
	{ pairs, policies, live }: Compared,
): readonly DemandingDifference[] {
	return [
		...pairs.flatMap((pair) => tagDifferences(pair)).sort(byAddress),
		...policies,
		...absentTagDifferences(base, head, live),
		...absentDifferences(base, head, live),
		...expectationDifferences(base, head),
		...valueDifferences("exactly", base, head, exceptionsIn),
		...protectDifferences(base, head),
		...valueDifferences("limit", base, head, limitsIn),
		...valueDifferences("rule", base, head, rulesIn).sort(byAddress),
	];
}

const byAddress = (left: DemandingDifference, right: DemandingDifference): number =>
	compareText(left.difference.address, right.difference.address);

export function differenceAt(
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
	const creates = { ...about, field: "create", before: base?.create === true, after: head.create === true };
	return [
		...(base === undefined ? [differenceAt(address, "managed", about)] : []),
		...(base === undefined || base.create === head.create ? [] : [differenceAt(address, "field", creates)]),
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
	const [before, after] = [base === undefined ? [] : list(base), head === undefined ? [] : list(head)];
	const [had, has] = [new Set(before), new Set(after)];
	return { added: after.filter((item) => !had.has(item)), gone: before.filter((item) => !has.has(item)) };
}

/** A tag under `absent` is found by its id or its name; plans name it by its live name. */
function absentTagDifferences(
	base: DesiredOrganization,
	head: DesiredOrganization,
	live: LiveOrganization | null,
): readonly DemandingDifference[] {
	const tags = live?.userTags.known === true ? live.userTags.value : [];
	const { added, gone } = changeOf(base, head, (desired) => absentTagsOf(desired).map(({ name }) => name));
	const at = (name: string): string =>
		printAddress("userTag", tags.find((tag) => tag.id === name || tag.name === name)?.name ?? name);
	return [
		...added.map((name) => differenceAt(at(name), "absent", {}, cells.object(at(name)))),
		...gone.map((name) => differenceAt(at(name), "not-absent")),
	];
}

/** Returns the atom of an object under `absent`. A policy that is written by its name is removed by its id. */
function removalCell(address: string, live: LiveOrganization | null): string {
	const policies = live?.removables.policy.known === true ? live.removables.policy.value : [];
	const policy = policies.find(({ name }) => printAddress("policy", name) === address);
	return cells.object(policy === undefined ? address : printAddress("policy", policy.id));
}

function absentDifferences(
	base: DesiredOrganization,
	head: DesiredOrganization,
	live: LiveOrganization | null,
): readonly DemandingDifference[] {
	return removalKinds.flatMap(({ name }) => {
		const { added, gone } = changeOf(base, head, (desired) =>
			removalsOf(desired, name).map((object) => addressOfObject(object, head)),
		);
		return [
			...added.map((address) => differenceAt(address, "absent", {}, removalCell(address, live))),
			...gone.map((address) => differenceAt(address, "not-absent")),
		].sort(byAddress);
	});
}

function expectationDifferences(base: DesiredOrganization, head: DesiredOrganization): readonly DemandingDifference[] {
	const fieldsIn = (desired: DesiredOrganization) => {
		const expected = readOnlyKinds.flatMap(({ name }) => expectationsOf(desired, name));
		return new Map(expected.map((object) => [addressOfObject(object, head), object.fields]));
	};
	const [before, after] = [fieldsIn(base), fieldsIn(head)];
	return [...new Set([...after.keys(), ...before.keys()])].flatMap((address): readonly DemandingDifference[] => {
		const [was = {}, is] = [before.get(address), after.get(address)];
		if (is === undefined) return [differenceAt(address, "not-expected")];
		const fields = [...new Set([...Object.keys(is), ...Object.keys(was)])];
		return [
			...(before.has(address) ? [] : [differenceAt(address, "expected")]),
			...fields
				.filter((field) => !sameValue(was[field], is[field]))
				.map((field) => {
					const values = { field, before: was[field] ?? null, after: is[field] ?? null };
					return differenceAt(address, "field", values, is[field] === undefined ? null : cells.field(address, field));
				}),
		];
	});
}

function protectDifferences(base: DesiredOrganization, head: DesiredOrganization): readonly DemandingDifference[] {
	const lists = { users: "userIds", userTags: "userTags", policies: "policies" } as const;
	return Object.entries(lists).flatMap(([list, key]) => {
		const { added, gone } = changeOf(base.protect, head.protect, (protect) => protect[key] ?? []);
		const at = `protect.${list}`;
		return [
			...added.map((one) => differenceAt(at, "protected", key === "userIds" ? { userId: one } : { after: one })),
			...gone.map((one) => differenceAt(at, "unprotected", key === "userIds" ? { userId: one } : { before: one })),
		];
	});
}

/** What a document says, by its address; null and undefined are nothing. */
type Values = Readonly<Record<string, unknown>>;

function valueDifferences(
	what: "exactly" | "limit" | "rule",
	base: DesiredOrganization,
	head: DesiredOrganization,
	valuesIn: (desired: DesiredOrganization) => Values,
): DemandingDifference[] {
	const [was, is] = [valuesIn(base), valuesIn(head)];
	return Object.keys({ ...was, ...is }).flatMap((address) => {
		const [before, after] = [was[address] ?? null, is[address] ?? null];
		return sameValue(before, after) ? [] : [differenceAt(address, what, { before, after })];
	});
}

/** A complete list is shown by its exceptions. With `--only` and addresses alone, a document keeps its list only for those that it does not list. */
function exceptionsIn({ exactly = {} }: DesiredOrganization): Values {
	const lists = Object.entries(exactly).filter(
		([, { part }]) => part?.selected.every(({ label }) => label !== undefined) !== true,
	);
	return Object.fromEntries(lists.map(([list, { except }]) => [`exactly.${list}`, except]));
}

/** A limit is shown as a document writes it. */
function limitsIn({ limits, accessTests }: DesiredOrganization): Values {
	const kinds = ["memberRemovals", ...Object.values(removalLists), ...writeLimits, ...powerLimits, "expiries"] as const;
	const shown = kinds.map((kind) => [`limits.${kind}`, showLimit(limits[kind])] as const);
	return { ...Object.fromEntries(shown), accessTests };
}

const rulesIn = ({ rules = [] }: DesiredOrganization): Values =>
	Object.fromEntries(rules.map((rule) => [addressOfRule(rule), valueOfRule(rule)]));

function showLimit(limit: Limits[keyof Limits]): string | number | undefined {
	if (typeof limit !== "object") return limit;
	return "count" in limit ? limit.count : `${limit.percent}%`;
}
