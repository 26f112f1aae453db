/** A provider's process that ends before its time: killed at a random moment, by Ctrl-C, or because its engine is gone. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import providerMessages from "@pulumi/pulumi/proto/provider_pb.js";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { pluginFile } from "../../../scripts/manifest.ts";
import { readJournal } from "../../../src/sync/journal/file.ts";
import { clockEnvironment, clockOption } from "../../clock.ts";
import { compiled, makeFolder } from "../../run.ts";
import { variablesOfRun } from "../../shared.ts";
import { keys, makeWorld, organizationId, policies, type World } from "../../world.ts";
import { configureFor, connectPlugin, connectTo, write } from "../plugin/plugin-client.ts";
import { keptOf, messageOf, providers } from "../providers.ts";

const providerFile = new URL("../../../src/pulumi/dynamic/provider.ts", import.meta.url).href;
/** Nothing listens there: an engine that shows nothing. */
const noEngine = "127.0.0.1:1";

function startNode(words: readonly string[], laterMs = 0): ChildProcess {
	const cwd = makeFolder();
	const env = {
		...variablesOfRun(),
		// A killed process leaves its claims there until another engine claims.
		...{ TMPDIR: cwd, TEMP: cwd, TMP: cwd },
		PATH: process.env.PATH,
		NODE_COMPILE_CACHE: compiled,
		NODE_OPTIONS: clockOption,
		...clockEnvironment(laterMs),
	};
	const child = spawn(process.execPath, words, { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
	onTestFinished(() => void child.kill("SIGKILL"));
	return child;
}

interface Started {
	readonly child: ChildProcess;
	/** Creates a removal of the policy; returns why it failed, which a pending approval does. */
	remove(policyId: string): Promise<string>;
}

/** A provider in a process of its own, whose clock is so much later. */
type Start = (settings: Settings, laterMs: number) => Promise<Started>;
type Settings = Readonly<Record<"url" | "reads" | "journal", string>>;

const startPlugin: Start = async (settings, laterMs) => {
	const child = startNode([pluginFile, noEngine], laterMs);
	const [line] = await once(child.stdout ?? process.stdin, "data");
	const plugin = connectPlugin(Number(line));
	await configureFor(plugin, settings, settings);
	const old = plugin.resource("PolicyRemoval", "old");
	return {
		child,
		async remove(policyId) {
			const { inputs } = await old.check({ policyIds: [policyId] });
			return messageOf(old.create(inputs));
		},
	};
};

/** Reads ids of policies from standard input, and prints why each removal failed behind a mark. */
const removing = (settings: object): string => `import { createInterface } from "node:readline";
import { providerOf } from ${JSON.stringify(providerFile)};
const settings = ${JSON.stringify({ organizationId, apiPrivateKey: keys.alice.privateKey, ...settings })};
const provider = providerOf("PolicyRemoval");
await provider.configure({ config: { get: (key) => settings[key.replace("orgsync:", "")] } });
console.log("> ready");
for await (const policyId of createInterface(process.stdin)) {
	const { inputs } = await provider.check({}, { resource: "old", organizationId: settings.organizationId, policyIds: [policyId] });
	const message = await provider.create(inputs).then(() => "", (error) => error.message);
	console.log("> " + JSON.stringify(message));
}`;

const startDynamicProvider: Start = async (settings, laterMs) => {
	const child = startNode(["--input-type=module", "--eval", removing(settings), "dynamic-provider", noEngine], laterMs);
	const lines = createInterface(child.stdout ?? process.stdin)[Symbol.asyncIterator]();
	const next = async (): Promise<string> => {
		for (;;) {
			const { value, done } = await lines.next();
			if (done === true) throw new Error("the process has ended");
			if (value.startsWith("> ")) return value.slice(2);
		}
	};
	await next();
	return {
		child,
		async remove(policyId) {
			child.stdin?.write(`${policyId}\n`);
			return JSON.parse(await next()) as string;
		},
	};
};

/** When to kill: after so many requests of the create, and then so much later. */
const moment = fc.record({ requests: fc.integer({ min: 0, max: 3 }), laterMs: fc.integer({ min: 0, max: 150 }) });
const kills = 2;

/** Where nothing but the bytes of a request shows that it was submitted: activities are pending, and cannot be listed. */
async function makeSilentWorld(): Promise<World> {
	const world = await makeWorld(undefined, { reads: "documented" });
	await world.setRules({ approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } });
	await world.addFault({ operation: "delete_policies", fault: "slow", delayMs: 100, count: 99 });
	return world;
}

describe.each([
	["the plugin", startPlugin],
	["the dynamic provider", startDynamicProvider],
] as const)("%s, killed at random moments of creates", (_title, start) => {
	it.each([
		["with its journal, is followed by one that submits the same bytes in another quarter of an hour", 20 * 60_000],
		["without a journal, is followed by one that submits the same bytes in the same quarter of an hour", 0],
	])("%s: no activity is created twice", { timeout: 120_000 }, async (_fact, passingMs) => {
		const world = await makeSilentWorld();
		const journal = passingMs === 0 ? ":memory:" : join(makeFolder(), "journal.sqlite");
		const settings = { url: world.url, reads: "documented", journal };
		let laterMs = 0;
		let { child, remove } = await start(settings, laterMs);
		// The first is killed while its request is at the service: of others, none may have been.
		const moments = [{ requests: Number.POSITIVE_INFINITY, laterMs: 0 }, ...fc.sample(moment, kills - 1)];
		for (const [index, { requests, laterMs: after }] of moments.entries()) {
			const story = `kill ${index + 1}: ${requests} requests and ${after} ms later`;
			const policyId = policies[index] ?? "";
			world.clearRequests();
			const isReached = () => world.requests().length >= requests || world.submits().length > 0;
			const ended = remove(policyId).catch(() => undefined);
			await expect.poll(isReached, { interval: 2 }).toBe(true);
			await new Promise((resolve) => setTimeout(resolve, after));
			child.kill("SIGKILL");
			await ended;
			laterMs += passingMs;
			await world.moveClock(passingMs);
			({ child, remove } = await start(settings, laterMs));
			expect(await remove(policyId), story).toContain("pending approval");
			expect(world.activities(), story).toHaveLength(index + 1);
		}
	});
});

describe.each([
	["the plugin", startPlugin],
	["the dynamic provider", startDynamicProvider],
] as const)("the process of %s with a request in flight", (_title, start) => {
	it.each([
		["at Ctrl-C", (child: ChildProcess) => child.kill("SIGINT")],
		["when its engine is gone", (child: ChildProcess) => child.stdin?.end()],
	])("ends %s, after its journal has what came of the request", async (_when, end) => {
		const world = await makeWorld();
		await world.addFault({ operation: "delete_policies", fault: "slow", delayMs: 300 });
		const journal = join(makeFolder(), "journal.sqlite");
		const { child, remove } = await start({ url: world.url, reads: "auto", journal }, 0);
		const exit = once(child, "exit");
		const ended = remove(policies[0] ?? "").catch(() => undefined);
		await expect.poll(() => world.submits()).toEqual(["delete_policies"]);
		end(child);
		await ended;
		expect(await exit).toEqual([130, null]);
		expect((await readJournal(journal))?.openEntries(organizationId)).toEqual([]);
		expect(world.activities()).toHaveLength(1);
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

describe("Pulumi's own process of dynamic resources", () => {
	it("imports none, in words that docs/pulumi-node.md has: without a state it has no code of ours", async () => {
		const server = fileURLToPath(import.meta.resolve("@pulumi/pulumi/cmd/dynamic-provider/index.js"));
		const [line] = await once(startNode([server, noEngine]).stdout ?? process.stdin, "data");
		const { call, end } = connectTo(Number(line));
		onTestFinished(end);
		// What `pulumi import` asks.
		const request = new providerMessages.ReadRequest();
		request.setId(policies[0] ?? "");
		request.setUrn("urn:pulumi:test::probe::pulumi-nodejs:dynamic/orgsync:UserTag::more");
		request.setProperties(write({}));
		const words = "code must be a string, not undefined";
		await expect(call("read", request)).rejects.toMatchObject({ details: expect.stringContaining(words) });
		expect(readFileSync("docs/pulumi-node.md", "utf8")).toContain(words);
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
