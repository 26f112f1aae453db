/** The activities that `approve` and `reject` ask about, and what became of them. */
import { listCovers, listFirst, showAddress, showName, showNameWithin } from "../../common/escape.ts";
import { uuid } from "../../common/uuid.ts";
import { addressesOf } from "../../plan/activities/activity-objects.ts";
import type { Disagreement, StepDifference } from "../../plan/activities/reviewed-activity.ts";
import type { Outcome } from "../../plan/report.ts";
import type { UserNames } from "../../plan/users.ts";
import { sayTaken } from "../../say/activities.ts";
import { capitalize, count } from "../../say/count.ts";
import { countOutcomes, outcomeWords } from "../../say/outcomes.ts";
import {
	identifier,
	joinPhrases,
	listOf,
	listSome,
	nameSpan,
	type Phrase,
	reason,
	type Span,
} from "../../say/phrase.ts";
import { listPeople } from "../../say/powers.ts";
import { inOneLine, type Look, listed, notesOf, type Row, type Section, section } from "../../say/section.ts";
import { stepText } from "../../say/steps.ts";
import { type Verdict, verdictOf, withSentences } from "../../say/verdict.ts";
import type { OrganizationVotes, VotedActivity, VoteResult } from "../result/votes.ts";
import { activityRow, coveredBy, describeActivity } from "./activity.ts";
import { overridesSection } from "./overrides.ts";
import { nameActivity } from "./status.ts";

export type VoteCommand = VoteResult["command"];

/** Returns the heading above activities by what is decided about them. */
function headingOf(decision: VotedActivity["decision"], command: VoteCommand): string {
	if (decision === "vote") return `To ${command}`;
	return capitalize(decision === "voted" ? `${doneWords[command]} by you before` : decision);
}

/** The decisions in the order in which a review shows them: the refused are next to the question. */
const decisions = ["vote", "voted", "ended", "refused"] as const;

/** Returns what a person reviews before a vote, by what is decided: each activity in full, with the reasons against it. */
export function reviewSections(one: OrganizationVotes, command: VoteCommand): readonly Section[] {
	return decisions.map((decision) => {
		const voterId = command === "approve" && decision === "vote" ? one.voterId : null;
		const rows = withDecision(one, decision).map((voted) =>
			activityRow(voted.activity, one, voterId, reasonsOf(voted, one)),
		);
		const [title, look] = [headingOf(decision, command), decision === "refused" ? "bad" : "plain"] as const;
		return section("vote", rows, { id: decision, title, form: "differences", look });
	});
}

/** Returns what became of the activities, in their order: one line for those that ended well, more for the others. */
export function votedSection(one: OrganizationVotes, command: VoteCommand): Section {
	const rows = one.activities.map((voted) => votedRow(voted, one, command, voted.decision === "refused"));
	return section("votes", rows);
}

/** Returns the same by what was decided, the refused first, each with all that a review shows of it. */
export function votedSections(one: OrganizationVotes, command: VoteCommand): readonly Section[] {
	return (["refused", "vote", "voted", "ended"] as const).map((decision) => {
		const activities = withDecision(one, decision);
		const wasVoted = decision === "vote" && activities.some(({ outcome }) => outcome !== null);
		const rows = activities.map((voted) => votedRow(voted, one, command, true));
		return section("votes", rows, {
			id: decision,
			title: wasVoted ? "Voted on" : headingOf(decision, command),
			shorten: decision === "refused" ? "never" : decision === "vote" ? "last" : "early",
		});
	});
}

/** Returns the steps that no activity carries out, why there may be other activities, and the overrides that were used. */
export function furtherSections({ missing, unlisted, effect }: OrganizationVotes): readonly Section[] {
	const { overrides = [], guards } = effect ?? {};
	return [
		listed("missing", missing, (step) => {
			const covers = step.covers.map(({ address }) => address);
			return { said: [reason(stepText(step)), "  ", identifier(listCovers(covers))], about: covers };
		}),
		section("unlisted", unlisted === null ? [] : [{ said: [reason(unlisted)] }]),
		overridesSection(overrides, guards),
	];
}

/** `isFull`: with all that a review shows of it. */
function votedRow(voted: VotedActivity, one: OrganizationVotes, command: VoteCommand, isFull: boolean): Row {
	const { activity, decision, outcome, message } = voted;
	const voterId = command === "approve" && decision === "vote" && outcome === null ? one.voterId : null;
	const { mistakes, request, impact, votes, missing } = describeActivity(activity, one, voterId);
	const name = nameActivity({
		...activity,
		operation: activity.operation ?? showName(activity.type),
		covers: coveredBy(activity, one),
	});
	const look = lookOf(voted, command);
	// The verdict and what lets people do more, or locks them out.
	const badNews = impact.filter(({ sign }) => sign === undefined || sign === "!!");
	const below: readonly Phrase[] = [
		// A format may leave out how a step completed, and why.
		...(message !== null && look === "good" ? [[reason(message)]] : []),
		...(decision === "voted" ? [[`${doneWords[command]} by you before`]] : []),
		...mistakes,
		...(isFull
			? [...reasonsOf(voted, one), ...request.flatMap(linesOf), ...badNews.map(({ said }) => said), ...votes]
			: []),
		...(missing !== null && (isFull || outcome === "awaiting-approval") ? [missing] : []),
	];
	const why = message === null || look === "good" ? {} : { why: [reason(message)] };
	return {
		badge: { word: describeVoted(voted), look, ...why },
		said: [identifier(name)],
		notes: notesOf("plain", ...below),
	};
}

const verbs = { "+": "adds ", "-": "removes ", "~": "changes ", "!": "" } as const;

/** Returns what a request changes as sentences: \`adds member bob\`. */
function linesOf(row: Row): readonly Phrase[] {
	const { sign, rows = [] } = row;
	const verb = sign !== undefined && sign in verbs ? verbs[sign as keyof typeof verbs] : "";
	return [[verb, ...inOneLine(row)], ...rows.flatMap(linesOf)];
}

function lookOf({ decision, outcome }: VotedActivity, command: VoteCommand): Look {
	if (decision === "refused") return "bad";
	if (outcome === null || outcome.startsWith("awaiting")) return "attention";
	return outcome === goals[command] ? "good" : "bad";
}

/** Returns why it is refused, or what to know of one that was named. */
export function describeReasons({ activity, disagreements }: VotedActivity, names: UserNames): readonly Phrase[] {
	return disagreements.map((one) => describeDisagreement(one, activity, names));
}

/** Returns the same, and how to approve one that only the document refuses. */
function reasonsOf(voted: VotedActivity, names: UserNames): readonly Phrase[] {
	const { activity, decision, disagreements } = voted;
	const isByDocument = disagreements.length > 0 && disagreements.every(({ code }) => documentCodes.has(code));
	const isOverruled = decision === "refused" && activity.mistakes.length === 0 && isByDocument;
	return [...describeReasons(voted, names), ...(isOverruled ? [["approve takes it only if its id is named"]] : [])];
}

const documentCodes: ReadonlySet<Disagreement["code"]> = new Set([
	...(["adds-unwanted", "removes-wanted", "members-unmanaged"] as const),
	...(["renames", "not-absent", "unmanaged", "differs"] as const),
]);

type Activity = VotedActivity["activity"];

function describeDisagreement(one: Disagreement, activity: Activity, names: UserNames): Phrase {
	switch (one.code) {
		case "adds-unwanted":
			return ["conflicts with the document: it adds ", ...listPeople(one.userIds, names)];
		case "removes-wanted":
			return ["conflicts with the document: it removes ", ...listPeople(one.userIds, names)];
		case "members-unmanaged":
			return ["the document does not manage whether the tag has ", ...listPeople(one.userIds, names)];
		case "renames":
			return [
				"conflicts with the document: the new name is ",
				nameOf(one.name),
				", in the document ",
				nameOf(one.wanted),
			];
		case "not-absent":
			return ["conflicts with the document, which does not remove ", ...listObjects(activity, one.ids, names)];
		case "unmanaged":
			return [
				activity.operation === "init_import_private_key"
					? "documents do not list imports of private keys"
					: "the document does not manage its object",
			];
		case "differs":
			return describeConflict(one);
		case "name-taken":
			return sayTaken(one.kind, one.taken);
		case "no-step":
			return ["equals no step of the saved plan"];
		case "differs-from-step": {
			const differences = one.differences.flatMap((difference) => describeDifference(difference, names));
			return [
				"resembles ",
				identifier(one.stepId),
				" of the saved plan, but differs: ",
				...joinPhrases(differences, "; "),
			];
		}
		case "duplicate":
			return [
				"duplicate: activity ",
				identifier(one.activityId),
				...(one.stepId === null
					? [" makes the same change"]
					: [" equals ", identifier(one.stepId), " of the saved plan"]),
			];
	}
}

function describeConflict({
	fields,
	unmanaged,
	isPartial,
}: Extract<Disagreement, { readonly code: "differs" }>): Phrase {
	const unlisted: Phrase = ["the document does not manage ", ...listOf(unmanaged.slice(0, maxListed), nameOf)];
	const conflicts: readonly Phrase[] = [
		...(fields.length > 0 ? [[`conflicts with the document in ${fields.join(", ")}`]] : []),
		...(isPartial ? [["leaves fields of the document out, whose live values can change before the approval"]] : []),
		...(unmanaged.length > 0 ? [unlisted] : []),
	];
	if (conflicts.length === 0) return ["changes nothing: its object is as the document has it already"];
	return joinPhrases(conflicts, "; ");
}

/** Returns the objects by address; the ids are those that `absent` does not list. */
function listObjects({ operation, parameters }: Activity, ids: readonly string[], names: UserNames): Phrase {
	const addresses = addressesOf(
		{ operation: operation ?? "", parameters },
		{ userNames: names.userNames, tagNames: new Map() },
	);
	const named = addresses.filter((address) => ids.some((id) => address.endsWith(id)));
	return listSome(named, (address) => identifier(showAddress(address)), maxListed, " and ");
}

const maxListed = 3;

function describeDifference(one: StepDifference, names: UserNames): readonly Phrase[] {
	if ("more" in one) {
		const [does, planned] = listWords.get(one.parameter) ?? [
			`its ${one.parameter} have also `,
			`its ${one.parameter} lack `,
		];
		const list = (ids: readonly string[]): Phrase =>
			one.parameter.endsWith("UserIds")
				? listPeople(ids, names)
				: listOf(ids.slice(0, maxListed), (id) => identifier(id));
		return [
			...(one.more.length === 0 ? [] : [[does, ...list(one.more)]]),
			...(one.missing.length === 0 ? [] : [[planned, ...list(one.missing)]]),
		];
	}
	const value = (text: string | null): Span => (text === null ? "none" : nameOf(text));
	if (one.parameter === "newUserTagName")
		return [["its new name is ", value(one.is), ", planned ", value(one.planned)]];
	return [["its ", nameOf(one.parameter), " is ", value(one.is), ", planned ", value(one.planned)]];
}

const listWords: ReadonlyMap<string, readonly [more: string, missing: string]> = new Map([
	["addUserIds", ["it also adds ", "it does not add "]],
	["removeUserIds", ["it also removes ", "it does not remove "]],
	["policyIds", ["it also removes policy ", "it does not remove policy "]],
	["providerIds", ["it also removes OAuth provider ", "it does not remove OAuth provider "]],
]);

const maxName = 120;

function nameOf(name: string): Span {
	return nameSpan(showNameWithin(name, maxName));
}

export function withDecision(
	{ activities }: Pick<OrganizationVotes, "activities">,
	decision: VotedActivity["decision"],
): readonly VotedActivity[] {
	return activities.filter((one) => one.decision === decision);
}

function describeVoted({ decision, outcome }: VotedActivity): string {
	if (decision === "refused") return "refused";
	return outcome === null ? "no vote was submitted" : outcomeWords[outcome];
}

/** Returns what would be voted on: below the activities, above the question. */
export function summarizeReview(organizations: readonly OrganizationVotes[], command: VoteCommand): Verdict {
	const voting = countDecision(organizations, "vote");
	const first = voting === 0 ? `Nothing to ${command}` : `To ${command}: ${count(voting, "activity", "activities")}`;
	return withSentences(verdictOf(first), ...describeOthers(organizations, command));
}

/** Returns what became of it. Nothing is claimed that was not read. */
export function summarizeVotes({ command, votes: organizations }: VoteResult): Verdict {
	const voting = organizations.flatMap((one) => withDecision(one, "vote"));
	return withSentences(verdictOf(summarizeOutcomes(voting, command)), ...describeOthers(organizations, command));
}

/** What a vote is to lead to. */
const goals: Readonly<Record<VoteCommand, Outcome>> = { approve: "completed", reject: "rejected" };

function summarizeOutcomes(voting: readonly VotedActivity[], command: VoteCommand): string {
	if (voting.length === 0) return `Nothing to ${command}`;
	const outcomes = voting.flatMap(({ outcome }) => outcome ?? []);
	const done = doneWords[command];
	if (outcomes.length === 0) return `Not ${done}: no vote was submitted`;
	const voted = outcomes.filter((outcome) => outcome === goals[command] || outcome.startsWith("awaiting")).length;
	const verdict = voted === outcomes.length ? capitalize(done) : `${voted === 0 ? "Not" : "Partly"} ${done}`;
	return `${verdict}: ${countOutcomes(outcomes).join(", ")}`;
}

const doneWords: Readonly<Record<VoteCommand, string>> = { approve: "approved", reject: "rejected" };

/** Returns how many had ended, and how where some did not end as asked. */
function describeEnded(organizations: readonly OrganizationVotes[], command: VoteCommand): readonly string[] {
	const ended = organizations.flatMap((one) => withDecision(one, "ended"));
	const outcomes = ended.flatMap(({ outcome }) => outcome ?? []);
	const isAsAsked = outcomes.every((outcome) => outcome === goals[command]);
	if (ended.length === 0) return [];
	return [`${ended.length} had ended before${isAsAsked ? "" : `: ${countOutcomes(outcomes).join(", ")}`}.`];
}

function countDecision(organizations: readonly OrganizationVotes[], decision: VotedActivity["decision"]): number {
	return organizations.reduce((sum, one) => sum + withDecision(one, decision).length, 0);
}

/** Returns sentences on activities that no vote is sent for, and on steps without one. The refused are named. */
function describeOthers(organizations: readonly OrganizationVotes[], command: VoteCommand): readonly string[] {
	const voted = countDecision(organizations, "voted");
	const refused = organizations.flatMap((one) => withDecision(one, "refused"));
	const missing = organizations.reduce((sum, one) => sum + one.missing.length, 0);
	// The sentence is a heading too, in formats where other text could mean something.
	const ids = refused.map(({ activity }) => (uuid.test(activity.activityId) ? activity.activityId : "no id"));
	return [
		...(voted === 0 ? [] : [`${voted} ${doneWords[command]} by you before.`]),
		...describeEnded(organizations, command),
		...(refused.length === 0 ? [] : [`${refused.length} refused: ${listFirst(ids, maxListed)}.`]),
		...(missing === 0 ? [] : [`${count(missing, "step has", "steps have")} no activity yet.`]),
	];
}
