/**
 * Saved plans: the bytes say what they are, whatever was changed in them is noticed, and only the documents that were
 * planned go with them.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../../../src/common/errors.ts";
import {
	decodeSavedPlan,
	encodeSavedPlan,
	factsOf,
	makeSavedPlan,
	matchDocuments,
} from "../../../src/document/saved/saved-plan.ts";
import type { DesiredOrganization } from "../../../src/plan/organization.ts";
import { makePlan, type Plan } from "../../../src/plan/plan.ts";
import { digestOf } from "../../../src/plan/value.ts";
import { stepText } from "../../../src/say/steps.ts";
import { checkSchema } from "../../check-schema.ts";
import {
	context,
	type DesiredParts,
	desiredOf,
	id,
	known,
	liveOf,
	liveTag,
	nothingAbsent,
	nothingExpected,
	organizationId,
	sectionsOf,
	wantTag,
	withSections,
} from "../../plan/support-organizations.ts";

const [alice, bob] = [id("user", 1), id("user", 2)];

const desired = desiredOf({
	users: { alice },
	digest: digestOf("the document"),
	userTags: [wantTag("oncall"), wantTag("signers", { members: { mode: "exactly", exactly: [alice] } })],
	absent: {
		policyIds: [id("policy", 1), id("policy", 2)],
		oauthProviders: [
			{ userId: alice, providerIds: [id("provider", 1)] },
			{ userId: bob, providerIds: [id("provider", 1), id("provider", 2)] },
		],
		tvcAppIds: [id("app", 1), id("app", 2)],
	},
});

const live = liveOf({
	userTags: known([
		liveTag(1, "oncall"),
		// What JSON has to escape comes back as it was.
		liveTag(2, "signers", { members: known([bob]) }),
		liveTag(3, "line\nbreak \ud800 \u2028 </script> __proto__"),
	]),
	policies: known([{ id: id("policy", 2), name: "two" }]),
	oauthProviders: known([{ userId: bob, id: id("provider", 1), name: "one" }]),
	tvcApps: known([{ id: id("app", 2), name: "two" }]),
});

const plan = makePlan(desired, live, context);
const saved = makeSavedPlan({ plans: [plan] }, "orgsync 1.2.3");
const text = encodeSavedPlan(saved);

/** The file after an edit of what it holds, its digest left as it was. */
function edit(change: (content: Record<string, unknown> & { plans: Plan[] }) => void): string {
	const content = JSON.parse(text);
	change(content);
	return JSON.stringify(content);
}

/** Returns the same with a new digest, as a skilled forger would make it. */
function forge(change: Parameters<typeof edit>[0]): string {
	const { digest: _digest, ...content } = JSON.parse(edit(change));
	return JSON.stringify({ ...content, digest: digestOf(content) });
}

function reasonOf(content: string): string {
	try {
		decodeSavedPlan(content, "plan.json");
		return "it was taken";
	} catch (error) {
		expect(error).toBeInstanceOf(ConfigurationError);
		return (error as Error).message;
	}
}

describe("a saved plan", () => {
	it("comes back from its bytes as it was, and fits its schema", () => {
		expect(encodeSavedPlan(decodeSavedPlan(text, "plan.json"))).toBe(text);
		expect(checkSchema("saved-plan.json", JSON.parse(text))).toEqual([]);
		expect(text.endsWith("}\n")).toBe(true);
	});

	it("has the same bytes for the same plans", () => {
		expect(encodeSavedPlan(makeSavedPlan({ plans: [makePlan(desired, live, context)] }, "orgsync 1.2.3"))).toBe(text);
	});

	it("is the same plan when only white space or the order of members is another", () => {
		const reversed = Object.fromEntries(Object.entries(JSON.parse(text)).reverse());
		expect(decodeSavedPlan(JSON.stringify(reversed), "plan.json")).toEqual(decodeSavedPlan(text, "plan.json"));
	});

	it("says by which digest it is known, when the first organization was read, and what made it", () => {
		const later = { ...plan, organizationId: id("org", 2), readAt: "2026-01-02T00:00:00.000Z" };
		const both = makeSavedPlan({ plans: [later, plan] }, "orgsync 1.2.3");
		expect(factsOf(both)).toEqual({ digest: both.digest, readAt: plan.readAt, generatedBy: "orgsync 1.2.3" });
	});
});

describe("a file is refused", () => {
	it("that records an override of a guard, which no saved plan has", () => {
		const override = { flag: "allow", kind: "policies", number: 1 } as const;
		const saved = makeSavedPlan({ plans: [{ ...plan, overrides: [override] }] }, "orgsync 1.2.3");
		expect(reasonOf(encodeSavedPlan(saved))).toMatch(/was not made by this orgsync: \/plans\/0\/overrides\/0\/flag/);
	});

	it.each<[string, string, RegExp]>([
		["that is no JSON", "organizationId: x", /^plan\.json is no saved plan: it is no JSON$/],
		["that is empty", "", /it is no JSON/],
		["that holds a list", "[]", /it is no object/],
		["that holds null", "null", /it is no object/],
		["that holds something else", '{"a": 1}', /it has no digest or no plans/],
		[
			"that is the answer of plan",
			JSON.stringify({ formatVersion: 1, command: "plan", exitCode: 0, plans: [plan] }),
			/it is what a command prints with --format json/,
		],
		["without a digest", edit((content) => delete content.digest), /it has no digest or no plans/],
	])("%s", (_what, content, reason) => {
		expect(reasonOf(content)).toMatch(reason);
	});

	it.each<[string, Parameters<typeof edit>[0]]>([
		[
			"a parameter of a step",
			({ plans }) => Object.assign(plans[0]?.steps[0]?.parameters ?? {}, { addUserIds: [bob] }),
		],
		["a step taken out", ({ plans }) => (plans[0]?.steps as unknown[]).pop()],
		["a name", ({ plans }) => Object.assign(plans[0]?.userNames ?? {}, { [alice]: "bob" })],
		["a digest of what was touched", ({ plans }) => Object.assign(plans[0]?.touched[0] ?? {}, { digest: digestOf(1) })],
		["what made it", (content) => Object.assign(content, { generatedBy: "orgsync 1.2.4" })],
		["something added", (content) => Object.assign(content, { note: "reviewed" })],
		["the digest itself", (content) => Object.assign(content, { digest: digestOf(2) })],
	])("that was changed after it was saved: %s", (_what, change) => {
		expect(reasonOf(edit(change))).toMatch(/^plan\.json was changed after it was saved: /);
	});

	it.each<[string, Parameters<typeof edit>[0], RegExp]>([
		[
			"itself",
			(content) => Object.assign(content, { formatVersion: 3, generatedBy: "orgsync 9.0.0" }),
			/was made by a newer orgsync \(orgsync 9\.0\.0\): it has formatVersion 3, and this one reads 2$/,
		],
		[
			"with a blank name",
			(content) => Object.assign(content, { formatVersion: 3, generatedBy: " " }),
			/was made by a newer orgsync: it has formatVersion 3/,
		],
		[
			"with a long name",
			(content) => Object.assign(content, { formatVersion: 3, generatedBy: "x".repeat(9000) }),
			/was made by a newer orgsync \(x+…x+\): it has formatVersion 3.{0,50}$/,
		],
		[
			"in a plan",
			({ plans }) => Object.assign(plans[0] ?? {}, { formatVersion: 2 }),
			/it has formatVersion 2, and this one reads 1$/,
		],
	])("that is of a newer format, %s, whatever its digest", (_what, change, reason) => {
		expect(reasonOf(edit(change))).toMatch(reason);
		expect(reasonOf(forge(change))).toMatch(reason);
	});

	it.each<[string, Parameters<typeof edit>[0], RegExp]>([
		[
			"a plan that is none",
			(content) => Object.assign(content, { plans: [{}] }),
			/\/plans\/0 must have required property/,
		],
		[
			"another command",
			(content) => Object.assign(content, { command: "drift" }),
			/\/command must be equal to constant/,
		],
		[
			"an unknown member",
			(content) => Object.assign(content, { note: "" }),
			/the whole must NOT have additional properties/,
		],
		[
			"an unknown operation",
			({ plans }) => Object.assign(plans[0]?.steps[0] ?? {}, { operation: "delete_users" }),
			/\/plans\/0\/steps\/0\/operation/,
		],
	])("that has %s, although its digest fits", (_what, change, reason) => {
		expect(reasonOf(forge(change))).toMatch(reason);
	});

	it("that is nested without end", () => {
		const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
		const content = `{"formatVersion":1,"digest":"x","plans":[${deep}]}`;
		expect(reasonOf(content)).toMatch(/is no saved plan: it is nested more than 200 levels deep/);
	});

	it("under a name that does nothing to a terminal", () => {
		expect(() => decodeSavedPlan("", "a\u001b[31m.json")).toThrow("a\\u{1b}[31m.json is no saved plan");
		expect(() => decodeSavedPlan("", "-")).toThrow("standard input is no saved plan");
	});
});

describe("the documents of a saved plan", () => {
	const other = (more: DesiredParts): DesiredOrganization => withSections(desired, more);
	const second = other({ organizationId: id("org", 2) });

	it("are narrowed to what it changes, with what is protected and the limits as they are", () => {
		const [planned] = matchDocuments(saved, [desired]);
		expect(planned?.plan).toEqual(plan);
		expect(planned?.desired).toMatchObject({
			organizationId,
			digest: desired.digest,
			narrowed: true,
			readsMembers: true,
			limits: desired.limits,
			protect: desired.protect,
		});
		const { userTags, absent, expect: expected } = sectionsOf(planned?.desired ?? { objects: [] });
		expect(userTags).toMatchObject([{ name: "signers" }]);
		expect(absent).toEqual({
			policyIds: [id("policy", 2)],
			oauthProviders: [{ userId: bob, providerIds: [id("provider", 1)] }],
			tvcAppIds: [id("app", 2)],
		});
		expect(expected).toEqual(nothingExpected);
	});

	it("have to call users as it does: its reviewers went by those names", () => {
		const renamed = { ...desired, users: { ann: alice, bob } };
		expect(() => matchDocuments(saved, [renamed])).toThrow(
			`the documents of organization ${plan.organizationId} call \`ann\` user ${alice}, whom the saved plan calls \`alice\``,
		);
	});

	it("may write names that mean something in a pattern, and only those tags are left", () => {
		const names = ["*", "a*", "ab", "?", "[a]", "userTag:x", "x/y"];
		const wanted = other({ userTags: names.map((name) => wantTag(name, { previously: [`${name} before`] })) });
		for (const kept of names) {
			const tags = liveOf({
				userTags: known(names.map((name, index) => liveTag(index, name === kept ? `${name} before` : name))),
			});
			const one = makePlan(withSections(wanted, { absent: nothingAbsent }), tags, context);
			const [planned] = matchDocuments(makeSavedPlan({ plans: [one] }, "x"), [wanted]);
			expect(sectionsOf(planned?.desired ?? { objects: [] }).userTags.map(({ name }) => name)).toEqual([kept]);
		}
	});

	it("are refused when they were changed since", () => {
		expect(() => matchDocuments(saved, [other({ digest: digestOf("another") })])).toThrow(
			`organization ${organizationId} was planned from another document: its digest was ${desired.digest}, and that of document.yaml is ${digestOf("another")}`,
		);
	});

	it("are refused when they are of another organization, or of one more, or one less", () => {
		expect(() => matchDocuments(saved, [second])).toThrow(
			`the saved plan is of organization ${organizationId}, which the documents do not have; the documents have organization ${second.organizationId}, which the saved plan does not`,
		);
		expect(() => matchDocuments(saved, [desired, second])).toThrow(
			`the documents have organization ${second.organizationId}, which the saved plan does not`,
		);
		const both = makeSavedPlan({ plans: [plan, { ...plan, organizationId: second.organizationId }] }, "x");
		expect(() => matchDocuments(both, [desired])).toThrow(
			`the saved plan is of organization ${second.organizationId}, which the documents do not have`,
		);
		expect(matchDocuments(both, [desired, second]).length).toBe(2);
	});
});

describe("a plan that an older version saved", () => {
	const text = readFileSync(new URL("../../golden/saved/plan-format-1.json", import.meta.url), "utf8");

	it("is read, and a reason that it has as text stays a text", () => {
		const { formatVersion, plans } = decodeSavedPlan(text, "plan.json");
		expect([formatVersion, plans.length]).toEqual([1, 1]);
		const { digest: _, ...content } = JSON.parse(text);
		Object.assign(content.plans[0].steps[0].approval, { verdict: "unknown", because: "other words" });
		const [worded] = decodeSavedPlan(JSON.stringify({ ...content, digest: digestOf(content) }), "plan.json").plans;
		expect(worded?.steps[0]?.approval?.because).toEqual({ kind: "stated", text: "other words" });
	});

	it("shows each step's reason in the words of this version", () => {
		const { digest: _, ...content } = JSON.parse(text);
		const reasons = content.plans[0].steps.map(({ reason }: { readonly reason: string }) => reason);
		for (const step of content.plans[0].steps) step.reason = "other words";
		const saved = decodeSavedPlan(JSON.stringify({ ...content, digest: digestOf(content) }), "plan.json");
		expect(saved.plans[0]?.steps.map(stepText)).toEqual(reasons);
	});
});
