/** Policies and tags that a document writes, on the emulator: what is submitted, in which order, and what is live then. */
import { beforeEach, describe, expect, test } from "vitest";
import { readOutput } from "../../run.ts";
import { alice, bob, document, makeWorld, type World } from "../../world.ts";

const signing = "activity.kind == 'SIGN_TRANSACTION'";

const policy = (name: string, more = ""): string =>
	`  - { name: ${name}, effect: allow, consensus: "approvers.any(user, user.tags.contains('\${userTags.payers}'))", condition: "${signing}"${more} }`;

const payers = "userTags: [{ name: payers, create: true, members: { exactly: [alice, bob] } }]";

let world: World;

async function start(...sections: readonly string[]): Promise<void> {
	world = await makeWorld(document(...sections));
	// The caller may write policies and tags.
	await world.change({ rootQuorum: { threshold: 1, userIds: [alice] } });
	world.clearRequests();
}

const live = (kind: "policies" | "userTags"): readonly Record<string, unknown>[] => world.organization()[kind];
const named = (name: string) => live("policies").find(({ policyName }) => policyName === name);

describe("a document that creates a tag and the policies that name it", () => {
	beforeEach(() => start(payers, `policies:\n${policy("pay")}\n${policy("pay more")}`));

	test("is applied by two activities, the tag first, and is in sync then", async () => {
		expect(await world.run(["apply", "--yes"])).toMatchObject({ code: 0, stderr: expect.anything() });
		expect(world.submits()).toEqual(["create_user_tag", "create_policies"]);
		const tag = live("userTags").find(({ tagName }) => tagName === "payers");
		expect(tag).toMatchObject({ userIds: [alice, bob] });
		expect(named("pay")).toMatchObject({
			consensus: `approvers.any(user, user.tags.contains('${tag?.tagId}'))`,
			notes: "",
		});
		expect(readOutput(await world.run(["plan", "--format", "json"])).plans[0].changes).toEqual([]);
	});
});
