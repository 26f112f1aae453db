/**
 * `load`: the emulator as a process, under 64 connections, killed (SIGKILL) in the middle and started again on the same data
 * file. What was answered is kept apart from it, and compared over its own interface after each kill.
 */
import { cpSync, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { commandFile } from "../../../scripts/manifest.ts";
import { makeFolder, removeFolder } from "../leftovers.ts";
import { figuresOf, type ServerProcess, startServer } from "../processes.ts";
import { type Counts, type Proof, randomFrom } from "../proof.ts";
import * as clients from "./clients.ts";
import { Connection, Traffic } from "./connection.ts";
import {
	checkOrganization,
	clientCounts,
	type LoadOrganization,
	type LoadWorld,
	makeLoadWorld,
	type ShownState,
} from "./world.ts";

/** How much one case does. */
interface Size {
	readonly requests: number;
	readonly kills: number;
}

/** Returns the proof with cases of this size. They share one emulator and its data file, which grow. */
export function makeLoad({ requests, kills }: Size, defaultCases: number): Proof {
	let emulator: Emulator | undefined;
	const worlds: LoadWorld[] = [];
	return {
		promise:
			"what the emulator answered is there after every kill: each activity with its outcome, its effect, its votes, and each counter; a change in flight is there whole, with its activity, or not at all",
		defaultCases,
		async begin(seed) {
			emulator = await Emulator.start(randomFrom(seed));
		},
		async run(seed, counts) {
			if (emulator === undefined) throw new Error("begin was not called");
			const world = makeLoadWorld(`${worlds.length} ${seed}`);
			await runCase(emulator, world, seed, { requests, kills }, counts);
			worlds.push(world);
		},
		async end(counts) {
			await emulator?.finish(worlds, counts);
		},
	};
}

export const proof = makeLoad({ requests: 10_000, kills: 4 }, 20);

/** The emulator on a data file of its own. */
class Emulator {
	readonly #folder: string;
	#server: ServerProcess;
	readonly url: string;
	/** Open sockets before the first connection. */
	readonly #sockets: number;

	/** Starts it on a new data file, after a start that was killed. */
	static async start(random: () => number): Promise<Emulator> {
		const folder = makeFolder("load");
		await killStart(folder, random);
		return new Emulator(folder, await launch(folder, 0));
	}

	constructor(folder: string, server: ServerProcess) {
		this.#folder = folder;
		this.#server = server;
		this.url = JSON.parse(server.firstLine).url;
		this.#sockets = figuresOf(server.pid)?.sockets ?? 0;
	}

	/** Kills it, checks its file, and starts it again at the same address; at times it is killed again while it starts. */
	async killAndRestart(random: () => number, counts: Counts): Promise<void> {
		this.#note(counts);
		await this.#server.end("SIGKILL");
		if (random() < 0.3) {
			await killStart(this.#folder, random);
			counts.add("kills of a start");
		}
		this.#checkFile();
		this.#server = await launch(this.#folder, Number(new URL(this.url).port));
		counts.add("kills");
	}

	#note(counts: Counts): void {
		const log = statSync(join(this.#folder, "data.sqlite-wal"), { throwIfNoEntry: false });
		counts.most("MB of the write-ahead log", Math.round((log?.size ?? 0) / 1e6));
		const figures = figuresOf(this.#server.pid);
		if (figures === undefined) return;
		counts.most("connections at once", figures.sockets - this.#sockets);
		counts.most("MB of the emulator", figures.residentMb);
	}

	/** Checks a copy: SQLite writes when it opens the file of a process that was killed. */
	#checkFile(): void {
		const copy = makeFolder("load-copy");
		try {
			cpSync(this.#folder, copy, { recursive: true });
			const database = new DatabaseSync(join(copy, "data.sqlite"));
			const rows = database.prepare("PRAGMA integrity_check").all();
			database.close();
			const said = rows.map(({ integrity_check }) => integrity_check).join("; ");
			if (said !== "ok") throw new Error(`the data file is damaged: ${said}`);
		} finally {
			removeFolder(copy);
		}
	}

	async state({ organizationId }: LoadOrganization): Promise<ShownState> {
		const answer = await fetch(`${this.url}/emulator/state?organizationId=${organizationId}`);
		if (answer.status !== 200) throw new Error(`GET /emulator/state: ${await answer.text()}`);
		return (await answer.json()) as ShownState;
	}

	async add(organizations: readonly LoadOrganization[]): Promise<void> {
		const body = JSON.stringify({ organizations: organizations.map(({ seed }) => seed) });
		const answer = await fetch(`${this.url}/emulator/state`, { method: "POST", body });
		if (answer.status !== 200) throw new Error(`POST /emulator/state: ${await answer.text()}`);
	}

	/** Checks everything that any case was answered, that no connection is left, and that the file is whole at the end. */
	async finish(worlds: readonly LoadWorld[], counts: Counts): Promise<void> {
		try {
			this.#note(counts);
			for (const organization of worlds.flatMap(({ all }) => all)) {
				checkOrganization(organization, await this.state(organization), "at the end");
				counts.add("answered activities, all there at the end", organization.ledger.size);
			}
			const code = await this.#server.end("SIGTERM");
			if (code !== 0) throw new Error(`the emulator ended with ${code}: ${this.#server.stderr()}`);
			if (existsSync(join(this.#folder, "data.sqlite-wal"))) throw new Error("a write-ahead log is left after the end");
			this.#checkFile();
			counts.most("MB of the data file", Math.round(statSync(join(this.#folder, "data.sqlite")).size / 1e6));
		} finally {
			await this.#server.end("SIGKILL");
			removeFolder(this.#folder);
		}
	}
}

const words = [commandFile, "emulator", "--data", "data.sqlite"];

function launch(folder: string, port: number): Promise<ServerProcess> {
	return startServer([...words, "--port", String(port)], { cwd: folder });
}

/** How long a start takes: it opens its data file in this time. */
const startMs = 400;

/** Starts it and kills it before it is used. */
async function killStart(folder: string, random: () => number): Promise<void> {
	const server = await startServer(words, { cwd: folder, isSilent: true });
	await delay(startMs * random());
	await server.end("SIGKILL");
}

async function runCase(emulator: Emulator, world: LoadWorld, seed: number, size: Size, counts: Counts): Promise<void> {
	const random = randomFrom(seed);
	const killAt = new Set(Array.from({ length: size.kills }, () => Math.floor(size.requests * (0.05 + 0.9 * random()))));
	await emulator.add(world.all);
	const findings: unknown[] = [];
	const found = (error: unknown): void => {
		findings.push(error);
		traffic.stop();
	};
	const killNow = (): void => {
		const restarted = restart(emulator, world, random, counts, `after kill ${traffic.kills + 1} of ${killAt.size}`);
		traffic.closeGate(restarted.catch(found));
	};
	let killing = Promise.resolve();
	const traffic = new Traffic(size.requests, (sent) => {
		if (!killAt.has(sent)) return;
		const afterMs = random() * 4;
		killing = killing.then(() => delay(afterMs)).then(killNow);
		killing = killing.then(() => traffic.up());
	});
	const connections: Connection[] = [];
	const all = makeClients(world, seed, counts, () => {
		const connection = new Connection(emulator.url, traffic);
		connections.push(connection);
		return connection;
	});
	const loops = all.map(async (client) => {
		while (traffic.goesOn) await client();
	});
	await Promise.all(loops.map((loop) => loop.catch(found)));
	await killing;
	await Promise.all(connections.map((connection) => connection.close()));
	counts.add("requests", traffic.sent);
	if (findings.length > 0) throw findings[0];
	for (const { tags, policies } of world.all) {
		for (const { name } of tags) clients.expectSettled(name);
		for (const { notes } of policies) clients.expectSettled(notes);
	}
	await check(emulator, world, "at the end of the case");
}

/** Kills the emulator, starts it again, and checks it before any client goes on. */
async function restart(
	emulator: Emulator,
	world: LoadWorld,
	random: () => number,
	counts: Counts,
	where: string,
): Promise<void> {
	await emulator.killAndRestart(random, counts);
	for (const { tags } of world.all) {
		counts.add("changes in flight at a kill", tags.filter(({ name }) => name.sent !== name.answered).length);
	}
	await check(emulator, world, where);
}

async function check(emulator: Emulator, world: LoadWorld, where: string): Promise<void> {
	for (const organization of world.all) checkOrganization(organization, await emulator.state(organization), where);
	const traffic = new Traffic(1, () => undefined);
	const connection = new Connection(emulator.url, traffic);
	for (const organization of world.written) await clients.expectCounterKept(connection, organization);
	await connection.close();
}

function makeClients(world: LoadWorld, seed: number, counts: Counts, connect: () => Connection): clients.Client[] {
	let made = 0;
	const parts = (): clients.ClientParts => {
		made += 1;
		return { connection: connect(), random: randomFrom(seed * 1000 + made), counts };
	};
	const [first] = world.written;
	const [tag] = first?.tags ?? [];
	if (first === undefined || tag === undefined) throw new Error("the world has no tags");
	const times = (count: number, make: (index: number) => clients.Client) =>
		Array.from({ length: count }, (_, index) => make(index));
	return [
		...world.written.flatMap((one) => one.tags.map((written) => clients.writer(parts(), one, written))),
		...world.voted.tags.map((voted) => clients.voter(parts(), world.voted, voted)),
		...world.delayed.tags.map((delayed) => clients.delayedWriter(parts(), world.delayed, delayed)),
		...times(clientCounts.readers, () => clients.reader(parts(), world.written)),
		...times(clientCounts.controllers, (index) => clients.controller(parts(), world.controlled, index)),
		...times(clientCounts.passkeys, () => clients.passkeyUser(parts(), first)),
		...times(clientCounts.rough, () => clients.rough(parts(), first, tag)),
	];
}
