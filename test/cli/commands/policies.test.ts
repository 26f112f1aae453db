/** Policies and tags that a document writes, on the emulator: what is submitted, in which order, and what is live then. */
import { beforeEach, describe, expect, test } from "vitest";
import { readOutput } from "../../run.ts";
import { alice, bob, document, keys, makeWorld, tags, type World } from "../../world.ts";

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

describe("activities of new objects that need a second approval", () => {
	const approvals = { ACTIVITY_TYPE_CREATE_USER_TAG: 2, ACTIVITY_TYPE_CREATE_POLICIES: 2 };
	const approveAsBob = () => world.run(["approve", "--yes"], { env: { ORGSYNC_API_PRIVATE_KEY: keys.bob.privateKey } });

	test("are approved where the document wants them, with all that they say, and refused where it does not", async () => {
		await start(payers, `policies:\n${policy("pay")}`);
		await world.setRules({ approvals });
		expect((await world.run(["apply", "--yes"])).code).toBe(8);
		expect(await approveAsBob()).toMatchObject({ code: 0, stderr: expect.stringContaining("+ userTag:payers") });
		expect((await world.run(["apply", "--yes"])).code).toBe(8);
		world.write(
			"orgsync.yaml",
			document(payers, `policies:\n${policy("pay").replace(signing, "activity.kind == 'SIGN'")}`),
		);
		const refused = await approveAsBob();
		expect(refused).toMatchObject({
			code: 0,
			stdout: expect.stringContaining("conflicts with the document in condition"),
		});
		expect(refused.stdout).toContain(`condition: + ${signing}`);
		world.write("orgsync.yaml", document(payers, `policies:\n${policy("pay")}`));
		const approved = await approveAsBob();
		expect(approved.stderr).toContain("approvers.any(user, user.tags.contains('${userTags.payers}'))");
		expect(approved.stdout).toContain("Approved: 1 completed.");
		expect(named("pay")).toBeDefined();
	});
});

describe("a policy that differs", () => {
	const changed = policy("pay")
		.replace("payers}'))", "payers}') && user.id != '${users.bob}')")
		.replace(" }", ", notes: New }");

	test("is changed in place by one activity with all of it, and shown line by line", async () => {
		await start(payers, `policies:\n${policy("pay")}`);
		await world.run(["apply", "--yes"]);
		const before = named("pay");
		world.write("orgsync.yaml", document(payers, `policies:\n${changed}`));
		world.clearRequests();
		const plan = await world.run(["plan"]);
		await expect(plan.stdout.replaceAll(String(before?.policyId), "POLICY")).toMatchFileSnapshot(
			"../../golden/cli/policies-plan.txt",
		);
		expect((await world.run(["apply", "--yes"])).code).toBe(0);
		expect(world.submits()).toEqual(["update_policy"]);
		expect(named("pay")).toMatchObject({ policyId: before?.policyId, notes: "New", condition: signing });
	});

	test("is none by its blanks and needless parentheses: nothing is submitted", async () => {
		await start(payers, `policies:\n${policy("pay")}`);
		await world.run(["apply", "--yes"]);
		world.write(
			"orgsync.yaml",
			document(payers, `policies:\n${policy("pay").replace(signing, "( activity.kind  == 'SIGN_TRANSACTION' )")}`),
		);
		world.clearRequests();
		expect((await world.run(["apply", "--yes"])).code).toBe(0);
		expect(world.submits()).toEqual([]);
	});

	test("takes another name by `previously`; two exchange their names with one activity more", async () => {
		await start(
			payers,
			`policies:\n${policy("one")}\n${policy("two").replace("SIGN_TRANSACTION", "SIGN_RAW_PAYLOAD")}`,
		);
		await world.run(["apply", "--yes"]);
		const [one, two] = [named("one"), named("two")];
		const exchanged = [
			policy("two", `, id: ${one?.policyId}`),
			policy("one", `, id: ${two?.policyId}`).replace("SIGN_TRANSACTION", "SIGN_RAW_PAYLOAD"),
		];
		world.write("orgsync.yaml", document(payers, `policies:\n${exchanged.join("\n")}`));
		world.clearRequests();
		expect((await world.run(["apply", "--yes"])).code).toBe(0);
		expect(world.submits()).toEqual(["update_policy", "update_policy", "update_policy"]);
		expect(named("two")?.policyId).toBe(one?.policyId);
		world.write(
			"orgsync.yaml",
			document(payers, `policies:\n${policy("three", ", previously: [two]")}\n${exchanged[1]}`),
		);
		world.clearRequests();
		expect((await world.run(["apply", "--yes"])).code).toBe(0);
		expect([world.submits(), named("three")?.policyId]).toEqual([["update_policy"], one?.policyId]);
	});
});

describe("what is live and not listed", () => {
	test("is removed where the list is complete, one activity a kind, and stays where an exception matches", async () => {
		await start(
			payers,
			`policies:\n${policy("pay")}`,
			"exactly: { policies: { except: [kept*] }, userTags: { except: [signers, oncall] } }",
			"limits: { policies: 10, userTags: 10, lockout: 17, memberRemovals: 100% }",
		);
		await world.change({
			policies: [{ policyName: "kept one" }, { policyName: "old" }, { policyName: "older" }].map((one, index) => ({
				...one,
				policyId: `99999999-0000-4000-8000-00000000000${index}`,
				effect: "EFFECT_DENY",
				consensus: "",
				condition: "activity.kind == 'DELETE_WALLETS'",
			})),
		});
		world.clearRequests();
		const apply = await world.run(["apply", "--yes"]);
		expect(apply.code).toBe(0);
		// Independent steps are submitted at once.
		expect([...world.submits()].sort()).toEqual([
			...["create_policies", "create_user_tag", "delete_policies", "delete_user_tags"],
		]);
		expect(
			live("policies")
				.map(({ policyName }) => policyName)
				.sort(),
		).toEqual(["kept one", "pay"]);
		expect(
			live("userTags")
				.map(({ tagName }) => tagName)
				.sort(),
		).toEqual(["oncall", "payers", "signers"]);
	});

	test("under `absent` and also stated is a problem, by its name before anything is read", async () => {
		await start(payers, `policies:\n${policy("pay")}`, "absent: { policies: [pay] }");
		expect(await world.run(["validate"])).toMatchObject({
			code: 3,
			stderr: expect.stringContaining("orgsync.yaml:6:22"),
		});
		const [id] = live("policies").map(({ policyId }) => policyId);
		world.write("orgsync.yaml", document(payers, `policies:\n${policy("policy 1")}`, `absent: { policies: [${id}] }`));
		const plan = await world.run(["plan"]);
		expect(plan).toMatchObject({ code: 1, stdout: expect.stringContaining(`(${id}) is listed here, and is under`) });
		world.write("orgsync.yaml", document("userTags: [{ name: signers }]", `absent: { userTags: [${tags.signers}] }`));
		expect((await world.run(["plan"])).stdout).toContain(`(${tags.signers}) is listed here, and is under`);
		expect((await world.run(["drift"])).stdout).toContain("remove `signers` from `absent`, or its entry");
	});

	test("is removed by name under `absent`", async () => {
		await start("absent: { userTags: [auditors] }");
		expect((await world.run(["apply", "--yes"])).code).toBe(0);
		expect(world.submits()).toEqual(["delete_user_tags"]);
	});
});

describe("a name that is probably a mistake", () => {
	test("under `absent` is a warning with the nearest name, and removes nothing", async () => {
		await start("absent: { userTags: [auditor] }");
		const plan = await world.run(["plan"]);
		expect(plan.stdout).toContain(
			"nothing is called `auditor`, so nothing is removed by this name; did you mean `auditors`?",
		);
		expect(readOutput(await world.run(["plan", "--format", "json"])).plans[0].changes).toEqual([]);
	});

	test("of an exception that matches a listed entry is a problem at its place", async () => {
		await start(payers, "exactly: { userTags: { except: [pay*] } }");
		const { code, stderr } = await world.run(["plan"]);
		expect([code, stderr]).toEqual([3, expect.stringContaining("orgsync.yaml:4:33")]);
		expect(stderr).toContain("`pay*` matches `payers`, which is under `userTags` on line 3");
	});
});
