/** Stamps of both kinds, made here with node:crypto: what is accepted, and every way of not being so. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Emulator, startEmulator } from "../../src/emulator/server.ts";
import { apiKeyStamp, makeKey } from "../keys.ts";
import * as world from "./world.ts";

let emulator: Emulator;
const raw = JSON.stringify({ organizationId: world.organizationId });
const path = "/public/v1/query/list_user_tags";

beforeAll(async () => {
	emulator = await startEmulator({ seed: world.makeSeed() });
});

afterAll(() => emulator.close());

const post = (headers: Record<string, string>, body = raw) => world.postRaw(emulator.url, path, body, headers);

async function refusal(headers: Record<string, string>, body = raw): Promise<string> {
	const answer = await post(headers, body);
	expect(answer.status).toBe(401);
	expect(answer.body).toMatchObject({ code: 16, details: [], turnkeyErrorCode: "" });
	return answer.body.message;
}

function stampOf(members: object): Record<string, string> {
	return { "x-stamp": Buffer.from(JSON.stringify(members)).toString("base64url") };
}

test("an API key's stamp is accepted, in upper-case hex and with padding too", async () => {
	const { "x-stamp": stamp = "" } = apiKeyStamp(raw, world.keys.alice);
	const members = JSON.parse(Buffer.from(stamp, "base64url").toString()) as { publicKey: string };
	const upper = Buffer.from(JSON.stringify({ ...members, publicKey: members.publicKey.toUpperCase() }));
	expect((await post({ "x-stamp": stamp })).status).toBe(200);
	const padded = upper.toString("base64").replaceAll("+", "-").replaceAll("/", "_");
	expect((await post({ "x-stamp": padded })).status).toBe(200);
});

test("a stamp covers the bytes, not the JSON", async () => {
	const spaced = `{ "organizationId" : "${world.organizationId}" , "unknown": null }`;
	expect((await post(apiKeyStamp(spaced, world.keys.alice), spaced)).status).toBe(200);
	expect(await refusal(apiKeyStamp(raw, world.keys.alice), spaced)).toContain("does not fit the body");
});

test("each defect of an API key's stamp has its own message", async () => {
	const { publicKey } = world.keys.alice;
	const scheme = "SIGNATURE_SCHEME_TK_API_P256";
	const messages = [
		await refusal({}),
		await refusal({ "x-stamp": "%%%" }),
		await refusal(stampOf({ publicKey, scheme: "SIGNATURE_SCHEME_OTHER", signature: "00" })),
		await refusal(apiKeyStamp(raw, makeKey())),
		await refusal(stampOf({ publicKey, scheme, signature: "not hex" })),
		await refusal(stampOf({ publicKey, scheme, signature: "3006020101020101" })),
		await refusal({ ...apiKeyStamp(raw, world.keys.alice), ...world.passkeyStamp(raw) }),
	];
	expect(new Set(messages).size).toBe(messages.length);
	expect(messages.join()).not.toContain(publicKey);
});

test("a passkey's stamp is accepted", async () => {
	expect((await post(world.passkeyStamp(raw))).status).toBe(200);
});

test("each defect of a passkey's stamp has its own message", async () => {
	const messages = [
		await refusal({ "x-stamp-webauthn": "{}" }),
		await refusal(world.passkeyStamp(raw, { credentialId: "AAAA" })),
		await refusal(world.passkeyStamp(raw, { type: "webauthn.create" })),
		await refusal(world.passkeyStamp(raw, { challengeOf: "another body" })),
		await refusal(world.passkeyStamp(raw, { flags: 4 })),
		await refusal(world.passkeyStamp(raw, { key: makeKey() })),
	];
	expect(new Set(messages).size).toBe(messages.length);
});

test("a key is accepted only in the organization of its user", async () => {
	const other = JSON.stringify({ organizationId: world.otherOrganizationId });
	expect(await refusal(apiKeyStamp(other, world.keys.alice), other)).toContain("not registered");
	expect((await post(apiKeyStamp(other, world.keys.stranger), other)).status).toBe(200);
});

test("a key removed from its user is no longer accepted", async () => {
	await emulator.changeState({ organizationId: world.organizationId, users: [{ userId: world.bob, apiKeys: [] }] });
	expect(await refusal(apiKeyStamp(raw, world.keys.bob))).toContain("not registered");
});
