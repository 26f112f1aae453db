/** Finds the live tags and policies of entries: by the id, or else by the names. More than one match is a problem, never a guess. */
import type { Problem } from "../../common/errors.ts";
import { showName } from "../../common/escape.ts";
import { printAddress } from "../address.ts";
import { type LabelSelection, matchesGlob, selectsLabel } from "../glob.ts";
import type { DesiredPolicy, DesiredUserTag, Exceptions, Named } from "../organization.ts";

type Entry = DesiredPolicy | DesiredUserTag;

interface Found<E extends Entry, L extends Named> {
	readonly wanted: E;
	readonly live: L;
}

/** What messages call an object, and the beginning of its codes. */
const words = { userTag: "tag", policy: "policy" } as const;

export function quote(name: string): string {
	return `\`${showName(name)}\``;
}

function problemOf({ kind, name, at }: Entry, what: string, message: string): Problem {
	return { ...at, path: printAddress(kind, name), code: `${words[kind]}-${what}`, message };
}

/** `describeMissing` returns why an entry needs an object that is not there; null where it can be created. */
export function findObjects<E extends Entry, L extends Named>(
	entries: readonly E[],
	live: readonly L[],
	describeMissing: (wanted: E) => string | null = () => null,
): { readonly found: readonly Found<E, L>[]; readonly missing: readonly E[]; readonly problems: readonly Problem[] } {
	// A document with few entries needs no table of all live objects.
	const ids = new Set(entries.map(({ id }) => id));
	const names = new Set(entries.flatMap(({ name, previously }) => [name, ...previously]));
	const byId = Map.groupBy(
		live.filter(({ id }) => ids.has(id)),
		({ id }) => id,
	);
	const byName = Map.groupBy(
		live.filter(({ name }) => names.has(name)),
		({ name }) => name,
	);
	const claimed = new Map<string, E>();
	const [found, missing, problems] = [[], [], []] as [Found<E, L>[], E[], Problem[]];
	for (const wanted of entries) {
		const { kind, id, name, previously } = wanted;
		const named = byName.get(name) ?? previously.flatMap((earlier) => byName.get(earlier) ?? []);
		const matches = id === undefined ? named : (byId.get(id) ?? []);
		const [first] = matches;
		const other = claimed.get(first?.id ?? "");
		if (first === undefined) {
			const message = describeMissing(wanted);
			if (message === null) missing.push(wanted);
			else problems.push(problemOf(wanted, "not-there", message));
		} else if (matches.length > 1) {
			const all = matches.map((one) => `${quote(one.name)} (${one.id})`).join(" and ");
			problems.push(problemOf(wanted, "ambiguous", `${all} exist, and ${quote(name)} could be either: add its \`id\``));
		} else if (other !== undefined) {
			const message = `two entries match the live ${words[kind]} ${quote(first.name)} (${first.id}): ${quote(other.name)} and ${quote(name)}; keep one`;
			problems.push({ ...problemOf(wanted, "", message), code: `duplicate-${words[kind]}` });
		} else {
			claimed.set(first.id, wanted);
			found.push({ wanted, live: first });
		}
	}
	return { found, missing, problems };
}

/** Returns the live objects that a complete list of these entries removes; those that `--only` leaves of them are in `left`. */
export function findUnlisted<L extends Named>(
	live: readonly L[],
	wanted: readonly Entry[],
	{ except, part }: Exceptions,
): { readonly removed: readonly L[]; readonly left: readonly L[] } {
	const entries = part?.entries ?? wanted;
	const liveNames = new Set(live.map(({ name }) => name));
	const ids = new Set(entries.map(({ id }) => id));
	const names = new Set(
		entries.flatMap(({ id, name, previously }) => (id !== undefined ? [] : liveNames.has(name) ? [name] : previously)),
	);
	const unlisted = live.filter(
		({ id, name }) => !ids.has(id) && !names.has(name) && !except.some((glob) => matchesGlob(glob, name)),
	);
	const isSelected = (live: L): boolean => part === undefined || part.selected.some((one) => selectsNamed(one, live));
	return { removed: unlisted.filter(isSelected), left: unlisted.filter((one) => !isSelected(one)) };
}

export function selectsNamed(selection: LabelSelection, { id, name }: Named): boolean {
	return selectsLabel(selection, name) || selectsLabel(selection, id);
}

/** Names are unique (docs/internals/service.md#server-side-validation): one whose holder neither gives it up nor is removed cannot be had. */
export function takenNames<E extends Entry>(
	found: readonly Found<E, Named>[],
	live: readonly Named[],
	removed: ReadonlySet<string>,
): readonly Problem[] {
	const renames = found.filter((one) => one.wanted.name !== one.live.name);
	if (renames.length === 0) return [];
	const holders = new Map(live.map((one) => [one.name, one]));
	const renamed = new Set(renames.map((one) => one.live.id));
	return renames.flatMap(({ wanted, live: { name } }) => {
		const holder = holders.get(wanted.name);
		if (holder === undefined || renamed.has(holder.id) || removed.has(holder.id)) return [];
		const message = `${quote(name)} cannot be renamed to ${quote(wanted.name)}: the ${words[wanted.kind]} ${holder.id} has that name and keeps it; rename that ${words[wanted.kind]} too`;
		return [problemOf(wanted, "name-taken", message)];
	});
}

/** Live objects that one entry lists and another wants gone, each by its name or its id. */
export function bothWays<E extends Entry>(
	found: readonly Found<E, Named>[],
	isAbsent: (live: Named) => boolean,
): readonly Problem[] {
	return found
		.filter(({ live }) => isAbsent(live))
		.map(({ wanted, live: { name, id } }) => {
			const message = `the live ${words[wanted.kind]} ${quote(name)} (${id}) is listed here, and is under \`absent\` too; remove one of the two`;
			return problemOf(wanted, "absent", message);
		});
}
