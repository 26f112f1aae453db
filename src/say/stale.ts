/** Why a saved plan is stale, in sentences that are safe for a terminal. */
import type { OutdatedObject } from "../common/errors.ts";
import { listFirst, showName } from "../common/escape.ts";
import { describeTime } from "../plan/access-window.ts";
import type { StaleImpact } from "../plan/impact/stale-impact.ts";
import type { Staleness, StaleObject } from "../plan/stale.ts";
import type { Step } from "../plan/step.ts";
import { showUser } from "../plan/user-labels.ts";
import type { UserNames } from "../plan/users.ts";
import { compareText, sameValue } from "../plan/value.ts";
import { listFindings } from "./findings.ts";

/** Returns the object with the reason in words. */
export function outdatedObject(stale: StaleObject): OutdatedObject {
	return { ...stale, because: staleText(stale.because) };
}

type About<What extends Staleness["what"]> = Extract<Staleness, { readonly what: What }>;

function staleText(because: Staleness): string {
	switch (because.what) {
		case "window":
			return `the plan was valid until ${describeTime(because.validUntil)}, when a window of the document begins or ends`;
		case "not-from-orgsync":
			return "nothing changed, but the saved plan describes the change differently: it was not made by orgsync plan";
		case "label": {
			const [was, is] = [because.saved, because.fresh].map((names) => showUser(because.userId, names));
			return `the saved plan shows user ${because.userId} as ${was}, a new plan shows ${is}: reviewers went by the name in the saved plan`;
		}
		case "tag":
			return tagText(because);
		case "gone":
			return "it is gone already, as the plan wanted";
		case "unread":
			return "it cannot be read any more";
		case "removal":
			return removalText(because);
		case "policy":
			return policyText(because);
		case "released": {
			const { operation, activity } = because;
			const stated =
				activity === "rejected" ? `${operation} had been rejected before` : `an activity was pending for ${operation}`;
			return `the plan file states that ${stated}, so that nothing was to be submitted; now it would be`;
		}
		case "rejected":
			return "it was rejected after it was planned, so that submitting it again was not reviewed";
		case "step":
			return `what would be submitted for it is not what was reviewed: ${stepText(because.planned)} in the plan file, ${stepText(because.wanted)} now`;
		case "impact":
			return `${impactText(because)}; its reviewers went by that`;
	}
}

function tagText(because: About<"tag">): string {
	const { planned, freshTagId, now, problem } = because;
	if (problem === null && planned.action === "create")
		return freshTagId === planned.tagId
			? "the plan file states another tag than apply would create now"
			: "the plan file states that it did not exist, now a tag of this name exists";
	const said = [...tagChanges(because), ...(problem === null ? [] : [problem])];
	if (problem !== null) return said.join("; ");
	if (freshTagId !== null) return said.join("; ") || "the tag changed";
	if (now === null) {
		const other = planned.action === "remove" ? "" : ", and another tag is as the plan wanted";
		return `the tag no longer exists${other}`;
	}
	return ["it is as the plan wanted already", ...said].join("; ");
}

function tagChanges({ planned, freshTagId, now, names }: About<"tag">): readonly string[] {
	const { tagId, before, basis } = planned;
	const said: string[] = [];
	if (freshTagId !== null && freshTagId !== tagId) {
		said.push(`the document means another tag now, ${freshTagId} in place of ${tagId}`);
	}
	const called = `the plan file states that it was called \`${showName(before.name)}\``;
	if (now === null) return [...said, `${called}, now it no longer exists`];
	if (now.name !== before.name) said.push(`${called}, now \`${showName(now.name)}\``);
	const had = before.members;
	if (had === null && now.members === null) return said;
	if (had === null) {
		const have = describeHolders(now.members ?? [], names, "have");
		said.push(`the plan file states that its members could not be read, now ${have}`);
	} else if (now.members === null) {
		const why =
			basis === "last-applied"
				? ", as last applied; here that is unknown, or the tag was changed since"
				: ", now that cannot be read any more";
		said.push(`the plan file states that ${describeHolders(had, names, "had")}${why}`);
	} else if (!sameValue(had, now.members)) said.push(describeMembers(had, now.members, names));
	return said;
}

/** For more names than this, only the difference is shown. */
const maxNames = 8;

function describeMembers(had: readonly string[], have: readonly string[], names: UserNames): string {
	if (had.length <= maxNames && have.length <= maxNames) {
		return `the plan file states that ${describeHolders(had, names, "had")}, now ${describeHolders(have, names, "have")}`;
	}
	const came = have.filter((userId) => !had.includes(userId));
	const went = had.filter((userId) => !have.includes(userId));
	const since = [
		...(came.length === 0 ? [] : [`${listNames(came, names)} got it`]),
		...(went.length === 0 ? [] : [`${listNames(went, names)} lost it`]),
	];
	return `the plan file states that ${had.length} users had it, now ${have.length}; since then ${since.join(", and ")}`;
}

function describeHolders(userIds: readonly string[], names: UserNames, verb: "had" | "have"): string {
	if (userIds.length === 0) return `no user ${verb === "had" ? "had" : "has"} it`;
	const word = verb === "have" && userIds.length === 1 ? "has" : verb;
	return `${listNames(userIds, names)} ${word} it`;
}

function listNames(userIds: readonly string[], names: UserNames): string {
	return listFirst(userIds.map((id) => showUser(id, names)).sort(compareText), maxNames);
}

function removalText({ before, now }: About<"removal">): string {
	if (before === null) return "the plan file states that it could not be read, now it is known to exist";
	if (now === null) return "the plan file states that it existed, now it cannot be read";
	return before.name === now.name
		? "it has the name that the plan file states, but the service describes it differently now"
		: `the plan file states that it was called \`${showName(before.name)}\`, now \`${showName(now.name)}\``;
}

function policyText({ before, now }: About<"policy">): string {
	if (before === null) {
		return now === null
			? "the plan file states another policy than apply would create now"
			: `the plan file states that it did not exist, now a policy of this name exists (${now.id})`;
	}
	if (now === null) return "the plan file states that it existed, now it does not";
	return before.name === now.name
		? "it has the name that the plan file states, but says something else now"
		: `the plan file states that it was called \`${showName(before.name)}\`, now \`${showName(now.name)}\``;
}

function stepText(step: Step | undefined): string {
	if (step === undefined) return "nothing";
	const after = step.dependsOn.length === 0 ? "" : ` after ${step.dependsOn.join(", ")}`;
	return `${step.operation} ${JSON.stringify(step.parameters)}${after}`;
}

function impactText({ saved, fresh, stated, found, later, names }: StaleImpact): string {
	const [was, is, then] = [stated, found, later].map((findings) => listFindings(findings, names));
	if (then) return `the plan file does not state that, at another time, ${then}; now that is so`;
	const isFound = found.length > 0 || fresh.impact?.length === 0 || fresh.impact === undefined;
	const now =
		fresh.impact === undefined ? "policies are not read" : isFound ? is || unchanged(fresh) : "that is not so";
	if (saved.impact === undefined)
		return `the plan file states nothing about who can do what; now ${is || unchanged(fresh)}`;
	if (fresh.impact !== undefined && stated.length + found.length === 0)
		return `the plan file states that its impact is ${saved.impactVerdict}; now it is ${fresh.impactVerdict}`;
	if (was && was === is) return `the plan file states that ${was}; now it is so for other users, or by other policies`;
	return was || saved.impact.length === 0 || fresh.impact === undefined
		? `the plan file states that ${was || unchanged(saved)}; now ${now}`
		: `the plan file does not state that ${is}; now that is so`;
}

/** Returns what it means that an impact has no finding. */
function unchanged({ impactVerdict }: StaleImpact["saved"]): string {
	return impactVerdict === "unknown" ? "it is unknown who could do what" : "who can do what would stay the same";
}
