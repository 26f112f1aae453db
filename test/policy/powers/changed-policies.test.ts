/** What a change of policies alone means is found from the groups in which the changed policies have a part. */
import { describe, expect, it } from "vitest";
import type { AccessPolicy, AccessState } from "../../../src/policy/access.ts";
import { compilePolicy } from "../../../src/policy/powers/compile.ts";
import { compareAccess } from "../../../src/policy/powers/impact.ts";
import { prepareBoth } from "../../../src/policy/powers/prepare.ts";
import { Random } from "../model.ts";

const atMs = Date.parse("2026-06-01T12:00:00Z");
const known = <T>(value: T) => ({ known: true, value }) as const;
const users = known(
	["u1", "u2", "u3"].map((id, index) => ({
		id,
		tagIds: known(index < 2 ? ["t1"] : []),
		email: known(null),
		credentials: known([]),
	})),
);

const conditions = [
	...["", "activity.action == 'DELETE'", "activity.kind == 'CREATE_WALLET'", "activity.kind != 'CREATE_WALLET'"],
	...["activity.kind == 'SIGN_TRANSACTION' && eth.tx.nonce == 1", "activity.kind in ['SIGN_TRANSACTION', 'NEW']"],
	...[
		"activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTION_V9'",
		"activity.kind == 'SIGN_TRANSACTION' && eth.tx.nonce != 1",
	],
	...["activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'", "activity.resource == 'CREDENTIAL'"],
	...["activity.resource == 'POLICY' || wallet.id == 'w'", "activity.kind ==", "activity.params.user_id == 'u1'"],
	...["activity.type == 'ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS'", "activity.resource == 'ROCKET'", "secret.id == 's'"],
];
const consensuses = [
	...[
		"approvers.any(user, user.id == 'u1')",
		"approvers.count() >= 2",
		"approvers.any(user, user.tags.contains('t1'))",
	],
	...["", "approvers.any(user, user.id =", "credentials.any(one, one.type == 'x')"],
];

function randomPolicy(random: Random, id: string): AccessPolicy {
	return {
		...{ id, name: id, effect: random.pick(["EFFECT_ALLOW", "EFFECT_ALLOW", "EFFECT_DENY"]) },
		...{ consensus: random.pick(consensuses), condition: random.pick(conditions) },
		time: random.pick(["", "", "time.now < Timestamp('2026-01-01T00:00:00Z')"]),
	};
}

/** An access, and the same after one policy was added, changed or removed; and their users as objects of their own. */
function randomChange(seed: number): readonly [AccessState, AccessState] {
	const random = new Random(seed);
	const policies = Array.from({ length: 1 + random.below(5) }, (_, index) => randomPolicy(random, `p${index}`));
	const rootQuorum = known({ threshold: 1 + random.below(2), userIds: ["u2", "u3"] });
	const at = random.below(policies.length);
	const changed = random.chance(0.7) ? [randomPolicy(random, random.chance(0.5) ? `p${at}` : "p9")] : [];
	const after = [...policies.filter((_, index) => index !== at), ...changed];
	return [
		{ users, rootQuorum, policies: known(policies) },
		{ users, rootQuorum, policies: known(after) },
	];
}

describe("A change of policies alone", () => {
	it("means the same as where all policies are compared in every group", () => {
		const verdicts = new Set<string>();
		for (let seed = 1; seed <= 100; seed += 1) {
			const [before, after] = randomChange(seed);
			const found = compareAccess(before, after, atMs);
			// Users who are other objects are compared as if they had changed.
			expect(found, `seed ${seed}`).toEqual(compareAccess(before, structuredClone(after), atMs));
			verdicts.add(found.verdict);
		}
		expect([...verdicts].sort()).toEqual(["both", "equivalent", "less-permissive", "more-permissive", "unknown"]);
	});

	it("leaves the other policies prepared as they are", () => {
		const kept = { id: "p1", name: "", effect: "EFFECT_ALLOW", consensus: "", condition: "", time: "" };
		const before: AccessState = {
			users,
			rootQuorum: known({ threshold: 1, userIds: ["u1"] }),
			policies: known([kept]),
		};
		const after = { ...before, policies: known([kept, { ...kept, id: "p2", effect: "EFFECT_DENY" }]) };
		const [one, other] = prepareBoth(before, after, atMs);
		expect(other.policies[0]).toBe(one.policies[0]);
		const [, others] = prepareBoth(before, { ...after, users: structuredClone(users) }, atMs);
		expect(others.policies[0]).not.toBe(one.policies[0]);
	});
});

describe("Policies with the same texts", () => {
	it("are compiled once, also when an organization is read again", () => {
		const read = (): AccessPolicy => ({
			...{ id: "p1", name: "one", effect: "EFFECT_ALLOW", time: "" },
			...{ consensus: "approvers.count() >= 2", condition: "activity.resource == 'WALLET'" },
		});
		expect(compilePolicy({ ...read(), id: "p2" })).toBe(compilePolicy(read()));
		expect(compilePolicy({ ...read(), condition: "" })).not.toBe(compilePolicy(read()));
	});
});
