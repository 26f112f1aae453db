/** Rules about who can do what by policies: each compares the activities and the approvers of one with those of the others. */
import { remember } from "../../common/remember.ts";
import type { AccessPolicy } from "../access.ts";
import { sameExpression } from "../language/same-expression.ts";
import { factsOfGroup } from "../powers/activity.ts";
import { findExample } from "../powers/example.ts";
import type { ActivityExample } from "../powers/fields.ts";
import { type ActivityGroup, printGroup, typesOf } from "../powers/groups.ts";
import { type Bits, hasBit, isWithin, membersOf, placesOf } from "../sets/sets.ts";
import { type Coverage, findCoverage } from "./coverage.ts";
import type { LintFinding, LintInput } from "./finding.ts";

const coverages = new WeakMap<readonly AccessPolicy[], Coverage>();

export const coverageOf = ({ policies }: LintInput): Coverage =>
	remember(coverages, policies, () => findCoverage(policies));

type Covered = Coverage["covered"][number];

const allows = ({ policy }: Covered): boolean => policy.effect !== "EFFECT_DENY";

/** Finds policies that say nothing which another does not say. */
export function findContained(input: LintInput): readonly LintFinding[] {
	return compareAll(input, (isContained, isContaining) => isContained && !isContaining);
}

/** Finds policies that say what one before them says. */
export function findRepeats(input: LintInput): readonly LintFinding[] {
	return compareAll(input, (isContained, isContaining, isBefore) => isContained && isContaining && isBefore);
}

function compareAll(
	input: LintInput,
	isSuch: (isContained: boolean, isContaining: boolean, isBefore: boolean) => boolean,
): readonly LintFinding[] {
	const { covered } = coverageOf(input);
	const within = remember(containments, covered, () =>
		covered.map((one) => placesOf(covered, (other) => isContained(one, other, input))),
	);
	return covered.flatMap(({ policy }, index): readonly LintFinding[] => {
		const other = covered.find((_, at) => {
			const isContaining = hasBit(within[at] ?? 0n, index);
			return at !== index && isSuch(hasBit(within[index] ?? 0n, at), isContaining, at < index);
		});
		return other === undefined ? [] : [{ id: policy.id, on: "policy", others: [other.policy.id] }];
	});
}

/** For each policy those that apply wherever it does. */
const containments = new WeakMap<Coverage["covered"], readonly Bits[]>();

function isContained(one: Covered, other: Covered, { population }: LintInput): boolean {
	const [own, theirs] = [one.policy, other.policy];
	if (one === other || one.documented === 0n || own.effect !== theirs.effect) return false;
	if (!isWithin(one.documented, other.surely) && one.key !== other.key) return false;
	return (theirs.time.trim() === "" || sameExpression(own.time, theirs.time)) && population.implies(own, theirs);
}

/** Finds policies that deny nothing that another one allows, to no users. */
export function findIdleDenies(input: LintInput): readonly LintFinding[] {
	const { groups, covered } = coverageOf(input);
	const allowing = covered.filter(allows);
	// Without a policy, users may change their own credentials.
	const ofCredentials = placesOf(groups, (group) => factsOfGroup(group).resource === "CREDENTIAL");
	return covered.flatMap((one): readonly LintFinding[] => {
		if (one.policy.effect !== "EFFECT_DENY" || one.documented === 0n || (one.documented & ofCredentials) !== 0n)
			return [];
		const isMet = allowing.some(
			(allow) => (allow.perhaps & one.documented) !== 0n && input.population.meet([allow.policy, one.policy]),
		);
		return isMet ? [] : [{ id: one.policy.id, on: "policy", clause: "condition" }];
	});
}

/** Finds policies by which every user can do everything alone. */
export function findEverything(input: LintInput): readonly LintFinding[] {
	const { groups, covered } = coverageOf(input);
	const all = placesOf(groups, () => true);
	return covered.flatMap(({ policy, surely }): readonly LintFinding[] => {
		if (policy.effect !== "EFFECT_ALLOW" || surely !== all || !input.population.isMetByAnyone(policy)) return [];
		return [{ id: policy.id, on: "policy", clause: "consensus" }];
	});
}

/** Finds policies by which one user can do alone all that another policy is for, where every other policy needs two. */
export function findAlone(input: LintInput): readonly LintFinding[] {
	const { groups, covered } = coverageOf(input);
	const { population } = input;
	const allowing = covered.filter(allows);
	const guarding = allowing.filter(({ policy }) => population.needsTwo(policy));
	return allowing.flatMap((one): readonly LintFinding[] => {
		if (!population.letsAlone(one.policy, [])) return [];
		const guard = guarding.find(({ policy, documented }) => {
			if (policy === one.policy || documented === 0n || !isWithin(documented, one.surely)) return false;
			const others = allowing.filter((them) => them !== one && (them.perhaps & documented) !== 0n);
			if (!others.every((them) => guarding.includes(them))) return false;
			return membersOf(documented).every((cell) => {
				const denies = covered.filter((them) => !allows(them) && (them.perhaps & (1n << BigInt(cell))) !== 0n);
				return population.letsAlone(
					one.policy,
					denies.map((deny) => deny.policy),
				);
			});
		});
		if (guard === undefined) return [];
		const [cell = 0] = membersOf(guard.documented);
		const activity = exampleOf(guard.policy, groups[cell]);
		return [{ id: one.policy.id, on: "policy", clause: "consensus", others: [guard.policy.id], ...activity }];
	});
}

/** Returns an activity of the group for which the policy's condition holds. */
function exampleOf(
	{ condition }: AccessPolicy,
	group: ActivityGroup | undefined,
): { readonly activity?: ActivityExample } {
	if (group === undefined) return {};
	const example = findExample({ group, condition: condition.trim() === "" ? null : condition, unless: [] });
	return { activity: example ?? { type: typesOf(group)[0]?.type ?? printGroup(group), where: "" } };
}
