/** Reads `rules` of an organization's documents, each of which may add some; where two write one, they must agree. */

import type { DesiredRule } from "../../plan/organization.ts";
import { addressOfRule } from "../../plan/rules/rules.ts";
import { compareText } from "../../plan/value.ts";
import { namedPowers, type PowerName } from "../../policy/powers/groups.ts";
import { type Cell, entriesAt, entriesOf, entryOf, itemsOf } from "../cell.ts";
import { describePlace, quote, quoteCell, report } from "../report.ts";
import { readCredentialChecks } from "./credential-rules.ts";
import { isEmptyList, isEmptyMap } from "./empty-parts.ts";
import { sortedNames } from "./named-entries.ts";
import { firstAgreed, type Located } from "./shared-values.ts";
import type { TagEntry } from "./tags.ts";
import { nameMistake, type Users } from "./users.ts";

/** A rule, and the cells that write it: `min` and `max` where it has them, otherwise `cell`. */
interface RuleEntry<R extends DesiredRule = DesiredRule> {
	readonly rule: R;
	readonly cell: Cell;
	readonly min?: Cell | undefined;
	readonly max?: Cell | undefined;
}

type RuleOf<N extends DesiredRule["rule"]> = Extract<DesiredRule, { readonly rule: N }>;

/** Returns the rules, sorted by address; reports those that contradict each other or the tags of the documents. */
export function readRules(
	roots: readonly Cell[],
	{ tags, users }: { readonly tags: readonly TagEntry[]; readonly users: Users },
): readonly DesiredRule[] {
	const sections = entriesAt(roots, "rules");
	if (sections.length === 0) return [];
	const exclusive = readExclusive(sections);
	const members = readMembers(sections);
	for (const entry of exclusive) checkExclusive(entry, tags);
	for (const entry of members) checkMembers(entry, tags);
	const powers = (Object.keys(namedPowers) as PowerName[]).flatMap((power) => readPower(power, sections));
	const credentials = readCredentialChecks(sections, users).map(({ check, cell }): RuleEntry => {
		return { rule: { rule: "credentials", ...check, at: cell.keyAt }, cell };
	});
	const others = [...powers, ...credentials, ...readNoNewAccess(sections)];
	const entries = [...exclusive, ...members, ...others];
	const byAddress = entries.map(({ rule }) => [addressOfRule(rule), rule] as const);
	return byAddress.sort(([left], [right]) => compareText(left, right)).map(([, rule]) => rule);
}

function readExclusive(sections: readonly Cell[]): readonly RuleEntry<RuleOf<"exclusive">>[] {
	const lists = sections.flatMap((section) => listsOf(entryOf(section, "exclusive")));
	const found = new Map<string, RuleEntry<RuleOf<"exclusive">>>();
	for (const cell of lists) {
		const tags = sortedNames(cell);
		if (cell.items.length === 1) {
			const message = "`exclusive` has one tag only; write two tags or more, of which no user may have two";
			report(cell, "single-tag", message);
		}
		const rule = { rule: "exclusive", tags, at: cell.at } as const;
		const address = addressOfRule(rule);
		// Two documents may say the same.
		if (tags.length > 1 && !found.has(address)) found.set(address, { rule, cell });
	}
	return [...found.values()];
}

/** Returns the lists of names under `exclusive`: the list itself, or the lists in it. */
function listsOf(cell: Cell | undefined): readonly Cell[] {
	if (cell === undefined || isEmptyList(cell)) return [];
	const lists = itemsOf(cell).filter(({ kind }) => kind === "list");
	if (lists.length === 0) return [cell];
	const name = itemsOf(cell).find(({ kind }) => kind !== "list");
	if (name !== undefined) {
		const message = `${quoteCell(name)} is beside lists under \`exclusive\`; write one list of names, or only lists`;
		report(name, "wrong-type", message);
	}
	return lists.filter((list) => !isEmptyList(list));
}

function readMembers(sections: readonly Cell[]): readonly RuleEntry<RuleOf<"members">>[] {
	const cells = sections
		.flatMap((section) => entriesOf(entryOf(section, "members")))
		.filter((cell) => isTagName(cell) && !isEmptyMap(cell, "min` or `max"));
	const byTag = Map.groupBy(cells, ({ key }) => String(key));
	return [...byTag].flatMap(([tag, group]) => {
		const [min, max] = [readNumber("min", group), readNumber("max", group)];
		const [cell] = group;
		if (cell === undefined || (min === undefined && max === undefined)) return [];
		if (min !== undefined && max !== undefined && min.value > max.value) {
			const place = describePlace(min.cell.at, max.cell.at);
			const message = `\`max\` is ${max.value}, less than \`min\`, which is ${min.value} ${place}; change one of them`;
			report(max.cell, "min-over-max", message);
		}
		const limits = { ...(min && { min: min.value }), ...(max && { max: max.value }) };
		return [{ rule: { rule: "members", tag, ...limits, at: cell.keyAt }, cell, min: min?.cell, max: max?.cell }];
	});
}

/** Whether the key of the cell can be the name of a tag; reports one that cannot. */
function isTagName(cell: Cell): boolean {
	const name = String(cell.key);
	const mistake = nameMistake(name);
	if (mistake === undefined) return true;
	report(cell, "bad-name", `the name ${name === "" ? "" : `${quote(name)} `}${mistake}`, "key");
	return false;
}

function readNumber(key: string, cells: readonly Cell[]): Located<number> | undefined {
	return firstAgreed(entriesAt(cells, key), ({ value }) => Number(value));
}

function readPower(power: PowerName, sections: readonly Cell[]): readonly RuleEntry[] {
	const written = entriesAt(entriesAt(sections, "powers"), power);
	const cells = written.filter((cell) => !isEmptyMap(cell, "minApprovers` or `onlyBy"));
	const min = readNumber("minApprovers", cells);
	const lists = entriesAt(cells, "onlyBy").filter((cell) => !isEmptyList(cell));
	const only = firstAgreed(lists, sortedNames);
	return [
		...(min === undefined ? [] : [entryOfPower({ rule: "minApprovers", power, min: min.value }, min.cell)]),
		...(only === undefined ? [] : [entryOfPower({ rule: "onlyBy", power, tags: only.value }, only.cell)]),
	];
}

type PowerRule = Omit<RuleOf<"minApprovers">, "at"> | Omit<RuleOf<"onlyBy">, "at">;

function entryOfPower(rule: PowerRule, cell: Cell): RuleEntry {
	return { rule: { ...rule, at: cell.keyAt }, cell };
}

function readNoNewAccess(sections: readonly Cell[]): readonly RuleEntry[] {
	const first = firstAgreed(entriesAt(sections, "noNewAccess"), ({ value }) => value === true);
	return first?.value === true ? [{ rule: { rule: "noNewAccess", at: first.cell.keyAt }, cell: first.cell }] : [];
}

/** Reports users whom the documents give two of the tags. Windows need not overlap: a plan judges those at its time. */
function checkExclusive({ rule, cell }: RuleEntry<RuleOf<"exclusive">>, entries: readonly TagEntry[]): void {
	const holders = new Map<string, { readonly tag: string; readonly cell: Cell }>();
	for (const { name, listed } of entries) {
		if (name === undefined || !rule.tags.includes(name.text)) continue;
		const tag = name.text;
		for (const { userId, cell: user, window } of listed) {
			if (window !== undefined) continue;
			const other = holders.get(userId);
			if (other === undefined) holders.set(userId, { tag, cell: user });
			if (other === undefined || other.tag === tag) continue;
			const [first, second] = [describePlace(other.cell.at, user.at), describePlace(cell.at, user.at)];
			const message = `${quoteCell(user)} gets ${quote(tag)} here and ${quote(other.tag)} ${first}, but \`exclusive\` ${second} allows one of them; remove one`;
			report(user, "breaks-rule", message);
		}
	}
}

/** Reports lists of members that at any time have more or fewer users than the rule allows. */
function checkMembers(entry: RuleEntry<RuleOf<"members">>, entries: readonly TagEntry[]): void {
	const { rule, min, max } = entry;
	for (const { cell, members } of entries.filter(({ name }) => name?.text === rule.tag)) {
		const key = members?.mode;
		const list = key === undefined ? undefined : entryOf(entryOf(cell, "members"), key);
		const count = (members?.mode === "exactly" ? members.exactly : members?.atLeast)?.length;
		// A list with another problem has fewer users than items.
		if (list === undefined || count !== list.items.length) continue;
		// Users with a window are there at times.
		const always = count - (members?.windows ?? []).length;
		const users = `${quote(key ?? "")} has ${count} ${count === 1 ? "user" : "users"}`;
		const refuse = (limit: Cell, what: string): void => {
			const message = `${users}, but the rule for ${quote(rule.tag)} ${describePlace(limit.at, list.at)} has \`${what}\`; change one of them`;
			report(list, "breaks-rule", message);
		};
		if (max !== undefined && rule.max !== undefined && always > rule.max) refuse(max, `max: ${rule.max}`);
		if (min !== undefined && rule.min !== undefined && key === "exactly" && count < rule.min) {
			refuse(min, `min: ${rule.min}`);
		}
	}
}
