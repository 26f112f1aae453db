/** What is found once, and is the same object wherever it is asked for again: a search repeated for each question takes minutes. */
import { describe, expect, it } from "vitest";
import { comparedWith } from "../../../src/policy/language/mentions.ts";
import { parseTimestamp, readConstruct } from "../../../src/policy/language/time.ts";
import { namesOf } from "../../../src/policy/language/types.ts";
import { findZone } from "../../../src/policy/language/zones.ts";
import { factsOfGroup, factsOfType, rowsOf, scopeOf, withAll } from "../../../src/policy/powers/activity.ts";
import { compilePolicy, outcomeFor } from "../../../src/policy/powers/compile.ts";
import { judgeCells } from "../../../src/policy/powers/conditional.ts";
import { allowedBy, certain, findParts, withRootQuorum } from "../../../src/policy/powers/judge.ts";
import { prepareAccess, prepareBoth } from "../../../src/policy/powers/prepare.ts";
import { findSmallestSets } from "../../../src/policy/sets/user-sets.ts";
import { parseText } from "../worlds.ts";
import { accessOf, allow, atMs, deny, is, people, two, when } from "./change-lines.ts";

const signing = { resource: "PRIVATE_KEY", action: "SIGN" };

describe("The same object", () => {
	it("is a compiled policy of the same texts, and another one where a clause differs", () => {
		const [one, other] = [allow(two, "wallet.id == 'same'"), allow(two, "wallet.id == 'same'")];
		expect(one).not.toBe(other);
		expect(compilePolicy(one)).toBe(compilePolicy(one));
		expect(compilePolicy(other)).toBe(compilePolicy(one));
		for (const parts of [
			{ consensus: "true" },
			{ condition: "true" },
			{ time: "time.now > Timestamp('2026-01-01T00:00:00Z')" },
		])
			expect(compilePolicy({ ...one, ...parts })).not.toBe(compilePolicy(one));
	});

	it("is the outcome of a condition for a group, and for a type that is alike to it", () => {
		const policy = allow(two, "activity.action == 'SIGN' && wallet.id == 'outcome'");
		expect(outcomeFor(policy, factsOfGroup(signing))).toBe(outcomeFor(policy, factsOfGroup({ ...signing })));
		const [one, other] = ["SIGN_TRANSACTION_V2", "SIGN_RAW_PAYLOAD_V2"].map((type) =>
			factsOfType(`ACTIVITY_TYPE_${type}`),
		);
		if (one === undefined || other === undefined) throw new Error("no types");
		expect(outcomeFor(policy, one)).toBe(outcomeFor(policy, one));
		expect(outcomeFor(policy, one)).toBe(outcomeFor(policy, other));
	});

	it("is what is known of activities", () => {
		expect(factsOfGroup(signing)).toBe(factsOfGroup(signing));
		expect(rowsOf(factsOfGroup(signing), [])).toBe(rowsOf(factsOfGroup(signing), []));
		const [row] = rowsOf(factsOfGroup(signing), []);
		if (row === undefined) throw new Error("no row");
		expect(scopeOf(row)).toBe(scopeOf(row));
		const fields = new Map([["wallet.id", "w"]]);
		expect(withAll([row], fields)[0]).toBe(withAll([row], fields)[0]);
		expect(withAll([row], undefined)[0]).toBe(row);
	});

	it("is an access at one moment, and its policies and users at others", () => {
		const access = accessOf([allow(two), deny(is("a"), when("wallet.id == 'x'"))]);
		const first = prepareAccess(access, atMs);
		expect(prepareAccess(access, atMs)).toBe(first);
		const later = prepareAccess(access, atMs + 1);
		expect(later).not.toBe(first);
		expect(later.maker).toBe(first.maker);
		expect(later.policies[0]).toBe(first.policies[0]);
		const [before, after] = prepareBoth(access, { ...access, policies: { known: true, value: [] } }, atMs + 1);
		expect(before).toBe(later);
		expect(after.maker).toBe(before.maker);
		const [, others] = prepareBoth(
			access,
			accessOf([allow(two)], { users: { known: true, value: people.slice(1) } }),
			atMs,
		);
		expect(others.maker).not.toBe(first.maker);
	});

	it("is what policies allow, in whichever order they are, with the root quorum and without", () => {
		const prepared = prepareAccess(accessOf([allow(two), allow(is("a")), deny(is("b"))]), atMs);
		const found = findParts(prepared, factsOfGroup(signing));
		const allowed = allowedBy(prepared, found.parts, certain);
		expect(allowedBy(prepared, found.parts.toReversed(), certain)).toBe(allowed);
		expect(allowedBy(prepared, found.parts.slice(1), certain)).not.toBe(allowed);
		expect(allowedBy(prepared, found.parts, certain, 0)).not.toBe(allowed);
		expect(withRootQuorum(prepared, allowed)).toBe(withRootQuorum(prepared, allowed));
		expect(judgeCells(prepared, found)).toBe(judgeCells(prepared, found));
		expect(findSmallestSets(allowed, prepared.budget)).toBe(findSmallestSets(allowed, prepared.budget));
	});

	it("is a zone, a schedule, a type and the texts that a tree compares with a field", () => {
		expect(findZone("Europe/London")).toBe(findZone("Europe/London"));
		const call = parseText("CronSpan('0 9 * * *', '1h', 'UTC')");
		if (call.node !== "construct") throw new Error("no schedule");
		expect(readConstruct(call)).toBe(readConstruct(call));
		expect(parseTimestamp("2026-01-01T00:00:00Z")).toBe(1_767_225_600_000_000_000n);
		expect(namesOf("condition").get("wallet")).toBe(namesOf("condition").get("wallet"));
		const tree = parseText("activity.kind == 'A'");
		expect(comparedWith(tree, "activity.kind")).toBe(comparedWith(tree, "activity.kind"));
		expect(comparedWith(tree, "activity.type")).toEqual([]);
	});
});
