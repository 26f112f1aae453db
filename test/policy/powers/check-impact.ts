/** Holds the comparison of two model organizations against every set of approvers of both. */
import { expect } from "vitest";
import { compareGroup } from "../../../src/policy/powers/compare.ts";
import {
	compareAccess,
	type ImpactChange,
	type ImpactFinding,
	type ImpactVerdict,
} from "../../../src/policy/powers/impact.ts";
import { prepareBoth } from "../../../src/policy/powers/prepare.ts";
import { atMs, type ModelOrganization, Random, writeAccess } from "../model.ts";
import {
	assignmentsOf,
	holdsIn,
	membersOf,
	Oracle,
	type OraclePart,
	type Sets,
	smallestOf,
	under,
	withMore,
} from "../oracle.ts";
import { pairs } from "./check-powers.ts";

export function checkImpact(before: ModelOrganization, after: ModelOrganization): void {
	const [one, other] = [writeAccess(before), writeAccess(after)];
	const prepared = prepareBoth(one, other, atMs);
	const { userIds } = prepared[0].users;
	const { verdict, findings: reported } = compareAccess(one, other, atMs);
	for (const pair of pairs) {
		const { findings, isMore, isLess } = compareGroup(...prepared, pair);
		const oracles = [new Oracle(before, pair, userIds), new Oracle(after, pair, userIds)] as const;
		if (!oracles.every((oracle) => oracle.isKnown())) checkSoundly(...oracles, findings);
		else if (pair.resource === "CREDENTIAL") checkInEachReading(...oracles, findings);
		else checkExactly(...oracles, findings);
		const isUnknown = findings.some(({ change }) => change === "unknown");
		const fitting = verdictsFor(isMore, isLess).filter((one) => one === "unknown" || !isUnknown);
		expect(fitting, "verdict of all groups").toContain(verdict);
	}
	if (reported.length === 0) expect(verdict).toBe("equivalent");
}

function verdictsFor(isMore: boolean, isLess: boolean): readonly ImpactVerdict[] {
	if (isMore && isLess) return ["both", "unknown"];
	if (isMore) return ["more-permissive", "both", "unknown"];
	if (isLess) return ["less-permissive", "both", "unknown"];
	return ["equivalent", "more-permissive", "less-permissive", "both", "unknown"];
}

/** Returns which open conditions can hold together. */
const assignmentsIn = (oracles: readonly Oracle[]): readonly ReadonlySet<string>[] => {
	const open = oracles.flatMap(({ parts }) => parts.map((part) => part.open));
	return assignmentsOf(open, oracles[0]?.pair ?? { resource: "", action: "" });
};

const without = (sets: Sets, other: Sets): Sets => sets.map((isIn, set) => isIn && !other[set]);
const isEmpty = (sets: Sets): boolean => !sets.includes(true);
const maskOf = (sets: Sets): number => smallestOf(sets).reduce((all, set) => all | set, 0);
const aloneOf = (sets: Sets): number =>
	sets.reduce((all, isIn, set) => (isIn && (set & (set - 1)) === 0 ? all | set : all), 0);
const countOf = (set: number): number => set.toString(2).replaceAll("0", "").length;
const fewestOf = (sets: Sets): number => Math.min(...smallestOf(sets).map(countOf));

/** Returns both sides in each reading of who may change their own credentials. */
function readingsOf(before: Oracle, after: Oracle): readonly (readonly [Oracle, Oracle])[] {
	const pairs: (readonly [boolean, boolean])[] = [[true, true]];
	for (const was of [true, false]) {
		for (const is of [true, false]) {
			// By the other page a policy that covers them ends it; one that may does or does not, and the same on both sides.
			const isFit = [[was, before] as const, [is, after] as const].every(([isRight, { cover }]) =>
				cover === null ? isRight : cover !== "covered" || !isRight,
			);
			if (isFit && (before.cover !== after.cover || was === is)) pairs.push([was, is]);
		}
	}
	const read = ({ organization, pair, userIds }: Oracle, isRight: boolean): Oracle =>
		new Oracle(organization, pair, userIds, null, isRight);
	return pairs.map(([was, is]) => [read(before, was), read(after, is)]);
}

/** Checks that each reading gives these findings; and where they say that it is unknown, that two readings differ. */
function checkInEachReading(before: Oracle, after: Oracle, findings: readonly ImpactFinding[]): void {
	const readings = readingsOf(before, after);
	const sure = findings.filter(({ change }) => change !== "unknown");
	if (sure.length === findings.length) {
		for (const reading of readings) checkExactly(...reading, findings);
		return;
	}
	const assignments = assignmentsIn([before, after]);
	const changes = readings.map(([one, other]) => {
		for (const finding of sure) checkFinding(one, other, finding, assignments);
		return assignments.map((holds) => {
			const sets = [one, other].map((oracle) => withMore(oracle.setsOf(under(holds), true))) as [Sets, Sets];
			// A loss is a lockout where policies allow it no more.
			const isLockout = isEmpty(other.setsOf(under(holds), false));
			return [without(sets[1], sets[0]), without(sets[0], sets[1]), isLockout].join("|");
		});
	});
	expect(new Set(changes.map((one) => one.join("\n"))).size, "readings that differ").toBeGreaterThan(1);
}

function checkExactly(before: Oracle, after: Oracle, findings: readonly ImpactFinding[]): void {
	const { userIds } = before;
	expect(findings.map(({ because }) => because).filter(Boolean), "nothing is unknown").toEqual([]);
	const assignments = assignmentsIn([before, after]);
	let [isMore, isLess] = [false, false];
	const newlyAlone = new Set<string>();
	for (const holds of assignments) {
		const [one, other] = [before, after].map((oracle) => withMore(oracle.setsOf(under(holds), true))) as [Sets, Sets];
		isMore ||= !isEmpty(without(other, one));
		isLess ||= !isEmpty(without(one, other));
		for (const id of membersOf(aloneOf(other) & ~aloneOf(one), userIds)) newlyAlone.add(id);
	}
	const has = (...changes: readonly ImpactChange[]): boolean => findings.some(({ change }) => changes.includes(change));
	expect(has("alone", "fewer", "gains"), "more permissive").toBe(isMore);
	expect(has("nobody", "loses"), "less permissive").toBe(isLess);
	const alone = findings.filter(({ change }) => change === "alone").flatMap((one) => one.userIds);
	expect([...new Set(alone)].sort(), "alone under some condition").toEqual([...newlyAlone].sort());
	for (const finding of findings) checkFinding(before, after, finding, assignments);
	checkUnconditional(before, after, findings);
}

/** Checks that the finding and its witness are true where its condition holds and no other does. */
function checkFinding(
	before: Oracle,
	after: Oracle,
	{ condition, unless, change, userIds, witness }: ImpactFinding,
	assignments: readonly ReadonlySet<string>[],
): void {
	const fitting = assignments.filter((holds) => holdsIn(condition, holds) && !unless.some((text) => holds.has(text)));
	const set = before.userIds.reduce((all, id, index) => (witness.includes(id) ? all | (1 << index) : all), 0);
	const isGain = change === "alone" || change === "fewer" || change === "gains";
	expect(userIds.length, `${change} names users`).toBeGreaterThan(0);
	// Conditions can be written in the same way though different policies have their parts.
	const outcomes = fitting.map((holds) =>
		[before, after].map((oracle) => withMore(oracle.setsOf(under(holds), true))[set]).join(),
	);
	expect(outcomes, `witness of ${change}: ${witness}`).toContain(`${!isGain},${isGain}`);
}

/** Checks what is found without a condition against the definitions. */
function checkUnconditional(before: Oracle, after: Oracle, findings: readonly ImpactFinding[]): void {
	const { userIds } = before;
	const setsOf = (oracle: Oracle, hasRoot: boolean): Sets => withMore(oracle.setsOf(under(new Set()), hasRoot));
	const [one, other] = [setsOf(before, true), setsOf(after, true)];
	const [oneByPolicies, otherByPolicies] = [setsOf(before, false), setsOf(after, false)];
	const [more, less] = [without(other, one), without(one, other)];
	const expected: string[] = [];
	const alone = aloneOf(other) & ~aloneOf(one);
	const isAnyAlone = (aloneOf(more) & alone) !== 0;
	if (alone !== 0) expected.push(`alone ${membersOf(alone, userIds)} ${neededTwo(before, oneByPolicies)}`);
	const isFewer = fewestOf(otherByPolicies) < fewestOf(oneByPolicies) && !isEmpty(oneByPolicies);
	if (!isEmpty(more) && !isAnyAlone && isFewer) expected.push("fewer");
	const gains = maskOf(more) & ~maskOf(one) & ~alone;
	if (gains !== 0) expected.push(`gains ${membersOf(gains, userIds)}`);
	if (!isEmpty(less)) {
		const loses = maskOf(less) & ~maskOf(other);
		if (!isEmpty(oneByPolicies) && isEmpty(otherByPolicies)) expected.push("nobody");
		else if (loses !== 0) expected.push(`loses ${membersOf(loses, userIds)}`);
	}
	const always = findings.filter(({ condition }) => condition === null || condition.startsWith("!"));
	const usersWith = (change: ImpactChange): readonly string[] =>
		[...new Set(always.filter((one) => one.change === change).flatMap((one) => one.userIds))].sort();
	const found = [
		...(usersWith("alone").length === 0
			? []
			: [`alone ${usersWith("alone")} ${always.some(({ isEscalation }) => isEscalation)}`]),
		...(always.some(({ change }) => change === "fewer") ? ["fewer"] : []),
		...(always.some(({ change }) => change === "nobody") ? ["nobody"] : []),
	];
	expect(found.sort(), "without a condition").toEqual(expected.filter((text) => !/^(gains|loses)/.test(text)).sort());
	for (const text of expected) {
		const [, change = "", ids = ""] = /^(gains|loses) (.*)$/.exec(text) ?? [];
		if (change !== "") expect(usersWith(change as ImpactChange), text).toEqual(expect.arrayContaining(ids.split(",")));
	}
}

function neededTwo(before: Oracle, byPolicies: Sets): boolean {
	if (!isEmpty(byPolicies)) return aloneOf(byPolicies) === 0;
	const { root } = before.organization;
	return root === null || root.threshold >= 2;
}

/** Tries readings of what is unknown: none contradicts what is found. */
function checkSoundly(before: Oracle, after: Oracle, findings: readonly ImpactFinding[]): void {
	const isUnknown = findings.some(({ change }) => change === "unknown");
	const assignments = assignmentsIn([before, after]);
	if (isUnknown) return;
	const has = (...changes: readonly ImpactChange[]): boolean => findings.some(({ change }) => changes.includes(change));
	for (let seed = 0; seed < 4; seed += 1) {
		for (const holds of assignments) {
			const [one, other] = [before, after].map((oracle) => readSets(oracle, holds, seed)) as [Sets, Sets];
			if (!isEmpty(without(other, one))) expect(has("alone", "fewer", "gains"), "more permissive").toBe(true);
			if (!isEmpty(without(one, other))) expect(has("nobody", "loses"), "less permissive").toBe(true);
		}
	}
}

/** Returns the sets in one reading of what is unknown, which is the same for what means the same. */
function readSets(oracle: Oracle, holds: ReadonlySet<string>, seed: number): Sets {
	const decide = (part: OraclePart, set: number, choice: number): boolean => {
		const name = part.unclear === null ? `${oracle.nameOf(part)}${set} ${choice}` : oracle.nameOf(part);
		let hash = seed + 1;
		for (const letter of name) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) | 0;
		return new Random(hash).chance(0.5);
	};
	return withMore(oracle.setsOf(under(holds), true, decide));
}
