/**
 * Histories of policies and tags that a document states, in memory: two machines with journals of their own or a shared one, kills,
 * lost and late answers, approvals over runs, and others who create the same name, delete it or rename it at any request.
 */
import { registerHooks } from "node:module";
import { remember } from "../../../src/common/remember.ts";
import { openStore } from "../../../src/emulator/store.ts";
import { openJournal } from "../../../src/sync/journal/file.ts";
import { Counts, type Proof, randomFrom } from "../proof.ts";
import { type Action, drawSetting, type Setting } from "./actions.ts";
import type { History, Shared } from "./history.ts";
import { drawWorld, type World } from "./world.ts";

/** Histories that share a store and journals: more would take memory. */
const maxShared = 500;

/** Worlds are made once, and so are their documents. */
const worldCount = 4000;
const worlds = new Map<number, World>();

let begin: typeof History.begin | undefined;
let shared: Omit<Shared, "organizationId"> | undefined;
let organizations = 0;

function closeShared(): void {
	shared?.store.close();
	for (const journal of shared?.journals ?? []) journal.close();
	shared = undefined;
}

async function share(): Promise<Shared> {
	if (organizations % maxShared === 0) closeShared();
	organizations += 1;
	shared ??= { store: openStore(undefined), journals: [await openJournal(":memory:"), await openJournal(":memory:")] };
	return { ...shared, organizationId: `0${organizations.toString(16).padStart(7, "0")}-0000-4000-8000-000000000001` };
}

/** Runs one history to its end. Throws what broke a promise, with everything that happened. */
async function live(given: Setting, world: World, counts: Counts): Promise<void> {
	if (begin === undefined) throw new Error("the proof was not begun");
	const history = await begin(await share(), given, world, counts);
	try {
		for (const action of given.actions) await history.take(action);
		await history.end();
	} catch (error) {
		const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
		throw new Error(`${what}\nwhat happened:\n${history.lines.join("\n")}\n${JSON.stringify(world.document)}`);
	} finally {
		history.close();
	}
}

/** Returns the shortest list of what happens in which the history still fails, with its error. */
async function shrink(given: Setting, world: World, error: unknown): Promise<unknown> {
	let [actions, last]: [readonly Action[], unknown] = [given.actions, error];
	for (let index = 0; index < actions.length; ) {
		const fewer = actions.filter((_, at) => at !== index);
		try {
			await live({ ...given, actions: fewer }, world, new Counts());
			index += 1;
		} catch (other) {
			[actions, last] = [fewer, other];
		}
	}
	return last;
}

export const proof: Proof = {
	promise:
		"whatever others do to its name and whatever is lost, a policy or tag that the document states is created at most once, nothing else " +
		"is submitted, no change of others that was read is overwritten, each step is reported as it is, and one more apply is in sync",
	defaultCases: 100_000,
	async begin() {
		// What policies mean decides about no request, and takes most of the time.
		const hooks = registerHooks({
			resolve: (name, context, next) =>
				next(name.endsWith("/listed-groups.ts") ? new URL("no-groups.ts", import.meta.url).href : name, context),
		});
		const { History: Loaded } = await import("./history.ts");
		hooks.deregister();
		begin = Loaded.begin.bind(Loaded);
	},
	async run(seed, counts) {
		const random = randomFrom(seed);
		const number = Math.floor(random() * worldCount);
		const world = remember(worlds, number, () => drawWorld(randomFrom(number)));
		const given = drawSetting(random);
		try {
			await live(given, world, counts);
		} catch (error) {
			throw await shrink(given, world, error);
		}
	},
	end: closeShared,
};
