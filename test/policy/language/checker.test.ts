/** What the checker accepts where a type is not documented, what it compares, and which names it suggests. */
import { describe, expect, it } from "vitest";
import type { Clause } from "../../../src/policy/language/syntax.ts";
import { mistakesIn } from "../worlds.ts";

describe("A value of a type that is not documented", () => {
	it.each([
		"activity.params.other",
		"!activity.params.other",
		"activity.params.other && true",
		"false || activity.params.other",
		"activity.params.other == 1 && activity.params.other == 'a'",
		"1 == activity.params.other && 'a' != activity.params.other",
		"activity.params.other > 1",
		"activity.params.other == activity.params.more",
		"'a' in activity.params.other",
		"activity.params.other in ['a', 'b']",
		"activity.params.other in [1, 2]",
		"activity.params.other.contains('a')",
		"activity.params.other.contains(1)",
		"['a'].contains(activity.params.other)",
		"activity.params.other.any(x, x.id == 'a' && x > 1)",
		"wallets.any(w, activity.params.other)",
		"activity.params.other.count() == 1",
		"activity.params.other.filter(x, x).count() == 1",
		"activity.params.other.field.another == 1",
		"activity.params.other[0] == 1",
		"activity.params.other['a'] == 1",
		"activity.params.other[activity.params.more] == 1",
		"activity.params.other[0..2] == 'ab'",
		"eth.tx.data[activity.params.other] == 'a'",
		"eth.tx.data[0..activity.params.other] == 'a'",
		"eth.tx.data[activity.params.other..2] == 'a'",
		"eth.tx.contract_call_args[activity.params.other] == 'a'",
		"[1, 2][activity.params.other] == 1",
		"[activity.params.other, 'a'].contains('b')",
		"eth.eip_7702_authorization.nonce == '1' && eth.eip_7702_authorization.nonce == 1",
		"[].contains(1)",
		"[].contains('a')",
	])("is taken for what is needed: %s", (text) => {
		expect(mistakesIn(text, "condition")).toEqual([]);
	});

	it("is no index where an index cannot be", () => {
		expect(mistakesIn("activity.params.other[true] == 1", "condition")).toEqual([
			"22: an index is a number or a string, not a bool",
		]);
		expect(mistakesIn("activity[activity.params.other] == 1", "condition")).toEqual([
			"9: a struct has fields: write `.name`, not an index",
		]);
		expect(mistakesIn("eth.tx.value[activity.params.other] == 1", "condition")).toEqual([
			"0: a number has no index; lists, strings and maps have one",
		]);
	});
});

describe("A list, a map or a struct", () => {
	const map = "eth.tx.contract_call_args";
	it.each([
		[`[1].contains(${map})`, "13: `contains` does not compare a map; compare one of its values"],
		[`[${map}].contains(1)`, "37: `contains` does not compare a map; compare one of its values"],
		[`[${map}].contains(${map})`, "37: `contains` does not compare a map; compare one of its values"],
		[`${map} in [${map}]`, "0: `in` does not compare a map; compare one of its values"],
		["[1] in [1]", "0: `in` does not compare a list; compare one of its values"],
		["1 in [[1]]", "0: `in` does not compare a list; compare one of its values"],
		["wallets in ['a']", "0: `in` does not compare a list; compare one of its values"],
		["wallet in wallets", "0: `in` does not compare a struct; compare one of its values"],
		["'a' in wallets", "0: `in` does not compare a struct; compare one of its values"],
		["{ a: 1 } in [1]", "0: `in` does not compare a struct; compare one of its values"],
		["[1].contains('a')", "0: `contains` compares a string with items that are number values"],
		["['a'].contains(true)", "0: `contains` compares a bool with items that are string values"],
		["1 in 'a'", "5: `in` needs a list on its right, like ['a', 'b'], not a string"],
		["1 in wallet", "5: `in` needs a list on its right, like ['a', 'b'], not a struct"],
		[`'a' in ${map}`, "7: `in` needs a list on its right, like ['a', 'b'], not a map"],
		["1 in 2", "5: `in` needs a list on its right, like ['a', 'b'], not a number"],
		["1 in true", "5: `in` needs a list on its right, like ['a', 'b'], not a bool"],
	])("is not compared with an item: %s", (text, mistake) => {
		expect(mistakesIn(text, "condition")).toEqual([mistake]);
	});
});

describe("A comparison of two types", () => {
	it.each<[Clause, string, string]>([
		["condition", "eth.tx.value == wallet.id", "0: `==` compares a number with a string"],
		["condition", "wallet.id != eth.tx.value", "0: `!=` compares a string with a number"],
		["condition", "eth.tx.value == '5'", "0: `==` compares a number with a string; write `5` without quotes"],
		["condition", "'5' == eth.tx.value", "0: `==` compares a string with a number; write `5` without quotes"],
		["condition", "wallet.id == 5", "0: `==` compares a string with a number; write `'5'` in quotes"],
		["condition", "5 != wallet.id", "0: `!=` compares a number with a string; write `'5'` in quotes"],
		[
			"condition",
			`eth.tx.value == '${"1".repeat(78)}'`,
			"0: `==` compares a number with a string; write `1111111111111111111111111111111111111111…` without quotes",
		],
		["condition", `eth.tx.value == '${"1".repeat(79)}'`, "0: `==` compares a number with a string"],
		["condition", "eth.tx.value == ''", "0: `==` compares a number with a string"],
		["condition", "eth.tx.value > 'a'", "0: `>` does not compare strings; it compares numbers and timestamps"],
		["condition", "wallet.id < wallet.label", "0: `<` does not compare strings; it compares numbers and timestamps"],
		["condition", "eth.tx.contract_call_args == 1", "0: `==` does not compare a map; compare one of its values"],
		["condition", "1 < wallets", "0: `<` does not compare a list; compare its `count()`, or use `contains`"],
		["condition", "1 != wallet", "0: `!=` does not compare a struct; compare one of its values"],
		[
			"time",
			"time.now == '2026-03-01T00:00:00Z'",
			"0: `==` compares a timestamp with a string; write `Timestamp('…')`",
		],
		[
			"time",
			"'2026-03-01T00:00:00Z' != time.now",
			"0: `!=` compares a string with a timestamp; write `Timestamp('…')`",
		],
		["time", "time.now == '5'", "0: `==` compares a timestamp with a string; write `Timestamp('…')`"],
		["time", "time.now == 5", "0: `==` compares a timestamp with a number"],
		["time", "5 >= time.now", "0: `>=` compares a number with a timestamp"],
		[
			"time",
			"time.now < '2026-03-01T00:00:00Z'",
			"0: `<` does not compare strings; it compares numbers and timestamps",
		],
	])("is a mistake that says what to write, where that is clear: %s %s", (clause, text, mistake) => {
		expect(mistakesIn(text, clause)).toEqual([mistake]);
	});
});

describe("A name that is not known", () => {
	it.each([
		["wallet.xported", "0: `Wallet` has no field `xported`; did you mean `exported`?"],
		["wallet.mported", "0: `Wallet` has no field `mported`; did you mean `imported`?"],
		["wallet.ix == 'w'", "0: `Wallet` has no field `ix`; did you mean `id`?"],
		["wallet.ixx == 'w'", "0: `Wallet` has no field `ixx`; there are `id`, `imported`, `exported`, `label`"],
		["wallet.labels == 'w'", "0: `Wallet` has no field `labels`; did you mean `label`?"],
		["wallet.labelled == 'w'", "0: `Wallet` has no field `labelled`; there are `id`, `imported`, `exported`, `label`"],
		["wall.id == 'w'", "0: `wall` is not a name of condition; did you mean `wallet`?"],
		[
			"wal.id == 'w'",
			"0: `wal` is not a name of condition; there are `activity`, `wallet`, `wallets`, `wallet_account`, `private_key`, `secret`, `eth`, `solana`, `tron`, `bitcoin`, `tempo`, `controls`",
		],
		["eth.tx.foo == 'w'", "0: `EthereumTransaction` has no field `foo`"],
		["eth.tx.fees == 'w'", "0: `EthereumTransaction` has no field `fees`"],
		[
			"other == 'w'",
			"0: `other` is not a name of condition; there are `activity`, `wallet`, `wallets`, `wallet_account`, `private_key`, `secret`, `eth`, `solana`, `tron`, `bitcoin`, `tempo`, `controls`",
		],
		["{ a: 1 }.b == 1", "0: the struct has no field `b`; did you mean `a`?"],
		[
			`wallet.${"label".repeat(13)} == 'w'`,
			"0: `Wallet` has no field `labellabellabellabellabellabellabellabel…`; there are `id`, `imported`, `exported`, `label`",
		],
	])("is followed by the nearest one, by all of a few, or by none: %s", (text, mistake) => {
		expect(mistakesIn(text, "condition")).toEqual([mistake]);
	});
});
