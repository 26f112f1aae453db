/** Drift of policies and tags that a document writes, on the emulator: what differs, who changed it, and accepting it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { normalize, readOutput } from "../../run.ts";
import { alice, bob, document, makeWorld, policies } from "../../world.ts";

const entry = (name: string, condition: string): string =>
	`  - { name: ${name}, effect: allow, consensus: "approvers.count() > 1", condition: "${condition}" }`;

const sections = [
	"userTags: [{ name: payers, create: true, members: { exactly: [alice, bob] } }]",
	`policies:\n${["pay", "pay more"].map((name) => entry(name, "false")).join("\n")}`,
	'exactly: { policies: { except: ["policy *"] } }',
];

test("drift finds changed, removed and added policies and tags that are gone, says who changed them, and accepts them", async () => {
	const world = await makeWorld(document(...sections));
	await world.change({ rootQuorum: { threshold: 1, userIds: [alice, bob] } });
	await world.submitAsBob("create_user_tag", { userTagName: "payers", userIds: [alice, bob] });
	const wanted = { effect: "EFFECT_ALLOW", consensus: "approvers.count() > 1", condition: "false", notes: "" };
	const named = ["pay", "pay more", "extra"].map((policyName) => ({ ...wanted, policyName }));
	await world.submitAsBob("create_policies", { policies: named });
	const idOf = (name: string): string =>
		world.organization().policies.find((one: { policyName: string }) => one.policyName === name).policyId;
	const tagId = world.organization().userTags.find((one: { tagName: string }) => one.tagName === "payers").tagId;
	await world.moveClock(60_000);
	await world.submitAsBob("update_policy", { policyId: idOf("pay"), policyCondition: "true" });
	await world.submitAsBob("delete_policies", { policyIds: [idOf("pay more")] });
	await world.submitAsBob("delete_user_tags", { userTagIds: [tagId] });
	world.clearRequests();
	const { code, stdout } = await world.run(["drift"]);
	expect(code).toBe(2);
	await expect(normalize(stdout)).toMatchFileSnapshot("../../golden/cli/drift-policies.txt");

	for (const [index, subject] of [
		"policy:pay",
		"policy:pay more",
		`policy:${idOf("extra")}`,
		"policy:never",
	].entries()) {
		const names = ["policy-changed", "policy-removed", "policy-by-id", "policy-none"];
		const history = await world.run(["explain", subject]);
		expect(history.code).toBe(0);
		await expect(normalize(history.stdout).replace(/[-\d]{10} [:\d]{5,8} UTC/g, "TIME")).toMatchFileSnapshot(
			`../../golden/cli/explain-${names[index]}.txt`,
		);
	}
	const { history } = readOutput(await world.run(["explain", "policy:pay", "--format", "json"]));
	expect(history).toMatchObject([
		{ what: "create", fields: { name: "pay", condition: "false" } },
		{ what: "update", userId: bob, fields: { condition: "true" } },
	]);

	const accepted = await world.run(["drift", "--accept", "policy:*", "--accept", "userTag:payers"]);
	expect(accepted.stderr).toMatch(/^accepted policy:/);
	const written = readFileSync(join(world.folder, "orgsync.yaml"), "utf8");
	expect(written).toBe(
		document(
			"userTags: []",
			["policies:", entry("pay", "true"), ...blockOf("extra", "false")].join("\n"),
			sections[2] as string,
		),
	);
	expect((await world.run(["drift"])).code).toBe(0);
	expect(world.submits()).toEqual([]);
	expect(policies.length).toBe(3);
});

const blockOf = (name: string, condition: string): readonly string[] => [
	`  - name: ${name}`,
	"    effect: allow",
	"    consensus: |-",
	"      approvers.count() > 1",
	"    condition: |-",
	`      ${condition}`,
];

test("explain names the tags and users of a policy's texts as documents do, after reading them once", async () => {
	const world = await makeWorld(document("userTags: []"));
	await world.change({
		rootQuorum: { threshold: 1, userIds: [alice, bob] },
		userTags: [{ tagId: policies[0], tagName: "payers", userIds: [] }],
	});
	const consensus = `approvers.any(user, user.id == '${alice}' || user.tags.contains('${policies[0]}'))`;
	const policy = { policyName: "pay", effect: "EFFECT_ALLOW", consensus, condition: "false", notes: alice };
	await world.submitAsBob("create_policies", { policies: [policy] });
	world.clearRequests();
	const { stdout } = await world.run(["explain", "policy:pay"]);
	const shown = "approvers.any(user, user.id == '${users.alice}' || user.tags.contains('${userTags.payers}'))";
	expect(stdout).toContain(`consensus: ${JSON.stringify(shown)}\n`);
	expect(stdout).toContain(`notes: "${alice}"\n`);
	expect(world.requests()).toEqual(["list_policies", "list_activities", "list_users", "list_user_tags"]);
});

test("explain, grant and revoke take a name as plans show it", async () => {
	const world = await makeWorld(document('userTags: [{ name: "a, \\"b\\"" }]'));
	await world.change({
		userTags: [{ tagId: policies[0], tagName: 'a, "b"', userIds: [] }],
		policies: [{ policyId: policies[0], policyName: "pay, more", effect: "EFFECT_DENY", condition: "true" }],
	});
	const explained = await world.run(["explain", 'policy:"pay, more"']);
	expect(explained.stdout).toContain(`Policy "pay, more" (${policies[0]})`);
	const shown = 'userTag:"a, \\"b\\""';
	const granted = await world.run(["grant", "bob", shown, "--for", "1h", "--reason", "r"]);
	expect(granted.stderr).toContain(`bob gets ${shown} until`);
	expect((await world.run(["revoke", "bob", shown])).code).toBe(0);
});
