/** The versions of each policy that steps lead to, and which steps bring, remove or move users of each. */
import type { AccessPolicy, AccessState, AccessUser } from "../access.ts";
import { type Bits, bit, hasBit, setOf } from "../sets/sets.ts";

/** What one step does. */
export interface StepEffect {
	readonly apply: (access: AccessState) => AccessState;
	/** Ids of tags that users get and lose, and `credentials` where users lose some. */
	readonly gained: ReadonlySet<string>;
	readonly lost: ReadonlySet<string>;
}

/** A policy as it is live, or as a step writes it. Steps are numbers. */
export interface Version {
	readonly policy: AccessPolicy;
	readonly isIn: (completed: Bits) => boolean;
	/** Steps after which it is there, and is not. */
	readonly adders: Bits;
	readonly removers: Bits;
	/** Steps that change which users its consensus means. */
	readonly movers: Bits;
	/** All of these steps. */
	readonly steps: Bits;
}

interface FoundVersions {
	readonly effects: readonly StepEffect[];
	/** None where policies or users are unknown: then nothing can be judged. */
	readonly versions: readonly Version[];
}

export function versionsOf(
	before: AccessState,
	steps: readonly ((access: AccessState) => AccessState)[],
): FoundVersions {
	const { policies, users } = before;
	if (!policies.known || !users.known) return { effects: [], versions: [] };
	const results = steps.map((apply) => apply(before));
	if (results.some((after) => !after.users.known || !after.policies.known)) return { effects: [], versions: [] };
	const live = new Map(policies.value.map((policy) => [policy.id, policy]));
	const isKept = (one: AccessPolicy): boolean => meaningOf(one) === meaningOf(live.get(one.id));
	const written = results.map((after) => policiesOf(after).filter((one) => !isKept(one)));
	const kept = results.map((after) => new Set(policiesOf(after).flatMap((one) => (isKept(one) ? one.id : []))));
	const effects = results.map((after, step): StepEffect => {
		const moved = findMoved(users.value, after.users.known ? after.users.value : []);
		return { apply: steps[step] as StepEffect["apply"], ...moved };
	});
	const isSplit = [...policies.value, ...written.flat()].some(({ consensus }) => /credential/i.test(consensus));
	const moversOf = (policy: AccessPolicy): Bits =>
		setOf([...effects.keys()].filter((step) => isMoved(policy, effects[step] as StepEffect, isSplit)));
	const version = (policy: AccessPolicy, adders: Bits, removers: Bits): Version => {
		const movers = moversOf(policy);
		const isIn = (done: Bits): boolean => (adders === 0n || (adders & done) !== 0n) && (removers & done) === 0n;
		return { policy, isIn, adders, removers, movers, steps: adders | removers | movers };
	};
	return {
		effects,
		versions: [
			...policies.value.map((policy) =>
				version(policy, 0n, setOf([...kept.keys()].filter((step) => kept[step]?.has(policy.id) === false))),
			),
			...written.flatMap((some, step) => some.map((policy) => version(policy, bit(step), 0n))),
		],
	};
}

export const stepsOf = (versions: readonly Version[]): Bits => versions.reduce((steps, one) => steps | one.steps, 0n);

/** Returns the same text for policies that decide the same; a rename is no difference. */
const meaningOf = (policy: AccessPolicy | undefined): string =>
	JSON.stringify([policy?.effect, policy?.consensus, policy?.condition, policy?.time]);

function policiesOf({ policies }: AccessState): readonly AccessPolicy[] {
	return policies.known ? policies.value : [];
}

function findMoved(before: readonly AccessUser[], after: readonly AccessUser[]): Pick<StepEffect, "gained" | "lost"> {
	const [gained, lost] = [new Set<string>(), new Set<string>()];
	for (const [index, user] of before.entries()) {
		const moved = after[index];
		if (moved === undefined || moved === user) continue;
		const counts = [user, moved].map(({ credentials }) => (credentials.known ? credentials.value.length : null));
		if (counts[0] !== counts[1]) lost.add("credentials");
		const [was, is] = [user, moved].map(({ tagIds }) => new Set(tagIds.known ? tagIds.value : [])) as [
			Set<string>,
			Set<string>,
		];
		for (const tag of is) if (!was.has(tag)) gained.add(tag);
		for (const tag of was) if (!is.has(tag)) lost.add(tag);
	}
	return { gained, lost };
}

/** Whether a text in lower case, of a consensus or condition, reads tags otherwise than by asking for one whose id it has. */
export const readsAnyTag = (text: string): boolean =>
	/\btags\b/.test(text.replaceAll(/\btags\s*\.\s*contains\s*\(\s*'/g, ""));

/** Whether the step changes which users the policy means. `isSplit`: users have several votes, so that all are judged together. */
function isMoved({ consensus, condition }: AccessPolicy, { gained, lost }: StepEffect, isSplit: boolean): boolean {
	const moved = [...gained, ...lost];
	if (isSplit) return moved.length > 0;
	const text = `${consensus}\n${condition}`.toLowerCase();
	if (moved.length > 0 && readsAnyTag(text)) return true;
	return moved.some((id) => text.includes(id));
}

/** Whether all steps allow these policies' users more, or all allow them less: then no state between is worse than both ends. */
export function isOneWay(versions: readonly Version[], effects: readonly StepEffect[]): boolean {
	const ways = new Set(versions.flatMap((version) => waysOf(version, effects)));
	return ways.size === 1 && !ways.has("both");
}

type Way = "more" | "less" | "both";

function waysOf({ policy, adders, removers, movers }: Version, effects: readonly StepEffect[]): readonly Way[] {
	const isAllow = policy.effect === "EFFECT_ALLOW";
	if (!isAllow && policy.effect !== "EFFECT_DENY") return ["both"];
	const [up, down] = isAllow ? (["more", "less"] as const) : (["less", "more"] as const);
	// What is negated means more users where a tag has fewer.
	const isPlain = !/!|\bfalse\b/.test(`${policy.consensus}${policy.condition}`);
	const moved = effects.flatMap(({ gained, lost }, step): Way[] => {
		if (!hasBit(movers, step)) return [];
		if (!isPlain || (gained.size > 0 && lost.size > 0)) return ["both"];
		return [gained.size > 0 ? up : down];
	});
	return [...(adders === 0n ? [] : [up]), ...(removers === 0n ? [] : [down]), ...moved];
}
