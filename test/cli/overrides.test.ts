/**
 * Overrides on record: plans and reports name each that was used, with its number, in every format, and none that was given
 * and not needed.
 */
import { describe, expect, test } from "vitest";
import { readOutput } from "../run.ts";
import { alice, document, keys, makeWorld, organizationId, policies, type World } from "../world.ts";

const removal = `absent: { policies: [${policies[0]}] }`;
const guarded = document(removal, "limits: { policies: 0 }");
const apply = ["apply", "--yes"];
const inJson = ["--format", "json"];
const allow = ["--allow", "policies=1"];
const allowed = { flag: "allow", kind: "policies", number: 1 };
const retried = { flag: "retry-rejected", steps: 1, covers: [`policy:${policies[0]}`] };
const weak = { env: { NODE_TLS_REJECT_UNAUTHORIZED: "0" } };

/** A world in which the removal waits for a second user. */
async function makePendingWorld(): Promise<World & { readonly id: string; readonly fingerprint: string }> {
	const world = await makeWorld(document(removal));
	await world.setRules({ approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } });
	expect((await world.run(apply)).code).toBe(8);
	await world.setRules({});
	const [{ id, fingerprint }] = world.activities();
	return { ...world, id, fingerprint };
}

async function makeRejectedWorld(): Promise<World> {
	const world = await makePendingWorld();
	await world.submitAsBob("reject_activity", { fingerprint: world.fingerprint });
	return world;
}

describe("--allow", () => {
	test("is recorded in the plan and the report, with its kind and number", async () => {
		const world = await makeWorld(guarded);
		const output = readOutput(await world.run([...apply, ...allow, ...inJson]));
		expect(output.plans).toMatchObject([{ overrides: [allowed] }]);
		expect(output.reports).toMatchObject([{ overrides: [allowed], inSync: true }]);
		expect(output).not.toHaveProperty("overrides");
	});

	test("is shown in text, Markdown, HTML and as an annotation, and no guard is shown as blocking", async () => {
		const line = "--allow policies=1: 1 policy would be removed (allowed: at most 0)";
		for (const format of ["text", "markdown", "html", "github"]) {
			const world = await makeWorld(guarded);
			const { stdout, stderr } = await world.run([...apply, ...allow, "--format", format]);
			expect(stderr).toContain(`\nOverrides used:\n  ${line}\n`);
			expect(stderr).not.toContain("Guards that keep apply");
			expect(stdout).toContain(
				{
					text: "Overrides used:\n  --allow policies=1\n\nApplied: 1 completed",
					markdown: "**Overrides used**\n\n- `--allow policies=1`: `1 policy would be removed` (allowed: at most 0)\n",
					html: "<code>--allow policies=1</code>: <bdi>1 policy would be removed</bdi> (allowed: at most 0)",
					github: `::warning title=orgsync%3A override used::${line}\n`,
				}[format],
			);
		}
	});

	test("previews in plan what apply judges, and a saved plan allows nothing on its own", async () => {
		const world = await makeWorld(guarded);
		const planned = await world.run(["plan", ...allow, "--out", "plan.json"]);
		expect(planned.stdout).toContain("Overrides used:\n  --allow policies=1: 1 policy would be removed");
		expect(planned.stdout).not.toContain("Guards that block apply");
		expect(planned.stderr).toContain("orgsync apply --plan plan.json --allow policies=1\n");
		expect((await world.run(["plan", "--allow", "policies=2"])).stdout).toContain("Guards that block apply");
		expect((await world.run(["show", "plan.json"])).stdout).toContain("Guards that block apply");
		expect((await world.run(["apply", "--plan", "plan.json"])).code).toBe(5);
		expect(world.submits()).toEqual([]);
		const applied = readOutput(await world.run(["apply", "--plan", "plan.json", ...allow, ...inJson]));
		expect(applied).toMatchObject({ exitCode: 0, plans: [{ overrides: [allowed] }] });
	});

	test("is not recorded if no guard needs it, or with another number than the guard found", async () => {
		const world = await makeWorld(document(removal));
		const { stdout, stderr } = await world.run([...apply, ...allow]);
		expect(`${stdout}${stderr}`).not.toContain("Overrides used");
		const other = await makeWorld(guarded);
		const refused = await other.run([...apply, "--allow", "policies=2", ...inJson]);
		expect(refused.code).toBe(5);
		expect(readOutput(refused).plans[0]).not.toHaveProperty("overrides");
	});

	test("is recorded for the organization that needed it, and not for the others of the run", async () => {
		const second = "f0000000-0000-4000-8000-000000000002";
		const theirs = "f9000000-0000-4000-8000-000000000001";
		const world = await makeWorld(
			`${guarded}---\norganizationId: ${second}\nabsent: { policies: [${theirs}] }\nlimits: { policies: 1, lockout: 100 }\n`,
		);
		await world.addOrganization({
			organizationId: second,
			users: [{ userId: alice, userName: "alice", apiKeys: [{ publicKey: keys.alice.publicKey }] }],
			policies: [{ policyId: theirs, policyName: "theirs" }],
		});
		const { reports } = readOutput(await world.run([...apply, ...allow, ...inJson]));
		expect(reports).toMatchObject([
			{ organizationId, overrides: [allowed] },
			{ organizationId: second, overrides: [] },
		]);
	});
});

describe("--abandon", () => {
	test.each(["id", "fingerprint"] as const)("by the %s of a pending activity is recorded with its id", async (by) => {
		const world = await makePendingWorld();
		const answer = await world.run([...apply, "--abandon", world[by], ...inJson]);
		expect(answer.code).toBe(0);
		const overrides = [{ flag: "abandon", activity: world.id }];
		expect(readOutput(answer)).toMatchObject({ plans: [{ overrides }], reports: [{ overrides }] });
	});

	test("is shown beside the report, and in later plans as long as the activity is pending", async () => {
		const world = await makePendingWorld();
		await world.setRules({ deny: [{ type: "ACTIVITY_TYPE_DELETE_POLICIES" }] });
		const line = `--abandon ${world.id}: this activity can still be approved, and apply ignores it`;
		expect((await world.run([...apply, "--abandon", world.id])).stdout).toContain(`Overrides used:\n  ${line}\n`);
		expect((await world.run(["plan"])).stdout).toContain(`Overrides used:\n  ${line}\n`);
		expect((await world.run(["drift"])).stdout).toContain(`Overrides used:\n  ${line}\n`);
	});

	test("leaves the activity in status, which says that it can still be approved and does not count it", async () => {
		const world = await makePendingWorld();
		await world.setRules({ deny: [{ type: "ACTIVITY_TYPE_DELETE_POLICIES" }] });
		await world.run([...apply, "--abandon", world.id]);
		const answer = await world.run(["status"]);
		expect(answer.code).toBe(0);
		expect(answer.stdout).toMatch(
			new RegExp(
				`^  abandoned, not counted, still pending: delete_policies of policy:${policies[0]}: .*${world.id}`,
				"m",
			),
		);
		expect(readOutput(await world.run(["status", ...inJson])).open).toMatchObject([
			{ activities: [], abandoned: [{ activityId: world.id }], unanswered: [] },
		]);
	});

	test("is not recorded if it matches no activity", async () => {
		const world = await makeWorld(document(removal));
		const answer = await world.run([...apply, "--abandon", "01a1fe02-1455-712e-be80-c4ad5d3e1bce", ...inJson]);
		expect(readOutput(answer).reports).toMatchObject([{ overrides: [] }]);
	});
});

describe("--retry-rejected", () => {
	test("is recorded with the number of steps that it submits again", async () => {
		const world = await makeRejectedWorld();
		const plan = readOutput(await world.run(["plan", "--retry-rejected", ...inJson]));
		expect(plan.plans).toMatchObject([{ overrides: [retried] }]);
		const text = (await world.run(["plan", "--retry-rejected"])).stdout;
		expect(text).toContain(
			`Overrides used:\n  --retry-rejected: 1 rejected step submitted again: policy:${policies[0]}\n`,
		);
		const { reports } = readOutput(await world.run([...apply, "--retry-rejected", ...inJson]));
		expect(reports).toMatchObject([{ overrides: [retried], inSync: true }]);
	});

	test("is not recorded if nothing was rejected", async () => {
		const world = await makeWorld(document(removal));
		expect((await world.run(["plan", "--retry-rejected"])).stdout).not.toContain("Overrides used");
		const { reports } = readOutput(await world.run([...apply, "--retry-rejected", ...inJson]));
		expect(reports).toMatchObject([{ overrides: [], inSync: true }]);
	});

	test("of import-key is recorded in its output", async () => {
		const world = await makeWorld();
		await world.addFault({ operation: "init_import_private_key", fault: "reject", count: 1 });
		const importKey = ["import-key", "--user", alice, "--organization", organizationId, ...inJson];
		const rejected = await world.run(importKey);
		expect(rejected.code).toBe(9);
		expect(readOutput(rejected)).not.toHaveProperty("overrides");
		const answer = await world.run([...importKey, "--retry-rejected"]);
		expect(answer.code).toBe(0);
		expect(readOutput(answer).overrides).toEqual([{ flag: "retry-rejected", steps: 1, covers: [] }]);
	});

	test("of a saved plan has to be given to apply too, or nothing is submitted: exit 3", async () => {
		const world = await makeRejectedWorld();
		expect((await world.run(["plan", "--retry-rejected", "--out", "plan.json"])).code).toBe(0);
		expect((await world.run(["show", "plan.json"])).stdout).toContain(
			"--retry-rejected: 1 rejected step submitted again",
		);
		world.clearRequests();
		const refused = await world.run(["apply", "--plan", "plan.json"]);
		expect(refused).toMatchObject({
			code: 3,
			stderr:
				"error: the file states that the saved plan submits 1 change that was rejected before\nhint: to submit them again: add --retry-rejected; otherwise plan again without it\n",
		});
		expect(world.requests()).toEqual([]);
		const answer = await world.run(["apply", "--plan", "plan.json", "--retry-rejected", ...inJson]);
		expect(answer.code).toBe(0);
		expect(readOutput(answer).reports).toMatchObject([{ overrides: [retried] }]);
		expect(world.submits()).toEqual(["delete_policies"]);
	});

	test("submits nothing of a saved plan that was reviewed without it: exit 6", async () => {
		const world = await makeRejectedWorld();
		expect((await world.run(["plan", "--out", "plan.json"])).code).toBe(0);
		world.clearRequests();
		const answer = await world.run(["apply", "--plan", "plan.json", "--retry-rejected"]);
		expect(answer.code).toBe(6);
		expect(answer.stderr).toContain("the plan file states that delete_policies had been rejected before");
		expect(world.submits()).toEqual([]);
	});

	test("submits nothing that was rejected after the plan was saved: exit 6", async () => {
		const world = await makeWorld(document(removal));
		await world.setRules({ approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } });
		expect((await world.run(["plan", "--out", "plan.json"])).code).toBe(0);
		expect((await world.run(["apply", "--plan", "plan.json"])).code).toBe(8);
		await world.submitAsBob("reject_activity", { fingerprint: world.activities()[0].fingerprint });
		world.clearRequests();
		const answer = await world.run(["apply", "--plan", "plan.json", "--retry-rejected"]);
		expect(answer.code).toBe(6);
		expect(answer.stderr).toContain(
			"it was rejected after it was planned, so that submitting it again was not reviewed",
		);
		expect(world.submits()).toEqual([]);
	});
});

describe("--insecure", () => {
	const line = "--insecure: the certificate of the service is not verified";

	test("is recorded once for the run, in results and in errors, where TLS is weakened", async () => {
		const world = await makeWorld(document(removal));
		const run = (words: readonly string[]) => world.run([...words, "--insecure"], weak);
		for (const words of [
			["plan"],
			["drift"],
			apply,
			["status"],
			["query", "list_user_tags", "--organization", policies[0]],
		]) {
			expect(readOutput(await run([...words, ...inJson]))).toMatchObject({ overrides: [{ flag: "insecure" }] });
		}
	});

	test("is shown in every format", async () => {
		const world = await makeWorld(document(removal));
		const shown: Readonly<Record<string, string>> = {
			text: `\nOverrides used:\n  ${line}\n`,
			markdown: `**Overrides used**\n\n- \`--insecure\`${line.slice("--insecure".length)}\n`,
			html: `<code>--insecure</code>${line.slice("--insecure".length)}`,
			github: `::warning title=orgsync%3A override used::${line}\n`,
		};
		for (const [format, said] of Object.entries(shown)) {
			expect((await world.run(["plan", "--insecure", "--format", format], weak)).stdout).toContain(said);
		}
		expect((await world.run([...apply, "--insecure"], weak)).stdout).toContain(shown.text);
	});

	test("is in the saved plan, and show and apply --plan show it", async () => {
		const world = await makeWorld(document(removal));
		expect((await world.run(["plan", "--insecure", "--out", "plan.json"], weak)).code).toBe(0);
		for (const words of [
			["show", "plan.json"],
			["apply", "--plan", "plan.json"],
		]) {
			const told = { overrides: [{ flag: "insecure" }] };
			expect(readOutput(await world.run([...words, ...inJson]))).toMatchObject({ savedPlan: told });
		}
		const again = await makeWorld(document(removal));
		expect((await again.run(["plan", "--insecure", "--out", "plan.json"], weak)).code).toBe(0);
		expect((await again.run(["apply", "--plan", "plan.json"])).stdout).toContain(
			`Overrides used:\n  ${line}, when the plan was made\n`,
		);
		expect((await world.run(["show", "plan.json"])).stdout).toContain(
			`Overrides used:\n  ${line}, when the plan was made`,
		);
		expect((await world.run(["show", "plan.json", "--format", "markdown"])).stdout).toContain(
			"- `--insecure`: the certificate of the service is not verified, when the plan was made\n",
		);
	});

	test("is not recorded if the service is local without TLS and the environment weakens nothing", async () => {
		const world = await makeWorld(document(removal));
		const answer = await world.run(["plan", "--insecure", ...inJson]);
		expect(readOutput(answer)).not.toHaveProperty("overrides");
	});
});
