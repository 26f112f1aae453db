/** The kinds of races. Each draws a world, lets commands race in it, and judges what is left. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { minuteMs, quarterHourMs, type Runner } from "../arena.ts";
import { asksFor, changesOf, type ListedActivity, users } from "../small-world.ts";
import { fail, findDuplicates, judgeActivities, judgeEnds, judgeState, judgeVotes, type Raced } from "./judge.ts";
import { savedPlanAgain, savedPlanTwice, staleSavedPlan } from "./saved-plans.ts";
import { apply, approve, converge, type RaceCase, race, type Setting, set, yes } from "./setting.ts";

/** Two applies of the same document. */
async function applyTwice(given: RaceCase, machines: readonly [number, number]): Promise<void> {
	const { random } = given;
	const approvals = random() < 0.3 ? 2 : 1;
	const isShared = machines[0] === machines[1];
	const setting = await set(given, { documented: 0.3, approvals, atTheEnd: 0.1, processes: isShared ? 0.12 : 0.04 });
	const { arena, world, isDocumented, counts } = setting;
	const startedMs = arena.nowMs;
	const other = !isShared && random() < 0.2 ? "bob" : "alice";
	const raced = await race(setting, [apply(machines[0]), apply(machines[1], other)]);
	if (!isShared && isLeftOut(raced, startedMs, { isDocumented, isPending: approvals > 1 })) {
		counts.add("left out: two runners in different quarter-hours");
		return;
	}
	if (!isShared && isDocumented && isHiddenByRename(raced)) {
		counts.add("left out: members unreadable, and the other runner's rename of the same tag completed first");
		return;
	}
	const asked = isDocumented ? world.asked : world.changes;
	judgeActivities(raced, asked);
	// With one journal and without list_activities, a rename in flight conflicts with what the other runner would add.
	const held = isShared && isDocumented ? [7, 8] : [];
	judgeEnds(raced, approvals === 1 || isDocumented ? [0, ...held] : [8, 0]);
	const last = await converge(raced, apply(machines[0]));
	judgeActivities(last, asked);
	if (!isDocumented) judgeState(last);
	counts.add("activities", arena.activities().length);
}

/** Two applies, and others who change a policy or tag of the document between any two of their requests. */
async function besideOthers(given: RaceCase): Promise<void> {
	const { random } = given;
	const setting = await set(given, { approvals: random() < 0.3 ? 2 : 1, processes: 0, writes: true });
	const { arena, world } = setting;
	const others = Math.floor(random() * 60);
	const isTag = others % 3 === 0;
	const raced = await race(setting, [apply(0), apply(random() < 0.5 ? 0 : 1)], others);
	judgeEnds(raced, [0, 1, 5, 7, 8]);
	// A tag that others made or took away is not the one that policies named: a guard stops that.
	const last = await converge(raced, apply(0), isTag ? [1, 5] : []);
	const isUndone = (change: string): boolean => /^(create (policy|tag)|text) /.test(change);
	for (const change of arena.activities().flatMap(changesOf))
		if (!asksFor(world, change, world.changes)) fail(last, `the document does not ask for: ${change}`);
	for (const [change, { length }] of findDuplicates(arena.activities()))
		if (length > (isUndone(change) ? 2 : 1)) fail(last, `one change has ${length} activities: ${change}`);
	if (last.ended.at(-1)?.code === 0) judgeState(last);
}

/** What one runner can see of the activities of another. */
interface Visibility {
	readonly isDocumented: boolean;
	/** Whether activities are pending, and not complete at once. */
	readonly isPending: boolean;
}

/**
 * Whether a quarter of an hour ended between the submits of the runners, before either could see the activity of the other, and
 * that shows: a change has two activities, or the second was refused.
 */
function isLeftOut(
	{ arena, steps, ended }: Raced,
	startedMs: number,
	{ isDocumented, isPending }: Visibility,
): boolean {
	const quarterOf = (ms: number) => Math.floor(ms / quarterHourMs);
	if (quarterOf(startedMs) === quarterOf(arena.nowMs)) return false;
	if (findDuplicates(arena.activities()).size === 0 && ended.every(({ code }) => code === 0 || code === 8))
		return false;
	const isSubmit = (step: string) => / sends (update|delete)_/.test(step);
	const first = steps.find(isSubmit)?.slice(0, "runner 0".length) ?? "";
	const last = steps.findLastIndex((step) => step.startsWith(first) && isSubmit(step));
	// A pending activity shows in the list of activities; one that completed, in what is read before.
	const look = isPending ? " sends list_activities" : " sends list_";
	const seen = steps.findIndex((step) => !step.startsWith(first) && step.includes(look));
	return isDocumented || seen < last;
}

/**
 * Whether the only duplicates are members of a tag that one activity renames too: the runner that read the new name could not know
 * that the same request had changed the members, and asks for these alone.
 */
function isHiddenByRename({ arena }: Raced): boolean {
	const duplicates = [...findDuplicates(arena.activities())];
	const renames = (activity: ListedActivity) => changesOf(activity).some((change) => change.startsWith("name "));
	return (
		duplicates.length > 0 &&
		duplicates.every(
			([change, list]) => /^(add|remove) /.test(change) && list.length === 2 && list.filter(renames).length === 1,
		)
	);
}

/** Applies alone on a machine, and returns the activities that now need approval. Undefined if there is none. */
async function makePending(setting: Setting, machine: number): Promise<readonly ListedActivity[] | undefined> {
	await setting.arena.alone(apply(machine));
	const pending = setting.arena.activities().filter(({ status }) => status === "ACTIVITY_STATUS_CONSENSUS_NEEDED");
	return pending.length === 0 ? undefined : pending;
}

/** Judges what approvals and applies left, and lets the rest follow. */
async function judgeApprovals(raced: Raced, codes: readonly number[]): Promise<void> {
	judgeActivities(raced, raced.world.changes);
	judgeVotes(raced);
	judgeEnds(raced, codes);
	const last = await converge(raced, apply(0));
	judgeActivities(last, raced.world.changes);
	judgeVotes(last);
	judgeState(last);
}

/** An apply joins what is pending while another user approves it; the apply may be on a machine without the journal. */
async function applyAgainstApprove(given: RaceCase): Promise<void> {
	const { random } = given;
	const approvals = random() < 0.3 ? 3 : 2;
	const setting = await set(given, { approvals });
	if ((await makePending(setting, 0)) === undefined) return;
	// In another quarter of an hour only the list of activities says what is pending.
	if (random() < 0.4) setting.arena.advance(20 * minuteMs);
	const waits = random() < 0.3 && !setting.asProcesses ? ["--wait-for-approval", "3m"] : [];
	const others = random() < 0.3 ? [approve(2, "carol")] : [];
	const machine = Math.floor(random() * 2);
	const raced = await race(setting, [
		apply(machine, "alice", ...waits),
		approve(machine === 0 ? 1 : 2, "bob"),
		...others,
	]);
	await judgeApprovals(raced, [0, 8]);
}

/** Two users approve the same activities; both votes must count. */
async function twoApprovers(given: RaceCase): Promise<void> {
	const { random, counts } = given;
	const approvals = random() < 0.5 ? 3 : 2;
	const setting = await set(given, { approvals });
	const pending = await makePending(setting, 0);
	if (pending === undefined) return;
	const machine = random() < 0.5 ? 1 : 2;
	const raced = await race(setting, [approve(1, "bob"), approve(machine, "carol")]);
	if (approvals === 3) {
		for (const { id } of pending) {
			const now = raced.arena.activities().find((one) => one.id === id);
			if (now?.status !== "ACTIVITY_STATUS_COMPLETED") fail(raced, `both approved ${id}, and it is ${now?.status}`);
		}
	}
	counts.add("votes", raced.arena.votes().length);
	await judgeApprovals(raced, [0, 8]);
}

/** One user approves twice at the same moment. With one journal, one request is sent for each vote. */
async function oneApproverTwice(given: RaceCase): Promise<void> {
	const setting = await set(given, { approvals: 3 });
	const pending = await makePending(setting, 0);
	if (pending === undefined) return;
	const isShared = given.random() < 0.6;
	const raced = await race(setting, [approve(1, "bob"), approve(isShared ? 1 : 2, "bob")]);
	const sent = raced.arena.submits().filter(({ operation }) => operation === "approve_activity");
	const votes = new Set(sent.map(({ fingerprint }) => fingerprint)).size;
	if (isShared && votes !== pending.length) fail(raced, `${votes} votes were sent for ${pending.length} activities`);
	await judgeApprovals(raced, isShared ? [8] : [8, 1]);
}

/** One user approves and another rejects: an activity ends once. */
async function approveAgainstReject(given: RaceCase): Promise<void> {
	const setting = await set(given, { approvals: 2 });
	const pending = await makePending(setting, 0);
	if (pending === undefined) return;
	const reject: Runner = { words: ["reject", ...yes, ...pending.map(({ id }) => id)], who: "carol", machine: 2 };
	const raced = await race(setting, [approve(1, "bob"), reject]);
	judgeActivities(raced, raced.world.changes);
	judgeVotes(raced);
	judgeEnds(raced, [0, 1, 9]);
	const { arena } = raced;
	for (const { id } of pending) {
		const status = arena.activities().find((one) => one.id === id)?.status ?? "";
		if (!/COMPLETED|REJECTED/.test(status)) fail(raced, `${id} was approved and rejected, and it is ${status}`);
	}
	// What was rejected is not submitted again: each change has one activity. What waited for a tag that is there now may follow.
	const again = await arena.alone(apply(0));
	const last = { ...raced, runners: [...raced.runners, apply(0)], ended: [...raced.ended, again] };
	judgeActivities(last, raced.world.changes);
}

/** `wait`, `plan`, `drift` and `status` beside an apply: they submit nothing. */
async function readersBeside(given: RaceCase): Promise<void> {
	const { random } = given;
	const setting = await set(given, { approvals: random() < 0.3 ? 2 : 1, documented: 0.2 });
	const name = ["plan", "drift", "status", "wait"][Math.floor(random() * 4)] ?? "plan";
	const words = [name, "--no-color", ...(name === "wait" ? ["--wait", "60"] : [])];
	const raced = await race(setting, [apply(0), { words, who: "alice", machine: Math.floor(random() * 2) }]);
	const asked = setting.isDocumented ? setting.world.asked : setting.world.changes;
	if (raced.steps.some((step) => /runner 1: sends (update|delete|init|approve|reject)_/.test(step)))
		fail(raced, `${name} submitted`);
	judgeActivities(raced, asked);
	// Where nothing but names can be read, drift says that it could not look: 1.
	judgeEnds(raced, setting.isDocumented && name === "drift" ? [0, 1, 2, 8] : [0, 2, 8]);
	const last = await converge(raced, apply(0));
	judgeActivities(last, asked);
}

/** Two people give access in the same document at the same moment. Fails if an edit that was reported is not in the document. */
async function twoGrants(given: RaceCase): Promise<void> {
	const { random, counts } = given;
	const setting = await set(given, { processes: 0.25 });
	const { arena, world } = setting;
	const file = join(arena.folderOf(0), "orgsync.yaml");
	writeFileSync(file, `${world.document.split("\n")[0]}\nuserTags: [{ name: signers, members: { atLeast: [] } }]\n`);
	const grant = (user: string, reason: string): Runner => ({
		...{ words: ["grant", user, "signers", "--for", "4h", "--reason", reason, "--no-color"], who: "alice", machine: 0 },
	});
	const [one, other] = [users.bob, users.carol];
	const isSame = random() < 0.2;
	const runners = [grant(one, "the first reason"), grant(isSame ? one : other, "the second reason")];
	// What comes after the last answer is between the files alone, so most of these go as they come.
	const raced = await race(random() < 0.7 ? { ...setting, random: () => 0.95 } : setting, runners);
	judgeEnds(raced, [0, 3]);
	const written = readFileSync(file, "utf8");
	for (const [index, { code, stderr }] of raced.ended.entries()) {
		const reason = index === 0 ? "the first reason" : "the second reason";
		if (code === 3 && !/was changed while|another orgsync/.test(stderr))
			fail(raced, `runner ${index} was refused for another reason`);
		const isExpected = written.includes(reason) === (code === 0);
		// A second grant of the same access replaces the first, after it was written.
		if (!isExpected && !(isSame && code === 0))
			fail(raced, `runner ${index} ended with ${code}, and the document is\n${written}`);
		counts.add(code === 0 ? "edits written" : "edits refused");
	}
}

export const raceKinds: readonly (readonly [string, (given: RaceCase) => Promise<void>])[] = [
	["two applies, separate journals", (given) => applyTwice(given, [0, 1])],
	["two applies, separate journals", (given) => applyTwice(given, [0, 1])],
	["two applies, separate journals", (given) => applyTwice(given, [0, 1])],
	["two applies beside others", besideOthers],
	["two applies, one journal", (given) => applyTwice(given, [0, 0])],
	["apply against approve", applyAgainstApprove],
	["two approvers", twoApprovers],
	["one approver twice", oneApproverTwice],
	["approve against reject", approveAgainstReject],
	["a saved plan twice", savedPlanTwice],
	["a saved plan that is stale", staleSavedPlan],
	["a saved plan that ran before", savedPlanAgain],
	["readers beside an apply", readersBeside],
	["two grants in one document", twoGrants],
];
