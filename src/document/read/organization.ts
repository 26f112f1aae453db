/** Merges all documents of one organization into its desired state, and reports conflicts between them. */

import { defined, nonEmpty } from "../../common/defined.ts";
import { uuid } from "../../common/uuid.ts";
import { kindOf, removalKinds } from "../../plan/kinds/index.ts";
import { type RemovalKindName, removalLists } from "../../plan/kinds/names.ts";
import { keyOfRemoval } from "../../plan/objects.ts";
import {
	type AbsentUserTag,
	type DesiredObject,
	type DesiredOrganization,
	type DesiredRemoval,
	type DesiredRule,
	type Limits,
	type NamePlaces,
	powerLimits,
	writeLimits,
} from "../../plan/organization.ts";
import { standInFor } from "../../plan/stand-in.ts";
import { digestOf } from "../../plan/value.ts";
import { type Cell, entriesAt, entryOf, itemsOf } from "../cell.ts";
import { describePlace, distinct, invalidate, quote, quoteCell, report } from "../report.ts";
import { readExpectations } from "./expectations.ts";
import { readIgnored } from "./lint.ts";
import { checkAbsent, readName, readNames } from "./named-entries.ts";
import { type References, readExactly, readPolicies } from "./policies.ts";
import { readRules } from "./rules.ts";
import { firstAgreed } from "./shared-values.ts";
import { readTagEntries, type TagEntry, toDesiredTags } from "./tags.ts";
import {
	afterSubstitution,
	type NamedUser,
	placesOfUsers,
	readId,
	readIds,
	readUserKeys,
	readUserList,
	readUsers,
	type Users,
} from "./users.ts";

/** The cell that protects each object. */
interface ProtectedObjects {
	/** By user id. */
	readonly users: ReadonlyMap<string, Cell>;
	readonly named: readonly NamedUser[];
	/** By tag name. */
	readonly userTags: ReadonlyMap<string, Cell>;
	/** By name or id. */
	readonly policies: ReadonlyMap<string, Cell>;
}

/** Returns the desired state, valid only if no problem was found. `complete`: no other document can have its users. */
export function readOrganization(
	organizationId: string,
	roots: readonly Cell[],
	complete: boolean,
): DesiredOrganization {
	const users = readUsers(roots, complete);
	const entries = readTagEntries(roots, users);
	const protectedObjects = readProtected(roots, users);
	checkProtectedTags(entries, protectedObjects);
	const rules = readRules(roots, { tags: entries, users });
	const name = firstAgreed(entriesAt(roots, "name"), (cell) => readName(cell)?.text)?.value;
	const desired = {
		organizationId,
		...defined({ name }),
		objects: [
			...toDesiredTags(entries),
			...readAbsentTags(roots, entries),
			...readPolicies(roots, referencesOf(organizationId, entries, users)),
			...readAbsent(roots, users, protectedObjects),
			...readExpectations(roots, users),
		],
		...defined({ exactly: readExactly(roots, namesListed(roots)) }),
		protect: {
			userIds: [...protectedObjects.users.keys()].sort(),
			userTags: [...protectedObjects.userTags.keys()].sort(),
			...defined({ policies: nonEmpty([...protectedObjects.policies.keys()].sort()) }),
		},
		limits: readLimits(roots),
		...defined({ rules: nonEmpty(rules), accessTests: readAccessTests(roots) }),
	};
	const digest = digestOf({
		...desired,
		objects: desired.objects.map(withoutPlaces),
		...(rules.length === 0 ? {} : { rules: rules.map(withoutPlaces) }),
	});
	const ids = entriesAt(roots, "organizationId");
	const files = [...new Set([...roots, ...ids].map(({ at }) => at.file))].sort();
	const inList = ids.find(({ usedAs }) => usedAs !== undefined);
	const row = inList && { ...inList.at, document: inList.usedAs?.at.file ?? "" };
	const aliases = Object.fromEntries([...users.ids].sort(([left], [right]) => (left < right ? -1 : 1)));
	const named = entries.flatMap(({ listed, never }) => [...listed, ...never]);
	const places: NamePlaces = {
		users: placesOfUsers(roots, [...named, ...protectedObjects.named], {
			ids: users.ids,
			owners: ownersUnderAbsent(roots),
		}),
		...defined({
			absentPolicies: absentPolicyPlaces(roots),
			protectedPolicies: protectedObjects.policies.size === 0 ? undefined : placesOf(protectedObjects.policies),
		}),
		protectedTags: placesOf(protectedObjects.userTags),
	};
	const ignoredFindings = nonEmpty(readIgnored(roots));
	return { ...desired, users: aliases, places, digest, files, ...defined({ row, ignoredFindings }) };
}

/** Returns an object or a rule without its positions in files, which do not count. */
export function withoutPlaces(one: DesiredObject | DesiredRule): object {
	const place = { at: undefined };
	if (!("kind" in one) || one.kind !== "userTag" || "absent" in one || one.members?.windows === undefined)
		return { ...one, ...place };
	const windows = one.members.windows.map((window) => ({ ...window, ...place }));
	return { ...one, members: { ...one.members, windows }, ...place };
}

function readAccessTests(roots: readonly Cell[]): DesiredOrganization["accessTests"] {
	const cells = entriesAt(roots, "accessTests");
	for (const cell of cells.filter(({ value }) => value !== "required")) {
		const message = `\`accessTests\` must be \`required\`, but is ${quoteCell(cell)}${afterSubstitution(cell)}`;
		invalidate(cell, "wrong-format", message);
	}
	return cells.length === 0 ? undefined : "required";
}

function readProtected(roots: readonly Cell[], users: Users): ProtectedObjects {
	const sections = roots.map((root) => entryOf(root, "protect"));
	const named = sections.flatMap((section) => readUserList(users, entryOf(section, "users")));
	const tags = sections.flatMap((section) => readNames(entryOf(section, "userTags")));
	const policies = sections.flatMap((section) => readIdsOrNames(entryOf(section, "policies")));
	return {
		users: new Map(named.map(({ userId, cell }) => [userId, cell])),
		named,
		userTags: new Map(tags.map(({ text, cell }) => [text, cell])),
		policies: new Map(policies.map(({ text, cell }) => [text, cell])),
	};
}

function checkProtectedTags(entries: readonly TagEntry[], objects: ProtectedObjects): void {
	for (const entry of entries) {
		checkProtectedTag(entry, objects);
		for (const { userId, cell } of entry.never) {
			const protector = objects.users.get(userId);
			if (protector === undefined) continue;
			const message = `the user ${quoteCell(cell)} is protected ${describePlace(protector.at, cell.at)}, but \`never\` would remove a tag; remove one of the two`;
			report(cell, "protected", message);
		}
	}
}

/** Reports an entry that would change or rename a protected tag. */
function checkProtectedTag({ cell, name, previously }: TagEntry, { userTags }: ProtectedObjects): void {
	const changes = ["members", "previously"].filter((key) => entryOf(cell, key) !== undefined);
	const protector = name && userTags.get(name.text);
	if (name !== undefined && protector !== undefined && changes.length > 0) {
		const place = describePlace(protector.at, name.cell.at);
		const keys = changes.map((key) => `\`${key}\``).join(" and ");
		const message = `the tag ${quoteCell(name.cell)} is protected ${place}, but ${keys} would change it; remove one of the two`;
		report(name.cell, "protected", message);
		return;
	}
	for (const { text, cell: nameCell } of previously) {
		const earlier = userTags.get(text);
		if (earlier === undefined) continue;
		const message = `the tag ${quoteCell(nameCell)} is protected ${describePlace(earlier.at, nameCell.at)}, but this would rename it; remove one of the two`;
		report(nameCell, "protected", message);
	}
}

function readAbsent(
	roots: readonly Cell[],
	users: Users,
	protectedObjects: ProtectedObjects,
): readonly DesiredRemoval[] {
	const sections = entriesAt(roots, "absent");
	if (sections.length === 0) return [];
	return removalKinds.flatMap(({ name, isOfUser }) => {
		const lists = sections.map((section) => entryOf(section, removalLists[name]));
		const removals = isOfUser
			? lists.flatMap((list) => readOfUsers(name, list, users, protectedObjects))
			: lists.flatMap((list) => readUnowned(name, list).map((id) => ({ kind: name, userId: null, id })));
		const byKey = new Map(removals.map((removal) => [keyOfRemoval(removal), removal]));
		return [...byKey].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, removal]) => removal);
	});
}

/** Returns what expressions can name: the tags that the documents list, by stand-ins, and the users. */
function referencesOf(organizationId: string, entries: readonly TagEntry[], { ids }: Users): References {
	const names = entries.flatMap(({ name }) => name?.text ?? []);
	const userTags = new Map(names.map((name) => [name, standInFor(organizationId, "userTag", name)]));
	return { userTags, users: ids };
}

function placesOf(cells: ReadonlyMap<string, Cell>): NamePlaces["protectedTags"] {
	return Object.fromEntries([...cells].map(([name, { at }]) => [name, at]));
}

function absentPolicyPlaces(roots: readonly Cell[]): NamePlaces["absentPolicies"] {
	const cells = roots.flatMap((root) => itemsOf(entryOf(entryOf(root, "absent"), "policies")));
	const named = cells.filter(({ value }) => !uuid.test(String(value)));
	return named.length === 0 ? undefined : Object.fromEntries(named.map(({ value, at }) => [String(value), at]));
}

function namesListed(roots: readonly Cell[]) {
	const namesOf = (key: string): readonly Cell[] => entriesAt(entriesAt(roots, key).flatMap(itemsOf), "name");
	return { policies: namesOf("policies"), userTags: namesOf("userTags") };
}

/** Policies have unique names, so that each is known by its id or by its name. */
function readUnowned(kind: RemovalKindName, list: Cell | undefined): readonly string[] {
	if (kind !== "policy") return readIds(list);
	return readIdsOrNames(list).map(({ text }) => text);
}

/** Returns ids in lower case and names; what looks like an id and is none is a problem. */
function readIdsOrNames(list: Cell | undefined): readonly { readonly text: string; readonly cell: Cell }[] {
	const read = (cell: Cell): string | undefined =>
		/^[0-9a-f-]{20,}$/i.test(String(cell.value)) ? readId(cell) : readName(cell)?.text;
	return [...distinct(itemsOf(list), read)].map(([text, cell]) => ({ text, cell }));
}

function readAbsentTags(roots: readonly Cell[], entries: readonly TagEntry[]): readonly AbsentUserTag[] {
	const names = roots.flatMap((root) => readIdsOrNames(entryOf(entryOf(root, "absent"), "userTags")));
	const cells = names.map(({ cell }) => cell);
	checkAbsent(cells, entries, "tag");
	const byName = new Map(names.map(({ text, cell }) => [text, cell]));
	return [...byName]
		.sort(([left], [right]) => (left < right ? -1 : 1))
		.map(([name, { at }]) => ({ kind: "userTag", absent: true, name, at }));
}

/** Returns the cells under `absent` whose keys name users. */
function ownersUnderAbsent(roots: readonly Cell[]): readonly Cell[] {
	const kinds = removalKinds.filter(({ isOfUser }) => isOfUser);
	return roots.flatMap((root) =>
		kinds.flatMap(({ name }) => [...(entryOf(entryOf(root, "absent"), removalLists[name])?.entries.values() ?? [])]),
	);
}

function readOfUsers(
	kind: RemovalKindName,
	list: Cell | undefined,
	users: Users,
	protectedObjects: ProtectedObjects,
): readonly DesiredRemoval[] {
	return readUserKeys(users, list).flatMap(({ userId, cell }) => {
		const ids = readIds(cell);
		const protector = ids.length === 0 ? undefined : protectedObjects.users.get(userId);
		if (protector !== undefined) {
			const what = kindOf(kind).words[1];
			const message = `the user ${quote(String(cell.key))} is protected ${describePlace(protector.at, cell.keyAt)}, but this would remove ${what}; remove one of the two`;
			report(cell, "protected", message, "key");
		}
		return ids.map((id) => ({ kind, userId, id }));
	});
}

function readLimits(roots: readonly Cell[]): Limits {
	const limits: Record<string, unknown> = {};
	const sections = entriesAt(roots, "limits");
	if (sections.length === 0) return limits;
	for (const key of ["memberRemovals", ...Object.values(removalLists), ...writeLimits, ...powerLimits, "expiries"]) {
		const first = firstAgreed(entriesAt(sections, key), (cell) => readLimit(key, cell));
		if (first !== undefined) limits[key] = first.value;
	}
	return limits as Limits;
}

function readLimit(key: string, cell: Cell): unknown {
	if (key === "memberRemovals") return readMemberRemovals(cell);
	if (key === "expiries") return readExpiries(cell);
	const isOfPowers = powerLimits.some((limit) => limit === key);
	if (!isOfPowers || typeof cell.value === "number" || cell.value === "strict") return cell.value;
	const message = `\`${key}\` must be \`strict\`, or a whole number without quotes, but is ${quoteCell(cell)}${afterSubstitution(cell)}`;
	return invalidate(cell, "wrong-format", message);
}

function readExpiries(cell: Cell): Limits["expiries"] {
	if (cell.value === "any") return "any";
	const message = `\`expiries\` must be \`any\`, but is ${quoteCell(cell)}${afterSubstitution(cell)}`;
	return invalidate(cell, "wrong-format", message);
}

function readMemberRemovals(cell: Cell): Limits["memberRemovals"] {
	if (typeof cell.value === "number") return { count: cell.value };
	const match = /^(-?[0-9]+(?:\.[0-9]+)?)%$/.exec(String(cell.value));
	const percent = Number(match?.[1]);
	if (match !== null && percent >= 0 && percent <= 100) return { percent };
	const range =
		match === null ? "be a percentage such as 25%, or a whole number without quotes," : "be between 0% and 100%,";
	const message = `\`memberRemovals\` must ${range} but is ${quoteCell(cell)}${afterSubstitution(cell)}`;
	return invalidate(cell, match === null ? "wrong-format" : "out-of-range", message);
}
