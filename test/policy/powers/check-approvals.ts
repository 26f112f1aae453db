/** Holds forecast approvals against every set of approvers, in readings of what is unknown. */
import { expect } from "vitest";
import { type Approval, forecastApproval } from "../../../src/policy/powers/forecast.ts";
import { prepareAccess } from "../../../src/policy/powers/prepare.ts";
import { atMs, type ModelOrganization, Random, writeAccess } from "../model.ts";
import {
	membersOf,
	Oracle,
	type OraclePart,
	ownCredentials,
	type Pair,
	type Sets,
	smallestOf,
	writeSets,
} from "../oracle.ts";
import { setsOfThresholds } from "./check-powers.ts";

const activities: readonly { readonly type: string; readonly kind: string; readonly pair: Pair }[] = [
	{ kind: "DELETE_POLICIES", pair: { resource: "POLICY", action: "DELETE" } },
	{ kind: "DELETE_OAUTH_PROVIDERS", pair: { resource: "CREDENTIAL", action: "DELETE" } },
].map((activity) => ({ ...activity, type: `ACTIVITY_TYPE_${activity.kind}` }));

export function checkApprovals(random: Random, organization: ModelOrganization): void {
	const access = writeAccess(organization);
	const { userIds } = prepareAccess(access, atMs).users;
	for (const { type, pair } of activities) {
		const submitter = random.pick(organization.users);
		const { key = null } = random.chance(0.5) ? (submitter.credentials[0] ?? {}) : {};
		const ownerId = pair.resource === "CREDENTIAL" ? random.pick(userIds) : null;
		const approval = forecastApproval(access, { type, ownerId }, { userId: submitter.id, publicKey: key }, atMs);
		const keys = key === null && submitter.credentials.length > 0 ? submitter.credentials.map((one) => one.key) : [key];
		const outcomes = new Set<string>();
		let isKnown = true;
		for (const stamp of keys) {
			const oracle = new Oracle(organization, pair, userIds, { userId: submitter.id, key: stamp ?? "" });
			isKnown &&= oracle.isKnown();
			for (const outcome of outcomesOf(oracle, submitter.id, ownerId, type)) outcomes.add(outcome);
		}
		check(approval, outcomes, isKnown, userIds);
		checkReasons(approval, organization);
	}
}

function check(approval: Approval, outcomes: ReadonlySet<string>, isKnown: boolean, userIds: readonly string[]): void {
	const found = `${approval.verdict} ${approval.approverSets.map((set) => set.join("+")).sort()}`;
	expect(`${approval.verdict} ${setsOfThresholds(approval, userIds)}`, "thresholds").toBe(found);
	if (isKnown) expect(found).toBe(outcomes.size === 1 ? [...outcomes][0] : "unknown ");
	// In no reading of what is unknown does anything else happen.
	else if (approval.verdict !== "unknown") expect([...outcomes]).toEqual([found]);
}

function checkReasons({ verdict, because, policyIds }: Approval, { policies }: ModelOrganization): void {
	expect(because !== null).toBe(verdict === "denied" || verdict === "unknown");
	for (const id of policyIds) expect(policies.map((policy) => policy.id)).toContain(id);
	if (because?.kind === "denied-by-policy") {
		expect(policyIds.some((id) => policies.some((policy) => policy.id === id && policy.effect === "DENY"))).toBe(true);
	}
}

/** Returns what happens in each of several readings of what is unknown, own credentials in both. */
function outcomesOf(oracle: Oracle, submitterId: string, ownerId: string | null, type: string): readonly string[] {
	return [true, false].flatMap((isRight) => outcomesWith(isRight, oracle, { submitterId, ownerId, type }));
}

/** `isRight`: whether users may change their own credentials although a policy covers them. */
function outcomesWith(
	isRight: boolean,
	oracle: Oracle,
	{
		submitterId,
		ownerId,
		type,
	}: { readonly submitterId: string; readonly ownerId: string | null; readonly type: string },
): readonly string[] {
	const open = new Set(
		oracle.parts.flatMap((part) => (part.open === null || part.open === ownCredentials ? [] : [part.open])),
	);
	// The kind of this activity is known.
	const texts = [...open].filter((text) => !text.startsWith("activity.kind"));
	const outcomes: string[] = [];
	const seeds = oracle.isKnown() ? 1 : 4;
	for (let number = 0; number < 2 ** Math.min(texts.length, 5) * seeds; number += 1) {
		const seed = Math.floor(number / 2 ** texts.length);
		const holds = (part: OraclePart): boolean => {
			if (part.open === null) return true;
			if (part.open === ownCredentials) return ownerId === submitterId;
			if (part.open.includes("CREATE_THING")) return false;
			return part.open.startsWith("activity.kind")
				? part.open.includes(type.slice(14))
				: ((number >> texts.indexOf(part.open)) & 1) === 1;
		};
		const decide = (part: OraclePart, set: number, choice: number): boolean => {
			if (part.policy === null) return isRight;
			const name = part.unclear === null ? `${oracle.nameOf(part)}${set} ${choice}` : part.unclear;
			let hash = seed + 1;
			for (const letter of name) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) | 0;
			return new Random(hash).chance(0.5);
		};
		const own = ownerId === submitterId ? submitterId : null;
		const sets = ownOnly(oracle, own, (part) => (holds(part) ? "sure" : "off"), decide);
		outcomes.push(outcomeOf(sets, oracle.userIds, submitterId));
	}
	return outcomes;
}

/** The exception for own credentials is for sets with the owner only. */
function ownOnly(
	oracle: Oracle,
	ownerId: string | null,
	readingOf: Parameters<Oracle["setsOf"]>[0],
	decide: Parameters<Oracle["setsOf"]>[2],
): Sets {
	const withOwn = oracle.setsOf(readingOf, true, decide);
	const without = oracle.setsOf((part) => (part.policy === null ? "off" : readingOf(part)), true, decide);
	return withOwn.map((isIn, set) =>
		ownerId !== null && membersOf(set, oracle.userIds).includes(ownerId) ? isIn : without[set] === true,
	);
}

function outcomeOf(sets: Sets, userIds: readonly string[], submitterId: string): string {
	const own = 1 << userIds.indexOf(submitterId);
	if (sets[own]) return "runs ";
	if (!smallestOf(sets).some((set) => (set & own) !== 0)) return "denied ";
	const further = smallestOf(sets.map((_, set) => (set & own) === 0 && sets[set | own] === true));
	return `pending ${writeSets(further, userIds)}`;
}
