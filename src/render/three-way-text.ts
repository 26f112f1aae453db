/**
 * The three-way plan in words: what every format says of it, and the whole as text. An entry is one object with what is
 * said of it; how that looks is each format's own.
 */

import { clipMiddle, showAddress, showName, showRename, showText, showValue } from "../escape.ts";
import type { DocumentChange } from "../plan/document-changes.ts";
import { defaultMemberRemovals } from "../plan/guards.ts";
import type { Plan } from "../plan/plan.ts";
import { type DriftedDifference, hasFindings, type PlannedDifference, type ThreeWay } from "../plan/three-way.ts";
import { showUser } from "../plan/user-labels.ts";
import { count, describeUnread, type NoteOf, renderPlan, type Style, signsMean } from "./text.ts";
import {
	aliasHeading,
	describeMovedAliases,
	describeOtherAliases,
	showMovedAlias,
	summarizeAliases,
} from "./three-way-aliases.ts";

/** Headings of the three parts, and of what stands above them, the same in every format. */
export const threeWayHeadings = {
	reverts: "Apply would revert, though this change does not mention it",
	documentChanges: "This change (base \u2192 head)",
	drifted: "Drift before this change (base \u2192 live)",
	planned: "What apply will do (head \u2192 live)",
	dropped: "No longer in any document",
} as const;

/** What is said of a planned line that puts drift back. */
export const revertsDrift = "reverts drift";

/** What apply would do: add, remove, change, or leave as it is (`signsMean`). */
export type Sign = "+" | "-" | "~" | "!";

/** One thing that is said of an object; `sign` is null where apply neither adds nor removes. Names in it are shown already. */
export interface EntryLine {
	readonly sign: Sign | null;
	readonly text: string;
	/** What becomes of it, or why; empty for nothing. */
	readonly note: string;
}

export interface Entry {
	readonly sign: Sign;
	/** As it is shown. */
	readonly address: string;
	/** Of the object itself; empty for nothing. */
	readonly text: string;
	readonly note: string;
	readonly lines: readonly EntryLine[];
}

/** What the change of the document means, an entry an object. */
export function describeDocumentChanges(threeWay: ThreeWay): readonly Entry[] {
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

/** Differences that are said of the object as a whole. */
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
	if (what === "member") return line("+", `member ${user}`);
	if (what === "no-member")
		return after === "exactly" ? line("-", `member ${user}`) : line(null, `member ${user}`, "no longer required");
	if (what === "never") return line("-", `member ${user}`, "never from now on");
	if (what === "no-never") return line(null, `member ${user}`, "no longer under never");
	if (what === "protected")
		return line(null, userId === null ? showName(String(after)) : user, "protected from now on");
	if (what === "unprotected")
		return line(null, userId === null ? showName(String(before)) : user, "no longer protected");
	if (what === "limit") {
		const none = address === "limits.memberRemovals" ? `${defaultMemberRemovals.percent}% (the default)` : "no limit";
		return line(null, `${String(before ?? none)} -> ${String(after ?? none)}`);
	}
	const was = before === null ? "" : `${showValue(before)} -> `;
	return line(null, `${field ?? what}: ${was}${after === null ? "not compared" : showValue(after)}`);
}

/** What was not as the base document said, an entry an object, each with what becomes of it. */
export function describeDrifted(threeWay: ThreeWay): readonly Entry[] {
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
	const isGained = what === "member-gained";
	const sign = fate !== "reverted" ? null : isGained ? "-" : "+";
	const text = `member ${showUser(userId, names)}`;
	return { sign, text, note: `${isGained ? "added" : "removed"} outside; ${note}` };
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
	const removes = (what === "is-there" || what === "member-gained") && fate === "reverted";
	const told = removes ? "apply removes it" : said;
	return basis === "last-applied" ? `${told}; last applied, not live` : told;
}

/**
 * What apply would undo, in words behind the address: our own words and names of others in turn, words first. Names are
 * shown already; each format marks them in its own way.
 */
export function describeReverted(reverted: PlannedDifference, names: ThreeWay): readonly string[] {
	const { what, userId, before, after, basis } = reverted;
	const doubt = basis === "last-applied" ? [" (last applied, not live)"] : [];
	const user = userId === null ? "" : showUser(userId, names);
	if (what === "rename") {
		const [from, to] = showRename(before ?? "", after ?? "");
		return ["renames it back from ", from, " to ", to];
	}
	if (what === "add-member") return ["gives it back to ", user, ...doubt];
	if (what === "remove-member") return ["takes it back from ", user, ...doubt];
	return before === null || before === "" ? ["removes it again"] : ["removes it again: ", showName(clipMiddle(before))];
}

/** The sign of what apply would undo: as always what it does now, not what was done before. */
export function signOfUndone({ what }: PlannedDifference): Sign {
	return what === "rename" ? "~" : what === "add-member" ? "+" : "-";
}

/** The same as one text, escaped. */
export function showReverted(reverted: PlannedDifference, names: ThreeWay): string {
	return `${showAddress(reverted.address)}  ${describeReverted(reverted, names).map(showText).join("")}`;
}

/** One sentence for the verdict, with a space before it; empty when nothing would be reverted. */
export function summarizeReverted(threeWay: ThreeWay | null | undefined, plan: Plan): string {
	const found = threeWay?.reverts.length ?? 0;
	// Where the plan is impossible apply would do nothing at all.
	if (found === 0 || plan.problems.length > 0) return "";
	return ` Apply would revert ${count(found, "change made outside that this change does", "changes made outside that this change does")} not mention.`;
}

/** Whether a part of a change puts drift back; of no change where there is no base. */
export function markUndone(threeWay: ThreeWay | null | undefined): (...part: Parameters<NoteOf>) => boolean {
	const key = (address: string, what: string, userId: string | null): string => JSON.stringify([address, what, userId]);
	const reverted = new Set((threeWay?.reverts ?? []).map(({ address, what, userId }) => key(address, what, userId)));
	return ({ address }, what, userId) => reverted.has(key(address, what, userId));
}

/** The note that stands behind such a part. */
export function noteUndone(threeWay: ThreeWay | null | undefined, style: Style): NoteOf {
	const isReverted = markUndone(threeWay);
	return (...part) => (isReverted(...part) ? style.warn(`  (${revertsDrift})`) : "");
}

/** What stands where one of the three parts is empty. */
export function describeEmptyPart(part: "documentChanges" | "drifted" | "planned", { base, unread }: ThreeWay): string {
	const isNew = base.documentDigest === null;
	if (part === "documentChanges")
		return isNew ? "Nothing: neither document manages anything." : "Nothing: both documents are the same.";
	if (part === "planned") return "Nothing: the organization is in sync, as far as it could be read.";
	if (isNew) return "Nothing: the base does not have this organization.";
	return unread.length > 0 ? "Nothing known." : "Nothing: the organization was in sync with the base.";
}

/** What is not known of drift, one line a reason. */
export function describeUnreadDrift({ unread }: ThreeWay): readonly string[] {
	return describeUnread({ unread }).map((line) => `unknown: ${line}`);
}

/** The entry in lines, as text and Markdown have them; escaped. */
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

/** The plan with the three parts told apart; ends with a newline. */
export function renderThreeWay(plan: Plan, threeWay: ThreeWay, style: Style, summary: string): string {
	const { base } = threeWay;
	const part = (
		which: "documentChanges" | "drifted",
		entries: readonly Entry[],
		more: readonly string[] = [],
	): string[] => {
		const shown = [
			...entries.flatMap((entry) => renderEntry(entry, style)),
			...more.map((line) => style.warn(`! ${line}`)),
		];
		const lines = entries.length === 0 ? [describeEmptyPart(which, threeWay), ...shown] : shown;
		return [style.strong(`${threeWayHeadings[which]}:`), ...lines.map((line) => `  ${line}`), ""];
	};
	const reverted = threeWay.reverts.map((one) => {
		const sign = signOfUndone(one);
		return `  ${markSign(sign, sign, style)} ${showReverted(one, threeWay)}`;
	});
	const moved = describeMovedAliases(threeWay).map((one) => `  ${showMovedAlias(one)}`);
	const isNew = base.documentDigest === null ? ", which does not have this organization" : "";
	const lead = [
		`Base: ${showName(base.name)}${isNew}`,
		...(hasFindings(threeWay) || plan.changes.length > 0 ? [style.faint(signsMean)] : []),
		"",
		...(moved.length === 0 ? [] : [style.remove(`${aliasHeading}:`), ...moved, ""]),
		...(reverted.length === 0 ? [] : [style.warn(`${threeWayHeadings.reverts}:`), ...reverted, ""]),
		...part("documentChanges", describeDocumentChanges(threeWay)),
		...part("drifted", describeDrifted(threeWay), describeUnreadDrift(threeWay)),
		style.strong(`${threeWayHeadings.planned}:`),
		...(plan.changes.length === 0 && plan.problems.length === 0 ? [`  ${describeEmptyPart("planned", threeWay)}`] : []),
		"",
	];
	const more = `${summarizeAliases(threeWay)}${summarizeReverted(threeWay, plan)}`;
	return renderPlan(plan, style, `${summary}${more}`, lead, noteUndone(threeWay, style));
}

/** The organizations that only the base speaks of; ends with a newline. */
export function renderDropped(dropped: readonly ThreeWay[], style: Style): string {
	return [style.warn(`${threeWayHeadings.dropped}:`), ...dropped.map((one) => `  ${describeDropped(one)}`), ""].join(
		"\n",
	);
}

/** What is left alone in an organization that only the base speaks of, on one line. */
export function describeDropped({ organizationId, base, documentChanges }: ThreeWay): string {
	const objects = documentChanges.filter(({ what }) => what in wholes).length;
	return `${showText(organizationId)}: in ${showName(base.name)} but in no document now; ${count(objects, "object stays", "objects stay")} as is, not compared`;
}

function keyOf({ address, tagId, what, userId, field }: DocumentChange): string {
	return JSON.stringify([address, tagId, what, userId, field]);
}

/** The differences of each object, in their order. */
function groupByObject<T extends { readonly address: string; readonly tagId: string | null }>(
	differences: readonly T[],
): readonly (readonly [T, ...T[]])[] {
	const groups = Map.groupBy(differences, ({ address, tagId }) => JSON.stringify([address, tagId]));
	return [...groups.values()].flatMap(([first, ...others]) =>
		first === undefined ? [] : [[first, ...others] as const],
	) as (readonly [T, ...T[]])[];
}
