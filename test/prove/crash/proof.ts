/**
 * `npm run prove -- crash`: the command line as a process, stopped at every point between two effects. One case is one plan with
 * all its points.
 */
import { type Counts, type Proof, randomFrom } from "../proof.ts";
import { drawWorld } from "../small-world.ts";
import { type CrashCase, type Crashed, runCase } from "./case.ts";
import { Broken } from "./judge.ts";
import { scenarios } from "./scenarios.ts";
import { shrink } from "./shrink.ts";
import type { Stop } from "./victim.ts";
import { CrashWorld } from "./world.ts";

const minuteMs = 60_000;
const worlds = new Map<string, CrashWorld>();

const readings = [["plan"], ["drift"], ["status"], ["wait", "--wait", "0"]];

export const proof: Proof = {
	promise:
		"wherever apply and approve are stopped, each change gets one activity that takes effect and each user one vote, every request is in the journal before it is sent, reading commands submit nothing, and one more run converges",
	defaultCases: 50,
	async begin() {
		for (const reads of ["all", "documented"] as const) worlds.set(reads, await CrashWorld.open(reads));
	},
	run: (seed, counts) => runPlan(seed, counts),
	async end() {
		for (const world of worlds.values()) await world.close();
		worlds.clear();
	},
};

/** Runs every point of one plan; `limit` is a sample of so many for the tests. */
export async function runPlan(seed: number, counts: Counts, limit?: number): Promise<void> {
	const random = randomFrom(seed);
	const scenario = scenarios[seed % scenarios.length];
	if (scenario === undefined) return;
	// A service that shows no policies gets none.
	const writes = scenario.reads === "all" && random() < 0.5;
	const small = drawWorld(random, { approvals: scenario.approvals, writes });
	if (writes) counts.add("documents that write policies and tags");
	const faults = random() < 0.25 ? 0.15 : 0;
	const plain: CrashCase = {
		...{
			scenario,
			small,
			faults,
			seed,
			at: undefined,
			stop: "kill",
			reading: null,
			isTroubled: false,
			others: null,
			laterMs: 0,
			isVeryLate: false,
		},
	};
	const reference = await runChecked({ ...plain, faults: 0 }, undefined, counts);
	const whole = faults === 0 ? reference : await runChecked(plain, reference.activities, counts);
	counts.add("points", whole.stopped.points.length);
	const cases = whole.stopped.points.flatMap((point, index) => {
		return stopsAt(point, random).map((stop) => ({ ...plain, at: index + 1, stop, ...drawAftermath(random, plain) }));
	});
	const chosen = limit === undefined ? cases : drawSome(cases, limit, random);
	for (const one of chosen) {
		await runChecked(one, reference.activities, counts);
		counts.add("crashes");
	}
}

function drawSome<T>(list: readonly T[], count: number, random: () => number): readonly T[] {
	const step = list.length / count;
	const first = random() * step;
	return list.length <= count
		? list
		: Array.from({ length: count }, (_, index) => list[Math.floor(first + index * step)] as T);
}

/** Runs a case. A finding is shrunk and reported. */
async function runChecked(one: CrashCase, most: number | undefined, counts: Counts): Promise<Crashed> {
	const world = worlds.get(one.scenario.reads);
	if (world === undefined) throw new Error("the proof has not begun");
	try {
		return await runCase(world, one, most, counts);
	} catch (error) {
		if (!(error instanceof Broken)) throw error;
		throw await shrink(world, one, error);
	}
}

/** Returns how the process is stopped at a point. A request is lost, or arrives, or arrives late. */
function stopsAt(point: string, random: () => number): readonly Stop[] {
	const luck = random();
	const more: readonly Stop[] = luck < 0.08 ? ["interrupt"] : luck < 0.12 ? ["interrupt-twice"] : [];
	const isRequest = /^request (?!get_|list_|whoami)/.test(point);
	if (isRequest) return ["kill", "kill-and-arrive", "kill-and-late", ...more];
	return [random() < 0.5 ? "kill" : "kill-and-arrive", ...more];
}

/** Returns what happens between the crash and the run that has to converge. */
function drawAftermath(random: () => number, { scenario, small }: CrashCase): Partial<CrashCase> {
	const [reading, trouble, later, veryLate, seed, others] = Array.from({ length: 6 }, random) as [
		number,
		number,
		number,
		number,
		number,
		number,
	];
	// Without the extended reads a request in doubt can be sent again for less than an hour.
	const times = scenario.reads === "all" ? [20, 50, 75, 180] : [14, 20, 40];
	return {
		reading: reading < 0.15 ? (readings[Math.floor((reading / 0.15) * readings.length)] ?? null) : null,
		isTroubled: trouble < 0.2,
		others: small.document.includes("policies:\n") && others < 0.3 ? Math.floor((others / 0.3) * 60) : null,
		laterMs: later < 0.4 ? (times[Math.floor((later / 0.4) * times.length)] ?? 0) * minuteMs : 0,
		isVeryLate: veryLate < 0.5,
		seed: Math.floor(seed * 2 ** 31),
	};
}
