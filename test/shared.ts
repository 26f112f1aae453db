/**
 * One folder for a run of the tests. Its `shared` has what is expensive to make and the same for all test files: the installed
 * package, a new stack. Its `tmp` is the temporary folder of all tests and of what they start. It is gone when the run ends, and
 * a run that leaves something there, a process, or a file in the clone fails.
 */
import {
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { beginList, leftOut } from "./left-out.ts";
import { endProcesses, findLeftovers, readClone } from "./leftovers.ts";
import { memory, quickFolder } from "./quick-folder.ts";

declare module "vitest" {
	interface ProvidedContext {
		/** The shared folder of this run; see test/shared.ts. */
		sharedFolder: string;
	}
}

const prefix = "orgsync-tests-";

/** In a run's folder: the folders that Vitest makes for itself in the temporary folder, one path a line. */
const vitestFolders = "vitest-folders";

/** The variables that name the temporary folder: the first on POSIX systems, the others on Windows. */
const temporaryVariables = ["TMPDIR", "TEMP", "TMP"];

/** The variables that every process of a test has: by which its leftovers are found. On Windows, also those of its own programs. */
export function variablesOfRun(): Readonly<Record<string, string>> {
	const names = [...temporaryVariables, "ORGSYNC_TEST_RUN", "SystemRoot"];
	return Object.fromEntries(Object.entries(process.env).filter(([name]) => names.includes(name))) as Record<
		string,
		string
	>;
}

/** What Node compiled is kept from run to run: it is found by its content. */
export const compiledFolder = fileURLToPath(new URL("../node_modules/.cache/orgsync-tests", import.meta.url));

/** Makes the folder before the first test file starts; returns what removes it and says what was left out and left behind. */
export default function setUp({ provide, vitest }: TestProject): () => Promise<void> {
	removeAbandoned();
	const folder = realpathSync(mkdtempSync(join(quickFolder(), `${prefix}${process.pid}-`)));
	const [shared, temporary] = ["shared", "tmp"].map((name) => join(folder, name)) as [string, string];
	for (const each of [shared, temporary, compiledFolder]) mkdirSync(each, { recursive: true });
	// Some tests run a program as another user.
	chmodSync(folder, 0o755);
	chmodSync(temporary, 0o1777);
	const own = [vitest.getRootProject(), ...vitest.projects].map(({ tmpDir }) => tmpDir);
	writeFileSync(join(folder, vitestFolders), own.join("\n"));
	provide("sharedFolder", shared);
	beginList(join(folder, "left-out"));
	const marker = `ORGSYNC_TEST_RUN=${folder}`;
	const clone = readClone();
	// For the workers, and for what they start with their own environment.
	const restore = setEnvironment({
		...Object.fromEntries(temporaryVariables.map((name) => [name, temporary])),
		NODE_COMPILE_CACHE: compiledFolder,
		ORGSYNC_TEST_RUN: folder,
	});
	// Ctrl-C ends Vitest without the tear-down.
	const interrupt = (): void => {
		endProcesses(marker);
		removeRun(folder);
	};
	process.once("exit", interrupt);
	return async () => {
		for (const line of leftOut()) process.stdout.write(`${line}\n`);
		const left = await findLeftovers(temporary, marker, clone);
		rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
		process.off("exit", interrupt);
		restore();
		if (left.length === 0) return;
		const error = new Error(`the tests left behind:\n${left.map((line) => `  ${line}`).join("\n")}`);
		error.stack = error.message;
		throw error;
	};
}

/** Sets these variables; returns what sets them back. */
function setEnvironment(variables: Readonly<Record<string, string>>): () => void {
	const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
	Object.assign(process.env, variables);
	return () => {
		for (const [name, value] of before) {
			if (value === undefined) delete process.env[name];
			else process.env[name] = value;
		}
	};
}

/** Removes all that a run left that did not come to its end. */
function removeRun(folder: string): void {
	const list = join(folder, vitestFolders);
	const others = existsSync(list) ? readFileSync(list, "utf8").split("\n") : [];
	for (const path of [...others, folder])
		rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/** Removes folders of runs that were killed. */
function removeAbandoned(): void {
	for (const place of [tmpdir(), memory].filter((one) => existsSync(one))) {
		for (const name of readdirSync(place)) {
			const [, pid] = new RegExp(`^${prefix}(\\d+)-`).exec(name) ?? [];
			if (pid !== undefined && !isAlive(Number(pid))) removeRun(join(place, name));
		}
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

/** Returns `NAME` in the shared folder; the first to ask makes it, and others wait until it is there. */
export async function makeOnce(
	shared: string,
	name: string,
	make: (folder: string) => Promise<void> | void,
): Promise<string> {
	const folder = join(shared, name);
	const making = `${folder}.making`;
	// Where a maker fails, the next one tries.
	while (mkdirSync(making, { recursive: true }) === undefined) await setTimeout(50);
	try {
		if (existsSync(folder)) return folder;
		await make(making);
		renameSync(making, folder);
	} finally {
		rmSync(making, { recursive: true, force: true });
	}
	return folder;
}
