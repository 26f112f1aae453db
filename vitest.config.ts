import { statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig, type Plugin } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { validatorsPlugin } from "./scripts/validators.ts";

/** Folders whose files take longest, longest first: each of their tests starts processes of Pulumi, a browser or a shell. */
const slowest = ["/test/pulumi/", "/test/engine/", "/test/browser/", "/test/readme.", "/test/pipelines/", "/test/cli/"];

/** Starts the slowest files first, so that no worker is left with one of them at the end. */
class SlowestFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const rank = ({ moduleId }: TestSpecification): number => {
			const index = slowest.findIndex((folder) => moduleId.includes(folder));
			return index === -1 ? slowest.length : index;
		};
		const size = ({ moduleId }: TestSpecification): number => statSync(moduleId).size;
		return files.toSorted((one, other) => rank(one) - rank(other) || size(other) - size(one));
	}
}

/** Folders whose tests call pure functions only: their files can share a process with its modules, which saves loading them. */
const pure = ["document", "plan", "policy", "render"].map((room) => `test/${room}/**/*.test.ts`);

/** Keeps validators out of Vitest's cache of modules: its key is their source, which stays the same when a schema changes. */
const freshValidators: Plugin = {
	name: "fresh-validators",
	configureVitest: ({ defineCacheKeyGenerator }) =>
		defineCacheKeyGenerator(({ id }) => (id.includes("/src/validators/") ? false : undefined)),
};

export default defineConfig({
	// What the programs check values with.
	plugins: [validatorsPlugin(), freshValidators],
	test: {
		projects: [
			{ extends: true, test: { name: "pure", include: pure, isolate: false } },
			{ extends: true, test: { name: "all others", include: ["test/**/*.test.ts"], exclude: pure } },
		],
		globalSetup: ["test/shared.ts"],
		testTimeout: 30_000,
		// A poll may take as long as a busy machine needs: the default is a second.
		expect: { poll: { timeout: 20_000 } },
		pool: "forks",
		// Most tests wait for processes of their own, the Pulumi engine above all: one worker for each core leaves it idle.
		maxWorkers: Math.ceil(availableParallelism() * 1.5),
		sequence: { sequencer: SlowestFirst },
	},
});
