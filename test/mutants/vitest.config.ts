/** How the tests run that judge mutants. `test/mutants/run.ts` says in environment variables which tests, and how. */
import { statSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { validatorsPlugin } from "../../scripts/validators.ts";

/**
 * Starts the files first that killed the latest mutants of the same source, then small files, and property tests last: most mutants
 * end at the first test that fails.
 */
class FastestFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const first = (process.env.ORGSYNC_MUTANTS_FIRST_FILES ?? "").split(",");
		const rank = ({ moduleId }: TestSpecification): number => {
			const at = first.findIndex((file) => file !== "" && moduleId.endsWith(file));
			if (at !== -1) return at - first.length;
			return moduleId.includes(".property.") ? 1 : 0;
		};
		const size = ({ moduleId }: TestSpecification): number => statSync(moduleId).size;
		return files.toSorted((one, other) => rank(one) - rank(other) || size(one) - size(other));
	}
}

const patterns = (process.env.ORGSYNC_MUTANTS_TESTS ?? "").split(" ");

export default defineConfig({
	plugins: [validatorsPlugin()],
	test: {
		include: patterns.filter((pattern) => !pattern.startsWith("!")),
		exclude: patterns.filter((pattern) => pattern.startsWith("!")).map((pattern) => pattern.slice(1)),
		// A process for each file would cost more than its tests: setup.ts gives a file modules of its own.
		isolate: false,
		globalSetup: ["test/shared.ts"],
		setupFiles: ["test/mutants/setup.ts"],
		testTimeout: 60_000,
		expect: { poll: { timeout: 5_000 } },
		sequence: { sequencer: FastestFirst },
	},
});
