/** A journal is recognized with the log beside it, after a full disk and a crash too, and no hint leads to a second activity. */
import { spawnSync } from "node:child_process";
import {
	appendFileSync,
	copyFileSync,
	existsSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	symlinkSync,
	truncateSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { StorageError } from "../../../src/common/errors.ts";
import { openJournal, readJournal } from "../../../src/sync/journal/file.ts";
import { requestDigestOf } from "../../../src/sync/journal/journal.ts";
import { submits } from "../../../src/wire/operations.ts";
import { encodeSubmit } from "../../../src/wire/request-body.ts";
import { id, organizationId } from "../../plan/support-organizations.ts";

const parameters = { policyIds: [id("policy", 1)] };
const body = encodeSubmit(submits.delete_policies, organizationId, parameters, 1_767_225_600_000);
const requestDigest = requestDigestOf(organizationId, "delete_policies", parameters);

let folder: string;
let file: string;

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "orgsync-journal-look-"));
	file = join(folder, "journal.sqlite");
});
afterEach(() => {
	vi.unstubAllEnvs();
	rmSync(folder, { recursive: true, force: true });
});

async function refusal(open: () => Promise<unknown>): Promise<StorageError> {
	const error: unknown = await open().catch((thrown: unknown) => thrown);
	expect(error).toBeInstanceOf(StorageError);
	return error as StorageError;
}

/** How many requests are open, as readers see it and as writers do. */
async function countOpen(): Promise<readonly (number | undefined)[]> {
	const view = await readJournal(file);
	const seen = view?.openEntries(organizationId).length;
	view?.close();
	const journal = await openJournal(file);
	const written = journal.openEntries(organizationId).length;
	journal.close();
	return [seen, written];
}

/** A journal with one open request, which is in the log alone; `pages` of it were moved to the file before a crash. */
async function makeUnmerged(pages: number | undefined): Promise<void> {
	const first = join(folder, "first.sqlite");
	const journal = await openJournal(first);
	await journal.recordSending(body, requestDigest, ["policy:1"], 1);
	copyFileSync(first, file);
	copyFileSync(`${first}-wal`, `${file}-wal`);
	journal.close();
	if (pages === undefined) return;
	copyFileSync(first, file);
	truncateSync(file, pages * 4096);
}

/** A small file system in memory, unmounted at the end; undefined where none can be made. */
function mountSmall(): { readonly path: string; readonly unmount: () => void } | undefined {
	const path = mkdtempSync(join(tmpdir(), "orgsync-small-"));
	const isMounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=256k,mode=700", "tmpfs", path]).status === 0;
	const unmount = (): void => {
		if (isMounted) spawnSync("umount", [path]);
		rmSync(path, { recursive: true, force: true });
	};
	if (isMounted) return { path, unmount };
	unmount();
	return undefined;
}

const canMount = (() => {
	const mounted = mountSmall();
	mounted?.unmount();
	return mounted !== undefined;
})();

describe("a log without its journal", () => {
	it.each([
		["empty", (): void => truncateSync(file, 0)],
		["missing", (): void => rmSync(file)],
	])("is refused by readers and writers where the journal is %s, and left as it is", async (what, lose) => {
		await makeUnmerged(undefined);
		const log = readFileSync(`${file}-wal`);
		lose();
		for (const open of [readJournal, openJournal]) {
			const { message, hint } = await refusal(() => open(file) as Promise<unknown>);
			expect(message).toContain(`it is ${what}, and its log ${file}-wal is not`);
			expect(hint).toContain("restore both from one backup");
			expect(readFileSync(`${file}-wal`).equals(log)).toBe(true);
			expect(existsSync(file)).toBe(what === "empty");
		}
	});
});

describe("a journal with other tables", () => {
	it.each([
		[
			"ALTER TABLE sent RENAME COLUMN activity_id TO activity_ie",
			"its table `sent` does not have the columns of version 7",
		],
		["ALTER TABLE votes DROP COLUMN voter", "its table `votes` does not have the columns of version 7"],
		["DROP TABLE runs", "its table `runs` does not have the columns of version 7"],
		["PRAGMA user_version = 8; DROP TABLE runs", "a newer orgsync wrote it"],
		["PRAGMA user_version = 3", "its table `runs` does not have the columns of version 3"],
		["PRAGMA user_version = 0", "it has no version"],
		["PRAGMA user_version = -1", "it has version -1, which no orgsync wrote"],
	])("is refused by readers and writers: %s", async (sql, because) => {
		(await openJournal(file)).close();
		const database = new DatabaseSync(file);
		database.exec(sql);
		database.close();
		for (const open of [readJournal, openJournal]) {
			expect((await refusal(() => open(file) as Promise<unknown>)).message).toContain(because);
		}
	});

	it("is read where it has a column more", async () => {
		const journal = await openJournal(file);
		await journal.recordSending(body, requestDigest, ["policy:1"], 1);
		journal.close();
		const database = new DatabaseSync(file);
		database.exec("ALTER TABLE sent ADD COLUMN more TEXT");
		database.close();
		expect(await countOpen()).toEqual([1, 1]);
	});
});

describe("a journal that was copied while it was written", () => {
	it("is refused if an index lacks a row, which would hide an open request", async () => {
		(await openJournal(file)).close();
		const before = readFileSync(file);
		const journal = await openJournal(file);
		await journal.recordSending(body, requestDigest, ["policy:1"], 1);
		journal.close();
		const database = new DatabaseSync(file);
		const size = Number(database.prepare("PRAGMA page_size").get()?.page_size);
		const indexes = database
			.prepare("SELECT rootpage FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'sent'")
			.all();
		database.close();
		const torn = readFileSync(file);
		for (const { rootpage } of indexes) {
			const at = (Number(rootpage) - 1) * size;
			before.copy(torn, at, at, at + size);
		}
		writeFileSync(file, torn);
		for (const open of [readJournal, openJournal]) {
			const { message, hint } = await refusal(() => open(file) as Promise<unknown>);
			expect(message).toMatch(/: it is damaged: .* index \w+$/);
			expect(hint).toContain("restore it from a backup");
			expect(hint).toContain("apply can submit the same change again");
		}
		expect(readFileSync(file).equals(torn)).toBe(true);
	});
});

describe("a journal whose log was not merged", () => {
	it.each([
		["at all", undefined],
		["because of a crash after the first page", 1],
		["because of a crash after three pages", 3],
	])("%s is recognized, with the requests in the log", async (_what, pages) => {
		await makeUnmerged(pages);
		expect(await countOpen()).toEqual([1, 1]);
	});

	it.runIf(canMount)("because the disk became full is recognized once there is space again", async () => {
		const mounted = mountSmall();
		if (mounted === undefined) throw new Error("a file system could be mounted a moment ago");
		try {
			file = join(mounted.path, "journal.sqlite");
			const journal = await openJournal(file);
			await journal.recordSending(body, requestDigest, ["policy:1"], 1);
			const fill = join(mounted.path, "fill");
			const kilobyte = Buffer.alloc(1024);
			expect(() => {
				for (;;) appendFileSync(fill, kilobyte);
			}).toThrow("ENOSPC");
			journal.close();
			const view = await readJournal(file);
			expect(view?.openEntries(organizationId).length).toBe(1);
			view?.close();
			const { hint } = await refusal(async () => {
				const full = await openJournal(file);
				await full.recordSending(body, "other", [], 1).finally(() => full.close());
			});
			expect(hint).not.toContain("--journal");
			rmSync(fill);
			expect(await countOpen()).toEqual([1, 1]);
		} finally {
			mounted.unmount();
		}
	});

	it("is recognized while another process merges it", async () => {
		const code = `
			const { DatabaseSync } = require("node:sqlite");
			const { workerData, parentPort } = require("node:worker_threads");
			const database = new DatabaseSync(workerData, { timeout: 10000 });
			database.exec("PRAGMA synchronous = OFF; CREATE TABLE more (text TEXT)");
			parentPort.postMessage("ready");
			const rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) SELECT zeroblob(4000) FROM n";
			for (let count = 0; count < 30; count += 1) {
				database.exec("INSERT INTO more " + rows + "; PRAGMA wal_checkpoint(TRUNCATE)");
				database.exec("DELETE FROM more; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
			}
			database.close();
		`;
		(await openJournal(file)).close();
		const other = new Worker(code, { eval: true, workerData: file });
		let isRunning = true;
		const ended = new Promise<void>((resolve) =>
			other.once("exit", () => {
				isRunning = false;
				resolve();
			}),
		);
		await new Promise((resolve) => other.once("message", resolve));
		while (isRunning) {
			(await readJournal(file))?.close();
			await new Promise((resolve) => setImmediate(resolve));
		}
		await ended;
	});
});

describe("a file that is no journal", () => {
	/** The database of another program, with its last write in the log. */
	function makeForeign(): void {
		const database = new DatabaseSync(file);
		database.exec("PRAGMA journal_mode = WAL; CREATE TABLE songs (name TEXT); INSERT INTO songs VALUES ('a')");
		copyFileSync(file, `${file}.copy`);
		copyFileSync(`${file}-wal`, `${file}.copy-wal`);
		database.close();
		file = `${file}.copy`;
	}

	it("but another program's database is refused and left as it is", async () => {
		makeForeign();
		const bytes = [readFileSync(file), readFileSync(`${file}-wal`)];
		for (const open of [openJournal, readJournal]) {
			expect((await refusal(() => open(file))).message).toContain("a SQLite database, but not a journal");
		}
		expect([readFileSync(file), readFileSync(`${file}-wal`)]).toEqual(bytes);
	});

	it.each([
		["trigger", "CREATE TRIGGER forget AFTER INSERT ON sent BEGIN DELETE FROM sent; END"],
		[
			"view",
			"DROP TABLE applied; CREATE VIEW applied AS WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x AS value FROM r",
		],
		["virtual table", "CREATE VIRTUAL TABLE more USING fts5(text)"],
	])("but a journal with a %s is refused, because orgsync makes none", async (kind, sql) => {
		(await openJournal(file)).close();
		const database = new DatabaseSync(file);
		database.exec(sql);
		database.close();
		for (const open of [openJournal, readJournal]) {
			const { message, hint } = await refusal(() => open(file));
			expect(message).toMatch(new RegExp(`it has the ${kind} \\w+, and orgsync makes tables and indexes only$`));
			expect(hint).toContain("restore it from a backup");
		}
	});

	it("because its log is a link is refused, and nothing is written through the link", async () => {
		await makeUnmerged(undefined);
		symlinkSync(join(folder, "nothing"), `${file}-shm`);
		for (const open of [openJournal, readJournal]) {
			expect((await refusal(() => open(file))).message).toContain("journal.sqlite-shm is a symbolic link");
		}
		expect(existsSync(join(folder, "nothing"))).toBe(false);
	});
});

describe("the hint for a journal that is damaged", () => {
	it("says what a new journal does not know", async () => {
		(await openJournal(file)).close();
		const bytes = readFileSync(file);
		for (const damaged of [bytes.subarray(0, 4096), Buffer.alloc(bytes.length, "x")]) {
			writeFileSync(file, damaged);
			for (const open of [openJournal, readJournal]) {
				const { hint } = await refusal(() => open(file));
				expect(hint).toContain("restore it from a backup");
				expect(hint).toContain("apply can submit the same change again");
			}
			expect(readFileSync(file).equals(damaged)).toBe(true);
		}
	});
});

describe("a database that another process locks", () => {
	it.each([
		["for itself alone", "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE"],
		["for writing", "BEGIN IMMEDIATE"],
	])("%s is waited for no longer than the busy timeout, and the hint names no other journal", async (_what, sql) => {
		const holder = new DatabaseSync(file);
		holder.exec(readFileSync(new URL("../../vectors/journal-version-1.sql", import.meta.url), "utf8"));
		holder.exec(sql);
		const begun = performance.now();
		const { message, hint } = await refusal(() => openJournal(file, { busyMs: 50 }));
		expect(performance.now() - begun).toBeLessThan(5000);
		holder.close();
		expect(message).toContain("database is locked");
		expect(hint).toBe("run the command again when the other process has ended");
	});
});

describe("reading a journal", () => {
	it("of an earlier version needs no folder for a copy", async () => {
		vi.stubEnv("TMPDIR", join(folder, "none"));
		const database = new DatabaseSync(file);
		database.exec(readFileSync(new URL("../../vectors/journal-version-1.sql", import.meta.url), "utf8"));
		database.close();
		const written = readFileSync(file);
		const journal = await readJournal(file);
		expect(journal?.openEntries(organizationId).length).toBe(2);
		journal?.close();
		expect(readFileSync(file).equals(written)).toBe(true);
	});
});
