/** The result of `approve` and `reject` as text. */
import { showText } from "../escape.ts";
import { renderActivity } from "./activity-text.ts";
import { showOrganization } from "./organization-name.ts";
import type { Style } from "./style.ts";
import type { OrganizationVotes, VotedActivity, VoteResult } from "./vote-result.ts";

export function renderVotes({ votes }: VoteResult, style: Style): string {
	return votes.map((one) => renderOrganizationVotes(one, style)).join("\n");
}

function renderOrganizationVotes(one: OrganizationVotes, style: Style): string {
	const lines = one.activities.flatMap((voted) => renderVotedActivity(voted, one, style));
	const nothing = lines.length === 0 ? ["  nothing is pending"] : [];
	return [`Organization ${showOrganization(one)}`, ...lines, ...nothing, ""].join("\n");
}

function renderVotedActivity(
	{ activity, decision, outcome, message }: VotedActivity,
	{ userNames, liveNames, voterId }: OrganizationVotes,
	style: Style,
): readonly string[] {
	const names = { userNames, ...(liveNames === undefined ? {} : { liveNames }) };
	const why = message === null ? "" : `: ${showText(message)}`;
	return [
		`  ${outcome ?? decision}${why}`,
		...renderActivity(activity, style, { names, voterId }).map((line) => `    ${line}`),
	];
}
