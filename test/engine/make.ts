/** Makes everything that the tests with the engine need, with its progress on standard error. */
import { NotHere } from "../left-out.ts";
import { ensureEngine } from "./engine.ts";
import { ensureGenerators } from "./generators.ts";
import { ensureGoProgram, goProgram } from "./go-program.ts";
import { ensurePython } from "./python.ts";

/** Returns the engine's folder. `leaveOut` gets each language that this machine lacks. Throws NotHere where there is no engine. */
export async function makeEngine(leaveOut: (reason: NotHere) => void): Promise<string> {
	const { folder, version } = await ensureEngine();
	process.stderr.write(`engine: the tests use ${version}\n`);
	for (const make of [ensureGenerators, ensurePython, () => ensureGoProgram(goProgram)]) {
		await make().catch((error: unknown) => {
			if (!(error instanceof NotHere)) throw error;
			leaveOut(error);
		});
	}
	return folder;
}
