import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { escapeSequence, replaceInvisible } from "../../src/common/invisible.ts";
import { parseDocuments, parsePlain } from "../../src/document/read/parse.ts";
import { casesToTry } from "../case-count.ts";
import { anyCharacter } from "../characters.ts";

const user = (n: number) => `3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c00${n}`;
const id = (n: number) => `91c0f5aa-6a77-4c07-8f0c-5f4f0e6f200${n}`;

const document = {
	organizationId: "0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a11",
	users: { alice: user(1), bob: user(2), carol: user(3) },
	userTags: [
		{
			name: "signers",
			id: id(1),
			previously: ["approvers", "voters"],
			members: { exactly: ["alice", "bob", user(4)] },
		},
		{ name: "oncall", members: { atLeast: ["bob", "carol"], never: ["alice", user(5)] } },
		{ name: "root-quorum" },
	],
	absent: {
		policies: [id(2), id(3), id(4)],
		oauthProviders: { alice: [id(5), id(6)], bob: [id(7)] },
		tvcApps: [id(8), id(9)],
	},
	expect: {
		sessionProfiles: [
			{ id: id(1), name: "default", scope: "read", expirationSeconds: "900", notes: "" },
			{ id: id(2), notes: "x" },
		],
		mfaPolicies: {
			bob: [
				{ id: id(3), name: "b", condition: "true" },
				{
					name: "a",
					order: 1.5,
					requiredAuthenticationMethods: [
						{
							any: [
								{ type: "AUTHENTICATION_TYPE_SESSION", id: "x" },
								{ type: "AUTHENTICATION_TYPE_SESSION", id: "y" },
							],
						},
						{ any: [{ type: "AUTHENTICATION_TYPE_PASSKEY" }, { type: "AUTHENTICATION_TYPE_API_KEY" }] },
					],
				},
			],
			alice: [{ name: "a", order: 0 }],
		},
		bootProofs: [
			{ app: id(1), owner: "o", enclaveApp: "signer", qosManifestVersion: "v1" },
			{ app: id(2), deploymentLabel: "prod" },
		],
		supportedAssets: {
			"solana:mainnet": [{ symbol: "SOL", decimals: 9 }],
			"eip155:1": [
				{ symbol: "USDC", stable: true, earnProviders: ["EARN_PROVIDER_BETA", "EARN_PROVIDER_ALPHA"] },
				{ symbol: "ETH", name: "Ether", logoUrl: "u", caip19: "c" },
			],
		},
	},
	protect: { users: ["carol", user(6)], userTags: ["root-quorum", "admins"] },
	limits: { tvcApps: 1, memberRemovals: "25%", policies: 5, oauthProviders: 5 },
};

type Take = (length: number) => readonly number[];

/** Returns the value with its lists and keys in another order, except for the steps of an MFA policy. */
function shuffled(value: unknown, take: Take, fixed = false): unknown {
	if (Array.isArray(value)) {
		const order = fixed ? value.map((_, index) => index) : take(value.length);
		return order.map((index) => shuffled(value[index], take));
	}
	if (typeof value !== "object" || value === null) return value;
	const entries = Object.entries(value);
	return Object.fromEntries(
		take(entries.length).map((index) => {
			const [key, entry] = entries[index] as [string, unknown];
			return [key, shuffled(entry, take, key === "requiredAuthenticationMethods")];
		}),
	);
}

const permutations = fc.gen().map((generate): Take => {
	return (length) => {
		const order = Array.from({ length }, (_, index) => index);
		return generate(() => fc.shuffledSubarray(order, { minLength: length }));
	};
});

function parseOne(content: string | Uint8Array, environment = {}) {
	return parseDocuments([{ file: "document.yaml", content }], environment);
}

/** Returns a copy without positions. */
function withoutPlaces(value: unknown): unknown {
	return JSON.parse(
		JSON.stringify(value, (key, entry: unknown) => (["at", "places"].includes(key) ? undefined : entry)),
	);
}

describe("parseDocuments", () => {
	const expected = parseOne(JSON.stringify(document));

	test("ignores the order of lists and keys", () => {
		expect(expected.problems).toEqual([]);
		// Compared as text, so that the order of keys counts.
		const text = JSON.stringify(withoutPlaces(expected.organizations));
		fc.assert(
			fc.property(permutations, (take) => {
				const parsed = parseOne(JSON.stringify(shuffled(document, take), null, 1));
				expect(parsed.problems).toEqual([]);
				expect(JSON.stringify(withoutPlaces(parsed.organizations))).toBe(text);
			}),
			casesToTry(50),
		);
	});

	test("keeps the order of the steps of an MFA policy", () => {
		const text = JSON.stringify(document);
		const [first, second] = document.expect.mfaPolicies.bob[1]?.requiredAuthenticationMethods ?? [];
		const turned = text.replace(JSON.stringify([first, second]), JSON.stringify([second, first]));
		expect(turned).not.toBe(text);
		expect(parseOne(turned).organizations[0]?.digest).not.toBe(expected.organizations[0]?.digest);
	});

	/** Expects either organizations or problems, and a position and a message of each problem. */
	function isTold(content: string | Uint8Array): void {
		const { organizations, problems } = parseOne(content, { A: "x" });
		expect(organizations.length > 0).toBe(problems.length === 0);
		for (const problem of problems) {
			expect(problem.line).toBeGreaterThanOrEqual(1);
			expect(problem.column).toBeGreaterThanOrEqual(1);
			expect(problem.message).not.toMatch(/must NOT|undefined|\[object|\n/);
		}
	}

	test("reports a problem for any bytes", () => {
		fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), isTold), casesToTry(200));
		fc.assert(fc.property(fc.string({ unit: anyCharacter, maxLength: 200 }), isTold), casesToTry(200));
	});

	test("reads a document with random cuts and insertions, or reports a problem", () => {
		const text = JSON.stringify(document, null, 1);
		const pieces = fc.constantFrom(
			..."[]{},:-?&*!|>%@`'\"#~\n\t ",
			"null",
			"*a ",
			"&a ",
			"<<: ",
			"---\n",
			"!!x ",
			"$" + "{A}",
			"0x1",
			"1e999",
		);
		const edit = fc.tuple(fc.nat(text.length), fc.nat(20), fc.array(pieces, { maxLength: 4 }));
		fc.assert(
			fc.property(edit, ([at, length, added]) => isTold(text.slice(0, at) + added.join("") + text.slice(at + length))),
			casesToTry(200),
		);
	});

	test("reports a problem for any YAML with known keys and wrong values", () => {
		const keys = Object.keys(document);
		const value = fc.jsonValue({ maxDepth: 4 });
		fc.assert(
			fc.property(fc.dictionary(fc.constantFrom(...keys), value), (wrong) =>
				isTold(JSON.stringify({ ...document, ...wrong })),
			),
			casesToTry(120),
		);
	});

	test("never shows a value of the environment in a problem", () => {
		const secret = "s3cr3t-of-the-environment";
		const places: string[] = [];
		const visit = (value: unknown, path: readonly string[]): void => {
			if (typeof value === "object" && value !== null) {
				for (const [key, entry] of Object.entries(value)) visit(entry, [...path, key]);
				return;
			}
			places.push(path.join("."));
			const copy = structuredClone(document) as never;
			const parent = path.slice(0, -1).reduce<Record<string, never>>((at, key) => at[key] ?? at, copy);
			parent[path.at(-1) ?? ""] = ("$" + "{ORGSYNC_VAR_SECRET}") as never;
			for (const environment of [secret, ` ${secret}`, `${secret}\u0000`]) {
				const { problems } = parseOne(JSON.stringify(copy), { ORGSYNC_VAR_SECRET: environment });
				expect(JSON.stringify(problems)).not.toContain(secret);
			}
		};
		visit(document, []);
		expect(places.length).toBe(69);
	});
});

describe("parsePlain", () => {
	/** The value as a document in which nothing is a variable. */
	function parseText(value: unknown) {
		const text = JSON.stringify(value, (_key, entry: unknown) =>
			typeof entry === "string" ? entry.replaceAll("${", () => "$${") : entry,
		);
		return parseOne(replaceInvisible(text, escapeSequence));
	}

	/** Expects what the text says, or for a value with problems nothing. Returns whether the value is read. */
	function isReadAsText(value: unknown): boolean {
		const plain = parsePlain("document.yaml", value);
		const { organizations, problems } = parseText(value);
		if (problems.length > 0) expect(plain).toBeUndefined();
		if (plain !== undefined) expect(withoutPlaces([plain])).toEqual(withoutPlaces(organizations));
		return plain !== undefined;
	}

	test("reads a document without problems as its text is read, whatever the order of its keys is", () => {
		fc.assert(
			fc.property(permutations, (take) => {
				expect(isReadAsText(shuffled(document, take))).toBe(true);
			}),
			{ numRuns: 20 },
		);
	});

	test("reads any text as a name that the text has, and nothing that has a problem", () => {
		const unusual = fc.constantFrom(
			"${A}",
			"$${A}",
			"\u200b",
			"\u0000",
			"\u{e0101}",
			"\ud800",
			"1",
			"null",
			"~",
			"<<",
			"'",
			"\n ",
		);
		const name = fc.array(fc.oneof(fc.string({ unit: anyCharacter }), unusual), { minLength: 1, maxLength: 3 });
		let read = 0;
		fc.assert(
			fc.property(name, (parts) => {
				const userTags = [{ name: parts.join("") }];
				if (isReadAsText({ organizationId: document.organizationId, userTags })) read += 1;
			}),
			{ numRuns: 150 },
		);
		expect(read).toBeGreaterThan(5);
	});

	test("leaves wrong values to the text", () => {
		const keys = [...Object.keys(document), "__proto__", "other", "$" + "{A}"];
		const value = fc.jsonValue({ maxDepth: 20 });
		fc.assert(
			fc.property(fc.dictionary(fc.constantFrom(...keys), value), (wrong) => {
				isReadAsText({ ...document, ...wrong });
			}),
			{ numRuns: 150 },
		);
	});
});
