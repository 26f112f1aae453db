/** How what was found is written: the order of alternatives, the groups of a report, reasons in two parts. */
import { describe, expect, it } from "vitest";
import type { AccessPolicy } from "../../../src/policy/access.ts";
import { fewestApprovers, type Threshold, thresholdsOf } from "../../../src/policy/powers/ability.ts";
import { type ActivityGroup, namedPowers, printGroup } from "../../../src/policy/powers/groups.ts";
import { listGroups } from "../../../src/policy/powers/listed-groups.ts";
import { prepareAccess } from "../../../src/policy/powers/prepare.ts";
import { isSameReason, notRead, type Reason, withoutPolicy } from "../../../src/policy/powers/reason.ts";
import { bound } from "../../../src/policy/sets/formula.ts";
import type { UserSets } from "../../../src/policy/sets/resolve.ts";
import { setOf } from "../../../src/policy/sets/sets.ts";
import { makeVotes } from "../../../src/policy/sets/votes.ts";
import { noAbility } from "../support-access.ts";

function ordersOf<T>(items: readonly T[]): readonly (readonly T[])[] {
	if (items.length < 2) return [items];
	return items.flatMap((item, index) =>
		ordersOf(items.filter((_, other) => other !== index)).map((rest) => [item, ...rest]),
	);
}

describe("The alternatives of a power", () => {
	const users = makeVotes(["a", "b", "c", "d"]);
	const of = (count: number, ...numbers: readonly number[]) => bound(count, setOf(numbers));
	const root = (count: number, ...numbers: readonly number[]) => ({ ...of(count, ...numbers), isRootQuorum: true });
	const print = ({ atLeast, of: ids, isRootQuorum }: Threshold): string =>
		`${atLeast} of ${ids.join("")}${isRootQuorum ? " (root)" : ""}`;
	const written = (userSets: UserSets): readonly string[] =>
		thresholdsOf(userSets, users).map((all) => all.map(print).join(", "));

	it("come in one order: fewer thresholds first, then fewer users, then by their ids, the root quorum last", () => {
		const userSets = [
			[of(1, 0)],
			[of(1, 1, 2)],
			[of(2, 0, 1)],
			[of(2, 0, 2, 3)],
			[root(1, 0)],
			[of(1, 0), of(1, 1)],
			[of(1, 0), of(1, 2)],
		];
		const expected = ["1 of a", "1 of bc", "2 of ab", "2 of acd", "1 of a (root)", "1 of a, 1 of b", "1 of a, 1 of c"];
		for (const order of ordersOf(userSets)) expect(written(order)).toEqual(expected);
	});

	it("have their thresholds in one order: fewer users first, then by ids, the root quorum last", () => {
		const thresholds = [of(1, 1), of(1, 2, 3), of(2, 0, 1, 2), root(1, 0)];
		for (const order of ordersOf(thresholds)) {
			expect(written([order])).toEqual(["1 of b, 1 of cd, 2 of abc, 1 of a (root)"]);
		}
	});

	it("are compared by all of their thresholds where the first are the same", () => {
		const userSets = [
			[of(1, 0), of(2, 1, 2, 3)],
			[of(1, 0), of(1, 1), of(1, 2)],
			[of(1, 0), of(1, 3)],
			[of(1, 0), of(1, 1, 2)],
		];
		for (const order of ordersOf(userSets)) {
			expect(written(order)).toEqual([
				"1 of a, 1 of bc",
				"1 of a, 1 of d",
				"1 of a, 2 of bcd",
				"1 of a, 1 of b, 1 of c",
			]);
		}
	});
});

describe("The fewest approvers", () => {
	const ability = (parts: Partial<typeof noAbility>) => ({ ...noAbility, ...parts });
	const threshold = (atLeast: number): Threshold => ({ atLeast, of: [], tagId: null, isRootQuorum: false });

	it("are one where a user is enough, else the smallest set, else the largest threshold of an alternative", () => {
		const together = [
			["a", "b"],
			["a", "c", "d"],
		];
		expect(fewestApprovers(ability({ alone: ["a"], together }))).toBe(1);
		expect(fewestApprovers(ability({ together, thresholds: [[threshold(9)]] }))).toBe(2);
		const thresholds = [[threshold(2), threshold(7)], [threshold(5)]];
		expect(fewestApprovers(ability({ thresholds }))).toBe(5);
		expect(fewestApprovers(noAbility)).toBe(null);
	});
});

describe("The groups of a report", () => {
	const core = [
		...(["sign", "export", "policies", "users", "credentials"] as const),
		...(["wallets", "organizations", "imports", "apps"] as const),
	].flatMap((name) => namedPowers[name]);
	const always = core.map(printGroup);

	function more(condition: string, added: readonly ActivityGroup[] = []): readonly string[] {
		const policy: AccessPolicy = { id: "p", name: "", effect: "EFFECT_ALLOW", consensus: "", condition, time: "" };
		const access = {
			users: { known: true, value: [] },
			policies: { known: true, value: [policy] },
			rootQuorum: { known: true, value: { threshold: 1, userIds: [] } },
		} as const;
		const groups = listGroups([prepareAccess(access, 0)], added).map(printGroup);
		expect(groups.slice(0, always.length)).toEqual(always);
		return groups.slice(always.length);
	}
	const movers = [
		...["CLAIM_EARN_FEES", "CLAIM_SWAP_FEES", "EARN_CLAIM_REWARDS", "EARN_DEPLOY_WRAPPER", "EARN_DEPOSIT"],
		...["EARN_WITHDRAW", "ETH_SEND_RAW_TRANSACTION", "ETH_UNDELEGATE_7702", "EXECUTE_SWAP", "SPARK_CLAIM_TRANSFER"],
		...["SPARK_PREPARE_LIGHTNING_RECEIVE", "SPARK_PREPARE_TRANSFER", "SPARK_SIGN_FROST"],
	].map((kind) => `kind ${kind}`);
	const sent = [...movers, "type ACTIVITY_TYPE_SOL_SEND_TRANSACTION_V2"];
	it.each([
		["activity.resource == 'OTP' && activity.action == 'VERIFY'", ["OTP/VERIFY"]],
		["'OTP' == activity.resource && 'VERIFY' == activity.action", ["OTP/VERIFY"]],
		["activity.resource in ['OTP', 'AUTH'] && activity.action == 'CREATE'", ["AUTH/CREATE", "OTP/CREATE"]],
		["activity.resource == 'OTP'", ["OTP/CREATE", "OTP/VERIFY"]],
		["activity.resource != 'OTP'", ["OTP/CREATE", "OTP/VERIFY"]],
		["!(activity.resource == 'OTP')", ["OTP/CREATE", "OTP/VERIFY"]],
		["!(activity.kind == 'B' && activity.kind == 'A')", ["kind A", "kind B"]],
		["activity.kind in ['B', 'A'] && eth.tx.to == 'x'", ["kind A", "kind B"]],
		["activity.type == 'T' && activity.kind == 'K'", ["kind K", "type T"]],
		["activity.kind == 'A' || activity.kind == 'B'", ["kind A", "kind B"]],
		["activity.kind == 'A' || eth.tx.to == 'x'", ["kind A", ...sent]],
		["eth.tx.to == 'x' || activity.kind == 'A'", ["kind A", ...sent]],
		["activity.kind == 'A' || activity.type == 'T'", ["kind A", "type T"]],
		["activity.resource == 'OTP' && activity.action == 'VERIFY' || activity.kind == 'A'", ["OTP/VERIFY", "kind A"]],
		[
			"(activity.resource == 'OTP' || activity.resource == 'AUTH') && activity.action == 'CREATE'",
			["AUTH/CREATE", "OTP/CREATE"],
		],
		["activity.kind == activity.type", []],
		["activity.params.activity.kind == 'A'", []],
		["activity.kind in [activity.type, 'A']", ["kind A"]],
		["activity.resource == 'POLICY' && activity.action == 'SIGN'", []],
		[
			"secret.static_properties['kind'] == 'card'",
			["kind DELETE_SECRETS", "kind EXPORT_SECRETS", "kind IMPORT_SECRETS", "kind INIT_IMPORT_SECRETS"],
		],
		["activity.params.endpoint_id == 'x'", ["WEBHOOK_ENDPOINT/DELETE", "WEBHOOK_ENDPOINT/UPDATE"]],
		["eth.tx.to == 'x'", sent],
		[
			"activity.resource == 'WEBHOOK_ENDPOINT' && activity.action != 'DELETE'",
			["WEBHOOK_ENDPOINT/CREATE", "WEBHOOK_ENDPOINT/UPDATE"],
		],
		[
			"['WEBHOOK_ENDPOINT'].contains(activity.resource)",
			["WEBHOOK_ENDPOINT/CREATE", "WEBHOOK_ENDPOINT/DELETE", "WEBHOOK_ENDPOINT/UPDATE"],
		],
		[
			"activity.resource == 'WALLET' && activity.action != 'CREATE'",
			["WALLET/DELETE", "WALLET/IMPORT", "WALLET/UPDATE"],
		],
		["activity.resource != 'PRIVATE_KEY' && activity.action == 'IMPORT'", ["WALLET/IMPORT"]],
		["activity.resource[0..8] == 'PAYMENT_'", ["PAYMENT_METHOD/DELETE", "PAYMENT_METHOD/UPDATE"]],
		["['EXECUTE_SWAP'].contains(activity.kind)", ["kind EXECUTE_SWAP"]],
		["(activity.kind == 'EXECUTE_SWAP') == true", ["kind EXECUTE_SWAP"]],
		["activity.kind[0..10] == 'SPARK_SIGN'", ["kind SPARK_SIGN_FROST"]],
		["wallet.kind == 'A'", []],
		["activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'", []],
	])("are those of which the policy decides otherwise than of most: %s", (condition, expected) => {
		expect(more(condition)).toEqual(expected);
	});

	it("are an action of each resource that has it where a policy names the action only", () => {
		const updates = [
			...["AUTH/UPDATE", "AUTH_PROXY/UPDATE", "CONFIG/UPDATE", "PAYMENT_METHOD/UPDATE", "PRIVATE_KEY/UPDATE"],
			...["TVC_APP/UPDATE", "TVC_DEPLOYMENT/UPDATE", "WALLET/UPDATE", "WEBHOOK_ENDPOINT/UPDATE"],
		];
		expect(more("activity.action == 'UPDATE'")).toEqual(updates);
		const either = "activity.action == 'UPDATE' || activity.resource == 'OTP' && activity.action == 'VERIFY'";
		expect(more(either)).toEqual(["OTP/VERIFY", ...updates].sort());
	});

	it("are those that are asked for too, each once", () => {
		const added = [
			{ kind: "K" },
			{ resource: "OTP", action: "SIGN" },
			{ kind: "K" },
			{ resource: "POLICY", action: "DELETE" },
		];
		expect(more("activity.kind == 'K'", added)).toEqual(["kind K", "OTP/SIGN"]);
	});
});

describe("A reason", () => {
	const unclear: Reason = { kind: "not-boolean", clause: "time" };
	const ofPolicy: Reason = { kind: "policy", policyId: "p", because: unclear };

	it("is the reason alone in a place that says which policy it is", () => {
		expect(withoutPolicy(ofPolicy, "p")).toEqual(unclear);
		expect(withoutPolicy(ofPolicy, "q")).toEqual(ofPolicy);
		expect(withoutPolicy(unclear, "p")).toEqual(unclear);
	});

	it("is another one where a fact is: the clause, the place in it, an effect, a condition, the steps and their verdicts", () => {
		const reasons: readonly Reason[] = [
			{ kind: "not-understood", clause: "condition", message: "m", span: { start: 1, end: 2 } },
			{ kind: "not-understood", clause: "consensus", message: "m", span: { start: 1, end: 2 } },
			{ kind: "not-understood", clause: "condition", message: "m", span: { start: 1, end: 3 } },
			{ kind: "not-boolean", clause: "time" },
			{ kind: "not-boolean", clause: "condition" },
			{ kind: "unknown-effect", effect: "EFFECT_A" },
			{ kind: "unknown-effect", effect: "EFFECT_B" },
			{ kind: "open-condition", condition: "a" },
			{ kind: "open-condition", condition: "b" },
			{ kind: "order", stepIds: ["step-1"], verdicts: ["runs", "denied"] },
			{ kind: "order", stepIds: ["step-1"], verdicts: ["runs", "pending"] },
			{ kind: "order", stepIds: ["step-1", "step-2"], verdicts: [] },
			{ kind: "too-complex", task: "compare", limit: "steps" },
			{ kind: "too-complex", task: "judge", limit: "steps" },
		];
		for (const [index, one] of reasons.entries()) {
			const inFile = Object.fromEntries(Object.entries(one).reverse()) as unknown as Reason;
			const nested = (because: Reason): Reason => ({ kind: "policy", policyId: "p", because });
			const same = (other: Reason) => isSameReason(inFile, other) && isSameReason(nested(inFile), nested(other));
			expect(reasons.map(same)).toEqual(reasons.map((_other, at) => at === index));
		}
		const worded: Reason = { kind: "not-understood", clause: "condition", message: "M", span: { start: 1, end: 2 } };
		expect(isSameReason(worded, reasons[0] ?? null)).toBe(true);
	});

	it("is the same where kind and policy are, in whatever words", () => {
		expect(
			isSameReason(
				notRead({ kind: "stated", text: "policies are hidden" }),
				notRead({ kind: "stated", text: "policies are not shown" }),
			),
		).toBe(true);
		expect(isSameReason(ofPolicy, { kind: "stated", text: "policy p: something" })).toBe(true);
		expect(isSameReason(ofPolicy, { ...ofPolicy, policyId: "q" })).toBe(false);
		expect(isSameReason(ofPolicy, { ...ofPolicy, because: notRead({ kind: "stated", text: "it" }) })).toBe(false);
		expect([isSameReason(null, null), isSameReason(unclear, null)]).toEqual([true, false]);
	});
});
