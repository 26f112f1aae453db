/** What is true of every activity, and was not where conditions were compared as texts. */
import { describe, expect, it } from "vitest";
import type { AccessPolicy } from "../../../src/policy/access.ts";
import { findCells } from "../../../src/policy/cells/cells.ts";
import { findPower } from "../../../src/policy/powers/powers.ts";
import { prepareAccess } from "../../../src/policy/powers/prepare.ts";
import { accessOf, allow, atMs, between, deny, is, two, when } from "../powers/change-lines.ts";
import { parseText } from "../worlds.ts";

/** Who can sign always, then who under which condition. */
function powersOf(policies: readonly AccessPolicy[]): readonly string[] {
	const power = findPower(prepareAccess(accessOf(policies), atMs), { resource: "PRIVATE_KEY", action: "SIGN" });
	return [power.alone.join(), ...power.conditional.map(({ condition, alone }) => `${condition}: ${alone}`)];
}

describe("A comparison of every activity", () => {
	it("finds a lockout that two complementary conditions hid", () => {
		const before = [allow(is("a"), when("eth.tx.value > 5")), allow(is("b"), when("eth.tx.value <= 5"))];
		expect(between(before, before.slice(1))).toEqual(["nobody a if eth.tx.value > 5"]);
	});

	it("finds an escalation that two conditions make together", () => {
		const kept = [
			...[allow(is("a")), allow(two), deny(is("a"), when("wallet.id == 'vault'"))],
			deny(is("b"), when("eth.tx.value > 5")),
		];
		expect(between(kept, [...kept, allow(is("c"), when("eth.tx.value > 5 && wallet.id == 'vault'"))])).toEqual([
			"alone c escalation if eth.tx.value > 5 && wallet.id == 'vault'",
		]);
	});

	it("finds no lockout under conditions that no activity meets together, or that are equal in other words", () => {
		const before = [allow(is("a")), allow(is("b"))];
		const denials = [deny(is("a"), when("eth.tx.to == 'x'")), deny(is("b"), when("solana.tx.transfers.count() == 1"))];
		expect(between(before, [...before, ...denials])).toEqual([
			...["loses a if eth.tx.to == 'x'", "loses b if solana.tx.transfers.count() == 1"],
		]);
		const [one, other] = [
			when("eth.tx.value > 5 && eth.tx.to == 'x'"),
			when("'x' == eth.tx.to && !(eth.tx.value <= 5)"),
		];
		expect(between([allow(is("a"), one)], [allow(is("a"), other)])).toEqual([]);
	});

	it("lets a policy that always errs neither deny nor allow", () => {
		const never = when("eth.tx.to == 'x' || solana.tx.recent_blockhash == 'y'");
		expect(powersOf([allow(is("a")), deny(is("a"), never)])).toEqual(["a"]);
		expect(powersOf([allow(is("a"), never)])).toEqual([""]);
		expect(between([allow(is("a"))], [allow(is("a")), deny(is("a"), never)])).toEqual([]);
	});
});

it("A change is said in the words of the policy that changed, where several are as short", () => {
	const [one, other] = [when("eth.tx.to == 'x'"), when("'x' == eth.tx.to")];
	for (const [kept, changed, words] of [
		[one, other, "'x' == eth.tx.to"],
		[other, one, "eth.tx.to == 'x'"],
	] as const) {
		const before = [allow(is("b"), kept), allow(is("a"))];
		expect(between(before, [...before, deny(is("a"), changed)])).toEqual([`loses a if ${words}`]);
	}
});

it("A change names no condition where it was so before under the others", () => {
	const kept = [allow(is("a"), when("eth.tx.to == 'x'")), allow(two)];
	expect(between(kept, [...kept, allow(is("a"))])).toEqual(["alone a escalation"]);
	expect(between(kept, [...kept, allow(is("a"), when("eth.tx.to != 'x'"))])).toEqual([
		"alone a escalation if eth.tx.to != 'x'",
	]);
});

it("A condition is left with what the fields of an activity do not decide", () => {
	const policy = allow(is("a"), when("(eth.tx.to == 'x' || wallet.id == 'w') && wallet.label == 'l'"));
	const conditionsWith = (fields: ReadonlyMap<string, string>) =>
		findPower(prepareAccess(accessOf([policy]), atMs), { resource: "PRIVATE_KEY", action: "SIGN" }, { fields })
			.conditions;
	expect(conditionsWith(new Map([["wallet.label", "l"]]))).toEqual(["eth.tx.to == 'x' || wallet.id == 'w'"]);
	expect(conditionsWith(new Map([["wallet.id", "v"]]))).toEqual(["eth.tx.to == 'x' && wallet.label == 'l'"]);
	expect(conditionsWith(new Map([["wallet.label", "m"]]))).toEqual([]);
});

describe("A parameter that only some types of activities have", () => {
	it("makes a condition err for the others, whatever is beside it", () => {
		const encoded = when("(activity.params.encoding == 'x' || activity.resource != 'POLICY')");
		expect(powersOf([allow(is("a"), encoded)])).toEqual([
			...["", "activity.params.encoding == 'x' || activity.resource != 'POLICY': a"],
		]);
		expect(
			powersOf([
				allow(is("a"), when("activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTION' && activity.params.encoding == 'x'")),
			]),
		).toEqual([""]);
	});
});

describe("The cells of conditions", () => {
	const names = { kind: "K", type: "T", resource: "R", action: "A" };
	const activities = { rows: [{ names, params: null }], has: () => true };
	const cellsOf = (...texts: readonly string[]): readonly string[] =>
		findCells(
			texts.map((text) => ({ text, anyOf: [parseText(text)] })),
			activities,
		)
			.cells.map(({ holds }) => holds.map((one) => (one === true ? "1" : one === false ? "0" : "?")).join(""))
			.sort();

	it.each<[readonly string[], readonly string[]]>([
		[
			["eth.tx.to == 'x'", "eth.tx.to == 'y'"],
			["00", "01", "10"],
		],
		[
			["eth.tx.to == 'x'", "eth.tx.to in ['x', 'y']"],
			["00", "01", "11"],
		],
		[
			["eth.tx.value > 5", "eth.tx.value < 7"],
			["00", "01", "10", "11"],
		],
		[
			["eth.tx.value > 5", "eth.tx.value < 6"],
			["00", "01", "10"],
		],
		[
			["eth.tx.gas > eth.tx.value", "eth.tx.gas == eth.tx.value"],
			["00", "01", "10"],
		],
		[
			["eth.tx.to == 'x'", "eth.tx.to == wallet_account.address"],
			["00", "01", "10", "11"],
		],
		[
			["eth.tx.data[0..2] == 'aa'", "eth.tx.data[2..4] == 'bb'"],
			["00", "01", "10", "11"],
		],
		[
			["eth.tx.to == 'x'", "solana.tx.recent_blockhash == 'x'"],
			["00", "01", "10"],
		],
		[
			["wallet.id == 'x'", "private_key.id == 'x'"],
			["00", "01", "10"],
		],
		[
			["wallet.imported", "!wallet.imported"],
			["00", "01", "10"],
		],
		[
			["private_key.tags.contains('x')", "private_key.tags.contains('y')"],
			["00", "01", "10", "11"],
		],
		[
			["private_key.tags.count() == 0", "'x' in private_key.tags"],
			["00", "01", "10"],
		],
		[
			["solana.tx.transfers.any(t, t.to == 'x')", "solana.tx.transfers.all(t, t.to == 'x')"],
			["00", "01", "10", "11"],
		],
		[
			["solana.tx.transfers.count() == 1", "solana.tx.transfers.count() >= 2"],
			["00", "01", "10"],
		],
		[
			["solana.tx.transfers[0].to == 'x'", "solana.tx.transfers.all(t, t.to != 'x')"],
			["00", "01", "10"],
		],
		[
			["eth.tx.contract_call_args['to'] == 'x'", "eth.tx.contract_call_args['to'] != 'x'"],
			["00", "01", "10"],
		],
		[
			["activity.params.wallet_id == 'x' || true", "activity.kind == 'K'"],
			["01", "11"],
		],
		[["eth.tx.data[3..1] == 'a'"], ["0"]],
		[["activity.kind == activity.type"], ["0"]],
		[["eth.tx.value <= 115792089237316195423570985008687907853269984665640564039457584007913129639935"], ["0", "1"]],
		[
			[
				"eth.tx.value <= 115792089237316195423570985008687907853269984665640564039457584007913129639935",
				"eth.tx.value >= 0",
			],
			["00", "11"],
		],
	])("are those that some activity is in: %j", (texts, cells) => {
		expect(cellsOf(...texts)).toEqual(cells);
	});

	it.each([
		"wallet_account.path_indexes[3] == 7 && wallet_account.path_indexes[0] == 44",
		[0, 1, 2, 3, 4].map((at) => `wallet_account.path_indexes[${at}] == ${at + 40}`).join(" && "),
		"wallet_account.path_hardened[4]",
		"!wallet_account.path_hardened[3]",
		"wallet_account.path_indexes.count() == 5 && wallet_account.path_indexes[4] == 0",
		"solana.tx.transfers.count() >= 3 && solana.tx.transfers[3].amount < 5",
		"eth.tx.contract_call_args['recipients'].count() == 1",
		"eth.tx.contract_call_args['calls'].any(c, c['to'] == 'x')",
		"eth.eip_712.message['delta'] < 0",
		"eth.eip_7702_authorization.chain_id == '1' || eth.eip_7702_authorization.chain_id == '2'",
		"solana.tx.instructions.count() > 100",
		"bitcoin.tx.outputs.count() > 128",
		"solana.tx.transfers.filter(t, t.to == 'a').count() == 2 && solana.tx.transfers.filter(t, t.to == 'b').count() == 2",
		`${["a", "b", "c", "d"].map((to) => `solana.tx.transfers.any(t, t.to == '${to}')`).join(" && ")} && !solana.tx.transfers.any(t, t.to == 'e')`,
		"eth.tx.gas > 4 && eth.tx.value > eth.tx.gas && eth.tx.nonce > eth.tx.value",
		"(eth.tx.value > 5) == wallet.imported",
		"wallet.imported != (eth.tx.value > 5)",
		"(eth.tx.value > 5) == (eth.tx.gas > 5)",
		"eth.tx.data[1..1] == '' && eth.tx.data[0] == 'a'",
		"2 in wallet_account.path_indexes",
		"solana.tx.transfers.count() == 999",
		"5 < eth.tx.value",
		"wallet.label != wallet.id && wallet.id != wallet_account.address && wallet.label != wallet_account.address",
		"solana.tx.spl_transfers.any(t, t.from != t.to && t.owner != t.from && t.owner != t.to)",
		"solana.tx.account_keys[0] != solana.tx.account_keys[1]",
		"eth.tx.data[0..4] == 'abcd' && eth.tx.data[2..6] == 'cdef'",
		"eth.tx.data[0..2] == 'ab' && eth.tx.data != 'ab'",
		"eth.tx.data[0..2] == '~~' && eth.tx.data[2..4] != '~~'",
		`bitcoin.tx.outputs.all(o, o.address in [${Array.from({ length: 12 }, (_, at) => `'${at}'`)}] && o.value < 5 && o.address_type == 't' && o.script_pubkey != 's')`,
	])("have one in which a condition holds that some activity meets: %s", (text) => {
		expect(cellsOf(text)).toEqual(["0", "1"]);
	});

	it.each([
		"activity.kind == wallet.label",
		"eth.tx.contract_call_args['to'] == wallet_account.address",
		"eth.tx.contract_call_args['to'] != wallet_account.address",
		"eth.tx.contract_call_args['to'] in [wallet_account.address]",
		"eth.tx.contract_call_args['amount'] <= eth.tx.value",
		"eth.tx.contract_call_args['a'] < eth.tx.contract_call_args['b']",
		"eth.eip_712.message['chainId'] == eth.eip_712.domain.chain_id",
		"eth.tx.data[34..74] != wallet_account.address[2..42]",
		"wallet.label[0] != wallet.label[1]",
		"bitcoin.tx.outputs.all(o, o.address == wallet_account.address)",
		"bitcoin.tx.outputs.count() < bitcoin.tx.inputs.count()",
		"solana.tx.instructions.count() > 100000",
		"solana.tx.transfers.count() == 1000",
		"solana.tx.transfers[1001].to == 'a'",
		"wallet.label in solana.tx.account_keys",
		"solana.tx.transfers.filter(t, t.amount > 5).filter(t, t.to == 'a').count() > 1",
		"solana.tx.account_keys[0..2].contains('a')",
		"eth.tx.contract_call_args[wallet.label] == 'a'",
		"eth.tx.data[0..2] == wallet.label",
		"(eth.tx.value > 5) == (solana.tx.transfers.count() == bitcoin.tx.outputs.count())",
	])("leave a comparison open of which not all is distinguished, and know what is beside it: %s", (text) => {
		expect(cellsOf(text)).toEqual(["?"]);
		expect(cellsOf(`wallet.imported && ${text}`).at(-1)).toBe("?");
		expect(cellsOf(`activity.kind == 'L' && ${text}`).at(-1)).toBe("0");
	});

	it("have an activity each, of one chain", () => {
		const { cells } = findCells(
			["eth.tx.to == 'x'", "solana.tx.recent_blockhash == 'y'"].map((text) => ({ text, anyOf: [parseText(text)] })),
			activities,
		);
		expect(cells.map(({ example }) => [...example.keys()])).toEqual([
			...[["eth.tx.to"], ["eth.tx.to"], ["solana.tx.recent_blockhash"]],
		]);
	});
});
