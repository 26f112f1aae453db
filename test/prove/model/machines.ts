/** The machines of a history: folders with the document and a journal, each with a clock, and the runs on them. */
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { textOf } from "../../../src/common/said.ts";
import { parseDocuments } from "../../../src/document/read/parse.ts";
import { exitCodeOf } from "../../../src/plan/report.ts";
import { Session } from "../../../src/pulumi/session/session.ts";
import { readSettings } from "../../../src/pulumi/settings/settings.ts";
import { nothingStored } from "../../../src/pulumi/state/stored-state.ts";
import { type Ended, runHere } from "../command.ts";
import { keys, organizationId } from "../small-world.ts";

const suffixes = ["", "-wal", "-shm"];

/** The journal of a machine, and which requests it has seen: said by the proof, not by the file. */
export class JournalFile {
	readonly path: string;
	known = new Set<string>();
	/** Those of them that the service has only refused: the same bytes of another runner may have made an activity. */
	readonly refused = new Set<string>();
	/** The moment of the last run that was asked to submit again what was rejected; before all others where there is none. */
	retriedAt = -1;
	/** Whether this journal has forgotten something: it was lost, or an old backup took its place. */
	hasForgotten = false;
	#backup: { readonly known: ReadonlySet<string> } | undefined;

	constructor(folder: string) {
		this.path = join(folder, "journal.sqlite");
	}

	/** Copies the file as it is on disk now, as a backup, or as what a killed process leaves. */
	#copy(from: string, to: string): void {
		for (const suffix of suffixes) rmSync(to + suffix, { force: true });
		// SQLite makes the index of the log (-shm) again.
		for (const suffix of ["", "-wal"]) if (existsSync(from + suffix)) copyFileSync(from + suffix, to + suffix);
	}

	backUp(): void {
		if (!existsSync(this.path)) return;
		this.#copy(this.path, `${this.path}.backup`);
		this.#backup = { known: new Set(this.known) };
	}

	restore(): void {
		if (this.#backup === undefined) return;
		this.#copy(`${this.path}.backup`, this.path);
		this.known = new Set(this.#backup.known);
		this.hasForgotten = true;
	}

	lose(): void {
		for (const suffix of suffixes) rmSync(this.path + suffix, { force: true });
		this.known = new Set();
		this.hasForgotten = true;
	}

	#isKept = false;

	/** Notes what is on disk when a process is killed. */
	keepAsKilled(): void {
		this.#isKept = true;
		if (existsSync(this.path)) this.#copy(this.path, `${this.path}.killed`);
	}

	/** What the process wrote after it was killed has not happened. */
	putKilledBack(): void {
		if (!this.#isKept) return;
		this.#isKept = false;
		if (existsSync(`${this.path}.killed`)) this.#copy(`${this.path}.killed`, this.path);
		else for (const suffix of suffixes) rmSync(this.path + suffix, { force: true });
		rmSync(`${this.path}.killed`, { force: true });
		rmSync(`${this.path}.killed-wal`, { force: true });
	}
}

/** A user's machine. */
export class Machine {
	readonly #folder: string;
	readonly #document: string;
	readonly journal: JournalFile;
	/** How far its clock is ahead. */
	aheadMs = 0;

	constructor(folder: string, document: string, journal?: JournalFile) {
		this.#folder = folder;
		this.#document = document;
		mkdirSync(folder, { recursive: true });
		writeFileSync(join(folder, "orgsync.yaml"), document);
		this.journal = journal ?? new JournalFile(folder);
	}

	/** Runs a command to its end. */
	command(words: readonly string[], who: keyof typeof keys, url: string, clock: Clock): Promise<Ended> {
		const [name = "", ...flags] = words;
		return runHere([name, "--no-color", "--journal", this.journal.path, ...flags], {
			directory: this.#folder,
			environment: { HOME: this.#folder, ORGSYNC_URL: url, ORGSYNC_API_PRIVATE_KEY: keys[who].privateKey },
			now: () => clock.now() + this.aheadMs,
			sleep: clock.sleep,
		});
	}

	/** Brings the organization in sync as `pulumi up` does, or shows what it would do. */
	async pulumi(what: "up" | "preview", url: string, clock: Clock): Promise<Ended> {
		const lines: string[] = [];
		const given = { organizationId, url, apiPrivateKey: keys.alice.privateKey, journal: this.journal.path };
		const session = new Session(readSettings(given, {}), {
			environment: {},
			directory: this.#folder,
			now: () => clock.now() + this.aheadMs,
			steadyNow: () => performance.now(),
			sleep: clock.sleep,
			warn: (line) => lines.push(line),
		});
		const [desired] = parseDocuments([{ file: "orgsync.yaml", content: this.#document }], {}).organizations;
		if (desired === undefined) throw new Error(`the proof's own document has problems:\n${this.#document}`);
		const target = { resource: "acme", desired, stored: nothingStored };
		try {
			if (what === "preview") {
				await session.compare(target);
				return { code: 0, stdout: "", stderr: lines.join("\n") };
			}
			const { report } = await session.converge(target);
			const text = (report?.steps ?? []).map((step) => `${step.outcome} ${textOf(step.message ?? "")}`).join("\n");
			return { code: report === undefined ? 0 : exitCodeOf(report), stdout: text, stderr: lines.join("\n") };
		} catch (error) {
			const { name, message } = error as Error;
			// A slip of the code, and no error that Pulumi shows.
			if (["TypeError", "RangeError", "ReferenceError", "AssertionError"].includes(name)) throw error;
			return { code: 1, stdout: "", stderr: `${name}: ${message}` };
		}
	}
}

export interface Clock {
	readonly now: () => number;
	readonly sleep: (ms: number) => Promise<void>;
}
