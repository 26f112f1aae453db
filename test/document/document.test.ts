import { describe, expect, test } from "vitest";
import { type DocumentSource, parseDocuments } from "../../src/document/read/parse.ts";
import type { DesiredOrganization } from "../../src/plan/organization.ts";
import { sectionsOf } from "../plan/support-organizations.ts";

const organizationId = "0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a11";
const alice = "3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c001";
const bob = "3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c002";

const complete = `# yaml-language-server: $schema=../../schemas/document.json
organizationId: ${organizationId}
users:
  alice: ${alice}
  bob: ${bob}
userTags:
  - name: signers
    id: 91c0f5aa-6a77-4c07-8f0c-5f4f0e6f1001
    previously: [approvers]
    members: { exactly: [alice, bob] }
  - name: oncall
    members: { atLeast: [bob], never: [alice] }
absent:
  policies: [91C0F5AA-6a77-4c07-8f0c-5f4f0e6f2001]
  oauthProviders: { alice: [77aa0c9e-8d0e-4b0e-a9d4-0a64c1a3d001] }
  tvcApps: [c1d20c9e-8d0e-4b0e-a9d4-0a64c1a3e001]
expect:
  sessionProfiles: [{ id: 5e550c9e-8d0e-4b0e-a9d4-0a64c1a3f001, name: default, scope: "read", expirationSeconds: "900" }]
  mfaPolicies: { alice: [{ name: passkey-first, order: 1, requiredAuthenticationMethods: [{ any: [{ type: AUTHENTICATION_TYPE_PASSKEY }] }] }] }
  bootProofs: [{ app: c1d20c9e-8d0e-4b0e-a9d4-0a64c1a3e002, deploymentLabel: prod-42, enclaveApp: signer }]
  supportedAssets: { "eip155:1": [{ symbol: USDC, decimals: 6 }], "solana:devnet": [{ symbol: SOL, stable: false }] }
protect: { users: [bob], userTags: [root-quorum] }
limits: { memberRemovals: 25%, policies: 5, oauthProviders: 5, tvcApps: 1 }
`;

function source(content: string, file = "document.yaml"): DocumentSource {
	return { file, content };
}

/** Returns the only organization of documents without problems. */
function desiredOf(content: string | readonly DocumentSource[], environment = {}): DesiredOrganization {
	const parsed = parseDocuments(typeof content === "string" ? [source(content)] : content, environment);
	expect(parsed.problems).toEqual([]);
	expect(parsed.organizations).toHaveLength(1);
	return parsed.organizations[0] as DesiredOrganization;
}

/** Returns `file:line:column code` of each problem. */
function codesOf(sources: readonly DocumentSource[], environment = {}): string[] {
	const parsed = parseDocuments(sources, environment);
	expect(parsed.organizations).toEqual([]);
	return parsed.problems.map(({ file, line, column, code }) => `${file}:${line}:${column} ${code}`);
}

const head = `organizationId: ${organizationId}\nusers: { alice: ${alice}, bob: ${bob} }\n`;

describe("a document without problems", () => {
	test("becomes the desired organization, with ids for aliases and everything sorted", () => {
		const { digest, ...desired } = desiredOf(complete);
		expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
		const at = (line: number, column: number) => ({ file: "document.yaml", line, column });
		const { objects, ...others } = desired;
		expect(sectionsOf({ objects })).toEqual({
			userTags: [
				{
					kind: "userTag",
					name: "oncall",
					previously: [],
					members: { mode: "atLeast", atLeast: [bob], never: [alice] },
					at: at(11, 5),
				},
				{
					kind: "userTag",
					name: "signers",
					id: "91c0f5aa-6a77-4c07-8f0c-5f4f0e6f1001",
					previously: ["approvers"],
					members: { mode: "exactly", exactly: [alice, bob] },
					at: at(7, 5),
				},
			],
			absent: {
				policyIds: ["91c0f5aa-6a77-4c07-8f0c-5f4f0e6f2001"],
				oauthProviders: [{ userId: alice, providerIds: ["77aa0c9e-8d0e-4b0e-a9d4-0a64c1a3d001"] }],
				tvcAppIds: ["c1d20c9e-8d0e-4b0e-a9d4-0a64c1a3e001"],
			},
			expect: {
				sessionProfiles: [
					{
						id: "5e550c9e-8d0e-4b0e-a9d4-0a64c1a3f001",
						fields: { name: "default", scope: "read", expirationSeconds: "900" },
						at: at(18, 21),
					},
				],
				mfaPolicies: [
					{
						userId: alice,
						name: "passkey-first",
						fields: { requiredAuthenticationMethods: [{ any: [{ type: "AUTHENTICATION_TYPE_PASSKEY" }] }], order: 1 },
						at: at(19, 26),
					},
				],
				bootProofs: [
					{
						appId: "c1d20c9e-8d0e-4b0e-a9d4-0a64c1a3e002",
						fields: { deploymentLabel: "prod-42", enclaveApp: "signer" },
						at: at(20, 16),
					},
				],
				supportedAssets: [
					{ caip2: "eip155:1", symbol: "USDC", fields: { decimals: 6 }, at: at(21, 35) },
					{
						caip2: "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1",
						symbol: "SOL",
						fields: { stable: false },
						at: at(21, 85),
					},
				],
			},
		});
		expect(others).toEqual({
			organizationId,
			users: { alice, bob },
			places: {
				users: { [alice]: at(4, 10), [bob]: at(5, 8) },
				protectedTags: { "root-quorum": at(22, 37) },
			},
			protect: { userIds: [bob], userTags: ["root-quorum"] },
			limits: { memberRemovals: { percent: 25 }, policies: 5, oauthProviders: 5, tvcApps: 1 },
			files: ["document.yaml"],
		});
	});

	test("can consist of the organization id", () => {
		const desired = desiredOf(`organizationId: ${organizationId.toUpperCase()}\n`);
		expect(desired.organizationId).toBe(organizationId);
		expect(sectionsOf(desired).userTags).toEqual([]);
		expect(desired.limits).toEqual({});
	});

	test("says where users under `absent` are named: at their alias, or else where the id is", () => {
		const desired = desiredOf(
			`organizationId: ${organizationId}\nusers: { alice: ${alice} }\nabsent:\n  oauthProviders:\n    alice: [77aa0c9e-8d0e-4b0e-a9d4-0a64c1a3d001]\n    ${bob.toUpperCase()}: [77aa0c9e-8d0e-4b0e-a9d4-0a64c1a3d002]\n`,
		);
		expect(desired.places?.users).toEqual({
			[alice]: { file: "document.yaml", line: 2, column: 17 },
			[bob]: { file: "document.yaml", line: 6, column: 5 },
		});
	});

	test("is deeply frozen", () => {
		const parsed = parseDocuments([source(complete)], {});
		const open: unknown[] = [];
		const visit = (value: unknown): void => {
			if (typeof value !== "object" || value === null) return;
			if (!Object.isFrozen(value)) open.push(value);
			Object.values(value).forEach(visit);
		};
		visit(parsed);
		expect(open).toEqual([]);
		expect(parsed.organizations[0]?.objects.map((object) => Object.isFrozen(object))).not.toContain(false);
	});

	test("distinguishes no members, no objects and unmanaged", () => {
		const tags =
			"userTags: [{ name: a, members: { exactly: [] } }, { name: b }, { name: c, members: { never: [bob] } }]\n";
		expect(sectionsOf(desiredOf(head + tags)).userTags.map((tag) => tag.members)).toEqual([
			{ mode: "exactly", exactly: [] },
			undefined,
			{ mode: "atLeast", atLeast: [], never: [bob] },
		]);
		expect(sectionsOf(desiredOf(`${head}absent: { policies: [], oauthProviders: { alice: [] } }\n`)).absent).toEqual({
			policyIds: [],
			oauthProviders: [],
			tvcAppIds: [],
		});
	});

	test("can have `never` with `exactly` if no user is in both", () => {
		const desired = desiredOf(`${head}userTags: [{ name: a, members: { exactly: [alice], never: [bob] } }]\n`);
		expect(sectionsOf(desired).userTags[0]?.members).toEqual({ mode: "exactly", exactly: [alice] });
	});

	test("can give a tag the name of another tag that has an id", () => {
		const id = "91c0f5aa-6a77-4c07-8f0c-5f4f0e6f1001";
		const tags = `userTags: [{ name: a, id: ${id} }, { name: b, previously: [a] }]\n`;
		expect(sectionsOf(desiredOf(head + tags)).userTags.map((tag) => tag.previously)).toEqual([[], ["a"]]);
	});

	test("can list a protected tag without changing it", () => {
		const desired = desiredOf(`${head}userTags: [{ name: a }]\nprotect: { userTags: [a] }\n`);
		expect(desired.protect.userTags).toEqual(["a"]);
	});

	test("waives the count of expiries with `any`, and nothing else", () => {
		expect(desiredOf(`${head}limits: { expiries: any }\n`).limits).toEqual({ expiries: "any" });
		const { problems } = parseDocuments([{ file: "a.yaml", content: `${head}limits: { expiries: all }\n` }], {});
		expect(problems.map(({ message }) => message)).toEqual(["`expiries` must be `any`, but is `all`"]);
	});

	test("limits lockouts and escalations by number, or strictly", () => {
		const limits = (text: string) => desiredOf(`${head}limits: ${text}\n`).limits;
		expect(limits("{ lockout: 1, escalation: strict }")).toEqual({ lockout: 1, escalation: "strict" });
		expect(limits('{ lockout: "strict" }')).toEqual({ lockout: "strict" });
	});

	test("limits member removals by number or by percentage", () => {
		const limit = (value: string) => desiredOf(`${head}limits: { memberRemovals: ${value} }\n`).limits.memberRemovals;
		expect(limit("25%")).toEqual({ percent: 25 });
		expect(limit("0%")).toEqual({ percent: 0 });
		expect(limit("100%")).toEqual({ percent: 100 });
		expect(limit("3")).toEqual({ count: 3 });
	});

	test("compares the name of an MFA policy only if the policy has an id", () => {
		const id = "8fa00c9e-8d0e-4b0e-a9d4-0a64c1a3f002";
		const policies = `expect: { mfaPolicies: { bob: [{ name: a, id: ${id} }, { name: b, notes: "" }] } }\n`;
		const found = sectionsOf(desiredOf(head + policies)).expect.mfaPolicies.map(({ at: _, ...policy }) => policy);
		expect(found).toEqual([
			{ userId: bob, id, fields: { name: "a" } },
			{ userId: bob, name: "b", fields: { notes: "" } },
		]);
	});

	test("can use small anchors and aliases", () => {
		const tags = "userTags: [{ name: a, members: &all { exactly: [alice, bob] } }, { name: b, members: *all }]\n";
		const [first, second] = sectionsOf(desiredOf(head + tags)).userTags;
		expect(second?.members).toEqual(first?.members);
	});

	test("can use JSON, a byte order mark and CRLF", () => {
		expect(desiredOf(`\uFEFF${JSON.stringify({ organizationId })}`).organizationId).toBe(organizationId);
		const crlf = new TextEncoder().encode(`\uFEFF${complete.replaceAll("\n", "\r\n")}`);
		expect(desiredOf([{ file: "document.yaml", content: crlf }])).toEqual(desiredOf(complete));
	});

	test("can use the name of a JavaScript property as an alias", () => {
		const users = `users: { constructor: ${alice}, __proto__: ${bob} }\n`;
		const desired = desiredOf(
			`organizationId: ${organizationId}\n${users}protect: { users: [__proto__, constructor] }\n`,
		);
		expect(desired.protect.userIds).toEqual([alice, bob]);
		expect(Object.keys(desired.users).sort()).toEqual(["__proto__", "constructor"]);
	});
});

describe("a variable", () => {
	test("is substituted anywhere in a value", () => {
		const content = `organizationId: \${ORGSYNC_ORGANIZATION_ID}\nuserTags: [{ name: "\${ORGSYNC_VAR_STAGE}-signers-\${ORGSYNC_VAR_STAGE}" }]\n`;
		const desired = desiredOf(content, { ORGSYNC_ORGANIZATION_ID: organizationId, ORGSYNC_VAR_STAGE: "prod" });
		expect(desired.organizationId).toBe(organizationId);
		expect(sectionsOf(desired).userTags[0]?.name).toBe("prod-signers-prod");
	});

	test("is text, and is not parsed as YAML or substituted again", () => {
		const content = `${head}protect:\n  userTags:\n    - \${ORGSYNC_VAR_A}\n    - \${ORGSYNC_VAR_B}\n    - \${ORGSYNC_VAR_C}\n`;
		const environment = { ORGSYNC_VAR_A: "[x, y]", ORGSYNC_VAR_B: "900", ORGSYNC_VAR_C: "$" + "{A}" };
		expect(desiredOf(content, environment).protect.userTags).toEqual(["$" + "{A}", "900", "[x, y]"]);
	});

	test("is not substituted after a double dollar sign", () => {
		const desired = desiredOf(`${head}protect: { userTags: ["a$\${ORGSYNC_VAR_B}c"] }\n`, { ORGSYNC_VAR_B: "x" });
		expect(desired.protect.userTags).toEqual(["a$" + "{ORGSYNC_VAR_B}c"]);
	});

	test("can be an alias", () => {
		expect(
			desiredOf(`${head}protect: { users: ["\${ORGSYNC_VAR_WHO}"] }\n`, { ORGSYNC_VAR_WHO: "bob" }).protect.userIds,
		).toEqual([bob]);
	});

	test("can be set to an empty text", () => {
		expect(
			codesOf([source(`${head}protect: { userTags: ["\${ORGSYNC_VAR_EMPTY}"] }\n`)], { ORGSYNC_VAR_EMPTY: "" }),
		).toEqual(["document.yaml:3:23 bad-name"]);
	});
});

describe("the digest", () => {
	const digest = (content: string, file = "a.yaml") => desiredOf([source(content, file)]).digest;

	test("does not depend on aliases, positions and files", () => {
		const one = `${head}userTags: [{ name: a, members: { exactly: [alice] } }]\n`;
		const other = `# moved\n\n${one.replaceAll("alice", "alicia")}`;
		expect(digest(other, "b.yaml")).toBe(digest(one));
	});

	test.each([
		["a member", "userTags: [{ name: a, members: { exactly: [alice, bob] } }]"],
		["a tag's name", "userTags: [{ name: b, members: { exactly: [alice] } }]"],
		["how members are meant", "userTags: [{ name: a, members: { atLeast: [alice] } }]"],
		["a limit", "userTags: [{ name: a, members: { exactly: [alice] } }]\nlimits: { policies: 0 }"],
		["protection", "userTags: [{ name: a, members: { exactly: [alice] } }]\nprotect: { userTags: [b] }"],
	])("differs for %s", (_, tags) => {
		expect(digest(`${head}${tags}\n`)).not.toBe(
			digest(`${head}userTags: [{ name: a, members: { exactly: [alice] } }]\n`),
		);
	});
});

describe("several documents", () => {
	const other = "0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a10";

	test("can share a file, and an empty one at its end is ignored", () => {
		const parsed = parseDocuments([source(`---\n${head}---\norganizationId: ${other}\n---\n# the end\n`)], {});
		expect(parsed.problems).toEqual([]);
		expect(parsed.organizations.map((organization) => organization.organizationId)).toEqual([other, organizationId]);
	});

	test("of one organization are merged with their aliases", () => {
		const first = `${head}userTags: [{ name: b }]\nabsent: { policies: [91c0f5aa-6a77-4c07-8f0c-5f4f0e6f2002] }\nlimits: { policies: 5 }\n`;
		const second = `organizationId: ${organizationId}\nusers: { alice: ${alice} }
userTags: [{ name: a, members: { exactly: [bob] } }]
absent: { policies: [91c0f5aa-6a77-4c07-8f0c-5f4f0e6f2001, 91c0f5aa-6a77-4c07-8f0c-5f4f0e6f2002] }
protect: { users: [alice] }
limits: { policies: 5, tvcApps: 1 }
`;
		const desired = desiredOf([source(first, "b.yaml"), source(second, "a.yaml")]);
		expect(sectionsOf(desired).userTags.map((tag) => tag.name)).toEqual(["a", "b"]);
		expect(sectionsOf(desired).userTags[0]?.members).toEqual({ mode: "exactly", exactly: [bob] });
		expect(sectionsOf(desired).absent.policyIds).toEqual([
			"91c0f5aa-6a77-4c07-8f0c-5f4f0e6f2001",
			"91c0f5aa-6a77-4c07-8f0c-5f4f0e6f2002",
		]);
		expect(desired.limits).toEqual({ policies: 5, tvcApps: 1 });
		expect(desired.files).toEqual(["a.yaml", "b.yaml"]);
		expect(desiredOf([source(second, "a.yaml"), source(first, "b.yaml")])).toEqual(desired);
	});

	test("that conflict are reported with both positions", () => {
		const parsed = parseDocuments(
			[
				source(`${head}limits: { policies: 5 }\n`, "a.yaml"),
				source(`organizationId: ${organizationId}\nlimits: { policies: 6 }\n`, "b.yaml"),
			],
			{},
		);
		expect(parsed.problems).toEqual([
			{
				file: "b.yaml",
				line: 2,
				column: 21,
				path: "limits.policies",
				code: "documents-disagree",
				message: "`policies` is `6` here and `5` at a.yaml:3:21; documents of one organization must agree",
			},
		]);
	});

	test("are checked although another one cannot be read, except for aliases that it may define", () => {
		const broken = source("users: [alice\n", "a.yaml");
		const good = source(`organizationId: ${organizationId}\nprotect: { users: [carol], userTags: [a, a] }\n`, "b.yaml");
		expect(codesOf([broken, good])).toEqual(["a.yaml:2:1 yaml-syntax", "b.yaml:2:42 duplicate"]);
		expect(codesOf([good])).toEqual(["b.yaml:2:20 unknown-user", "b.yaml:2:42 duplicate"]);
	});
});

describe("problems", () => {
	test("are reported at once, in the order of files, lines and columns", () => {
		const first = `${head}userTags:
  - name: a
    members: { exactly: [alcie], never: [carol] }
  - nam: b
limits: { policies: -1, memberRemovals: 101% }
colour: blue
`;
		const second = "organizationId: x\nprotect: { userTags: [1] }\n";
		expect(codesOf([source(first, "z.yaml"), source(second, "a.yaml")])).toEqual([
			"z.yaml:6:5 unknown-key",
			"z.yaml:7:21 out-of-range",
			"z.yaml:7:41 out-of-range",
			"z.yaml:8:1 unknown-key",
			"a.yaml:1:17 not-an-id",
			"a.yaml:2:23 wrong-type",
		]);
		// If the other document is readable, unknown users are reported too.
		expect(codesOf([source(first, "z.yaml")]).filter((code) => code.includes("user"))).toEqual([
			"z.yaml:5:26 unknown-user",
			"z.yaml:5:42 unknown-user",
		]);
	});

	test("name the path", () => {
		const assets = `expect: { supportedAssets: { "eip155:1": [{ symbol: USDC, decimals: six }] } }\n`;
		const [problem] = parseDocuments([source(head + assets)], {}).problems;
		expect(problem?.path).toBe('expect.supportedAssets["eip155:1"][0].decimals');
	});

	test("of an anchored value are reported once", () => {
		const tags = "userTags: [{ name: a, members: &x { exactly: [carol] } }, { name: b, members: *x }]\n";
		expect(codesOf([source(head + tags)])).toEqual(["document.yaml:3:47 unknown-user"]);
	});

	test("escape control characters of the document", () => {
		const [problem] = parseDocuments([source(`${head}"\\e[31mred": x\n`)], {}).problems;
		expect(problem?.message).toContain("`\\u001b[31mred`");
	});

	test("are empty without sources", () => {
		expect(parseDocuments([], {})).toEqual({ organizations: [], problems: [] });
	});
});

describe("a hostile file", () => {
	const bytes = (...values: number[]) => Uint8Array.from(values);
	const levels = 10_000;
	const nines = Array.from({ length: 12 }, (_, i) => `  - &a${i + 1} [${Array(9).fill(`*a${i}`).join(", ")}]`).join(
		"\n",
	);

	test.each<[string, string | Uint8Array, string]>([
		["50 MB", Buffer.alloc(50_000_000, "a"), "1:1 too-large"],
		["one byte over 8 MiB", Buffer.alloc(8 * 1024 * 1024 + 1, "#"), "1:1 too-large"],
		["a NUL byte", bytes(0x61, 0x3a, 0x0a, 0x20, 0x00), "2:2 not-text"],
		["a bell", "a: b\nc: \u0007", "2:4 not-text"],
		["a byte that is not UTF-8", bytes(0x61, 0x3a, 0x20, 0xc3, 0x28), "1:4 not-utf8"],
		["UTF-16", bytes(0xff, 0xfe, 0x61, 0x00), "1:1 not-utf8"],
		["open brackets without end", "[".repeat(levels), "1:64 too-deep"],
		["brackets", "[".repeat(levels) + "]".repeat(levels), "1:64 too-deep"],
		["maps in brackets", "{a: ".repeat(levels), "1:253 too-deep"],
		["lists in lists", `${"- ".repeat(levels)}a`, "1:127 too-deep"],
		["keys of keys", `${"? ".repeat(levels)}a`, "1:127 too-deep"],
		["an alias bomb", `organizationId: ${organizationId}\nuserTags:\n  - &a0 [x]\n${nines}\n`, "7:25 alias-expansion"],
		["an empty file", "", "1:1 empty-document"],
		["a mebibyte of blanks", " ".repeat(1024 * 1024), "1:1 empty-document"],
	])("is reported as a problem: %s", (_, content, expected) => {
		const { problems, organizations } = parseDocuments([{ file: "hostile.yaml", content }], {});
		expect(organizations).toEqual([]);
		expect(problems.map(({ line, column, code }) => `${line}:${column} ${code}`)).toContain(expected);
		for (const problem of problems) expect(problem.message.length).toBeLessThan(300);
	});

	test("of exactly 8 MiB is read", () => {
		const text = `organizationId: ${organizationId}\n#`;
		desiredOf(text.padEnd(8 * 1024 * 1024, "x"));
	});
});
