/** What all kinds of races share: the world, the commands, and the way from what a race left to an organization in sync. */
import { type Arena, minuteMs, quarterHourMs, type Runner } from "../arena.ts";
import type { Counts } from "../proof.ts";
import { drawWorld, keys, type SmallWorld, submitAs, users, type WorldOptions } from "../small-world.ts";
import { drawOrder } from "../turnstile.ts";
import { approversOf, fail, type Raced } from "./judge.ts";

export interface RaceCase {
	readonly random: () => number;
	readonly arenas: Readonly<Record<"all" | "documented", Arena>>;
	readonly counts: Counts;
}

/** The beginning of a quarter of an hour, long after any key of these worlds was made. */
const baseMs = Date.UTC(2026, 8, 1, 12);

export interface Setting {
	readonly arena: Arena;
	readonly world: SmallWorld;
	readonly isDocumented: boolean;
	readonly asProcesses: boolean;
	readonly random: () => number;
	readonly counts: Counts;
}

interface SettingOptions extends WorldOptions {
	/** How often the service has the documented reads only. */
	readonly documented?: number;
	/** How often each command is a process of its own. */
	readonly processes?: number;
	/** How often the quarter of an hour ends during the race. */
	readonly atTheEnd?: number;
}

export async function set({ random, arenas, counts }: RaceCase, options: SettingOptions): Promise<Setting> {
	const { documented = 0, processes = 0.04, atTheEnd = 0 } = options;
	const isDocumented = random() < documented;
	// A service that shows no policies gets none.
	const writes = !isDocumented && random() < 0.4;
	const world = drawWorld(random, isDocumented ? { ...options, approvals: 1 } : { ...options, writes });
	if (writes) counts.add("documents that write policies and tags");
	const asProcesses = random() < processes;
	const isAtTheEnd = !asProcesses && random() < atTheEnd;
	const intoMs = isAtTheEnd ? quarterHourMs - Math.floor(random() * 60) : Math.floor(random() * 12 * minuteMs);
	const arena = arenas[isDocumented ? "documented" : "all"];
	await arena.begin(world, baseMs + intoMs, asProcesses ? "machine" : "own");
	if (asProcesses) counts.add("as processes");
	if (isDocumented) counts.add("without extended reads");
	return { arena, world, isDocumented, asProcesses, random, counts };
}

export async function race(setting: Setting, runners: readonly Runner[]): Promise<Raced> {
	const { arena, world, asProcesses, random, counts } = setting;
	const choose = random() < 0.9 ? drawOrder(random) : undefined;
	counts.add("commands", runners.length);
	const ended = await arena.race(runners, { choose, asProcesses });
	return { arena, world, runners, ended, steps: [...arena.turnstile.steps] };
}

export const yes = ["--yes", "--no-color"];
export const apply = (machine: number, who: Runner["who"] = "alice", ...more: readonly string[]): Runner => ({
	...{ words: ["apply", ...yes, ...more], who, machine },
});
export const approve = (machine: number, who: Runner["who"], ...more: readonly string[]): Runner => ({
	...{ words: ["approve", ...yes, ...more], who, machine },
});

/** Approves what is pending until one more apply on this machine is in sync. Fails if that takes too long. */
export async function converge(raced: Raced, machine: number, ...more: readonly string[]): Promise<Raced> {
	const { arena } = raced;
	const maxRounds = 8;
	let last = raced;
	for (let round = 0; round < maxRounds; round += 1) {
		const runner = apply(machine, "alice", ...more);
		const ended = [await arena.alone(runner)];
		last = { ...raced, runners: [...raced.runners, runner], ended: [...raced.ended, ...ended] };
		if (ended[0]?.code === 0) return last;
		if (ended[0]?.code !== 8) fail(last, `one more apply ended with ${ended[0]?.code}`);
		await approvePending(arena);
	}
	return fail(last, `${maxRounds} more applies with approvals in between are not enough`);
}

async function approvePending(arena: Arena): Promise<void> {
	for (const activity of arena.activities()) {
		// The same bytes of two users would be one vote.
		for (const [index, who] of (["bob", "carol"] as const).entries()) {
			const open = arena
				.activities()
				.find(({ id, status }) => id === activity.id && status === "ACTIVITY_STATUS_CONSENSUS_NEEDED");
			if (open === undefined || approversOf(open).includes(users[who])) continue;
			const { fingerprint } = open;
			await submitAs(arena.url, keys[who], "approve_activity", { fingerprint }, arena.nowMs - index);
		}
	}
}
