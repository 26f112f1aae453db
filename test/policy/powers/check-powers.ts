/** Holds powers against every set of approvers of a model organization. */
import { expect } from "vitest";
import { ownCredentials } from "../../../src/policy/powers/judge.ts";
import { findPower, type GroupPower } from "../../../src/policy/powers/powers.ts";
import { prepareAccess } from "../../../src/policy/powers/prepare.ts";
import { atMs, type ModelOrganization, writeAccess } from "../model.ts";
import {
	assignmentsOf,
	holdsIn,
	membersOf,
	Oracle,
	type OraclePart,
	type Pair,
	type Reading,
	smallestOf,
	under,
	withMore,
	writeSets,
} from "../oracle.ts";

export const pairs: readonly Pair[] = [
	{ resource: "PRIVATE_KEY", action: "SIGN" },
	{ resource: "WALLET", action: "EXPORT" },
	{ resource: "POLICY", action: "DELETE" },
	{ resource: "CREDENTIAL", action: "DELETE" },
];

const writtenSets = ({ alone, together }: Pick<GroupPower, "alone" | "together">): string[] =>
	[...alone.map((id) => [id]), ...together].map((set) => set.join("+")).sort();

/** Returns the smallest sets that meet the thresholds, found by trying every set. */
export function setsOfThresholds({ thresholds }: Pick<GroupPower, "thresholds">, userIds: readonly string[]): string[] {
	const sets: boolean[] = Array.from({ length: 2 ** userIds.length }, (_, set) => {
		const members = membersOf(set, userIds);
		return (
			set !== 0 &&
			thresholds.some((alternative) =>
				alternative.every(({ atLeast, of }) => members.filter((id) => of.includes(id)).length >= atLeast),
			)
		);
	});
	return writeSets(smallestOf(sets), userIds);
}

export function checkPowers(organization: ModelOrganization): void {
	const access = writeAccess(organization);
	const prepared = prepareAccess(access, atMs);
	const { userIds } = prepared.users;
	for (const pair of pairs) {
		const power = findPower(prepared, pair);
		const oracle = new Oracle(organization, pair, userIds);
		checkAlways(power, oracle);
		expect(setsOfThresholds(power, userIds), `${pair.resource}: thresholds`).toEqual(writtenSets(power));
		expect(power.isComplete).toBe(true);
		checkConditional(power, oracle);
		checkUnknown(power, oracle);
		checkOutsiders(power, oracle);
	}
}

/** What surely is allowed under the assignment. */
const surely =
	(holds: ReadonlySet<string>) =>
	(part: OraclePart): Reading => {
		if (under(holds)(part) === "off") return "off";
		return part.effect === "ALLOW" ? "sure" : "possible";
	};
const possibly =
	(holds: ReadonlySet<string>) =>
	(part: OraclePart): Reading => {
		if (under(holds)(part) === "off") return "off";
		return part.effect === "ALLOW" ? "possible" : "sure";
	};
const assignmentsIn = ({ parts, pair }: Oracle): readonly ReadonlySet<string>[] =>
	assignmentsOf(
		parts.map(({ open }) => open),
		pair,
	);

/** Checks that what is always allowed is, and who is always enough alone. */
function checkAlways(power: GroupPower, oracle: Oracle): void {
	const { userIds } = oracle;
	const allowed = assignmentsIn(oracle).map((holds) => withMore(oracle.setsOf(surely(holds), true)));
	const placeOf = (set: string): number => set.split("+").reduce((all, id) => all | (1 << userIds.indexOf(id)), 0);
	for (const set of writtenSets(power)) {
		expect(
			allowed.every((sets) => sets[placeOf(set)]),
			`always allowed: ${set}`,
		).toBe(true);
	}
	const alone = userIds.filter((id) => allowed.every((sets) => sets[1 << userIds.indexOf(id)]));
	expect(power.alone, "always enough alone").toEqual(alone);
	if (allowed.length === 1)
		expect(writtenSets(power), "smallest sets").toEqual(writeSets(smallestOf(allowed[0] ?? []), userIds));
}

/** Checks that under each assignment what is named for it is allowed, and no other set. */
function checkConditional(power: GroupPower, oracle: Oracle): void {
	const { userIds } = oracle;
	for (const one of power.conditional) expect(setsOfThresholds(one, userIds)).toEqual(writtenSets(one));
	for (const holds of assignmentsIn(oracle)) {
		if (holds.has(ownCredentials)) continue;
		const here = power.conditional.filter((one) =>
			one.holds ? holdsIn(one.condition, holds) : !holds.has(one.condition),
		);
		const named = [power, ...here].flatMap(writtenSets);
		const members = named.map((set) => set.split("+").reduce((all, id) => all | (1 << userIds.indexOf(id)), 0));
		const found = Array.from({ length: 2 ** userIds.length }, (_, set) =>
			set === 0 ? false : members.some((one) => (one & ~set) === 0),
		);
		expect(writeSets(smallestOf(found), userIds), `where ${[...holds]}`).toEqual(
			writeSets(smallestOf(withMore(oracle.setsOf(surely(holds), true))), userIds),
		);
	}
}

function checkUnknown(power: GroupPower, oracle: Oracle): void {
	if (oracle.organization.root === null) {
		expect(power.unknown).not.toBeNull();
		return;
	}
	const differs = assignmentsIn(oracle).some((holds) => {
		const [most, least] = [oracle.setsOf(possibly(holds), true), oracle.setsOf(surely(holds), true)];
		return smallestOf(most).join() !== smallestOf(least).join();
	});
	expect(power.unknown !== null, "unknown").toBe(differs);
}

function checkOutsiders(power: GroupPower, oracle: Oracle): void {
	const { userIds } = oracle;
	const sets = Array.from({ length: 2 ** userIds.length }, (_, set) => set);
	const denied = userIds.filter((_, index) =>
		sets.filter((set) => ((set >> index) & 1) === 1).every((set) => oracle.isDenied(set)),
	);
	expect(power.denied, "denied").toEqual(denied);
	const { root } = oracle.organization;
	const taking = new Set(
		assignmentsIn(oracle)
			.filter((holds) => !holds.has(ownCredentials))
			.flatMap((holds) => smallestOf(oracle.setsOf(possibly(holds), false)))
			.flatMap((set) => membersOf(set, userIds)),
	);
	expect(power.rootQuorumOnly, "root quorum only").toEqual((root?.userIds ?? []).filter((id) => !taking.has(id)));
}
