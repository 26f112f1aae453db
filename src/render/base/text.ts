/**
 * The three-way plan in words, the same in every format, and as text. An entry is one object with its differences; each
 * format only decides how it looks.
 */

import { clipMiddle, showAddress, showName, showRename, showText, showValue } from "../../common/escape.ts";
import { describeTime } from "../../plan/access-window.ts";
import { parseAddress } from "../../plan/address.ts";
import type { DocumentChange } from "../../plan/base/document-changes.ts";
import {
	type DriftedDifference,
	hasFindings,
	type PlannedDifference,
	type ThreeWay,
} from "../../plan/base/three-way.ts";
import { defaultMemberRemovals } from "../../plan/guards/guards.ts";
import { kindOf } from "../../plan/kinds/index.ts";
import { powerLimits } from "../../plan/organization.ts";
import type { Plan } from "../../plan/plan.ts";
import { groupSteps } from "../../plan/step-groups.ts";
import { showUser } from "../../plan/user-labels.ts";
import { marksIn, revertsDrift } from "../sections/changes.ts";
import { renderUnder, type Style } from "../style.ts";
import { count, describeUnread, renderPlan, signsMean } from "../text.ts";
import {
	aliasHeading,
	describeMovedAliases,
	describeOtherAliases,
	showMovedAlias,
	summarizeAliases,
} from "./aliases.ts";
import { describeWindow } from "./windows.ts";

export const threeWayHeadings = {
	reverts: "Apply would revert, though this change does not mention it",
	documentChanges: "This change (base \u2192 head)",
	drifted: "Drift before this change (base \u2192 live)",
	planned: "What apply will do (head \u2192 live)",
	dropped: "No longer in any document",
} as const;

/** What apply would do: add, remove, change, or leave as it is (`signsMean`); `?` is before what is unknown. */
export type Sign = "+" | "-" | "~" | "!" | "?";

/** One difference of an object; `sign` is null where apply neither adds nor removes. Names in it are escaped. */
interface EntryLine {
	readonly sign: Sign | null;
	readonly text: string;
	/** What happens to it, or why; empty for nothing. */
	readonly note: string;
}

export interface Entry {
	readonly sign: Sign;
	readonly address: string;
	/** Of the object itself; empty for nothing. */
	readonly text: string;
	readonly note: string;
	readonly lines: readonly EntryLine[];
}

/** Returns what the change of the document means, an entry an object. */
function describeDocumentChanges(threeWay: ThreeWay): readonly Entry[] {
	const already = new Set(threeWay.alreadyInSync.map(keyOf));
	const aliases = describeOtherAliases(threeWay).map(({ alias, text }): Entry => {
		return { sign: "~", address: `users.${alias}`, text, note: "", lines: [] };
	});
	const objects = groupByObject(threeWay.documentChanges).map((differences): Entry => {
		const address = showAddress(differences[0].address);
		const whole = differences.find(({ what }) => what in wholes);
		const note = (one: DocumentChange): string => (already.has(keyOf(one)) ? "already in place" : "");
		return {
			sign: whole === undefined ? "~" : (wholes[whole.what]?.[0] ?? "~"),
			address,
			text: whole === undefined ? "" : (wholes[whole.what]?.[1] ?? ""),
			note: whole === undefined ? "" : note(whole),
			lines: differences
				.filter((one) => one !== whole)
				.map((one) => describeMeantLine(one, threeWay, note(one), whole?.what === "managed")),
		};
	});
	return [...aliases, ...objects];
}

/** Differences of the object as a whole. */
const wholes: Readonly<Partial<Record<DocumentChange["what"], readonly [sign: Sign, text: string]>>> = {
	managed: ["~", "is managed from now on"],
	unmanaged: ["~", "is no longer managed; it stays as it is"],
	absent: ["-", "must not exist from now on"],
	"not-absent": ["~", "may exist from now on; nothing is done about it"],
	expected: ["!", "is expected from now on"],
	"not-expected": ["~", "is no longer expected"],
};

const modeWords: Readonly<Record<string, string>> = { exactly: "exactly these", atLeast: "at least these" };

function describeMeantLine(
	{ what, userId, field, before, after, address }: DocumentChange,
	names: ThreeWay,
	so: string,
	isNew: boolean,
): EntryLine {
	const user = userId === null ? "" : showUser(userId, names);
	const line = (sign: Sign | null, text: string, note = ""): EntryLine => ({
		sign,
		text,
		note: [note, so].filter((part) => part !== "").join(", "),
	});
	if (what === "renamed") return line(null, `name: ${showRename(String(before), String(after)).join(" -> ")}`);
	if (what === "members-mode") {
		const [was, is] = [before, after].map((mode) => modeWords[String(mode)] ?? "not managed");
		return line(null, isNew ? `members: ${is}` : `members: ${was} -> ${is}`);
	}
	if (what === "member") return line("+", `member ${user}`, after === null ? "" : describeWindow(after));
	if (what === "no-member")
		return after === "exactly" ? line("-", `member ${user}`) : line(null, `member ${user}`, "no longer required");
	if (what === "never") return line("-", `member ${user}`, "never from now on");
	if (what === "no-never") return line(null, `member ${user}`, "no longer under never");
	if (what === "window") return line(null, `window of ${user}: ${[before, after].map(describeWindow).join(" -> ")}`);
	if (what === "protected")
		return line(null, userId === null ? showName(String(after)) : user, "protected from now on");
	if (what === "unprotected")
		return line(null, userId === null ? showName(String(before)) : user, "no longer protected");
	if (what === "limit") {
		const none = defaultLimits[address] ?? "no limit";
		return line(null, `${String(before ?? none)} -> ${String(after ?? none)}`);
	}
	if (what === "rule") {
		const [was, is] = [before, after].map((value) => (value === null ? "no rule" : showName(String(value))));
		return line(null, `${was} -> ${is}`);
	}
	const was = before === null ? "" : `${showValue(before)} -> `;
	return line(null, `${field ?? what}: ${was}${after === null ? "not compared" : showValue(after)}`);
}

/** Limits that hold where a document writes none, by address. */
const defaultLimits: Readonly<Record<string, string>> = {
	"limits.memberRemovals": `${defaultMemberRemovals.percent}% (the default)`,
	...Object.fromEntries(powerLimits.map((limit) => [`limits.${limit}`, "0 (the default)"])),
	"limits.expiries": "they count (the default)",
};

function describeDrifted(threeWay: ThreeWay): readonly Entry[] {
	return groupByObject(threeWay.drifted).map((differences) => {
		const [first] = differences;
		const { what, after, message, fate } = first;
		const address = showAddress(first.address);
		if (what === "is-there") {
			const name = typeof after === "string" && after !== "" ? `${showName(after)} exists` : "exists";
			return { sign: fate === "reverted" ? "-" : "!", address, text: name, note: describeFate(first), lines: [] };
		}
		if (what === "not-there") return { sign: "!", address, text: "not found", note: describeFate(first), lines: [] };
		if (what === "problem") return { sign: "!", address, text: message ?? "", note: describeFate(first), lines: [] };
		const lines = differences.map((one) => describeDriftedLine(one, threeWay));
		const changes = differences.some((one) => one.fate === "reverted" || one.fate === "replaced") && what !== "field";
		return { sign: changes ? "~" : "!", address, text: "", note: "", lines };
	});
}

function describeDriftedLine(difference: DriftedDifference, names: ThreeWay): EntryLine {
	const { what, userId, field, before, after, fate } = difference;
	const note = describeFate(difference);
	// Both sides by their names, not by an arrow: which way it points depends on who reads it.
	if (userId === null) {
		const part = what === "renamed" ? "name" : (field ?? what);
		return { sign: null, text: `${part}: live ${showValue(after)}, base ${showValue(before)}`, note };
	}
	const sign = fate !== "reverted" ? null : what === "member-lost" ? "+" : "-";
	const text = `member ${showUser(userId, names)}`;
	if (what === "member-expired") return { sign, text, note: `expired ${describeTime(String(before))}; ${note}` };
	return { sign, text, note: `${what === "member-gained" ? "added" : "removed"} outside; ${note}` };
}

const fates: Readonly<Record<DriftedDifference["fate"], string>> = {
	reverted: "apply reverts it",
	accepted: "this change accepts it",
	replaced: "this change replaces it",
	remains: "stays: report-only",
	held: "stays: rejected; to submit it again: --retry-rejected",
};

function describeFate({ fate, what, basis }: DriftedDifference): string {
	const said = what === "problem" && fate === "remains" ? "still present" : fates[fate];
	const isMore = what === "is-there" || what === "member-gained" || what === "member-expired";
	const removes = isMore && fate === "reverted";
	const text = removes ? "apply removes it" : said;
	return basis === "last-applied" ? `${text}; last applied, not live` : text;
}

/**
 * Returns what apply would revert as a sentence in parts: words of orgsync and escaped names in turn, words first. Each
 * format marks the names in its own way.
 */
export function describeReverted(reverted: PlannedDifference, names: ThreeWay): readonly string[] {
	const { address, what, userId, before, after, basis } = reverted;
	const doubt = basis === "last-applied" ? [" (last applied, not live)"] : [];
	const user = userId === null ? "" : showUser(userId, names);
	if (what === "rename") {
		const [from, to] = showRename(before ?? "", after ?? "");
		return ["renames the tag back from ", from, " to ", to];
	}
	if (what === "add-member") return ["gives the tag back to ", user, ...doubt];
	if (what === "remove-member") return ["takes the tag back from ", user, ...doubt];
	const kind = parseAddress(address)?.kind;
	const removes = `removes the ${kind === undefined ? "object" : kindOf(kind).words[0]} again`;
	return before === null || before === "" ? [removes] : [`${removes}: `, showName(clipMiddle(before))];
}

/** Returns the sign of what apply would do to revert it. */
export function signOfReverted({ what }: PlannedDifference): Sign {
	return what === "rename" ? "~" : what === "add-member" ? "+" : "-";
}

/** Returns the same as one escaped text, after the address. */
export function showReverted(reverted: PlannedDifference, names: ThreeWay): string {
	return `${showAddress(reverted.address)}  ${describeReverted(reverted, names).map(showText).join("")}`;
}

/** Returns a sentence for the verdict, with a space before it; empty when apply would revert nothing. */
export function summarizeReverted(threeWay: ThreeWay | null | undefined, plan: Plan): string {
	const found = threeWay?.reverts.length ?? 0;
	// Apply does nothing in an organization that cannot converge.
	if (found === 0 || plan.problems.length > 0) return "";
	return ` Apply would revert ${count(found, "change made outside that this change does", "changes made outside that this change does")} not mention.`;
}

export interface Part {
	readonly title: string;
	readonly entries: readonly Entry[];
	/** What to show instead of entries where there is none. */
	readonly empty: string;
	/** What of this part is unknown, one line a reason. */
	readonly unread: readonly string[];
}

/** Returns what the change means, and what had drifted before it. */
export function partsOf(threeWay: ThreeWay): readonly [changed: Part, drifted: Part] {
	const { base, unread } = threeWay;
	const isNew = base.documentDigest === null;
	const inSync = unread.length > 0 ? "Nothing known." : "Nothing: the organization was in sync with the base.";
	return [
		{
			title: threeWayHeadings.documentChanges,
			entries: describeDocumentChanges(threeWay),
			empty: isNew ? "Nothing: neither document manages anything." : "Nothing: both documents are the same.",
			unread: [],
		},
		{
			title: threeWayHeadings.drifted,
			entries: describeDrifted(threeWay),
			empty: isNew ? "Nothing: the base does not have this organization." : inSync,
			unread: describeUnread(threeWay).map((line) => `unknown: ${line}`),
		},
	];
}

const nothingPlanned = "Nothing: the organization is in sync, as far as it could be read.";

/** Returns one sentence on what the plan holds, for a reader who finds the rest below. */
export function describePlanned({ reverts }: ThreeWay, { problems, changes, steps }: Plan): string {
	if (problems.length > 0) return "Nothing: the organization cannot converge.";
	if (changes.length === 0) return nothingPlanned;
	const { sent } = groupSteps(steps);
	const differ = `${count(changes.length, "object differs", "objects differ")}, ${count(sent.length, "activity", "activities")} to submit.`;
	return reverts.length === 0 ? differ : `${differ} Parts that revert drift are marked (${revertsDrift}).`;
}

/** Returns the escaped lines of an entry, for text and Markdown. */
export function renderEntry({ sign, address, text, note, lines }: Entry, style: Style): readonly string[] {
	const behind = (said: string): string => (said === "" ? "" : `  ${style.faint(`(${said})`)}`);
	return [
		`${markSign(sign, sign, style)} ${address}${text === "" ? "" : `  ${showText(text)}`}${behind(note)}`,
		...lines.map((line) => {
			const said =
				line.sign === null ? showText(line.text) : markSign(line.sign, `${line.sign} ${showText(line.text)}`, style);
			return `    ${said}${behind(line.note)}`;
		}),
	];
}

function markSign(sign: Sign, text: string, style: Style): string {
	return sign === "+" ? style.add(text) : sign === "-" ? style.remove(text) : style.update(text);
}

/** Returns the plan after the three parts, ending with a newline. */
export function renderThreeWay(plan: Plan, threeWay: ThreeWay, style: Style, summary: string): string {
	const { base } = threeWay;
	const reverted = threeWay.reverts.map((one) => {
		const sign = signOfReverted(one);
		return `${markSign(sign, sign, style)} ${showReverted(one, threeWay)}`;
	});
	const parts = partsOf(threeWay).flatMap(({ title, entries, empty, unread }) =>
		renderUnder(style.strong(`${title}:`), [
			...(entries.length === 0 ? [empty] : entries.flatMap((entry) => renderEntry(entry, style))),
			...unread.map((line) => style.warn(`? ${line}`)),
		]),
	);
	const isNew = base.documentDigest === null ? ", which does not have this organization" : "";
	const lead = [
		`Base: ${showName(base.name)}${isNew}`,
		...(hasFindings(threeWay) || plan.changes.length > 0 ? [style.faint(signsMean)] : []),
		"",
		...renderUnder(style.remove(`${aliasHeading}:`), describeMovedAliases(threeWay).map(showMovedAlias)),
		...renderUnder(style.warn(`${threeWayHeadings.reverts}:`), reverted),
		...parts,
		style.strong(`${threeWayHeadings.planned}:`),
		...(plan.changes.length === 0 && plan.problems.length === 0 ? [`  ${nothingPlanned}`] : []),
		"",
	];
	const more = `${summarizeAliases(threeWay)}${summarizeReverted(threeWay, plan)}`;
	return renderPlan(plan, style, `${summary}${more}`, lead, marksIn(plan, threeWay));
}

/** Returns the organizations that are only in the base, ending with a newline; empty without one. */
export function renderDropped(dropped: readonly ThreeWay[], style: Style): string {
	return renderUnder(style.warn(`${threeWayHeadings.dropped}:`), dropped.map(describeDropped)).join("\n");
}

/** Returns on one line what stays in an organization that is only in the base. */
export function describeDropped({ organizationId, base, documentChanges }: ThreeWay): string {
	const objects = documentChanges.filter(({ what }) => what in wholes).length;
	return `${showText(organizationId)}: in ${showName(base.name)} but in no document now; ${count(objects, "object stays", "objects stay")} as is, not compared`;
}

function keyOf({ address, tagId, what, userId, field }: DocumentChange): string {
	return JSON.stringify([address, tagId, what, userId, field]);
}

/** Returns the differences of each object, in their order. */
function groupByObject<T extends { readonly address: string; readonly tagId: string | null }>(
	differences: readonly T[],
): readonly (readonly [T, ...T[]])[] {
	const groups = Map.groupBy(differences, ({ address, tagId }) => JSON.stringify([address, tagId]));
	return [...groups.values()].flatMap(([first, ...others]) =>
		first === undefined ? [] : [[first, ...others] as const],
	) as (readonly [T, ...T[]])[];
}
