import { describe, expect, test } from "vitest";
import { apps, document, makeWorld, policies, profile, providers } from "../world.ts";

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
		{ words: ["can", "alice", "sign"], code: 0, queries: 4 },
		{ words: ["test"], code: 3, queries: 0 },
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
});
