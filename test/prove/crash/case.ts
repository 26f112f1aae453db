/** One crash: a plan, a point at which the command is stopped, and what happens until the run that has to converge. */
import { drawFaults, type FaultName, faultNames } from "../faults.ts";
import { changeWritten } from "../model/outside.ts";
import { type Counts, randomFrom } from "../proof.ts";
import type { SmallWorld } from "../small-world.ts";
import { Broken, judgeActivities, judgeJournal, judgeNumber, judgeState, judgeVotes } from "./judge.ts";
import { finish, HeldByGuard, judgeEnd, type Scenario, votersOf } from "./scenarios.ts";
import { runVictim, type Stop, type Stopped } from "./victim.ts";
import type { CrashWorld, Who } from "./world.ts";

export interface CrashCase {
	readonly scenario: Scenario;
	readonly small: SmallWorld;
	/** The number of the point; undefined for a run to the end. */
	readonly at: number | undefined;
	readonly stop: Stop;
	/** The share of the command's requests that meet a fault. */
	readonly faults: number;
	/** A command that only reads, with faults, right after the crash. */
	readonly reading: readonly string[] | null;
	/** Whether an `apply` with faults follows before the one that has to converge. */
	readonly isTroubled: boolean;
	/** What others do to a policy that the document writes before the next command, by number; null: nothing. */
	readonly others: number | null;
	/** How much later the next command runs. */
	readonly laterMs: number;
	/** Whether late requests arrive only after the run that has to converge. */
	readonly isVeryLate: boolean;
	/** Of the faults. */
	readonly seed: number;
}

/** In this process a stalled request costs real time. */
const quickFaults = faultNames.filter((name) => !name.startsWith("stall"));
const withTimeout = ["--timeout", "2"];

/** What was seen, for the words of a finding and for the cases that follow. */
export interface Crashed {
	readonly stopped: Stopped;
	readonly activities: number;
}

/** Runs one case. `most` is how many activities the plan has without a crash. Throws Broken. */
export async function runCase(
	world: CrashWorld,
	one: CrashCase,
	most: number | undefined,
	counts: Counts,
): Promise<Crashed> {
	const { scenario, small, at, stop, seed } = one;
	const random = randomFrom(seed);
	await world.begin(small, scenario.size);
	for (const { who, words, code } of scenario.before)
		judgeEnd(await world.run(who, words), [code, 0], `before: orgsync ${words.join(" ")}`);
	const sent = new Map<Who, Set<string>>([
		["alice", new Set(world.journalOf("alice").map(({ fingerprint }) => fingerprint))],
		["bob", new Set()],
	]);
	const stopped = await runVictim(
		[...scenario.words, ...withTimeout],
		...[world.placeOf(scenario.who), world.proxy],
		{ at, stop },
		({ isSubmit, name, fingerprint }) => {
			if (!isSubmit) return;
			counts.add("submits while it ran");
			sent.get(scenario.who)?.add(fingerprint);
			if (world.journalOf(scenario.who).every((row) => row.fingerprint !== fingerprint))
				throw new Broken("a request was sent before it was in the journal", name);
		},
		drawFaults(random, one.faults, faultNames),
	);
	judgeStopped(one, stopped, counts);
	if (!one.isVeryLate) await deliver(world, stopped, "late requests that arrived before the next command", counts);
	await world.proxy.settle();
	judgeActivities(world, small);
	world.advance(one.laterMs);
	if (one.others !== null) {
		await changeWritten(world.outside, one.others);
		counts.add("changes by others after the crash");
	}
	if (one.reading !== null) await read(world, one.reading, random, counts);
	if (one.isTroubled) await applyInTrouble(world, scenario, random, counts);
	try {
		const isAbandoned = await finish(world, scenario, counts, one.others !== null && one.others % 3 === 0);
		await deliver(world, stopped, "late requests that arrived after the last command", counts);
		// What a person abandons is submitted again, because the person said so.
		if (isAbandoned) return { stopped, activities: countActivities(world) };
		judgeActivities(world, small, one.others !== null);
	} catch (error) {
		if (!(error instanceof HeldByGuard)) throw error;
		counts.add("guards that hold back a tag which others exchanged");
		return { stopped, activities: countActivities(world) };
	} finally {
		await deliver(world, stopped, "late requests that arrived after a finding", counts);
	}
	judgeState(world, small, scenario.reads);
	// No one votes for what others made meanwhile.
	if (one.others === null) judgeVotes(world, votersOf(scenario));
	for (const [who, fingerprints] of sent)
		if (fingerprints.size > 0) judgeJournal(world, who, fingerprints, scenario.reads === "all");
	// What others undid or made is made or changed again.
	if (most !== undefined && one.others === null) judgeNumber(world, most);
	return { stopped, activities: countActivities(world) };
}

/** Delivers the requests that are late, and waits until the service has answered them: none arrives in another case. */
async function deliver(world: CrashWorld, stopped: Stopped, name: string, counts: Counts): Promise<void> {
	const late = await stopped.release();
	await world.proxy.settle();
	if (late > 0) counts.add(name, late);
}

function countActivities(world: CrashWorld): number {
	return world.views().reduce((sum, { activities }) => sum + activities.length, 0);
}

function judgeStopped({ at, stop, scenario, faults }: CrashCase, stopped: Stopped, counts: Counts): void {
	const isReached = at !== undefined && stopped.points.length >= at;
	if (at !== undefined) counts.add(isReached ? `stops by ${stop}` : "runs that ended before the point");
	if (stopped.signal !== null) return;
	const usual = scenario.approvals === 2 && scenario.who === "alice" ? 8 : 0;
	const codes = faults > 0 ? [0, 1, 7, 8] : [usual, 0, 8];
	const story = `orgsync ${scenario.words.join(" ")}, ${stop} at ${at}`;
	judgeEnd(stopped, stop.startsWith("interrupt") && isReached ? [...codes, 130] : codes, story);
}

/** Runs a command that only reads. Fails if it submits. */
async function read(world: CrashWorld, words: readonly string[], random: () => number, counts: Counts): Promise<void> {
	const submits: string[] = [];
	world.proxy.use({
		choose: drawFaults(random, 0.2, quickFaults),
		arrived({ isSubmit, name }) {
			if (isSubmit) submits.push(name);
			return true;
		},
	});
	const ended = await world.run("alice", [...words, ...withTimeout]);
	world.proxy.use({});
	await world.proxy.settle();
	counts.add("reading commands");
	if (submits.length > 0)
		throw new Broken("a command that only reads submitted", `orgsync ${words.join(" ")}: ${submits.join(", ")}`);
	judgeEnd(ended, [0, 1, 2, 3, 8, 9], `orgsync ${words.join(" ")}`);
}

async function applyInTrouble(
	world: CrashWorld,
	{ who, again }: Scenario,
	random: () => number,
	counts: Counts,
): Promise<void> {
	const names = new Set<FaultName>();
	const choose = drawFaults(random, 0.25, quickFaults);
	world.proxy.use({
		choose(exchange) {
			const name = choose(exchange);
			names.add(name);
			return name;
		},
	});
	const ended = await world.run(who, [...again, ...withTimeout]);
	world.proxy.use({});
	await world.proxy.settle();
	counts.add("applies with faults between");
	judgeEnd(ended, [0, 1, 6, 7, 8], `orgsync ${again.join(" ")} with ${[...names].join(", ")}`);
}
