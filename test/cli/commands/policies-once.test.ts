/** Policies and tags that a document states become one activity each, whatever is lost, denied, or done by others meanwhile. */
import { beforeEach, describe, expect, test } from "vitest";
import { type RunOptions, readOutput } from "../../run.ts";
import { agreeing, alice, bob, carol, document, keys, makeWorld, policies, tags, type World } from "../../world.ts";

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

const apply = (options?: RunOptions) => world.run(["apply", "--yes"], options);

/** Runs the command, and makes the change once the operation was asked for so often. */
async function runAndChange(
	words: readonly string[],
	[operation, times]: readonly [string, number],
	change: () => Promise<unknown>,
) {
	const running = world.run(words);
	const asked = () => world.requests().filter((one) => one === operation).length;
	await expect.poll(asked, { interval: 5, timeout: 20_000 }).toBe(times);
	await change();
	return running;
}
const live = (kind: "policies" | "userTags"): readonly Record<string, unknown>[] => world.organization()[kind];
const named = (name: string) => live("policies").filter(({ policyName }) => policyName === name);
const payersId = (): string => String(live("userTags").find(({ tagName }) => tagName === "payers")?.tagId);
const foreign = (policyName: string) => ({ policies: [{ policyId: policies[0], policyName }] });

describe("the requests of an apply", () => {
	test("read live state once before the pending activities, once after them, and once after the last step", async () => {
		await start(payers, `policies:\n${policy("pay", "", "payers")}`);
		expect(await apply()).toMatchObject({ code: 0 });
		const reads = ["list_user_tags", "list_users", "list_policies"];
		const needs = ["list_activities", "list_activities", "get_organization_configs", "whoami"];
		expect(world.requests()).toEqual([...reads, ...needs, ...reads, "create_user_tag", "create_policies", ...reads]);
		world.clearRequests();
		await world.run(["plan"]);
		expect(world.requests()).toEqual([...reads, "list_activities"]);
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

describe("a policy that an apply found in sync", () => {
	test("counts as applied from here, also without tags in the document, and one that it did not see does not", async () => {
		await start(signers, `policies:\n${policy("pay")}`);
		const texts = { consensus: "true", condition: "activity.action == 'EXPORT'" };
		const others = policies
			.slice(0, 2)
			.map((policyId, at) => ({ policyId, policyName: ["pay", "refund"][at], ...texts }));
		await world.change({ policies: others });
		const agreed = { name: "pay", effect: "allow", ...texts };
		const write = (...policies: readonly object[]) =>
			world.write("orgsync.yaml", document(`policies: ${JSON.stringify(policies)}`));
		write(agreed);
		expect(await apply()).toMatchObject({ code: 0 });
		expect(world.submits()).toEqual([]);
		write({ ...agreed, condition: "activity.action == 'SIGN'" });
		expect((await world.run(["plan"])).stdout).not.toContain("takes over a live policy");
		write(agreed, { ...agreed, name: "refund", condition: "activity.action == 'SIGN'" });
		const blocked = await apply();
		expect(blocked).toMatchObject({ code: 5 });
		expect(blocked.stdout + blocked.stderr).toContain("--allow takeovers=1");
	});
});

describe("a tag that an apply found in sync", () => {
	test("counts as applied from here: another tag of its name blocks a plan whose policies name it", async () => {
		await start(signers, `policies:\n${policy("pay")}`);
		expect(await apply()).toMatchObject({ code: 0 });
		const [tagId] = policies;
		await world.change({
			remove: { userTags: [tags.signers] },
			userTags: [{ tagId, tagName: "signers", userIds: [bob] }],
		});
		const blocked = await world.run(["plan", "--detailed-exitcode"]);
		expect(blocked).toMatchObject({ code: 5, stdout: expect.stringContaining("--allow rebound=1") });
	});
});

describe("an update of a policy", () => {
	/** A policy is live with a note, and the document wants another one. */
	async function startUpdate(notes: string): Promise<void> {
		await start(signers, `policies:\n${policy("pay", ", notes: agreed")}`);
		await apply();
		world.write("orgsync.yaml", document(signers, `policies:\n${policy("pay", `, notes: ${notes}`)}`));
		world.clearRequests();
	}

	test("fails if the service keeps a field that it clears, and says what to do", async () => {
		await startUpdate("''");
		await world.setRules({ emptyUpdate: "keep" });
		const applied = await apply();
		expect(applied).toMatchObject({ code: 1 });
		expect(applied.stdout).toContain("the service kept what the update clears: notes. Write a text there");
	});

	test.each(["", "saved"])("is not submitted if others changed the policy after it was read %s", async (saved) => {
		await startUpdate("new");
		if (saved !== "") await world.run(["plan", "--out", "plan.json"]);
		world.clearRequests();
		await world.addFault({ operation: "list_policies", fault: "slow", delayMs: 1, count: 2 });
		await world.addFault({ operation: "list_policies", fault: "5xx" });
		const [{ policyId, policyName } = {}] = named("pay");
		const change = () => world.change({ policies: [{ policyId, policyName, condition: "false" }] });
		const words = saved === "" ? ["apply", "--yes"] : ["apply", "--yes", "--plan", "plan.json"];
		const applied = await runAndChange(words, ["list_policies", 3], change);
		expect(applied.stdout).toContain("was changed after orgsync read it (condition), and was not updated: plan again");
		expect(applied).toMatchObject({ code: saved === "" ? 1 : 6 });
		expect(world.submits()).toEqual([]);
	});
});

describe("a create", () => {
	test.each(["drop-after", "truncated"])("whose answer is lost (%s) becomes one activity", async (fault) => {
		await start(payers, `policies:\n${policy("pay", "", "payers")}\n${policy("refund", "", "payers")}`);
		for (const operation of ["create_user_tag", "create_policies"]) await world.addFault({ operation, fault });
		expect(await apply()).toMatchObject({ code: 0 });
		expect(world.activities()).toHaveLength(2);
		expect(named("pay")).toHaveLength(1);
	});

	test("whose answer stays lost is found by the next run, which creates nothing again", async () => {
		await start(payers, `policies:\n${policy("pay", "", "payers")}`);
		await world.addFault({ operation: "create_user_tag", fault: "drop-after", count: 50 });
		expect(await world.run(["apply", "--yes", "--timeout", "1"])).toMatchObject({ code: 1 });
		world.clearFaults();
		expect(await apply({ laterMs: 20 * 60_000 })).toMatchObject({ code: 0 });
		expect(world.activities()).toHaveLength(2);
	});

	test("of a name that others took after the reading fails, and names both", async () => {
		await start(payers, `policies:\n${policy("pay", "", "payers")}`);
		await world.addFault({ operation: "create_user_tag", fault: "5xx" });
		const applied = await runAndChange(["apply", "--yes"], ["create_user_tag", 1], () => world.change(foreign("pay")));
		expect(applied).toMatchObject({ code: 7 });
		expect(applied.stdout).toContain(
			`policy label must be unique; policy:pay was planned before another object took its name: ${policies[0]} has the name pay`,
		);
		expect(await apply()).toMatchObject({ code: 0 });
		expect(named("pay")).toEqual([expect.objectContaining({ policyId: policies[0] })]);
	});

	test.each([
		["fewer-ids", ["create_policies"]],
		["fewer-policies", ["create_policies", "create_policies"]],
	])("that is answered with %s is in doubt, and the next run makes what is missing", async (fault, submits) => {
		await start(signers, `policies:\n${policy("pay")}\n${policy("refund")}`);
		await world.addFault({ operation: "create_policies", fault });
		const applied = await apply();
		expect(applied).toMatchObject({ code: 1 });
		expect(applied.stdout).toContain(
			"the service answered with 1 ids for 2 policies, so which of them exist is in doubt",
		);
		expect(await apply()).toMatchObject({ code: 0 });
		expect(world.submits()).toEqual(submits);
		expect([...named("pay"), ...named("refund")]).toHaveLength(2);
	});

	test("in doubt, of a name that others took meanwhile, holds nothing back: it can take no effect", async () => {
		await start(signers, `policies:\n${policy("pay")}\n${policy("refund")}`);
		await world.addFault({ operation: "create_policies", fault: "drop-before", count: 50 });
		expect(await world.run(["apply", "--yes", "--timeout", "1"])).toMatchObject({ code: 1 });
		world.clearFaults();
		await world.change(foreign("pay"));
		expect(await world.run(["apply", "--yes", "--allow", "takeovers=1"])).toMatchObject({ code: 0 });
		expect(world.activities().map(({ type }) => type)).toEqual([
			"ACTIVITY_TYPE_CREATE_POLICIES",
			"ACTIVITY_TYPE_UPDATE_POLICY_V2",
		]);
	});

	test("whose policy others replaced before it was read back fails, and names the other one", async () => {
		await start(signers, `policies:\n${policy("pay")}`);
		await world.addFault({ operation: "list_policies", fault: "slow", delayMs: 1, count: 2 });
		await world.addFault({ operation: "list_policies", fault: "5xx" });
		const applied = await runAndChange(["apply", "--yes"], ["list_policies", 3], async () => {
			await world.change({ remove: { policies: [named("pay")[0]?.policyId] } });
			await world.change(foreign("pay"));
		});
		expect(applied).toMatchObject({ code: 1 });
		expect(applied.stdout).toContain(`it was created, and ${policies[0]} has its name now, which is another policy`);
	});

	test.each([
		[
			"renamed",
			() => ({ userTags: [{ tagId: payersId(), tagName: "moved" }] }),
			/it was renamed to moved \(\S{36}\) since/,
		],
		["deleted", () => ({ remove: { userTags: [payersId()] } }), /it was deleted since/],
		[
			"replaced",
			() => ({ remove: { userTags: [payersId()] }, userTags: [{ tagId: policies[0], tagName: "payers" }] }),
			/\S{36} has its name now, which is another tag/,
		],
	])("whose tag others %s before it was read back fails, and says so", async (_what, patch, said) => {
		await start(payers, "policies: []");
		await world.addFault({ operation: "list_user_tags", fault: "slow", delayMs: 1, count: 2 });
		await world.addFault({ operation: "list_user_tags", fault: "5xx" });
		const applied = await runAndChange(["apply", "--yes"], ["list_user_tags", 3], () => world.change(patch()));
		expect(applied).toMatchObject({ code: 1 });
		expect(applied.stdout).toMatch(said);
		expect(applied.stdout).toContain("!! create the user tag `payers`");
	});

	test.each([
		["renamed", () => ({ userTags: [{ tagId: payersId(), tagName: "moved" }] }), "it was renamed to moved since"],
		["deleted", () => ({ remove: { userTags: [payersId()] } }), "it was deleted since"],
	])("of a tag that another machine made by the same request, and that was %s since, lets no policy name it", async (_what, patch, said) => {
		await start(payers, `policies:\n${policy("pay", "", "payers")}`);
		await world.addFault({ operation: "create_user_tag", fault: "429", headers: { "retry-after": "3" } });
		let tagId = "";
		const applied = await runAndChange(["apply", "--yes"], ["create_user_tag", 1], async () => {
			const other = ["apply", "--yes", "--only", "userTag:payers", "--journal", "other.sqlite"];
			expect(await world.run(other)).toMatchObject({ code: 0 });
			tagId = payersId();
			await world.change(patch());
		});
		expect(applied).toMatchObject({ code: 1 });
		expect(applied.stdout).toContain(`created payers (${tagId}) before, and ${said}: the next run creates another`);
		expect(named("pay")).toEqual([]);
		expect(await apply({ laterMs: 2000 })).toMatchObject({ code: 0 });
		expect(payersId()).not.toBe(tagId);
	});

	test("that the service does not have says which operation is missing", async () => {
		await start(signers, `policies:\n${policy("pay")}`);
		await world.addFault({ operation: "create_policies", fault: "5xx", status: 404 });
		const applied = await apply();
		expect(applied).toMatchObject({ code: 1 });
		expect(applied.stdout).toContain("the service does not have the operation create_policies (404)");
	});

	test("beyond a limit of the organization is refused at once, and says so", async () => {
		await start(signers, `policies:\n${policy("pay")}`);
		const many = Array.from({ length: 100 }, (_, index) => ({
			policyId: `d0000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
			policyName: `filler ${index}`,
		}));
		await world.change({ remove: { policies }, policies: many });
		const applied = await apply();
		expect(applied).toMatchObject({ code: 1 });
		expect(applied.stdout).toContain("a limit of the organization is reached: resource limit exceeded");
		expect(world.submits()).toEqual(["create_policies"]);
	});
});

describe("a tag whose creation is pending", () => {
	const both = `policies:\n${policy("pay", "", "payers")}\n${policy("refund")}\n${policy("reward", "", "payers")}`;
	const vote = async (): Promise<void> => {
		const { fingerprint } = world.activities().find(({ status }) => status === "ACTIVITY_STATUS_CONSENSUS_NEEDED");
		await world.submitAsBob("approve_activity", { fingerprint });
	};

	beforeEach(async () => {
		await start(`userTags: [{ name: signers }, { name: payers, create: true }]`, both);
		await world.setRules({ approvals: { ACTIVITY_TYPE_CREATE_USER_TAG: 2 } });
	});

	test("holds back only the policies that name it, also where that was not forecast, and the next run joins it", async () => {
		const first = await apply();
		expect(first).toMatchObject({ code: 8 });
		expect(first.stderr).toContain("create the policy `refund`  policy:refund");
		expect(first.stdout).toMatch(/create 2 policies at once +policy:pay, policy:reward/);
		expect(world.submits()).toEqual(["create_user_tag", "create_policies"]);
		expect(await apply()).toMatchObject({ code: 8 });
		expect(world.submits()).toEqual(["create_user_tag", "create_policies"]);
		expect(named("refund")).toHaveLength(1);
		await vote();
		expect(await apply()).toMatchObject({ code: 0 });
		expect([...named("pay"), ...named("reward")]).toHaveLength(2);
		expect(world.submits().filter((one) => one.startsWith("create_"))).toHaveLength(3);
	});

	test("is waited for, and its policies are created then with its id", async () => {
		const wait = ["apply", "--yes", "--wait-for-approval", "2h"];
		const applied = await world.run(wait, { onPause: (count) => (count === 2 ? vote() : undefined) });
		expect(applied).toMatchObject({ code: 0 });
		expect(named("pay")).toHaveLength(1);
	});

	test("is waited for by a saved plan that keeps both parts", async () => {
		await apply();
		await world.run(["plan", "--out", "plan.json"]);
		const shown = await world.run(["show", "plan.json"]);
		expect(shown).toMatchObject({ code: 0 });
		expect(await world.run(["apply", "--yes", "--plan", "plan.json"])).toMatchObject({ code: 8 });
		expect(named("refund")).toHaveLength(1);
	});
});

describe("a tag whose creation will be pending by the policies", () => {
	/** Alice changes tags with bob, and policies alone; the root quorum is bob and carol. */
	const approved = (name: string, kind: string, count: number) => ({
		...{ policyId: `d0000000-0000-4000-8000-00000000000${count}`, policyName: name, effect: "EFFECT_ALLOW" },
		...{ consensus: `approvers.count() >= ${count}`, condition: `activity.kind == '${kind}'` },
	});

	test("holds back only the policies that name it, in the run that first submits it", async () => {
		await start(
			"userTags: [{ name: signers }, { name: payers, create: true }]",
			`policies:\n${policy("pay", "", "payers")}\n${policy("refund")}\n${policy("reward", "", "payers")}`,
		);
		await world.change({
			...{ rootQuorum: { threshold: 2, userIds: [bob, carol] }, remove: { policies } },
			policies: [approved("tags need two", "CREATE_USER_TAG", 2), approved("policies", "CREATE_POLICIES", 1)],
		});
		const words = ["apply", "--yes", "--allow", "escalation=2", "--allow", "ownPowers=1"];
		const applied = await world.run(words);
		expect([applied.code, world.submits()]).toEqual([8, ["create_user_tag", "create_policies"]]);
		expect([named("refund"), named("pay"), named("reward")].map(({ length }) => length)).toEqual([1, 0, 0]);
		await world.submitAsBob("approve_activity", { fingerprint: world.activities()[0].fingerprint });
		expect(await world.run(words)).toMatchObject({ code: 0 });
		expect(world.submits().filter((one) => one === "create_policies")).toHaveLength(2);
	});
});

describe("tags whose users move between an allow and a deny", () => {
	const consensus = (tag: string) => `approvers.any(user, user.tags.contains('${tag}'))`;
	const signing = (policyName: string, effect: string, tag: string, number: number) => ({
		...{ policyId: `d0000000-0000-4000-8000-00000000000${number}`, policyName, effect, consensus: consensus(tag) },
		condition: "activity.resource == 'PRIVATE_KEY'",
	});

	test("change user by user, also by a saved plan, and the next plan is empty", async () => {
		await start(
			"userTags: [{ name: signers, members: { exactly: [carol] } }, { name: auditors, members: { exactly: [carol] } }]",
			"limits: { memberRemovals: 100% }",
		);
		await world.change({
			remove: { policies },
			policies: [signing("sign", "EFFECT_ALLOW", tags.signers, 1), signing("never", "EFFECT_DENY", tags.auditors, 2)],
			userTags: [
				{ tagId: tags.signers, tagName: "signers", userIds: [bob] },
				{ tagId: tags.auditors, tagName: "auditors", userIds: [bob] },
			],
		});
		expect(await world.run(["plan", "--out", "plan.json"])).toMatchObject({ code: 0 });
		expect(await world.run(["apply", "--yes", "--plan", "plan.json"])).toMatchObject({ code: 0 });
		expect(world.submits()).toEqual(["update_user_tag", "update_user_tag", "update_user_tag"]);
		const { plans } = readOutput(await world.run(["plan", "--format", "json"]));
		expect(plans[0].steps).toEqual([]);
	});
});

describe("pending activities of others on policies and tags", () => {
	const create = { policyName: "other", effect: "EFFECT_ALLOW", condition: "false", consensus: "true", notes: "" };

	test("are listed by plan and drift, with what each would do, also by older operations", async () => {
		await start(signers, `policies:\n${policy("pay")}`);
		await apply();
		const types = ["CREATE_POLICIES", "CREATE_POLICY_V3", "DELETE_USER_TAGS"];
		await world.setRules({ approvals: Object.fromEntries(types.map((type) => [`ACTIVITY_TYPE_${type}`, 2])) });
		await world.submitAsBob("create_policies", { policies: [create] });
		await world.submitAsBob("delete_user_tags", { userTagIds: [tags.signers] });
		for (const command of ["plan", "drift"]) {
			const { stdout } = await world.run([command]);
			expect(stdout).toContain("creates the policy other once it is approved");
			expect(stdout).not.toContain("name taken");
			expect(stdout).toContain("removes the user tag signers once it is approved");
		}
		const { stdout } = await world.run(["explain", world.activities().at(-2).id]);
		expect(stdout).toMatch(/policy:other\n +effect: allow\n +consensus:\n +\+ true\n +condition:\n +\+ false/);
		const { plans } = readOutput(await world.run(["plan", "--format", "json"]));
		expect(plans[0].otherPending).toHaveLength(2);
		await world.run(["plan", "--out", "plan.json"]);
		expect((await world.run(["show", "plan.json"])).code).toBe(0);
	});

	test("name the live policies and tags that have the names by now, also where they hold a step of the plan", async () => {
		await start(
			"userTags: [{ name: signers, create: true }, { name: new, create: true }]",
			`policies:\n${policy("ours")}\n${policy("mine")}`,
		);
		const types = ["CREATE_POLICIES", "CREATE_USER_TAG"];
		await world.setRules({ approvals: Object.fromEntries(types.map((type) => [`ACTIVITY_TYPE_${type}`, 2])) });
		expect(await apply()).toMatchObject({ code: 8 });
		const [held, tagId] = ["90000000-0000-4000-8000-000000000009", "70000000-0000-4000-8000-000000000009"];
		await world.change({
			policies: [{ policyId: held, policyName: "ours", consensus: "true" }],
			userTags: [{ tagId, tagName: "new" }],
		});
		const said = [
			`name taken: policy ${held} has the name ours; the service refuses a second one`,
			`name taken: user tag ${tagId} has the name new; the service may refuse a second one`,
		];
		for (const words of [
			["plan", "--allow", "takeovers=1"],
			["approve", "--yes"],
		]) {
			const { stdout } = await world.run(words);
			for (const line of said) expect(stdout).toContain(line);
			expect(stdout).not.toContain("does not manage");
		}
		await world.run(["plan", "--out", "plan.json"]);
		expect(await world.run(["show", "plan.json"])).toMatchObject({
			code: 0,
			stdout: expect.stringContaining("name taken"),
		});
		const named = await world.run(["approve", "--yes", world.activities().at(-1).id], {
			env: { ORGSYNC_API_PRIVATE_KEY: keys.bob.privateKey },
		});
		expect(named.stdout + named.stderr).toContain("name taken");
	});

	test("are unknown where the service does not list activities, also if there is nothing to submit", async () => {
		await start(signers, `policies:\n${policy("pay")}`);
		await apply();
		await world.setRules({ denyReads: ["list_activities"] });
		const planned = await world.run(["plan"]);
		expect(planned).toMatchObject({ code: 0 });
		expect(planned.stdout).toContain("others may be pending on policies, user tags and credentials");
		expect(await world.run(["drift"])).toMatchObject({ code: 0 });
		expect(await apply()).toMatchObject({ code: 0 });
	});
});
