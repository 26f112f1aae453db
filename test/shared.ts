/**
 * One folder for a run of the tests. Its `shared` has what is expensive to make and the same for all test files: the installed
 * package, a new stack. Its `tmp` is the temporary folder of all tests and of what they start. It is gone when the run ends, and
 * a run that leaves something there, a process, or a file in the clone fails.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { beginList, leftOut } from "./left-out.ts";
import { findLeftovers, readClone } from "./leftovers.ts";

declare module "vitest" {
	interface ProvidedContext {
		/** The shared folder of this run; see test/shared.ts. */
		sharedFolder: string;
	}
}

const prefix = "orgsync-tests-";

/** What Node compiled is kept from run to run: it is found by its content. */
export const compiledFolder = fileURLToPath(new URL("../node_modules/.cache/orgsync-tests", import.meta.url));

/** Makes the folder before the first test file starts; returns what removes it and says what was left out and left behind. */
export default function setUp({ provide }: TestProject): () => Promise<void> {
	removeAbandoned();
	const folder = realpathSync(mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`)));
	const [shared, temporary] = ["shared", "tmp"].map((name) => join(folder, name)) as [string, string];
	for (const each of [shared, temporary, compiledFolder]) mkdirSync(each, { recursive: true });
	// Some tests run a program as another user.
	chmodSync(folder, 0o755);
	chmodSync(temporary, 0o1777);
	provide("sharedFolder", shared);
	beginList(join(folder, "left-out"));
	// For the workers, and for what they start with their own environment.
	const before = { TMPDIR: process.env.TMPDIR, clone: readClone() };
	process.env.TMPDIR = temporary;
	process.env.NODE_COMPILE_CACHE = compiledFolder;
	process.env.ORGSYNC_TEST_RUN = folder;
	return async () => {
		for (const line of leftOut()) process.stdout.write(`${line}\n`);
		const left = await findLeftovers(temporary, `ORGSYNC_TEST_RUN=${folder}`, before.clone);
		rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
		if (before.TMPDIR === undefined) delete process.env.TMPDIR;
		else process.env.TMPDIR = before.TMPDIR;
		if (left.length === 0) return;
		const error = new Error(`the tests left behind:\n${left.map((line) => `  ${line}`).join("\n")}`);
		error.stack = error.message;
		throw error;
	};
}

/** Removes folders of runs that were killed. */
function removeAbandoned(): void {
	for (const name of readdirSync(tmpdir())) {
		const [, pid] = new RegExp(`^${prefix}(\\d+)-`).exec(name) ?? [];
		if (pid === undefined || isAlive(Number(pid))) continue;
		rmSync(join(tmpdir(), name), { recursive: true, force: true });
	}
}

function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as { code?: string }).code === "EPERM";
	}
}

/**
 * Returns `NAME` in the shared folder; the first to ask makes it. Two that ask at the same time both make one in a folder
 * of their own, and one of them gets the name.
 */
export async function makeOnce(
	shared: string,
	name: string,
	make: (folder: string) => Promise<void> | void,
): Promise<string> {
	const folder = join(shared, name);
	if (existsSync(folder)) return folder;
	const making = mkdtempSync(join(shared, "making-"));
	await make(making);
	try {
		renameSync(making, folder);
	} catch (error) {
		if (!existsSync(folder)) throw error;
		rmSync(making, { recursive: true });
	}
	return folder;
}
