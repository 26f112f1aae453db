/** `orgsync init --fence-credentials`: policies that keep the users of one tag from giving themselves a key. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeKey } from "../../keys.ts";
import {
	alice,
	bob,
	carol,
	document,
	keys,
	makeWorld,
	organizationId,
	policies,
	tags,
	type World,
} from "../../world.ts";

const key = (more: object = {}) => ({ publicKey: makeKey().publicKey, ...more });
const fence = ["init", "--fence-credentials", "oncall", "--organization", organizationId];

/** bob alone has the tag `oncall`, alice is the root quorum, and other policies give bob nothing. */
async function makeOrganization(): Promise<World> {
	const world = await makeWorld(document());
	await world.change({
		rootQuorum: { threshold: 1, userIds: [alice] },
		policies: policies.map((policyId, index) => ({
			...{
				policyId,
				policyName: `policy ${index + 1}`,
				effect: "EFFECT_ALLOW",
				condition: "activity.action == 'SIGN'",
			},
			consensus: `approvers.any(user, user.id == '${carol}')`,
		})),
	});
	return world;
}

const createProvider = (world: World, name: string): Promise<void> =>
	world.submitAsBob("create_oauth_providers", {
		userId: bob,
		oauthProviders: [{ providerName: name, oidcClaims: { iss: "https://login.test", sub: name, aud: "acme" } }],
	});

describe("init --fence-credentials", () => {
	test("writes a document and its access cases, which hold after its plan", async () => {
		const world = await makeOrganization();
		const { code, stdout, stderr } = await world.run(fence);
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		expect(stdout).toBe("Wrote fence.yaml and fence.access.yaml.\nNext: orgsync test -f fence.yaml\n");
		const text = readFileSync(join(world.folder, "fence.yaml"), "utf8");
		expect(text).toContain(`user.tags.contains('${tags.oncall}')`);
		const tested = await world.run(["test", "-f", "fence.yaml"]);
		expect(tested.stdout).toContain("5 access cases: 5 passed.");
		expect(tested.code).toBe(0);
		const before = await world.run(["test", "-f", "fence.yaml", "--live"]);
		expect(before.code).toBe(10);
		expect(before.stdout).toContain("the fenced change no credentials of their own");
	});

	test("keeps a user of the tag from a provider of its own, and lets others give one", async () => {
		const world = await makeOrganization();
		await createProvider(world, "before");
		await world.run(fence);
		expect((await world.run(["apply", "--yes", "-f", "fence.yaml"])).code).toBe(0);
		await expect(createProvider(world, "after")).rejects.toThrow(/expected 403/);
		await world.submitAs(keys.alice, "create_oauth_providers", {
			userId: bob,
			oauthProviders: [{ providerName: "given", oidcClaims: { iss: "https://login.test", sub: "given", aud: "acme" } }],
		});
		const names = world.organization().users.find(({ userId }: { userId: string }) => userId === bob).oauthProviders;
		expect(names.map(({ providerName }: { providerName: string }) => providerName)).toEqual(
			expect.arrayContaining(["before", "given"]),
		);
		expect(JSON.stringify(names)).not.toContain('"after"');
	});

	test("writes a second file beside the first, and overwrites neither", async () => {
		const world = await makeOrganization();
		world.write("agents.access.yaml", "tests: []\n");
		const { code, stderr } = await world.run([...fence, "-f", "agents.yaml"]);
		expect(code).toBe(3);
		expect(stderr).toContain("agents.access.yaml already exists; init never overwrites");
		expect(existsSync(join(world.folder, "agents.yaml"))).toBe(false);
	});

	test.each<readonly [why: string, change: object, message: string]>([
		[
			"a user whose last credential expires",
			{
				users: [
					{ userId: bob, userName: "bob", oauthProviders: [], apiKeys: [key({ expirationSeconds: "60000000" })] },
				],
			},
			"the last credential of bob expires 2028-",
		],
		[
			"a tag that every user has",
			{ userTags: [{ tagId: tags.oncall, tagName: "oncall", userIds: [alice, bob, carol] }] },
			"every user has this tag",
		],
		["a root quorum of one of its users", { rootQuorum: { threshold: 1, userIds: [bob] } }, "no policy binds bob"],
	])("refuses %s, and writes nothing", async (_, change, message) => {
		const world = await makeOrganization();
		await world.change(change);
		const { code, stdout, stderr } = await world.run(fence);
		expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
		expect(stderr).toContain(message);
		expect(existsSync(join(world.folder, "fence.yaml"))).toBe(false);
	});

	test("refuses what it cannot know: a tag that does not exist, and users that it cannot read", async () => {
		const world = await makeOrganization();
		const other = await world.run(["init", "--fence-credentials", "oncal", "--organization", organizationId]);
		expect(other.code).toBe(3);
		expect(other.stderr).toContain("--fence-credentials oncal: no such user tag; did you mean oncall?");
		await world.setRules({ denyReads: ["list_users"] });
		const { code, stderr } = await world.run(fence);
		expect(code).toBe(3);
		expect(stderr).toContain("--fence-credentials: the service denies list_users to this key");
	});
});
