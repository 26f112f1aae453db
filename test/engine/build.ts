/**
 * `npm run engine`: finds the Pulumi engine that the tests use or builds it, and prints its folder. Then it makes what the tests
 * of the SDKs need, where the machine has the language. `npm test` does the same before the first test that needs the engine.
 */
import { makeEngine } from "./make.ts";

try {
	process.stdout.write(`${await makeEngine((reason) => process.stderr.write(`${reason.message}\n`))}\n`);
} catch (error) {
	process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
	process.exitCode = 1;
}
