/** A saved plan that creates, changes and removes policies and tags: it runs as it was reviewed, and a forged one does not. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { digestOf } from "../../../src/plan/value.ts";
import { alice, bob, document, makeWorld, policies, tags, type World } from "../../world.ts";

const policy = (name: string, tag: string, more = ""): string =>
	`  - { name: ${name}, effect: allow, consensus: "approvers.any(user, user.tags.contains('\${userTags.${tag}}'))", condition: "activity.kind == 'SIGN_TRANSACTION'"${more} }`;

const payers = "{ name: payers, create: true, members: { exactly: [alice, bob] } }";
const text = document(
	`userTags: [{ name: signers }, ${payers}, { name: refunders, create: true }]`,
	`policies:\n${policy("pay", "payers")}\n${policy("sign", "signers")}\n${policy("policy 3", "signers", ", notes: new")}`,
	"absent: { policies: [policy 1], userTags: [auditors] }",
	"exactly: { policies: { except: [break*] } }",
	"limits: { policies: 5, userTags: 5, policyUpdates: 5, takeovers: 5, escalation: 50, lockout: 50 }",
);

let world: World;

beforeEach(async () => {
	world = await makeWorld(text);
	await world.change({ rootQuorum: { threshold: 1, userIds: [alice] } });
	world.clearRequests();
});

const applySaved = () => world.run(["apply", "--yes", "--plan", "plan.json"]);

async function approveAll(): Promise<void> {
	const pending = world.activities().filter(({ status }) => status === "ACTIVITY_STATUS_CONSENSUS_NEEDED");
	for (const { fingerprint } of pending) await world.submitAsBob("approve_activity", { fingerprint });
}

const other = "70000000-0000-4000-8000-000000000008";
const stranger = "70000000-0000-4000-8000-000000000009";

/** Plans, and writes the plan with another text in place of one, and with its digest. */
async function forge(text: string | RegExp, other: string): Promise<void> {
	await world.run(["plan", "--out", "plan.json"]);
	const { digest: _, ...content } = JSON.parse(
		readFileSync(join(world.folder, "plan.json"), "utf8").replaceAll(text, () => other),
	);
	world.write("plan.json", JSON.stringify({ ...content, digest: digestOf(content) }));
}

describe("a saved plan with creates, updates and removals", () => {
	test("is shown, applied once, and leaves nothing to do", async () => {
		expect(await world.run(["plan", "--out", "plan.json"])).toMatchObject({ code: 0 });
		const shown = await world.run(["show", "plan.json"]);
		expect(shown).toMatchObject({ code: 0 });
		expect(shown.stdout).toContain("+ policy:pay");
		world.clearRequests();
		expect(await applySaved()).toMatchObject({ code: 0 });
		expect(world.submits()).toHaveLength(6);
		expect((await world.run(["plan"])).stdout).toContain("No changes.");
		expect(await applySaved()).toMatchObject({ code: 6 });
	});
});

test("a saved plan removes a tag that the document names by its id", async () => {
	const live = () => world.organization().userTags.map(({ tagId }: { tagId: string }) => tagId);
	expect(live()).toContain(tags.auditors);
	world.write("orgsync.yaml", document(`absent: { userTags: [${tags.auditors}] }`, "limits: { userTags: 1 }"));
	expect(await world.run(["plan", "--out", "plan.json"])).toMatchObject({ code: 0 });
	expect(await applySaved()).toMatchObject({ code: 0 });
	expect(live()).not.toContain(tags.auditors);
	const again = await world.run(["apply", "--yes", "--plan", "plan.json", "--journal", "other.sqlite"]);
	expect(again.code).toBe(6);
	expect(again.stderr).toContain("userTag:auditors: the tag no longer exists\n");
});

test("a saved plan whose policies go ahead of a tag that will be pending runs to its end", async () => {
	const limits = "limits: { escalation: 50, lockout: 50 }";
	const refund = policy("refund", "refunders");
	world.write(
		"orgsync.yaml",
		document(
			`userTags: [{ name: oncall }, { name: payers, create: true, members: { exactly: [carol] } }, { name: refunders, create: true }]`,
			`policies:\n${policy("pay", "payers")}\n${policy("sign", "oncall")}\n${refund}`,
			limits,
		),
	);
	await world.change({ rootQuorum: { threshold: 2, userIds: [alice, bob] }, remove: { policies } });
	expect(await world.run(["plan", "--out", "plan.json"])).toMatchObject({ code: 0 });
	expect((await world.run(["show", "plan.json"])).stdout).toContain("Plan: 4 activities; 4 will be pending");
	expect(await applySaved()).toMatchObject({ code: 8 });
	expect(world.submits()).toEqual(["create_user_tag", "create_user_tag", "create_policies"]);
	await approveAll();
	expect(await applySaved()).toMatchObject({ code: 8 });
	expect(world.submits().filter((one) => one === "create_policies")).toHaveLength(2);
	await approveAll();
	expect((await world.run(["plan"])).stdout).toContain("No changes.");
	const again = "userTag:payers: the plan file states that it did not exist, now a tag of this name exists\n";
	expect((await applySaved()).stderr).toContain(again);
});

describe("a forged plan", () => {
	const standIn = /[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}/g;

	test.each([
		["another template", "user.tags.contains('${userTags.payers}')", "user.tags.contains('${userTags.signers}')"],
		["a wider template", "approvers.any(user, user.tags.contains('${userTags.payers}'))", "true"],
		["another stand-in", standIn, "11111111-1111-8111-8111-111111111111"],
		["an id in place of a stand-in", standIn, stranger],
		["another name of a policy", /"policyName": "pay"/g, '"policyName": "play"'],
	])("with %s is refused when it is shown", async (_what, text, other) => {
		await forge(text, other);
		const shown = await world.run(["show", "plan.json"]);
		expect(shown).toMatchObject({ code: 3 });
		expect(shown.stderr).toContain("was not made by this orgsync");
	});

	test("with another id of a live tag is refused when it is applied", async () => {
		await forge(new RegExp(`contains\\('${tags.signers}'\\)`, "g"), `contains('${stranger}')`);
		expect(await applySaved()).toMatchObject({ code: 6 });
		expect(world.submits()).toEqual([]);
	});
});

describe("a saved plan whose tag needs approval", () => {
	const approve = async (): Promise<void> => {
		const { fingerprint } = world.activities().find(({ status }) => status === "ACTIVITY_STATUS_CONSENSUS_NEEDED");
		await world.submitAsBob("approve_activity", { fingerprint });
	};

	beforeEach(async () => {
		const text_ = document(
			`userTags: [{ name: signers }, ${payers}]`,
			`policies:\n${policy("pay", "payers")}\n${policy("sign", "signers")}`,
			"limits: { escalation: 50 }",
		);
		world.write("orgsync.yaml", text_);
		const rules = { ACTIVITY_TYPE_CREATE_USER_TAG: 2, ACTIVITY_TYPE_CREATE_POLICIES: 2 };
		await world.setRules({ approvals: rules });
		await world.run(["plan", "--out", "plan.json"]);
		expect(await applySaved()).toMatchObject({ code: 8 });
		await approve();
	});

	test("goes on with the policies once the tag exists, and joins their creation", async () => {
		expect(await applySaved()).toMatchObject({ code: 8 });
		expect(await applySaved()).toMatchObject({ code: 8 });
		await approve();
		expect((await world.run(["plan"])).stdout).toContain("No changes.");
		expect(world.submits().filter((one) => one.startsWith("create_"))).toEqual(["create_user_tag", "create_policies"]);
		expect(await applySaved()).toMatchObject({ code: 6 });
	});

	test("goes on though other steps completed too, whose impact is so already", async () => {
		const named = {
			policyId: other,
			policyName: "other",
			effect: "EFFECT_ALLOW",
			consensus: "false",
			condition: "activity.kind == 'SIGN_TRANSACTION'",
		};
		await world.change({
			remove: { policies },
			policies: [named],
			rootQuorum: { threshold: 2, userIds: [alice, bob] },
		});
		const tag = "userTags: [{ name: oncall }, { name: refunders, create: true, members: { exactly: [carol] } }]";
		const stated = `policies:\n${policy("pay", "refunders")}\n${policy("other", "oncall")}`;
		world.write("orgsync.yaml", document(tag, stated, "limits: { escalation: 50, takeovers: 5 }"));
		await world.run(["plan", "--out", "plan.json"]);
		const { stdout } = await world.run(["show", "plan.json"]);
		expect(stdout).toContain("bob and carol can now each submit");
		expect(await applySaved()).toMatchObject({ code: 8 });
		await approve();
		await approve();
		expect(await applySaved()).toMatchObject({ code: 8 });
		await approve();
		expect((await world.run(["plan"])).stdout).toContain("No changes.");
	});

	test("is stale if somebody made another tag of that name", async () => {
		const { tagId } = world.organization().userTags.find(({ tagName }: { tagName: string }) => tagName === "payers");
		await world.change({ remove: { userTags: [tagId] }, userTags: [{ tagId: stranger, tagName: "payers" }] });
		expect(await applySaved()).toMatchObject({ code: 6 });
	});
});
