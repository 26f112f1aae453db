import { describe, expect, test } from "vitest";
import { parseDocuments } from "../../src/document/read/parse.ts";
import type { DesiredOrganization } from "../../src/plan/organization.ts";
import { addressOfRule, valueOfRule } from "../../src/plan/rules/rules.ts";
import { namedPowers } from "../../src/policy/powers/groups.ts";
import { readSchema } from "../../src/schema/bundle.ts";

const organizationId = "0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a11";

/** Returns the only organization of documents without problems, each with this text after its organization. */
function desiredOf(...texts: readonly string[]): DesiredOrganization {
	const parsed = parseDocuments(
		texts.map((text, index) => ({ file: `${index}.yaml`, content: `organizationId: ${organizationId}\n${text}` })),
		{},
	);
	expect(parsed.problems).toEqual([]);
	return parsed.organizations[0] as DesiredOrganization;
}

const all = `rules:
  exclusive: [signers, approvers]
  members: { signers: { min: 2, max: 5 } }
  powers: { sign: { minApprovers: 2 }, export: { onlyBy: [treasury] } }
  noNewAccess: true
`;

describe("the rules of a document", () => {
	test("are one list, sorted by address, each with its position", () => {
		const at = (line: number, column: number) => ({ file: "0.yaml", line, column });
		expect(desiredOf(all).rules).toEqual([
			{ rule: "exclusive", tags: ["approvers", "signers"], at: at(3, 14) },
			{ rule: "members", tag: "signers", min: 2, max: 5, at: at(4, 14) },
			{ rule: "noNewAccess", at: at(6, 3) },
			{ rule: "onlyBy", power: "export", tags: ["treasury"], at: at(5, 50) },
			{ rule: "minApprovers", power: "sign", min: 2, at: at(5, 21) },
		]);
	});

	test.each([
		"",
		"rules: {}\n",
		"rules: { members: {}, powers: {}, noNewAccess: false }\n",
	])("are left out where there is none: %j", (text) => {
		expect(desiredOf(text)).not.toHaveProperty("rules");
	});

	test("are a part of the digest, their positions and their order are not", () => {
		const { digest } = desiredOf(all);
		expect(desiredOf("").digest).not.toBe(digest);
		expect(desiredOf(all.replace("max: 5", "max: 6")).digest).not.toBe(digest);
		expect(desiredOf(`# why\n${all.replace("signers, approvers", "approvers, signers")}`).digest).toBe(digest);
	});

	test("of several documents of one organization are merged", () => {
		const merged = desiredOf(
			"rules: { exclusive: [a, b], members: { signers: { min: 2 } }, powers: { sign: { minApprovers: 2 } } }\n",
			"rules: { exclusive: [[b, a], [a, c]], members: { signers: { min: 2, max: 5 } }, powers: { sign: { onlyBy: [a] } } }\n",
		);
		expect(merged.rules?.map(addressOfRule)).toEqual([
			"rule:exclusive.a+b",
			"rule:exclusive.a+c",
			"rule:members.signers",
			"rule:powers.sign.minApprovers",
			"rule:powers.sign.onlyBy",
		]);
		expect(merged.rules?.[2]).toMatchObject({ min: 2, max: 5 });
	});

	test("can name tags that the document does not manage", () => {
		expect(desiredOf("rules: { exclusive: [unmanaged, also unmanaged] }\n").objects).toEqual([]);
	});

	test("can name tags as the object prototype does", () => {
		expect(desiredOf("rules: { members: { constructor: { min: 1 }, __proto__: { max: 2 } } }\n").rules).toHaveLength(2);
	});

	test("have the names of powers that policies are judged by", () => {
		const schema = readSchema("document.json") as { readonly properties: Record<string, unknown> };
		const rules = schema.properties.rules as {
			readonly properties: { readonly powers: { readonly properties: Record<string, unknown> } };
		};
		expect(Object.keys(rules.properties.powers.properties)).toEqual(Object.keys(namedPowers));
	});
});

describe("the address of a rule", () => {
	test("quotes a name that could be read as two", () => {
		const at = { file: "a.yaml", line: 1, column: 1 };
		expect(addressOfRule({ rule: "exclusive", tags: ["a+b", "c"], at })).toBe('rule:exclusive."a+b"+c');
	});
});

describe("rules about credentials", () => {
	const bob = "3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c002";
	const text = (checks: string) => `users: { bob: ${bob} }\nrules: { credentials: { ${checks} } }\n`;

	test("are one for each key, with users by id and without those that are false", () => {
		const { rules = [] } = desiredOf(
			text(
				"maxKeyAge: 2d, issuers: [b, a], keysExpire: true, sensitiveNeedsAuthenticator: false, notKeysOnly: { except: { users: [bob], userTags: [agents] } }",
			),
		);
		expect(rules.map(({ at: _, ...rule }) => rule)).toEqual([
			{ rule: "credentials", check: "issuers", issuers: ["a", "b"] },
			{ rule: "credentials", check: "keysExpire", except: { userIds: [], userTags: [] } },
			{ rule: "credentials", check: "maxKeyAge", maxMs: 172_800_000, written: "2d" },
			{ rule: "credentials", check: "notKeysOnly", except: { userIds: [bob], userTags: ["agents"] } },
		]);
		expect(rules.map(addressOfRule)[0]).toBe("rule:credentials.issuers");
		expect(rules.map(valueOfRule)).toEqual(["a, b", "true", "2d", `except ${bob}, agents`]);
	});

	test("of several documents must agree", () => {
		const contents = [text("maxKeyAge: 2d"), text("maxKeyAge: 3d")];
		const files = contents.map((content, index) => ({
			file: `${index}.yaml`,
			content: `organizationId: ${organizationId}\n${content}`,
		}));
		expect(parseDocuments(files, {}).problems.map(({ message }) => message)).toEqual([
			"`maxKeyAge` is `3d` here and `2d` at 0.yaml:3:36; documents of one organization must agree",
		]);
	});
});
