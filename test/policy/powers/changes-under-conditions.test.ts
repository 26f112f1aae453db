/** Changes under several conditions on the activity: which of them matter, in which order they come, and how they are written. */

import { describe, expect, it } from "vitest";
import type { AccessPolicy, AccessState, AccessUser, Known } from "../../../src/policy/access.ts";
import { printGroup } from "../../../src/policy/powers/groups.ts";
import { compareAccess } from "../in-words.ts";

const known = <T>(value: T): Known<T> => ({ known: true, value });
const atMs = Date.parse("2026-06-01T12:00:00Z");

function user(id: string): AccessUser {
	const credential = { id: null, type: "API", credentialId: null, publicKey: id };
	return { id, tagIds: known([]), email: known(null), credentials: known([credential]) };
}

let count = 0;
function policy(effect: "ALLOW" | "DENY", consensus: string, condition: string): AccessPolicy {
	count += 1;
	return { id: `p${count}`, name: "", effect: `EFFECT_${effect}`, consensus, condition, time: "" };
}
const is = (...ids: readonly string[]): string => ids.map((id) => `approvers.any(u, u.id == '${id}')`).join(" && ");
const signing = "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'";
const when = (condition: string): string => `${signing} && ${condition}`;
const allow = (consensus: string, condition = signing) => policy("ALLOW", consensus, condition);
const deny = (consensus: string, condition = signing) => policy("DENY", consensus, condition);

const people = [user("a"), user("b"), user("c"), user("d")];
const accessOf = (policies: readonly AccessPolicy[]): AccessState => ({
	users: known(people),
	policies: known(policies),
	rootQuorum: known({ threshold: 1, userIds: [] }),
});

/** `change users`, its conditions, `shown by` the witness, and the reason; for signing. */
function between(before: readonly AccessPolicy[], after: readonly AccessPolicy[]): readonly string[] {
	const { findings } = compareAccess(accessOf(before), accessOf(after), atMs);
	return findings
		.filter((finding) => printGroup(finding.group) === "PRIVATE_KEY/SIGN")
		.map(({ change, userIds, condition, unless, witness, because }) =>
			[
				...[change, userIds.join("+")].filter((text) => text !== ""),
				...(condition === null ? [] : [`if ${condition}`]),
				...unless.map((text) => `unless ${text}`),
				...(witness.join() === userIds.join() ? [] : [`shown by ${witness.join("+")}`]),
				...(because === null ? [] : [`because ${because}`]),
			].join(" "),
		);
}
const one = "eth.tx.to == 'x'";
const other = "eth.tx.to == 'y'";
const large = "eth.tx.value > 5";

describe("A change under conditions", () => {
	it("is named for each condition of its own", () => {
		const both = [allow(is("a"), when(one)), allow(is("a"), when(other))];
		expect(between([], both)).toEqual([`alone a if ${one}`, `alone a if ${other}`]);
		expect(between(both, [])).toEqual([`nobody a if ${one}`, `nobody a if ${other}`]);
	});

	it("is one where only the condition is another", () => {
		expect(between([allow(is("a"), when(one))], [allow(is("a"), when(other))])).toEqual([
			...[`nobody a if ${one}`, `alone a if ${other}`],
		]);
	});

	it("is named for users of whom the opposite is so without the condition", () => {
		const denied = [allow(is("d")), allow(is("c")), deny(is("c"), when(one))];
		const pairOnly = [allow(is("d")), allow(is("b", "c"), when(one))];
		expect(between(denied, pairOnly)).toEqual([`gains b+c if ${one}`, `loses c if !(${one})`]);
		expect(between(pairOnly, denied)).toEqual([`alone c unless ${one}`, `loses b+c if ${one}`]);
	});

	it("has brackets around alternatives beside a further condition only", () => {
		const either = `${one} || ${other}`;
		expect(between([], [allow(is("a"), when(`(${either})`))])).toEqual([`alone a if ${either}`]);
		const denials = [deny(is("a"), when(`(${either})`)), deny(is("b"), when(large))];
		const before = [allow(is("a")), allow(is("b"))];
		expect(between(before, [...before, ...denials])).toEqual([
			...[`nobody a+b if (${either}) && ${large} shown by a`, `loses a if ${either}`, `loses b if ${large}`],
		]);
	});

	it("is one of a policy that denies always, where others allow it under a condition", () => {
		const before = [allow(is("a"), when(one))];
		expect(between(before, [...before, deny(is("a"))])).toEqual([`nobody a if ${one}`]);
		expect(between(before, [...before, deny(is("a")), allow(is("b"))])).toEqual(["alone b", `loses a if ${one}`]);
	});

	it("is found for two conditions together where a third closes it on both sides", () => {
		const before = [allow(is("a")), allow(is("b")), deny("true", when(large))];
		const third = "eth.tx.chain_id == 1";
		expect(between(before, [...before, deny(is("a"), when(one)), deny(is("b"), when(third))])).toEqual([
			...[`nobody a+b if ${one} && ${third} shown by a`, `loses a if ${one}`, `loses b if ${third}`],
		]);
	});

	it("comes with fewer conditions first", () => {
		const before = [allow(is("a")), allow(is("b"))];
		const denials = [deny(is("a"), when(one)), deny(is("b"), when(other)), deny("true", when(large))];
		expect(between(before, [...before, ...denials])).toEqual([
			...[`nobody a+b if ${large} shown by a`, `loses a if ${one}`, `loses b if ${other}`],
		]);
	});

	it("is found among a hundred conditions on one field", () => {
		const number = (index: number): string => when(`eth.tx.value > ${index}`);
		const before = Array.from({ length: 50 }, (_, index) => allow(is("a"), number(index)));
		const denials = Array.from({ length: 50 }, (_, index) => deny(is("b"), number(100 + index)));
		expect(between(before, [...before, ...denials])).toEqual([]);
		const denial = deny(is("a"), number(100));
		expect(between(before, [...before, ...denials, denial])).toEqual(["nobody a if eth.tx.value > 100"]);
	});

	it("is unknown where conditions on many fields distinguish more activities than are tried, and names the policy", () => {
		const texts = ["to", "from", "data", "type", "function_name", "function_signature"].map((name) => `eth.tx.${name}`);
		const others = ["wallet.id", "wallet.label", "wallet_account.address", "activity.params.encoding"];
		const numbers = ["value", "gas", "gas_price", "chain_id", "nonce", "max_fee_per_gas", "max_priority_fee_per_gas"];
		const conditions = [
			...[...texts, ...others].map((name) => `${name} == 'x'`),
			...numbers.map((name) => `eth.tx.${name} > 5`),
		];
		const before = conditions.map((condition, index) => allow(is("abcd"[index % 4] ?? "a"), when(condition)));
		const found = between(before, [...before, deny("true", when("eth.tx.to != 'y'"))]);
		expect(found.at(-1)).toMatch(/^unknown because policy p\d+: policies have too many conditions/);
	});
});
