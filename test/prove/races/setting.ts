/** What all kinds of races share: the world, the commands, and the way from what a race left to an organization in sync. */
import { type Arena, minuteMs, quarterHourMs, type Runner } from "../arena.ts";
import { changeWritten } from "../model/outside.ts";
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
	const writes = !isDocumented && (options.writes ?? random() < 0.4);
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

/** `others`: what somebody else does to a policy or tag that the document writes meanwhile, by number. */
export async function race(setting: Setting, runners: readonly Runner[], others?: number): Promise<Raced> {
	const { arena, world, asProcesses, random, counts } = setting;
	const choose = others !== undefined || random() < 0.9 ? drawOrder(random) : undefined;
	counts.add("commands", runners.length);
	const act = async (): Promise<string> => {
		const done = await changeWritten(arena.outside, others ?? 0);
		counts.add(done);
		return done;
	};
	const outsider = others === undefined ? undefined : { turns: Math.floor(random() * 40), act };
	const ended = await arena.race(runners, { choose, asProcesses, outsider });
	return { arena, world, runners, ended, steps: [...arena.turnstile.steps] };
}

export const yes = ["--yes", "--no-color"];
export const apply = (machine: number, who: Runner["who"] = "alice", ...more: readonly string[]): Runner => ({
	...{ words: ["apply", ...yes, ...more], who, machine },
});
export const approve = (machine: number, who: Runner["who"], ...more: readonly string[]): Runner => ({
	...{ words: ["approve", ...yes, ...more], who, machine },
});

/**
 * Approves what is pending until one more apply on this machine is in sync, or ends with one of `codes`. Fails if it ends with
 * another one, or that takes too long.
 */
export async function converge(raced: Raced, runner: Runner, codes: readonly number[] = []): Promise<Raced> {
	const { arena } = raced;
	const maxRounds = 8;
	let last = raced;
	for (let round = 0; round < maxRounds; round += 1) {
		const ended = [await arena.alone(runner)];
		last = { ...raced, runners: [...raced.runners, runner], ended: [...raced.ended, ...ended] };
		if (ended[0]?.code === 0 || codes.includes(ended[0]?.code ?? -1)) return last;
		// An equal request made what others deleted or renamed within the same second; the next run is later.
		const isAgain = /: the next run creates another/.test(ended[0]?.stdout ?? "");
		if (isAgain) arena.advance(2000);
		if (ended[0]?.code !== 8 && !isAgain) fail(last, `one more apply ended with ${ended[0]?.code}`);
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
