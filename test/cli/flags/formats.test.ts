/**
 * Plans, drift and reports in the formats for people and pipelines, as a user has them: what is printed, where it goes, and
 * that a format changes nothing else.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type Answer, normalize, type RunOptions, readOutput } from "../../run.ts";
import { agreeing, alice, document, keys, makeWorld, policies, type World } from "../../world.ts";

const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
	version: string;
};

const golden = (name: string): string => fileURLToPath(new URL(`../../golden/cli/${name}`, import.meta.url));

/** What varies from run to run or release to release, replaced by its name. */
function settle(text: string): string {
	return normalize(text).replaceAll(`orgsync ${version}`, "orgsync VERSION");
}

interface Case {
	readonly why: string;
	readonly document: string;
	readonly words: readonly string[];
	readonly code: number;
	readonly options?: RunOptions;
	readonly prepare?: (world: World) => Promise<void>;
	/** What the Markdown and the page say first, and the first annotation. */
	readonly verdict: string;
	readonly annotation?: string;
}

const changes = document(
	"userTags:",
	"  - { name: signatories, previously: [signers], members: { exactly: [alice, bob] } }",
	"  - { name: oncall, members: { atLeast: [alice] } }",
	`absent: { policies: [${policies[0]}] }`,
);
const apply = ["apply", "--yes"];

const written = document(
	"userTags: [{ name: payers, create: true, members: { exactly: [alice, bob] } }]",
	"policies:",
	"  - name: pay",
	"    effect: allow",
	"    consensus: |-",
	"      approvers.any(user, user.tags.contains('${userTags.payers}'))",
	"      && approvers.count() > 1",
	"    condition: |-",
	"      activity.kind == 'SIGN_TRANSACTION'",
	'  - { name: pay more, effect: allow, consensus: "approvers.count() > 1", condition: "activity.kind == \'UPDATE_POLICY\'" }',
	"  - { name: never, effect: deny, consensus: approvers.count() > 9, condition: \"activity.kind == 'SIGN_TRANSACTION'\", notes: Agreed }",
);

/** Has the policy `pay` in another text. */
const hasPay = (world: World): Promise<void> =>
	world.change({
		policies: [
			{
				policyId: policies[0],
				policyName: "pay",
				effect: "EFFECT_ALLOW",
				consensus: "approvers.any(user, user.tags.contains('nobody'))\n&& approvers.count() > 2",
				condition: "activity.kind == 'SIGN_TRANSACTION'",
			},
		],
		rootQuorum: { threshold: 1, userIds: [alice] },
	});

const writes = { document: written, prepare: hasPay };

const cases: readonly Case[] = [
	{
		why: "plan",
		document: changes,
		words: ["plan", "--detailed-exitcode"],
		code: 2,
		verdict: "Plan: 3 activities; they run at once. 2 user tags to update, 1 policy to remove.",
	},
	{
		why: "plan-nothing",
		document: document(agreeing.userTags),
		words: ["plan"],
		code: 0,
		verdict: "No changes. The organization is in sync.",
	},
	{
		why: "drift",
		document: changes,
		words: ["drift"],
		code: 2,
		verdict: "Drift: 3 objects drifted; apply would submit 3 activities.",
	},
	{ why: "apply", document: changes, words: apply, code: 0, verdict: "Applied: 3 completed (12 queries, 3 submits)." },
	{
		why: "apply-waiting",
		document: changes,
		words: [...apply, "--no-verify"],
		code: 8,
		prepare: (world) =>
			world.setRules({ approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2, ACTIVITY_TYPE_DELETE_POLICIES: 2 } }),
		verdict: "Not in sync: 3 pending approval (9 queries, 3 submits). 3 forecasts were wrong.",
	},
	{
		why: "show",
		document: changes,
		words: ["show", "plan.json"],
		code: 0,
		prepare: async (world) => {
			expect((await world.run(["plan", "--out", "plan.json"])).code).toBe(0);
		},
		verdict: "Plan: 3 activities; they run at once. 2 user tags to update, 1 policy to remove.",
	},
	{
		why: "stale",
		document: changes,
		words: ["apply", "--plan", "plan.json"],
		code: 6,
		prepare: async (world) => {
			expect((await world.run(["plan", "--out", "plan.json"])).code).toBe(0);
			await world.change({ remove: { policies: [policies[0]] } });
		},
		verdict: "orgsync apply stopped: the saved plan is stale, nothing was submitted.",
		annotation: "the saved plan is stale, nothing was submitted; plan again, and have the new plan reviewed",
	},
	{
		why: "guard",
		document: document(`absent: { policies: [${policies[0]}] }`, "limits: { policies: 0 }"),
		words: apply,
		code: 5,
		verdict: "orgsync apply stopped: blocked by a guard, nothing was submitted.",
		annotation:
			"blocked by a guard, nothing was submitted: 1 policy would be removed (allowed: at most 0); to override: --allow policies=1",
	},
	{
		why: "invalid",
		document: document("userTags: [{ name: signers, membres: { exactly: [alcie] } }]"),
		words: ["plan"],
		code: 3,
		verdict: "orgsync plan could not start: 1 problem in the documents.",
		annotation: "the document has a problem",
	},
	{
		why: "impossible",
		document: document("userTags: [{ name: singers }]"),
		words: ["plan"],
		code: 1,
		verdict: "Cannot converge: 1 problem in the live organization. Apply would submit nothing.",
	},
	{
		why: "apply impossible",
		document: document("userTags: [{ name: singers }]"),
		words: apply,
		code: 1,
		verdict: "orgsync apply stopped: the organization cannot converge, nothing was submitted.",
		annotation:
			"the organization cannot converge; nothing was submitted; the plan shows why: change the document, or the organization manually",
	},
	{
		...writes,
		why: "plan-policies",
		words: ["plan", "--detailed-exitcode"],
		code: 2,
		verdict:
			"Plan: 3 activities; they run in order, none needs approval. 1 user tag to create, 2 policies to create, 1 policy to update.",
	},
	{
		...writes,
		why: "drift-policies",
		words: ["drift"],
		code: 2,
		verdict: "Drift: 4 objects drifted; apply would submit 3 activities.",
	},
	{
		...writes,
		why: "apply-policies",
		words: apply,
		code: 0,
		verdict: "Applied: 3 completed (14 queries, 3 submits).",
	},
	{
		why: "flag",
		document: changes,
		words: ["plan", "--bogus"],
		code: 3,
		verdict: "orgsync plan stopped: flags, environment or files are wrong.",
		annotation: "unknown option '--bogus'; orgsync plan --help",
	},
	{
		why: "key",
		document: changes,
		words: ["drift"],
		code: 4,
		options: { env: { ORGSYNC_API_PRIVATE_KEY: keys.stranger.privateKey } },
		verdict: "orgsync drift stopped: the service did not accept the key.",
		annotation: "the service does not accept this key: ",
	},
	{
		why: "nobody to ask",
		document: changes,
		words: ["apply"],
		code: 3,
		verdict: "orgsync apply stopped: flags, environment or files are wrong.",
		annotation: "apply asks before it submits, but not with --format github; review `orgsync plan`, then use --yes",
	},
];

async function runCase(
	{ document: text, prepare, words, options }: Case,
	format: string,
	more: RunOptions = {},
): Promise<Answer> {
	const world = await makeWorld(text);
	await prepare?.(world);
	const env = { ...options?.env, ...more.env };
	return world.run([...words, "--format", format], { ...options, ...more, env });
}

describe.each(cases)("the result of $why", (one) => {
	const { why, code, verdict } = one;

	test("is shown in Markdown", async () => {
		const answer = await runCase(one, "markdown");
		expect(answer.code).toBe(code);
		expect(answer.stdout.startsWith(`<!-- orgsync: ${one.words[0]} -->\n\n### ${verdict}\n`), answer.stdout).toBe(true);
		await expect(settle(answer.stdout)).toMatchFileSnapshot(golden(`format-${why.replaceAll(" ", "-")}.md`));
	});

	test("is shown as HTML", async () => {
		const answer = await runCase(one, "html");
		expect(answer.code).toBe(code);
		expect(answer.stdout).toMatch(/^<!doctype html>\n.*<\/html>\n$/s);
		expect(answer.stdout).toContain(`<title>orgsync ${one.words[0]}: ${verdict}</title>`);
	});

	test("is shown for GitHub with a step summary", async () => {
		const world = await makeWorld(one.document);
		await one.prepare?.(world);
		world.write("summary.md", "# before\n");
		const options = {
			...one.options,
			env: { ...one.options?.env, GITHUB_STEP_SUMMARY: join(world.folder, "summary.md") },
		};
		const answer = await world.run([...one.words, "--format", "github"], options);
		expect(answer.code).toBe(code);
		expect(answer.stdout.split("\n")[0]).toMatch(/^::(error|warning|notice) title=orgsync%3A /);
		expect(answer.stdout.split("\n")[0]).toContain(`::${one.annotation ?? verdict}`);
		const summary = readFileSync(join(world.folder, "summary.md"), "utf8");
		expect(summary.startsWith(`# before\n<!-- orgsync: ${one.words[0]} -->\n\n### ${verdict}\n`), summary).toBe(true);
		await expect(settle(answer.stdout)).toMatchFileSnapshot(golden(`format-${why.replaceAll(" ", "-")}.github.txt`));
	});
});

describe("a format", () => {
	test("that a command does not have is refused with the available ones", async () => {
		const world = await makeWorld(changes);
		const answer = await world.run(["validate", "--format", "html"]);
		expect(answer.code).toBe(3);
		expect(answer.stdout).toBe("");
		expect(answer.stderr).toContain("Allowed choices are text, json.");
	});

	test.each([
		"markdown",
		"html",
		"github",
	])("%s is written to the file of --output, errors included", async (format) => {
		const world = await makeWorld(changes);
		const file = join(world.folder, "result");
		const printed = await world.run(["plan", "--format", format]);
		const written = await world.run(["plan", "--format", format, "--output", "result"]);
		expect(written.stdout).toBe("");
		expect(settle(readFileSync(file, "utf8"))).toBe(settle(printed.stdout));
		world.write("orgsync.yaml", "organizationId: 7\n");
		const failed = await world.run(["plan", "--format", format, "--output", "result"]);
		expect(failed.code).toBe(3);
		expect(failed.stdout).toBe("");
		expect(readFileSync(file, "utf8")).toContain("orgsync.yaml");
	});

	test("for GitHub annotates changes at their lines and prints the plan as text after them", async () => {
		const world = await makeWorld(changes);
		const { stdout } = await world.run(["plan", "--format", "github"]);
		const text = await world.run(["plan"]);
		const line = changes.split("\n").findIndex((one) => one.includes("name: oncall")) + 1;
		expect(stdout).toMatch(
			new RegExp(`^::notice file=orgsync.yaml,line=${line},col=\\d+,title=orgsync%3A update::~ userTag:oncall`, "m"),
		);
		expect(stdout.endsWith(text.stdout)).toBe(true);
	});

	test("for a page has both texts of a policy beside each other, and what a policy is created with", async () => {
		const world = await makeWorld(written);
		await hasPay(world);
		const { stdout } = await world.run(["plan", "--format", "html"]);
		const policies = stdout.slice(stdout.indexOf('<section class="card plain" aria-labelledby="policies"'));
		const [, live, desired] =
			policies.match(/<dt>consensus<\/dt><dd class="live">(.*?)<\/dd><dd class="document">(.*?)<\/dd>/s) ?? [];
		expect(live).toContain("approvers.any(user, user.tags.contains(<mark>&#39;nobody&#39;</mark>))\n");
		expect(desired).toContain("<mark>1</mark>\n</pre>");
		expect(policies).toContain("<pre>approvers.count() &#62; 9\n</pre>");
	});

	test("for GitHub annotates written policies at their entries", async () => {
		const world = await makeWorld(written);
		await hasPay(world);
		const { stdout } = await world.run(["plan", "--format", "github"]);
		const lineOf = (text: string): number => written.split("\n").findIndex((line) => line.includes(text)) + 1;
		for (const [text, word, change] of [
			["- name: pay", "update", "~ policy:pay  "],
			["name: pay more", "create", "+ policy:pay more; effect: allow; consensus: + approvers.count() > 1; "],
			["name: never", "create", "+ policy:never; effect: deny; "],
		] as const)
			expect(stdout).toContain(
				`::notice file=orgsync.yaml,line=${lineOf(text)},col=5,title=orgsync%3A ${word}::${change}`,
			);
	});

	test.each([
		["plan", "--detailed-exitcode"],
		["drift"],
		apply,
	])("as JSON fits its schema when %s creates a tag and policies and updates one", async (...words) => {
		const world = await makeWorld(written);
		await hasPay(world);
		const output = readOutput(await world.run([...words, "--format", "json"]));
		const isDrift = words[0] === "drift";
		const changes = isDrift ? output.drift[0].findings : output.plans[0].changes;
		const [created, updated] = isDrift ? ["not-there", "differs"] : ["create", "update"];
		expect(changes.map((one: Record<string, string>) => [one.address, one.action ?? one.what])).toEqual([
			["userTag:payers", created],
			["policy:never", created],
			["policy:pay", updated],
			["policy:pay more", created],
		]);
	});

	test("for GitHub skips the summary without a file for it, and warns if it cannot be written", async () => {
		const world = await makeWorld(changes);
		expect((await world.run(["plan", "--format", "github"])).code).toBe(0);
		const answer = await world.run(["plan", "--format", "github"], { env: { GITHUB_STEP_SUMMARY: world.folder } });
		expect(answer.code).toBe(0);
		expect(answer.stderr).toContain("the summary of the step cannot be written to");
		expect(answer.stdout).toContain("::notice ");
	});

	test("for machines never prompts before apply submits", async () => {
		const world = await makeWorld(changes);
		for (const format of ["markdown", "html", "github"]) {
			const answer = await world.run(["apply", "--format", format]);
			expect(answer.code).toBe(3);
			expect(answer.stderr).toContain(`not with --format ${format}`);
		}
		expect(world.submits()).toEqual([]);
	});
});
