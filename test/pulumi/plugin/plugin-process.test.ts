/** The plugin as a process: how it is started, whom it serves, and that it ends with its engine. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { pluginFile } from "../../../scripts/manifest.ts";
import { readJournal } from "../../../src/sync/journal/file.ts";
import { clockEnvironment, clockOption } from "../../clock.ts";
import { compiled, makeFolder } from "../../run.ts";
import { variablesOfRun } from "../../shared.ts";
import { alice, bob, makeWorld, organizationId, tags } from "../../world.ts";
import { configureFor, connectPlugin } from "./plugin-client.ts";

const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));

/** Nothing listens there: an engine that shows nothing. */
const noEngine = "127.0.0.1:1";

function start(words: readonly string[], cwd = makeFolder()): ChildProcess & { readonly ended: Promise<unknown> } {
	const node = { NODE_COMPILE_CACHE: compiled, NODE_OPTIONS: clockOption, ...clockEnvironment() };
	const env = { ...variablesOfRun(), PATH: process.env.PATH, ...node };
	const child = spawn(process.execPath, [pluginFile, ...words], { cwd, env, stdio: "pipe" });
	onTestFinished(() => void child.kill("SIGKILL"));
	return Object.assign(child, { ended: once(child, "exit") });
}

/** The port that the process serves, which it prints first. */
async function portOf({ stdout }: ChildProcess): Promise<number> {
	const [line] = await once(stdout ?? process.stdin, "data");
	return Number(line);
}

async function isListening(host: string, port: number): Promise<boolean> {
	const socket = connect(port, host);
	const isOpen = await new Promise<boolean>((resolve) => {
		socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
	});
	socket.destroy();
	return isOpen;
}

describe("pulumi-resource-orgsync", () => {
	it("says what it is to a person who starts it, and prints its version", async () => {
		const byHand = start([]);
		const asked = start(["--version"]);
		const [said, printed] = await Promise.all([
			text(byHand.stderr ?? process.stdin),
			text(asked.stdout ?? process.stdin),
			byHand.ended,
			asked.ended,
		]);
		expect(said).toBe(
			"pulumi-resource-orgsync is the provider plugin of orgsync: Pulumi starts it for programs that use orgsync; --version prints its version\n",
		);
		expect([printed, asked.exitCode, byHand.exitCode]).toEqual([`${version}\n`, 0, 1]);
	});

	it("listens on the loopback address only, and ends when its engine is gone, before it is asked anything", async () => {
		const child = start(["--logtostderr", "-v=9", "--tracing", "tcp://127.0.0.1:2", noEngine]);
		const port = await portOf(child);
		expect(await isListening("127.0.0.1", port)).toBe(true);
		expect(await isListening("127.0.0.2", port)).toBe(false);
		child.stdin?.end();
		expect(await child.ended).toEqual([130, null]);
	});

	it("ends at the engine's signal, when nothing is in flight", async () => {
		const child = start([noEngine]);
		await portOf(child);
		child.kill("SIGINT");
		expect(await child.ended).toEqual([130, null]);
	});

	it("ends after what is in flight has reached its journal, and starts nothing more", async () => {
		const world = await makeWorld();
		const journal = join(makeFolder(), "journal.sqlite");
		const child = start([noEngine]);
		const plugin = connectPlugin(await portOf(child));
		await configureFor(plugin, world, { journal });
		const signers = plugin.resource("UserTag", "signers");
		const oncall = plugin.resource("UserTag", "oncall");
		const [one, other] = await Promise.all([
			signers.check({ name: "signers", members: { exactly: [alice, bob] } }),
			oncall.check({ name: "oncall", members: { atLeast: [alice] } }),
		]);
		await world.addFault({ operation: "update_user_tag", fault: "slow", delayMs: 1500 });
		const creating = signers.create(one.inputs).then(({ id }) => id);
		await expect.poll(() => world.submits()).toEqual(["update_user_tag"]);
		child.stdin?.end();
		expect(await creating).toBe(tags.signers);
		await expect(oncall.create(other.inputs)).rejects.toThrow();
		expect(await child.ended).toEqual([130, null]);
		expect(world.submits()).toEqual(["update_user_tag"]);
		const known = await readJournal(journal);
		expect(known?.openEntries(organizationId)).toEqual([]);
		expect(known?.lastApplied(organizationId).userTags[tags.signers]?.present).toEqual([alice, bob]);
	});
});
