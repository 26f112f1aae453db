/** Holds powers against every set of approvers of a model organization. */
import { expect } from "vitest";
import { ownCredentials } from "../../src/policy/powers/judge.ts";
import { findPower, type GroupPower } from "../../src/policy/powers/powers.ts";
import { prepareAccess } from "../../src/policy/powers/prepare.ts";
import { atMs, type ModelOrganization, writeAccess } from "./model.ts";
import {
	certain,
	membersOf,
	Oracle,
	type OraclePart,
	type Pair,
	type Reading,
	type Sets,
	smallestOf,
	withMore,
	writeSets,
} from "./oracle.ts";

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
		const base = oracle.setsOf(certain, true);
		expect(writtenSets(power), `${pair.resource}: smallest sets`).toEqual(writeSets(smallestOf(base), userIds));
		expect(setsOfThresholds(power, userIds), `${pair.resource}: thresholds`).toEqual(writtenSets(power));
		expect(power.isComplete).toBe(true);
		checkConditional(power, oracle);
		checkUnknown(power, oracle);
		checkOutsiders(power, oracle);
	}
}

function checkConditional(power: GroupPower, oracle: Oracle): void {
	const { userIds } = oracle;
	const base = withMore(oracle.setsOf(certain, false));
	const expected: string[] = [];
	for (const holds of [true, false]) {
		const own = oracle.parts.filter(({ effect, open }) => open !== null && (effect === "ALLOW") === holds);
		for (const condition of new Set(own.map(({ open }) => open))) {
			const reading = (part: OraclePart): Reading => {
				if (part.open !== condition || !own.includes(part)) return certain(part);
				return holds ? "sure" : "off";
			};
			const adds = oracle.setsOf(reading, false).some((isIn, set) => isIn && !base[set]);
			const sets = writeSets(smallestOf(oracle.setsOf(reading, true)), userIds);
			if (adds) expected.push(`${condition} ${holds}: ${sets}`);
		}
	}
	const single = power.conditional.filter(({ condition }) => !condition.includes("!("));
	const found = single.map((one) => `${one.condition} ${one.holds}: ${writtenSets(one)}`);
	expect(found.sort(), "conditional").toEqual(expected.sort());
	for (const one of power.conditional) expect(setsOfThresholds(one, userIds)).toEqual(writtenSets(one));
	checkCombined(power, oracle);
}

/** Checks that every set that is allowed where some conditions hold and others do not is named, and no other one. */
function checkCombined(power: GroupPower, oracle: Oracle): void {
	const { userIds } = oracle;
	const open = [...new Set(oracle.parts.flatMap((part) => (part.policy === null ? [] : (part.open ?? []))))];
	if (open.length > 6) return;
	const allowed = oracle.setsOf(certain, true).map(() => false);
	for (let number = 0; number < 2 ** open.length; number += 1) {
		const holds = new Set(open.filter((_, at) => (number >> at) & 1));
		const sets = oracle.setsOf((part) => {
			if (part.policy === null || (part.open !== null && !holds.has(part.open))) return "off";
			return part.effect === "ALLOW" ? "sure" : "possible";
		}, true);
		for (const [set, isIn] of sets.entries()) allowed[set] ||= isIn;
	}
	const named = [power, ...power.conditional.filter(({ condition }) => condition !== ownCredentials)].flatMap(
		writtenSets,
	);
	const members = named.map((set) => set.split("+").reduce((all, id) => all | (1 << userIds.indexOf(id)), 0));
	const found = allowed.map((_, set) => set !== 0 && members.some((one) => (one & ~set) === 0));
	expect(writeSets(smallestOf(found), userIds), "under all conditions").toEqual(
		writeSets(smallestOf(withMore(allowed)), userIds),
	);
}

function checkUnknown(power: GroupPower, oracle: Oracle): void {
	if (oracle.organization.root === null) {
		expect(power.unknown).not.toBeNull();
		return;
	}
	const isOpen = (allow: Reading, deny: Reading, areConditionsOpen: boolean): Sets =>
		oracle.setsOf(({ effect, open }) => {
			if (effect === "ALLOW") return open === null || areConditionsOpen ? allow : "off";
			return open === null || !areConditionsOpen ? deny : "off";
		}, true);
	const differs = [true, false].some((areOpen) => {
		const [most, least] = [isOpen("possible", "sure", areOpen), isOpen("sure", "possible", areOpen)];
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
	const policies = oracle.setsOf(({ effect, open, policy }) => {
		if (policy === null) return "off";
		if (effect === "ALLOW") return "possible";
		return open === null ? "sure" : "off";
	}, false);
	const taking = new Set(smallestOf(policies).flatMap((set) => membersOf(set, userIds)));
	expect(power.rootQuorumOnly, "root quorum only").toEqual((root?.userIds ?? []).filter((id) => !taking.has(id)));
}
