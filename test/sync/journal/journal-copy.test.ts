/** A journal that SQLite cannot open where it is, because it would have to write beside it: it is read from a copy. */
import fs, { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { StorageError } from "../../../src/common/errors.ts";
import { openJournal } from "../../../src/sync/journal/file.ts";
import { openReadOnly } from "../../../src/sync/journal/inspect.ts";
import { requestDigestOf } from "../../../src/sync/journal/journal.ts";
import { submits } from "../../../src/wire/operations.ts";
import { encodeSubmit } from "../../../src/wire/request-body.ts";
import { id, organizationId } from "../../plan/support-organizations.ts";

const parameters = { policyIds: [id("policy", 1)] };
const body = encodeSubmit(submits.delete_policies, organizationId, parameters, 1_767_225_600_000);
const digest = requestDigestOf(organizationId, "delete_policies", parameters);

let folder: string;
let file: string;

/** A journal whose last write is in the log beside it. */
beforeEach(async () => {
	folder = mkdtempSync(join(tmpdir(), "orgsync-journal-copy-"));
	file = join(folder, "journal.sqlite");
	vi.stubEnv("TMPDIR", mkdtempSync(join(folder, "temporary-")));
	const journal = await openJournal(join(folder, "first.sqlite"));
	await journal.recordSending(body, digest, [], 1);
	for (const suffix of ["", "-wal"]) copyFileSync(join(folder, `first.sqlite${suffix}`), file + suffix);
	journal.close();
});
afterEach(() => {
	vi.unstubAllEnvs();
	vi.restoreAllMocks();
	syncBuiltinESMExports();
	rmSync(folder, { recursive: true, force: true });
});

/** What SQLite says with this code when the database is opened, or read for the first time. */
function fail(errcode: number, when: "open" | "prepare" = "open"): void {
	vi.spyOn(DatabaseSync.prototype, when).mockImplementationOnce(() => {
		throw Object.assign(new Error("SQLite says no"), { errcode });
	});
}

/** Something happens whenever a file was copied. */
function onCopy(act: (count: number) => void): () => number {
	let count = 0;
	const copy = fs.copyFileSync;
	vi.spyOn(fs, "copyFileSync").mockImplementation((...words) => {
		copy(...words);
		count += 1;
		act(count);
	});
	syncBuiltinESMExports();
	return () => count;
}

const copies = (): readonly string[] => readdirSync(tmpdir());
const rowsOf = (database: DatabaseSync): number => database.prepare("SELECT * FROM sent").all().length;

describe("a journal that cannot be opened where it is", () => {
	it.each([
		["the folder cannot be written", 14, "open"],
		["the file cannot be written", 8, "prepare"],
		["the disk is full", 13, "prepare"],
		["the log cannot be shared", 4618, "open"],
		["the log cannot be extended", 4874, "prepare"],
		["the log cannot be mapped", 5386, "prepare"],
	] as const)("because %s is read from a copy with its log, which goes when it is closed", async (_why, code, when) => {
		const before = ["", "-wal"].map((suffix) => readFileSync(file + suffix));
		fail(code, when);
		const database = await openReadOnly(file, 10);
		expect(rowsOf(database)).toBe(1);
		expect(copies()).toHaveLength(1);
		database.close();
		expect(copies()).toEqual([]);
		expect(["", "-wal"].map((suffix) => readFileSync(file + suffix))).toEqual(before);
		expect(existsSync(`${file}-shm`)).toBe(false);
	});

	it("for another reason is an error, and nothing is copied", async () => {
		for (const code of [11, 26, 5]) {
			fail(code);
			await expect(openReadOnly(file, 10)).rejects.toThrow("SQLite says no");
		}
		vi.spyOn(DatabaseSync.prototype, "open").mockImplementationOnce(() => {
			throw new Error("no code");
		});
		await expect(openReadOnly(file, 10)).rejects.toThrow("no code");
		expect(copies()).toEqual([]);
	});

	it("is copied again where another process wrote it meanwhile", async () => {
		fail(14);
		const count = onCopy((copied) => {
			if (copied === 2) utimesSync(file, 1, 1);
		});
		const database = await openReadOnly(file, 10);
		expect([rowsOf(database), count()]).toEqual([1, 4]);
		database.close();
	});

	it("is an error where another process keeps writing it, and no copy is left behind", async () => {
		fail(14);
		const count = onCopy((copied) => utimesSync(file, copied, copied));
		const error: unknown = await openReadOnly(file, 10).catch((thrown: unknown) => thrown);
		expect(error).toBeInstanceOf(StorageError);
		expect(error).toMatchObject({
			message: "another process keeps writing it",
			hint: "run the command again when the other process has ended",
		});
		expect([count(), copies()]).toEqual([10, []]);
	});
});

describe("a journal that two processes create at the same moment", () => {
	/** SQLite fails so often to change the mode of the file. */
	function failToSwitch(times: number, errcode: number): () => number {
		let count = 0;
		const { exec } = DatabaseSync.prototype;
		vi.spyOn(DatabaseSync.prototype, "exec").mockImplementation(function (this: DatabaseSync, sql: string) {
			if (sql !== "PRAGMA journal_mode = WAL" || ++count > times) return exec.call(this, sql);
			throw Object.assign(new Error("SQLite says no"), { errcode });
		});
		return () => count;
	}

	it("is opened as soon as the other process lets it, with the whole timeout for what follows", async () => {
		const count = failToSwitch(2, 5);
		const journal = await openJournal(join(folder, "new.sqlite"), { busyMs: 5000 });
		expect([count(), journal.position()]).toEqual([3, 0]);
		journal.close();
	});

	it("is an error once the timeout is over, or at once for another reason", async () => {
		const busy = failToSwitch(1000, 5);
		await expect(openJournal(join(folder, "new.sqlite"), { busyMs: 50 })).rejects.toThrow("SQLite says no");
		expect(busy()).toBeGreaterThan(1);
		vi.restoreAllMocks();
		const other = failToSwitch(1000, 10);
		await expect(openJournal(join(folder, "new.sqlite"), { busyMs: 5000 })).rejects.toThrow("SQLite says no");
		expect(other()).toBe(1);
	});
});
