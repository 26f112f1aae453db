/** Judges what races left at the service, by the emulator's own list of activities. */

import type { Arena, Runner } from "../arena.ts";
import type { Ended } from "../command.ts";
import { asksFor, changesOf, type ListedActivity, missingFrom, type SmallWorld, users } from "../small-world.ts";

/** What a race was, for the words of a finding. */
export interface Raced {
	readonly arena: Arena;
	readonly world: SmallWorld;
	readonly runners: readonly Runner[];
	readonly ended: readonly Ended[];
	readonly steps: readonly string[];
}

/** Throws an Error that shows the whole race, in order. */
export function fail({ arena, world, runners, ended, steps }: Raced, what: string): never {
	const commands = runners.map(({ words, who, machine }, index) => {
		const { code, stdout, stderr } = ended[index] ?? { code: null, stdout: "", stderr: "it did not end" };
		return `runner ${index} (${who}, machine ${machine}): orgsync ${words.join(" ")}: exit ${code}\n${indent(stdout + stderr)}`;
	});
	const activities = arena
		.activities()
		.map((one) => `${one.id} ${one.status} ${fingerprintOf(one)}: ${changesOf(one).join(", ")}`);
	const parts = ["document:", indent(world.document), ...commands, "in this order:", indent(steps.join("\n"))];
	throw new Error([what, ...parts, "activities:", indent(activities.join("\n"))].join("\n"));
}

function fingerprintOf({ fingerprint }: ListedActivity): string {
	return fingerprint.slice(0, 15);
}

function indent(text: string): string {
	return text.trimEnd().replaceAll(/^/gm, "    ");
}

/** Returns the changes that more than one activity makes, each with its activities. */
export function findDuplicates(activities: readonly ListedActivity[]): ReadonlyMap<string, readonly ListedActivity[]> {
	const byChange = new Map<string, ListedActivity[]>();
	for (const activity of activities) {
		for (const change of changesOf(activity)) byChange.set(change, [...(byChange.get(change) ?? []), activity]);
	}
	return new Map([...byChange].filter(([, list]) => list.length > 1));
}

/** Fails if a change got more than one activity, or an activity makes a change that the document does not ask for. */
export function judgeActivities(raced: Raced, asked: ReadonlySet<string>): void {
	const activities = raced.arena.activities();
	for (const [change, list] of findDuplicates(activities)) {
		fail(raced, `one change has ${list.length} activities: ${change}: ${list.map(({ id }) => id).join(", ")}`);
	}
	for (const change of activities.flatMap(changesOf)) {
		if (!asksFor(raced.world, change, asked)) fail(raced, `the document does not ask for: ${change}`);
	}
}

/** Fails if a user has two votes of a kind on one activity. */
export function judgeVotes(raced: Raced): void {
	for (const { id, votes } of raced.arena.activities()) {
		const cast = votes.map(({ userId, selection }) => `${userId} ${selection}`);
		if (new Set(cast).size < cast.length) fail(raced, `a user has two votes on ${id}: ${cast.join(", ")}`);
	}
}

/** Fails if the organization is not as the document says. */
export function judgeState(raced: Raced): void {
	const missing = missingFrom(raced.world, raced.arena.organization());
	if (missing.length > 0)
		fail(raced, `the organization does not have what the document asks for: ${missing.join(", ")}`);
}

/** Fails if a command ended otherwise, printed a stack trace, or a word that no person should read. */
export function judgeEnds(raced: Raced, codes: readonly number[]): void {
	for (const [index, { code, stdout, stderr }] of raced.ended.entries()) {
		if (code === null || !codes.includes(code))
			fail(raced, `runner ${index} ended with ${code}, not with one of ${codes.join(", ")}`);
		const found = /\n\s+at .*\(|unexpected error|undefined|\[object|NaN/.exec(stdout + stderr);
		if (found !== null) fail(raced, `runner ${index} printed ${JSON.stringify(found[0])}`);
	}
}

/** Returns the ids of users who have approved the activity. */
export function approversOf({ votes }: ListedActivity): readonly string[] {
	const known = Object.values<string>(users);
	return votes.flatMap(({ userId, selection }) =>
		selection === "VOTE_SELECTION_APPROVED" && known.includes(userId) ? [userId] : [],
	);
}
