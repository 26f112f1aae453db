import { statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { relative } from "node:path";
import { defineConfig, type Plugin } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { validatorsPlugin } from "./scripts/validators.ts";
import { casesTimeoutMs } from "./test/case-count.ts";
import { type Group, groupTests } from "./test/projects.ts";

/** The groups whose files take longest, longest first: their tests start processes of Pulumi, a browser or a shell. */
const slowest: readonly Group[] = ["engine", "browser", "processes", "thorough", "in process", "pure"];

const files = groupTests();
const rankOf = new Map(slowest.flatMap((group, rank) => files[group].map((file) => [file, rank] as const)));

/** Starts the slowest files first, so that no worker is left with one of them at the end. */
class SlowestFirst extends BaseSequencer {
	override async sort(found: TestSpecification[]): Promise<TestSpecification[]> {
		const rank = ({ moduleId }: TestSpecification): number =>
			rankOf.get(relative(import.meta.dirname, moduleId).replaceAll("\\", "/")) ?? slowest.length;
		const size = ({ moduleId }: TestSpecification): number => statSync(moduleId).size;
		return found.toSorted((one, other) => rank(one) - rank(other) || size(other) - size(one));
	}
}

/** Keeps validators out of Vitest's cache of modules: its key is their source, which stays the same when a schema changes. */
const freshValidators: Plugin = {
	name: "fresh-validators",
	configureVitest: ({ defineCacheKeyGenerator }) =>
		defineCacheKeyGenerator(({ id }) => (id.includes("/src/schema/validators/") ? false : undefined)),
};

/** Pure functions leave nothing in their modules; other files get new ones each, but for those of src/ that keep nothing of a process. */
const newModules = { setupFiles: ["test/fresh-modules.ts"] };
const settings: Readonly<Record<Group, object>> = {
	pure: {},
	"in process": newModules,
	thorough: { ...newModules, testTimeout: casesTimeoutMs },
	processes: { ...newModules, globalSetup: ["test/command.ts"] },
	browser: { ...newModules, globalSetup: ["test/command.ts"] },
	engine: { ...newModules, globalSetup: ["test/command.ts", "test/engine/set-up.ts"] },
};

export default defineConfig({
	// What the programs check values with.
	plugins: [validatorsPlugin(), freshValidators],
	test: {
		projects: slowest
			.filter((group) => files[group].length > 0)
			.map((group) => ({ extends: true, test: { name: group, include: [...files[group]], ...settings[group] } })),
		globalSetup: ["test/shared.ts"],
		// On a busy machine, a test takes several times as long.
		testTimeout: 120_000,
		// A poll may take as long as a busy machine needs: the default is a second.
		expect: { poll: { timeout: 20_000 } },
		pool: "forks",
		// Files share a process, which saves a start and the packages for each.
		isolate: false,
		// Most tests wait for processes of their own, the Pulumi engine above all: one worker for each core leaves it idle.
		maxWorkers: Math.ceil(availableParallelism() * 1.5),
		sequence: { sequencer: SlowestFirst },
	},
});
