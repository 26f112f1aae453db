/**
 * Services that do not answer the extended reads, or deny them: what is unknown is said, and nothing is assumed of it.
 */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { printScope } from "../../../src/plan/address.ts";
import { extendedReads } from "../../../src/wire/operations.ts";
import { makeFolder, readOutput } from "../../run.ts";
import { apps, bob, carol, document, makeWorld, policies, providers, type World } from "../../world.ts";

const removing = "ACTIVITY_TYPE_DELETE_POLICIES";
const denied = Object.keys(extendedReads);

const text = document(
	`userTags:
  - { name: signatories, previously: [signers], members: { atLeast: [alice, bob] } }
  - { name: oncall, members: { never: [bob] } }`,
	`absent:
  policies: [${policies[0]}]
  oauthProviders: { bob: [${providers.bob[0]}] }
  tvcApps: [${apps.retired}]`,
);

const unknown = [
	"userTag:oncall",
	"userTag:signatories",
	"oauthProvider:*",
	"policy:*",
	"tvcApp:*",
	"activity:*",
	"caller",
];

async function makeWaitingWorld(make: (rules: object) => Promise<World>): Promise<World> {
	const world = await make({ approvals: { [removing]: 2 } });
	world.write("orgsync.yaml", document(`absent: { policies: [${policies[0]}] }`));
	return world;
}

describe.each([
	{
		why: "answered 404",
		because: (read: string) => `the service does not answer ${read} (HTTP 404)`,
		make: async (rules: object) => {
			const world = await makeWorld(text, { reads: "documented" });
			await world.setRules(rules);
			return world;
		},
	},
	{
		why: "answered 403",
		because: (read: string) => `the service denies ${read} to this key`,
		make: async (rules: object) => {
			const world = await makeWorld(text);
			await world.setRules({ ...rules, denyReads: denied });
			return world;
		},
	},
])("with the extended reads $why", ({ because, make }) => {
	test("plan names each unknown part and why, and treats none as known", async () => {
		const world = await make({});
		const { code, stdout } = await world.run(["plan"]);
		expect(code).toBe(0);
		expect(stdout).toContain("Could not be read:");
		for (const read of ["list_users", "list_policies", "list_tvc_apps"]) expect(stdout).toContain(because(read));
		const [plan] = readOutput(await world.run(["plan", "--format", "json"])).plans;
		expect(plan.unread.map(printScope).sort()).toEqual([...unknown].sort());
		for (const { standsIn } of plan.unread) expect(standsIn).toBe("nothing");
		for (const { basis } of plan.changes) expect(basis).toBe("unknown");
		expect(plan.waiting).toEqual([]);
	});

	test("apply submits once, and later plans use the last-applied state and name it", async () => {
		const world = await make({});
		expect((await world.run(["apply", "--yes"])).code).toBe(0);
		expect(world.submits().length).toBe(5);
		const { userTags, policies: left, users, tvcApps } = world.organization();
		expect(userTags[0].tagName).toBe("signatories");
		expect(userTags[0].userIds).toEqual(expect.arrayContaining([bob, carol]));
		expect(userTags[1].userIds).toEqual([]);
		expect(left.length).toBe(policies.length - 1);
		expect(users[1].oauthProviders.length).toBe(1);
		expect(tvcApps.length).toBe(2);

		const drift = await world.run(["drift"]);
		expect(drift.code).toBe(0);
		expect(drift.stdout).toContain(`${because("list_policies")}; using the last-applied state`);
		expect(drift.stdout).toContain("No drift. The organization is in sync, as far as it could be read.");
		world.clearRequests();
		expect((await world.run(["apply", "--yes"])).code).toBe(0);
		expect(world.submits()).toEqual([]);
	});

	test("a pending activity is joined by its bytes, listed as last known, explained, and in doubt for wait", async () => {
		const world = await makeWaitingWorld(make);
		expect((await world.run(["apply", "--yes"])).code).toBe(8);
		expect((await world.run(["apply", "--yes"])).code).toBe(8);
		const [{ id, fingerprint }, ...others] = world.activities();
		expect(others).toEqual([]);
		const status = await world.run(["status"]);
		expect(status.code).toBe(8);
		expect(status.stdout).toContain("as last known");
		const open = readOutput(await world.run(["status", "--format", "json"])).open;
		expect(open).toMatchObject([{ activities: [{ activityId: id, approvedBy: null, saidBy: "journal" }] }]);
		expect((await world.run(["explain", id])).stdout).toContain("requires more approvals");
		expect((await world.run(["wait", "--wait", "0"])).code).toBe(8);
		await world.submitAsBob("approve_activity", { fingerprint });
		expect((await world.run(["wait", "--wait", "0"])).code).toBe(8);
		expect((await world.run(["apply", "--yes"])).code).toBe(0);
		expect((await world.run(["wait", "--wait", "0"])).code).toBe(0);
		expect((await world.run(["status"])).code).toBe(0);
		expect(world.activities().filter(({ type }) => type === removing).length).toBe(1);
	});

	test("guards that need no read still block", async () => {
		const world = await make({});
		world.write("orgsync.yaml", `${text}limits: { policies: 0, memberRemovals: 0 }\n`);
		const refused = await world.run(["apply", "--yes"]);
		expect(refused.code).toBe(5);
		expect(refused.stderr).toContain("--allow memberRemovals=1 --allow policies=1");
		expect(world.submits()).toEqual([]);
	});
});

describe("with one of the reads denied", () => {
	test("the results of the other reads are known", async () => {
		const world = await makeWorld(text);
		await world.setRules({ denyReads: ["list_policies"] });
		const [plan] = readOutput(await world.run(["plan", "--format", "json"])).plans;
		expect(plan.unread.map(printScope)).toEqual(["policy:*"]);
		const unsure = plan.changes.filter(({ basis }: { basis: string }) => basis === "unknown");
		expect(unsure).toMatchObject([{ address: `policy:${policies[0]}` }]);
	});

	test("a second runner without list_activities finds the activity by its bytes", async () => {
		const world = await makeWorld(document(`absent: { policies: [${policies[0]}] }`));
		await world.setRules({ approvals: { [removing]: 2 }, denyReads: ["list_activities", "get_activity"] });
		expect((await world.run(["apply", "--yes", "--journal", "one.sqlite"])).code).toBe(8);
		const file = join(world.folder, "orgsync.yaml");
		expect((await world.run(["apply", "--yes", "-f", file], { cwd: makeFolder() })).code).toBe(8);
		expect(world.submits()).toEqual(["delete_policies", "delete_policies"]);
		expect(world.activities().length).toBe(1);
	});
});
