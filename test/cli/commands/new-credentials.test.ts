/** `orgsync drift --since`: credentials that are new, who made them, and what their holders can do. */
import { describe, expect, test } from "vitest";
import { makeKey } from "../../keys.ts";
import { readOutput } from "../../run.ts";
import { bob, carol, document, keys, makeWorld, providers, type World } from "../../world.ts";

const rules = "rules: { credentials: { issuers: [https://login.test] } }";
const since = ["drift", "--since", "report.json"];

/** A world whose report is in `report.json`. */
async function makeReported(...sections: readonly string[]): Promise<World> {
	const world = await makeWorld(document(...sections));
	await keepReport(world);
	return world;
}

async function keepReport(world: World): Promise<void> {
	expect((await world.run([...since, "--format", "json", "--output", "report.json"])).code).toBe(0);
}

const createProvider = (world: World, name: string): Promise<void> =>
	world.submitAsBob("create_oauth_providers", {
		userId: bob,
		oauthProviders: [{ providerName: name, oidcClaims: { iss: "https://login.test", sub: name, aud: "acme" } }],
	});

const key = (name: string, more: object = {}) => ({ publicKey: makeKey().publicKey, apiKeyName: name, ...more });

describe("a pending activity that gives a user a credential", () => {
	test.each([
		["protects that user", "protect: { users: [bob] }", true],
		["has rules about credentials", rules, true],
		["protects another user", "protect: { users: [alice] }", false],
		["protects no user", "protect: { userTags: [signers] }", undefined],
	])("is shown by plan and drift where the document %s: %#", async (_what, section, isShown) => {
		const world = await makeWorld(document(section));
		await world.setRules({ approvals: { ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2: 2 } });
		await createProvider(world, "evil");
		for (const command of ["plan", "drift"]) {
			world.clearRequests();
			const { code, stdout } = await world.run([command]);
			expect(code).toBe(0);
			const said = "gives bob a credential once it is approved: its holder can do all that bob can do";
			expect(stdout.includes(said)).toBe(isShown === true);
			expect(world.requests().includes("list_activities")).toBe(isShown !== undefined);
		}
		const { plans } = readOutput(await world.run(["plan", "--format", "json"]));
		expect(plans[0].otherPending?.map(({ objects }: { objects: object }) => objects)).toEqual(
			isShown === true ? [[bob]] : undefined,
		);
	});
});

describe("drift --since", () => {
	test("names a new credential and who made it, which is no drift", async () => {
		const world = await makeReported(rules);
		await createProvider(world, "evil");
		const { code, stdout } = await world.run(since);
		expect(code).toBe(0);
		expect(stdout).toMatch(
			/New credentials since the last report:\n(?:.*\n)* *\+ OAuth provider `evil` of bob\n.*made by create_oauth_providers of bob, .*, activity /,
		);
		expect((await world.run(["drift"])).stdout).not.toContain("New credentials");
	});

	test("calls it drift for a protected user, with all that its holder can do", async () => {
		const world = await makeReported(rules, "protect: { users: [bob] }");
		await world.change({ rootQuorum: { threshold: 1, userIds: [bob] } });
		await createProvider(world, "evil");
		const { code, stdout } = await world.run(since);
		expect(code).toBe(2);
		expect(stdout).toContain("!! OAuth provider `evil` of bob, who is protected");
		expect(stdout).toMatch(/its holder can do alone: .*`PRIVATE_KEY\/SIGN`/);
		expect(stdout).toContain("Drift: 1 new credential of a protected user");
		const [{ credentials, verdict }] = readOutput(await world.run([...since, "--format", "json"])).drift;
		expect(verdict).toBe("drifted");
		expect(credentials.added).toMatchObject([
			{ userId: bob, kind: "oauthProvider", by: { userName: "bob" }, escalation: { together: [] } },
		]);
		expect(credentials.seen).toContain(`${bob}/oauthProvider/${providers.bob[0]}`);
	});

	test("calls it drift for a protected user also without rules, and names no others", async () => {
		const world = await makeReported("protect: { users: [carol] }");
		await createProvider(world, "first");
		expect((await world.run(since)).stdout).not.toContain("New credentials");
		await keepReport(world);
		// What was seen is not new where the user is protected only now.
		world.write("orgsync.yaml", document("protect: { users: [bob] }"));
		expect((await world.run(since)).code).toBe(0);
		await createProvider(world, "evil");
		const { code, stdout } = await world.run(since);
		expect(code).toBe(2);
		expect(stdout).toContain("!! OAuth provider `evil` of bob, who is protected");
		expect(stdout).not.toContain("`first`");
	});

	test("leaves out login sessions and the anchor of a user, and says where no activity explains one", async () => {
		const world = await makeReported(rules);
		await world.change({
			users: [
				{ userId: carol, userName: "carol", apiKeys: [key("anchor"), key("login", { type: "CREDENTIAL_TYPE_LOGIN" })] },
				{ userId: bob, userName: "bob", apiKeys: [{ publicKey: keys.bob.publicKey }, key("ci")] },
			],
		});
		const { stdout } = await world.run(since);
		expect(stdout).toMatch(/\+ API key `ci` of bob\n.*no listed activity explains it/);
		expect(stdout).not.toMatch(/anchor|login`/);
	});

	test("reports nothing without rules about credentials and protected users, or without what the last report saw", async () => {
		const world = await makeWorld(document());
		await world.run([...since, "--format", "json", "--output", "report.json"]);
		world.write("orgsync.yaml", document(rules));
		await createProvider(world, "evil");
		const first = readOutput(await world.run([...since, "--format", "json"])).drift[0].credentials;
		expect(first.added).toEqual([]);
		expect(first.seen.length).toBeGreaterThan(3);
	});

	test("keeps what the last report saw while users cannot be read", async () => {
		const world = await makeReported(rules);
		await world.setRules({ denyReads: ["list_users"] });
		await world.run([...since, "--format", "json", "--output", "report.json"]);
		await world.setRules({});
		await createProvider(world, "evil");
		expect((await world.run(since)).stdout).toContain("`evil` of bob");
	});
});
