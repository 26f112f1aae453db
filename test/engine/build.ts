/**
 * `npm run engine`: finds the Pulumi engine that the tests use or builds it, and prints its folder. Run before the tests,
 * its progress is seen; a test runner would keep that to itself.
 */
import { ensureEngine } from "./engine.ts";

try {
	const { folder, version } = await ensureEngine();
	process.stderr.write(`engine: the tests use ${version}\n`);
	process.stdout.write(`${folder}\n`);
} catch (error) {
	process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
	process.exitCode = 1;
}
