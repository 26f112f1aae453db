/** Judges the tests of a room: draws a sample of mutants, and says which of them the tests notice. */
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { LogLevel, Mutant, MutantResult } from "@stryker-mutator/api/core";
import { Stryker } from "@stryker-mutator/core";
import { root } from "../../scripts/manifest.ts";
import { makeFolder } from "../prove/leftovers.ts";
import type { Round } from "./rooms.ts";
import { fromReport, keyOf, listMutants, sample, textLiterals } from "./sample.ts";
import { progress, sampleVariable } from "./stryker-plugins.ts";

type StrykerOptions = ConstructorParameters<typeof Stryker>[0];

export interface Question {
	/** Paths of the sources below the root of the repository. */
	readonly sources: readonly string[];
	readonly rounds: readonly Round[];
	/** How many mutants are drawn; all if there are fewer. */
	readonly cases: number;
	readonly seed: number;
	/** Only mutants in files whose path contains one of these are judged, of those that were drawn. All if there is none. */
	readonly files: readonly string[];
	/** How many processes run tests. */
	readonly concurrency: number;
	/** Called with how many mutants of the round are left, after each. */
	readonly judged: (left: number) => void;
	/** Called with the tests of a later round that fail without any mutant. The round judges nothing then. */
	readonly skipped: (round: Round, why: string) => void;
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

/** Judges the mutants of a sample, round after round: each round has what survived the ones before it. */
export async function judge(question: Question): Promise<Verdict> {
	const { sources, files } = question;
	const all = await listMutants(sources.map((file) => join(root, file)));
	const drawn = sample(all, question).filter(({ fileName }) => isAsked(fileName, files));
	const ends = new Map<Mutant, End>(drawn.map((mutant) => [mutant, isDisabled(mutant) ? "disabled" : "no test"]));
	for (const round of question.rounds) {
		const alive = drawn.filter((mutant) => ["no test", "survived"].includes(ends.get(mutant) ?? ""));
		const results = await judgeRound(question, round, alive);
		for (const mutant of alive) {
			const end = results.get(keyOf(mutant)) ?? "no test";
			if (end !== "no test") ends.set(mutant, end);
		}
	}
	return { population: all.length, mutants: drawn.map((mutant) => describe(mutant, ends.get(mutant) ?? "error")) };
}

/** Returns how the mutants ended, by key. */
async function judgeRound(
	question: Question,
	round: Round,
	mutants: readonly Mutant[],
): Promise<ReadonlyMap<string, End>> {
	try {
		const results = await runStryker(question, round, mutants);
		return new Map(results.map((result) => [keyOf(result), endOf(result.status)]));
	} catch (error) {
		if (round === question.rounds[0]) throw error;
		question.skipped(round, error instanceof Error ? error.message : String(error));
		return new Map();
	}
}

async function runStryker(question: Question, round: Round, mutants: readonly Mutant[]): Promise<MutantResult[]> {
	if (mutants.length === 0) return [];
	const { concurrency, judged } = question;
	const folder = makeFolder("mutants");
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
	setEnvironment(round, sampleFile);
	let left = mutants.length;
	progress.judged = () => {
		left -= 1;
		judged(left);
	};
	const keys = new Set(mutants.map(keyOf));
	try {
		const files = [...new Set(mutants.map(({ fileName }) => relative(root, fileName)))];
		const results = await new Stryker(optionsFor(round, files, folder, concurrency)).runMutationTest();
		return results.map(fromReport).filter((result) => keys.has(keyOf(result)));
	} finally {
		rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
	}
}

function optionsFor(round: Round, files: string[], folder: string, concurrency: number): StrykerOptions {
	return {
		testRunner: "sample",
		ignorers: ["sample"],
		reporters: ["sample"],
		plugins: [join(root, "test/mutants/stryker-plugins.ts")],
		// What Stryker loads by the name of an option is checked by the schema of the runner's package.
		...{ vitest: { configFile: "test/mutants/vitest.config.ts", related: false, pool: poolOf(round) } },
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
		// A survivor runs all tests of its round again.
		timeoutMS: 120_000,
		dryRunTimeoutMinutes: 15,
	};
}

/** Threads start faster; tests that set the user or the mask of a process need one of their own. */
function poolOf({ sharesModules }: Round): "threads" | "forks" {
	return sharesModules ? "threads" : "forks";
}

/** Sets what Stryker's workers and the tests read. The same random cases in every run, and as many as on a developer's machine. */
function setEnvironment({ tests, sharesModules }: Round, sampleFile: string): void {
	process.env[sampleVariable] = sampleFile;
	process.env.ORGSYNC_MUTANTS_TESTS = tests.join(" ");
	process.env.ORGSYNC_MUTANTS_FRESH_MODULES = sharesModules ? "0" : "1";
	delete process.env.CI;
}

function describe({ fileName, location: { start }, mutatorName, replacement }: Mutant, end: End): JudgedMutant {
	const place = `${relative(root, fileName)}:${start.line + 1}:${start.column + 1}`;
	return { end, place, mutator: mutatorName, replacement };
}

function endOf(status: MutantResult["status"]): End {
	const ends: Partial<Record<MutantResult["status"], End>> = {
		Killed: "killed",
		Timeout: "timeout",
		Survived: "survived",
		NoCoverage: "no test",
	};
	return ends[status] ?? "error";
}

function isDisabled({ status }: Mutant): boolean {
	return status === "Ignored";
}

function isAsked(fileName: string, files: readonly string[]): boolean {
	return files.length === 0 || files.some((file) => fileName.includes(file));
}
