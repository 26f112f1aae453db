/** The activity that a finding under a condition shows: asked about on its own, it has the answer of the finding. */
import { describe, expect, it } from "vitest";
import type { AccessState } from "../../../src/policy/access.ts";
import { findExample, withExamples } from "../../../src/policy/powers/example.ts";
import { type Fields, printExample, readFields } from "../../../src/policy/powers/fields.ts";
import { compareAccess, type ImpactFinding } from "../../../src/policy/powers/impact.ts";
import { findPower, findPowers, type GroupPower } from "../../../src/policy/powers/powers.ts";
import { prepareAccess } from "../../../src/policy/powers/prepare.ts";
import { randomWorld } from "../activities/activity-worlds.ts";
import { atMs, Random } from "../model.ts";

const signing = { resource: "PRIVATE_KEY", action: "SIGN" } as const;
const exampleOf = (condition: string | null, unless: readonly string[] = []): string | null => {
	const example = findExample({ group: signing, condition, unless });
	return example === null ? null : printExample(example);
};

describe("The example of a condition", () => {
	it.each([
		["wallet.id == 'A'", "type ACTIVITY_TYPE_ETH_SEND_TRANSACTION where wallet.id == 'A'"],
		[
			"eth.tx.value > 10 && wallet.id == 'A'",
			"type ACTIVITY_TYPE_ETH_SEND_TRANSACTION where eth.tx.value == 11 && wallet.id == 'A'",
		],
		[
			"activity.params.hash_function == 'HASH_FUNCTION_NO_OP'",
			"type ACTIVITY_TYPE_SIGN_RAW_PAYLOAD where activity.params.hash_function == 'HASH_FUNCTION_NO_OP'",
		],
		[
			"activity.kind == 'SIGN_TRANSACTION' && eth.tx.value < 5",
			"type ACTIVITY_TYPE_SIGN_TRANSACTION where eth.tx.value == 4",
		],
	])("of %s is an activity with the fields that matter", (condition, example) => {
		expect(exampleOf(condition)).toBe(example);
	});

	it("has what an activity lacks, where a condition must not hold", () => {
		expect(exampleOf(null, ["wallet.id == 'A'"])).toMatch(/ where wallet\.id == ('another'|null)$/);
		expect(exampleOf("wallet.id == 'A'", ["eth.tx.value < 5"])).toMatch(
			/ where wallet\.id == 'A' && eth\.tx\.value == /,
		);
	});

	it("is of no type that is a group of its own", () => {
		const found = findExample(
			{ group: signing, condition: "wallet.id == 'A'", unless: [] },
			new Set(["kind ETH_SEND_TRANSACTION"]),
		);
		expect(found?.type).toBe("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD");
	});

	it.each([
		null,
		"the credentials are the user's own",
		"controls.x",
		"wallet.id == 'A' && wallet.id == 'B'",
	])("is none of %j", (condition) => {
		expect(exampleOf(condition)).toBe(null);
	});
});

const ask = (access: AccessState, example: NonNullable<ImpactFinding["example"]>): GroupPower => {
	const read = readFields(example.where);
	const fields: Fields = "fields" in read ? read.fields : new Map();
	return findPower(prepareAccess(access, atMs), { type: example.type }, { fields });
};

const byPolicies = ({ thresholds }: GroupPower) =>
	thresholds.filter((all) => !all.some(({ isRootQuorum }) => isRootQuorum));
const takesPart = (power: GroupPower, userId: string): boolean =>
	power.thresholds.some((all) => all.some(({ of }) => of.includes(userId)));

describe("The examples of random organizations", () => {
	const random = new Random(3_232);
	const worlds = Array.from({ length: 150 }, () => randomWorld(random, false));

	it("have the answer of the finding that shows them", () => {
		let shown = 0;
		for (const { before, after } of worlds) {
			for (const { example, change, userIds, condition } of compareAccess(before, after, atMs).findings) {
				if (example === undefined || change === "unknown") continue;
				shown += 1;
				const [was, is] = [ask(before, example), ask(after, example)];
				const context = JSON.stringify({ change, userIds, condition, example });
				if (change === "alone")
					expect(
						userIds.every((id) => is.alone.includes(id)),
						context,
					).toBe(true);
				if (change === "nobody") expect(byPolicies(is), context).toEqual([]);
				if (change === "gains")
					expect(
						userIds.every((id) => takesPart(is, id)),
						context,
					).toBe(true);
				if (change === "loses")
					expect(
						userIds.every((id) => takesPart(was, id)),
						context,
					).toBe(true);
			}
		}
		expect(shown).toBeGreaterThan(60);
	});

	it("are of who can do it where the condition holds", () => {
		let shown = 0;
		for (const { after } of worlds) {
			for (const { conditional, group } of findPowers(after, atMs).map(withExamples)) {
				for (const { example, alone, condition, holds } of conditional) {
					if (example === undefined) continue;
					shown += 1;
					const context = JSON.stringify({ condition, holds, example, group });
					expect(ask(after, example).alone, context).toEqual(expect.arrayContaining([...alone]));
				}
			}
		}
		expect(shown).toBeGreaterThan(60);
	});
});
