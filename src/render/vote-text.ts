/** The result of `approve` and `reject` as text. */
import { showName, showText } from "../escape.ts";
import { showOrganization } from "./organization-name.ts";
import type { OrganizationVotes, VotedActivity, VoteResult } from "./vote-result.ts";

export function renderVotes({ votes }: VoteResult): string {
	return votes.map(renderOrganizationVotes).join("\n");
}

function renderOrganizationVotes(one: OrganizationVotes): string {
	const lines = one.activities.map(renderVotedActivity);
	const nothing = lines.length === 0 ? ["  nothing is pending"] : [];
	return [`Organization ${showOrganization(one)}`, ...lines, ...nothing, ""].join("\n");
}

function renderVotedActivity({ activity, decision, outcome, message }: VotedActivity): string {
	const { operation, type, activityId, mistakes } = activity;
	const reasons = [...mistakes.map((mistake) => mistake.message), ...(message === null ? [] : [message])];
	const why = reasons.length === 0 ? "" : `: ${showText(reasons.join("; "))}`;
	return `  ${outcome ?? decision} ${operation ?? showName(type)}, activity ${showText(activityId)}${why}`;
}
