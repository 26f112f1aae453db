/**
 * Histories of up to 60 commands, drawn from a seed: two machines with journals of their own or a shared one, `pulumi up`, votes,
 * kills, lost answers, wrong clocks, journals lost or restored, and what others do meanwhile. Each request is judged as it reaches
 * the emulator.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { makeFolder, removeFolder } from "../leftovers.ts";
import { Counts, type Proof } from "../proof.ts";
import { keys } from "../small-world.ts";
import { type Action, actions, type Setting, setting } from "./actions.ts";
import { History } from "./history.ts";
import { makePausesQuick } from "./quick-pauses.ts";
import { Service } from "./service.ts";

let world: { readonly service: Service; readonly folder: string; readonly makePausesSlow: () => void } | undefined;
let cases = 0;

/** How long a history that broke a promise is made shorter. */
const maxShrinkMs = 90_000;

/** Runs one history to its end. Throws what broke a promise, with everything that happened. */
export async function live(given: Setting, list: readonly Action[], counts: Counts): Promise<void> {
	if (world === undefined) throw new Error("the proof was not begun");
	cases += 1;
	const folder = join(world.folder, String(cases));
	const history = await History.begin(world.service, given, folder, counts);
	try {
		for (const action of list) await history.take(action);
		await history.end();
	} catch (error) {
		const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
		throw new Error(`${what}\nwhat happened:\n${history.lines.join("\n")}`);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

export const proof: Proof = {
	promise:
		"whatever goes wrong and in whatever order, each change takes effect at most once, readings submit nothing, nothing is submitted that " +
		"the document does not ask for or a guard blocks, nothing answered is lost, and after the last fault one more apply is in sync",
	defaultCases: 10_000,
	async begin() {
		const folder = makeFolder("model");
		world = { service: await Service.open(Object.values(keys)), folder, makePausesSlow: makePausesQuick() };
	},
	async run(seed, counts) {
		// Shrinking runs shorter histories again, which do not count. Its time is limited here: fast-check would begin the next case
		// while a history still runs on the same service.
		const endMs = performance.now() + maxShrinkMs;
		let mine: Counts | undefined = counts;
		const property = fc.asyncProperty(setting, actions, async (given, list) => {
			const counted = mine ?? new Counts();
			if (mine === undefined && performance.now() > endMs) return;
			mine = undefined;
			await live(given, list, counted);
		});
		const result = await fc.check(property, { seed, numRuns: 1, unbiased: true });
		if (!result.failed) return;
		const [given] = result.counterexample ?? [];
		const { errorInstance: error } = result;
		throw new Error(
			`${error instanceof Error ? error.message : String(error)}\nin the setting ${JSON.stringify(given)} (shrunk ${result.numShrinks} times)`,
		);
	},
	async end() {
		world?.makePausesSlow();
		await world?.service.close();
		if (world !== undefined) removeFolder(world.folder);
		world = undefined;
	},
};
