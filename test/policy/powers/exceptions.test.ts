/** Powers where policies deny under conditions: where they are left, for whom, and by which policies. */
import { describe, expect, it } from "vitest";
import type { AccessPolicy } from "../../../src/policy/access.ts";
import { findPower } from "../../../src/policy/powers/powers.ts";
import { prepareAccess } from "../../../src/policy/powers/prepare.ts";
import { accessOf, allow, deny, is, one, other, when } from "./change-lines.ts";

const third = "eth.tx.to == 'z'";
const fourth = "eth.tx.to == 'v'";
const large = "eth.tx.value > 5";

/** `if condition: who`, `not` where it must not hold, then the places of the policies. */
function conditionalOf(policies: readonly AccessPolicy[]): readonly string[] {
	const power = findPower(prepareAccess(accessOf(policies), 0), { resource: "PRIVATE_KEY", action: "SIGN" });
	return power.conditional.map(({ condition, holds, alone, together, policyIds }) => {
		const who = [...alone, ...together.map((set) => set.join("+"))].join(" ");
		const places = policyIds.map((id) => policies.findIndex((policy) => policy.id === id));
		return `${holds ? "if" : "if not"} ${condition}: ${who} by ${places.sort().join()}`;
	});
}

describe("A power that several conditions close", () => {
	it("is by the policies that allow under the condition and those that deny under the others", () => {
		const policies = [
			...[allow(is("d")), allow(is("a"), when(one)), allow(is("b"), when(third))],
			...[deny(is("a"), when(large)), deny(is("c"), when(other)), deny(is("c"))],
		];
		expect(conditionalOf(policies)).toEqual([...[`if ${third}: b d by 2`, `if ${one} && !(${large}): a d by 1,3`]]);
	});

	it("is by those that deny alone, where it is always allowed", () => {
		const policies = [
			...[allow(is("a")), allow(is("d")), deny(is("a"), when(one)), deny(is("a"), when(other))],
			...[deny(is("c"), when(third)), allow(is("d"), when(fourth))],
		];
		expect(conditionalOf(policies)).toEqual([`if !(${one}) && !(${other}): a d by 2,3`]);
	});

	it("is named once, where it needs no condition that allows", () => {
		const policies = [
			...[allow(is("a")), allow(is("a"), when(third)), deny(is("a"), when(one)), deny(is("a"), when(other))],
		];
		expect(conditionalOf(policies)).toEqual([`if !(${one}) && !(${other}): a by 2,3`]);
	});

	it("is named for each condition that allows it", () => {
		const policies = [allow(is("a"), when(one)), allow(is("a"), when(other)), deny(is("a"), when(large))];
		expect(conditionalOf(policies)).toEqual([
			...[`if ${one} && !(${large}): a by 0,2`, `if ${other} && !(${large}): a by 1,2`],
		]);
	});

	it("is named where another condition gives it to the same user", () => {
		const policies = [
			...[allow(is("a"), when(one)), allow(is("a"), when(other)), deny(is("a"), when(one)), deny("true", when(third))],
		];
		expect(conditionalOf(policies)).toEqual([`if ${other}: a by 1`]);
	});

	it("is not repeated where one condition less is enough", () => {
		const policies = [allow(is("a", "b")), allow(is("a"), when(one)), deny(is("b"), when(other))];
		expect(conditionalOf(policies)).toEqual([`if ${one}: a by 1`, `if not ${other}: a+b by 2`]);
	});

	it("is none where a policy of which the consensus is not understood may deny it", () => {
		const policies = [allow(is("a"), when(one)), deny(is("a"), when(large)), deny("approvers.any(u, 1", when(one))];
		expect(conditionalOf(policies)).toEqual([]);
		expect(conditionalOf(policies.slice(0, 2))).toEqual([`if ${one} && !(${large}): a by 0,1`]);
	});

	it("names no condition that denies others, of however many", () => {
		const many = Array.from({ length: 260 }, (_, number) => deny(is("d"), when(`eth.tx.nonce == ${number}`)));
		const allows = [one, other, third].map((condition) => allow(is("a"), when(condition)));
		const found = conditionalOf([...allows, deny(is("a"), when(large)), ...many]);
		expect(found).toEqual([
			...[`if ${one} && !(${large}): a by 0,3`, `if ${other} && !(${large}): a by 1,3`],
			`if ${third} && !(${large}): a by 2,3`,
		]);
	});
});
