import { describe, expect, it } from "vitest";
import type { AccessState } from "../../../src/policy/access.ts";
import { printGroup } from "../../../src/policy/powers/groups.ts";
import { findPowers } from "../../../src/policy/powers/powers.ts";

const alice = "00000000-0000-4000-8000-000000000001";

/** An organization in which alice has what one policy allows. */
function accessWith(condition: string): AccessState {
	const user = { id: alice, tagIds: { known: true, value: [] }, email: { known: true, value: null } } as const;
	const policy = {
		id: "p",
		name: "p",
		effect: "EFFECT_ALLOW",
		consensus: `approvers.any(user, user.id == '${alice}')`,
		condition,
		time: "",
	};
	return {
		users: { known: true, value: [{ ...user, credentials: { known: true, value: [] } }] },
		policies: { known: true, value: [policy] },
		rootQuorum: { known: true, value: { threshold: 2, userIds: [alice, "00000000-0000-4000-8000-000000000002"] } },
	};
}

function signing(condition: string, name = "PRIVATE_KEY/SIGN") {
	const power = findPowers(accessWith(condition), 0).find(({ group }) => printGroup(group) === name);
	return { alone: power?.alone, conditional: power?.conditional.map((one) => [one.condition, one.alone]) };
}

describe("a condition that is true for some activities and errs for those without a wallet", () => {
	it("gives a power under the condition, since an error beside what is true makes the policy err", () => {
		const condition = "activity.action == 'SIGN' || wallet.id == 'w'";
		expect(signing(condition)).toEqual({ alone: [], conditional: [[condition, [alice]]] });
	});

	it.each([
		["PRIVATE_KEY/SIGN", "private_key", true],
		["PRIVATE_KEY/EXPORT", "private_key", true],
		["WALLET/EXPORT", "private_key", false],
		["PRIVATE_KEY/SIGN", "wallet", true],
		["WALLET/EXPORT", "wallet", true],
		["PRIVATE_KEY/EXPORT", "wallet", false],
		["POLICY/CREATE", "wallet", false],
	])("is about activities of %s as far as they have a %s: %s", (group, part, hasPart) => {
		const { conditional } = signing(`${part}.id == 'x' || activity.resource == 'none'`, group);
		expect(conditional).toHaveLength(hasPart ? 1 : 0);
	});

	it("gives the power always where it names only what every activity has", () => {
		expect(signing("activity.action == 'SIGN' || activity.kind == 'SIGN_TRANSACTION'")).toEqual({
			alone: [alice],
			conditional: [],
		});
	});
});

describe("a policy that names a kind of activity", () => {
	it("gives no power to sign where the kind is not one that signs", () => {
		for (const kind of ["CREATE_WALLET", "CREATE_API_KEYS"])
			expect(signing(`activity.kind == '${kind}'`)).toEqual({ alone: [], conditional: [] });
	});

	it("gives the power of the action and resource that the kind is written as, for these activities", () => {
		const powers = findPowers(accessWith("activity.kind == 'CREATE_WALLET'"), 0);
		const given = powers.filter(({ policyIds }) => policyIds.includes("p"));
		const named = given.map(({ group }) => ("resource" in group ? `${group.resource}/${group.action}` : group));
		expect(named).toEqual(["WALLET/CREATE", { kind: "CREATE_WALLET" }]);
	});
});
