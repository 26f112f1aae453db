/** Where crashes happen: an emulator behind the proxy of faults, a clock that is moved, and a folder with documents and a journal. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Emulator, type Seed, startEmulator } from "../../../src/emulator/server.ts";
import { type Ended, type Place, runHere } from "../command.ts";
import { type FaultProxy, openFaultProxy } from "../faults.ts";
import { makeFolder, removeFolder } from "../leftovers.ts";
import { keys, type ListedActivity, organizationId, type SmallWorld } from "../small-world.ts";

const minuteMs = 60_000;
const quarterHourMs = 15 * minuteMs;
/** The second organization of a document that has two. */
const otherId = "0fffffff-0000-4000-8000-000000000002";

/** Who runs a command: each has a folder, and so a journal, of their own. */
export type Who = "alice" | "bob";

/** A row of the journal about a request or a vote. */
export interface Written {
	readonly fingerprint: string;
	readonly outcome: string | null;
	readonly isVote: boolean;
}

export class CrashWorld {
	readonly #emulator: Emulator;
	readonly proxy: FaultProxy;
	readonly #root: string;
	readonly #clock: { aheadMs: number };
	#organizations: readonly string[] = [];
	#cases = 0;

	private constructor(emulator: Emulator, proxy: FaultProxy, clock: { aheadMs: number }) {
		this.#emulator = emulator;
		this.proxy = proxy;
		this.#clock = clock;
		this.#root = makeFolder("crash");
	}

	/** Opens a world. `reads: "documented"` is a service without the extended reads. */
	static async open(reads: "all" | "documented"): Promise<CrashWorld> {
		const clock = { aheadMs: 0 };
		const emulator = await startEmulator({ seed: { organizations: [] }, reads, now: () => Date.now() + clock.aheadMs });
		return new CrashWorld(emulator, await openFaultProxy(emulator.url), clock);
	}

	/** Begins a case: new organizations, an empty folder for each user, and a minute in a quarter of an hour. */
	async begin({ seed, document }: SmallWorld, size: 1 | 2): Promise<void> {
		rmSync(this.#folder, { recursive: true, force: true });
		this.#cases += 1;
		this.#clock.aheadMs = minuteMs - (Date.now() % quarterHourMs);
		this.#organizations = [organizationId, otherId].slice(0, size);
		const other = (text: string): string => text.replaceAll(organizationId, otherId);
		const seeds = [seed, JSON.parse(other(JSON.stringify(seed)))].slice(0, size);
		await this.#emulator.changeState({ organizations: seeds } as Seed);
		this.#emulator.clearRequests();
		for (const who of ["alice", "bob"] as const) {
			mkdirSync(this.#folderOf(who), { recursive: true });
			const text = [document, other(document)].slice(0, size).join("---\n");
			writeFileSync(join(this.#folderOf(who), "orgsync.yaml"), text);
		}
	}

	get #folder(): string {
		return join(this.#root, String(this.#cases));
	}

	#folderOf(who: Who): string {
		return join(this.#folder, who);
	}

	placeOf(who: Who): Place {
		return {
			directory: this.#folderOf(who),
			environment: { ORGSYNC_URL: this.proxy.url, ORGSYNC_API_PRIVATE_KEY: keys[who].privateKey },
			now: () => Date.now() + this.#clock.aheadMs,
			sleep: async (ms) => this.advance(ms),
		};
	}

	/** Runs one command to its end, in this process. */
	run(who: Who, words: readonly string[]): Promise<Ended> {
		const place = this.placeOf(who);
		return runHere(words, { ...place, environment: { ...place.environment, HOME: place.directory } });
	}

	advance(ms: number): void {
		this.#clock.aheadMs += ms;
	}

	/** Returns what the user's journal has about requests and votes; nothing if there is no journal yet. */
	journalOf(who: Who): readonly Written[] {
		const file = join(this.#folderOf(who), ".orgsync", "journal.sqlite");
		if (!existsSync(file)) return [];
		const database = new DatabaseSync(file, { readOnly: true });
		try {
			const { version } = database.prepare("SELECT user_version AS version FROM pragma_user_version").get() as {
				version: number;
			};
			if (version === 0) return [];
			const rowsOf = (table: string) => database.prepare(`SELECT fingerprint, outcome FROM ${table}`).all();
			return ["sent", "votes"].flatMap((table) =>
				rowsOf(table).map((row) => ({ ...(row as unknown as Written), isVote: table === "votes" })),
			);
		} finally {
			database.close();
		}
	}

	/** Whether git would leave out everything in the folder of the user's journal. */
	isLeftOutOfGit(who: Who): boolean {
		return existsSync(join(this.#folderOf(who), ".orgsync", ".gitignore"));
	}

	/** The first organization, for others who change it. */
	get outside() {
		const emulator = this.#emulator;
		return {
			look: () => ({ organization: this.views()[0]?.organization ?? {}, activities: [] }),
			change: (patch: object) => emulator.changeState({ organizationId, ...patch } as never),
			nowMs: Date.now() + this.#clock.aheadMs,
		};
	}

	/** Each organization with its activities, oldest first. */
	views(): readonly { readonly organization: object; readonly activities: readonly ListedActivity[] }[] {
		return this.#organizations.map((id) => {
			const { organization, activities } = this.#emulator.state(id);
			return { organization, activities: activities as unknown as readonly ListedActivity[] };
		});
	}

	async close(): Promise<void> {
		await this.proxy.close();
		await this.#emulator.close();
		removeFolder(this.#root);
	}
}
