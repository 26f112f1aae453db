/** What `approve` and `reject` would do or did, in Markdown: the refused are first and never folded. */

import { listCovers } from "../../common/escape.ts";
import type { Phrase } from "../../say/phrase.ts";
import { type Block, bullets, codeSpan, paragraph } from "../markdown-text.ts";
import { describeOverride, overridesHeading } from "../overrides-text.ts";
import { phraseMarkdown } from "../print/markdown.ts";
import { phraseText } from "../print/text.ts";
import { noteOtherName, showOrganization } from "../result/organization-name.ts";
import type { CommandResult } from "../result/result.ts";
import { nameActivity } from "../status-text.ts";
import { coveredBy, describeActivity, type RequestLine } from "./activity-words.ts";
import { isVotes, type OrganizationVotes, type VotedActivity } from "./result.ts";
import {
	describeOverruling,
	describeReasons,
	describeVoted,
	missingHeading,
	type VoteCommand,
	voteHeadings,
	withDecision,
} from "./words.ts";

/** By rank: what a reader must see comes first. */
const ranks = { refused: 1, vote: 2, voted: 4, ended: 4 } as const satisfies Readonly<
	Record<VotedActivity["decision"], number>
>;

/** Returns the blocks of every organization; none for results of other commands. */
export function votesBlocks(result: CommandResult): readonly Block[] {
	if (!isVotes(result)) return [];
	return result.votes.flatMap((one) => {
		const head = `Organization ${codeSpan(showOrganization(one))}`;
		const names = noteOtherName(one).map((line) => codeSpan(line));
		const blocks = [
			...(["refused", "vote", "voted", "ended"] as const).map((decision) =>
				decisionBlock(one, decision, result.command),
			),
			missingBlock(one),
			overridesBlock(one),
		];
		return [paragraph([head, ...names].join("; "), 1), ...blocks].map((block) => ({
			...block,
			group: one.organizationId,
		}));
	});
}

function decisionBlock(one: OrganizationVotes, decision: VotedActivity["decision"], command: VoteCommand): Block {
	const activities = withDecision(one, decision);
	const wasVoted = decision === "vote" && activities.some(({ outcome }) => outcome !== null);
	const title = wasVoted ? "Voted on" : voteHeadings[command][decision];
	const lines = activities.map((voted) => renderVoted(voted, one, command));
	return bullets(ranks[decision], ["activity", "activities"], title, lines);
}

function renderVoted(voted: VotedActivity, one: OrganizationVotes, command: VoteCommand): string {
	const { activity, decision, message } = voted;
	const voterId = command === "approve" && decision === "vote" && voted.outcome === null ? one.voterId : null;
	const words = describeActivity(activity, { names: one, voterId });
	const overruling = describeOverruling(voted);
	const because = message === null ? "" : `: ${codeSpan(message)}`;
	const name = nameActivity({
		...activity,
		operation: activity.operation ?? activity.type,
		covers: coveredBy(activity, one),
	});
	const below: readonly Phrase[] = [
		...words.mistakes,
		...describeReasons(voted, one),
		...(overruling === null ? [] : [overruling]),
	];
	const impact = words.impactLines.filter(({ isBad }) => isBad).map(({ sentence }) => sentence);
	const after = [...words.votes, ...(words.missing === null ? [] : [words.missing])];
	return [
		`${codeSpan(name)}: ${describeVoted(voted, command)}${because}`,
		...[
			...below.map(phraseMarkdown),
			...words.request.map(renderLine),
			...(words.impact === null ? [] : [words.impact]),
			...[...impact, ...after].map(phraseMarkdown),
		].map((line) => `  - ${line}`),
	].join("\n");
}

function renderLine({ sign, text }: RequestLine): string {
	return codeSpan(`${sign} ${phraseText(text)}`);
}

function overridesBlock({ effect }: OrganizationVotes): Block {
	const lines = (effect?.overrides ?? []).map((one) => codeSpan(describeOverride(one, effect?.guards)));
	return bullets(1, ["override", "overrides"], overridesHeading, lines);
}

function missingBlock({ missing }: OrganizationVotes): Block {
	const lines = missing.map(({ reason, covers }) =>
		codeSpan(`${reason}  ${listCovers(covers.map(({ address }) => address))}`),
	);
	return bullets(1, ["step", "steps"], missingHeading, lines);
}
