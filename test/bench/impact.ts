/** The impact of a plan on a large organization: 100 users, 100 tags, 200 policies; and a consensus of 10 of 100 users. */
import type { AccessPolicy, AccessState, AccessUser } from "../../src/policy/access.ts";
import { compareAccess } from "../../src/policy/powers/impact.ts";
import { findPowers } from "../../src/policy/powers/powers.ts";
import { type Measured, median } from "./run.ts";

const uuid = (kind: number, index: number): string =>
	`${kind.toString(16).padStart(8, "0")}-0000-4000-8000-${index.toString(16).padStart(12, "0")}`;
const known = <T>(value: T) => ({ known: true, value }) as const;
export const atMs = Date.parse("2026-06-01T12:00:00Z");

const pairs = [
	["PRIVATE_KEY", "SIGN"],
	["WALLET", "EXPORT"],
	["WALLET", "CREATE"],
	["POLICY", "CREATE"],
	["POLICY", "DELETE"],
	["USER", "CREATE"],
	["USER", "UPDATE"],
	["CREDENTIAL", "DELETE"],
	["ORGANIZATION", "CREATE"],
	["TVC_APP", "DELETE"],
] as const;

/** Each user has about five tags. */
function makeUser(index: number): AccessUser {
	const tagIds = Array.from({ length: 5 }, (_, turn) => uuid(3, (index * 7 + turn * 31) % 100)).sort();
	return { id: uuid(1, index), tagIds: known(tagIds), email: known(null), credentials: known([]) };
}

/** Shapes as organizations have them: one of a tag, two of a tag, one and one of two tags, and some that deny. */
export function makePolicy(index: number): AccessPolicy {
	const [one, other] = [uuid(3, index % 100), uuid(3, (index * 13 + 5) % 100)];
	const [resource, action] = pairs[index % pairs.length] ?? pairs[0];
	const ofTag = `approvers.filter(user, user.tags.contains('${one}')).count() >= 2`;
	const shapes = [
		`approvers.any(user, user.tags.contains('${one}'))`,
		ofTag,
		`${ofTag} && approvers.any(user, user.tags.contains('${other}'))`,
		`approvers.any(user, user.id == '${uuid(1, index % 100)}')`,
	];
	const wallet = resource === "PRIVATE_KEY" && index % 3 === 0 ? ` && wallet.id == '${uuid(5, index % 7)}'` : "";
	return {
		id: uuid(2, index),
		name: `policy ${index}`,
		effect: index % 10 === 9 ? "EFFECT_DENY" : "EFFECT_ALLOW",
		consensus: shapes[index % shapes.length] ?? "",
		condition: `activity.resource == '${resource}' && activity.action == '${action}'${wallet}`,
		time: index % 20 === 0 ? "time.now >= Timestamp('2026-01-01T00:00:00Z')" : "",
	};
}

export function makeAccess(policies: readonly AccessPolicy[]): AccessState {
	const users = Array.from({ length: 100 }, (_, index) => makeUser(index));
	return {
		users: known(users),
		policies: known(policies),
		rootQuorum: known({ threshold: 3, userIds: users.slice(0, 5).map(({ id }) => id) }),
	};
}

/** Three tags change their members, and a policy goes. */
function changeAccess(before: AccessState): AccessState {
	if (!before.users.known || !before.policies.known) throw new Error("the bench knows users and policies");
	const changed = [uuid(3, 3), uuid(3, 41), uuid(3, 77)];
	const users = before.users.value.map((user, index) => {
		if (index % 11 !== 0 || !user.tagIds.known) return user;
		const tag = changed[index % changed.length] ?? "";
		const { value } = user.tagIds;
		return { ...user, tagIds: known(value.includes(tag) ? value.filter((id) => id !== tag) : [...value, tag].sort()) };
	});
	return { ...before, users: known(users), policies: known(before.policies.value.slice(1)) };
}

/** Runs with policies that no run before has seen: nothing is kept from one to the next. */
function time(makePolicies: () => readonly AccessPolicy[], run: (access: AccessState) => void): number {
	const times: number[] = [];
	for (let round = 0; round < 15; round += 1) {
		const access = makeAccess(makePolicies());
		const start = performance.now();
		run(access);
		times.push(performance.now() - start);
	}
	return median(times);
}

/** Policies whose conditions are true independently of each other, so that every combination of them is another cell. */
function wideConditions(): readonly AccessPolicy[] {
	const parameters = ["user_id", "wallet_id", "encoding", "hash_function", "target_public_key"];
	return Array.from({ length: 20 }, (_, index) => {
		const texts = Array.from({ length: 10 }, (_text, at) => `'text ${index} ${at}'`).join(", ");
		const name = parameters[index % parameters.length] ?? "";
		const field = index < 10 ? `eth.tx.contract_call_args['${index}']` : `activity.params.${name}_${index}`;
		return { ...makePolicy(index), condition: `activity.action == 'SIGN' && ${field} in [${texts}]` };
	});
}

export function benchImpact(): readonly Measured[] {
	const all = (): readonly AccessPolicy[] => Array.from({ length: 200 }, (_, index) => makePolicy(index));
	const impact = time(all, (access) => {
		if (compareAccess(access, changeAccess(access), atMs).findings.length === 0)
			throw new Error("the plan has an impact");
	});
	const powers = time(all, (access) => void findPowers(access, atMs));
	const ten = time(
		() => [{ ...makePolicy(0), consensus: "approvers.count() >= 10" }, ...all().slice(1, 20)],
		(access) => void findPowers(access, atMs),
	);
	const listed = time(wideConditions, (access) => {
		void findPowers(access, atMs);
		void compareAccess(access, changeAccess(access), atMs);
	});
	return [
		{
			what: "powers and impact: 20 conditions, each on a field of its own with 10 texts",
			measured: `${listed.toFixed(0)} ms`,
			aim: "under 2,000 ms",
		},
		{
			what: "impact of a plan: 100 users, 100 tags, 200 policies",
			measured: `${impact.toFixed(0)} ms`,
			aim: "under 200 ms",
		},
		{ what: "powers of the same organization", measured: `${powers.toFixed(0)} ms`, aim: "under 200 ms" },
		{ what: "powers where 10 of 100 users must approve", measured: `${ten.toFixed(0)} ms`, aim: "under 200 ms" },
	];
}
