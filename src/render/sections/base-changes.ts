/** What a change of the documents means, and what had drifted before it, as rows: one for each object. */

import { clipMiddle, showAddress, showName, showRename, showText, showValue } from "../../common/escape.ts";
import { groupBy } from "../../common/group-by.ts";
import { isRecord } from "../../common/json.ts";
import { parseAddress } from "../../plan/address.ts";
import type { DocumentChange } from "../../plan/base/document-changes.ts";
import type { DriftedDifference, ThreeWay } from "../../plan/base/three-way.ts";
import { defaultMemberRemovals } from "../../plan/guards/guards.ts";
import { powerLimits } from "../../plan/organization.ts";
import { identifyUser } from "../../plan/user-labels.ts";
import { reassignedAliases } from "../../plan/users.ts";
import {
	code,
	identifier,
	joinPhrases,
	listOf,
	type Phrase,
	quote,
	reason,
	type Span,
	time,
	title,
} from "../../say/phrase.ts";
import { namePerson } from "../../say/powers.ts";
import { type Note, notesOf, type Row, type Sign } from "../../say/section.ts";
import { comparedRow, effectWord } from "./policy-changes.ts";
import { longestReason } from "./windows.ts";

/** Differences of an object as a whole. */
const wholes: Readonly<Partial<Record<DocumentChange["what"], readonly [sign: Sign, text: string]>>> = {
	managed: ["~", "is managed from now on"],
	unmanaged: ["~", "is no longer managed; apply leaves it unchanged"],
	absent: ["-", "must not exist from now on"],
	"not-absent": ["~", "may exist from now on; apply leaves it unchanged"],
	expected: ["!", "is expected from now on"],
	"not-expected": ["~", "is no longer expected"],
};

function wordsOf(whole: DocumentChange | undefined): readonly [sign: Sign, text: string] {
	if (whole?.what === "unmanaged" && whole.after === "removed") return ["-", "is no longer listed; apply removes it"];
	return wholes[whole?.what ?? "member"] ?? ["~", ""];
}

/** Returns the addresses of policies that left the document and that apply leaves as they are, unless they are known to be gone. */
export function leftPolicies({ documentChanges }: ThreeWay): readonly string[] {
	const left = documentChanges.filter(
		({ what, after }) => what === "unmanaged" && (after === "stays" || after === null),
	);
	return left.map(({ address }) => address).filter(isPolicy);
}

/** Returns how many objects the documents no longer have. */
export function countWholes({ documentChanges }: ThreeWay): number {
	return documentChanges.filter(({ what }) => what in wholes).length;
}

/** Returns the remarks in one pair of brackets; none where nothing is to be said. */
function remark(...parts: readonly Phrase[]): readonly Note[] {
	const said = parts.filter(({ length }) => length > 0);
	return notesOf("plain", joinPhrases(said, ", "));
}

/** Returns what the change of the documents means: the aliases that only one has, and each object. */
export function documentChangeRows(threeWay: ThreeWay): readonly Row[] {
	const already = new Set(threeWay.alreadyInSync.map(keyOf));
	const noteOn = (one: DocumentChange): Phrase => (already.has(keyOf(one)) ? ["already in place"] : []);
	const objects = groupBy(threeWay.documentChanges, objectOf).map((differences): Row => {
		const [{ address }] = differences;
		const whole = differences.find(({ what }) => what in wholes);
		const [sign, text] = wordsOf(whole);
		return {
			sign,
			said: [identifier(showAddress(address)), ...(text === "" ? [] : [`  ${text}`])],
			marks: whole === undefined ? [] : remark(noteOn(whole)),
			rows: differences
				.filter(({ what }) => !(what in wholes))
				.map((one) => meantRow(one, threeWay, noteOn(one), whole?.what === "managed")),
			about: [address],
		};
	});
	return [...otherAliases(threeWay), ...objects];
}

/** The aliases that only one of the documents has. */
function otherAliases(threeWay: ThreeWay): readonly Row[] {
	const moved = new Set(reassignedAliases(threeWay));
	const others = (threeWay.aliases ?? []).filter((one) => !moved.has(one));
	return others.map(({ alias, before, after }) => ({
		sign: "~",
		said: [
			identifier(`users.${showName(alias)}`),
			after === null ? "  is no longer an alias; it was " : "  is ",
			identifier(identifyUser(after ?? before ?? "", threeWay)),
		],
	}));
}

const modeWords: Readonly<Record<string, string>> = { exactly: "exactly these", atLeast: "at least these" };

const noun = ["member", "members"] as const;

/** Returns one difference of an object. `isNew` is whether the documents manage the object only from now on. */
function meantRow(change: DocumentChange, names: ThreeWay, already: Phrase, isNew: boolean): Row {
	const { what, userId, field, before, after, address } = change;
	const user: Span = userId === null ? title(showName(String(after ?? before))) : namePerson(userId, names);
	const row = (said: Phrase, note: Phrase = []): Row => ({ said, marks: remark(note, already) });
	const member = (sign: Sign, note: Phrase = []): Row => ({ ...row([user], note), sign, noun });
	const sides = (start: string, ...both: readonly (Phrase | string)[]): Row =>
		row([start, ...listOf(both, (side) => (typeof side === "string" ? identifier(side) : side), " -> ")]);
	switch (what) {
		case "renamed":
			return sides("name: ", ...showRename(String(before), String(after)).map((name) => [title(name)]));
		case "members-mode": {
			const [was, is] = [before, after].map((mode) => modeWords[String(mode)] ?? "not managed");
			return row([isNew ? `members: ${is}` : `members: ${was} -> ${is}`]);
		}
		case "member":
			return member("+", after === null ? [] : describeWindow(after));
		case "no-member":
			return after === "exactly" ? member("-") : row(["member ", user], ["no longer required"]);
		case "never":
			return member("-", ["never from now on"]);
		case "no-never":
			return row(["member ", user], ["no longer under never"]);
		case "window":
			return row(["window of ", user, ": ", ...joinPhrases([before, after].map(describeWindow), " -> ")]);
		case "protected":
			return row([user], ["protected from now on"]);
		case "unprotected":
			return row([user], ["no longer protected"]);
		case "exactly":
			return sides("", ...[before, after].map((value) => [describeComplete(value)]));
		case "limit": {
			const none = defaultLimits[address] ?? "no limit";
			return sides("", ...[before, after].map((value) => (value === null ? [none] : String(value))));
		}
		case "rule":
			return sides("", ...[before, after].map((value) => (value === null ? ["no rule"] : showName(String(value)))));
		default:
			return sides(
				`${showText(field ?? what)}: `,
				...(before === null ? [] : [showField(field, before)]),
				after === null ? ["not compared"] : showField(field, after),
			);
	}
}

/** Returns the value of a field as documents write it. */
function showField(field: string | null, value: unknown): string {
	return field === "effect" && typeof value === "string" ? showText(effectWord(value)) : showValue(value);
}

function describeComplete(except: unknown): string {
	if (!Array.isArray(except)) return "not complete";
	const names = except.map((name) => showName(String(name))).join(", ");
	return names === "" ? "complete" : `complete, except ${names}`;
}

/** Limits that hold where a document writes none, by address. */
const defaultLimits: Readonly<Record<string, string>> = {
	"limits.memberRemovals": `${defaultMemberRemovals.percent}% (the default)`,
	...Object.fromEntries(powerLimits.map((limit) => [`limits.${limit}`, "0 (the default)"])),
	accessTests: "not required (the default)",
	"limits.takeovers": "0, after the first apply (the default)",
	"limits.expiries": "expired access counts (the default)",
};

/** Returns a window; without one, the user always has the tag. A saved plan can have anything in its place. */
function describeWindow(value: unknown): Phrase {
	if (!isRecord(value)) return ["always"];
	const textOf = (key: string): string | null => {
		const text = value[key];
		return typeof text === "string" ? text : null;
	};
	const moment = (word: "from" | "until"): Phrase => {
		const [iso, written] = [textOf(word), textOf(`${word}Written`)];
		if (iso === null) return [];
		return [`${word} `, time(iso), ...(written === null ? [] : [" (written ", code(written), ")"])];
	};
	const why = textOf("reason");
	const moments = [moment("from"), moment("until")].filter(({ length }) => length > 0);
	return [...joinPhrases(moments, " "), ...(why === null ? [] : [", reason ", quote(why, longestReason)])];
}

/** Returns what had drifted from the base before the change. */
export function driftedRows(threeWay: ThreeWay): readonly Row[] {
	return groupBy(threeWay.drifted, objectOf).map((differences): Row => {
		const [first] = differences;
		const { what, after, message, fate } = first;
		const at = identifier(showAddress(first.address));
		const row = (sign: Sign, said: Phrase, more: Partial<Row>): Row => ({
			sign,
			said: [at, ...said],
			...more,
			about: [first.address],
		});
		const marks = remark([describeFate(first)]);
		if (what === "is-there") {
			const name = typeof after === "string" && after !== "" ? [title(showName(clipMiddle(after))), " "] : [];
			return row(fate === "reverted" ? "-" : "!", ["  ", ...name, "exists"], { marks });
		}
		if (what === "not-there") return row(fate === "reverted" ? "+" : "!", ["  not found"], { marks });
		if (what === "problem") return row("!", ["  ", reason(message ?? "")], { marks });
		const changes =
			differences.some((one) => one.fate === "reverted" || one.fate === "replaced") &&
			(what !== "field" || isPolicy(first.address));
		return row(changes ? "~" : "!", [], { rows: differences.map((one) => driftedRow(one, threeWay)) });
	});
}

const isPolicy = (address: string): boolean => parseAddress(address)?.kind === "policy";

function driftedRow(difference: DriftedDifference, names: ThreeWay): Row {
	const { what, userId, field, before, after, fate } = difference;
	const note = describeFate(difference);
	if (userId === null) {
		const said = what === "renamed" ? "name" : showText(field ?? what);
		const sides = { live: showField(field, after), base: showField(field, before) };
		return { ...comparedRow(said, sides), marks: remark([note]) };
	}
	const since: Phrase =
		what === "member-expired"
			? ["expired ", time(String(before))]
			: [what === "member-gained" ? "added outside" : "removed outside"];
	const [user, marks] = [namePerson(userId, names), remark([...since, `; ${note}`])];
	if (fate !== "reverted") return { said: ["member ", user], marks };
	return { sign: what === "member-lost" ? "+" : "-", noun, said: [user], marks };
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
	const text = isMore && fate === "reverted" ? "apply removes it" : said;
	return basis === "last-applied" ? `${text}; last applied, not live` : text;
}

function keyOf({ address, tagId, what, userId, field }: DocumentChange): string {
	return JSON.stringify([address, tagId, what, userId, field]);
}

/** An object: two tags may have the same address. */
function objectOf({ address, tagId }: Pick<DocumentChange, "address" | "tagId">): string {
	return JSON.stringify([address, tagId]);
}
