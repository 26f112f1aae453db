/** `orgsync can`: whether a user can do an activity, as an exit code. */
import { describe, expect, test } from "vitest";
import { readOutput } from "../../run.ts";
import { alice, bob, carol, document, makeWorld, organizationId, policies, tags, type World } from "../../world.ts";

const signers = `user.tags.contains('${tags.signers}')`;
const isSigning = "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'";
const seeded = [
	{
		policyId: policies[0],
		policyName: "signers move little",
		effect: "EFFECT_ALLOW",
		consensus: `approvers.any(user, ${signers})`,
		condition: `${isSigning} && eth.tx.value < 1000`,
	},
	{
		policyId: policies[1],
		policyName: "two signers",
		effect: "EFFECT_ALLOW",
		consensus: `approvers.filter(user, ${signers}).count() >= 2`,
		condition: isSigning,
	},
	{
		policyId: policies[2],
		policyName: "signers handle wallets",
		effect: "EFFECT_ALLOW",
		consensus: `approvers.any(user, ${signers})`,
		condition: "activity.resource == 'WALLET'",
	},
];

/** alice and carol are signers, bob is none. */
async function makeOrganization(written = seeded): Promise<World> {
	const world = await makeWorld(document(), { reads: "all" });
	await world.change({ policies: written, rootQuorum: { threshold: 2, userIds: [alice, bob] } });
	return world;
}

const request = (value: number | null): string =>
	JSON.stringify({
		type: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2",
		organizationId,
		parameters: { signWith: "0xabc", type: "TRANSACTION_TYPE_ETHEREUM", unsignedTransaction: "02f0" },
		...(value === null ? {} : { where: `eth.tx.value == ${value}` }),
	});

describe("orgsync can", () => {
	test.each<readonly [code: number, why: string, words: readonly string[], text: string]>([
		[0, "yes, alone", ["carol", "WALLET/CREATE"], "yes: carol can create wallets alone (`WALLET/CREATE`)"],
		[0, "where a condition holds", ["carol", "sign where eth.tx.value == 5"], "yes: carol can sign with any wallet"],
		[8, "with others", ["carol", "sign where eth.tx.value == 1000"], ", it takes 2 of signers (alice, carol)"],
		[
			8,
			"with the root quorum",
			["bob", "PRIVATE_KEY/EXPORT"],
			"only with the root quorum: bob can export private keys",
		],
		[
			8,
			"for sure, and alone under a condition",
			["carol", "sign"],
			"where the value is below 1000 wei: alice and carol each",
		],
		[9, "no", ["carol", "PRIVATE_KEY/EXPORT"], "no: carol cannot export private keys"],
		[9, "where it is no for one of several", ["carol", "export"], "no: carol cannot export private keys"],
	])("exits with %i: %s", async (code, _, words, text) => {
		const world = await makeOrganization();
		const answer = await world.run(["can", ...words]);
		expect({ code: answer.code, stderr: answer.stderr }).toEqual({ code, stderr: "" });
		expect(answer.stdout).toMatch(/^Organization \S+, at \S+\n {2}\S/);
		expect(answer.stdout).toContain(text);
		expect(answer.stdout).not.toContain("policy");
	});

	test.each([
		[0, 999],
		[8, 1000],
		[8, null],
	] as const)("exits with %i for a request with the value %s, from a file or standard input", async (code, value) => {
		const world = await makeOrganization();
		world.write("transfer.json", request(value));
		expect((await world.run(["can", "carol", "transfer.json"])).code).toBe(code);
		expect((await world.run(["can", "carol", "-"], { stdin: request(value) })).code).toBe(code);
	});

	test("prints with --because what powers --why prints", async () => {
		const world = await makeOrganization();
		// Without a time, the two could judge in different seconds.
		const asked = ["bob", "sign where eth.tx.value == 1000", "--at", "2026-12-01T00:00:00Z"];
		const { code, stdout } = await world.run(["can", ...asked, "--because"]);
		expect(code).toBe(8);
		expect(stdout).toBe((await world.run(["powers", "--why", ...asked])).stdout);
		expect(stdout).toContain("consensus is not met");
	});

	test("prints the answers as JSON with the policies", async () => {
		const world = await makeOrganization();
		const answer = await world.run(["can", "carol", "PRIVATE_KEY/EXPORT", "--format", "json"]);
		expect(readOutput(answer)).toMatchObject({
			command: "can",
			exitCode: 9,
			because: false,
			organizations: [{ why: [{ verdict: "no", policies: [] }] }],
		});
	});

	test("omits the fields of a request without any, and says how many users suffice where one alone is unknown", async () => {
		const wallets = { policyId: policies[2], effect: "EFFECT_ALLOW", condition: "activity.resource == 'WALLET'" };
		const two = { ...wallets, policyName: "two", consensus: "approvers.count() >= 2" };
		const isCarol = `approvers.any(u, u.id == '${carol}' && u.alias == 'x')`;
		const maybe = { ...two, policyId: policies[1], policyName: "x", consensus: isCarol };
		const world = await makeOrganization([...seeded.slice(0, 1), two, maybe]);
		world.write("wallet.json", JSON.stringify({ type: "ACTIVITY_TYPE_CREATE_WALLET", parameters: {} }));
		const { stdout, code } = await world.run(["can", "carol", "wallet.json"]);
		expect(code).toBe(11);
		expect(stdout.split("\n")[1]).toBe(
			"  unknown whether carol can submit activities of type `ACTIVITY_TYPE_CREATE_WALLET` alone: policy `x`: no read shows `user.alias`; with others, it takes 2 of alice, bob, carol (`type ACTIVITY_TYPE_CREATE_WALLET`)",
		);
	});

	test("judges time windows at --at", async () => {
		const world = await makeOrganization();
		await world.change({ policies: [{ ...seeded[2], time: "time.now < Timestamp('2026-12-01T00:00:00Z')" }] });
		const at = async (time: string): Promise<number | null> =>
			(await world.run(["can", "carol", "WALLET/CREATE", "--at", time])).code;
		expect(await at("2026-11-30T23:59:59Z")).toBe(0);
		expect(await at("2026-12-01T00:00:00Z")).toBe(9);
		await world.change({ policies: [{ ...seeded[2], time: "time.now >= Timestamp('2026-12-01T00:00:00Z')" }] });
		const early = await world.run(["can", "carol", "WALLET/CREATE", "--because", "--at", "2026-11-30T00:00:00Z"]);
		expect(early.stdout).toContain("no: carol cannot create wallets; from 2026-12-01 00:00 UTC on: yes (");
		expect(early.stdout).toContain(
			"time is not in force at this time, but will be from 2026-12-01 00:00 UTC on: `time.now",
		);
	});
});

describe("orgsync can never takes for a no", () => {
	test("what only a condition decides", async () => {
		const world = await makeOrganization([
			...seeded.slice(0, 1),
			...seeded.slice(1).map((one) => ({ ...one, condition: "false" })),
		]);
		const { code, stdout } = await world.run(["can", "carol", "sign"]);
		expect(code).toBe(11);
		expect(stdout).toContain("under a condition: carol can sign with any wallet or key (`PRIVATE_KEY/SIGN`)");
		expect(stdout).toContain("where the value is below 1000 wei: alice and carol each alone");
	});

	test("reads that the service lacks", async () => {
		const world = await makeWorld(document(), { reads: "documented" });
		const { code, stdout } = await world.run(["can", carol, "sign"]);
		expect(code).toBe(11);
		expect(stdout).toMatch(/unknown whether \S+ can sign/);
		expect(stdout).toContain("policies unknown: ");
	});

	test("a denied query", async () => {
		const world = await makeOrganization();
		await world.setRules({ denyReads: ["list_user_tags"] });
		const answer = await world.run(["can", carol, "sign", "--format", "json"]);
		expect(readOutput(answer)).toMatchObject({ exitCode: 11, error: { code: "undecided" } });
	});

	test("an outage", async () => {
		const world = await makeOrganization();
		const { code } = await world.run(["can", "carol", "sign", "--url", "http://127.0.0.1:9"]);
		expect(code).toBe(1);
	});
});

test.each([
	[["carol", "WALLET"], "ACTIVITY WALLET: not every action is an activity"],
	[["carol", "sing"], "ACTIVITY sing: unknown group"],
	[["carol", "SIGN_TRANSACTION"], "ACTIVITY SIGN_TRANSACTION: unknown group; did you mean 'kind SIGN_TRANSACTION'?"],
	[
		["carol", "ACTIVITY_TYPE_SIGN_TRANSACTION_V2"],
		"ACTIVITY ACTIVITY_TYPE_SIGN_TRANSACTION_V2: unknown group; did you mean 'kind SIGN_TRANSACTION'?",
	],
	[["nobody", "sign"], "USER nobody: no such user"],
	[["carol", "none.json"], "none.json cannot be read"],
	[["carol", "transfer.json"], "the request has a problem"],
	[["carol"], "missing required argument 'activity'"],
])("orgsync can %j is refused", async (words, message) => {
	const world = await makeOrganization();
	world.write("transfer.json", "[]");
	const { code, stderr } = await world.run(["can", ...words]);
	expect(code).toBe(3);
	expect(stderr).toContain(`error: ${message}`);
});
