/**
 * The parts of Stryker that judge a sample: what keeps other mutants out of the code, as each costs time even while it is not
 * active; what lets Vitest judge only the sample; and what counts down. The second runs in Stryker's workers, the others in the
 * process of the command; a file has the sample for both.
 */
import { chmodSync, readFileSync } from "node:fs";
import type { NodePath } from "@stryker-mutator/api/ignore";
import {
	commonTokens,
	declareFactoryPlugin,
	declareValuePlugin,
	type Injector,
	type PluginContext,
	PluginKind,
	tokens,
} from "@stryker-mutator/api/plugin";
import {
	type DryRunOptions,
	type DryRunResult,
	type MutantRunOptions,
	type MutantRunResult,
	MutantRunStatus,
	type TestRunner,
} from "@stryker-mutator/api/test-runner";
import { strykerValidationSchema, strykerPlugins as vitestPlugins } from "@stryker-mutator/vitest-runner";
import { fromReport, keyOf, type MutantKey } from "./sample.ts";

/** The environment variable with the path of the file that has the sample. */
export const sampleVariable = "ORGSYNC_MUTANTS_SAMPLE";

/** `judged` is called after each mutant of the sample. */
export const progress = { judged: (): void => undefined };

const samples = new Map<string, ReadonlyMap<string, MutantKey>>();

/** Returns the mutants of the sample, by key. */
function readSample(): ReadonlyMap<string, MutantKey> {
	const file = process.env[sampleVariable];
	if (file === undefined) throw new Error(`${sampleVariable} is not set: start Stryker with npm run mutants`);
	const known = samples.get(file);
	if (known !== undefined) return known;
	const mutants = JSON.parse(readFileSync(file, "utf8")) as MutantKey[];
	const read = new Map(mutants.map((mutant) => [keyOf(mutant), mutant]));
	samples.set(file, read);
	return read;
}

/** What Babel says of a node of the code that is read. Its lines begin at 1, and a mutant's at 0. */
interface CodePath extends NodePath {
	readonly node: { readonly loc?: { readonly start: Position; readonly end: Position } };
	readonly hub?: { readonly file?: { readonly opts?: { readonly filename?: string } } };
}

interface Position {
	readonly line: number;
	readonly column: number;
}

/** Leaves out code without a mutant of the sample in it. */
class OutsideOfSample {
	#sample: ReadonlyMap<string, MutantKey> | undefined;
	#byFile = new Map<string, MutantKey[]>();

	shouldIgnore(path: NodePath): string | undefined {
		const mutants = readSample();
		if (this.#sample !== mutants) this.#byFile = Map.groupBy(mutants.values(), ({ fileName }) => fileName);
		this.#sample = mutants;
		const { node, hub } = path as CodePath;
		const fileName = hub?.file?.opts?.filename;
		if (node.loc === undefined || fileName === undefined) return undefined;
		const { start, end } = node.loc;
		const holds = ({ location }: MutantKey): boolean =>
			isOrdered(start, lineFromOne(location.start)) && isOrdered(lineFromOne(location.end), end);
		return (this.#byFile.get(fileName) ?? []).some(holds) ? undefined : "outside of the sample";
	}
}

function isOrdered(one: Position, other: Position): boolean {
	return one.line < other.line || (one.line === other.line && one.column <= other.column);
}

function lineFromOne({ line, column }: Position): Position {
	return { line: line + 1, column };
}

/** The environment variable with the test files to run first, separated by commas, for the config of Vitest. */
export const firstFilesVariable = "ORGSYNC_MUTANTS_FIRST_FILES";

/**
 * Runs Vitest for mutants of the sample. All others end at once, with an error that keeps them out of every count. The test files
 * that killed other mutants of the same source run first, the latest one before the others: most mutants end soon.
 */
class SampleRunner implements TestRunner {
	readonly #sample = readSample();
	readonly #killers = new Map<string, readonly string[]>();
	readonly #vitest: TestRunner;

	constructor(vitest: TestRunner) {
		this.#vitest = vitest;
	}

	capabilities() {
		return this.#vitest.capabilities();
	}

	async init(): Promise<void> {
		// Tests run the copy of the sources, which is the working folder, as another user too.
		chmodSync(process.cwd(), 0o755);
		await this.#vitest.init?.();
	}

	dryRun(options: DryRunOptions): Promise<DryRunResult> {
		return this.#vitest.dryRun(options);
	}

	async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
		const { activeMutant } = options;
		if (!this.#sample.has(keyOf(activeMutant))) {
			return { status: MutantRunStatus.Error, errorMessage: "outside of the sample" };
		}
		const killers = this.#killers.get(activeMutant.fileName) ?? [];
		process.env[firstFilesVariable] = killers.join(",");
		let result = await this.#vitest.mutantRun(options);
		if (result.status === MutantRunStatus.Survived) {
			// A cache that an earlier test filled kept later ones from reaching the code without a mutant.
			const { testFilter: _tests, hitLimit: _limit, ...all } = options;
			result = await this.#vitest.mutantRun(all);
		}
		if (result.status === MutantRunStatus.Killed) {
			// The id of a test is its file, # and its name.
			const files = [result.killedBy].flat().map((id) => id.split("#")[0] ?? "");
			this.#killers.set(activeMutant.fileName, [...new Set([...files, ...killers])]);
		}
		return result;
	}

	async dispose(): Promise<void> {
		await this.#vitest.dispose?.();
	}
}

const [vitest] = vitestPlugins;
if (vitest === undefined) throw new Error("Stryker's package for Vitest has no runner");
const makeVitest = vitest.factory;

const makeRunner = (injector: Injector<PluginContext>): TestRunner =>
	new SampleRunner(injector.injectFunction(makeVitest));
makeRunner.inject = tokens(commonTokens.injector);

export const strykerPlugins = [
	declareValuePlugin(PluginKind.Ignore, "sample", new OutsideOfSample()),
	declareFactoryPlugin(PluginKind.TestRunner, "sample", makeRunner),
	declareValuePlugin(PluginKind.Reporter, "sample", {
		onMutantTested: (mutant) => {
			if (readSample().has(keyOf(fromReport(mutant)))) progress.judged();
		},
	}),
];
export { strykerValidationSchema };
