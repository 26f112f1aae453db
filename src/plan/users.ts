/** Labels of users. An alias that could be confused gets the live name and a short id. Live names are never guessed. */

import { showName } from "../common/escape.ts";
import { own } from "../common/own.ts";
import { uuid } from "../common/uuid.ts";
import type { Change } from "./change.ts";
import type { Known } from "./organization.ts";
import { compareText, sameValue } from "./value.ts";

/** The names that a label is made of; a plan and a three-way comparison have them. */
export interface UserNames {
	/** User id to the alias of the document. */
	readonly userNames: Readonly<Record<string, string>>;
	/** User id to live name, of every user in the plan and of all with a similar name; left out: not read. */
	readonly liveNames?: Readonly<Record<string, string>>;
	/** Aliases that the base document gives to another user, or to none, and the other way round. */
	readonly aliases?: readonly AliasDifference[];
}

/** An alias that two documents give to different users; null where one of them does not have it. */
export interface AliasDifference {
	readonly alias: string;
	readonly before: string | null;
	readonly after: string | null;
}

interface UserLabel {
	/** The alias; where there is none the live name, or the whole id if that is not known or looks like an id. */
	readonly name: string;
	/** Whether the name is the live one, and other users have an alias. A live name can be anything, so the label has the id too. */
	readonly isLive: boolean;
	/** Whether only the base document has the alias. */
	readonly isFormer: boolean;
	/** The beginning of the id, unique among these users; null where the name is enough, or is the id. */
	readonly shortId: string | null;
	/** The live name, where it is not the alias of the document as it is now; null where it is, or was not read. */
	readonly liveName: string | null;
	/** Whether users were read and none has this id. */
	readonly isMissing: boolean;
}

/** Length in characters as shown, escapes included. A longer name is cut, so its label has the id too. */
export const maxNameLength = 60;

export function labelUser(anyId: string, names: UserNames): UserLabel {
	const userId = anyId.toLowerCase();
	const { userNames, liveNames } = names;
	const alias = own(userNames, userId);
	const live = liveNames === undefined ? undefined : own(liveNames, userId);
	// Only a user whom an access case makes up has no UUID.
	const isMissing = liveNames !== undefined && live === undefined && uuid.test(userId);
	if (alias === undefined) {
		const plain = { isFormer: false, liveName: null, isMissing };
		const byId = { ...plain, name: userId, isLive: false, shortId: null };
		if (live === undefined || live === "") return byId;
		// Others could give a user the id of another one as a name.
		if (partOfId.test(lookOf(live))) return { ...byId, liveName: live };
		return {
			...plain,
			name: live,
			isLive: Object.keys(userNames).length > 0,
			shortId: indexOf(names).shortIdOf(userId),
		};
	}
	const isFormer = (names.aliases ?? []).some((one) => one.alias === alias && one.before === userId);
	const { owners, shortIdOf } = indexOf(names);
	const others = owners.get(lookOf(alias)) ?? new Set();
	const isOther = live !== undefined && live !== alias;
	const isShared = [...others].some((id) => id !== userId);
	const isId = uuid.test(lookOf(alias));
	const isDoubtful = isFormer || isMissing || isOther || isShared || isId || showName(alias).length > maxNameLength;
	return {
		name: alias,
		isLive: false,
		isFormer,
		shortId: isDoubtful ? shortIdOf(userId) : null,
		liveName: isOther || isFormer ? (live ?? null) : null,
		isMissing,
	};
}

/** Whether both labels show the same. The length of the short id may differ: it depends on the other users. */
export function isSameLabel(left: UserLabel, right: UserLabel): boolean {
	const shown = (label: UserLabel): unknown => ({ ...label, shortId: label.shortId !== null });
	return sameValue(shown(left), shown(right));
}

/** The parts of the label behind its name, words first; `show` makes the live name safe. */
export function describeLabel(label: UserLabel, show: (name: string) => string): readonly string[] {
	const { isLive, isFormer, shortId, liveName, isMissing } = label;
	return [
		...(isFormer ? ["alias before this change"] : []),
		...(shortId === null ? [] : [`id ${shortId}`]),
		...(isLive ? ["no alias"] : []),
		...(liveName === null ? [] : [`live name ${show(liveName)}`]),
		...(isMissing ? ["no live user"] : []),
	];
}

/** The users that a change is about: whom it moves, who keeps a tag, whose object it is; sorted. */
export function usersOf(change: Change): readonly string[] {
	if (change.kind === "userTag") {
		const { addUserIds, removeUserIds, before } = change;
		return [...new Set([...addUserIds, ...removeUserIds, ...(before.members ?? [])])].sort(compareText);
	}
	return "userId" in change && typeof change.userId === "string" ? [change.userId] : [];
}

/** Live names of these users, and of those with an alias or a similar name; undefined where users were not read. */
export function liveNamesFor(
	userIds: Iterable<string>,
	userNames: UserNames["userNames"],
	live: Known<Readonly<Record<string, string>>>,
): UserNames["liveNames"] {
	if (!live.known) return undefined;
	const wanted = new Set([...userIds, ...Object.keys(userNames)].map((id) => id.toLowerCase()));
	const named = Object.entries(live.value).filter(([id]) => uuid.test(id));
	const looks = new Set(Object.values(userNames).map(lookOf));
	for (const [id, name] of named) if (wanted.has(id)) looks.add(lookOf(name));
	const kept = named.filter(([id, name]) => wanted.has(id) || looks.has(lookOf(name)));
	return Object.fromEntries(kept.sort(([left], [right]) => compareText(left, right)));
}

/** The aliases that do not mean the same user in both documents, sorted. */
export function aliasDifferences(
	base: Readonly<Record<string, string>>,
	head: Readonly<Record<string, string>>,
): readonly AliasDifference[] {
	return [...new Set([...Object.keys(base), ...Object.keys(head)])]
		.sort(compareText)
		.map((alias) => ({ alias, before: own(base, alias) ?? null, after: own(head, alias) ?? null }))
		.filter(({ before, after }) => before !== after);
}

/** Returns the aliases that mean another user from now on, which the names alone do not show. */
export function reassignedAliases({ aliases = [] }: Pick<UserNames, "aliases">): readonly AliasDifference[] {
	return aliases.filter(({ before, after }) => before !== null && after !== null);
}

/** What could be taken for an id, also for a part of one. */
const partOfId = /[0-9a-f]{8}-[0-9a-f]{4}/;

/** What two names have in common that a reader could take for each other. */
function lookOf(name: string): string {
	return name.normalize("NFKC").toLowerCase().replaceAll(/\s+/g, " ").trim();
}

interface Index {
	/** By the look of a name, everybody who has it as an alias or as a live name. */
	readonly owners: ReadonlyMap<string, ReadonlySet<string>>;
	readonly shortIdOf: (userId: string) => string;
}

/** Where a UUID may be cut: behind each of its groups. */
const idLengths = [8, 13, 18, 23] as const;

const indexes = new WeakMap<UserNames, Index>();

function indexOf(names: UserNames): Index {
	const known = indexes.get(names);
	if (known !== undefined) return known;
	const owners = new Map<string, Set<string>>();
	const entries = [...Object.entries(names.userNames), ...Object.entries(names.liveNames ?? {})];
	for (const [id, name] of entries) owners.set(lookOf(name), (owners.get(lookOf(name)) ?? new Set()).add(id));
	const ids = [...new Set(entries.map(([id]) => id))];
	const counts = idLengths.map((length) => {
		const count = new Map<string, number>();
		for (const id of ids) count.set(id.slice(0, length), (count.get(id.slice(0, length)) ?? 0) + 1);
		return { length, count };
	});
	const index: Index = {
		owners,
		shortIdOf: (userId) => {
			const enough = counts.find(({ length, count }) => (count.get(userId.slice(0, length)) ?? 0) <= 1);
			return enough === undefined ? userId : `${userId.slice(0, enough.length)}…`;
		},
	};
	indexes.set(names, index);
	return index;
}
