/** `orgsync credentials`: who has which API keys, authenticators and OAuth providers. */
import { describe, expect, test } from "vitest";
import { makeKey } from "../../keys.ts";
import { readOutput } from "../../run.ts";
import { alice, bob, carol, document, keys, makeWorld, profile, providers, type World } from "../../world.ts";
import { startHostileService } from "../hostile-service.ts";

const created = Date.parse("2026-10-01T12:00:00Z");
const at = (days: number) => ({ seconds: String(created / 1000 + days * 86400), nanos: "0" });
const spare = makeKey();
const session = makeKey();

/** alice has a lasting key beside providers, bob one that ends and a session, carol only what she needs. */
async function makeOrganization(): Promise<World> {
	const world = await makeWorld(document(), { reads: "all" });
	await world.change({
		users: [
			{
				userId: alice,
				userName: "alice",
				userEmail: "alice@acme.test",
				apiKeys: [{ publicKey: keys.alice.publicKey }],
			},
			{
				userId: bob,
				userName: "bob",
				apiKeys: [
					{
						publicKey: keys.bob.publicKey,
						apiKeyName: "ci",
						expirationSeconds: "7776000",
						sessionProfileId: profile,
						createdAt: at(0),
					},
					{
						publicKey: session.publicKey,
						type: "CREDENTIAL_TYPE_LOGIN",
						expirationSeconds: "864000000",
						createdAt: at(1),
					},
				],
				authenticators: [
					{ credentialId: "AQID", publicKey: spare.publicKey, authenticatorName: "yubikey", createdAt: at(2) },
				],
			},
			{
				userId: carol,
				userName: "carol",
				userPhoneNumber: "+15550100",
				apiKeys: [{ publicKey: spare.publicKey, apiKeyName: "carol-anchor", createdAt: at(3) }],
			},
		],
	});
	return world;
}

describe("orgsync credentials", () => {
	test("shows each user's credentials, and login sessions apart", async () => {
		const { code, stdout, stderr } = await (await makeOrganization()).run(["credentials"]);
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		expect(stdout).toMatch(
			/^ {2}alice, e-mail sha256:[0-9a-f]{12}…\n {4}API key `[0-9a-f-]{36}`, since .*, never expires\n {4}OAuth provider `alice-one` of `https:\/\/login\.test`, subject sha256:[0-9a-f]{12}…, since /m,
		);
		expect(stdout).toContain(`
    API key \`ci\`, since 2026-10-01 12:00 UTC, until 2026-12-30 12:00 UTC, session profile \`default\`
    authenticator \`yubikey\`, since 2026-10-03 12:00 UTC
`);
		expect(stdout).toMatch(
			/carol, phone .*\n.*carol-anchor`, .*, never expires \(anchor: the oldest lasting key\)\n\n/,
		);
		expect(stdout).toMatch(
			/\n {2}Login sessions:\n {4}bob\n {6}session `[0-9a-f-]{36}`, `CREDENTIAL_TYPE_LOGIN`, since /,
		);
	});

	test("prints the same as JSON, personal data as digests of the organization", async () => {
		const world = await makeOrganization();
		const [organization] = readOutput(await world.run(["credentials", "--format", "json"])).organizations;
		const of = (userId: string) => organization.users.find((user: { userId: string }) => user.userId === userId);
		expect(organization).toMatchObject({ isDigested: true, unread: [], liveNames: { [bob]: "bob" } });
		expect(of(alice).email).toMatch(/^sha256:[0-9a-f]{64}$/);
		expect(of(alice).credentials.at(-1)).toMatchObject({
			kind: "oauthProvider",
			id: providers.alice[1],
			issuer: "https://login.test",
			subject: expect.stringMatching(/^sha256:/),
		});
		expect(of(bob).credentials.slice(0, 2)).toMatchObject([
			{
				createdAt: "2026-10-01T12:00:00.000Z",
				expiresAt: "2026-12-30T12:00:00.000Z",
				sessionProfile: { name: "default" },
			},
			{ kind: "authenticator", name: "yubikey" },
		]);
		expect(of(bob).sessions).toMatchObject([{ type: "CREDENTIAL_TYPE_LOGIN" }]);
		expect(of(carol)).toMatchObject({ credentials: [{ isAnchor: true, expiresAt: "never" }], sessions: [] });
		expect(JSON.stringify(organization)).not.toContain("acme.test");
	});

	test("shows personal data with --personal", async () => {
		const world = await makeOrganization();
		const { stdout } = await world.run(["credentials", "--personal"]);
		expect(stdout).toContain("alice, e-mail alice@acme.test");
		expect(stdout).toContain("carol, phone +15550100");
	});

	test("asks for session profiles only if a key has one", async () => {
		const world = await makeWorld(document(), { reads: "all" });
		await world.run(["credentials"]);
		expect([...world.requests()].sort()).toEqual([
			...["get_organization_configs", "list_policies", "list_user_tags", "list_users"],
		]);
	});

	test("calls unknown what the service does not show", async () => {
		const world = await makeOrganization();
		const url = await startHostileService(world.url, (text, key) =>
			key === "issuer" || key === "seconds" ? "" : text,
		);
		const { code, stdout } = await world.run(["credentials", "--url", url]);
		expect(code).toBe(0);
		expect(stdout).toContain("OAuth provider `alice-one` of an unknown issuer");
		expect(stdout).toContain("since an unknown time, until an unknown time");
	});

	test("exits with 1 if users cannot be read", async () => {
		const world = await makeWorld(document(), { reads: "documented" });
		const { code, stdout } = await world.run(["credentials"]);
		expect(code).toBe(1);
		expect(stdout).toContain("users unknown: the service does not answer list_users (HTTP 404)");
	});
});

describe("rules.credentials of the document", () => {
	const rules = (text: string) => document(`rules: { credentials: { ${text} } }`);

	test("are judged by credentials, which exits with 2 for a broken one", async () => {
		const world = await makeOrganization();
		world.write("orgsync.yaml", rules("keysExpire: true, issuers: [https://login.test], maxKeyAge: 30d"));
		const { code, stdout } = await world.run(["credentials"]);
		expect(code).toBe(2);
		expect(stdout).toContain("rule broken: rule:credentials.keysExpire: the API key `");
		expect(stdout).toContain(
			"rule broken: rule:credentials.maxKeyAge: the API key `ci` of bob is too old (since 2026-10-01 12:00 UTC); the rule asks for keys of at most 30d",
		);
		expect(stdout).not.toContain("rule:credentials.issuers");
		const answer = readOutput(await world.run(["credentials", "--format", "json"]));
		expect(answer.organizations[0].rules.map(({ before }: { before: { state: string } }) => before.state)).toEqual([
			...["kept", "broken", "broken"],
		]);
	});

	test("are judged by plan and drift alike", async () => {
		const world = await makeOrganization();
		world.write("orgsync.yaml", rules("issuers: [https://other.test]"));
		for (const words of [["plan"], ["drift"]]) {
			const { stdout } = await world.run(words);
			expect(stdout).toContain("rule:credentials.issuers");
			expect(stdout).toContain("the OAuth provider `alice-one` of alice is of the issuer `https://login.test`");
		}
		expect((await world.run(["drift"])).code).toBe(2);
	});

	test("are unknown where users cannot be read", async () => {
		const world = await makeWorld(rules("keysExpire: true"), { reads: "documented" });
		const { code, stdout } = await world.run(["credentials"]);
		expect(code).toBe(1);
		expect(stdout).toContain("rule:credentials.keysExpire unknown: the service does not answer list_users (HTTP 404)");
		expect((await world.run(["drift"])).code).toBe(1);
	});

	test.each([
		["maxKeyAge: 90", "orgsync.yaml:3:36: `maxKeyAge` must be text, but YAML reads `90` as a number"],
		['maxKeyAge: "90"', "`90` is no age; write days, such as `90d`"],
		["keysExpire: { except: { users: [eve] } }", "unknown user `eve`"],
		["keysExpire: { except: {} }", "`except` is empty"],
		["issuers: []", "`issuers` is an empty list; write issuers, or remove it"],
		["notKeysOnly: {}", "`notKeysOnly` is empty; write `except`, or remove it"],
		["notKeysOnly: { except: { users: [] } }", "`users` is an empty list; write users"],
		["issuer: [x]", "unknown key `issuer`; did you mean `issuers`?"],
	])("are refused by validate: %s", async (text, message) => {
		const world = await makeWorld(rules(text));
		const { code, stderr } = await world.run(["validate"]);
		expect(code).toBe(3);
		expect(stderr).toContain(message);
	});
});

test("the emulator does not accept an API key that has expired", async () => {
	const world = await makeOrganization();
	const env = { ORGSYNC_API_PRIVATE_KEY: keys.bob.privateKey };
	expect((await world.run(["credentials"], { env })).code).toBe(0);
	await world.moveClock(60 * 86_400_000);
	const { code, stderr } = await world.run(["credentials"], { env });
	expect(code).toBe(4);
	expect(stderr).toContain("the API key of X-Stamp has expired");
});
