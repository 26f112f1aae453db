/** The activities that `approve` and `reject` ask about, and what became of them, as text. */
import { sectionsText } from "./print/text.ts";
import { noteOtherName, showOrganization } from "./result/organization-name.ts";
import type { OrganizationVotes, VoteResult } from "./result/votes.ts";
import { withNames } from "./sections/activity.ts";
import { blockingSection } from "./sections/guards.ts";
import { impactSection } from "./sections/impact.ts";
import {
	furtherSections,
	reviewSections,
	summarizeReview,
	summarizeVotes,
	type VoteCommand,
	votedSection,
	withDecision,
} from "./sections/votes.ts";
import type { Style } from "./style.ts";

/** Returns everything that a person reviews before a vote, ending with a newline. */
export function renderVoteReview(
	organizations: readonly OrganizationVotes[],
	command: VoteCommand,
	style: Style,
): string {
	const shown = organizations.flatMap((one) => [
		...headOf(one, style),
		...noteOtherName(one),
		"",
		...sectionsText(reviewSections(one, command), style),
		...renderTogether(one, command, style),
		...sectionsText(furtherSections(one), style),
	]);
	return `${[...shown, summarizeReview(organizations, command)].join("\n")}\n`;
}

/** Returns what became of each activity, ending with a newline. */
export function renderVotes(result: VoteResult, style: Style): string {
	const shown = result.votes.flatMap((one) => {
		const became = sectionsText([votedSection(one, result.command)], style);
		return [
			...headOf(one, style),
			...(became.length === 0 ? [""] : became),
			...sectionsText(furtherSections(one), style),
		];
	});
	return `${[...shown, summarizeVotes(result)].join("\n")}\n`;
}

function headOf(one: OrganizationVotes, style: Style): readonly string[] {
	const { activities, unlisted } = one;
	const nothing = activities.length > 0 || unlisted !== null ? [] : ["  nothing is pending"];
	return [style.strong(`Organization ${showOrganization(one)}`), ...nothing];
}

/** Returns what several activities change together, and the guards that block it. */
function renderTogether(one: OrganizationVotes, command: VoteCommand, style: Style): readonly string[] {
	if (one.effect === null || command === "reject") return [];
	const effect = withNames(one.effect, one);
	const isAlone = withDecision(one, "vote").length < 2;
	return [
		...(isAlone
			? []
			: sectionsText([impactSection(effect, false, "What all of them together change for who can do what")], style)),
		...sectionsText([blockingSection(effect, "approve")], style),
	];
}
