/** Accepting policies: entries get what is live, and keep their comments and styles. */
import { describe, expect, test } from "vitest";
import { type AcceptInput, acceptLive } from "../../src/document/edit/accept.ts";
import { differingAddresses } from "../../src/document/edit/accept-selection.ts";
import { exportDocument } from "../../src/document/export/export.ts";
import { parseDocuments } from "../../src/document/read/parse.ts";
import type { LivePolicy } from "../../src/plan/organization.ts";
import { makePlan, type Plan } from "../../src/plan/plan.ts";
import { forEachSeed } from "../case-count.ts";
import { context, id, known, liveOf, liveTag, organizationId } from "../plan/support-organizations.ts";
import { randomOf } from "../policy/language/random-expressions.ts";
import { randomPolicies } from "./random-policies.ts";

const [alice, payers] = [id("user", 1), id("tag", 1)];

function policy(number: number, name: string, parts: Partial<LivePolicy> = {}): LivePolicy {
	const clauses = { consensus: "true", condition: "", time: "", notes: "" };
	return { id: id("policy", number), name, effect: "EFFECT_ALLOW", ...clauses, ...parts };
}

function inputOf(text: string, policies: readonly LivePolicy[]): AcceptInput {
	const { organizations, problems } = parseDocuments([{ file: "d.yaml", content: text }], {});
	expect(problems, text).toEqual([]);
	const named = policies.map((one) => ({ id: one.id, name: one.name }));
	const tags = known([liveTag(1, "payers"), liveTag(2, "unlisted", { members: known([alice]) })]);
	const live = { ...liveOf({ userTags: tags, policies: known(named) }), policies: known(policies) };
	const [desired = expect.unreachable()] = organizations;
	return { desired, live, plan: makePlan(desired, live, context) };
}

const planOf = (text: string, policies: readonly LivePolicy[]): Plan => inputOf(text, policies).plan;

/** Returns the document after accepting at these addresses. Throws refusals. */
function accept(text: string, policies: readonly LivePolicy[], ...patterns: readonly string[]): string {
	const sources = [{ file: "d.yaml", content: text }];
	const acceptance = acceptLive(sources, [inputOf(text, policies)], patterns, { environment: {} });
	if ("refusals" in acceptance) throw new Error(acceptance.refusals.join("\n"));
	return acceptance.contents.get("d.yaml") ?? text;
}

const has = (tag: string): string => `approvers.any(user, user.tags.contains('${tag}'))`;
const head = `organizationId: ${organizationId}\nusers: { alice: ${alice} }\nuserTags: [{ name: payers }]\n`;

const block = `${head}policies: # all of them
  # The first.
  - name: pay # small sums
    effect: allow # not deny
    consensus: |- # who
        true
    # what
    condition: 'activity.action == ''SIGN'''
    notes: >-
      Agreed.
  - { name: other, effect: deny, consensus: "", condition: "false" }
`;

const other = policy(2, "other", { effect: "EFFECT_DENY", consensus: "", condition: "false" });

describe("accepting a changed policy", () => {
	test("writes effect, expressions and notes in place, with references, and keeps comments and styles", () => {
		const live = policy(1, "pay", {
			effect: "EFFECT_DENY",
			consensus: `${has(payers)} ||\n  approvers.any(user, user.id == '${alice}')`,
			condition: "activity.action == 'DELETE'",
			notes: "Once ${more}",
		});
		expect(accept(block, [live, other], "policy:pay")).toBe(
			block
				.replace("allow # not", "deny # not")
				.replace(
					"        true\n",
					`        ${has("${userTags.payers}")} ||\n          approvers.any(user, user.id == '\${users.alice}')\n`,
				)
				.replace("''SIGN'''", "''DELETE'''")
				.replace("Agreed.", () => "Once $${more}"),
		);
	});

	test.each([
		["activity.action == 'SIGN' && eth.tx.value < 5", "activity.action == 'SIGN' && eth.tx.value < 5"],
		["true", '"true"'],
		["x == 'a: b'", `"x == 'a: b'"`],
		["x == 'a #b'", `"x == 'a #b'"`],
	])("keeps an expression without quotes so, where YAML reads it as the same text: %s", (condition, written) => {
		const text = (shown: string) =>
			`${head}policies:\n  - name: other\n    effect: allow\n    consensus: "true"\n    unchecked: true\n    condition: ${shown} # why\n`;
		const before = text("activity.action == 'SIGN'");
		expect(accept(before, [policy(2, "other", { condition })], "policy:other")).toContain(
			`condition: ${written} # why\n`,
		);
	});

	test("leaves expressions alone that differ in nothing but spaces", () => {
		const live = policy(1, "pay", { consensus: "(true)", condition: "activity.action=='SIGN'", notes: "New" });
		expect(accept(block, [live, other], "policy:pay")).toBe(block.replace("Agreed.", "New"));
	});

	test("writes on one line in a flow map, and a name, a time and `unchecked` where they are needed", () => {
		const text = block.replace("name: other,", "name: other, previously: [before],");
		const live = policy(2, "before", {
			consensus: `true || false && ${has(payers)}`,
			time: "x\ny",
			condition: "false",
		});
		const unchanged = policy(1, "pay", { condition: "activity.action == 'SIGN'", notes: "Agreed." });
		expect(accept(text, [unchanged, live], "policy:other")).toBe(
			block.replace(
				/ {2}- \{ name: other.*\n/,
				() =>
					`  - { name: before, previously: [], effect: allow, consensus: "true || false && ${has("${userTags.payers}")}", condition: "false", time: "x\\ny", unchecked: true }\n`,
			),
		);
	});

	test.each([
		"|",
		">",
		"|+",
		">+",
		"|2",
		">2+",
	])("writes notes of a block %s without the line breaks that it kept", (header) => {
		const text = `${head}policies:\n  - name: pay\n    effect: deny\n    consensus: ""\n    condition: |+ # what\n      true\n\n    notes: ${header} # why\n      old\n\n  # the end\n`;
		const live = policy(1, "pay", { effect: "EFFECT_DENY", consensus: "", condition: "false", notes: "new" });
		const written = accept(text, [live], "policy:pay");
		expect(planOf(written, [live]).changes).toEqual([]);
		expect(written).toContain("    condition: |+ # what\n      false\n");
		expect(written).toMatch(/ {4}notes: [|>]- # why\n {6}new\n/);
		expect(written).toMatch(/\n {2}# the end\n$/);
	});

	test("is refused by the address as plans show it", () => {
		const live = policy(2, "a, b", { effect: "EFFECT_X", consensus: "" });
		const text = `${head}policies: [{ name: "a, b", effect: deny, consensus: "", condition: "false" }]\n`;
		expect(() => accept(text, [live], "policy:a*")).toThrow(/^cannot accept policy:"a, b": /);
	});

	test("is refused where the document could not have the policy", () => {
		const live = policy(1, "pay", { consensus: "", condition: "activity.action == 'SIGN'", notes: "Agreed." });
		expect(() => accept(block, [live, other], "policy:pay")).toThrow(/an allow without a consensus/);
		expect(() => accept(block, [{ ...live, effect: "EFFECT_X" }, other], "policy:pay")).toThrow(
			/neither allow nor deny/,
		);
	});
});

test("accepting a policy that is gone removes its entry", () => {
	expect(accept(block, [other], "policy:pay")).toBe(
		block.replace(/ {2}# The first\.[\s\S]*(?= {2}- \{ name: other)/, ""),
	);
});

describe("accepting an object that a complete list lacks", () => {
	const extra = policy(3, "extra", { consensus: has(payers), condition: "true ||\n\nfalse" });
	const mine = policy(1, "pay", { condition: "activity.action == 'SIGN'", notes: "Agreed." });
	const entry = (indent: string): string =>
		[
			"- name: extra",
			"  effect: allow",
			"  consensus: |-",
			`    ${has("${userTags.payers}")}`,
			"  condition: |-",
			"    true ||",
			"",
			"    false",
		]
			.map((line) => (line === "" ? "" : `${indent}${line}`))
			.join("\n");

	test.each([
		"policy:extra",
		`policy:${id("policy", 3)}`,
		"policy:*",
	])("adds an entry at the end of a block list: %s", (pattern) => {
		const text = `${block}exactly: { policies: {} }\n`;
		expect(accept(text, [mine, other, extra], pattern)).toBe(
			text.replace("exactly:", () => `${entry("  ")}\nexactly:`),
		);
	});

	test("adds an entry on one line to a flow list, and a section where there is none", () => {
		const flow = `${head}policies: []\nexactly: { policies: {} }\n`;
		expect(accept(flow, [extra], "policy:extra")).toBe(
			flow.replace(
				"[]",
				() =>
					`[{ name: extra, effect: allow, consensus: "${has("${userTags.payers}")}", condition: "true ||\\n\\nfalse" }]`,
			),
		);
		const none = `${head}exactly: { policies: {} }\n`;
		const both = accept(none, [extra, policy(4, "more")], "policy:*");
		expect(both.slice(0, none.length + 11 + entry("  ").length)).toBe(`${none}policies:\n${entry("  ")}\n`);
		expect(both).toContain("\n  - name: more\n");
	});

	test("adds a tag with its members", () => {
		const text = head.replace("[{ name: payers }]", "\n  - name: payers\nexactly: { userTags: {} }");
		expect(accept(text, [], "userTag:unlisted")).toBe(
			text.replace("- name: payers\n", "- name: payers\n  - { name: unlisted, members: { exactly: [alice] } }\n"),
		);
	});

	test("takes a name out of `absent`", () => {
		const text = `${head}absent: { policies: [extra, gone], userTags: [unlisted] }\n`;
		expect(accept(text, [extra], "policy:extra", "userTag:unlisted")).toBe(
			text.replace("[extra, gone]", "[gone]").replace("[unlisted]", "[]"),
		);
	});
});

test("accepting a tag that is gone and would be created removes its entry", () => {
	const text = head.replace("[{ name: payers }]", "[{ name: payers }, { name: new, create: true }]");
	expect(accept(text, [], "userTag:new")).toBe(head);
});

test("accepting any policies into the export of any others leaves no difference at them", () => {
	const isAnyones = ({ effect, consensus }: LivePolicy): boolean => effect === "EFFECT_ALLOW" && consensus === "";
	forEachSeed(30, (seed) => {
		const random = randomOf(seed);
		const [before, after] = [randomPolicies(random), randomPolicies(random)].map((all) =>
			all.filter((one) => !isAnyones(one)),
		) as [LivePolicy[], LivePolicy[]];
		const users = known([1, 2, 3].map((number) => ({ id: id("user", number), name: `user ${number}` })));
		const live = { ...liveOf({ userTags: known([liveTag(1, "payers")]) }), policies: known(before) };
		const { text } = exportDocument({ live, users, sessionProfilesKnown: known(null) }, "");
		const complete = `${text}exactly: { policies: {} }\n`;
		const differing = differingAddresses(planOf(complete, after)).length > 0;
		const accepted = differing ? accept(complete, after, "policy:*") : complete;
		expect(differingAddresses(planOf(accepted, after))).toEqual([]);
	});
});
