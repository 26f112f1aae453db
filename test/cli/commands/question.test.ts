/** What an answer to the question of `apply` or `approve` decides, also when the organization changes before it. */
import { expect, test } from "vitest";
import { havePrograms } from "../../needs.ts";
import { readOutput, runOnTerminal } from "../../run.ts";
import { alice, bob, carol, document, makeWorld, tags, type World } from "../../world.ts";

/** `script` of util-linux runs a command on a terminal of its own. */
const hasTerminal = havePrograms("the tests on a terminal", "script");

const tagging = "ACTIVITY_TYPE_UPDATE_USER_TAG";
const addBob = { userTagId: tags.signers, addUserIds: [bob], removeUserIds: [] };
const prompt = "is accepted: ";
const addingBob = document("userTags: [{ name: signers, members: { atLeast: [bob] } }]");

/** Runs on a terminal, changes the organization at the first question, and answers each question with yes. */
async function answerAfter(world: World, words: readonly string[], change: () => Promise<unknown>, questions = 1) {
	const { child, stdout, ended } = world.start(words, { env: { TERM: "xterm" }, terminal: true });
	for (let asked = 1; asked <= questions; asked += 1) {
		await expect.poll(() => stdout().split(prompt).length - 1, { timeout: 20_000 }).toBe(asked);
		if (asked === 1) {
			await change();
			world.clearRequests();
		}
		child.stdin?.write("yes\n");
	}
	const { code, stdout: shown } = await ended;
	return { code, shown, submits: world.submits(), questions: shown.split(prompt).length - 1 };
}

test.runIf(hasTerminal)(
	"a change that another run submits at the question of apply is joined, not submitted again",
	async () => {
		const world = await makeWorld(addingBob);
		await world.setRules({ approvals: { [tagging]: 2 } });
		const end = await answerAfter(world, ["apply"], () => world.submitAsBob("update_user_tag", addBob));
		expect(end).toMatchObject({ code: 8, submits: [], questions: 1 });
		expect(end.shown).toContain("Live state changed while orgsync waited for the answer.");
		expect(world.activities().filter(({ type }) => type === tagging)).toHaveLength(1);
	},
);

/** A tag of which users are to be removed, at most so many, and what adds one more of them. */
async function makeRemoval(members: string, max: number) {
	const world = await makeWorld(
		document(`userTags: [{ name: signers, members: ${members} }]`, `limits: { memberRemovals: ${max} }`),
	);
	const setUsers = (...userIds: string[]) =>
		world.change({ userTags: [{ tagId: tags.signers, tagName: "signers", userIds }] });
	await setUsers(alice, bob);
	return { world, change: () => setUsers(alice, bob, carol) };
}

test.runIf(hasTerminal)("a guard that blocks only since the question of apply keeps it from submitting", async () => {
	const { world, change } = await makeRemoval("{ never: [bob, carol] }", 1);
	const end = await answerAfter(world, ["apply"], change);
	expect(end).toMatchObject({ code: 5, submits: [], questions: 1 });
	expect(end.shown).toContain("blocked by a guard");
});

test.runIf(hasTerminal)(
	"another plan after the question of apply is asked about again, and is what is submitted",
	async () => {
		const { world, change } = await makeRemoval("{ exactly: [alice] }", 2);
		const end = await answerAfter(world, ["apply"], change, 2);
		expect(end).toMatchObject({ code: 0, submits: ["update_user_tag"], questions: 2 });
		expect(world.activities().at(-1).intent.updateUserTagIntent.removeUserIds.toSorted()).toEqual(
			[bob, carol].toSorted(),
		);
	},
);

test.runIf(hasTerminal)("an activity that is rejected at the question of approve gets no vote", async () => {
	const world = await makeWorld(addingBob);
	await world.setRules({ approvals: { [tagging]: 3 } });
	await world.submitAsBob("update_user_tag", addBob);
	const [{ fingerprint }] = world.activities();
	const change = () => world.submitAsBob("reject_activity", { fingerprint });
	const end = await answerAfter(world, ["approve"], change);
	expect(end).toMatchObject({ submits: [], questions: 1 });
	expect(end.shown).toContain("Live state changed while orgsync waited for the answer.");
});

test.runIf(hasTerminal)("the question of apply repeats the worst that the plan does", async () => {
	const { world } = await makeRemoval("{ never: [bob] }", 0);
	const end = await answerAfter(world, ["apply", "--allow", "memberRemovals=1"], async () => {});
	expect(end.code).toBe(0);
	expect(end.shown).toMatch(/1 membership lost, more than the limits allow · 1 activity\S*\s+Submit this activity to /);
});

/** An organization where a change of the tag by bob is pending. */
async function makePendingWorld(parameters: object) {
	const world = await makeWorld(addingBob);
	await world.setRules({ approvals: { [tagging]: 2 } });
	await world.submitAsBob("update_user_tag", { ...addBob, ...parameters });
	const [{ id }] = world.activities();
	const status = () => world.activities().find((one) => one.id === id).status;
	world.clearRequests();
	return { world, id, status };
}

test.runIf(hasTerminal)("approve votes only where the answer is yes, and exits with 1 where it is not", async () => {
	const { world, status } = await makePendingWorld({});
	const declined = await runOnTerminal(world, ["approve"], "no");
	expect({ code: declined.code, status: status() }).toEqual({ code: 1, status: "ACTIVITY_STATUS_CONSENSUS_NEEDED" });
	const agreed = await runOnTerminal(world, ["approve"], "yes");
	expect({ code: agreed.code, status: status() }).toEqual({ code: 0, status: "ACTIVITY_STATUS_COMPLETED" });
});

test.runIf(hasTerminal)("an activity stays unabandoned where the answer is not yes", async () => {
	const { world, id } = await makePendingWorld({ addUserIds: [], newUserTagName: "others" });
	expect((await runOnTerminal(world, ["apply", "--abandon", id], "no")).code).toBe(1);
	expect(world.submits()).toEqual([]);
	const { plans } = readOutput(await world.run(["plan", "--format", "json"]));
	expect(plans[0].waiting).toMatchObject([{ activityId: id, relation: "conflicting" }]);
});
