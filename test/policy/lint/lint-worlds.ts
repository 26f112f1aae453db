/** Random policies that often say the same, too much or nothing, with what is known of them because they were made so. */
import type { AccessPolicy } from "../../../src/policy/access.ts";
import type { Random } from "../model.ts";
import { uuid } from "./support-lint.ts";

/** A policy, and what its author knows. */
export interface MadePolicy {
	readonly policy: AccessPolicy;
	/** The clauses of the condition that say which activities it is about. */
	readonly naming: readonly string[];
	readonly time: "open" | "over" | "never";
}

export interface LintWorld {
	readonly policies: readonly MadePolicy[];
	/** The tags that policies may name; one may be a name. */
	readonly tags: readonly string[];
	readonly userIds: readonly string[];
}

/** The ids that exist: one of the users, and one of the tags. */
export const knownUser = uuid("a");
export const unknownUser = uuid("b");
export const knownTag = uuid("1");
export const unknownTag = uuid("2");
export const tagName = "payers";

const times = [
	...Array.from({ length: 8 }, () => ["", "open"] as const),
	["CronSpan('0 9 * * 1-5', '8h', 'UTC')", "open"],
	["time.now > Timestamp('2030-01-01T00:00:00Z')", "open"],
	["time.now < Timestamp('2026-01-01T00:00:00Z')", "over"],
	["time.now < Timestamp('2026-01-01T00:00:00Z') && CronSpan('0 9 * * 1-5', '8h', 'UTC')", "over"],
	["time.now > Timestamp('2027-01-01T00:00:00Z') && time.now < Timestamp('2026-12-01T00:00:00Z')", "never"],
] as const;

const pairs = [
	...[["PRIVATE_KEY", "SIGN"] as const, ["PRIVATE_KEY", "SIGN"] as const],
	...[["WALLET", "EXPORT"] as const, ["PRIVATE_KEY", "EXPORT"] as const, ["CREDENTIAL", "DELETE"] as const],
];
const kinds = ["SIGN_TRANSACTION", "SIGN_TRANSACTION", "SIGN_RAW_PAYLOAD", "EXPORT_WALLET", "CREATE_WALLET"];
const types = ["ACTIVITY_TYPE_SIGN_TRANSACTION", "ACTIVITY_TYPE_SIGN_TRANSACTION_V2", "ACTIVITY_TYPE_EXPORT_WALLET"];
const atoms = [
	...["eth.tx.value < 5", "eth.tx.value >= 5", "eth.tx.value < 9", "wallet.id == 'w1'", "wallet.id != 'w1'"],
	...["wallet.id in ['w1', 'w2']", "private_key.id == 'k1'"],
];

export function randomLintWorld(random: Random): LintWorld {
	const tags = [knownTag, random.chance(0.2) ? tagName : random.chance(0.2) ? unknownTag : uuid("3")];
	const userIds = [knownUser, random.chance(0.3) ? unknownUser : knownUser];
	const shared = Array.from({ length: 3 }, () => randomCondition(random));
	const approvals = Array.from({ length: 3 }, () => randomConsensus(random, tags, userIds, 1));
	const policies = Array.from({ length: 1 + random.below(5) }, (_, index): MadePolicy => {
		const { naming, condition } = random.chance(0.5) ? random.pick(shared) : randomCondition(random);
		const [time, verdict] = random.pick(times);
		const consensus = random.chance(0.5) ? random.pick(approvals) : randomConsensus(random, tags, userIds, 1);
		const effect = random.chance(0.65) ? "EFFECT_ALLOW" : "EFFECT_DENY";
		const id = `p${index}`;
		return { policy: { id, name: id, effect, consensus, condition, time }, naming, time: verdict };
	});
	return { policies, tags: [...new Set(tags)], userIds: [...new Set(userIds)] };
}

function randomCondition(random: Random): { readonly naming: readonly string[]; readonly condition: string } {
	const naming = randomNaming(random);
	const rest = random.chance(0.45) ? [] : [randomPart(random)];
	const clauses = [...naming, ...rest];
	return { naming, condition: clauses.length === 0 ? random.pick(["", "true"]) : clauses.join(" && ") };
}

function randomNaming(random: Random): readonly string[] {
	const roll = random.below(20);
	const [resource, action] = random.pick(pairs);
	if (roll < 9) return [`activity.resource == '${resource}'`, `activity.action == '${action}'`];
	if (roll < 11) return [`activity.action == '${action}'`];
	if (roll < 14) return [`activity.kind == '${random.pick(kinds)}'`];
	if (roll < 15) return [`activity.kind in ['${random.pick(kinds)}', '${random.pick(kinds)}']`];
	if (roll < 16) return [`activity.resource == '${resource}'`, `activity.kind == '${random.pick(kinds)}'`];
	if (roll < 18) return [`activity.type == '${random.pick(types)}'`];
	return [];
}

function randomPart(random: Random): string {
	const [one, other] = [random.pick(atoms), random.pick(atoms)];
	const roll = random.below(10);
	if (roll < 5) return one;
	if (roll < 6) return `!(${one})`;
	return `(${one} ${roll < 8 ? "&&" : "||"} ${other})`;
}

function randomConsensus(random: Random, tags: readonly string[], userIds: readonly string[], depth: number): string {
	const of = `u.tags.contains('${random.pick(tags)}')`;
	const id = `u.id == '${random.pick(userIds)}'`;
	const roll = random.below(20);
	if (roll < 6) return `approvers.any(u, ${of})`;
	if (roll < 9) return `approvers.any(u, ${id})`;
	if (roll < 12) return `approvers.filter(u, ${of}).count() >= 2`;
	if (roll < 13) return `approvers.filter(u, ${id}).count() >= ${1 + random.below(2)}`;
	if (roll < 14) return `approvers.count() ${random.pick([">=", "<=", "=="])} ${1 + random.below(2)}`;
	if (roll < 15) return random.pick(["true", "", "approvers.count() >= 1"]);
	if (roll < 16) return `approvers.all(u, ${of})`;
	if (depth === 0) return `approvers.any(u, ${of} && ${id})`;
	const [one, other] = [0, 0].map(() => randomConsensus(random, tags, userIds, 0) || "true");
	return `(${one}) ${random.chance(0.6) ? "&&" : "||"} (${other})`;
}
