/** Seeds: what is read, and every mistake with the line and column it is at. */
import { expect, test, vi } from "vitest";
import { DocumentError } from "../../src/common/errors.ts";
import { parseSeed, startEmulator } from "../../src/emulator/server.ts";
import { readSchema } from "../../src/schema/bundle.ts";
import * as world from "./world.ts";

function mistakesIn(text: string): readonly string[] {
	try {
		parseSeed(text, "seed.yaml");
	} catch (error) {
		if (!(error instanceof DocumentError)) throw error;
		return error.problems.map(({ file, line, column, code, path }) => `${file}:${line}:${column} ${code} ${path}`);
	}
	return [];
}

const head = `organizations:
  - organizationId: ${world.organizationId}
    organizationName: Acme
`;

test("a seed in YAML is read, with ids and keys in lower case", async () => {
	const key = `02${"AB".repeat(32)}`;
	const text = `${head}    users:
      - { userId: ${world.alice.toUpperCase()}, userName: alice, apiKeys: [{ publicKey: ${key} }] }
    userTags:
      - { tagId: ${world.signers}, tagName: signers, userIds: [${world.alice}] }
`;
	const emulator = await startEmulator({ seed: parseSeed(text, "seed.yaml") });
	const { organization } = emulator.state(world.organizationId);
	expect(organization.users?.[0]).toMatchObject({ userId: world.alice, apiKeys: [{ publicKey: key.toLowerCase() }] });
	expect(emulator.organizations).toEqual([
		{
			organizationId: world.organizationId,
			organizationName: "Acme",
			users: [{ userId: world.alice, userName: "alice" }],
		},
	]);
	await emulator.close();
});

test("a seed in JSON is read", () => {
	expect(parseSeed(JSON.stringify(world.makeSeed()), "seed.json")).toEqual(world.makeSeed());
});

test("every example in the published schema is a seed", () => {
	const { examples } = readSchema("seed.json") as { examples: readonly object[] };
	expect(examples.length).toBeGreaterThan(0);
	for (const example of examples) expect(mistakesIn(JSON.stringify(example))).toEqual([]);
});

test.each([
	["broken YAML", "organizations: [", ["seed.yaml:1:17 syntax "]],
	["nothing", "", ["seed.yaml:1:1 bad-value "]],
	["an unknown key", `${head}    colour: red\n`, ["seed.yaml:4:5 unknown-key organizations[0].colour"]],
	[
		"an id that is no UUID",
		"organizations:\n  - organizationId: acme\n",
		["seed.yaml:2:5 bad-value organizations[0].organizationId"],
	],
	[
		"a missing name",
		`${head}    users:\n      - userId: ${world.alice}\n`,
		["seed.yaml:5:9 missing-key organizations[0].users[0]"],
	],
	[
		"a member who is no user",
		`${head}    userTags:\n      - { tagId: ${world.signers}, tagName: a, userIds: [\n          ${world.bob} ] }\n`,
		["seed.yaml:6:11 unknown-user organizations[0].userTags[0].userIds[0]"],
	],
	[
		"a tag name used twice",
		`${head}    userTags:\n      - { tagId: ${world.signers}, tagName: a }\n      - { tagId: ${world.auditors}, tagName: a }\n`,
		["seed.yaml:6:56 duplicate organizations[0].userTags[1].tagName"],
	],
	[
		"a private key in the place of a public one",
		`${head}    users:\n      - userId: ${world.alice}\n        userName: a\n        apiKeys: [{ publicKey: ${"ab".repeat(32)} }]\n`,
		["seed.yaml:7:21 bad-value organizations[0].users[0].apiKeys[0].publicKey"],
	],
	[
		"a root quorum of strangers",
		`${head}    rootQuorum: { threshold: 1, userIds: [${world.alice}] }\n`,
		["seed.yaml:4:43 unknown-user organizations[0].rootQuorum.userIds[0]"],
	],
	[
		"a root quorum that can never be reached",
		`${head}    users: [{ userId: ${world.alice}, userName: a }]\n    rootQuorum: { threshold: 2, userIds: [${world.alice}] }\n`,
		["seed.yaml:5:19 bad-value organizations[0].rootQuorum.threshold"],
	],
	[
		"a root quorum that needs no one",
		`${head}    rootQuorum: { threshold: 0, userIds: [] }\n`,
		[
			"seed.yaml:4:19 bad-value organizations[0].rootQuorum.threshold",
			"seed.yaml:4:33 bad-value organizations[0].rootQuorum.userIds",
		],
	],
	[
		"a rule about no activity type",
		`${head}    rules: { approvals: { DELETE: 2 } }\n`,
		["seed.yaml:4:14 bad-key organizations[0].rules.approvals"],
	],
])("%s is reported where it is", (_what, text, expected) => {
	expect(mistakesIn(text)).toEqual(expected);
});

test("a message does not repeat the text of a file that is not a seed", () => {
	const secret = "cd".repeat(32);
	const text = `${head}    users:\n      - userId: ${world.alice}\n        userName: a\n        apiKeys: [{ publicKey: ${secret} }]\n`;
	try {
		parseSeed(text, "seed.yaml");
		expect.unreachable();
	} catch (error) {
		expect(JSON.stringify((error as DocumentError).problems)).not.toContain(secret);
	}
});

test("a list or a map as a key is reported where it is, without a warning of the parser", () => {
	const warn = vi.spyOn(process, "emitWarning");
	expect(mistakesIn("? - a\n: 1\n")).toEqual(["seed.yaml:1:3 syntax "]);
	expect(mistakesIn(`${head}    {a: 1}: 2\n`)).toEqual(["seed.yaml:4:5 syntax "]);
	expect(mistakesIn("a: &x [1]\n*x : 2\n")).toEqual(["seed.yaml:2:1 syntax "]);
	expect(warn).not.toHaveBeenCalled();
	warn.mockRestore();
});

test("what was seeded is a seed again, also a session profile without a time", async () => {
	const profile = { sessionProfileId: world.id(1), sessionProfileName: "default" };
	const emulator = await startEmulator({
		seed: { organizations: [{ organizationId: world.organizationId, sessionProfiles: [profile] }] },
	});
	const { organization } = emulator.state(world.organizationId);
	await emulator.close();
	expect(mistakesIn(JSON.stringify({ organizations: [organization] }))).toEqual([]);
});

test("a message repeats no more than the ends of an unknown key, and shows an empty one", () => {
	const messageOf = (key: string): string => {
		try {
			parseSeed(JSON.stringify({ [key]: 1 }), "seed.yaml");
			return expect.unreachable();
		} catch (error) {
			return (error as DocumentError).problems.map(({ message }) => message).join("\n");
		}
	};
	expect(messageOf("k".repeat(9000))).toMatch(/unknown key `k+…k+`; known here: organizations/);
	expect(messageOf("k".repeat(9000)).length).toBeLessThan(200);
	expect(messageOf("")).toContain('unknown key `""`');
});

test("the limits of an organization apply to seeds", () => {
	const users = Array.from({ length: 101 }, (_, index) => ({ userId: world.id(1000 + index), userName: `u${index}` }));
	const providers = Array.from({ length: 11 }, (_, index) => ({ providerId: world.id(index), providerName: "p" }));
	const [first] = users;
	const seedOf = (list: readonly object[]) =>
		JSON.stringify({ organizations: [{ organizationId: world.organizationId, users: list }] });
	expect(mistakesIn(seedOf(users))).toEqual([expect.stringContaining("limit organizations[0].users")]);
	expect(mistakesIn(seedOf([{ ...first, oauthProviders: providers }]))).toEqual([
		expect.stringContaining("limit organizations[0].users[0].oauthProviders"),
	]);
	expect(mistakesIn(seedOf(users.slice(1)))).toEqual([]);
});

test("a seed made by a program is checked too", async () => {
	const seed = { organizations: [{ organizationId: "acme" }] };
	await expect(startEmulator({ seed })).rejects.toMatchObject({ code: "configuration" });
});
