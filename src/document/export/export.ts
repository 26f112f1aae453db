/**
 * Exports the live organization as a document. Objects that documents cannot describe are comments, which delete them. The same organization
 * gives the same bytes, and the plan of the document is empty.
 *
 * Unknown is not empty. No rule of documents is repeated here: values that the parser refuses are omitted and reported.
 */

import { replaceHidden } from "../../common/invisible.ts";
import { uuid } from "../../common/uuid.ts";
import { desiredAt } from "../../plan/access-window.ts";
import { printAddress } from "../../plan/address.ts";
import { diff } from "../../plan/diff.ts";
import { readOnlyKinds, removalKinds } from "../../plan/kinds/index.ts";
import type { ExportedKind, ReadOnlyKind } from "../../plan/kinds/kind.ts";
import { expectationLists, type RemovalKindName, removalKindNames, removalLists } from "../../plan/kinds/names.ts";
import type {
	Known,
	LiveOrganization,
	LiveRecord,
	LiveRemovable,
	LiveUserTag,
	Named,
	WholeOrganization,
} from "../../plan/organization.ts";
import { compareText } from "../../plan/value.ts";
import { reasonText } from "../../say/reason.ts";
import { parseDocuments } from "../read/parse.ts";
import { nameMistake } from "../read/users.ts";
import { makeUnique, shortId } from "./names.ts";
import { type ExportedPolicy, exportPolicy } from "./policies.ts";
import {
	type ExportedParts,
	type ExportedRecord,
	type ExportedSection,
	type ExportedTag,
	type Missing,
	type Omission,
	writeDocument,
} from "./text.ts";
import type { KeptWindows } from "./windows.ts";

/** An exported document or program. */
export interface Exported extends Missing {
	readonly text: string;
}

/** Returns the document of the live state, with these windows. `head` tells editors its schema, or is empty. */
export function exportDocument(whole: WholeOrganization, head: string, kept?: KeptWindows): Exported {
	const parts = partsOf(whole, kept);
	const text = head + writeDocument(parts);
	const because = findMismatch(text, whole.live, kept?.timeMs);
	if (because !== undefined) throw new Error(`the exported document does not read back: ${because}`);
	return { text, unread: parts.unread, leftOut: parts.leftOut };
}

/** Returns the live state as far as a document can hold it, with these windows. */
export function partsOf(whole: WholeOrganization, kept?: KeptWindows): ExportedParts {
	return new Exporter(whole, kept).parts();
}

/** Returns why a document is invalid or differs from live state at this time, or undefined. Without windows, the time has no meaning. */
function findMismatch(text: string, live: LiveOrganization, timeMs = 0): string | undefined {
	const { organizations, problems } = parseDocuments([{ file: "export.yaml", content: text }], {});
	const [desired] = organizations;
	if (desired === undefined) return problems[0]?.message ?? "it is empty";
	const found = diff(desiredAt(desired, timeMs), live);
	return found.problems[0]?.message ?? found.changes[0]?.address;
}

const sameName = "another user tag has the same name, and a document has one entry for each name";

class Exporter {
	readonly #whole: WholeOrganization;
	readonly #kept: KeptWindows | undefined;
	/** By user id. */
	readonly #aliases: ReadonlyMap<string, string>;
	readonly #leftOut: Omission[] = [];

	constructor(whole: WholeOrganization, kept: KeptWindows | undefined) {
		this.#whole = whole;
		this.#kept = kept;
		this.#aliases = makeAliases(whole.users.known ? whole.users.value : []);
	}

	parts(): ExportedParts {
		const userTags = this.#userTags();
		return {
			organizationId: this.#whole.live.organizationId,
			users: this.#users(),
			userTags,
			policies: this.#policies(userTags),
			expectations: readOnlyKinds.flatMap((kind) => this.#expectations(kind)),
			removable: removalKindNames.flatMap((name) => this.#removables(name)),
			unread: this.#unread(),
			leftOut: this.#leftOut,
		};
	}

	#users(): ExportedParts["users"] {
		return [...this.#aliases]
			.map(([id, alias]) => [alias, id] as const)
			.sort(([left], [right]) => compareText(left, right));
	}

	#userTags(): readonly ExportedTag[] {
		const { userTags } = this.#whole.live;
		if (!userTags.known) return [];
		return userTags.value
			.filter(({ type }) => type === "TAG_TYPE_USER" || type === "")
			.toSorted((left, right) => compareText(left.name, right.name) || compareText(left.id, right.id))
			.flatMap((tag, index, sorted) => {
				const exported = { name: tag.name, id: tag.id, ...this.#membersOf(tag) };
				const isSecond = sorted[index - 1]?.name === tag.name;
				const because = isSecond ? sameName : this.#findMismatch({ userTags: [exported] });
				if (because === undefined) return [exported];
				this.#leftOut.push({ what: printAddress("userTag", tag.name), because });
				return [];
			});
	}

	/** Returns the entries of policies, sorted by name; they name these tags. */
	#policies(userTags: readonly ExportedTag[]): readonly ExportedPolicy[] {
		const { policies } = this.#whole.live;
		if (policies?.known !== true) return [];
		const names = { tagNames: new Map(userTags.map(({ id, name }) => [id, name])), aliases: this.#aliases };
		const leaveOut = (name: string, because: string): readonly ExportedPolicy[] => {
			this.#leftOut.push({ what: printAddress("policy", name), because });
			return [];
		};
		const byName = Map.groupBy(policies.value, ({ name }) => name);
		const sorted = policies.value.toSorted((left, right) => compareText(left.name, right.name));
		const all = sorted.flatMap((policy) => {
			if (byName.get(policy.name)?.length !== 1) return leaveOut(policy.name, "another policy has the same name");
			const exported = exportPolicy(policy, names);
			return typeof exported === "string" ? leaveOut(policy.name, exported) : [exported];
		});
		const mismatchOf = (some: readonly ExportedPolicy[]): string | undefined =>
			this.#findMismatch({ users: this.#users(), userTags, policies: some });
		// Most documents can have all of them, and one look is enough.
		if (all.length === 0 || mismatchOf(all) === undefined) return all;
		return all.flatMap((policy) => {
			const because = mismatchOf([policy]);
			return because === undefined ? [policy] : leaveOut(policy.name, because);
		});
	}

	#membersOf({ id: tagId, members }: LiveUserTag): Pick<ExportedTag, "members" | "windows"> {
		if (!members.known) return { members: undefined };
		const nameOf = (userId: string): string => this.#aliases.get(userId) ?? userId;
		const kept = this.#kept?.byTag.get(tagId) ?? [];
		const all = new Set([...members.value, ...kept.map(({ userId }) => userId)]);
		return {
			members: [...all].map(nameOf).sort(compareText),
			windows: new Map(kept.map((window) => [nameOf(window.userId), window])),
		};
	}

	/** Returns the expectations of the kind: none if it is not exported or has no objects. */
	#expectations(kind: ReadOnlyKind): readonly ExportedSection<ExportedRecord>[] {
		const { name, groupedBy, exported } = kind;
		if (exported === null) return [];
		const live = Object.entries(this.#whole.live.records[name] ?? {});
		const groups =
			groupedBy === "user"
				? this.#users().map(([alias, userId]) => {
						const own = live.filter(([key]) => key === userId);
						return { user: alias, items: this.#records(kind, exported, alias, own) };
					})
				: [{ user: null, items: this.#records(kind, exported, null, live) }];
		return sectionOf(expectationLists[name], groups);
	}

	/** Returns the records. Without a group the key of live state is the id; a record of a user has its own id. */
	#records(
		{ name, nameField }: ReadOnlyKind,
		{ idField, fields: names }: ExportedKind,
		group: string | null,
		live: readonly (readonly [key: string, known: Known<readonly LiveRecord[]>])[],
	): readonly ExportedRecord[] {
		const found = live.flatMap(([key, known]) =>
			(known.known ? known.value : []).map((record) => ({
				record,
				id: group === null ? key : String(record[idField]).toLowerCase(),
			})),
		);
		const place = (record: ExportedRecord) => {
			return { expectations: [{ key: expectationLists[name], groups: [{ user: group, items: [record] }] }] };
		};
		return found
			.sort(
				(left, right) =>
					Number(left.record.order ?? 0) - Number(right.record.order ?? 0) || compareText(left.id, right.id),
			)
			.flatMap(({ record, id }) => {
				const fields = names.map((field): readonly [string, unknown] => {
					return [field, record[field === "name" && nameField !== null ? nameField : field]];
				});
				return this.#record(printAddress(name, group === null ? id : `${group}/${id}`), { id }, fields, place);
			});
	}

	/** Returns the record with the fields that a document can hold, or no record if none remains to compare. */
	#record(
		address: string,
		identity: { readonly id: string },
		fields: readonly (readonly [name: string, value: unknown])[],
		place: (record: ExportedRecord) => Partial<ExportedParts>,
	): readonly ExportedRecord[] {
		const given = fields
			.filter(([, value]) => value !== undefined && value !== null && value !== "")
			.map(([name, value]) => [name, withoutEmptyValues(value)] as const);
		const whole = { ...identity, ...Object.fromEntries(given) };
		if (this.#findMismatch(place(whole)) === undefined) return [whole];
		const valid = given.filter(([name, value]) => {
			const because = this.#findMismatch(place({ ...identity, [name]: value }));
			if (because !== undefined) this.#leftOut.push({ what: `${name} of ${address}`, because });
			return because === undefined;
		});
		return valid.length === 0 ? [] : [{ ...identity, ...Object.fromEntries(valid) }];
	}

	#removables(name: RemovalKindName): readonly ExportedSection<LiveRemovable>[] {
		const known = this.#whole.live.removables[name];
		const all = known.known ? known.value : [];
		const isOfUser = removalKinds.some((kind) => kind.name === name && kind.isOfUser);
		const groups = isOfUser
			? this.#users().map(([alias, id]) => ({ user: alias, items: byName(all.filter(({ userId }) => userId === id)) }))
			: [{ user: null, items: byName(all) }];
		return sectionOf(removalLists[name], groups);
	}

	#unread(): readonly Omission[] {
		const { live, users, sessionProfilesKnown } = this.#whole;
		const unread: Omission[] = [];
		const add = (what: string, read: Known<unknown>): void => {
			if (!read.known) unread.push({ what, because: reasonText(read.because) });
		};
		add("names of users, members of user tags, MFA policies, OAuth providers", users);
		add("session profiles", sessionProfilesKnown);
		// Objects of users are unknown if the users are.
		for (const { name, isOfUser, words } of removalKinds) if (!isOfUser) add(words[1], live.removables[name]);
		if (live.removables.policy.known && live.policies !== undefined) add("what policies say", live.policies);
		for (const { name, groupedBy, words } of readOnlyKinds) {
			if (groupedBy !== "user") continue;
			for (const [alias, userId] of this.#users()) {
				const known = live.records[name]?.[userId];
				if (known !== undefined) add(`${words[1]} of ${alias}`, known);
			}
		}
		return unread;
	}

	/** Returns why a document of these parts and their users is invalid or differs from live state, or undefined. */
	#findMismatch(parts: Partial<ExportedParts>): string | undefined {
		const { live } = this.#whole;
		const named = [
			...(parts.userTags ?? []).flatMap(({ members }) => members ?? []),
			...(parts.expectations ?? []).flatMap(({ groups }) => groups.flatMap(({ user }) => user ?? [])),
		];
		const alone: ExportedParts = {
			organizationId: live.organizationId,
			users: this.#users().filter(([alias]) => named.includes(alias)),
			userTags: [],
			policies: [],
			expectations: [],
			removable: [],
			unread: [],
			leftOut: [],
			...parts,
		};
		return findMismatch(writeDocument(alone), live, this.#kept?.timeMs);
	}
}

/** Returns the section without empty groups, or none if all are empty. */
function sectionOf<T>(key: string, groups: ExportedSection<T>["groups"]): readonly ExportedSection<T>[] {
	const found = groups.filter(({ items }) => items.length > 0);
	return found.length === 0 ? [] : [{ key, groups: found }];
}

function byName(items: readonly LiveRemovable[]): readonly LiveRemovable[] {
	return items.toSorted((left, right) => compareText(left.name, right.name) || compareText(left.id, right.id));
}

/** Returns the value without null and empty members: responses have them for fields that are not set (docs/internals/service.md#tolerant-reading). */
function withoutEmptyValues(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutEmptyValues);
	if (typeof value !== "object" || value === null) return value;
	const entries = Object.entries(value).filter(([, entry]) => entry !== null && entry !== "");
	return Object.fromEntries(entries.map(([key, entry]) => [key, withoutEmptyValues(entry)]));
}

/** Max characters of a name that becomes an alias. */
const maxNameLength = 60;

/** Returns the alias of each user with a valid id, by user id. */
export function makeAliases(users: readonly Named[]): ReadonlyMap<string, string> {
	const sorted = users.filter(({ id }) => uuid.test(id)).toSorted((left, right) => compareText(left.id, right.id));
	const named = new Map(sorted.map((user) => [user.id, safeName(user)]));
	return makeUnique(named);
}

/** Returns the name as a valid alias: without invisible characters, and not like an id or a variable. */
function safeName({ id, name }: Named): string {
	const visible = replaceHidden(name, () => "\0")
		.replace(/\p{Cc}+|\$\{/gu, "-")
		.trim();
	const short = [...visible].slice(0, maxNameLength).join("").trim();
	return nameMistake(short) !== undefined || uuid.test(short) ? `user-${id.slice(0, shortId)}` : short;
}
