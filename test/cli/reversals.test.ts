/** Documents that want opposite things of one user tag: the third activity of an exchange is not submitted. */
import { describe, expect, test } from "vitest";
import { readOutput } from "../run.ts";
import { alice, bob, carol, document, keys, makeWorld, organizationId, tags, type World } from "../world.ts";

const tag = (parts: string) => document(`userTags: [{ id: ${tags.signers}, ${parts} }]`);
const withBob = tag("name: signers, members: { atLeast: [bob] }");
const withoutBob = tag("name: signers, members: { atLeast: [], never: [bob] }");

/** Runs of two documents in turn, each with its own journal unless `journal` is one for both. */
async function exchange(world: World, rounds: number, { journal = "", more = [] as readonly string[] } = {}) {
	const answers = [];
	for (let round = 0; round < rounds; round += 1) {
		const name = round % 2 === 0 ? "one" : "other";
		const words = ["apply", "-f", `${name}.yaml`, "--yes", "--journal", journal || `${name}.sqlite`, ...more];
		answers.push(await world.run(words));
		await world.moveClock(1000);
	}
	return answers;
}

async function makeExchange(one: string, other: string): Promise<World> {
	const world = await makeWorld();
	world.write("one.yaml", one);
	world.write("other.yaml", other);
	return world;
}

const codesOf = (answers: readonly { readonly code: number | null }[]) => answers.map(({ code }) => code);

describe("two documents that want opposite things of one tag", () => {
	test("stop before the third activity, and name both activities, who submitted them, and the document", async () => {
		const world = await makeExchange(withBob, withoutBob);
		const answers = await exchange(world, 3);
		const [made, undone] = world.activities();
		expect(codesOf(answers)).toEqual([0, 0, 5]);
		expect(world.activities().length).toBe(2);
		const { stderr = "" } = answers[2] ?? {};
		expect(stderr).toMatch(
			new RegExp(
				`blocked by a guard, nothing was submitted: userTag:signers was changed and changed back: activity ${made.id} \\(of alice, .*Z\\) made this change, activity ${undone.id} \\(of alice, .*Z\\) undid it, and one.yaml would make the change again \\(allowed: no change that was made and undone before\\)`,
			),
		);
		expect(stderr).toContain("hint: to override: --allow reversals=1\n");
		expect((await world.run(["plan", "-f", "one.yaml", "--detailed-exitcode"])).code).toBe(5);
		const allowed = await world.run(["apply", "-f", "one.yaml", "--yes", "--allow", "reversals=1", "--format", "json"]);
		expect(allowed.code).toBe(0);
		expect(readOutput(allowed).reports[0].overrides).toEqual([{ flag: "allow", kind: "reversals", number: 1 }]);
	});

	test("stop in a fleet before anything is submitted to its other organizations", async () => {
		const second = organizationId.replace(/1$/, "2");
		const of = (text: string, members: string) =>
			`${text}---\norganizationId: ${second}\nusers: { bob: ${bob} }\nuserTags: [{ name: oncall, members: { ${members} } }]\n`;
		const world = await makeExchange(of(withBob, "atLeast: []"), of(withoutBob, "atLeast: []"));
		await world.addOrganization({
			...{ organizationId: second, organizationName: "Other" },
			users: [
				{ userId: bob, userName: "bob" },
				{ userId: alice, userName: "alice", apiKeys: [{ publicKey: keys.alice.publicKey }] },
			],
			userTags: [{ tagId: tags.oncall, tagName: "oncall", userIds: [] }],
		});
		expect(codesOf(await exchange(world, 2))).toEqual([0, 0]);
		world.write("one.yaml", of(withBob, "atLeast: [bob]"));
		world.clearRequests();
		expect({ codes: codesOf(await exchange(world, 1)), submits: world.submits() }).toEqual({ codes: [5], submits: [] });
	});
});

test("one revert of someone else's change is ordinary, and costs no request more", async () => {
	const world = await makeWorld(document("userTags: [{ name: signers, members: { exactly: [alice, carol] } }]"));
	await world.submitAsBob("update_user_tag", { userTagId: tags.signers, addUserIds: [bob], removeUserIds: [] });
	await world.moveClock(1000);
	world.clearRequests();
	expect((await world.run(["apply", "--yes"])).code).toBe(0);
	expect(world.requests().filter((name) => name === "list_activities").length).toBe(1);
	expect(world.organization().userTags[0].userIds).toEqual([alice, carol]);
});

test("activities behind a hundred others are found in the journal", async () => {
	const world = await makeExchange(withBob, withoutBob);
	expect(codesOf(await exchange(world, 2, { journal: "both.sqlite" }))).toEqual([0, 0]);
	for (let count = 1; count <= 100; count += 1) {
		const moved =
			count % 2 === 0 ? { addUserIds: [], removeUserIds: [carol] } : { addUserIds: [carol], removeUserIds: [] };
		await world.submitAsBob("update_user_tag", { userTagId: tags.oncall, ...moved }, count * 1000);
	}
	await world.moveClock(101_000);
	const [answer] = await exchange(world, 1, { journal: "both.sqlite" });
	expect({ code: answer?.code, stderr: answer?.stderr }).toEqual({
		code: 5,
		stderr: expect.stringContaining("(submitted with this journal, "),
	});
});

test("access that is granted for a time and revoked early is ordinary, however often", async () => {
	const world = await makeWorld(document("userTags: [{ name: signers, members: { exactly: [alice, carol] } }]"));
	const codes = [];
	for (let round = 0; round < 4; round += 1) {
		for (const words of [
			["grant", "bob", "signers", "--for", "1h", "--reason", "page"],
			["apply", "--yes"],
			["revoke", "bob", "signers"],
			["apply", "--yes"],
		]) {
			codes.push((await world.run(words)).code);
			await world.moveClock(61_000);
		}
	}
	expect({ codes: new Set(codes), activities: world.activities().length }).toEqual({
		codes: new Set([0]),
		activities: 8,
	});
});
