/** Policies of exported documents: entries whose plan is empty, whatever the service has. */
import { describe, expect, test } from "vitest";
import { exportDocument } from "../../src/document/export/export.ts";
import { lossesOfDocument } from "../../src/document/export/losses.ts";
import { parseDocuments } from "../../src/document/read/parse.ts";
import { diff } from "../../src/plan/diff.ts";
import {
	type DesiredOrganization,
	type LivePolicy,
	policiesOf,
	type WholeOrganization,
} from "../../src/plan/organization.ts";
import { forEachSeed } from "../case-count.ts";
import { id, known, liveOf, liveTag, unknown } from "../plan/support-organizations.ts";
import { randomOf } from "../policy/language/random-expressions.ts";
import { randomPolicies } from "./random-policies.ts";

const [alice, bob] = [id("user", 1), id("user", 2)];
const [signers, oddly] = [id("tag", 1), id("tag", 2)];

function policy(number: number, name: string, parts: Partial<LivePolicy> = {}): LivePolicy {
	const clauses = { consensus: "true", condition: "", time: "", notes: "" };
	return { id: id("policy", number), name, effect: "EFFECT_ALLOW", ...clauses, ...parts };
}

function wholeOf(policies: readonly LivePolicy[]): WholeOrganization {
	const parts = liveOf({
		userTags: known([liveTag(1, "signers"), liveTag(2, "it's } odd")]),
		policies: known(policies.map((one) => ({ id: one.id, name: one.name }))),
	});
	const users = known([
		{ id: alice, name: "alice" },
		{ id: bob, name: "Bob B." },
	]);
	return { live: { ...parts, policies: known(policies) }, users, sessionProfilesKnown: known(null) };
}

function readBack(text: string): DesiredOrganization {
	const { organizations, problems } = parseDocuments([{ file: "export.yaml", content: text }], {});
	expect(problems, text).toEqual([]);
	return organizations[0] ?? expect.unreachable();
}

const has = (tag: string): string => `approvers.any(user, user.tags.contains('${tag}'))`;

const acme = wholeOf([
	policy(1, "signers sign", {
		consensus: has(signers),
		condition: "activity.kind == 'SIGN_TRANSACTION' &&\n  eth.tx.value < 1000",
		notes: "Agreed ${YEAR}:\n2026",
	}),
	policy(2, "alice, or an odd tag", { consensus: `approvers.any(user, user.id == '${alice}') || ${has(oddly)}` }),
	policy(3, "tags that are not there", { consensus: has(id("tag", 9)), condition: "activity.id == '${HOME}'" }),
	policy(4, "mixed", { consensus: `true || false && ${has(signers)}` }),
	policy(5, "not understood", { effect: "EFFECT_DENY", consensus: "", condition: "wallet.moon == '${x}'\t" }),
	policy(6, "at night", { time: "CronSpan('0 22 * * *', '8h', 'Europe/London')" }),
]);

describe("an exported document with policies", () => {
	test("has them as entries with references, and nothing to delete", async () => {
		const { text, leftOut, unread } = exportDocument(acme, "");
		await expect(text).toMatchFileSnapshot("../golden/export/policies.yaml");
		expect({ leftOut, unread }).toEqual({ leftOut: [], unread: [] });
	});

	test("leaves out what a document cannot have, and says why", () => {
		const whole = wholeOf([
			policy(1, "twice"),
			policy(2, "twice"),
			policy(3, "anyone", { consensus: "" }),
			policy(4, "later", { effect: "EFFECT_LATER" }),
			policy(5, " padded"),
			policy(6, "good"),
		]);
		const { text, leftOut } = exportDocument(whole, "");
		expect(policiesOf(readBack(text)).map(({ name }) => name)).toEqual(["good"]);
		expect(leftOut.map(({ what, because }) => [what, because.slice(0, 42)])).toEqual([
			["policy:later", "its effect is neither allow nor deny"],
			["policy:twice", "another policy has the same name"],
			["policy:twice", "another policy has the same name"],
			["policy: padded", expect.any(String)],
			["policy:anyone", "an allow without a consensus can be used b"],
		]);
		for (const number of [1, 2, 3, 4, 5]) expect(text).toContain(`#    - ${id("policy", number)}`);
		expect(text).not.toContain(id("policy", 6));
	});

	test("says that what policies say could not be read", () => {
		const whole = wholeOf([policy(1, "one")]);
		const { text, unread } = exportDocument({ ...whole, live: { ...whole.live, policies: unknown } }, "");
		expect(unread).toMatchObject([{ what: "what policies say" }]);
		expect(text).toContain(`#    - ${id("policy", 1)}  # one\n`);
	});

	test("loses nothing of an earlier export, whose references are no variables", () => {
		const { text } = exportDocument(acme, "");
		expect(lossesOfDocument(text, text, [])).toEqual([]);
		const renamed = text.replace("  - name: mixed\n", "  - name: mixed\n    previously: [other]\n");
		expect(lossesOfDocument(renamed, text, [])).toEqual(["`previously` of `mixed`"]);
	});
});

test("the exported document of any policies has an empty plan, and has or reports each of them", () => {
	let referring = 0;
	forEachSeed(40, (seed) => {
		const random = randomOf(seed);
		const policies = randomPolicies(random);
		const whole = wholeOf(policies);
		const { text, leftOut } = exportDocument(whole, "");
		const desired = readBack(text);
		const { changes, problems } = diff(desired, whole.live);
		expect({ changes, problems }).toEqual({ changes: [], problems: [] });
		const written = policiesOf(desired);
		expect(written.length + leftOut.length).toBe(policies.length);
		const isAnyones = ({ effect, consensus }: LivePolicy): boolean => effect === "EFFECT_ALLOW" && consensus === "";
		expect(leftOut.length).toBe(policies.filter(isAnyones).length);
		referring += written.filter(({ consensus, condition }) => /\$\{/.test(consensus + condition)).length;
	});
	expect(referring).toBeGreaterThan(5);
});
