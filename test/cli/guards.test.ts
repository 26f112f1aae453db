import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { guardKinds } from "../../src/plan/guards/guards.ts";
import { normalize, readOutput } from "../run.ts";
import { alice, bob, carol, document, makeWorld, policies, provider, providers, tags, type World } from "../world.ts";

const golden = (name: string): string => fileURLToPath(new URL(`../golden/cli/${name}.txt`, import.meta.url));

const dave = "a0000000-0000-4000-8000-000000000004";
const erin = "a0000000-0000-4000-8000-000000000005";

/** Four members, two of whom may go by default. */
async function fillOncall(world: World): Promise<void> {
	await world.change({
		users: [
			{ userId: dave, userName: "dave" },
			{ userId: erin, userName: "erin" },
		],
	});
	await world.change({ userTags: [{ tagId: tags.oncall, tagName: "oncall", userIds: [bob, carol, dave, erin] }] });
}

interface Case {
	readonly kind: string;
	readonly why: string;
	readonly prepare?: (world: World) => Promise<void>;
	/** A document that takes more than is allowed, and what is found. */
	readonly over: string;
	readonly found: number;
	readonly says: string;
	/** One that takes as much as is allowed. */
	readonly within: string;
}

const twoPolicies = `absent: { policies: [${policies[0]}, ${policies[1]}] }`;
const bothOfBob = `absent: { oauthProviders: { bob: [${providers.bob.join(", ")}] } }`;
const onlyAlice = "userTags: [{ name: signers, members: { exactly: [alice] } }]";
const signing = "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'";

/** Signing by this consensus; alice alone changes tags and policies. */
const signBy = (consensus: string) => async (world: World) => {
	const administration = "activity.resource in ['USER', 'POLICY']";
	const byAlice = { consensus: `approvers.any(user, user.id == '${alice}')`, condition: administration };
	await world.change({
		policies: [
			{ policyId: policies[0], policyName: "sign", consensus, condition: signing },
			{ policyId: policies[1], policyName: "administer", ...byAlice },
			{ policyId: policies[2], policyName: "administer too", ...byAlice },
		],
	});
};

/** One of each way to judge: who can do what, a share, a number, the caller, and rules. test/plan/guards/guards.test.ts has all. */
const cases: readonly Case[] = [
	{
		kind: "lockout",
		why: "a tag with too few members for what a policy needs",
		prepare: signBy(`approvers.filter(user, user.tags.contains('${tags.signers}')).count() >= 2`),
		over: document(onlyAlice),
		found: 1,
		says: "no one could sign with any wallet or key (PRIVATE_KEY/SIGN) any more, except the root quorum (allowed: at most 0)",
		within: document(onlyAlice, "limits: { lockout: 1 }"),
	},
	{
		kind: "memberRemovals",
		why: "more than half of a tag's members, without a limit in the document",
		prepare: fillOncall,
		over: document("userTags: [{ name: oncall, members: { exactly: [bob] } }]"),
		found: 3,
		says: "userTag:oncall would lose 3 of 4; 3 in all (allowed: at most 50% of a tag's known members)",
		within: document("userTags: [{ name: oncall, members: { exactly: [bob, carol] } }]"),
	},
	{
		kind: "policies",
		why: "more policies than the document's number",
		over: document(twoPolicies, "limits: { policies: 1 }"),
		found: 2,
		says: "2 policies would be removed (allowed: at most 1)",
		within: document(twoPolicies, "limits: { policies: 2 }"),
	},
	{
		kind: "ownUserTags",
		why: "every user tag of the user who applies",
		over: document("userTags: [{ name: signers, members: { exactly: [carol] } }]"),
		found: 1,
		says: "alice applies this plan and would be left without any user tag (allowed: not the last user tag of the user who applies)",
		within: document(
			"userTags: [{ name: signers, members: { exactly: [carol] } }, { name: oncall, members: { atLeast: [alice] } }]",
		),
	},
	{
		kind: "rules",
		why: "a user with two exclusive tags, and a tag with too many members",
		over: document(
			"userTags: [{ name: oncall, members: { atLeast: [alice] } }]",
			"rules: { exclusive: [signers, oncall], members: { oncall: { max: 1 } } }",
		),
		found: 2,
		says: "would break rule:exclusive.oncall+signers: alice has `oncall` and `signers`; would break rule:members.oncall: `oncall` has 2 members, where the rule asks for at most 1 (allowed: no rule of the document broken)",
		within: document(
			"userTags: [{ name: auditors, members: { atLeast: [alice] } }]",
			"rules: { exclusive: [signers, oncall], members: { oncall: { max: 1 } } }",
		),
	},
];

async function prepared({ prepare }: Case, text: string): Promise<World> {
	const world = await makeWorld(text);
	await prepare?.(world);
	world.clearRequests();
	return world;
}

describe.each(cases)("$kind: $why", (one) => {
	const { kind, over, found, says, within } = one;
	const apply = ["apply", "--yes"];

	test("apply is refused in text and in JSON, and nothing is submitted", async () => {
		const world = await prepared(one, over);
		const before = world.organization();
		const text = await world.run(apply);
		const json = await world.run([...apply, "--format", "json"]);
		expect(text.code).toBe(5);
		expect(text.stdout).toBe("");
		expect(text.stderr).toContain(`blocked by a guard, nothing was submitted: ${says}`);
		expect(text.stderr).toContain(`--allow ${kind}=${found}\n`);
		expect(json.code).toBe(5);
		const output = readOutput(json);
		expect(output).toMatchObject({
			command: "apply",
			reports: [],
			error: {
				code: "guard",
				message: `blocked by a guard, nothing was submitted: ${says}`,
				hint: `to override: --allow ${kind}=${found}`,
			},
		});
		const refusing = output.plans[0].guards.filter(({ refuses }: { refuses: boolean }) => refuses);
		expect(refusing).toMatchObject([{ kind, found }]);
		expect(world.submits()).toEqual([]);
		expect(world.requests().length).toBeGreaterThan(0);
		expect(world.activities()).toEqual([]);
		expect(world.organization()).toEqual(before);
	});

	test("plan shows it and exits with 0, and with 5 with --detailed-exitcode", async () => {
		const world = await prepared(one, over);
		const [{ code, stdout }, json] = await Promise.all([
			world.run(["plan"]),
			world.run(["plan", "--detailed-exitcode", "--format", "json"]),
		]);
		expect(code).toBe(0);
		expect(stdout).toContain(`  ${says}; to override: --allow ${kind}=${found}\n`);
		expect(json.code).toBe(5);
		const refusing = readOutput(json).plans[0].guards.filter(({ refuses }: { refuses: boolean }) => refuses);
		expect(refusing).toMatchObject([{ kind, found }]);
	});

	test("--allow with the found number overrides it, and with another number does not", async () => {
		const world = await prepared(one, over);
		for (const wrong of [found - 1, found + 1]) {
			expect((await world.run([...apply, "--allow", `${kind}=${wrong}`])).code).toBe(5);
		}
		expect(world.submits()).toEqual([]);
		expect((await world.run([...apply, "--allow", `${kind}=${found}`])).code).toBe(0);
		expect(world.submits().length).toBeGreaterThan(0);
	});

	test("apply makes changes within the limit", async () => {
		const world = await prepared(one, within);
		const answer = await world.run(apply);
		expect(answer.code).toBe(0);
		expect(answer.stderr).not.toContain("Guards that block");
		expect(world.submits().length).toBeGreaterThan(0);
	});
});

describe("several guards at once", () => {
	const many = document(
		"userTags: [{ name: signers, members: { exactly: [carol] } }]",
		twoPolicies,
		"limits: { memberRemovals: 0, policies: 1 }",
		"protect: { users: [alice] }",
	);

	test("are all shown by plan and by the error", async () => {
		const world = await makeWorld(many);
		const plan = await world.run(["plan"]);
		expect({ code: plan.code, stderr: plan.stderr }).toEqual({ code: 0, stderr: "" });
		await expect(normalize(plan.stdout)).toMatchFileSnapshot(golden("guard-plan"));
		const refused = await world.run(["apply", "--yes"]);
		expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 5, stdout: "" });
		await expect(normalize(refused.stderr)).toMatchFileSnapshot(golden("guard-refusal"));
		expect(world.submits()).toEqual([]);
	});

	test("are each overridden by their own number", async () => {
		const world = await makeWorld(many);
		const allowed = ["memberRemovals=1", "policies=2", "protected=1", "ownUserTags=1"];
		for (const missing of allowed) {
			const others = allowed.filter((one) => one !== missing).flatMap((one) => ["--allow", one]);
			const { code, stderr } = await world.run(["apply", "--yes", ...others]);
			expect(code).toBe(5);
			expect(stderr).toContain(`to override: --allow ${missing}\n`);
		}
		expect(world.submits()).toEqual([]);
		expect((await world.run(["apply", "--yes", ...allowed.flatMap((one) => ["--allow", one])])).code).toBe(0);
	});
});

describe("a list of pending activities that cannot be read to its end", () => {
	/** The service behind a server of its own that never hands out the second page. */
	async function startFirstPageOnly(url: string): Promise<string> {
		const server = createServer(async (request, response) => {
			const chunks: Buffer[] = [];
			for await (const chunk of request) chunks.push(chunk as Buffer);
			const body = Buffer.concat(chunks);
			const { "x-stamp": stamp } = request.headers;
			const isList = request.url?.endsWith("/list_activities") === true;
			const first = pages.get("first");
			if (isList && first !== undefined) {
				response.writeHead(200, { "content-type": "application/json" }).end(first);
				return;
			}
			const headers = { "content-type": "application/json", "x-stamp": String(stamp) };
			const answer = await fetch(`${url}${request.url}`, { method: "POST", headers, body });
			const text = await answer.text();
			if (isList) pages.set("first", text);
			response.writeHead(answer.status, { "content-type": "application/json" }).end(text);
		});
		const pages = new Map<string, string>();
		await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
		onTestFinished(() => void server.close());
		return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	}

	test("sends nothing that could be pending there: exit 5, and --allow unlisted=N sends it", async () => {
		const world = await makeWorld(document(twoPolicies));
		await world.setRules({ approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } });
		for (let count = 0; count < 101; count += 1) {
			await world.submitAsBob("delete_policies", { policyIds: [policies[2]] }, 1000 + count * 100);
		}
		world.clearRequests();
		const env = { ORGSYNC_URL: await startFirstPageOnly(world.url) };
		const plan = await world.run(["plan"], { env });
		expect(plan.stdout).toContain("activity:*: the service lists more pending activities than the 100 that were read");
		const refused = await world.run(["apply", "--yes"], { env });
		expect(refused.code).toBe(5);
		expect(refused.stderr).toContain("to override: --allow unlisted=1\n");
		expect((await world.run(["apply", "--yes", "--allow", "unlisted=2"], { env })).code).toBe(5);
		expect(world.submits()).toEqual([]);
		expect((await world.run(["apply", "--yes", "--allow", "unlisted=1"], { env })).code).toBe(8);
		expect(world.submits()).toEqual(["delete_policies"]);
	});
});

describe("a guard", () => {
	test("with a percentage ignores a tag of three known members", async () => {
		const world = await makeWorld(document("userTags: [{ name: oncall, members: { exactly: [bob] } }]"));
		await world.change({ userTags: [{ tagId: tags.oncall, tagName: "oncall", userIds: [alice, bob, carol] }] });
		expect((await world.run(["apply", "--yes"])).code).toBe(0);
		expect(world.organization().userTags[1].userIds).toEqual([bob]);
	});

	test("allows the removal of another user's last OAuth provider and last user tag", async () => {
		const world = await makeWorld(document(bothOfBob, onlyAlice));
		expect((await world.run(["apply", "--yes"])).code).toBe(0);
		expect(world.submits().length).toBe(2);
	});

	test("allows the removal of the caller's last provider if whoami is denied", async () => {
		const world = await makeWorld(document(`absent: { oauthProviders: { alice: [${providers.alice.join(", ")}] } }`));
		await world.setRules({ denyReads: ["whoami"] });
		expect((await world.run(["apply", "--yes"])).code).toBe(0);
	});

	test("blocks only for remaining changes", async () => {
		const world = await makeWorld(document(bothOfBob, "limits: { oauthProviders: 1 }"));
		expect((await world.run(["apply", "--yes"])).code).toBe(5);
		await world.change({ users: [{ userId: bob, oauthProviders: [provider(providers.bob[1], "bob-two")] }] });
		expect((await world.run(["apply", "--yes"])).code).toBe(0);
		expect((await world.run(["apply", "--yes"])).code).toBe(0);
		expect(world.submits()).toEqual(["delete_oauth_providers"]);
	});
});

describe("an --allow that overrides no guard", () => {
	const malformed = [
		"policies",
		"policies=",
		"policies=two",
		"policies=-1",
		"policies=1.5",
		"policies=2=3",
		"=2",
		"Policies=2",
		"force=1",
		"constructor=1",
		"",
	];

	test("is exit 3 before any request", async () => {
		const world = await makeWorld(document(twoPolicies, "limits: { policies: 1 }"));
		const run = (value: string) => world.run(["apply", "--yes", "--format", "json", "--allow", value]);
		for (const [index, answer] of (await Promise.all(malformed.map(run))).entries()) {
			expect(answer.code, malformed[index]).toBe(3);
			const { error } = readOutput(answer);
			expect(error).toMatchObject({ code: "configuration" });
			expect(error.hint).toContain(guardKinds.join(", "));
		}
		expect(world.requests()).toEqual([]);
	});

	test("is reported with the accepted forms", async () => {
		const world = await makeWorld(document(twoPolicies));
		const { code, stdout, stderr } = await world.run(["apply", "--yes", "--allow", "policy=2"]);
		expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
		await expect(stderr).toMatchFileSnapshot(golden("guard-allow-malformed"));
	});
});
