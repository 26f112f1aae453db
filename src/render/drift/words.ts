/**
 * The words of a drift report, the same in every format.
 */

import { showAddress, showName, showText } from "../../common/escape.ts";
import { labelOf, printScope } from "../../plan/address.ts";
import type { Change } from "../../plan/change.ts";
import type { Attribution, Finding, GoneFinding, OrganizationDrift } from "../../plan/drift/drift.ts";
import { readOnlyKinds } from "../../plan/kinds/index.ts";
import type { Plan } from "../../plan/plan.ts";
import { showSaidUser } from "../../plan/user-labels.ts";
import type { UserNames } from "../../plan/users.ts";
import { sayTodo } from "../../say/todo.ts";
import { formatDuration } from "../duration.ts";
import { summarizeExpiries } from "../expiry-words.ts";
import { phraseText } from "../print/text.ts";
import { butBlocked, count, countDrift, describeInSync, summarizeCure } from "../text.ts";

export const driftHeadings = {
	findings: "Drifted",
	kept: "Not checked in this run, from the last report",
	gone: "Resolved since the last report",
	unmanaged: "Unmanaged user tags",
	waiting: "Fixed by a pending activity",
	unknown: "Unknown",
	unattributed: "Changed by",
} as const;

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
	["rule-broken", "rule broken"],
	["access-expired", "access expired"],
]);

export function describeDifference({ what, message }: Pick<Finding, "what" | "message">): string {
	const said = words.get(what) ?? showText(what);
	return message === undefined ? said : `${said}: ${showText(message)}`;
}

/** Returns the findings of this run, without those of the last report that it did not check. */
export function seenFindings({ findings }: OrganizationDrift): readonly Finding[] {
	return findings.filter(({ state }) => state !== "not-looked-at");
}

/** Returns the differences that a pending activity fixes, as far as this run checked them. */
export function seenPending({ waiting }: OrganizationDrift): readonly Finding[] {
	return waiting.filter(({ state }) => state !== "not-looked-at");
}

/** Returns whether it is new, or how long it has drifted; null without an earlier report. */
export function describeSince(finding: Finding, { comparedWith }: OrganizationDrift): string | null {
	const { state, firstSeenAt, lastSeenAt } = finding;
	const since = `for ${formatDuration(firstSeenAt, lastSeenAt)} (since ${showText(firstSeenAt)})`;
	switch (state) {
		case "new":
			return comparedWith === null ? null : "new since the last report";
		case "still-there":
			return `drifted ${since}`;
		case "changed":
			return `drifted ${since}, and changed since the last report`;
		case "not-looked-at":
			return `not checked in this run; first seen ${showText(firstSeenAt)}, last seen ${showText(lastSeenAt)}`;
	}
}

/** Returns the state in one word; null without an earlier report. */
export function describeState({ state }: Finding, { comparedWith }: OrganizationDrift): string | null {
	return state === "new" && comparedWith === null ? null : stateWords[state];
}

const stateWords: Readonly<Record<Finding["state"], string>> = {
	new: "new",
	"still-there": "from before",
	changed: "changed",
	"not-looked-at": "not checked",
};

/** Returns who last changed it; null where that is unknown for every finding, or cannot be known for this one. */
export function describeActor(finding: Finding, drift: OrganizationDrift, names: UserNames): string | null {
	if (finding.by !== null) return describeAttribution(finding.by, names);
	const seen = seenFindings(drift);
	const named = seen.some(({ by }) => by !== null);
	return named && seen.includes(finding) && isAttributable(finding) ? "no listed activity explains it" : null;
}

/** Returns why no finding has an actor; null where one has, nothing differs, or the run did not look for actors. */
export function describeUnattributed(drift: OrganizationDrift, { reads }: Pick<Plan, "reads">): string | null {
	const seen = seenFindings(drift);
	if (seen.length === 0 || seen.some(({ by }) => by !== null)) return null;
	if (drift.unattributed !== null) return `it is unknown who changed it: ${showText(drift.unattributed)}`;
	return reads === "auto" && seen.some(isAttributable)
		? "it is unknown who changed it: no listed activity explains it"
		: null;
}

/** Whether activities can explain it: no rule, no kind that no activity is about, no expiry, nor a tag that does not exist. */
function isAttributable({ kind, what }: Finding): boolean {
	if (what === "access-expired") return false;
	const hasActivities = !readOnlyKinds.some(({ name, activities }) => name === kind && activities === null);
	return kind !== "rule" && hasActivities && !what.startsWith("tag-");
}

function describeAttribution(by: Attribution, names: UserNames): string {
	const { activityId, type, at } = by;
	const operation = showName(type.replace(/^ACTIVITY_TYPE_/, "").toLowerCase());
	const when = at === null ? "" : `, ${showName(at)}`;
	return `last changed by ${operation} of ${describeWho(by, names)}${when}, activity ${showName(activityId)}`;
}

/** Returns the user by what the plan knows and by what the activity itself says. */
function describeWho({ userId, userName, liveName }: Attribution, names: UserNames): string {
	if (userId === null) return userName === null ? "an unnamed user" : showName(userName);
	if (!Object.hasOwn(names.userNames, userId) && userName !== null) {
		return `${showName(userName)} (id ${showName(userId)})`;
	}
	return showSaidUser(userId, names, liveName === undefined || liveName === null ? {} : { [userId]: liveName });
}

/** Returns since when, by whom and what to do, a line each. */
export function describeFinding(finding: Finding, drift: OrganizationDrift, names: UserNames): readonly string[] {
	return [
		describeSince(finding, drift),
		describeActor(finding, drift, names),
		`to do: ${phraseText(sayTodo(finding.todo))}`,
	].filter((line) => line !== null);
}

/** What could not be read, and the change that apply would make although it may be needless; null where there is none. */
export interface UnknownObject {
	readonly scope: string;
	readonly because: string;
	readonly change: Change | null;
}

export function unknownObjects({ unread, findings, waiting }: OrganizationDrift, plan: Plan): readonly UnknownObject[] {
	const known = new Set<string>([...findings, ...waiting].map(({ address }) => address));
	const changes = new Map<string, Change>(plan.changes.map((change) => [change.address, change]));
	return unread.map((one) => {
		const scope = printScope(one);
		return { scope, because: one.because, change: known.has(scope) ? null : (changes.get(scope) ?? null) };
	});
}

/** Returns what the report says of objects that this run did not find drifted: resolved, or not checked. */
export function reportedLists(drift: OrganizationDrift) {
	const kept = drift.findings.filter(({ state }) => state === "not-looked-at");
	return [
		{ title: driftHeadings.gone, look: "plain", lines: drift.gone.map(describeGone) },
		{ title: driftHeadings.kept, look: "attention", lines: kept.map(describeKept) },
	] as const;
}

/** Returns an object that no longer differs, and how long it did as far as the reports show. */
export function describeGone(gone: GoneFinding): string {
	const { address, firstSeenAt, goneAt } = gone;
	return `${showAddress(address)}: ${describeDifference(gone)} for ${formatDuration(firstSeenAt, goneAt)}, first seen ${showText(firstSeenAt)}`;
}

function describeKept(finding: Finding): string {
	const { address, firstSeenAt, lastSeenAt } = finding;
	return `${showAddress(address)}: ${describeDifference(finding)}; first seen ${showText(firstSeenAt)}, last seen ${showText(lastSeenAt)}`;
}

export function unmanagedNames({ unmanaged }: Pick<OrganizationDrift, "unmanaged">): readonly string[] {
	return unmanaged.map((address) => showName(labelOf(address)));
}

/** Returns one sentence on the organization, and one on access that ends soon: words of orgsync only, nothing to escape. */
export function summarizeFindings(drift: OrganizationDrift, plan: Plan): string {
	return `${summarizeVerdict(drift, plan)}${summarizeExpiries(plan)}`;
}

function summarizeVerdict(drift: OrganizationDrift, plan: Plan): string {
	const seen = seenFindings(drift);
	const { verdict, unread, waiting, gone } = drift;
	const kept = drift.findings.length - seen.length;
	const more = [
		...(gone.length === 0 ? [] : [`${gone.length} resolved since the last report`]),
		...(kept === 0 ? [] : [`${count(kept, "finding", "findings")} of the last report not checked`]),
	];
	switch (verdict) {
		case "drifted": {
			const unknown = unread.length === 0 ? [] : [countUnread(drift, "more ")];
			const broken = seen.filter(({ kind }) => kind === "rule").length;
			const found = `${countDrift(seen.length - broken, broken)}${describeAges(seen, drift)}`;
			return `Drift: ${[found, summarizeCure(plan), ...unknown, ...more].join("; ")}.`;
		}
		case "could-not-look": {
			return `Unknown: ${[countUnread(drift), "no known drift", ...more].join("; ")}.`;
		}
		case "waiting": {
			const makes = waiting.length === 1 ? "a pending activity fixes it" : "pending activities fix them";
			const what = `${count(waiting.length, "object is", "objects are")} not in sync yet`;
			return `Pending: ${[what, `${makes}${butBlocked(plan)}`, ...more].join("; ")}.`;
		}
		case "as-documented":
			return `No drift. ${[describeInSync(plan).replace(/\.$/, ""), ...more].join("; ")}.`;
	}
}

/** Returns how many objects could not be read, and how many rules not checked. */
function countUnread({ unread }: OrganizationDrift, more = ""): string {
	const rules = unread.filter(({ scope }) => scope === "rule").length;
	const objects = unread.length - rules;
	return [
		...(objects === 0 ? [] : [`${count(objects, `${more}object`, `${more}objects`)} could not be read`]),
		...(rules === 0 ? [] : [`${count(rules, `${more}rule`, `${more}rules`)} could not be checked`]),
	].join(", ");
}

function describeAges(seen: readonly Finding[], { comparedWith }: OrganizationDrift): string {
	if (comparedWith === null) return "";
	const old = seen.filter(({ state }) => state !== "new");
	const [oldest] = [...old].sort((left, right) => Date.parse(left.firstSeenAt) - Date.parse(right.firstSeenAt));
	const parts = [
		...(old.length === seen.length ? [] : [`${seen.length - old.length} new`]),
		...(oldest === undefined
			? []
			: [
					`${old.length} from before`,
					`${old.length === 1 ? "" : "the oldest "}for ${formatDuration(oldest.firstSeenAt, oldest.lastSeenAt)}`,
				]),
	];
	return ` (${parts.join(", ")})`;
}
