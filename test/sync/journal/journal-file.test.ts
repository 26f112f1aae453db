/** The journal's file: private, not tracked by git, readable where nothing can be written, and carried forward. */
import { execFileSync, spawnSync } from "node:child_process";
import {
	chmodSync,
	copyFileSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	renameSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { StorageError } from "../../../src/common/errors.ts";
import { openJournal, readJournal } from "../../../src/sync/journal/file.ts";
import { isTrackedByGit } from "../../../src/sync/journal/git-index.ts";
import { requestDigestOf } from "../../../src/sync/journal/journal.ts";
import { submits } from "../../../src/wire/operations.ts";
import { encodeSubmit } from "../../../src/wire/request-body.ts";
import { havePrograms } from "../../needs.ts";
import { id, organizationId } from "../../plan/support-organizations.ts";

const parameters = { policyIds: [id("policy", 1)] };
const body = encodeSubmit(submits.delete_policies, organizationId, parameters, 1_767_225_600_000);
const requestDigest = requestDigestOf(organizationId, "delete_policies", parameters);

let folder: string;
let file: string;

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "orgsync-journal-file-"));
	file = join(folder, ".orgsync", "journal.sqlite");
});
afterEach(() => {
	vi.restoreAllMocks();
	rmSync(folder, { recursive: true, force: true });
});

/** A journal in which one request is in flight. */
async function makeJournal(): Promise<void> {
	const journal = await openJournal(file);
	await journal.recordSending(body, requestDigest, ["policy:1"], 1);
	journal.close();
}

async function refusal(open: () => Promise<unknown>): Promise<StorageError> {
	const error: unknown = await open().catch((thrown: unknown) => thrown);
	expect(error).toBeInstanceOf(StorageError);
	return error as StorageError;
}

const hasGit = havePrograms("the tests of a journal that git tracks", "git");

function git(...words: readonly string[]): void {
	const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
	const identity = ["-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "protocol.file.allow=always"];
	execFileSync("git", [...identity, ...words], { cwd: folder, env, stdio: "pipe" });
}

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe("the file of a journal", () => {
	it("is its owner's alone from the first moment, and so is what SQLite keeps beside it", async () => {
		const before = process.umask(0);
		try {
			const journal = await openJournal(file);
			await journal.recordSending(body, requestDigest, [], 1);
			expect([modeOf(file), modeOf(`${file}-wal`), modeOf(`${file}-shm`)]).toEqual([0o600, 0o600, 0o600]);
			journal.close();
		} finally {
			process.umask(before);
		}
	});

	it.runIf(hasGit)(
		"comes with a .gitignore in the folder that orgsync creates, so that it is not committed by accident",
		async () => {
			(await openJournal(file)).close();
			git("init", "-q");
			git("add", "-A");
			expect(isTrackedByGit(file)).toBe(false);
			const elsewhere = join(folder, "state", "journal.sqlite");
			(await openJournal(elsewhere)).close();
			expect(readdirSync(join(folder, "state"))).toEqual(["journal.sqlite"]);
		},
	);

	it("is tightened with a notice if others can read it, also for commands that only read", async () => {
		await makeJournal();
		for (const open of [openJournal, readJournal]) {
			chmodSync(file, 0o644);
			const notices: string[] = [];
			(await open(file, { notice: (text) => notices.push(text) }))?.close();
			expect(modeOf(file)).toBe(0o600);
			expect(notices).toEqual([`${file} was open to other users (mode 0644); orgsync changed its mode to 0600`]);
		}
	});

	it("is refused when everyone could have written it", async () => {
		await makeJournal();
		chmodSync(file, 0o666);
		for (const open of [openJournal, readJournal]) {
			expect((await refusal(() => open(file))).message).toContain("every user can write");
		}
	});

	it("is not changed if it is no journal", async () => {
		mkdirSync(join(folder, ".orgsync"));
		writeFileSync(file, "organizationId: this is a document\n".repeat(40), { mode: 0o644 });
		chmodSync(file, 0o644);
		await refusal(() => openJournal(file));
		await refusal(() => readJournal(file));
		expect(modeOf(file)).toBe(0o644);
	});

	it("does not count as missing if a part of its path is a file or a link to itself, or it is a link to nothing", async () => {
		const beside = join(folder, "beside");
		writeFileSync(beside, "");
		symlinkSync("loop", join(folder, "loop"));
		symlinkSync("nothing", join(folder, "dangling"));
		for (const [path, reason] of [
			[join(beside, "journal.sqlite"), "something in its path is no folder"],
			[join(folder, "loop", "journal.sqlite"), "it is a symbolic link to itself"],
			[join(folder, "dangling"), "is a symbolic link"],
		] as const) {
			for (const open of [openJournal, readJournal]) {
				const { message } = await refusal(() => open(path));
				expect(message).toContain(`the journal ${path} cannot be opened: `);
				expect(message).toContain(reason);
			}
		}
	});

	it.runIf(process.getuid?.() === 0)("does not count as missing in a folder of another user", () => {
		mkdirSync(join(folder, ".orgsync"), { mode: 0o700 });
		chmodSync(folder, 0o755);
		const source = new URL("../../../src/sync/journal/file.ts", import.meta.url).href;
		const program = `
			process.setuid(65534);
			const { readJournal, openJournal } = await import(process.argv[1]);
			for (const open of [readJournal, openJournal]) {
				console.log(await open(process.argv[2]).then((found) => String(found), (error) => error.name + " " + error.message));
			}
		`;
		const words = ["--input-type=module", "-e", program, source, file];
		const { stdout } = spawnSync(process.execPath, words, { encoding: "utf8" });
		const line = `StorageError the journal ${file} cannot be opened: permission is denied\n`;
		expect(stdout).toBe(line + line);
	});

	it("is undefined for reading if there is none, and none is created", async () => {
		expect(await readJournal(file)).toBeUndefined();
		expect(existsSync(file)).toBe(false);
	});
});

describe.runIf(hasGit)("a journal that git tracks", () => {
	/** Adds everything there is, the journal too. */
	function track(...words: readonly string[]): void {
		rmSync(join(folder, ".orgsync", ".gitignore"), { force: true });
		git("init", "-q", ...words);
		for (let count = 0; count < 40; count += 1) writeFileSync(join(folder, `${"x".repeat(count)}.txt`), "");
		git("add", "-A");
	}

	it("is refused, unless the operator names it", async () => {
		await makeJournal();
		track();
		for (const open of [openJournal, readJournal]) {
			const { message, hint } = await refusal(() => open(file));
			expect(message).toContain("is tracked by git");
			expect(hint).toContain("--journal");
			(await open(file, { isNamed: true }))?.close();
		}
	});

	it.each([
		["an index of version 2", () => track()],
		[
			"an index of version 4",
			() => {
				track();
				git("update-index", "--index-version", "4");
			},
		],
		[
			"an index with intent-to-add, version 3",
			() => {
				rmSync(join(folder, ".orgsync", ".gitignore"));
				git("init", "-q");
				git("add", "-N", ".");
			},
		],
		[
			"a split index",
			() => {
				track();
				git("update-index", "--split-index");
				writeFileSync(join(folder, "later.txt"), "");
				git("add", "later.txt");
			},
		],
		["a repository of SHA-256", () => track("--object-format=sha256")],
		[
			"another case of its name",
			() => {
				rmSync(join(folder, ".orgsync", ".gitignore"));
				renameSync(join(folder, ".orgsync"), join(folder, ".OrgSync"));
				track();
				git("config", "core.ignorecase", "true");
				renameSync(join(folder, ".OrgSync"), join(folder, ".orgsync"));
			},
		],
		[
			"a file that SQLite keeps beside it",
			() => {
				renameSync(file, `${file}-wal`);
				track();
				writeFileSync(file, "");
			},
		],
		[
			"a folder that leads to a tracked one",
			() => {
				rmSync(join(folder, ".orgsync", ".gitignore"));
				renameSync(join(folder, ".orgsync"), join(folder, "elsewhere"));
				track();
				rmSync(join(folder, ".git", "info"), { recursive: true });
				git("rm", "-q", "--cached", "--ignore-unmatch", ".orgsync");
				symlinkSync("elsewhere", join(folder, ".orgsync"));
			},
		],
	])("is found in %s", async (_what, prepare) => {
		await makeJournal();
		prepare();
		expect((await refusal(() => openJournal(file))).message).toContain("is tracked by git");
	});

	it("is found where GIT_DIR, GIT_WORK_TREE and GIT_INDEX_FILE name the repository elsewhere", async () => {
		await makeJournal();
		track();
		const elsewhere = mkdtempSync(join(tmpdir(), "orgsync-git-"));
		onTestFinished(() => rmSync(elsewhere, { recursive: true }));
		const [GIT_DIR, GIT_INDEX_FILE] = [join(elsewhere, "store"), join(elsewhere, "names")];
		renameSync(join(folder, ".git"), GIT_DIR);
		const environment = { GIT_DIR, GIT_WORK_TREE: folder };
		expect(isTrackedByGit(file, {})).toBe(false);
		expect(isTrackedByGit(file, environment)).toBe(true);
		expect((await refusal(() => openJournal(file, { environment }))).message).toContain("is tracked by git");
		expect(isTrackedByGit(join(elsewhere, "other.sqlite"), environment)).toBe(false);
		expect(isTrackedByGit(file, { GIT_DIR })).toBe(false);
		execFileSync("git", ["config", "--file", join(GIT_DIR, "config"), "core.worktree", folder]);
		expect(isTrackedByGit(file, { GIT_DIR })).toBe(true);
		expect(isTrackedByGit(file, { GIT_DIR, GIT_WORK_TREE: elsewhere })).toBe(false);
		execFileSync("git", ["config", "--file", join(GIT_DIR, "config"), "--unset", "core.worktree"]);
		renameSync(join(GIT_DIR, "index"), GIT_INDEX_FILE);
		expect(isTrackedByGit(file, environment)).toBe(false);
		expect(isTrackedByGit(file, { ...environment, GIT_INDEX_FILE })).toBe(true);
		renameSync(GIT_DIR, join(folder, ".git"));
		expect(isTrackedByGit(file, { GIT_INDEX_FILE })).toBe(true);
	});

	it("is found from a work tree of its own and from inside a submodule", async () => {
		await makeJournal();
		track();
		git("commit", "-q", "-m", "all");
		const tree = join(folder, "tree");
		git("worktree", "add", "-q", tree);
		expect(isTrackedByGit(join(tree, ".orgsync", "journal.sqlite"))).toBe(true);
		const outer = mkdtempSync(join(tmpdir(), "orgsync-outer-"));
		try {
			execFileSync("git", ["init", "-q"], { cwd: outer });
			const words = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", folder, "inner"];
			execFileSync("git", words, { cwd: outer, stdio: "pipe" });
			expect(isTrackedByGit(join(outer, "inner", ".orgsync", "journal.sqlite"))).toBe(true);
			expect(isTrackedByGit(join(outer, "inner", "new.sqlite"))).toBe(true);
			expect(isTrackedByGit(join(outer, "new.sqlite"))).toBe(false);
		} finally {
			rmSync(outer, { recursive: true, force: true });
		}
	});

	it("is not an ignored file, and not one outside a repository", async () => {
		await makeJournal();
		expect(isTrackedByGit(file)).toBe(false);
		git("init", "-q");
		git("add", "-A");
		expect(isTrackedByGit(file)).toBe(false);
		(await openJournal(file)).close();
	});

	it("cannot be excluded with an unreadable index: the journal is refused", async () => {
		await makeJournal();
		git("init", "-q");
		for (const bytes of ["", "DIRC", `DIRC${"\0".repeat(40)}`, "no index at all, but long enough to be one of them"]) {
			writeFileSync(join(folder, ".git", "index"), bytes);
			expect((await refusal(() => openJournal(file))).message).toContain("cannot be read");
		}
	});
});

describe("a journal where nothing can be written", () => {
	/** What a process says that cannot write there: as another user when this one may write everywhere. */
	function look(path: string): string {
		const source = new URL("../../../src/sync/journal/file.ts", import.meta.url).href;
		const program = `
			process.setuid?.(65534);
			const { readJournal, openJournal } = await import(process.argv[1]);
			const view = await readJournal(process.argv[2]);
			const open = view.openEntries(process.argv[3]).length;
			view.close();
			const failed = await openJournal(process.argv[2]).then(() => "written", (error) => error.name);
			console.log(open + " " + failed);
		`;
		const words = ["--input-type=module", "-e", program, source, path, organizationId];
		const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
		return stdout === "" ? stderr : stdout;
	}

	it.runIf(process.getuid?.() === 0).each([
		["with nothing beside it", async () => makeJournal()],
		[
			"with a log beside it that holds the last writes",
			async () => {
				const journal = await openJournal(file);
				await journal.recordSending(body, requestDigest, [], 1);
				const copies = ["", "-wal"].map((suffix) => [file + suffix, `${file}${suffix}.copy`] as const);
				for (const [from, to] of copies) copyFileSync(from, to);
				journal.close();
				for (const [from, to] of copies) renameSync(to, from);
			},
		],
	])("can be read %s, and is refused for writing", async (_what, prepare) => {
		await prepare();
		execFileSync("chown", ["-R", "65534", folder]);
		for (const [path, mode] of [
			[file, 0o400],
			[join(folder, ".orgsync"), 0o500],
			[folder, 0o555],
		] as const) {
			chmodSync(path, mode);
		}
		expect(look(file)).toBe("1 StorageError\n");
	});
});

describe("the writes of a journal", () => {
	/** Returns what `PRAGMA synchronous` is at each commit from now on: 1 is NORMAL, 2 is FULL. */
	function watchCommits(): readonly unknown[] {
		const modes: unknown[] = [];
		const { exec } = DatabaseSync.prototype;
		vi.spyOn(DatabaseSync.prototype, "exec").mockImplementation(function (this: DatabaseSync, sql: string) {
			if (sql === "COMMIT") modes.push(this.prepare("PRAGMA synchronous").get()?.synchronous);
			return exec.call(this, sql);
		});
		return modes;
	}

	it("that no request needs wait for no disk, also before the first request", async () => {
		const journal = await openJournal(file);
		const modes = watchCommits();
		journal.recordApplied(organizationId, []);
		expect(modes).toEqual([1]);
		journal.close();
	});

	it("survive a power cut before anything is sent: they are committed with synchronous FULL", async () => {
		const journal = await openJournal(file);
		const modes = watchCommits();
		await journal.recordSending(body, requestDigest, [], 1);
		expect(modes).toEqual([2]);
		journal.recordOutcome(body.fingerprint, "completed", null, 2);
		expect(modes).toEqual([2, 1]);
		journal.close();
	});

	it("of one organization that fail do not fail those that share their transaction", async () => {
		const journal = await openJournal(file);
		const others = [2, 3].map((number) => {
			const other = { policyIds: [id("policy", number)] };
			const bytes = encodeSubmit(submits.delete_policies, organizationId, other, 1);
			return journal.recordSending(bytes, requestDigestOf(organizationId, "delete_policies", other), [], 1);
		});
		const failing = journal.claim(requestDigest, () => {
			throw new Error("no room");
		});
		await expect(failing).rejects.toThrow("no room");
		expect(await Promise.all(others)).toEqual([true, true]);
		expect(journal.openEntries(organizationId).length).toBe(2);
		journal.close();
	});

	it("wait for another process that is writing", async () => {
		const journal = await openJournal(file);
		const code = `
			const { DatabaseSync } = require("node:sqlite");
			const { workerData, parentPort } = require("node:worker_threads");
			const database = new DatabaseSync(workerData);
			database.exec("BEGIN IMMEDIATE");
			parentPort.postMessage("locked");
			Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
			database.exec("COMMIT");
			database.close();
		`;
		const other = new Worker(code, { eval: true, workerData: file });
		const ended = new Promise((resolve) => other.once("exit", resolve));
		await new Promise((resolve) => other.once("message", resolve));
		expect(await journal.recordSending(body, requestDigest, [], 1)).toBe(true);
		await ended;
		journal.close();
	});

	it("of an outcome and of the last-applied state happen together or not at all", async () => {
		const journal = await openJournal(file);
		await journal.recordSending(body, requestDigest, [], 1);
		const fail = () => {
			throw new Error("killed");
		};
		expect(() => journal.recordOutcome(body.fingerprint, "completed", "activity", 2, fail)).toThrow("killed");
		expect(journal.entry(body.fingerprint)).toMatchObject({ outcome: "in-flight", activityId: null });
		const removed = { kind: "policy", id: id("policy", 1), value: { appliedAt: "2026-01-01" } } as const;
		journal.recordOutcome(body.fingerprint, "completed", "activity", 2, () => [removed]);
		expect(journal.entry(body.fingerprint)?.outcome).toBe("completed");
		expect(Object.keys(journal.lastApplied(organizationId).removed.policy ?? {})).toEqual([id("policy", 1)]);
		journal.close();
	});

	it("that fail leave the journal usable and give SQLite's reason", async () => {
		const journal = await openJournal(file);
		const other = new DatabaseSync(file);
		other.exec(`CREATE TRIGGER full BEFORE INSERT ON applied WHEN new.id = 'x'
			BEGIN SELECT RAISE(ROLLBACK, 'database or disk is full'); END`);
		other.close();
		const remember = (one: string) =>
			journal.recordApplied(organizationId, [{ kind: "policy", id: one, value: { appliedAt: "" } }]);
		// The transaction has already ended: there is none to roll back.
		expect(() => remember("x")).toThrow(/cannot be used: database or disk is full$/);
		remember("y");
		expect(Object.keys(journal.lastApplied(organizationId).removed.policy ?? {})).toEqual(["y"]);
		journal.close();
	});
});
