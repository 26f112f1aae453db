/**
 * `npm run engine`: finds the Pulumi engine that the tests use or builds it, and prints its folder. Then it makes what the tests
 * of the SDKs need, where the machine has the language. Run before the tests, its progress is seen; a test runner would keep that
 * to itself.
 */
import { ensureEngine } from "./engine.ts";
import { ensureGenerators } from "./generators.ts";
import { ensureGoProgram, goProgram } from "./go-program.ts";
import { NotHere } from "./needed.ts";
import { ensurePython } from "./python.ts";

const say = (text: string): boolean => process.stderr.write(`engine: ${text}\n`);

try {
	const { folder, version } = await ensureEngine();
	say(`the tests use ${version}`);
	for (const make of [ensureGenerators, ensurePython, () => ensureGoProgram(goProgram)]) {
		await make().catch((error: unknown) => {
			if (!(error instanceof NotHere)) throw error;
			say(`some tests are left out: ${error.message}`);
		});
	}
	process.stdout.write(`${folder}\n`);
} catch (error) {
	process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
	process.exitCode = 1;
}
