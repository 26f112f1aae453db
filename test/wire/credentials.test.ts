/** Where the address, the organization and the key come from, and what takes precedence. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ConfigurationError } from "../../src/common/errors.ts";
import { findOrganizationId, findStamper, findUrl } from "../../src/wire/credentials.ts";
import { createApiKeyStamper } from "../../src/wire/stamp.ts";

const root = mkdtempSync(join(tmpdir(), "orgsync-credentials-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const keys = Array.from({ length: 7 }, (_, index) => {
	const privateKey = `${index + 1}a`.repeat(32);
	return { privateKey, publicKey: createApiKeyStamper({ privateKey }).publicKey };
});
const [one, two, three, four, five, six, seven] = keys as [Key, Key, Key, Key, Key, Key, Key];
type Key = (typeof keys)[number];

function writeKey(name: string, { privateKey }: Key): string {
	const file = join(root, name);
	writeFileSync(file, `${privateKey}\n`, { mode: 0o600 });
	return file;
}

const publicKeyOf = (stamper: unknown): unknown => (stamper as { publicKey?: unknown } | undefined)?.publicKey;

function refusal(action: () => unknown): ConfigurationError {
	try {
		action();
	} catch (error) {
		if (error instanceof ConfigurationError) return error;
		throw error;
	}
	throw new Error("nothing was thrown");
}

describe("the address of the service", () => {
	it.each([
		[{}, undefined],
		[{ ORGSYNC_URL: "", TURNKEY_BASE_URL: "  " }, undefined],
		[{ TURNKEY_BASE_URL: "https://b.example" }, "https://b.example"],
		[{ ORGSYNC_URL: " https://a.example\n", TURNKEY_BASE_URL: "https://b.example" }, "https://a.example"],
		[{ ORGSYNC_URL: "", TURNKEY_BASE_URL: "https://b.example" }, "https://b.example"],
	])("of the environment %j is %s", (environment, url) => {
		expect(findUrl(environment)).toBe(url);
	});
});

describe("the organization", () => {
	it.each([
		[{}, undefined],
		[{ ORGANIZATION_ID: "C" }, "c"],
		[{ ORGANIZATION_ID: "C", TURNKEY_ORGANIZATION_ID: "B" }, "b"],
		[{ ORGANIZATION_ID: "C", TURNKEY_ORGANIZATION_ID: "B", ORGSYNC_ORGANIZATION_ID: " A " }, "a"],
	])("of the environment %j is %s", (environment, organizationId) => {
		expect(findOrganizationId(environment)).toBe(organizationId);
	});
});

describe("the key", () => {
	const home = join(root, "home");
	mkdirSync(join(home, ".config", "turnkey", "keys"), { recursive: true });
	writeKey("home/.config/turnkey/keys/default.private", seven);
	const all = {
		HOME: home,
		ORGSYNC_STAMP_COMMAND: "exit 1",
		ORGSYNC_KEY_FILE: writeKey("six.private", six),
		API_PRIVATE_KEY: five.privateKey,
		TURNKEY_API_PRIVATE_KEY: four.privateKey,
		ORGSYNC_API_PRIVATE_KEY: three.privateKey,
	};
	const without = (...names: readonly string[]) =>
		Object.fromEntries(Object.entries(all).filter(([name]) => !names.includes(name)));
	const own = ["ORGSYNC_API_PRIVATE_KEY", "TURNKEY_API_PRIVATE_KEY", "API_PRIVATE_KEY"];

	it.each([
		[
			"an option's file before an option's key",
			{ keyFile: writeKey("one", one), privateKey: two.privateKey },
			all,
			one,
		],
		["an option's key before the environment", { privateKey: two.privateKey }, all, two],
		["ORGSYNC_API_PRIVATE_KEY before the vendor's names", {}, all, three],
		["TURNKEY_API_PRIVATE_KEY before API_PRIVATE_KEY", {}, without(own[0] ?? ""), four],
		["API_PRIVATE_KEY before a key file", {}, without(...own.slice(0, 2)), five],
		["ORGSYNC_KEY_FILE before a command", {}, without(...own), six],
		["the vendor's key file at last", {}, { HOME: home }, seven],
		["the next one for an empty variable", {}, { ...all, ORGSYNC_API_PRIVATE_KEY: " " }, four],
	])("is that of %s", (_what, given, environment, { publicKey }) => {
		expect(publicKeyOf(findStamper(given, environment))).toBe(publicKey);
	});

	it("is a command's before any other, and before the vendor's key file", async () => {
		for (const [given, environment] of [
			[{ stampCommand: "echo value", keyFile: "missing" }, all],
			[{}, { HOME: home, ORGSYNC_STAMP_COMMAND: "echo value" }],
		] as const) {
			expect((await findStamper(given, environment)?.stamp("{}"))?.stampHeaderValue).toBe("value");
		}
	});

	it("is missing where nothing names one", () => {
		expect(findStamper({}, { HOME: root })).toBeUndefined();
	});

	it.each([
		["an option", { privateKey: one.privateKey, publicKey: two.publicKey }, {}, "that was given"],
		[
			"the environment",
			{},
			{ TURNKEY_API_PRIVATE_KEY: one.privateKey, TURNKEY_API_PUBLIC_KEY: two.publicKey },
			"in TURNKEY_API_PRIVATE_KEY",
		],
	])("of %s has to belong to the public key beside it", (_what, given, environment, where) => {
		const { message, hint } = refusal(() => findStamper(given, environment));
		expect(message).toBe(
			`the API key ${where} cannot be used: the API public key does not belong to the API private key`,
		);
		expect(hint).toContain(one.publicKey);
		expect(message + hint).not.toContain(one.privateKey);
		const [source] = [Object.keys(given).length > 0 ? { ...given, publicKey: one.publicKey } : {}];
		const fitting =
			Object.keys(environment).length > 0 ? { ...environment, TURNKEY_API_PUBLIC_KEY: one.publicKey } : {};
		expect(publicKeyOf(findStamper(source, fitting))).toBe(one.publicKey);
	});

	it("of a file has to belong to the public key in the file beside it", () => {
		writeFileSync(join(root, "one.private"), one.privateKey, { mode: 0o600 });
		writeFileSync(join(root, "one.public"), two.publicKey);
		const { message } = refusal(() => findStamper({ keyFile: "one.private", directory: root }, {}));
		expect(message).toMatch(/^the API key in one\.private cannot be used: the API public key does not belong/);
	});
});
