/** Policies and tags that a document states become one activity each, whatever is lost, denied, or done by others meanwhile. */
import { describe, expect, test } from "vitest";
import { agreeing, alice, document, makeWorld, type World } from "../../world.ts";

const policy = (name: string, more = "", tag = "signers"): string =>
	`  - { name: ${name}, effect: allow, consensus: "approvers.any(user, user.tags.contains('\${userTags.${tag}}'))", condition: "activity.kind == 'SIGN_TRANSACTION'"${more} }`;

const signers = "userTags: [{ name: signers }]";
const payers = "userTags: [{ name: payers, create: true, members: { exactly: [alice] } }]";

let world: World;

async function start(...sections: readonly string[]): Promise<void> {
	world = await makeWorld(document(...sections));
	await world.change({ rootQuorum: { threshold: 1, userIds: [alice] } });
	world.clearRequests();
}

const apply = () => world.run(["apply", "--yes"]);
const live = (kind: "policies" | "userTags"): readonly Record<string, unknown>[] => world.organization()[kind];

describe("the requests of an apply", () => {
	test("read live state once before the pending activities, once after them, and once after the last step", async () => {
		await start(payers, `policies:\n${policy("pay", "", "payers")}`);
		expect(await apply()).toMatchObject({ code: 0 });
		const reads = ["list_user_tags", "list_users", "list_policies"];
		const needs = ["list_activities", "get_organization_configs", "whoami"];
		expect(world.requests()).toEqual([...reads, ...needs, ...reads, "create_user_tag", "create_policies", ...reads]);
	});

	test("are the documented ones and the reads of its members for a document that states no policy", async () => {
		await start(agreeing.userTags.replace("exactly: [alice, carol]", "exactly: [alice, bob]"));
		expect(await apply()).toMatchObject({ code: 0 });
		const reads = ["list_user_tags", "list_users"];
		const needs = ["list_activities", "whoami", "list_policies", "get_organization_configs"];
		expect(world.requests()).toEqual([...reads, ...needs, ...reads, "update_user_tag", ...reads]);
	});
});

describe("policies that cannot be read", () => {
	test("are neither created nor removed, and apply ends with 1 and says why", async () => {
		await start(signers, `policies:\n${policy("pay")}`, "exactly: { policies: {} }");
		await world.setRules({ denyReads: ["list_policies"] });
		const applied = await apply();
		expect(applied).toMatchObject({ code: 1 });
		expect(applied.stdout).toContain("policy:*: the service denies list_policies to this key");
		expect(world.submits()).toEqual([]);
		expect(live("policies")).toHaveLength(3);
	});
});
