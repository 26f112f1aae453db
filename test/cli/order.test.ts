/** A plan that takes from the submitter what its other steps need: in the order in which all complete, also after a crash. */
import { describe, expect, test } from "vitest";
import { readOutput } from "../run.ts";
import { alice, bob, carol, document, makeWorld, policies, tags, type World } from "../world.ts";

const ofSigners = `approvers.any(user, user.tags.contains('${tags.signers}'))`;

/** The caller, alice, leaves the tag whose members may change tags and remove policies; three other changes. */
const leaving = document(
	"userTags: [{ name: signers, members: { exactly: [bob] } }, { name: oncall, members: { exactly: [carol] } }, { name: auditors, members: { exactly: [alice] } }]",
	`absent: { policies: [${policies[2]}] }`,
);

async function worldOf(text: string, consensus = ofSigners): Promise<World> {
	const world = await makeWorld(text);
	await world.change({
		userTags: [{ tagId: tags.signers, tagName: "signers", userIds: [alice, bob] }],
		policies: [
			{ policyId: policies[0], policyName: "tags", condition: "activity.kind == 'UPDATE_USER_TAG'", consensus },
			{ policyId: policies[1], policyName: "policies", condition: "activity.kind == 'DELETE_POLICIES'", consensus },
			{ policyId: policies[2], policyName: "old", condition: "activity.kind == 'DELETE_POLICIES'", consensus },
		].map((one) => ({ ...one, effect: "EFFECT_ALLOW" })),
		rootQuorum: { threshold: 2, userIds: [bob, carol] },
	});
	world.clearRequests();
	return world;
}

const outcomesOf = (report: { readonly steps: readonly { readonly outcome: string }[] }): readonly string[] =>
	report.steps.map(({ outcome }) => outcome);
const membersOf = (world: World, tagId: string): unknown =>
	world.organization().userTags.find((tag: { readonly tagId: string }) => tag.tagId === tagId).userIds;

describe("a document that removes the caller from the users who may change the rest", () => {
	test.each(["1", "4"])("is applied as a whole, %s at once: the caller leaves last", async (concurrency) => {
		const world = await worldOf(leaving);
		const apply = await world.run(["apply", "--yes", "--format", "json", "--concurrency", concurrency]);
		const [report] = readOutput(apply).reports;
		expect(outcomesOf(report)).toEqual(Array(4).fill("completed"));
		expect(apply.code).toBe(0);
		expect(report.steps.map(({ forecast }: { forecast: unknown }) => forecast)).toEqual(
			Array(4).fill({ verdict: "runs", wasRight: true }),
		);
		expect(report.steps.at(-1).step).toMatchObject({ dependsOn: ["step-1", "step-2", "step-3"] });
		expect(membersOf(world, tags.signers)).toEqual([bob]);
	});

	test("keeps the caller while another step is in doubt, and goes on in that order", async () => {
		const world = await worldOf(leaving);
		await world.addFault({ operation: "delete_policies", fault: "drop-after", count: 20 });
		const broken = await world.run(["apply", "--yes", "--format", "json", "--timeout", "1"]);
		const [first] = readOutput(broken).reports;
		expect(outcomesOf(first)).toEqual(["completed", "completed", "unknown", "not-attempted"]);
		expect(first.steps.at(-1).message).toBe(`a step before it did not complete: policy:${policies[2]}`);
		expect(membersOf(world, tags.signers)).toEqual([alice, bob]);
		world.clearFaults();
		const resumed = await world.run(["apply", "--yes"]);
		expect({ code: resumed.code, stderr: resumed.stderr }).toMatchObject({ code: 0 });
		expect(membersOf(world, tags.signers)).toEqual([bob]);
	});

	test("is applied after its saved plan was reviewed, although another user would submit it in another order", async () => {
		const world = await worldOf(leaving);
		expect((await world.run(["plan", "--out", "plan.json", "--submitter", bob])).code).toBe(0);
		const apply = await world.run(["apply", "--yes", "--plan", "plan.json"]);
		expect({ code: apply.code, stderr: apply.stderr }).toMatchObject({ code: 0 });
		expect(membersOf(world, tags.signers)).toEqual([bob]);
	});

	test("is blocked before anything is submitted where every order denies one, unless that is allowed", async () => {
		const consensus = [tags.signers, tags.oncall]
			.map((tagId) => `approvers.any(user, user.tags.contains('${tagId}'))`)
			.join(" && ");
		const text = document(
			"userTags: [{ name: signers, members: { exactly: [bob] } }, { name: oncall, members: { exactly: [bob] } }, { name: auditors, members: { exactly: [alice] } }]",
		);
		const world = await worldOf(text, consensus);
		await world.change({ userTags: [{ tagId: tags.oncall, tagName: "oncall", userIds: [alice, bob] }] });
		world.clearRequests();
		const refused = await world.run(["apply", "--yes"]);
		expect(refused.code).toBe(5);
		expect(refused.stderr).toMatch(
			/nothing was submitted: userTag:signers would be denied once userTag:oncall has changed: .+; no order of the activities avoids it \(allowed: no activity denied because of another one of the plan\)\nhint: to override: --allow stranded=1\n$/,
		);
		expect(world.submits()).toEqual([]);
		for (const format of ["markdown", "html", "github", "json"]) {
			const plan = await world.run(["plan", "--format", format]);
			expect([format, plan.stdout]).toEqual([format, expect.stringContaining("would be denied once")]);
		}
		const allowed = await world.run(["apply", "--yes", "--allow", "stranded=1", "--format", "json"]);
		expect(outcomesOf(readOutput(allowed).reports[0])).toEqual(["completed", "completed", "denied"]);
	});
});

describe("a document that removes a policy that denies the other change, and the policy that allows it", () => {
	const text = document(
		"userTags: [{ name: oncall, members: { exactly: [carol] } }]",
		`absent: { policies: [${policies[0]}, ${policies[1]}] }`,
	);
	async function worldOfBoth(): Promise<World> {
		const world = await makeWorld(text);
		const condition = "activity.kind == 'UPDATE_USER_TAG'";
		const allow = { effect: "EFFECT_ALLOW", consensus: ofSigners };
		await world.change({
			userTags: [{ tagId: tags.signers, tagName: "signers", userIds: [alice, bob] }],
			policies: [
				{ policyId: policies[0], policyName: "deny", effect: "EFFECT_DENY", condition },
				{ policyId: policies[1], policyName: "allow", condition, ...allow },
				{ policyId: policies[2], policyName: "policies", condition: "activity.kind == 'DELETE_POLICIES'", ...allow },
			],
			rootQuorum: { threshold: 2, userIds: [bob, carol] },
		});
		world.clearRequests();
		return world;
	}

	test("is applied in three activities, of a saved plan that another user made too", async () => {
		const world = await worldOfBoth();
		const plan = await world.run(["plan", "--out", "plan.json", "--submitter", carol]);
		expect({ code: plan.code, stderr: plan.stderr }).toMatchObject({ code: 0 });
		const own = await world.run(["plan"]);
		expect(own.stdout).toContain("Plan: 3 activities; they run in order, none needs approval.");
		world.clearRequests();
		const apply = await world.run([
			"apply",
			"--yes",
			"--plan",
			"plan.json",
			"--allow",
			"unsafeMoments=1",
			"--format",
			"json",
		]);
		expect({ code: apply.code, stderr: apply.stderr }).toMatchObject({ code: 0 });
		expect(outcomesOf(readOutput(apply).reports[0])).toEqual(["completed", "completed", "completed"]);
		expect(membersOf(world, tags.oncall)).toEqual([carol]);
		expect(world.submits().length).toBe(3);
	});

	test("is resumed where an answer was lost, without a second activity for the same", async () => {
		const world = await worldOfBoth();
		await world.addFault({ operation: "delete_policies", fault: "drop-after", count: 20 });
		expect((await world.run(["apply", "--yes", "--allow", "unsafeMoments=1", "--timeout", "1"])).code).not.toBe(0);
		world.clearFaults();
		// What denied it is gone already, so the rest takes a power that the policy gives by now.
		const resumed = await world.run(["apply", "--yes", "--allow", "lockout=1"]);
		expect(`${resumed.code} ${resumed.stderr}`).toMatch(/^0 /);
		expect(membersOf(world, tags.oncall)).toEqual([carol]);
		const deleted = world.activities().filter(({ type }: { type: string }) => type.includes("DELETE_POLICIES"));
		expect(deleted.length).toBe(2);
	});
});
