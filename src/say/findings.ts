/** The impact of a plan in plain text, for messages of guards and errors. It is safe for a terminal. */
import { groupBy } from "../common/group-by.ts";
import type { PlanImpact } from "../plan/impact/impact.ts";
import { showUser } from "../plan/user-labels.ts";
import type { UserNames } from "../plan/users.ts";
import { describePower } from "./groups.ts";

/** More powers and people than so many are counted. */
const maxListed = 5;

/** Returns what the groups let people do: `sign (PRIVATE_KEY/SIGN) or export wallets (WALLET/EXPORT)`. */
export function listPowers(findings: readonly PlanImpact[], last: string): string {
	const powers = [...new Set(findings.map(({ group, condition }) => describePower(group, condition)))];
	return join(powers, last, ", ", (count) => `do ${count} other things`);
}

/** Returns who could do what alone: `bob could sign (PRIVATE_KEY/SIGN) alone`, users with equal powers together. */
export function listLoners(findings: readonly PlanImpact[], names: UserNames): string {
	return groupBy(findings, ({ userIds }) => userIds.join())
		.map((same) => {
			const [{ userIds }] = same;
			const people = joinPeople(userIds, names);
			return `${people} could ${userIds.length > 1 ? "each " : ""}${listPowers(same, " and ")} alone`;
		})
		.join("; ");
}

export function joinPeople(userIds: readonly string[], names: UserNames): string {
	return join(
		userIds.map((userId) => showUser(userId, names)),
		" and ",
	);
}

/** Returns the items; of more than one above `max` the first, and how many `more`. */
export function firstOf(items: readonly string[], max: number, more = countMore): readonly string[] {
	const left = items.length - max;
	return left > 1 ? [...items.slice(0, max), more(left)] : items;
}

const countMore = (count: number): string => `${count} more`;

/** Returns the items with `last` before the last one; of many, the first five and how many `more`. */
export function join(items: readonly string[], last: string, between = ", ", more = countMore): string {
	const shown = firstOf(items, maxListed, more);
	return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(between)}${last}${shown.at(-1)}`;
}

/** Returns what the findings mean, most serious first, each different one once. */
export function listFindings(findings: readonly PlanImpact[], names: UserNames): string {
	return join([...new Set(findings.map((finding) => describeFinding(finding, names)))], "; ", "; ");
}

function describeFinding(finding: PlanImpact, names: UserNames): string {
	const power = describePower(finding.group, finding.condition);
	// The witness is a set whose approvals together are enough.
	const isJoint = finding.witness.length > 1 && finding.witness.join() === finding.userIds.join();
	const people = `${joinPeople(finding.userIds, names)}${isJoint ? " together" : ""}`;
	switch (finding.change) {
		case "nobody":
			return `no one could ${power} any more`;
		case "alone":
			return `${people} could ${finding.userIds.length > 1 ? "each " : ""}${power} alone`;
		case "fewer":
			return `fewer approvers could ${power}`;
		case "gains":
			return `${people} could newly ${power}`;
		case "loses":
			return `${people} could no longer ${power}`;
		case "unknown":
			return `it is unknown who could ${power}`;
	}
}
