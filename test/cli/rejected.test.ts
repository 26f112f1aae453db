/**
 * An activity that was rejected: every command says that apply does not submit it again, none that it waits or is about to
 * be submitted, until `--retry-rejected`.
 */
import { describe, expect, test } from "vitest";
import { readOutput } from "../run.ts";
import { document, makeWorld, policies, tags, type World } from "../world.ts";

const removal = `absent: { policies: [${policies[0]}] }`;
const apply = ["apply", "--yes"];
const inJson = ["--format", "json"];
const needsRetry = "1 step was rejected before, and is not submitted again";
const heading = "Rejected activities";

/** A world in which this document was submitted, a voter rejected all of it, and no command has looked since. */
async function makeRejectedWorld(text = document(removal)): Promise<World & { readonly ids: readonly string[] }> {
	const world = await makeWorld(text);
	await world.setRules({ approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2, ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } });
	expect((await world.run(apply)).code).toBe(8);
	const ids = world.activities().map(({ id }) => id);
	for (const { fingerprint } of world.activities()) await world.submitAsBob("reject_activity", { fingerprint });
	await world.setRules({});
	world.clearRequests();
	return { ...world, ids };
}

describe("a rejected step", () => {
	test("has its own heading in a plan and counts neither as submitted nor as pending, before and after apply knows it", async () => {
		const world = await makeRejectedWorld();
		for (const _before of [true, false]) {
			const { code, stdout } = await world.run(["plan"]);
			expect(code).toBe(0);
			expect(stdout).toContain(`\n${heading}:\n  activity ${world.ids[0]}, submitted `);
			expect(stdout).toContain(`changes policy:${policies[0]}: apply submits it again only with --retry-rejected\n`);
			expect(stdout).toMatch(new RegExp(`^Nothing to submit\\. ${needsRetry}\\.$`, "m"));
			expect(stdout).not.toMatch(/wait/i);
			expect((await world.run(apply)).code).toBe(9);
		}
	});

	test("makes plan --detailed-exitcode and drift exit with 2 and name the flag", async () => {
		const world = await makeRejectedWorld();
		const plan = await world.run(["plan", "--detailed-exitcode", ...inJson]);
		expect(plan.code).toBe(2);
		const verdict = { activityId: world.ids[0], status: "ACTIVITY_STATUS_REJECTED", relation: "rejected" };
		expect(readOutput(plan).plans).toMatchObject([{ waiting: [verdict], steps: [{ earlierActivity: verdict }] }]);
		const drift = await world.run(["drift"]);
		expect(drift.code).toBe(2);
		expect(drift.stdout).toContain(`\n${heading}:\n`);
		expect(drift.stdout).toContain(
			`to do: rejected before, as activity ${world.ids[0]}: \`orgsync apply --retry-rejected\` submits it again; \`orgsync drift --accept`,
		);
		expect(drift.stdout).toContain(`Drift: 1 object drifted; ${needsRetry}.`);
		expect(drift.stdout).not.toContain("apply would submit");
	});

	test("is under the same heading in Markdown and HTML, whose figures do not count it", async () => {
		const world = await makeRejectedWorld();
		for (const command of ["plan", "drift"]) {
			const markdown = (await world.run([command, "--format", "markdown"])).stdout;
			expect(markdown).toContain(`**${heading}**\n\n- activity \`${world.ids[0]}\`, submitted `);
			expect(markdown).toContain(
				`already rejected as activity \`${world.ids[0]}\`: submitted again only with \`--retry-rejected\``,
			);
			expect(markdown).not.toMatch(/wait/i);
			const page = (await world.run([command, "--format", "html"])).stdout;
			expect(page).toContain(`>${heading} <span class="number">1</span></h2>`);
			expect(page).toContain(
				`already rejected as activity <code>${world.ids[0]}</code>: submitted again only with <code>--retry-rejected</code>`,
			);
			expect(page).not.toMatch(/stands back|joins|activity waits/);
		}
		const { stdout: page } = await world.run(["plan", "--format", "html"]);
		expect(page).toContain("<dt>activities to submit</dt><dd>0</dd>");
		expect(page).toContain("<dt>rejected</dt><dd>1</dd>");
		expect(page).not.toContain("<dt>removal</dt>");
		expect((await world.run(["plan", "--format", "markdown"])).stdout).toContain("(on hold: rejected)");
	});

	test("has its own annotation and no warning of a removal", async () => {
		const world = await makeRejectedWorld();
		const { code, stdout } = await world.run(["plan", "--format", "github"]);
		expect(code).toBe(0);
		expect(stdout).toContain(`::notice title=orgsync%3A plan::Nothing to submit. ${needsRetry}.`);
		expect(stdout).toContain(`::warning title=orgsync%3A rejected activity::activity ${world.ids[0]}, submitted `);
		expect(stdout).toContain(`::notice title=orgsync%3A on hold::- policy:${policies[0]}`);
		expect(stdout).not.toContain("title=orgsync%3A remove::");
	});

	test("is submitted by apply only with --retry-rejected, and is exit 9 without", async () => {
		const world = await makeRejectedWorld();
		const held = await world.run(apply);
		expect(held.code).toBe(9);
		expect(held.stderr).toContain(`\n${heading}:\n`);
		expect(held.stdout).toContain("rejected: it was rejected before, so it was not submitted again");
		expect(world.submits()).toEqual([]);
		expect((await world.run([...apply, "--retry-rejected"])).code).toBe(0);
		expect(world.submits()).toEqual(["delete_policies"]);
		expect((await world.run(["drift"])).code).toBe(0);
	});

	test("is a submitted step in the plan of --retry-rejected", async () => {
		const world = await makeRejectedWorld();
		const { code, stdout } = await world.run(["plan", "--retry-rejected"]);
		expect(code).toBe(0);
		expect(stdout).toContain("Plan: 1 activity; it runs at once. 1 policy to remove.");
		expect(stdout).not.toContain(heading);
	});

	test("blocks the step after it, which is not counted as submitted", async () => {
		const names = `userTags: [{ name: signatories, id: ${tags.signers} }, { name: signers, id: ${tags.oncall} }]`;
		const world = await makeRejectedWorld(document(names));
		const said = `${needsRetry}. 1 step depends on a rejected step.`;
		expect((await world.run(["plan"])).stdout).toContain(`\nNothing to submit. ${said}\n`);
		expect((await world.run(["plan", "--format", "html"])).stdout).toContain("<dt>activities to submit</dt><dd>0</dd>");
		expect((await world.run(["drift"])).stdout).toContain(
			"to do: depends on a step that was rejected before: `orgsync apply --retry-rejected` submits both",
		);
		expect((await world.run(apply)).code).toBe(9);
		expect(world.submits()).toEqual([]);
	});

	test("stays unchanged in a three-way plan, because apply does not revert it", async () => {
		const world = await makeRejectedWorld();
		world.write("base.yaml", document(removal));
		const base = ["plan", "--base-file", "base.yaml"];
		const { stdout } = await world.run(base);
		expect(stdout).toContain("policy 1 exists  (stays: rejected; to submit it again: --retry-rejected)");
		expect(stdout).not.toContain("Apply would revert");
		const [threeWay] = readOutput(await world.run([...base, ...inJson])).threeWay;
		expect(threeWay).toMatchObject({ drifted: [{ fate: "held" }], reverts: [] });
		expect((await world.run([...base, "--retry-rejected"])).stdout).toContain("Apply would revert");
	});

	test("can be accepted into the document, because no pending activity changes it", async () => {
		const world = await makeRejectedWorld();
		expect((await world.run(apply)).code).toBe(9);
		expect((await world.run(["drift", "--accept", `policy:${policies[0]}`])).code).toBe(0);
		expect((await world.run(["plan"])).stdout).toContain("No changes.");
	});
});
