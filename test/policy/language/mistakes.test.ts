/** Slips that real policies hold: each is a mistake with its place, and the message says what would be right. */

import { describe, expect, it } from "vitest";
import { parseExpression } from "../../../src/policy/language/parser.ts";
import { printExpression } from "../../../src/policy/language/printer.ts";
import type { Clause } from "../../../src/policy/language/syntax.ts";
import { cpuMsOf } from "../../cpu-time.ts";
import { mistakesIn, parseText } from "../worlds.ts";

function itReports(clause: Clause, rows: readonly (readonly [text: string, ...mistakes: string[]])[]): void {
	it.each(rows)(`${clause} %s`, (text, ...mistakes) => {
		expect(mistakesIn(text, clause)).toEqual(mistakes);
	});
}

describe("the parser names the fix of", () => {
	itReports("condition", [
		["solana.tx.transfers.count == 1", "20: `count` is a function: write `count()`"],
		["wallets.any", "8: `any` is a function: write `any(…)`"],
		['activity.action == "SIGN"', "19: `\"` does not quote a string; write single quotes: 'text'"],
		["activity.action == ‘SIGN’", "19: `‘` does not quote a string; write single quotes: 'text'"],
		["activity.action == `SIGN`", "19: a backtick does not quote a string; write single quotes: 'text'"],
		["activity.action = 'SIGN'", "16: `=` is not an operator; write `==`"],
		["activity.action === 'SIGN'", "16: `===` is not an operator; write `==`"],
		["activity.action !== 'SIGN'", "16: `!==` is not an operator; write `!=`"],
		["eth.tx.value => 5", "13: `=>` is not an operator; write `>=`"],
		["eth.tx.value =< 5", "13: `=<` is not an operator; write `<=`"],
		["activity.action <> 'SIGN'", "16: `<>` is not an operator; write `!=`"],
		["true & false", "5: `&` is not an operator; write `&&`"],
		["true | false", "5: `|` is not an operator; write `||`"],
		["true and false", "5: `and` is not an operator; write `&&`"],
		[`{ ${"a".repeat(3000)}: 1 }.id == 1`, `0: the struct has no field \`id\`; there are \`${"a".repeat(40)}…\``],
		["true __proto__ false", "5: expected an operator or the end, found `__proto__`"],
		["true OR false", "5: `OR` is not an operator; write `||`"],
		["true == true == true", "13: comparisons cannot follow each other; join them with `&&`"],
		["eth.tx.to == <ADDRESS>", "13: expected a value, found `<`; replace the placeholder with its value"],
		["activity.action == 'SIGN", "19: a string without its closing `'`"],
		["activity.action == 'it\\'s'", "22: `\\` in a string: escapes are not documented; write the string without it"],
		["eth.tx.value > 1.5", "15: numbers are whole: write the smallest unit, without a decimal point"],
		["eth.tx.value > 1e18", "15: `1e18` is not a number; write decimal digits only, or a string in single quotes"],
		["eth.tx.to == 0xabc", "13: `0xabc` is not a number; write decimal digits only, or a string in single quotes"],
		["eth.tx.nonce == 01", "16: a number does not begin with 0; remove the zeros"],
		["eth.tx.value > -1", "15: `-`: negative numbers and arithmetic are not documented; compare with a number from 0"],
		["eth.tx.value > 2 * 3", "17: `*`: arithmetic is not documented; write the result"],
		["true // always", "5: a comment: the language has none; remove it"],
		["true /* always */", "5: a comment: the language has none; remove it"],
		["activity.action == '\\n'", "20: `\\` in a string: escapes are not documented; write the string without it"],
		["# always", "0: a comment: the language has none; remove it"],
		["true;", "4: `;` separates nothing here; join expressions with `&&` or `||`"],
		["(true", "5: expected `)`, found the end of the expression"],
		["true)", "4: `)` closes nothing; remove it, or open it with `(`"],
		["activity.action in ['A', 'B',]", "29: nothing is between `,` and `]`; remove the `,`"],
		["eth.tx.data[2..] == ''", "15: a slice needs both numbers; write it like `[2..10]`"],
		["eth.tx.data.startsWith('0x')", "12: `startsWith` is not a function; there are any, all, filter, contains, count"],
		[
			"count(wallets) == 1",
			"0: `count` is not a function that begins an expression; write it behind its list: `list.count(…)`",
		],
		["len(wallets) == 1", "0: `len` is not a function that begins an expression; there are Timestamp, CronSpan"],
		["wallets.any(w.id == 'w')", "13: expected `,` and a condition on `w`, found `.`"],
		["wallets.any(true, true)", "12: `true` cannot name an item"],
		["{ id: 'a', id: 'b' }.id == 'a'", "11: the field `id` is there twice; remove one"],
		["", "0: the expression is empty; leave the clause out instead"],
		[" \n", "2: the expression is empty; leave the clause out instead"],
		["activity.\u200baction == 'A'", "9: `\\u200b` is no part of the language; remove it"],
		["activity.\ud800", "9: `\\ud800` is no part of the language; remove it"],
		[`1 == ${2n ** 256n}`, "5: a number of more than 256 bits; the largest is 2^256 - 1"],
	]);
});

describe("the checker names the fix of", () => {
	itReports("condition", [
		["eth.tx.chain_id == '1'", "0: `==` compares a number with a string; write `1` without quotes"],
		["'1' != eth.tx.chain_id", "0: `!=` compares a string with a number; write `1` without quotes"],
		["activity.params.type == 7", "0: `==` compares a string with a number; write `'7'` in quotes"],
		["eth.tx.value > '5'", "0: `>` does not compare strings; it compares numbers and timestamps"],
		["wallet.imported > true", "0: `>` does not compare a bool; write it alone, or with `!` before it"],
		["wallets == []", "0: `==` does not compare a list; compare its `count()`, or use `contains`"],
		["activity == 'SIGN'", "0: `==` does not compare a struct; compare one of its values"],
		["activity.acton == 'SIGN'", "0: `Activity` has no field `acton`; did you mean `action`?"],
		["wallet.name == 'w'", "0: `Wallet` has no field `name`; there are `id`, `imported`, `exported`, `label`"],
		["wallets.id == 'w'", "0: a list has no field `id`; take one item, like `[0]`, or ask all with `any` or `all`"],
		["activity.action.name == 'w'", "0: a string has no field `name`"],
		["walet.id == 'w'", "0: `walet` is not a name of condition; did you mean `wallet`?"],
		["approvers.count() == 1", "0: `approvers` is a name of consensus, not of condition"],
		[
			"time.now > time.now",
			"0: `time` is a name of time, not of condition",
			"11: `time` is a name of time, not of condition",
		],
		["wallets.any(wallet, wallet.id == 'w')", "0: `wallet` is a name of condition; give the item another"],
		["activity.action", "0: condition needs a bool, not a string; compare it"],
		["activity.action && true", "0: `&&` needs a bool, not a string; compare it"],
		["!activity.action", "1: `!` needs a bool, not a string; compare it"],
		["wallets.any(w, w.id)", "15: the condition of `any` needs a bool, not a string; compare it"],
		["wallet.id in 'w'", "13: `in` needs a list on its right, like ['a', 'b'], not a string"],
		["wallet.id in [1, 2]", "0: `in` compares a string with items that are number values"],
		["private_key.tags.contains(1)", "0: `contains` compares a number with items that are string values"],
		["wallets.contains(wallet)", "17: `contains` does not compare a struct; compare one of its values"],
		["['a'].contains(eth.tx.contract_call_args)", "15: `contains` does not compare a map; compare one of its values"],
		[
			"eth.tx.max_fee_per_blb_gas == 1",
			"0: `EthereumTransaction` has no field `max_fee_per_blb_gas`; did you mean `max_fee_per_blob_gas`?",
		],
		["1 in [1, 'a']", "9: a list holds items of one type: a number first, then a string"],
		["activity.action.contains('S')", "0: `contains` is a function of lists, not of a string"],
		["private_key.tags['a'] == 'b'", "17: an index is a number from 0, not a string"],
		["activity['action'] == 'SIGN'", "9: a struct has fields: write `.name`, not an index"],
		["eth.tx.contract_call_args[0] == 1", "26: a key of a map is a string in single quotes, not a number"],
		["eth.tx.contract_call_args.wad == 1", "0: a map has no fields; write `['wad']`"],
		[
			"eth.tx.data['a'..'b'] == ''",
			"12: a slice goes from a number to a number, not a string",
			"17: a slice goes from a number to a number, not a string",
		],
		[
			"Timestamp('2026-01-01T00:00:00Z') == Timestamp('2026-01-01T00:00:00Z')",
			"0: `Timestamp` is a function of time, not of condition; move it to the policy's time",
			"37: `Timestamp` is a function of time, not of condition; move it to the policy's time",
		],
	]);
	itReports("consensus", [
		["user.id == 'u'", "0: `user` is not a name of consensus; there are `approvers`, `credentials`"],
		["approvers.any(user, user.tag.contains('t'))", "20: `User` has no field `tag`; did you mean `tags`?"],
		[
			"approvers.any(user, user.tags == 't')",
			"20: `==` does not compare a list; compare its `count()`, or use `contains`",
		],
		["approvers.filter(user, user.id == 'u')", "0: consensus needs a bool, not a list; compare it"],
		["approvers >= 2", "0: `>=` does not compare a list; compare its `count()`, or use `contains`"],
	]);
	itReports("time", [
		["time.now > '2026-01-01T00:00:00Z'", "0: `>` does not compare strings; it compares numbers and timestamps"],
		["time.now == '2026-01-01T00:00:00Z'", "0: `==` compares a timestamp with a string; write `Timestamp('…')`"],
		[
			"time.now > Timestamp('2026-01-01T00:00:00-05:00')",
			"21: `Timestamp`: not a time with a zero offset; write it like '2026-03-01T00:00:00Z'",
		],
		["time.now > Timestamp('2026-02-30T00:00:00Z')", "21: `Timestamp`: no such date or time; write one that exists"],
		["time.now > Timestamp", "11: `Timestamp` is a function: write its arguments in parentheses"],
		["time.now > Timestamp()", "11: `Timestamp` needs 1 string in single quotes: `Timestamp('2026-03-01T00:00:00Z')`"],
		[
			"time.now in CronSpan('0 9 * * *', '8h', 'UTC')",
			"12: `in` needs a list on its right, like ['a', 'b'], not a bool",
		],
		[
			"CronSpan('@daily', '8h', 'UTC')",
			"9: `CronSpan`: not 5 fields; write minute, hour, day, month and weekday, like '0 9 * * 1-5'",
		],
		[
			"CronSpan('0 0 9 * * *', '8h', 'UTC')",
			"9: `CronSpan`: not 5 fields; write minute, hour, day, month and weekday, like '0 9 * * 1-5'",
		],
		[
			"CronSpan('*/5 9 * * *', '8h', 'UTC')",
			"9: `CronSpan`: the minute has only numbers from 0 to 59, ranges like 1-5, lists like 1,3 and *",
		],
		[
			"CronSpan('0 9 * * MON', '8h', 'UTC')",
			"9: `CronSpan`: the weekday has only numbers from 0 to 6, ranges like 1-5, lists like 1,3 and *",
		],
		[
			"CronSpan('0 9 * * 7', '8h', 'UTC')",
			"9: `CronSpan`: the weekday has only numbers from 0 to 6, ranges like 1-5, lists like 1,3 and *",
		],
		[
			"CronSpan('0 9 * JAN *', '8h', 'UTC')",
			"9: `CronSpan`: the month has only numbers from 1 to 12, ranges like 1-5, lists like 1,3 and *",
		],
		[
			"CronSpan('0 9 0 * *', '8h', 'UTC')",
			"9: `CronSpan`: the day of the month has only numbers from 1 to 31, ranges like 1-5, lists like 1,3 and *",
		],
		[
			"CronSpan('0 17-9 * * *', '8h', 'UTC')",
			"9: `CronSpan`: the hour has only numbers from 0 to 23, ranges like 1-5, lists like 1,3 and *",
		],
		[
			"CronSpan('0 9 * * *', '30s', 'UTC')",
			"22: `CronSpan`: not a duration; write whole days, hours and minutes like '1d12h'",
		],
		[
			"CronSpan('0 9 * * *', '1.5h', 'UTC')",
			"22: `CronSpan`: not a duration; write whole days, hours and minutes like '1d12h'",
		],
		[
			"CronSpan('0 9 * * *', '', 'UTC')",
			"22: `CronSpan`: not a duration; write whole days, hours and minutes like '1d12h'",
		],
		["CronSpan('0 9 * * *', '0h', 'UTC')", "22: `CronSpan`: the duration is more than zero and at most 7 days"],
		["CronSpan('0 9 * * *', '7d1m', 'UTC')", "22: `CronSpan`: the duration is more than zero and at most 7 days"],
		[
			"CronSpan('0 9 * * *', '8h', 'New York')",
			"28: `CronSpan`: not an IANA time zone; write a name like 'America/New_York'",
		],
		[
			"CronSpan('0 9 * * *', '8h', '+01:00')",
			"28: `CronSpan`: not an IANA time zone; write a name like 'America/New_York'",
		],
		[
			"CronSpan('0 9 * * *', '8h', 'america/new_york')",
			"28: `CronSpan`: not an IANA time zone; write a name like 'America/New_York'",
		],
		[
			"CronSpan('0 9 * * *', '8h')",
			"0: `CronSpan` needs 3 strings in single quotes: `CronSpan('0 9 * * 1-5', '8h', 'America/New_York')`",
		],
	]);
});

describe("a value of any type", () => {
	it.each([
		"'a' in activity.params.names",
		"activity.params.flag && true",
		"!activity.params.flag",
		"activity.params.number > 5",
		"5 < activity.params.number",
		"activity.params.number == activity.params.text",
		"eth.tx.contract_call_args['to'] == '0x'",
		"wallets.any(w, activity.params.flag)",
		"private_key.tags[activity.params.number] == 'a'",
		"eth.tx.data[activity.params.from..activity.params.to] == '0x'",
	])("is no mistake wherever it is: %s", (text) => {
		expect(mistakesIn(text, "condition")).toEqual([]);
	});
});

describe("one slip", () => {
	it("is one mistake, though other slips are reported beside it", () => {
		const text = "walet.id.any(x, x == 1) && eth.tx.nonce == '3' || activity.acton == 'A'";
		expect(mistakesIn(text, "condition").map((mistake) => mistake.split(":")[0])).toEqual(["0", "27", "50"]);
	});
});

describe("a hostile text", () => {
	const million = 1_000_000;
	it.each([
		["1 MB of spaces", " ".repeat(million)],
		["1 MB of a string", `'${"a".repeat(million)}'`],
		["100,000 open parentheses", "(".repeat(100_000)],
		["99,999 open brackets", "[".repeat(99_999)],
		["99,999 exclamation marks", "!".repeat(99_999)],
		["a chain of 20,000 operands", `true${"&&true".repeat(16_000)}`],
		["fields of fields", `a${".a".repeat(40_000)}`],
		["functions in functions", "a.any(x,".repeat(12_000)],
		["structs in structs", "{a:".repeat(30_000)],
		["a number of 99,999 digits", "9".repeat(99_999)],
		["a name of 99,999 letters", "a".repeat(99_999)],
		["lone surrogates", "\ud800\udfff".repeat(1_000)],
		["a NUL", "true\0"],
	])("%s has a mistake within a second, or a tree", (_, text) => {
		let parsed: ReturnType<typeof parseExpression> | undefined;
		const ms = cpuMsOf(() => {
			parsed = parseExpression(text);
		});
		// Code with mutants in it is slower.
		if (!process.env.ORGSYNC_MUTANTS_TESTS) expect(ms).toBeLessThan(1_000);
		if (parsed === undefined) throw new Error("not parsed");
		if ("mistakes" in parsed) expect(parsed.mistakes).toHaveLength(1);
		else expect(printExpression(parsed.expression)).toBe(text);
	});

	it("is refused when it is too long, nested or deep, with the limit in the message", () => {
		const refusals = [" ".repeat(100_001), `${"(".repeat(101)}true${")".repeat(101)}`, `true${"||true".repeat(2_000)}`];
		expect(refusals.map((text) => mistakesIn(text, "condition"))).toEqual([
			["0: the expression is too long: 100001 characters, 100000 at most"],
			["101: the expression is nested too deep: 100 brackets at most"],
			["0: the expression is too deep: 2000 levels at most"],
		]);
		const chain = `true${"||true".repeat(1_999)}`;
		expect(parseExpression(chain)).toHaveProperty("expression");
		expect(mistakesIn(`!(${chain})`, "condition")).toEqual(["0: the expression is too deep: 2000 levels at most"]);
		expect(mistakesIn(" ".repeat(100_000), "condition")).toEqual([
			"100000: the expression is empty; leave the clause out instead",
		]);
		expect(mistakesIn(`{ ${"a".repeat(40)}: 1 }.id == 1`, "condition")).toEqual([
			`0: the struct has no field \`id\`; there are \`${"a".repeat(40)}\``,
		]);
		expect(mistakesIn(`${"(".repeat(100)}true${")".repeat(100)}`, "condition")).toEqual([]);
		expect(mistakesIn(`true${"||true".repeat(499)}`, "condition")).toEqual([]);
	});
});

describe("a printed expression", () => {
	it.each([
		["((true))", "true"],
		["(true&&false)||true", "(true && false) || true"],
		["true&&(false||true)", "true && (false || true)"],
		["true&&(false&&true)", "true && (false && true)"],
		["!(1==2)", "!(1 == 2)"],
		["(!true)", "!true"],
		["!(!true)", "!!true"],
		["(!a).b", "(!a).b"],
		["('a' in ['a'])", "'a' in ['a']"],
		["[ 1,2 ] [ 0 .. 1 ].count( )", "[1, 2][0..1].count()"],
		["{id:'a'}.id=='a'", "{ id: 'a' }.id == 'a'"],
		["{ }", "{}"],
		["a.any( x , (x.b) )", "a.any(x, x.b)"],
		["Timestamp ( 'a' )", "Timestamp('a')"],
		["(a.b)['c'][0]", "a.b['c'][0]"],
	])("%s is %s", (text, printed) => {
		expect(printExpression(parseText(text))).toBe(printed);
		expect(printExpression(parseText(printed))).toBe(printed);
	});
});

describe("the place of a part", () => {
	it("is the text of that part, with the parentheses inside it", () => {
		const text = "  (a || b) && c.d [0] .count( ) == 'f' && !( [ 1 ] . any( x , (x == 1) ) ) ";
		const parts: string[] = [];
		JSON.stringify(parseText(text), (_, value) => {
			if (value?.node !== undefined) parts.push(text.slice(value.span.start, value.span.end));
			return typeof value === "bigint" ? `${value}` : value;
		});
		expect(parts).toEqual([
			"(a || b) && c.d [0] .count( ) == 'f' && !( [ 1 ] . any( x , (x == 1) ) )",
			"(a || b) && c.d [0] .count( ) == 'f'",
			"a || b",
			"a",
			"b",
			"c.d [0] .count( ) == 'f'",
			"c.d [0] .count( )",
			"c.d [0]",
			"c.d",
			"c",
			"0",
			"'f'",
			"!( [ 1 ] . any( x , (x == 1) ) )",
			"[ 1 ] . any( x , (x == 1) )",
			"[ 1 ]",
			"1",
			"x == 1",
			"x",
			"1",
		]);
	});
});
