/** The activities that `approve` and `reject` ask about, and what became of them, as text. */
import { listCovers, showName, showText } from "../../common/escape.ts";
import { coveredAddresses } from "../../plan/step.ts";
import { renderImpactUnder } from "../impact/text.ts";
import { renderOverrides } from "../overrides-text.ts";
import { phraseText, sectionsText } from "../print/text.ts";
import { noteOtherName, showOrganization } from "../result/organization-name.ts";
import { blockingSection } from "../sections/guards.ts";
import { nameActivity } from "../status-text.ts";
import { renderUnder, type Style } from "../style.ts";
import { renderActivity, renderRequestLine } from "./activity-text.ts";
import { coveredBy, describeActivity, withNames } from "./activity-words.ts";
import type { OrganizationVotes, VotedActivity, VoteResult } from "./result.ts";
import {
	describeOverruling,
	describeReasons,
	describeVoted,
	goals,
	missingHeading,
	summarizeReview,
	summarizeVotes,
	type VoteCommand,
	voteHeadings,
	withDecision,
} from "./words.ts";

/** Returns everything that a person reviews before a vote, ending with a newline. */
export function renderVoteReview(
	organizations: readonly OrganizationVotes[],
	command: VoteCommand,
	style: Style,
): string {
	const shown = organizations.map((one) => renderReview(one, command, style).join("\n"));
	return `${[...shown, summarizeReview(organizations, command)].join("\n")}\n`;
}

/** The decisions in the order in which they are shown: the refused are next to the question. */
const decisions = ["vote", "voted", "ended", "refused"] as const;

function renderReview(one: OrganizationVotes, command: VoteCommand, style: Style): readonly string[] {
	return [
		style.strong(`Organization ${showOrganization(one)}`),
		...noteOtherName(one),
		"",
		...renderNothing(one),
		...decisions.flatMap((decision) => {
			const activities = withDecision(one, decision);
			if (activities.length === 0) return [];
			const mark = decision === "refused" ? style.remove : style.strong;
			const lines = activities.flatMap((activity) => [...renderReviewed(activity, one, command, style), ""]);
			return [mark(`${voteHeadings[command][decision]}:`), ...lines.map((line) => (line === "" ? "" : `  ${line}`))];
		}),
		...renderTogether(one, command, style),
		...renderMissing(one, style),
		...renderUnlisted(one, style),
	];
}

/** Returns one activity in full, with the reasons against it below its title. */
function renderReviewed(
	voted: VotedActivity,
	one: OrganizationVotes,
	command: VoteCommand,
	style: Style,
): readonly string[] {
	const asksFor = command === "approve" && voted.decision === "vote" ? one.voterId : null;
	const [title = "", ...lines] = renderActivity(voted.activity, style, { names: one, voterId: asksFor });
	return [title, ...reasonsOf(voted, one).map((reason) => style.remove(`  ! ${reason}`)), ...lines];
}

function reasonsOf(voted: VotedActivity, one: OrganizationVotes): readonly string[] {
	const overruling = describeOverruling(voted);
	return [...describeReasons(voted, one), ...(overruling === null ? [] : [overruling])].map(phraseText);
}

/** Returns what several activities change together, and the guards that judge it. */
function renderTogether(one: OrganizationVotes, command: VoteCommand, style: Style): readonly string[] {
	if (one.effect === null || command === "reject") return [];
	const effect = withNames(one.effect, one);
	const isAlone = withDecision(one, "vote").length < 2;
	return [
		...(isAlone ? [] : renderImpactUnder("What all of them together change for who can do what", effect, style)),
		...sectionsText([blockingSection(effect, "approve")], style),
		...renderOverrides(effect.overrides, style, effect.guards),
	];
}

function renderNothing({ activities, unlisted }: OrganizationVotes): readonly string[] {
	return activities.length > 0 || unlisted !== null ? [] : ["  nothing is pending"];
}

function renderMissing({ missing }: OrganizationVotes, style: Style): readonly string[] {
	return renderUnder(
		style.warn(`${missingHeading}:`),
		missing.map((step) => `${showText(step.reason)}  ${listCovers(coveredAddresses([step]))}`),
	);
}

function renderUnlisted({ unlisted }: OrganizationVotes, style: Style): readonly string[] {
	return unlisted === null ? [] : [style.warn(`There may be other activities: ${showText(unlisted)}`), ""];
}

/** Returns what became of each activity, ending with a newline: one line for those that ended well, more for the others. */
export function renderVotes(result: VoteResult, style: Style): string {
	const shown = result.votes.flatMap((one) => {
		const lines = [
			style.strong(`Organization ${showOrganization(one)}`),
			...renderNothing(one),
			...one.activities.flatMap((voted) => renderVoted(voted, one, result.command, style)),
		];
		const used = renderOverrides(one.effect?.overrides, style, one.effect?.guards);
		const more = [...used, ...renderMissing(one, style), ...renderUnlisted(one, style)];
		return [...lines, "", ...more];
	});
	return `${[...shown, summarizeVotes(result)].join("\n")}\n`;
}

function renderVoted(
	voted: VotedActivity,
	one: OrganizationVotes,
	command: VoteCommand,
	style: Style,
): readonly string[] {
	const { activity, decision, outcome, message } = voted;
	const words = describeActivity(activity, { names: one });
	const mark = markOf(voted, command, style);
	const missing = outcome === "awaiting-approval" && words.missing !== null ? [phraseText(words.missing)] : [];
	const isRefused = decision === "refused";
	const request = isRefused ? words.request.map((line) => renderRequestLine(line, style)) : [];
	const reasons = isRefused ? reasonsOf(voted, one) : [];
	const because = message === null ? "" : `: ${showText(message)}`;
	return [
		`${mark} ${nameVoted(voted, one)}: ${describeVoted(voted, command)}${because}`,
		...[...words.mistakes.map(phraseText), ...reasons, ...request, ...missing].map((line) => `     ${line}`),
	];
}

/** Returns what the activity changes, and which one it is, as \`status\` and \`wait\` name it. */
function nameVoted({ activity }: VotedActivity, names: OrganizationVotes): string {
	const { operation, type } = activity;
	return nameActivity({ ...activity, operation: operation ?? showName(type), covers: coveredBy(activity, names) });
}

function markOf({ decision, outcome }: VotedActivity, command: VoteCommand, style: Style): string {
	if (decision === "refused") return style.remove("!!");
	if (outcome === null || outcome.startsWith("awaiting")) return style.warn("..");
	return outcome === goals[command] ? style.add("ok") : style.remove("!!");
}
