/** Judges the tests of a room: draws a sample of mutants, and says which of them the tests notice. */
import { chmodSync, globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { LogLevel, Mutant, MutantResult } from "@stryker-mutator/api/core";
import { Stryker } from "@stryker-mutator/core";
import { type RoomName, rooms } from "./rooms.ts";
import { fromReport, keyOf, listMutants, root, sample, textLiterals } from "./sample.ts";
import { progress, sampleVariable } from "./stryker-plugins.ts";

type StrykerOptions = ConstructorParameters<typeof Stryker>[0];

export interface Question {
	readonly room: RoomName;
	/** How many mutants are drawn; all if there are fewer. */
	readonly cases: number;
	readonly seed: number;
	/** Only mutants in files whose path contains one of these are judged, of those that were drawn. All if there is none. */
	readonly files: readonly string[];
	/** How many processes run tests. */
	readonly concurrency: number;
	/** Called with how many mutants are left, after each. */
	readonly judged: (left: number) => void;
}

export interface Verdict {
	/** How many mutants the room has, without text literals. */
	readonly population: number;
	readonly mutants: readonly JudgedMutant[];
}

/** `error`: the mutant broke something outside of a test, so that nothing judged it. It is in no count. */
export type End = "killed" | "timeout" | "survived" | "no test" | "disabled" | "error";

export interface JudgedMutant {
	readonly end: End;
	/** `src/…:LINE:COLUMN`. */
	readonly place: string;
	readonly mutator: string;
	readonly replacement: string;
}

/** Judges the mutants of a sample by the tests of the room, and what survives by more tests. */
export async function judge(question: Question): Promise<Verdict> {
	const { room, files } = question;
	const all = await listMutants(
		globSync(`src/${room}/**/*.ts`, { cwd: root })
			.map((file) => join(root, file))
			.sort(),
	);
	const drawn = sample(all, question).filter(({ fileName }) => isAsked(fileName, files));
	const disabled = drawn.filter(({ status }) => status === "Ignored");
	const first = await runStryker(
		question,
		rooms[room].tests,
		drawn.filter((mutant) => !disabled.includes(mutant)),
	);
	const alive = first.filter(({ status }) => isAlive(status));
	const second = await runStryker(question, rooms[room].moreTests, alive);
	const killedLater = new Map(second.filter(({ status }) => !isAlive(status)).map((mutant) => [keyOf(mutant), mutant]));
	const ended = first.map((mutant) => killedLater.get(keyOf(mutant)) ?? mutant);
	return {
		population: all.length,
		mutants: [...ended.map(describe), ...disabled.map((mutant) => describe({ ...mutant, status: "Ignored" }))],
	};
}

async function runStryker(
	question: Question,
	tests: readonly string[],
	mutants: readonly Mutant[],
): Promise<MutantResult[]> {
	if (mutants.length === 0) return [];
	const { room, concurrency, judged } = question;
	const folder = mkdtempSync(join(tmpdir(), "orgsync-mutants-"));
	// As the copy of the sources in it: see the runner.
	chmodSync(folder, 0o755);
	const sampleFile = join(folder, "sample.json");
	writeFileSync(
		sampleFile,
		JSON.stringify(
			mutants.map(({ fileName, location, mutatorName, replacement }) => ({
				fileName,
				location,
				mutatorName,
				replacement,
			})),
		),
	);
	setEnvironment(room, tests, sampleFile);
	let left = mutants.length;
	progress.judged = () => {
		left -= 1;
		judged(left);
	};
	const keys = new Set(mutants.map(keyOf));
	try {
		const files = [...new Set(mutants.map(({ fileName }) => relative(root, fileName)))];
		const results = await new Stryker(optionsFor(room, files, folder, concurrency)).runMutationTest();
		return results.map(fromReport).filter((result) => keys.has(keyOf(result)));
	} finally {
		rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
	}
}

function optionsFor(room: RoomName, files: string[], folder: string, concurrency: number): StrykerOptions {
	return {
		testRunner: "sample",
		ignorers: ["sample"],
		reporters: ["sample"],
		plugins: [join(root, "test/mutants/stryker-plugins.ts")],
		// What Stryker loads by the name of an option is checked by the schema of the runner's package.
		...{ vitest: { configFile: "test/mutants/vitest.config.ts", related: false, pool: poolOf(room) } },
		coverageAnalysis: "perTest",
		mutate: files,
		mutator: { excludedMutations: textLiterals },
		ignorePatterns: ["dist", ".engine", "release", "sdk", "coverage"],
		tempDirName: join(folder, "sandbox"),
		disableTypeChecks: false,
		allowConsoleColors: false,
		logLevel: "error" as LogLevel,
		checkers: [],
		concurrency,
		timeoutMS: 12_000,
		dryRunTimeoutMinutes: 15,
	};
}

/** Threads start faster; tests that set the user or the mask of a process need one of their own. */
function poolOf(room: RoomName): "threads" | "forks" {
	return rooms[room].sharesModules ? "threads" : "forks";
}

/** Sets what Stryker's workers and the tests read. The same random cases in every run, and as many as on a developer's machine. */
function setEnvironment(room: RoomName, tests: readonly string[], sampleFile: string): void {
	process.env[sampleVariable] = sampleFile;
	process.env.ORGSYNC_MUTANTS_TESTS = tests.join(",");
	process.env.ORGSYNC_MUTANTS_FRESH_MODULES = rooms[room].sharesModules ? "0" : "1";
	process.env.ORGSYNC_POLICY_SEED = "1";
	delete process.env.CI;
}

function describe(mutant: MutantResult): JudgedMutant {
	const { start } = mutant.location;
	return {
		end: endOf(mutant.status),
		place: `${relative(root, mutant.fileName)}:${start.line + 1}:${start.column + 1}`,
		mutator: mutant.mutatorName,
		replacement: mutant.replacement,
	};
}

function endOf(status: MutantResult["status"]): End {
	const ends: Partial<Record<MutantResult["status"], End>> = {
		Killed: "killed",
		Timeout: "timeout",
		Survived: "survived",
		NoCoverage: "no test",
		Ignored: "disabled",
	};
	return ends[status] ?? "error";
}

function isAlive(status: MutantResult["status"]): boolean {
	return status === "Survived" || status === "NoCoverage";
}

function isAsked(fileName: string, files: readonly string[]): boolean {
	return files.length === 0 || files.some((file) => fileName.includes(file));
}
