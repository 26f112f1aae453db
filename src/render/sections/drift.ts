/** What drifted, since when, by whom and what to do about it, and how it compares with the last report (docs/drift.md). */
import { showAddress, showName, showText } from "../../common/escape.ts";
import { printScope } from "../../plan/address.ts";
import type { Attribution } from "../../plan/drift/attribution.ts";
import type { Finding, OrganizationDrift } from "../../plan/drift/drift.ts";
import { readOnlyKinds } from "../../plan/kinds/index.ts";
import type { Plan } from "../../plan/plan.ts";
import { namesForSaid } from "../../plan/user-labels.ts";
import type { UserNames } from "../../plan/users.ts";
import { kindOfType } from "../../policy/activities/types.ts";
import { count, counted } from "../../say/count.ts";
import { code, identifier, listSome, type Phrase, reason } from "../../say/phrase.ts";
import { namePerson } from "../../say/powers.ts";
import { sayReason } from "../../say/reason.ts";
import { brokenText } from "../../say/rules.ts";
import { listed, notesOf, type Row, type Section, section } from "../../say/section.ts";
import { sayTodo } from "../../say/todo.ts";
import { type Verdict, verdictOf, withSentences } from "../../say/verdict.ts";
import { formatDuration } from "../duration.ts";
import { changeRow } from "./changes.ts";
import { credentialWords } from "./credentials.ts";
import { butBlocked, describeInSync, needsSigns, signsMean, summarizeCure } from "./verdict.ts";
import { summarizeExpiries } from "./windows.ts";

/**
 * Returns the sections of a report on drift, new drift first: what was found, what a pending activity fixes, what is unknown, and
 * of the last report what no longer differs, and what this run did not check.
 */
export function driftSections(drift: OrganizationDrift, plan: Plan): readonly Section[] {
	const kept = drift.findings.filter((finding) => !isSeen(finding));
	const why = sayUnattributed(drift, plan);
	const rowsOf = (findings: readonly Finding[]): readonly Row[] =>
		newFirst(findings.filter(isSeen)).map((finding) => findingRow(finding, drift, plan));
	const now: readonly Section[] = [
		section("drifted", rowsOf(drift.findings), { foot: why === null ? [] : [why] }),
		section("drift-pending", rowsOf(drift.waiting)),
		section("drift-unknown", unknownRows(drift, plan)),
	];
	// A reader could take the first signs for earlier changes.
	const first = needsSigns(plan) ? now.find(({ rows }) => rows.length > 0) : undefined;
	return [
		...now.map((one) => (one === first ? { ...one, lead: [signsMean] } : one)),
		newCredentialsSection(drift, plan),
		listed("resolved", drift.gone, (gone) => {
			const since: Phrase = [` for ${formatDuration(gone.firstSeenAt, gone.goneAt)}`, ...firstSeen(", ", gone)];
			return keptRow(gone, since);
		}),
		listed("not-checked", kept, (finding) => keptRow(finding, lastSeen("; ", finding))),
	];
}

/** More groups than this are counted. */
const maxGroups = 4;

function newCredentialsSection({ credentials }: OrganizationDrift, plan: Plan): Section {
	const added = credentials?.added ?? [];
	const rows = added.map(({ userId, kind, id, name, escalation, by }): Row => {
		const who = namePerson(userId, plan);
		const can = (groups: readonly string[], how: string): Phrase | null =>
			groups.length === 0 ? null : [`its holder can do ${how}: `, ...listSome(groups, code, maxGroups)];
		return {
			sign: escalation === null ? "+" : "!!",
			said: [
				`${credentialWords[kind]} `,
				code(name || id),
				" of ",
				who,
				...(escalation === null ? [] : [", who is protected"]),
			],
			notes: notesOf(
				"plain",
				by === null ? [noActivity] : sayAttribution(by, plan, "made"),
				can(escalation?.alone ?? [], "alone"),
				can(escalation?.together ?? [], "with others"),
			),
		};
	});
	return section("new-credentials", rows, added.some(({ escalation }) => escalation !== null) ? { look: "bad" } : {});
}

/** Whether this run looked at the object: the others are of the last report. */
function isSeen({ state }: Finding): boolean {
	return state !== "not-looked-at";
}

function newFirst(findings: readonly Finding[]): readonly Finding[] {
	const isOld = ({ state }: Finding): number => (state === "new" ? 0 : 1);
	return findings.toSorted((left, right) => isOld(left) - isOld(right));
}

function findingRow(finding: Finding, drift: OrganizationDrift, plan: Plan): Row {
	const { address, state } = finding;
	const change = plan.changes.find((one) => one.address === address);
	const row: Row =
		change === undefined
			? { sign: "!", said: [identifier(showAddress(address)), "  ", ...sayDifference(finding)], about: [address] }
			: changeRow(change, plan);
	const word = state === "new" && drift.comparedWith === null ? null : stateWords[state];
	const todo: Phrase = ["to do: ", ...sayTodo(finding.todo)];
	return {
		...row,
		...(word === null ? {} : { badge: { word, look: state === "new" ? "bad" : "attention" } }),
		notes: [...(row.notes ?? []), ...notesOf("plain", saySince(finding, drift), sayActor(finding, drift, plan), todo)],
	};
}

/** Returns what could not be read, each with the change that apply would make although it may be needless. */
function unknownRows({ unread, findings, waiting }: OrganizationDrift, plan: Plan): readonly Row[] {
	const found = new Set<string>([...findings, ...waiting].map(({ address }) => address));
	return unread.map((one): Row => {
		const scope = printScope(one);
		const change = found.has(scope) ? undefined : plan.changes.find(({ address }) => address === scope);
		if (change === undefined)
			return {
				sign: "?",
				said: [identifier(showAddress(scope)), "  ", ...sayReason(one.because, plan)],
				about: [scope],
			};
		const row = changeRow(change, plan);
		return { ...row, notes: [...(row.notes ?? []), ...notesOf("attention", sayReason(one.because, plan))] };
	});
}

function keptRow(finding: Parameters<typeof sayDifference>[0] & Pick<Finding, "address">, since: Phrase): Row {
	const { address } = finding;
	return { said: [identifier(showAddress(address)), ": ", ...sayDifference(finding), ...since], about: [address] };
}

const words: ReadonlyMap<string, string> = new Map([
	["name-differs", "name differs"],
	["members-differ", "members differ"],
	["name-and-members-differ", "name and members differ"],
	["is-there", "exists"],
	["differs", "differs"],
	["not-there", "not found"],
	["tag-not-there", "not found"],
	["tag-ambiguous", "matches two tags"],
	["duplicate-tag", "matched by two entries"],
	["tag-name-taken", "name already taken"],
	["policy-not-there", "not found"],
	["policy-ambiguous", "matches two policies"],
	["duplicate-policy", "matched by two entries"],
	["policy-name-taken", "name already taken"],
	["policy-absent", "stated, and under absent"],
	["tag-absent", "listed, and under absent"],
	["rule-broken", "rule broken"],
	["access-expired", "access expired"],
]);

function sayDifference({ what, message }: Pick<Finding, "what" | "message">): Phrase {
	const said = words.get(what) ?? reason(what);
	return message === undefined ? [said] : [said, ": ", reason(brokenText(message))];
}

const stateWords: Readonly<Record<Finding["state"], string>> = {
	new: "new",
	"still-there": "from before",
	changed: "changed",
	"not-looked-at": "not checked",
};

/** Returns whether it is new, or how long it has drifted; null without an earlier report. */
export function saySince(finding: Finding, { comparedWith }: OrganizationDrift): Phrase | null {
	const { state, firstSeenAt, lastSeenAt } = finding;
	if (state === "not-looked-at") return ["not checked in this run", ...lastSeen("; ", finding)];
	if (state === "new") return comparedWith === null ? null : ["new since the last report"];
	const changed = state === "changed" ? ", and changed since the last report" : "";
	return [`drifted for ${formatDuration(firstSeenAt, lastSeenAt)} (since ${showText(firstSeenAt)})${changed}`];
}

type Seen = Pick<Finding, "firstSeenAt" | "lastSeenAt">;

function firstSeen(joint: string, { firstSeenAt }: Seen): Phrase {
	return [`${joint}first seen ${showText(firstSeenAt)}`];
}

function lastSeen(joint: string, seen: Seen): Phrase {
	return [...firstSeen(joint, seen), `, last seen ${showText(seen.lastSeenAt)}`];
}

const noActivity = "no listed activity explains it";

/** Returns who last changed it; null where that is unknown for every finding, or cannot be known for this one. */
function sayActor(finding: Finding, { findings }: OrganizationDrift, names: UserNames): Phrase | null {
	if (finding.by !== null) return sayAttribution(finding.by, names);
	const isNamed = findings.some((one) => isSeen(one) && one.by !== null);
	return isNamed && isSeen(finding) && findings.includes(finding) && isAttributable(finding) ? [noActivity] : null;
}

/** Returns why no finding has an actor; null where one has, nothing differs, or the run did not look for actors. */
function sayUnattributed({ findings, unattributed }: OrganizationDrift, { reads }: Plan): Phrase | null {
	const seen = findings.filter(isSeen);
	if (seen.length === 0 || seen.some(({ by }) => by !== null)) return null;
	if (unattributed !== null) return ["It is unknown who changed it: ", reason(unattributed)];
	return reads === "auto" && seen.some(isAttributable) ? [`It is unknown who changed it: ${noActivity}`] : null;
}

/** Whether activities can explain it: no rule, no kind that no activity is about, no expiry, nor a tag that does not exist. */
function isAttributable({ kind, what }: Finding): boolean {
	if (what === "access-expired") return false;
	const hasActivities = !readOnlyKinds.some(({ name, activities }) => name === kind && activities === null);
	return kind !== "rule" && hasActivities && !/^(?:tag|policy)-/.test(what);
}

function sayAttribution(by: Attribution, names: UserNames, what = "last changed"): Phrase {
	const { activityId, type, at } = by;
	const operation = reason(showName(kindOfType(type).toLowerCase()));
	const when: Phrase = at === null ? [] : [", ", reason(showName(at))];
	const which: Phrase = [", activity ", identifier(showName(activityId))];
	return [`${what} by `, operation, " of ", ...sayWho(by, names), ...when, ...which];
}

/** Returns the user by what the plan knows and by what the activity itself says. */
function sayWho({ userId, userName, liveName }: Attribution, names: UserNames): Phrase {
	if (userId === null) return [userName === null ? "an unnamed user" : reason(showName(userName))];
	if (!Object.hasOwn(names.userNames, userId) && userName !== null)
		return [reason(showName(userName)), " (id ", identifier(showName(userId)), ")"];
	const said = liveName === undefined || liveName === null ? {} : { [userId]: liveName };
	return [namePerson(userId, namesForSaid(userId, names, said))];
}

/** What a report counts, of this run. */
function countFindings({ findings }: OrganizationDrift) {
	const seen = findings.filter(isSeen);
	const old = seen.filter(({ state }) => state !== "new");
	const [oldest] = old.toSorted((left, right) => Date.parse(left.firstSeenAt) - Date.parse(right.firstSeenAt));
	const broken = seen.filter(({ kind }) => kind === "rule").length;
	return {
		objects: seen.length - broken,
		broken,
		fresh: seen.length - old.length,
		old: old.length,
		oldest: oldest === undefined ? null : formatDuration(oldest.firstSeenAt, oldest.lastSeenAt),
		kept: findings.length - seen.length,
	};
}

/** A large figure above a page; `look` is its class. */
export type Figure = readonly [number: string, words: string, look: string];

export function driftFigures(drift: OrganizationDrift): readonly Figure[] {
	const { objects, broken, fresh, old, oldest } = countFindings(drift);
	const compared = drift.comparedWith !== null;
	const figures: readonly (readonly [number: number, words: string, look: string, isShown?: boolean])[] = [
		[broken, broken === 1 ? "rule broken" : "rules broken", "r"],
		[fresh, "new", "r", compared],
		[old, "from before", "w", compared],
		[drift.gone.length, "resolved", "a"],
		[drift.waiting.length, "pending", ""],
		[drift.unread.length, "unknown", "w"],
	];
	const shown = figures.flatMap(([number, said, look, isShown = true]): Figure[] => {
		if (number === 0 || !isShown) return [];
		const age: Figure[] = said === "from before" && oldest !== null ? [[oldest, "oldest", look]] : [];
		return [[String(number), said, look], ...age];
	});
	const first = objects === 1 ? "object drifted" : "objects drifted";
	return [[String(objects), first, objects === 0 ? "a" : "w"], ...shown];
}

/** Returns what drifted and what becomes of it, and access that ends soon. */
export function summarizeFindings(drift: OrganizationDrift, plan: Plan): Verdict {
	return withSentences(verdictOn(drift, plan), summarizeExpiries(plan));
}

function verdictOn(drift: OrganizationDrift, plan: Plan): Verdict {
	const { verdict, unread, waiting, gone } = drift;
	const counts = countFindings(drift);
	const more = [
		...(gone.length === 0 ? [] : [`${gone.length} resolved since the last report`]),
		...counted(counts.kept, "finding of the last report not checked", "findings of the last report not checked"),
	];
	const say = (headline: string, ...clauses: readonly string[]): Verdict => ({
		headline: [headline],
		clauses: [...clauses, ...more].map((text) => [text]),
	});
	switch (verdict) {
		case "drifted": {
			const unknown = unread.length === 0 ? [] : [countUnread(drift, "more ")];
			const ages = drift.comparedWith === null ? null : describeAges(counts);
			const gained = (drift.credentials?.added ?? []).filter(({ escalation }) => escalation !== null).length;
			const parts = [
				...counted(gained, "new credential of a protected user", "new credentials of protected users"),
				...counted(counts.objects, "object drifted", "objects drifted"),
				...counted(counts.broken, "rule is broken", "rules are broken"),
			];
			const found = `Drift: ${parts.join(", ")}`;
			return { ...say(found, summarizeCure(plan), ...unknown), ...(ages === null ? {} : { details: [ages] }) };
		}
		case "could-not-look":
			return say(`Unknown: ${countUnread(drift)}`, "no known drift");
		case "waiting": {
			const makes = waiting.length === 1 ? "a pending activity fixes it" : "pending activities fix them";
			const what = `Pending: ${count(waiting.length, "object is", "objects are")} not in sync yet`;
			return say(what, `${makes}${butBlocked(plan)}`);
		}
		case "as-documented":
			return withSentences(verdictOf("No drift"), describeInSync(plan, more));
	}
}

/** Returns how many objects could not be read, and how many rules not checked. */
function countUnread({ unread }: OrganizationDrift, more = ""): string {
	const rules = unread.filter(({ scope }) => scope === "rule").length;
	const objects = unread.length - rules;
	return [
		...counted(objects, `${more}object could not be read`, `${more}objects could not be read`),
		...counted(rules, `${more}rule could not be checked`, `${more}rules could not be checked`),
	].join(", ");
}

function describeAges({ fresh, old, oldest }: ReturnType<typeof countFindings>): string {
	const ages = oldest === null ? [] : [`${old} from before`, `${old === 1 ? "" : "the oldest "}for ${oldest}`];
	return [...(fresh === 0 ? [] : [`${fresh} new`]), ...ages].join(", ");
}
