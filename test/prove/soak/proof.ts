/**
 * `soak`: a schedule that runs `drift` and `apply` again and again, while outsiders change the organizations and the service
 * fails. The emulator, the Pulumi plugin, one `wait` and one `apply --wait-for-approval` are processes that live through all of it.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { commandFile } from "../../../scripts/manifest.ts";
import { apiKeyStamp } from "../../keys.ts";
import { drawFaults, type FaultProxy, openFaultProxy } from "../faults.ts";
import { makeFolder, removeFolder } from "../leftovers.ts";
import { type ServerProcess, startServer } from "../processes.ts";
import { type Counts, type Proof, randomFrom } from "../proof.ts";
import { type CronOptions, type Ended, expectCode, keys, runOrgsync } from "./cron.ts";
import { countFiles, databaseKb, Samples, sampleProcess } from "./figures.ts";
import {
	Causes,
	documentOf,
	expectInSync,
	outsideChange,
	type SoakOrganization,
	type SoakState,
	seedOf,
	soakOrganization,
} from "./organizations.ts";
import { type SoakPlugin, startPlugin } from "./plugin.ts";
import { startWaits, type Wait, waitedFor } from "./waits.ts";

export interface SoakOptions {
	/** Milliseconds between the beginnings of two rounds. */
	readonly everyMs: number;
	/** Every so many rounds there are no faults, all is in sync at the end, and a sample is taken. */
	readonly cleanEvery: number;
	/** Whether one `wait` and one `apply --wait-for-approval` live as long as the soak. */
	readonly waits: boolean;
	/** Gets the table of figures. */
	readonly print: (text: string) => void;
}

const minuteMs = 60_000;
/** How much later it is at each round: 450 rounds are more than a week. */
const roundMs = 25 * minuteMs;
/** Fewer samples say nothing about growth. */
const enoughSamples = 12;

export function makeSoak(options: SoakOptions, defaultCases: number): Proof {
	let soak: Soak | undefined;
	return {
		promise:
			"under a schedule of drift and apply with faults, each outside change is answered by at most one activity that takes effect, the organizations are in sync whenever the faults end, and memory, sockets, timers and files stay flat",
		defaultCases,
		goesOn: true,
		async begin() {
			soak = await Soak.start(options);
		},
		async run(seed, counts) {
			await soak?.round(seed, counts);
		},
		async end(counts) {
			await soak?.finish(counts);
		},
	};
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);

export const proof = makeSoak({ everyMs: 4000, cleanEvery: 5, waits: true, print }, 450);

const direct = soakOrganization(1, "direct", false);
const voted = soakOrganization(2, "voted", true);
const program = soakOrganization(3, "program", false);
/** Those of the schedule. */
const scheduled = [direct, voted];

interface SoakParts {
	readonly emulator: ServerProcess;
	readonly proxy: FaultProxy;
	readonly url: string;
	readonly plugin: SoakPlugin;
	readonly waits: readonly Wait[];
}

class Soak {
	readonly #folder: string;
	readonly #options: SoakOptions;
	readonly #emulator: ServerProcess;
	/** Between the service and its clients, which know its address alone. */
	readonly #proxy: FaultProxy;
	readonly #url: string;
	readonly #plugin: SoakPlugin;
	readonly #waits: readonly Wait[];
	readonly #samples = new Samples();
	readonly #causes = new Causes();
	readonly #policies = new Map<string, string[]>(scheduled.map(({ name }) => [name, []]));
	readonly #startedMs = performance.now();
	#aheadMs = 0;
	#rounds = 0;
	#pluginVersion = 0;

	static async start(options: SoakOptions): Promise<Soak> {
		const folder = makeFolder("soak");
		for (const name of ["home", "temporary", "documents"]) mkdirSync(join(folder, name), { mode: 0o700 });
		const seed = [direct, voted, program, ...waitedFor].map((one) => seedOf(one, [keys.alice, keys.bob]));
		writeFileSync(join(folder, "seed.json"), JSON.stringify({ organizations: seed }));
		for (const one of scheduled) writeFileSync(join(folder, "documents", `${one.name}.yaml`), documentOf(one, []));
		const env = { TMPDIR: join(folder, "temporary") };
		const words = [commandFile, "emulator", "--data", "data.sqlite", "--seed", "seed.json"];
		const emulator = await startServer(words, { cwd: folder, env, isObserved: true });
		const { url } = JSON.parse(emulator.firstLine);
		const proxy = await openFaultProxy(url);
		const settings = { url: proxy.url, organizationId: program.organizationId, journal: "plugin.sqlite", timeout: "2" };
		const plugin = await startPlugin(folder, settings, keys.alice.privateKey);
		const waits = options.waits ? await startWaits(folder, url, proxy.url) : [];
		return new Soak(folder, options, { emulator, proxy, url, plugin, waits });
	}

	constructor(folder: string, options: SoakOptions, { emulator, proxy, url, plugin, waits }: SoakParts) {
		this.#folder = folder;
		this.#options = options;
		this.#emulator = emulator;
		this.#proxy = proxy;
		this.#url = url;
		this.#plugin = plugin;
		this.#waits = waits;
	}

	async round(seed: number, counts: Counts): Promise<void> {
		const dueMs = this.#startedMs + this.#rounds * this.#options.everyMs - performance.now();
		if (dueMs > 0) await delay(dueMs);
		this.#rounds += 1;
		const isClean = this.#rounds % this.#options.cleanEvery === 0;
		const random = randomFrom(seed);
		await this.#moveClock(roundMs);
		for (const one of scheduled) if (random() < 0.6) await this.#changeOutside(one, random, counts);
		// So that nothing happens at the same time as an outside change.
		await this.#moveClock(1000);
		if (!isClean) await this.#changeWeather(random, counts);
		await this.#schedule(random, isClean, counts);
		await this.#usePlugin(isClean, counts);
		await this.#endWeather();
		if (!isClean) return;
		await this.#settle(counts);
		await this.#sample(counts);
	}

	/** What cron runs: drift, then apply. Then bob votes, at times. */
	async #schedule(random: () => number, isClean: boolean, counts: Counts): Promise<void> {
		const found = await this.#run(drift, "alice");
		expectCode("drift", found, isClean ? [0, 2, 8] : [0, 1, 2, 8]);
		counts.add(`drift exits ${found.code}`);
		const killAfterMs = !isClean && random() < 0.1 ? 100 + random() * 500 : undefined;
		const applied = await this.#run(apply, "alice", killAfterMs);
		expectCode(
			"apply",
			applied,
			isClean ? [0, 7, 8, 9] : [0, 1, 7, 8, 9, ...(killAfterMs === undefined ? [] : [null])],
		);
		counts.add(`apply exits ${applied.code === null ? "by kill" : applied.code}`);
		if (random() < 0.5) await this.#vote(random() < 0.2, isClean);
	}

	async #vote(rejects: boolean, isClean: boolean): Promise<void> {
		// Without an answer, bob looks again another day.
		const pending = await this.#pendingIds(voted).catch((error: unknown) => (isClean ? Promise.reject(error) : []));
		if (pending.length === 0) return;
		const words = rejects
			? ["reject", "--organization", voted.organizationId, ...pending]
			: ["approve", "-f", "documents"];
		const ended = await this.#run([...words, "--yes", "--quiet", "--timeout", "2", "--journal", "bob.sqlite"], "bob");
		expectCode(words[0] ?? "", ended, isClean ? [0, 8, 9] : [0, 1, 7, 8, 9]);
	}

	/** The whole state grows with every activity, so it is read only where it is compared. */
	async #pendingIds({ organizationId }: SoakOrganization): Promise<readonly string[]> {
		const filterByStatus = ["ACTIVITY_STATUS_CONSENSUS_NEEDED"];
		const body = JSON.stringify({ organizationId, filterByStatus, paginationOptions: { limit: "100" } });
		const init = { method: "POST", body, headers: apiKeyStamp(body, keys.bob) };
		const answer = await fetch(`${this.#url}/public/v1/query/list_activities`, init);
		if (answer.status !== 200) throw new Error(`list_activities: ${await answer.text()}`);
		const { activities } = (await answer.json()) as { readonly activities: readonly { readonly id: string }[] };
		return activities.map(({ id }) => id);
	}

	/** Without faults: everything is in sync, and each activity has its cause. */
	async #settle(counts: Counts): Promise<void> {
		const first = await this.#run([...apply, "--retry-rejected"], "alice");
		expectCode("apply without faults", first, [0, 8]);
		if ((await this.#pendingIds(voted)).length > 0) {
			await this.#vote(false, true);
			expectCode("apply after the approval", await this.#run(apply, "alice"), [0]);
		}
		expectCode("drift in sync", await this.#run(["drift", "-f", "documents", "--quiet"], "alice"), [0]);
		for (const one of scheduled) {
			const state = await this.#state(one);
			expectInSync(one, state);
			counts.add("activities", this.#causes.check(one, state));
		}
	}

	/** The program changes its tag: each version is one activity. */
	async #usePlugin(isClean: boolean, counts: Counts): Promise<void> {
		const [alice, bob, carol] = program.users;
		this.#pluginVersion += 1;
		const members = { exactly: this.#pluginVersion % 2 === 0 ? [alice, bob] : [alice, carol] };
		try {
			await this.#plugin.preview({ name: "signers", members });
			await this.#plugin.apply({ name: "signers", members });
			counts.add("updates by the plugin");
		} catch (error) {
			// The plugin shares answers for a few seconds, in which the clock of the proof went on by more than an hour.
			const isLate = String(error).includes("timestampMs is more than one hour old");
			if (isClean && !isLate) throw error;
			counts.add(isLate ? "updates by the plugin refused as too old" : "updates by the plugin that failed");
			return;
		}
		if (!isClean) return;
		const tag = (await this.#state(program)).organization.userTags.find(({ tagId }) => tagId === program.tags[0]);
		const shown = [...(tag?.userIds ?? [])].sort().join();
		if (shown !== [...members.exactly].sort().join()) throw new Error(`the plugin left the tag with ${shown}`);
	}

	async #sample(counts: Counts): Promise<void> {
		// The log of requests has a limit, which a soak does not reach.
		await this.#send("DELETE", "requests");
		this.#samples.add(
			await sampleProcess("emulator", this.#emulator),
			await sampleProcess("plugin", this.#plugin.process),
			...(await Promise.all(this.#waits.map(({ name, process: waits }) => sampleProcess(name, waits)))),
			{ "all files": countFiles(this.#folder) },
			{ "journal kB": databaseKb(join(this.#folder, ".orgsync/journal.sqlite")), activities: counts.of("activities") },
			{ "data file kB": databaseKb(join(this.#folder, "data.sqlite")) },
		);
	}

	async finish(counts: Counts): Promise<void> {
		const { print } = this.#options;
		try {
			print(`figures at start → middle → end (medians of the thirds of ${this.#samples.length} samples)`);
			print(this.#samples.describe());
			counts.add("rounds", this.#rounds);
			for (const wait of this.#waits) await this.#endWait(wait);
			const isEnough = this.#samples.length >= enoughSamples;
			if (!isEnough) counts.add(`too short to judge growth: fewer than ${enoughSamples} samples`, 1);
			const growth = isEnough ? [...this.#samples.findGrowth(), ...this.#samples.findJournalGrowth()] : [];
			if (growth.length > 0) throw new Error(growth.join("\n"));
		} finally {
			this.#plugin.close();
			const processes = [this.#plugin.process, ...this.#waits.map(({ process: waits }) => waits), this.#emulator];
			for (const one of processes) await one.end("SIGKILL");
			await this.#proxy.close();
			removeFolder(this.#folder);
		}
	}

	/** A command that waited all the time ends once its activity has. */
	async #endWait({ name, document, journal, process: waits }: Wait): Promise<void> {
		const words = ["approve", "-f", document, "--yes", "--quiet"];
		// A vote counts for a day: the submitter's has expired in a long soak.
		expectCode("approve", await this.#run([...words, "--journal", journal], "alice"), [0, 8]);
		expectCode("approve", await this.#run([...words, "--journal", "bob.sqlite"], "bob"), [0]);
		const tooLong = new AbortController();
		const waited = delay(2 * minuteMs, "nothing", { signal: tooLong.signal }).catch(() => undefined);
		const code = await Promise.race([waits.ended, waited]);
		tooLong.abort();
		if (code !== 0) throw new Error(`${name} ended with ${code} after the approval: ${waits.stderr()}`);
	}

	async #changeOutside(organization: SoakOrganization, random: () => number, counts: Counts): Promise<void> {
		if ((await this.#pendingIds(organization)).length > 0) return;
		const { patch, objects, policyId } = outsideChange(organization, random, this.#rounds);
		if (!this.#causes.add(objects)) return;
		await this.#send("POST", "state", patch);
		counts.add("outside changes");
		if (policyId === undefined) return;
		const policies = this.#policies.get(organization.name) ?? [];
		// The document keeps the newest: an outsider makes no policy again.
		policies.push(policyId);
		const document = documentOf(organization, policies.slice(-20));
		writeFileSync(join(this.#folder, "documents", `${organization.name}.yaml`), document);
	}

	/** What the service does in a round: it fails at times, it is down, or it limits the rate. */
	async #changeWeather(random: () => number, counts: Counts): Promise<void> {
		const weather = random();
		if (weather < 0.1) {
			await this.#send("POST", "faults", {
				operation: "*",
				fault: weather < 0.05 ? "5xx" : "drop-before",
				count: 1000,
			});
			counts.add("rounds with an outage");
			return;
		}
		if (weather < 0.2) {
			await this.#send("POST", "limits", { requestsPerSecond: 20, burst: 4, retryAfter: weather < 0.15 });
			counts.add("rounds with a rate limit");
		}
		const draw = drawFaults(random, random() * 0.3);
		this.#proxy.use({
			choose(exchange) {
				const fault = draw(exchange);
				if (fault !== "none") counts.add("faults");
				return fault;
			},
		});
	}

	async #endWeather(): Promise<void> {
		await this.#send("DELETE", "faults");
		await this.#send("DELETE", "limits");
		this.#proxy.use({});
		await this.#proxy.settle();
	}

	#run(words: readonly string[], user: "alice" | "bob", killAfterMs?: number): Promise<Ended> {
		const { privateKey } = keys[user];
		const options: CronOptions = {
			cwd: this.#folder,
			url: this.#proxy.url,
			privateKey,
			aheadMs: this.#aheadMs,
			killAfterMs,
		};
		return runOrgsync(words, options);
	}

	async #moveClock(advanceMs: number): Promise<void> {
		this.#aheadMs += advanceMs;
		await this.#send("POST", "clock", { advanceMs });
	}

	async #state({ organizationId }: SoakOrganization): Promise<SoakState> {
		return (await this.#send("GET", `state?organizationId=${organizationId}`)) as SoakState;
	}

	async #send(method: string, path: string, body?: object): Promise<unknown> {
		const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
		const answer = await fetch(`${this.#url}/emulator/${path}`, init);
		if (answer.status !== 200) throw new Error(`${method} /emulator/${path}: ${await answer.text()}`);
		return answer.json();
	}
}

const drift = "drift -f documents --format json --output drift.json --metrics drift.txt --timeout 2".split(" ");
const apply = "apply -f documents --yes --quiet --timeout 2 --wait 2".split(" ");
