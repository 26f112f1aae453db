/** Ctrl-C under the real engine, and two stacks that apply the same change at the same time: one activity each time. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { expectSuccess } from "../engine/answer.ts";
import { alice, bob, carol, organizationId, policies, type World } from "../world.ts";
import { adapters, dynamicResources, plugin } from "./adapters.ts";
import type { Program, ProgramResource } from "./program.ts";

const removing = "ACTIVITY_TYPE_DELETE_POLICIES";
const providerFile = new URL("../../src/pulumi/dynamic/provider.ts", import.meta.url).href;

const removal = (...policyIds: readonly string[]): ProgramResource => ({
	type: "PolicyRemoval",
	properties: { policyIds },
});
const signers: ProgramResource = {
	type: "UserTag",
	properties: { name: "signers", members: { exactly: [alice, bob, carol] } },
};

// biome-ignore lint/suspicious/noExplicitAny: looked into by the assertions of each test.
const ofType = (world: World, type: string): readonly any[] => world.activities().filter((one) => one.type === type);

describe("two stacks, one of each adapter, that apply the same change at the same time", { timeout: 180_000 }, () => {
	it("create one activity, which both continue with and complete", async () => {
		const program: Program = { resources: { old: removal(policies[0]) } };
		const first = await dynamicResources.makeWorld(program);
		const { world } = first;
		const env = { ORGSYNC_URL: world.url };
		const both = [first, { world, stack: (await plugin.makeWorld(program, { env })).stack }];
		await world.setRules({ approvals: { [removing]: 2 } });
		await world.addFault({ operation: "delete_policies", fault: "slow", delayMs: 300, count: 2 });
		const upBoth = () => Promise.all(both.map(({ stack }) => stack.up()));
		expect((await upBoth()).map(({ exitCode }) => exitCode)).toEqual([1, 1]);
		const [{ id, fingerprint }] = ofType(world, removing);
		for (const { stack } of both) {
			expect((await stack.resource("old")).outputs?.activities).toMatchObject([{ activityId: id, fingerprint }]);
		}
		await world.submitAsBob("approve_activity", { fingerprint });
		world.clearRequests();
		expect((await upBoth()).map(({ exitCode }) => exitCode)).toEqual([0, 0]);
		expect(world.submits()).toEqual([]);
		expect(ofType(world, removing)).toMatchObject([{ id, status: "ACTIVITY_STATUS_COMPLETED" }]);
	});
});

describe.each(adapters)("Ctrl-C in the middle of up with $title", { timeout: 180_000 }, (adapter) => {
	it("finishes and records requests in flight, starts no others, and the next up creates no second activity", async () => {
		const { world, stack } = await adapter.makeWorld({
			resources: { first: removal(policies[0]), signers: { ...signers, options: { dependsOn: ["first"] } } },
		});
		await world.addFault({ operation: "delete_policies", fault: "slow", delayMs: 1500 });
		const { ended } = stack.start(["up", "--yes", "--skip-preview"]);
		await expect.poll(() => world.submits(), { timeout: 60_000 }).toEqual(["delete_policies"]);
		for (const { pid } of stack.processes()) process.kill(pid, "SIGINT");
		// The engine reports its own end or that of the program, which got the signal too; either may come first.
		expect(await ended).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("^C received; cancelling") });
		expect((await stack.resource("first")).outputs?.policyIds).toEqual([policies[0]]);
		expect(world.submits()).toEqual(["delete_policies"]);
		world.clearRequests();
		expectSuccess(await stack.up());
		expect(world.submits()).toEqual(["update_user_tag"]);
		expect(world.activities().length).toBe(2);
		expect(stack.processes()).toEqual([]);
	});
});

describe("Ctrl-C", () => {
	it("ends the dynamic provider at once if nothing is in flight, because the engine waits for it after every command", async () => {
		const code = `import { providerOf } from ${JSON.stringify(providerFile)};
const provider = providerOf("UserTag");
await provider.configure({ config: { get: () => undefined } });
await provider.check({}, { name: "signers", resource: "signers", organizationId: "${organizationId}" });
setInterval(() => console.log("ready"), 50);`;
		const child = spawn(process.execPath, ["--input-type=module", "--eval", code], {
			stdio: ["ignore", "pipe", "inherit"],
		});
		onTestFinished(() => void child.kill("SIGKILL"));
		await once(child.stdout, "data");
		child.kill("SIGINT");
		expect(await once(child, "exit")).toEqual([130, null]);
	});
});
