/** The words of access cases: what does not hold, and why. */

import { showNameWithin, showText } from "../common/escape.ts";
import { own } from "../common/own.ts";
import type { CaseFinding, DecidingClause } from "../plan/access-cases/finding.ts";
import type { WrongName } from "../plan/access-cases/resolve.ts";
import { nearest } from "../plan/nearest.ts";
import { userParts } from "../plan/user-labels.ts";
import { maxNameLength } from "../plan/users.ts";
import type { ActivityGroup } from "../policy/powers/groups.ts";
import { sayCondition, sayExample } from "./condition.ts";
import { count } from "./count.ts";
import { code, type Phrase, time } from "./phrase.ts";
import { describeGroups, describePolicies, listPeople, nameTag, type PowerNames } from "./powers.ts";
import { sayReason } from "./reason.ts";

const things = { user: "user", tag: "user tag", policy: "policy", given: "user" } as const;

export function wrongNameText({ text, of, ids, known }: WrongName): string {
	const name = showNameWithin(text, maxNameLength);
	if (of === "given") return `a user \`${name}\` exists already: give the new user another name`;
	if (ids.length > 1)
		return `several ${of === "policy" ? "policies" : `${things[of]}s`} are called \`${name}\`: write the id, ${ids.join(" or ")}`;
	const near = nearest(text, known);
	return `no ${things[of]} is called \`${name}\`${near === undefined ? "" : `; did you mean \`${showText(near)}\`?`}`;
}

/** Returns what does not hold: `bob can sign alone`. `isEach`: it is so for each of several users. */
export function sayFinding(
	finding: CaseFinding,
	groups: readonly ActivityGroup[],
	isEach: boolean,
	names: PowerNames,
): Phrase {
	const { state, found, because, at } = finding;
	if (found === "unjudged") return because === null ? [] : sayReason(because, names);
	const when: Phrase = at === undefined ? [] : [" at ", time(at)];
	const why: Phrase = because === null ? [] : [": ", ...sayReason(because, names)];
	const fact = sayFact(finding, describeGroups(groups), isEach, names);
	return [...(state === "unknown" ? ["it is unknown whether "] : []), ...fact, ...sayWhere(finding), ...when, ...why];
}

function sayFact(finding: CaseFinding, what: Phrase, isEach: boolean, names: PowerNames): Phrase {
	const { found, userIds, policyId, tagId } = finding;
	const people = listPeople(userIds, names);
	const each = isEach ? "each " : "";
	const joint = userIds.length > 1 && !isEach ? " together" : " alone";
	const policy = policyId === undefined ? [] : describePolicies([policyId], names);
	switch (found) {
		case "can":
			return [...people, ` can ${each}`, ...what, joint];
		case "cannot":
			return [...people, ` cannot ${each}`, ...what, joint];
		case "takesPart":
			return [...people, ` can ${each}`, ...what, ", alone or with others"];
		case "decides":
			return [...policy, " decides who can ", ...what];
		case "does-not-decide":
			return [...policy, " does not decide who can ", ...what];
		case "too-few": {
			const members: Phrase = userIds.length === 0 ? [] : [" (", ...people, ")"];
			const tag = tagId === undefined ? [] : nameTag(tagId, names);
			return [...tag, ` has ${count(userIds.length, "member", "members")}`, ...members, ", fewer than the case names"];
		}
		default:
			return [];
	}
}

/** Returns the activities for which it is so, where it is not so for all. */
function sayWhere({ condition, example }: CaseFinding): Phrase {
	if (condition === null) return example === undefined ? [] : [", for example ", sayExample(example)];
	return [
		" where ",
		...sayCondition(condition),
		...(example === undefined ? [] : [", for example ", sayExample(example)]),
	];
}

/** Returns why it is so: the policy, and the clause that decides. */
export function sayClause(
	{ policyId, effect, applies, clause, text, opensAt }: DecidingClause,
	names: PowerNames,
): Phrase {
	if (policyId === null) return ["the root quorum can do everything"];
	const subject: Phrase = [`${effect} `, ...describePolicies([policyId], names)];
	const written: Phrase = text.trim() === "" ? [] : [": ", code(withReferences(text, names))];
	if (!applies)
		return [...subject, ` does not apply, its ${clause} ${failing[clause]}`, ...sayOpening(opensAt), ...written];
	if (text.trim() === "") return [...subject, ` ${effect === "deny" ? "denies" : "allows"} it`];
	return [...subject, ` ${effect === "deny" ? "denies" : "allows"} it, by its ${clause}`, ...written];
}

/** Returns when a closed time opens next. */
export function sayOpening(opensAt: string | undefined): Phrase {
	return opensAt === undefined ? [] : [", but will be from ", time(opensAt), " on"];
}

const failing = { consensus: "is not met", condition: "is not true", time: "is not in force" } as const;

/** A name that cannot change how the rest of a clause reads. */
const plainName = /^[\p{L}\p{N}](?:[\p{L}\p{N} ._-]{0,58}[\p{L}\p{N}])?$/u;

/** Returns the clause with the ids of tags and users as documents write them: `'${userTags.signers}'`; an id stays where its name is not plain or not its own. */
export function withReferences(clause: string, names: PowerNames): string {
	const { tagNames = {} } = names;
	return clause.replace(/'([^'\\]+)'/g, (written, id: string) => {
		const tag = own(tagNames, id);
		const isOwn = Object.values(tagNames).filter((name) => name === tag).length === 1;
		const { name, notes } = tag === undefined ? userParts(id, names) : { name: tag, notes: [] };
		// An id without a name is its own name, in lower case.
		const isClear = tag === undefined ? notes.length === 0 && name !== id.toLowerCase() : isOwn;
		return isClear && plainName.test(name) ? `'\${${tag === undefined ? "users" : "userTags"}.${name}}'` : written;
	});
}
