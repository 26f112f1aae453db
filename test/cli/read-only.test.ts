import { describe, expect, test } from "vitest";
import { expectNoSecret, readOutput } from "../run.ts";
import {
	agreeing,
	alice,
	apps,
	bob,
	carol,
	document,
	makeWorld,
	policies,
	profile,
	providers,
	tags,
} from "../world.ts";

/** The policies allow everything, so without them only the root quorum can do anything. */
const noLockout = "limits: { lockout: 100 }";

/** Something of every kind, and all of it different from what is there; alice, who applies it, keeps a tag and a provider. */
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
	noLockout,
);

const anActivity = "01900000-0000-7000-8000-000000000001";

describe("a command that only reads sends nothing under /submit/:", () => {
	test.each([
		{ words: ["plan"], code: 0, queries: 11 },
		{ words: ["plan", "--detailed-exitcode"], code: 2, queries: 11 },
		{ words: ["plan", "--reads", "documented"], code: 0, queries: 5 },
		// One question more: by whom.
		{ words: ["drift"], code: 2, queries: 12 },
		{ words: ["drift", "--reads", "documented"], code: 2, queries: 5 },
		{ words: ["validate"], code: 0, queries: 0 },
		{ words: ["query", "list_user_tags"], code: 0, queries: 1 },
		{ words: ["explain", anActivity], code: 1, queries: 2 },
		{ words: ["powers"], code: 0, queries: 4 },
		{ words: ["powers", "--why", "alice", "sign"], code: 0, queries: 4 },
		{ words: ["status"], code: 0, queries: 1 },
		{ words: ["status", "--reads", "documented"], code: 0, queries: 0 },
		{ words: ["wait", "--wait", "0"], code: 0, queries: 1 },
		{ words: ["wait", "--wait", "0", "--reads", "documented"], code: 0, queries: 0 },
		{ words: ["apply"], code: 3, queries: 0 },
		{ words: ["schema"], code: 0, queries: 0 },
		{ words: ["completion", "bash"], code: 0, queries: 0 },
	])("orgsync $words", async ({ words, code, queries }) => {
		const world = await makeWorld(everything);
		expect((await world.run(words)).code).toBe(code);
		expect(world.submits()).toEqual([]);
		expect(world.requests().length).toBe(queries);
		expect(world.activities()).toEqual([]);
	});

	test("plan and drift create no journal", async () => {
		const world = await makeWorld(everything);
		await world.run(["plan"]);
		await world.run(["drift"]);
		const { code, stdout } = await world.run(["validate", "-f", ".orgsync"]);
		expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
	});
});

describe("the number of requests", () => {
	const alone = ["--reads", "documented"];

	test("is one query without changes, with documented reads and tags alone", async () => {
		const world = await makeWorld(document("userTags: [{ name: signers }, { name: oncall }]"), { reads: "documented" });
		for (const words of [["plan"], ["drift"], ["apply", "--yes"]]) {
			expect((await world.run([...words, ...alone])).code).toBe(0);
			expect(world.requests()).toEqual(["list_user_tags"]);
			world.clearRequests();
		}
	});

	test("is two queries without changes, with members and all reads", async () => {
		const world = await makeWorld(document(agreeing.userTags));
		expect((await world.run(["apply", "--yes"])).code).toBe(0);
		expect([...world.requests()].sort()).toEqual(["list_user_tags", "list_users"]);
	});

	test("with changes has one query for pending activities, and one each for what decides who can do what", async () => {
		const more = ["get_organization_configs", "list_activities", "list_policies", "list_users", "whoami"];
		const renames = await makeWorld(document("userTags: [{ name: signatories, previously: [signers] }]"));
		expect((await renames.run(["plan"])).code).toBe(0);
		expect([...renames.requests()].sort()).toEqual([...more, "list_user_tags"].sort());
		const removes = await makeWorld(document(`absent: { oauthProviders: { bob: [${providers.bob[0]}] } }`));
		expect((await removes.run(["plan"])).code).toBe(0);
		expect([...removes.requests()].sort()).toEqual(more);
		removes.clearRequests();
		expect((await removes.run(["plan", ...alone])).code).toBe(0);
		// Nothing is planned by a clock that was not compared with the service's, or for an organization that is not there.
		expect(removes.requests()).toEqual(["list_user_tags"]);
	});

	test("has no submit in a second apply of the same document", async () => {
		const world = await makeWorld(everything);
		expect((await world.run(["apply", "--yes"])).code).toBe(0);
		world.clearRequests();
		expect((await world.run(["apply", "--yes"])).code).toBe(0);
		expect(world.submits()).toEqual([]);
	});

	test.each([1, 2, 3])("is one submit for each of %i changed tags, whatever changed", async (number) => {
		const changed = [
			"{ name: signatories, previously: [signers], members: { exactly: [alice, bob] } }",
			"{ name: oncall, members: { exactly: [alice, carol] } }",
			"{ name: reviewers, previously: [auditors] }",
		].slice(0, number);
		const world = await makeWorld(document(`userTags: [${changed.join(", ")}]`));
		expect((await world.run(["apply", "--yes"])).code).toBe(0);
		expect(world.submits()).toEqual(Array(number).fill("update_user_tag"));
	});

	test("is one submit more if two tags exchange their names, through a temporary name", async () => {
		const world = await makeWorld(
			document(`userTags: [{ name: oncall, id: ${tags.signers} }, { name: signers, id: ${tags.oncall} }]`),
		);
		expect((await world.run(["apply", "--yes"])).code).toBe(0);
		expect(world.submits().length).toBe(3);
		const names = world.organization().userTags.map(({ tagName }: { tagName: string }) => tagName);
		expect(names).toEqual(["oncall", "signers", "auditors"]);
	});

	test("is one submit for three policies", async () => {
		const world = await makeWorld(document(`absent: { policies: [${policies.join(", ")}] }`, noLockout));
		expect((await world.run(["apply", "--yes"])).code).toBe(0);
		expect(world.submits()).toEqual(["delete_policies"]);
		expect(world.organization().policies).toEqual([]);
	});

	test("is two submits for two providers of each of two users", async () => {
		const { alice: ofAlice, bob: ofBob } = providers;
		const world = await makeWorld(
			document(`absent: { oauthProviders: { alice: [${ofAlice.join(", ")}], bob: [${ofBob.join(", ")}] } }`),
		);
		expect((await world.run(["apply", "--yes", "--allow", "ownOauthProviders=2"])).code).toBe(0);
		expect(world.submits()).toEqual(["delete_oauth_providers", "delete_oauth_providers"]);
	});

	test("is one submit for each of two apps", async () => {
		const world = await makeWorld(document(`absent: { tvcApps: [${apps.retired}, ${apps.old}] }`));
		expect((await world.run(["apply", "--yes"])).code).toBe(0);
		expect(world.submits()).toEqual(["delete_tvc_app_and_deployments", "delete_tvc_app_and_deployments"]);
	});

	test("is in the report", async () => {
		const world = await makeWorld(everything);
		const answer = await world.run(["apply", "--yes", "--format", "json"]);
		const [{ stats }] = readOutput(answer).reports;
		const submits = world.submits().length;
		expect(submits).toBe(2 + 2 + 1 + 2);
		expect(stats).toEqual({ submits, queries: world.requests().length - submits, retries: 0, throttledMs: 0 });
	});

	test("a submit adds no user who has the tag and removes no user who does not", async () => {
		const world = await makeWorld(document("userTags: [{ name: signers, members: { exactly: [alice, bob] } }]"));
		expect((await world.run(["apply", "--yes"])).code).toBe(0);
		expect(world.activities()).toMatchObject([
			{ intent: { updateUserTagIntent: { addUserIds: [bob], removeUserIds: [carol] } } },
		]);
		expect(JSON.stringify(world.activities()[0].intent)).not.toContain(alice);
	});
});

test("no private key and no stamp is in anything that was printed or written", () => expectNoSecret());
