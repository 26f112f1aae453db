import { describe, expect, test } from "vitest";
import { kinds } from "../../../src/plan/kinds/index.ts";
import { normalize, readOutput } from "../../run.ts";
import { apps, document, makeWorld, organizationId, policies, profile, providers, type World } from "../../world.ts";

const golden = (name: string): string => `../../golden/cli/${name}.txt`;

/** Something of every kind, and all of it different from what is there. */
const everything = document(
	`userTags:
  - { name: signatories, previously: [signers], members: { exactly: [alice, bob] } }
  - { name: oncall, members: { atLeast: [carol] } }`,
	`absent:
  policies: [${policies.join(", ")}]
  oauthProviders: { alice: [${providers.alice[0]}], bob: [${providers.bob.join(", ")}] }
  tvcApps: [${apps.retired}, ${apps.old}]`,
	`expect:
  sessionProfiles: [{ id: ${profile}, name: other }]
  mfaPolicies: { alice: [{ name: passkey-first, order: 2 }] }
  bootProofs: [{ app: ${apps.signer}, deploymentLabel: other }]
  supportedAssets: { "eip155:1": [{ symbol: USDC, decimals: 6 }] }`,
);

const only = (...selections: readonly string[]): string[] => selections.flatMap((one) => ["--only", one]);

async function plannedAddresses(world: World, words: readonly string[]): Promise<readonly string[]> {
	const answer = await world.run(["plan", "--format", "json", ...words]);
	expect(answer.code).toBe(0);
	return readOutput(answer).plans[0].changes.map(({ address }: { address: string }) => address);
}

/** What a plan with steps needs beside its objects: pending activities, and who can do what. */
const more = ["get_organization_configs", "list_activities", "list_policies", "list_users", "whoami"];
const ofBob = providers.bob.map((id) => `oauthProvider:bob/${id}`);
const [first, second, third] = policies.map((id) => `policy:${id}`);
const gone = [`tvcApp:${apps.retired}`, `tvcApp:${apps.old}`];

describe("--only narrows the plan and its reads", () => {
	test.each([
		{
			selections: ["userTag"],
			addresses: ["userTag:oncall", "userTag:signatories"],
			requests: ["list_user_tags", ...more],
		},
		{ selections: ["policy"], addresses: [first, second, third], requests: more },
		{
			selections: ["oauthProvider"],
			addresses: [`oauthProvider:alice/${providers.alice[0]}`, ...ofBob],
			requests: more,
		},
		{ selections: ["tvcApp"], addresses: gone, requests: ["list_tvc_apps", ...more] },
		{ selections: ["sessionProfile"], addresses: [`sessionProfile:${profile}`], requests: ["get_session_profile"] },
		{ selections: ["mfaPolicy"], addresses: ["mfaPolicy:alice/passkey-first"], requests: ["get_mfa_policies"] },
		{ selections: ["bootProof"], addresses: [`bootProof:${apps.signer}`], requests: ["get_latest_boot_proof"] },
		{
			selections: ["supportedAsset"],
			addresses: ["supportedAsset:eip155:1/USDC"],
			requests: ["list_supported_assets"],
		},
		{
			selections: ["userTag/on?all"],
			addresses: ["userTag:oncall"],
			requests: ["list_user_tags", ...more],
		},
		{
			selections: ["userTag/sign*"],
			addresses: ["userTag:signatories"],
			requests: ["list_user_tags", ...more],
		},
		{ selections: [`policy/${policies[1]}`], addresses: [second], requests: more },
		{
			selections: ["userTag:oncall", second ?? ""],
			addresses: ["userTag:oncall", second],
			requests: ["list_user_tags", ...more],
		},
		{ selections: ["policy/9*1", "policy/9*3"], addresses: [first, third], requests: more },
		{ selections: ["oauthProvider/bob/*"], addresses: ofBob, requests: more },
		{
			selections: ["tvcApp", "policy/*2"],
			addresses: [second, ...gone],
			requests: ["list_tvc_apps", ...more],
		},
	])("to $selections", async ({ selections, addresses, requests }) => {
		const world = await makeWorld(everything);
		expect([...(await plannedAddresses(world, only(...selections)))].sort()).toEqual([...addresses].sort());
		expect([...world.requests()].sort()).toEqual([...requests].sort());
	});

	test.each([
		"userTag/.*",
		"userTag/sign",
		"userTag/[os]*",
		"policy/nothing",
	])("and refuses %s, which matches nothing", async (selection) => {
		const world = await makeWorld(everything);
		const { code, stderr, stdout } = await world.run(["drift", ...only("tvcApp", selection)]);
		expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
		expect(stderr).toBe(
			`error: --only ${selection}: no object of the documents matches\nhint: write an address as plan prints it, or KIND/GLOB with * for any text: userTag/sign*\n`,
		);
		expect(world.requests()).toEqual([]);
	});

	test("and refuses an address with a wildcard, and says how to write a pattern", async () => {
		const world = await makeWorld(everything);
		expect((await world.run(["plan", ...only("userTag:sign*")])).stderr).toBe(
			"error: --only userTag:sign*: no object of the documents matches\nhint: an address has no wildcards: write KIND/GLOB\n",
		);
	});

	test("to one removal that a complete list asks for, saved or not, and says which others it leaves", async () => {
		const world = await makeWorld(document("userTags: [{ name: signers }]", "exactly: { policies: {}, userTags: {} }"));
		const { policies: live } = world.organization();
		const [{ policyId, policyName }, ...others] = live;
		const listed = others.map((one: { policyName: string }) => `\`${one.policyName}\``).join(", ");
		const left = `exactly.policies: orgsync.yaml:1:1: \`exactly\` removes ${others.length} more policies, but not in this run: ${listed}`;
		const whole = await world.run(["plan", ...only(`policy:${policyId}`), "--out", "plan.json"]);
		expect(whole.stdout).toContain(left.slice(left.indexOf("`")));
		expect(await plannedAddresses(world, only(`policy:${policyName}`))).toEqual([`policy:${policyId}`]);
		expect(await world.run(["apply", "--yes", "--plan", "plan.json"])).toMatchObject({ code: 0 });
		expect(world.organization().policies).toEqual(others);
		// It is gone, or the name is wrong.
		const again = await world.run(["plan", ...only("userTag:onkall")]);
		expect(again).toMatchObject({ code: 0 });
		expect(again.stdout).toContain(
			"no user tag is called `onkall`, so nothing is removed by this name; did you mean `oncall`?",
		);
		world.write("more.yaml", `organizationId: ${organizationId.replace(/^./, "9")}\nuserTags: []\n`);
		const fleet = await world.run(["drift", "-f", "orgsync.yaml", "-f", "more.yaml", ...only("userTag/onk*")]);
		expect(fleet.stdout).toContain("no user tag matches `onk*`, so nothing is removed by this pattern");
	});

	test("and names five of many removals that it leaves", async () => {
		const world = await makeWorld(document("exactly: { policies: {} }"));
		const [{ policyId }] = world.organization().policies;
		const many = [..."123456789"].map((digit) => ({
			policyId: policyId.replace(/^./, digit),
			policyName: `p${digit}`,
		}));
		await world.change({ policies: many });
		const { stdout } = await world.run(["plan", ...only("policy:p1")]);
		expect(stdout).toMatch(
			/`exactly` removes \d+ more policies, but not in this run: (?:`[^`]+`, ){4}`[^`]+` and \d+ more\n/,
		);
	});

	test("so that the plans of all kinds together are the whole plan", async () => {
		const world = await makeWorld(everything);
		const whole = await plannedAddresses(world, []);
		expect(await plannedAddresses(world, only(...kinds.map(({ name }) => name)))).toEqual(whole);
		expect(whole.length).toBe(2 + 3 + 3 + 2 + 4);
	});

	test("and accepts that other kinds cannot be read", async () => {
		const world = await makeWorld(everything);
		await world.setRules({ denyReads: ["list_user_tags"] });
		expect((await world.run(["plan"])).code).not.toBe(0);
		expect((await world.run(["plan", ...only("policy")])).code).toBe(0);
	});
});

describe("with --only", () => {
	test("apply submits only the selected steps", async () => {
		const world = await makeWorld(everything);
		const before = world.organization();
		expect((await world.run(["apply", "--yes", ...only("policy/*2", "userTag/oncall")])).code).toBe(0);
		expect([...world.submits()].sort()).toEqual(["delete_policies", "update_user_tag"]);
		const after = world.organization();
		expect(after.policies).toEqual([before.policies[0], before.policies[2]]);
		expect(after.userTags[0]).toEqual(before.userTags[0]);
		expect((await world.run(["drift", ...only("policy/*2", "userTag/oncall")])).code).toBe(0);
		expect((await world.run(["drift"])).code).toBe(2);
	});

	test("a guard counts only selected objects", async () => {
		const world = await makeWorld(`${everything}limits: { policies: 1 }\n`);
		expect((await world.run(["apply", "--yes"])).code).toBe(5);
		expect((await world.run(["apply", "--yes", ...only("policy/*2")])).code).toBe(0);
		expect(world.submits()).toEqual(["delete_policies"]);
	});
});

describe("--only with an unknown kind", () => {
	test.each(["plan", "drift", "apply --yes"])("is exit 3 before any request: orgsync %s", async (command) => {
		const world = await makeWorld(everything);
		const selections = ["usertag", "userTags", "", "/signers", "*", "constructor"];
		const run = (one: string) => world.run([...command.split(" "), ...only(one), "--format", "json"]);
		for (const answer of await Promise.all(selections.map(run))) {
			expect(answer.code).toBe(3);
			expect(readOutput(answer).error).toMatchObject({ code: "configuration" });
		}
		expect(world.requests()).toEqual([]);
	});

	test("is reported with the existing kinds", async () => {
		const world = await makeWorld(everything);
		const { code, stdout, stderr } = await world.run(["plan", ...only("tag/signers")]);
		expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
		await expect(normalize(stderr)).toMatchFileSnapshot(golden("only-unknown-kind"));
	});
});
