import { describe, expect, test } from "vitest";
import { readOutput } from "../run.ts";
import { alice, bob, carol, document, makeWorld } from "../world.ts";

const renaming = document("userTags: [{ name: signatories, previously: [signers] }]");

describe("plan --submitter", () => {
	test.each([
		{ user: "bob", id: bob },
		{ user: carol.toUpperCase(), id: carol },
	])("predicts approvals for $user, and does not ask whose key it is", async ({ user, id }) => {
		const world = await makeWorld(renaming);
		const answer = await world.run(["plan", "--submitter", user, "--format", "json"]);
		expect(answer.code).toBe(0);
		expect(readOutput(answer).plans[0].submitterId).toBe(id);
		expect(world.requests()).not.toContain("whoami");
	});

	test("is by default the user of the key", async () => {
		const world = await makeWorld(renaming);
		const answer = await world.run(["plan", "--format", "json"]);
		expect(readOutput(answer).plans[0].submitterId).toBe(alice);
		expect(world.requests().filter((name) => name === "whoami")).toHaveLength(1);
	});

	test("changes no step, and nothing that makes a saved plan stale", async () => {
		const world = await makeWorld(renaming);
		expect((await world.run(["plan", "--submitter", "bob", "--out", "plan.json"])).code).toBe(0);
		expect((await world.run(["apply", "--plan", "plan.json"])).code).toBe(0);
		expect(world.submits()).toEqual(["update_user_tag"]);
	});

	test.each([
		["bobb", "; did you mean bob?"],
		["toString", ""],
	])("is refused before any request for %s, which is no user of the document", async (user, near) => {
		const world = await makeWorld(renaming);
		const { code, stderr, stdout } = await world.run(["plan", "--submitter", user]);
		expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
		expect(stderr).toBe(
			`error: --submitter ${user}: no such user in the document of ${world.organization().organizationId}${near}\nhint: use an alias of the document, or a user id\n`,
		);
		expect(world.requests()).toEqual([]);
	});

	test("is refused with documented reads, which show no policies", async () => {
		const world = await makeWorld(renaming);
		const { code, stderr } = await world.run(["plan", "--submitter", "bob", "--reads", "documented"]);
		expect(code).toBe(3);
		expect(stderr).toContain("error: --submitter and --reads documented cannot be used together");
		expect(world.requests()).toEqual([]);
	});
});
