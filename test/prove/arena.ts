/** Where races run: an emulator behind a turnstile, a clock, and folders with documents and journals. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Emulator, type RequestLogEntry, startEmulator } from "../../src/emulator/server.ts";
import { type Ended, type Place, runAsProcess, runHere } from "./command.ts";
import { makeFolder, removeFolder } from "./leftovers.ts";
import { isVote, keys, type ListedActivity, organizationId, type SmallWorld } from "./small-world.ts";
import { type ChooseNext, Turnstile } from "./turnstile.ts";

export const minuteMs = 60_000;
export const quarterHourMs = 15 * minuteMs;

/** A command of one of those who race. */
export interface Runner {
	readonly words: readonly string[];
	/** Whose key. */
	readonly who: keyof typeof keys;
	/** The machine: runners of one machine share a folder, and so a journal. */
	readonly machine: number;
}

export interface RaceOptions {
	/** Who goes next; without it everyone goes as they come. */
	readonly choose: ChooseNext | undefined;
	/** What somebody else does between any two requests: the number of turns before it, and what. */
	readonly outsider?: { readonly turns: number; readonly act: () => Promise<string> } | undefined;
	/** Whether each command is a process of its own. */
	readonly asProcesses: boolean;
}

export class Arena {
	readonly #emulator: Emulator;
	readonly turnstile: Turnstile;
	readonly #root: string;
	readonly #clock: { now: () => number };
	/** The folder of the current case. */
	#folder = "";
	#cases = 0;

	private constructor(emulator: Emulator, turnstile: Turnstile, clock: { now: () => number }) {
		this.#emulator = emulator;
		this.turnstile = turnstile;
		this.#clock = clock;
		this.#root = makeFolder("races");
	}

	/** Opens an arena. `reads: "documented"` is a service without the extended reads. */
	static async open(reads: "all" | "documented"): Promise<Arena> {
		const clock = { now: Date.now };
		const emulator = await startEmulator({ seed: { organizations: [] }, reads, now: () => clock.now() });
		return new Arena(emulator, await Turnstile.open(emulator.url), clock);
	}

	get url(): string {
		return this.#emulator.url;
	}

	/** Begins a case: a new organization and empty machines, at this time. */
	async begin({ seed, document }: SmallWorld, startMs: number, clock: "own" | "machine"): Promise<void> {
		if (this.#folder !== "") rmSync(this.#folder, { recursive: true });
		this.#cases += 1;
		this.#folder = join(this.#root, String(this.#cases));
		if (clock === "machine") {
			const aheadMs = startMs - Date.now();
			this.#clock.now = () => Date.now() + aheadMs;
		} else {
			let nowMs = startMs;
			// Time goes on with whatever asks for it, so that it is the same in each repetition.
			this.#clock.now = () => nowMs;
			this.#advance = (ms) => {
				nowMs += ms;
			};
		}
		await this.#emulator.changeState({ organizations: [seed] });
		this.#emulator.clearRequests();
		for (const machine of [0, 1, 2]) {
			mkdirSync(this.folderOf(machine), { recursive: true });
			this.writeDocument(machine, document);
		}
	}

	#advance: (ms: number) => void = () => {};

	get nowMs(): number {
		return this.#clock.now();
	}

	advance(ms: number): void {
		this.#advance(ms);
	}

	folderOf(machine: number): string {
		return join(this.#folder, `machine-${machine}`);
	}

	/** Runs one command to its end, alone. */
	async alone(runner: Runner): Promise<Ended> {
		const place = this.#placeOf(runner, this.#emulator.url, async (ms) => this.#advance(ms));
		return runHere(runner.words, place);
	}

	/** Runs the commands together. */
	async race(runners: readonly Runner[], { choose, asProcesses, outsider }: RaceOptions): Promise<readonly Ended[]> {
		const go: (() => Promise<Ended | undefined>)[] = runners.map((runner, index) => () => {
			const sleep = async (ms: number) => {
				await this.turnstile.pass(index, `goes on after ${ms} ms`);
				this.#advance(ms);
			};
			const place = this.#placeOf(runner, this.turnstile.url(index), sleep);
			return asProcesses ? runAsProcess(runner.words, place) : runHere(runner.words, place);
		});
		if (outsider !== undefined)
			go.push(async () => {
				for (let turn = 0; turn < outsider.turns; turn += 1) await this.turnstile.pass(runners.length, "waits");
				await this.turnstile.pass(runners.length, await outsider.act());
				return undefined;
			});
		const ticking =
			choose &&
			((able: readonly number[]) => {
				this.#advance(1);
				return choose(able);
			});
		return (await this.turnstile.race(go, ticking)).flatMap((ended) => ended ?? []);
	}

	#placeOf({ who, machine }: Runner, url: string, sleep: Place["sleep"]): Place {
		const environment = { HOME: this.#root, ORGSYNC_URL: url, ORGSYNC_API_PRIVATE_KEY: keys[who].privateKey };
		return { directory: this.folderOf(machine), environment, now: this.#clock.now, sleep };
	}

	writeDocument(machine: number, document: string): void {
		writeFileSync(join(this.folderOf(machine), "orgsync.yaml"), document);
	}

	/** Replaces the organization: as it is seeded, without activities. */
	async reset({ seed }: SmallWorld): Promise<void> {
		await this.#emulator.changeState({ organizations: [seed] });
	}

	/** Forgets the requests of the case so far. */
	clearRequests(): void {
		this.#emulator.clearRequests();
	}

	/** Returns the submits and votes that reached the service. */
	submits(): readonly RequestLogEntry[] {
		return this.#emulator.requests().filter(({ path }) => path.includes("/submit/"));
	}

	/** The organization, for others who change it. */
	get outside() {
		return {
			look: () => ({ organization: this.organization(), activities: [] }),
			change: (patch: object) => this.#emulator.changeState({ organizationId, ...patch } as never),
			nowMs: this.nowMs,
		};
	}

	organization(): object {
		return this.#emulator.state(organizationId).organization;
	}

	/** Returns the activities that are no votes, oldest first. */
	activities(): readonly ListedActivity[] {
		return this.#listed().filter((activity) => !isVote(activity));
	}

	votes(): readonly ListedActivity[] {
		return this.#listed().filter(isVote);
	}

	#listed(): readonly ListedActivity[] {
		return this.#emulator.state(organizationId).activities as unknown as readonly ListedActivity[];
	}

	async close(): Promise<void> {
		await this.turnstile.close();
		await this.#emulator.close();
		removeFolder(this.#root);
	}
}
