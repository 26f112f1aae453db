/** Files that orgsync keeps for itself are private to their owner from the first moment. */
import { spawnSync } from "node:child_process";
import fs, {
	chmodSync,
	chownSync,
	existsSync,
	linkSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { StorageError } from "../src/common/errors.ts";
import { makePrivate } from "../src/common/private-file.ts";
import { onPosix } from "./needs.ts";

// A file system that refuses or ignores chmod cannot be mounted by a test.
const chmod = vi.spyOn(fs, "chmodSync");
syncBuiltinESMExports();
afterAll(() => {
	chmod.mockRestore();
	syncBuiltinESMExports();
});

const isRoot = process.geteuid?.() === 0;
let folder: string;
let file: string;
let notices: string[];
const notice = (text: string) => notices.push(text);
const modeOf = (path: string) => statSync(path).mode & 0o7777;

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "orgsync-private-"));
	file = join(folder, "kept.sqlite");
	notices = [];
	chmod.mockClear();
});

afterEach(() => {
	chmod.mockReset();
	rmSync(folder, { recursive: true, force: true });
});

function writeWith(path: string, mode: number, content = "kept"): void {
	writeFileSync(path, content);
	chmodSync(path, mode);
	chmod.mockClear();
}

function refusal(path: string): StorageError {
	try {
		makePrivate(path, notice);
	} catch (error) {
		if (error instanceof StorageError) return error;
		throw error;
	}
	throw new Error("makePrivate accepted the file");
}

describe.runIf(onPosix)("makePrivate", () => {
	it("creates a missing file and its folders for their owner alone", () => {
		const path = join(folder, "deep/er/kept.sqlite");
		makePrivate(path, notice);
		expect([modeOf(path), modeOf(join(folder, "deep")), modeOf(join(folder, "deep/er"))]).toEqual([
			0o600, 0o700, 0o700,
		]);
		expect(readFileSync(path, "utf8")).toBe("");
		expect(notices).toEqual([]);
	});

	it("needs no change of mode for a new file, whatever the umask: there is no moment in which others can open it", () => {
		const program = `
			import fs from "node:fs";
			import { syncBuiltinESMExports } from "node:module";
			fs.chmodSync = () => { throw new Error("chmod was called"); };
			syncBuiltinESMExports();
			process.umask(0);
			const { makePrivate } = await import(process.argv[1]);
			makePrivate(process.argv[2], (text) => { throw new Error(text); });
		`;
		const source = new URL("../src/common/private-file.ts", import.meta.url).href;
		const run = spawnSync(process.execPath, ["--input-type=module", "-e", program, source, file], { encoding: "utf8" });
		expect(run.stderr.replaceAll(/.*Warning.*\n/g, "")).toBe("");
		expect(modeOf(file)).toBe(0o600);
	});

	it("leaves a private file as it is and says nothing", () => {
		writeWith(file, 0o600);
		makePrivate(file, notice);
		expect([readFileSync(file, "utf8"), modeOf(file), notices]).toEqual(["kept", 0o600, []]);
		expect(chmod).not.toHaveBeenCalled();
	});

	it.each([0o644, 0o660, 0o604, 0o664, 0o755])("tightens an own file of mode %o and says so once", (mode) => {
		writeWith(file, mode);
		makePrivate(file, notice);
		makePrivate(file, notice);
		expect(modeOf(file)).toBe(0o600);
		expect(notices).toEqual([
			`${file} was open to other users (mode 0${mode.toString(8)}); orgsync changed its mode to 0600`,
		]);
	});

	it("tightens the files that SQLite keeps beside a database, and creates none", () => {
		writeWith(file, 0o600);
		for (const suffix of ["-wal", "-shm"]) writeWith(file + suffix, 0o644);
		makePrivate(file, notice);
		expect([modeOf(`${file}-wal`), modeOf(`${file}-shm`), notices.length]).toEqual([0o600, 0o600, 2]);
		expect(existsSync(`${file}-journal`)).toBe(false);
	});

	it("keeps the locks that SQLite holds on the file in this process", () => {
		makePrivate(file, notice);
		const database = new DatabaseSync(file);
		try {
			database.exec("CREATE TABLE held (value TEXT); BEGIN EXCLUSIVE");
			chmodSync(file, 0o644);
			makePrivate(file, notice);
			const program =
				"const { DatabaseSync } = require('node:sqlite'); new DatabaseSync(process.argv[1]).exec('BEGIN IMMEDIATE')";
			const other = spawnSync(process.execPath, ["-e", program, file], { encoding: "utf8" });
			expect(other.stderr).toContain("database is locked");
		} finally {
			database.close();
		}
	});

	it("refuses a symbolic link, also one to nowhere, and leaves its target alone", () => {
		const target = join(folder, "target");
		writeWith(target, 0o644);
		symlinkSync(target, file);
		expect(refusal(file).message).toBe(`${file} is a symbolic link`);
		expect(modeOf(target)).toBe(0o644);
		const dangling = join(folder, "dangling");
		symlinkSync(join(folder, "nowhere"), dangling);
		expect(refusal(dangling).message).toBe(`${dangling} is a symbolic link`);
		expect(existsSync(join(folder, "nowhere"))).toBe(false);
	});

	it("refuses a file with another name, and one beside a database", () => {
		writeWith(file, 0o600);
		linkSync(file, join(folder, "other"));
		expect(refusal(file).message).toBe(`${file} has 2 hard links, and orgsync's own files may have one name only`);
		rmSync(join(folder, "other"));
		expect(() => makePrivate(file, () => undefined)).not.toThrow();
		writeWith(`${file}-wal`, 0o600);
		linkSync(`${file}-wal`, join(folder, "log"));
		expect(refusal(file).message).toContain(`${file}-wal has 2 hard links`);
	});

	it("refuses what is no regular file", () => {
		mkdirSync(file);
		expect(refusal(file).message).toBe(`${file} is not a regular file`);
		expect(refusal("/dev/null").message).toBe("/dev/null is not a regular file");
	});

	it("refuses a symbolic link in the place of a file that SQLite keeps beside a database", () => {
		writeWith(file, 0o600);
		symlinkSync(join(folder, "elsewhere"), `${file}-wal`);
		expect(refusal(file).message).toBe(`${file}-wal is a symbolic link`);
	});

	it("refuses a file of another user and names both users", () => {
		const foreign = isRoot ? file : "/etc/passwd";
		if (isRoot) {
			writeWith(file, 0o600);
			chownSync(file, 12_345, 12_345);
		}
		const error = refusal(foreign);
		expect(error.message).toBe(
			`${foreign} belongs to another user (uid ${isRoot ? 12_345 : 0}; orgsync runs as uid ${process.geteuid?.()})`,
		);
		expect(error.hint).toBe("run orgsync as that user, or give another path");
		expect(chmod).not.toHaveBeenCalled();
	});

	it("refuses a folder that everyone can write, and takes one with the sticky bit", () => {
		const shared = join(folder, "shared");
		mkdirSync(shared);
		chmodSync(shared, 0o777);
		const error = refusal(join(shared, "kept.sqlite"));
		expect(error.message).toBe(`every user can replace files in the folder ${shared} (mode 0777)`);
		expect(error.hint).toBe(`run: chmod o-w ${shared}`);
		expect(existsSync(join(shared, "kept.sqlite"))).toBe(false);
		chmodSync(shared, 0o1777);
		makePrivate(join(shared, "kept.sqlite"), notice);
		expect(modeOf(join(shared, "kept.sqlite"))).toBe(0o600);
	});

	it("warns where the file system refuses or ignores the change of mode", () => {
		writeWith(file, 0o640);
		chmod.mockImplementation(() => undefined);
		makePrivate(file, notice);
		chmod.mockImplementation(() => {
			throw Object.assign(new Error("EPERM"), { code: "EPERM" });
		});
		makePrivate(file, notice);
		expect(notices).toEqual([
			`warning: other users may read or write ${file} (mode 0640), and the file system ignores changes of its mode`,
			`warning: other users may read or write ${file} (mode 0640), and its mode cannot be changed: permission is denied`,
		]);
	});

	it.each([
		0o666, 0o602, 0o777,
	])("refuses a file of mode %o, which everyone could have written, and leaves it as it is", (mode) => {
		writeWith(file, mode);
		const error = refusal(file);
		expect(error.message).toBe(`every user can write ${file} (mode 0${mode.toString(8)})`);
		expect(error.hint).toBe(`if you trust what is in it: chmod 600 ${file}; if not, restore it from a backup`);
		expect(modeOf(file)).toBe(mode);
	});

	it("says why where the file cannot be created", () => {
		writeWith(join(folder, "plain"), 0o600);
		expect(refusal(join(folder, "plain/inner/kept.sqlite")).message).toBe(
			`${join(folder, "plain/inner/kept.sqlite")} cannot be kept private: something in its path is no folder`,
		);
	});
});
