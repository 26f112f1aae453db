/** A provider's process that ends before its time: killed at a random moment, by Ctrl-C, or because its engine is gone. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { clockEnvironment, clockOption } from "../clock.ts";
import { compiled, makeFolder } from "../run.ts";
import { makeWorld, organizationId, policies, type World } from "../world.ts";
import { configureFor, connectPlugin, type Plugin } from "./plugin-client.ts";
import { keptOf, providers } from "./providers.ts";

const main = fileURLToPath(new URL("../../src/pulumi/plugin/main.ts", import.meta.url));
const providerFile = new URL("../../src/pulumi/dynamic/provider.ts", import.meta.url).href;
/** Nothing listens there: an engine that shows nothing. */
const noEngine = "127.0.0.1:1";

function startNode(words: readonly string[]): ChildProcess {
	const env = {
		PATH: process.env.PATH,
		NODE_COMPILE_CACHE: compiled,
		NODE_OPTIONS: clockOption,
		...clockEnvironment(),
	};
	const child = spawn(process.execPath, words, { cwd: makeFolder(), env, stdio: ["pipe", "pipe", "inherit"] });
	onTestFinished(() => void child.kill("SIGKILL"));
	return child;
}

/** A plugin in a process of its own, with this journal. */
async function startPlugin(world: World, journal: string): Promise<{ child: ChildProcess; plugin: Plugin }> {
	const child = startNode([main, noEngine]);
	const [line] = await once(child.stdout ?? process.stdin, "data");
	const plugin = connectPlugin(Number(line));
	await configureFor(plugin, world, { journal });
	return { child, plugin };
}

/** Each takes a start of a process. */
const kills = 6;

/** When to kill: after so many requests of the update, and then so much later. */
const moment = fc.record({ requests: fc.integer({ min: 0, max: 5 }), laterMs: fc.integer({ min: 0, max: 150 }) });

describe("the plugin, killed at random moments of updates", { timeout: 120_000 }, () => {
	it("is followed by one that finishes the update, and no activity is created twice", async () => {
		const world = await makeWorld();
		const journal = join(makeFolder(), "journal.sqlite");
		const policyId = (number: number) => `f0000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
		const all = Array.from({ length: kills + 2 }, (_, number) => policyId(number));
		await world.change({ policies: all.map((id) => ({ policyId: id, policyName: `short-lived ${id}` })) });
		// Activities act at once and answer late: that is when a kill hurts most.
		await world.addFault({ operation: "delete_policies", fault: "slow", delayMs: 100, count: 99 });
		let { child, plugin } = await startPlugin(world, journal);
		const old = () => plugin.resource("PolicyRemoval", "old");
		const inputsFor = async (round: number, olds = {}) =>
			(await old().check({ policyIds: all.slice(0, round + 1) }, olds)).inputs;
		let inputs = await inputsFor(0);
		let { outputs } = await old().create(inputs);
		for (const [index, { requests, laterMs }] of fc.sample(moment, kills).entries()) {
			const round = index + 1;
			const story = `kill ${round}: ${requests} requests and ${laterMs} ms later`;
			const news = await inputsFor(round, inputs);
			world.clearRequests();
			let isOver = false;
			const updating = old()
				.update(outputs, news)
				.catch(() => undefined)
				.finally(() => {
					isOver = true;
				});
			while (!isOver && world.requests().length < requests) await new Promise((resolve) => setTimeout(resolve, 2));
			await new Promise((resolve) => setTimeout(resolve, laterMs));
			child.kill("SIGKILL");
			await updating;
			({ child, plugin } = await startPlugin(world, journal));
			// The engine has the state from before the update.
			inputs = await inputsFor(round, inputs);
			outputs = await old().update(outputs, inputs);
			expect(outputs, story).toMatchObject({ policyIds: all.slice(0, round + 1) });
			expect(world.activities(), story).toHaveLength(round + 1);
			const left = (world.organization().policies as { policyId: string }[]).map(({ policyId: id }) => id);
			expect(
				left.filter((id) => all.slice(0, round + 1).includes(id)),
				story,
			).toEqual([]);
		}
	});
});

describe("the process of dynamic resources with nothing in flight", () => {
	it.each([
		["at Ctrl-C, because the engine waits for it after every command", (child: ChildProcess) => child.kill("SIGINT")],
		["when its engine is gone", (child: ChildProcess) => child.stdin?.end()],
	])("ends at once %s", async (_when, end) => {
		const code = `import { providerOf } from ${JSON.stringify(providerFile)};
const provider = providerOf("UserTag");
await provider.configure({ config: { get: () => undefined } });
await provider.check({}, { name: "signers", resource: "signers", organizationId: "${organizationId}" });
setInterval(() => console.log("ready"), 50);`;
		const child = startNode(["--input-type=module", "--eval", code, "dynamic-provider", noEngine]);
		await once(child.stdout ?? process.stdin, "data");
		end(child);
		expect(await once(child, "exit")).toEqual([130, null]);
	});
});

describe("two stacks, one of each adapter, that apply the same change at the same time", () => {
	it("create one activity, which both continue with and complete", async () => {
		const world = await makeWorld();
		await world.setRules({ approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } });
		await world.addFault({ operation: "delete_policies", fault: "slow", delayMs: 300, count: 2 });
		const both = await Promise.all(providers.map(({ start }) => start("PolicyRemoval", world)));
		const checked = await Promise.all(
			both.map((one) => one.check({}, { resource: "old", organizationId, policyIds: [policies[0]] })),
		);
		const inputs = checked.map((one) => one.inputs ?? {});
		const kept = await Promise.all(both.map((one, index) => keptOf(one.create(inputs[index]))));
		const made = world.activities();
		expect(made).toMatchObject([{ type: "ACTIVITY_TYPE_DELETE_POLICIES" }]);
		const [{ id, fingerprint }] = made;
		for (const { activities } of kept) expect(activities).toMatchObject([{ activityId: id, fingerprint }]);
		await world.submitAsBob("approve_activity", { fingerprint });
		world.clearRequests();
		const updated = await Promise.all(both.map((one, index) => one.update(id, kept[index], inputs[index])));
		for (const { outs } of updated) expect(outs).not.toHaveProperty("activities");
		expect(world.submits()).toEqual([]);
		const removing = world
			.activities()
			.filter(({ type }: { type: string }) => type === "ACTIVITY_TYPE_DELETE_POLICIES");
		expect(removing).toMatchObject([{ id, status: "ACTIVITY_STATUS_COMPLETED" }]);
	});
});
