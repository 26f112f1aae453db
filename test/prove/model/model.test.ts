/** A sample of `npm run prove -- model`, and histories that are always tried: what went wrong once, each as short as it can be. */
import { describe, expect, it } from "vitest";
import { Counts, prove } from "../proof.ts";
import type { Action, Machine, Setting, Trouble } from "./actions.ts";
import { live, proof } from "./proof.ts";
import type { Mishap } from "./service.ts";

const plain: Setting = {
	...{ world: 1, reads: "all", deniedReads: [], approvals: 2, pendingMs: 0, isShared: true, cursor: "as-documented" },
	...{ isLimited: false, concurrency: 1, startMs: 60_000, writes: false },
};
const documented: Setting = { ...plain, reads: "documented" };
const alone: Setting = { ...plain, approvals: 1 };
const apart: Setting = { ...plain, isShared: false };

const applyOf = (machine: Machine, mishaps: readonly Mishap[] = [], more: Partial<Trouble> = {}): Action => ({
	...{ kind: "apply", machine, retryRejected: false },
	trouble: { mishaps, queryMishaps: [], kill: undefined, meanwhile: undefined, ...more },
});
const pass = (minutes: number): Action => ({ kind: "pass", ms: minutes * 60_000 });
const always = (mishap: Mishap): readonly Mishap[] => Array<Mishap>(30).fill(mishap);
const crowd: Action = { kind: "crowd" };
const atOnce: Trouble["meanwhile"] = { at: 4, when: "before", happens: [applyOf(1, ["imitated-400"])] };

const examples: readonly (readonly [what: string, given: Setting, actions: readonly Action[]])[] = [
	[
		"a cursor that is ignored, and a crowd of pending activities",
		{ ...apart, cursor: "ignored" },
		[applyOf(0), crowd, pass(15), applyOf(1), pass(15), applyOf(0)],
	],
	[
		"a cursor of the other direction, and a crowd",
		{ ...apart, cursor: "other-direction" },
		[applyOf(0), crowd, pass(15), applyOf(1)],
	],
	[
		"lost answers, and then an imitated refusal",
		documented,
		[applyOf(0, ["drop-after", "drop-after"]), applyOf(0, ["imitated-400"]), pass(15), applyOf(0)],
	],
	[
		"an imitated denial after a lost answer",
		alone,
		[applyOf(0, ["drop-after", "imitated-403-after"]), pass(15), applyOf(0)],
	],
	["nothing but pages of a gateway", documented, [applyOf(0, always("html-404-after")), pass(40), applyOf(0)]],
	[
		"a clock that is behind and then ahead, and answers that are lost",
		{ ...alone, reads: "documented" },
		[
			{ kind: "set-clock", machine: 0, minutes: -40 },
			applyOf(0, always("drop-after")),
			pass(20),
			applyOf(0),
			{ kind: "set-clock", machine: 0, minutes: 120 },
			applyOf(0),
		],
	],
	[
		"a kill at every request",
		{ ...alone, reads: "documented" },
		[1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((at) =>
			(["before", "after"] as const).map((when) => applyOf(0, [], { kill: { at, when } })),
		),
	],
	[
		"two runs at once, and imitated refusals",
		documented,
		[applyOf(0, ["imitated-400"], { meanwhile: atOnce }), applyOf(0)],
	],
	[
		"a rejection that another run of the journal knows of",
		plain,
		[applyOf(0), { kind: "vote", how: "reject_activity", who: "bob", which: 0 }, applyOf(0), pass(15), applyOf(1)],
	],
];

describe("a history of many commands", { timeout: 120_000 }, () => {
	it("makes each change once, whatever goes wrong in it", async () => {
		const { cases, findings } = await prove(proof, { seed: 1, cases: 5, seconds: undefined });
		expect(findings).toEqual([]);
		expect(cases).toBe(5);
	});

	it.each(examples)("makes each change once with %s", async (_what, given, actions) => {
		const counts = new Counts();
		await proof.begin?.(0);
		try {
			await live(given, actions, counts);
		} finally {
			await proof.end?.(counts);
		}
		expect(counts.of("activities")).toBeGreaterThan(0);
	});
});
