/** Races of saved plans: what a reviewer saw is submitted once, and only while it is true. */
import type { Runner } from "../arena.ts";
import { type Change, keys, requestOf, submitAs } from "../small-world.ts";
import { fail, judgeActivities, judgeEnds, judgeState } from "./judge.ts";
import { apply, converge, type RaceCase, race, type Setting, set } from "./setting.ts";

async function savePlan({ arena }: Setting): Promise<void> {
	const { code, stderr } = await arena.alone({ words: ["plan", "--out", "../plan.json"], who: "alice", machine: 0 });
	if (code !== 0) throw new Error(`plan ended with ${code}: ${stderr}`);
}

const run = (machine: number): Runner => ({
	words: ["apply", "--no-color", "--plan", "../plan.json"],
	who: "alice",
	machine,
});

/** Two runs of the same saved plan. */
export async function savedPlanTwice(given: RaceCase): Promise<void> {
	const setting = await set(given, { approvals: given.random() < 0.3 ? 2 : 1 });
	await savePlan(setting);
	const raced = await race(setting, [run(0), run(given.random() < 0.5 ? 0 : 1)]);
	judgeActivities(raced, raced.world.changes);
	// The plan is stale for a runner that reads after the other began.
	judgeEnds(raced, [0, 6, 8]);
	const last = await converge(raced, apply(0));
	judgeActivities(last, raced.world.changes);
	judgeState(last);
}

/** Two runs of a plan, of which someone else made a change in the meantime: neither submits. */
export async function staleSavedPlan(given: RaceCase): Promise<void> {
	const setting = await set(given, {});
	await savePlan(setting);
	const changes = [...setting.world.changes].filter((change) => !change.startsWith("name "));
	const change = changes[Math.floor(given.random() * changes.length)];
	if (change === undefined) return;
	await makeAsBob(setting, change);
	const last = await refuseTwice(setting, given.random() < 0.5 ? 1 : 0, "is stale");
	judgeActivities(last, last.world.changes);
}

/** Two more runs of a plan that was applied and partly undone: neither submits. */
export async function savedPlanAgain(given: RaceCase): Promise<void> {
	const setting = await set(given, {});
	await savePlan(setting);
	const changes = [...setting.world.changes].filter((change) => /^(add|remove) /.test(change));
	const change = changes[Math.floor(given.random() * changes.length)];
	if (change === undefined) return;
	const { code, stderr } = await setting.arena.alone(run(0));
	if (code !== 0) throw new Error(`the first apply --plan ended with ${code}: ${stderr}`);
	await makeAsBob(
		setting,
		change.replace(/^\w+/, (verb) => (verb === "add" ? "remove" : "add")),
	);
	await refuseTwice(setting, 0, "ran before");
}

/** Runs the saved plan on the first machine and on another. Fails if it submits anything, or does not refuse; then lets one more apply follow. */
async function refuseTwice(setting: Setting, other: number, why: string) {
	setting.arena.clearRequests();
	const raced = await race(setting, [run(0), run(other)]);
	const submitted = setting.arena.submits().length;
	if (submitted > 0) fail(raced, `a saved plan that ${why} submitted ${submitted} requests`);
	judgeEnds(raced, [6]);
	// What the plan did and someone undid goes to and fro.
	const last = await converge(raced, apply(0, "alice", "--allow", "reversals=1"));
	judgeState(last);
	return last;
}

async function makeAsBob({ arena }: Setting, change: Change): Promise<void> {
	const [name, parameters] = requestOf(change, arena.organization());
	await submitAs(arena.url, keys.bob, name, parameters, arena.nowMs);
	arena.advance(1000);
}
