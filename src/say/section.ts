/**
 * A part of a page on one topic, before a format prints it. Every format shows the same sections in the same order with the same
 * rows, so that none can count differently.
 */
import { joinPhrases, type Phrase } from "./phrase.ts";
import type { DifferenceLine } from "./text-difference.ts";

/** How serious something is: the colour of a heading, a word or an annotation. */
export type Look = "plain" | "good" | "attention" | "bad";

/** What a row is about: added, removed, changed, only reported, dangerous, unknown. */
export type Sign = "+" | "-" | "~" | "!" | "!!" | "?";

/** A phrase below a row, or after it where a format has one line for each row. */
export interface Note {
	readonly look: Look;
	readonly said: Phrase;
}

export interface Place {
	readonly file: string;
	readonly line: number;
	readonly column: number;
	readonly code: string;
}

export interface Row {
	readonly sign?: Sign;
	/** A word that a format may show as a badge in front; the phrase is clear without it, unless it is a step: then what became of it, and why. */
	readonly badge?: { readonly word: string; readonly look: Look; readonly why?: Phrase };
	/** What kind of thing it is, where the phrase is only its name: a member. It follows the sign. */
	readonly noun?: readonly [one: string, many: string];
	readonly said: Phrase;
	/** What the phrase is in two states, each under its word: live and document, now and before. */
	readonly sides?: readonly { readonly word: string; readonly said: Phrase }[];
	/** What the phrase is in two states, line by line: a format may show them beside each other. */
	readonly difference?: readonly DifferenceLine[];
	/** Details that a format shows quietly after the phrase; a table in a terminal has no room for them. */
	readonly aside?: Phrase;
	/** Short remarks behind the phrase, in brackets or as badges. */
	readonly marks?: readonly Note[];
	/** What a format with room shows below the row. */
	readonly extra?: Phrase;
	/** Of a step: its id, what it is submitted with, and the ids of the steps before it. */
	readonly order?: { readonly id: string; readonly operation: string; readonly after: readonly string[] };
	readonly notes?: readonly Note[];
	/** Whether nothing is done about it now, although the plan shows it. */
	readonly isHeld?: boolean;
	/** Rows that belong to this one: the members of a tag, the parts of a step. */
	readonly rows?: readonly Row[];
	/** Addresses that the row is about: an annotation is shown at the first with a place in a document. */
	readonly about?: readonly string[];
	/** Of the objects of `about`, where the section is about several organizations. */
	readonly organizationId?: string;
	/** Where in a document the row is, and the code of what is wrong there: in front of the phrase, or the place of an annotation. */
	readonly at?: Place;
}

/** A table of rows × columns, for formats that have room for one; the rows of its section say the same. */
export interface Grid {
	/** What is in it, and what its rows are called when they are counted. */
	readonly label: string;
	readonly caption: string;
	readonly corner: string;
	readonly noun: "tags" | "powers";
	/** What the reader can search for; null where there is no need. */
	readonly find: string | null;
	readonly columns: readonly GridColumn[];
	readonly rows: readonly {
		readonly title: Phrase;
		/** The id or the code of what the row is about. */
		readonly hint: string;
		/** Behind the title: `+1`, and remarks in words. */
		readonly balance?: readonly { readonly text: string; readonly words?: string }[];
		readonly cells: readonly GridCell[];
	}[];
	readonly legend: readonly { readonly sign: string; readonly words: string; readonly look?: CellLook }[];
	/** How many columns were left out, because the table would be too large. */
	readonly leftOut: number;
	/** Above so many columns with changes it does not fit on paper, where the rows of the section replace it. */
	readonly maxOnPaper: number;
}

export interface GridColumn {
	readonly id: string;
	readonly name: string;
	readonly notes: readonly string[];
	/** Whether nothing changes in it. */
	readonly isQuiet: boolean;
}

/** `none` is an empty cell; `may…` may not be needed. */
export type CellLook = "gain" | "loss" | "mayGain" | "mayLose" | "same" | "unknown" | "none";

export interface GridCell {
	/** One character, or two with an arrow between them. */
	readonly sign: string;
	/** The same in words, for a screen reader; empty where the cell is. */
	readonly words: string;
	readonly look: CellLook;
}

/**
 * What a format leaves out first when not all fits. `never` is what a reader must see; `whole` is never cut or folded where there
 * is room, and comes next.
 */
export type Shortening = "never" | "whole" | "last" | "later" | "early" | "first";

export interface Section {
	/** Names the section for links and tests; the same in every format. */
	readonly id: string;
	/** Null where the rows need none: the changes of a plan. */
	readonly title: string | null;
	readonly look: Look;
	/** What its rows are called when they are counted. */
	readonly noun: readonly [one: string, many: string];
	/** A sentence above the rows. */
	readonly lead?: Phrase;
	readonly rows: readonly Row[];
	/** Rows that matter less: a format that can fold shows them under this title. */
	readonly rest?: { readonly title: string; readonly rows: readonly Row[] };
	/** How many there are, where that is not the number of rows. */
	readonly number?: number;
	/** Sentences below the rows. */
	readonly foot?: readonly Phrase[];
	/**
	 * Rows with signs that compare two states are `differences`, and `sentences` where each is a whole one. Rows in an order of
	 * time are `steps`. Rows of a `table` are its first column, and have the second in their own rows. A `list` when left out.
	 */
	readonly form?: "list" | "differences" | "sentences" | "steps" | "table";
	/** What the columns of a table are called. */
	readonly columns?: readonly [first: string, second: string];
	/** Made only by a format that has room for it; null where there is none after all. */
	readonly grid?: () => Grid | null;
	readonly shorten: Shortening;
	/** Whether a format that can fold shows only the title and the number until its reader opens it. */
	readonly isFolded?: boolean;
}

const bad = { look: "bad" } as const;
const attention = { look: "attention" } as const;
const good = { look: "good" } as const;
const whole = { shorten: "whole" } as const;
const last = { shorten: "last" } as const;
const later = { shorten: "later" } as const;
const early = { shorten: "early" } as const;
const first = { shorten: "first" } as const;
const differences = { form: "differences" } as const;
const sentences = { form: "sentences" } as const;
const steps = { form: "steps" } as const;
const folded = { isFolded: true } as const;

/** A title, what rows are called when they are counted, with `s` for many, and what else is so of each such section. */
type SectionHead = readonly [title: string | null, noun: string | Section["noun"], ...traits: Partial<Section>[]];

/** Every section by its id. What depends on a result, its maker says. */
const heads = {
	// Of a run, and of what ended it.
	error: ["What is wrong", "problem", bad],
	stale: ["Changed since it was planned", "changed object", bad],
	unplanned: [
		"Organizations that could not be read",
		["organization that could not be read", "organizations that could not be read"],
		bad,
	],
	"saved-plan": [null, "saved plan", sentences],
	overrides: ["Overrides used", ["override used", "overrides used"], attention],
	idle: ["Nothing to decide", "organization", first, folded],
	dropped: ["No longer in any document", "organization", attention, last],
	// What a reader has to decide or to mend.
	problems: ["This organization cannot converge", "problem", bad],
	stopped: ["Why it stopped", "error", bad],
	"denied-steps": ["Would be denied", ["step that would be denied", "steps that would be denied"], bad],
	guards: [null, "guard", bad],
	"guards-that-warn": ["Guards that warn", ["guard that warns", "guards that warn"], attention, last],
	"guards-that-pass": ["Guards that pass", ["guard that passes", "guards that pass"], first, folded],
	"cases-broken": ["Access cases that do not hold after this plan", "access case", bad],
	"cases-gone": ["Access cases that this change deletes or changes", "access case", attention],
	"cases-failing": ["Access cases that do not hold, before and after", "access case", attention],
	"cases-passing": ["Access cases that hold", "access case", good, first, folded],
	impact: [null, ["change of who can do what", "changes of who can do what"]],
	assumptions: [
		"Assumed, not documented",
		["assumption, not documented", "assumptions, not documented"],
		first,
		folded,
	],
	"broken-rules": ["Broken rules", "broken rule", bad],
	warnings: ["Warnings", "warning", attention, last],
	unknown: ["Could not be read", "unknown", attention, early],
	unread: ["Could not be read", "unknown", attention],
	// What differs, and what else touches it.
	"left-policies": [
		"Policies that left the document and stay live",
		["policy that left the document", "policies that left the document"],
		attention,
		whole,
	],
	"moved-aliases": [
		"Aliases that now mean another user",
		["alias that now means another user", "aliases that now mean other users"],
		attention,
		whole,
	],
	reverts: [
		"Apply would revert, though this change does not mention it",
		["change made outside that apply would revert", "changes made outside that apply would revert"],
		attention,
		whole,
		differences,
	],
	"document-changes": ["This change (base \u2192 head)", "difference", early, differences],
	"drifted-before": ["Drift before this change (base \u2192 live)", "difference", early, differences],
	planned: ["What apply will do (head \u2192 live)", "difference", early, differences],
	drifted: ["Drifted", ["drift", "drift"], attention, differences],
	"drift-pending": ["Fixed by a pending activity", ["drift, pending", "pending drift"], later, differences],
	"drift-unknown": ["Unknown", ["drift, unknown", "unknown drift"], attention, early, differences],
	"new-credentials": ["New credentials since the last report", "new credential", attention, differences],
	resolved: ["Resolved since the last report", ["resolved", "resolved differences"], later],
	"not-checked": [
		"Not checked in this run, from the last report",
		["not checked", "objects not checked"],
		attention,
		later,
	],
	changes: [null, "change", early, differences],
	removals: ["Removals", "removal", whole, differences],
	"memberships-lost": ["Memberships lost", "lost membership", whole, differences],
	policies: ["Policies", "change", differences],
	matrix: [null, "user tag"],
	"user-tags": ["User tags", "change", differences],
	"report-only": ["Report-only differences", "change", attention, differences],
	approvals: ["Approvals", ["forecast of an approval", "forecasts of approvals"], attention, later],
	"pending-activities": ["Pending activities", ["pending activity", "pending activities"], attention, later],
	"in-doubt": ["Requests in doubt", ["request in doubt", "requests in doubt"], attention, later],
	"rejected-before": ["Rejected activities", ["rejected activity", "rejected activities"], attention, later],
	"other-pending": [
		"Other pending activities",
		["other pending activity", "other pending activities"],
		attention,
		later,
	],
	"access-with-an-end": ["Access with an end", ["access with an end", "accesses with an end"], early],
	unmanaged: ["Unmanaged user tags, which apply does not touch", "unmanaged user tag", first, folded],
	// Steps, and what became of them.
	steps: [null, "step", steps],
	results: [null, "step", steps],
	"not-completed": ["Not completed", ["step that did not complete", "steps that did not complete"], bad, steps],
	"completed-steps": ["Completed steps", "step", first, steps, folded],
	"planned-steps": ["Steps, in order", "step", first, steps, folded],
	"wrong-forecasts": ["Wrong forecasts", "wrong forecast", later],
	"still-different": [
		"Still different after the last step (changed elsewhere)",
		["still different", "differences"],
		bad,
	],
	"not-verified": ["Not verified after the last step", ["not verified", "warnings"], attention],
	// Of commands that make no plan.
	lines: [null, "line"],
	valid: [null, "organization"],
	status: [null, ["activity", "activities"]],
	"policy-history": [null, "event"],
	vote: [null, ["activity", "activities"]],
	votes: [null, ["activity", "activities"], steps],
	missing: ["Steps of the saved plan without an activity", "step", attention],
	unlisted: ["There may be other activities", ["activity", "activities"], attention],
	powers: [null, "power", last],
	"powers-warnings": ["Warnings", "warning", attention],
	"powers-policies": [null, ["policy", "policies"], last],
	why: [null, "reason", last],
	"cases-failed": ["Failed", "case", bad],
	"cases-unknown": ["Could not be judged", "case", attention],
	"cases-passed": ["Passed", "case", good, first],
	"cases-uncovered": ["No case would notice without", ["policy or clause", "policies and clauses"], attention],
	"lint-error": ["Errors", "error", bad],
	"lint-warning": ["Warnings", "warning", attention],
	"lint-note": ["Notes", "note"],
	"lint-not-compared": ["Not compared", "note"],
	credentials: [null, "user", last],
	sessions: ["Login sessions", "user", first],
	"unmanaged-organizations": ["Unmanaged", "organization", attention, last],
	elsewhere: ["In documents, but no sub-organizations of it", "organization", later],
	incomplete: [null, "organization", attention],
} as const satisfies Readonly<Record<string, SectionHead>>;

/** Returns the section of this id with these rows; plain and never shortened, where neither its head nor `more` says otherwise. */
export function section(id: keyof typeof heads, rows: readonly Row[], more: Partial<Section> = {}): Section {
	const [title, noun, ...traits]: SectionHead = heads[id];
	const named = typeof noun === "string" ? ([noun, `${noun}s`] as const) : noun;
	const own: Partial<Section> = Object.assign({}, ...traits, more);
	return { id, title, look: "plain", noun: named, shorten: "never", rows, ...own };
}

/** Returns the section with one row for each item: the row that `say` returns, or a row of its phrase. */
export function listed<T>(
	id: keyof typeof heads,
	items: readonly T[],
	say: (item: T) => Row | Phrase,
	more: Partial<Section> = {},
): Section {
	const rows = items.map((item) => {
		const said = say(item);
		return "said" in said ? said : { said };
	});
	return section(id, rows, more);
}

/** Returns the phrases as notes; null and empty ones are left out. */
export function notesOf(look: Look, ...said: readonly (Phrase | null)[]): readonly Note[] {
	return said.flatMap((one) => (one === null || one.length === 0 ? [] : [{ look, said: one }]));
}

/** Returns a row with its sides and lines that differ as one line: `condition: - old + new`. */
export function inOneLine({ difference = [], ...row }: Row): Phrase {
	const lines = difference.filter(({ sign }) => sign !== " ").flatMap(({ sign, said }) => [` ${sign} `, ...said]);
	return [...withSides(row), ...(lines.length === 0 ? [] : [":", ...lines])];
}

/** Returns the phrase with its sides on one line: `threshold: live 2, document 3`. */
function withSides({ said, sides = [] }: Pick<Row, "said" | "sides">): Phrase {
	const all = sides.map((side): Phrase => [`${side.word} `, ...side.said]);
	return all.length === 0 ? said : [...said, ": ", ...joinPhrases(all, ", ")];
}

/** Returns what a row says, after its place in a document. */
export function withPlace({ said, at, sides }: Pick<Row, "said" | "at" | "sides">): Phrase {
	const place: Phrase = at === undefined ? [] : [{ kind: "id", text: `${at.file}:${at.line}:${at.column}` }, ": "];
	return [...place, ...withSides({ said, ...(sides === undefined ? {} : { sides }) })];
}

/** Whether more rows than `max` may be left out or folded. */
export function isLong({ rows, shorten }: Section, max: number): boolean {
	return shorten !== "never" && shorten !== "whole" && rows.length > max;
}

/** Whether an empty line separates its rows: each has several lines. */
export function isSpaced({ form, title, rows }: Section): boolean {
	return form === "differences" && (title === null || rows.every(({ notes = [] }) => notes.length > 0));
}

/** Whether there is anything to show of it. */
export function hasContent({ rows, rest, lead, grid, foot = [] }: Section): boolean {
	return (
		grid !== undefined || rows.length > 0 || (rest?.rows ?? []).length > 0 || lead !== undefined || foot.length > 0
	);
}
