/** What the emulator accepts of a passkey, and what it takes for a replay. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Emulator, type Seed, startEmulator } from "../../src/emulator/server.ts";
import { createClient } from "../../src/wire/client.ts";
import { queries, submits } from "../../src/wire/operations.ts";
import { encodeSubmit } from "../../src/wire/request-body.ts";
import * as world from "./world.ts";
import { type PasskeyOptions, passkeyStamp } from "./world.ts";

const { organizationId, alice, bob, credentialId, keys } = world;
const raw = JSON.stringify({ organizationId });
const queryPath = "/public/v1/query/list_user_tags";
let emulator: Emulator;
let folder: string;

/** Acme, where alice has a passkey with these settings and bob has the key of the API. */
function seedWith(settings: object): Seed {
	const authenticators = [{ credentialId, publicKey: keys.passkey.publicKey, ...settings }];
	const users = [
		{ userId: alice, userName: "alice", authenticators },
		{ userId: bob, userName: "bob" },
	];
	return { organizations: [{ organizationId, users, userTags: [{ tagId: world.signers, tagName: "signers" }] }] };
}

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "emulator-"));
});

afterEach(async () => {
	await emulator.close();
	rmSync(folder, { recursive: true, force: true });
});

async function start(settings: object = {}): Promise<void> {
	emulator = await startEmulator({ seed: seedWith(settings) });
}

const post = (headers: Record<string, string>, body = raw, path = queryPath) =>
	world.postRaw(emulator.url, path, body, headers);

async function outcome(options: PasskeyOptions): Promise<string> {
	const { status, body } = await post(passkeyStamp(raw, options));
	if (status === 200) return "accepted";
	expect([status, body.code]).toEqual([401, 16]);
	return body.message;
}

const counterOf = () => emulator.state(organizationId).organization.users?.[0]?.authenticators?.[0]?.signCount ?? 0;

describe("the site of a passkey", () => {
	const origin = "the origin of X-Stamp-WebAuthn is not one that the passkey is for";
	const party = "authenticatorData of X-Stamp-WebAuthn is for another relying party than the passkey";

	it("is localhost by default", async () => {
		await start();
		expect(await outcome({})).toBe("accepted");
		expect(await outcome({ origin: "http://localhost" })).toBe("accepted");
		expect(await outcome({ origin: "https://localhost:8443" })).toBe("accepted");
		expect(await outcome({ origin: "https://app.localhost" })).toBe("accepted");
		expect(await outcome({ origin: "http://app.localhost" })).toBe(origin);
		expect(await outcome({ origin: "https://acme.test", rpId: "acme.test" })).toBe(origin);
		expect(await outcome({ origin: "http://127.0.0.1:3000" })).toBe(origin);
		expect(await outcome({ rpId: "acme.test" })).toBe(party);
	});

	it("is the relying party of the seed and the hosts below it, by https", async () => {
		await start({ rpId: "acme.test" });
		const at = (site: string) => outcome({ origin: site, rpId: "acme.test" });
		expect(await at("https://acme.test")).toBe("accepted");
		expect(await at("https://login.acme.test:8443")).toBe("accepted");
		for (const other of [
			"http://acme.test",
			"https://evil-acme.test",
			"https://acme.test.evil.test",
			"https://acme.test/",
			"https://acme.test@evil.test",
			"acme.test",
			"null",
			"",
		]) {
			expect(await at(other)).toBe(origin);
		}
		expect(await outcome({ origin: "https://acme.test", rpId: "localhost" })).toBe(party);
	});

	it("is one of the origins of the seed, exactly, where it names them", async () => {
		const origins = ["https://login.acme.test", "android:apk-key-hash:abc"];
		await start({ rpId: "acme.test", origins });
		for (const site of origins) expect(await outcome({ origin: site, rpId: "acme.test" })).toBe("accepted");
		for (const site of ["https://acme.test", "https://login.acme.test:443", "https://login.acme.test.evil.test"]) {
			expect(await outcome({ origin: site, rpId: "acme.test" })).toBe(origin);
		}
	});

	it("is no frame of another site", async () => {
		await start();
		expect(await outcome({ clientData: { crossOrigin: false } })).toBe("accepted");
		expect(await outcome({ clientData: { crossOrigin: true } })).toMatch(/frame of another site/);
	});
});

describe("the person at a passkey", () => {
	it("was present and verified", async () => {
		await start();
		expect(await outcome({ flags: 0x05 })).toBe("accepted");
		expect(await outcome({ flags: 0x1d })).toBe("accepted");
		expect(await outcome({ flags: 0x04 })).toMatch(/does not say that the user was present$/);
		expect(await outcome({ flags: 0x01 })).toMatch(/does not say that the user was verified$/);
		expect(await outcome({ flags: 0x00 })).toMatch(/does not say that the user was present$/);
	});

	it("may lack verification where the seed prefers it only", async () => {
		await start({ userVerification: "preferred" });
		expect(await outcome({ flags: 0x01 })).toBe("accepted");
		expect(await outcome({ flags: 0x04 })).toMatch(/present$/);
	});

	it("uses an authenticator whose data are in order", async () => {
		await start();
		expect(await outcome({ flags: 0x15 })).toMatch(/says backed up, but not that it can be$/);
		expect(await outcome({ more: Buffer.from([0]) })).toMatch(/wrong length$/);
		expect(await outcome({ flags: 0x85, more: Buffer.from([0xa0]) })).toBe("accepted");
		expect(await outcome({ type: "webauthn.create" })).toMatch(/not of type webauthn\.get$/);
	});
});

describe("the counter of a passkey", () => {
	const notGrown = (now: number, last: number) =>
		`the counter of X-Stamp-WebAuthn is ${now}, and the passkey's last was ${last}: the stamp was used before, or the passkey was copied`;

	it("has to grow from the value in the seed", async () => {
		await start({ signCount: 100 });
		expect(await outcome({ counter: 99 })).toBe(notGrown(99, 100));
		expect(await outcome({ counter: 100 })).toBe(notGrown(100, 100));
		expect(await outcome({ counter: 0 })).toBe(notGrown(0, 100));
		expect(await outcome({ counter: 101 })).toBe("accepted");
		expect(await outcome({ counter: 4_294_967_295 })).toBe("accepted");
		expect(await outcome({ counter: 4_294_967_294 })).toBe(notGrown(4_294_967_294, 4_294_967_295));
		expect(counterOf()).toBe(4_294_967_295);
	});

	it("may stay 0, and may start to count", async () => {
		await start();
		for (const counter of [0, 0, 7]) expect(await outcome({ counter })).toBe("accepted");
		expect(await outcome({ counter: 0 })).toBe(notGrown(0, 7));
	});

	it("is stored for a valid stamp only, also when the request is refused", async () => {
		await start();
		expect(await outcome({ counter: 5, key: keys.stranger })).toMatch(/does not fit the credential$/);
		expect(counterOf()).toBe(0);
		const unknown = JSON.stringify({ organizationId, userId: world.id(99) });
		const refused = await post(passkeyStamp(unknown, { counter: 5 }), unknown, "/public/v1/query/get_mfa_policies");
		expect(refused.status).toBe(404);
		expect(counterOf()).toBe(5);
		expect(await outcome({ counter: 4 })).toBe(notGrown(4, 5));
	});

	it("is kept in the data file", async () => {
		const dataFile = join(folder, "state.sqlite");
		emulator = await startEmulator({ seed: seedWith({}), dataFile });
		expect(await outcome({ counter: 41 })).toBe("accepted");
		await emulator.close();
		emulator = await startEmulator({ dataFile });
		expect(await outcome({ counter: 41 })).toBe(notGrown(41, 41));
		expect(await outcome({ counter: 42 })).toBe("accepted");
	});

	it("is in the state under /emulator/, and in no answer of the service", async () => {
		await start({ rpId: "localhost", origins: ["http://localhost:3000"] });
		expect(await outcome({ counter: 9 })).toBe("accepted");
		const { organization } = emulator.state(organizationId);
		expect(organization.users?.[0]?.authenticators?.[0]).toMatchObject({ signCount: 9, rpId: "localhost" });
		const copy = await startEmulator({ seed: { organizations: [organization] } });
		expect(copy.state(organizationId).organization).toEqual(organization);
		await copy.close();
		const shown = await post(passkeyStamp(raw), raw, "/public/v1/query/list_users");
		expect(JSON.stringify(shown.body)).not.toMatch(/signCount|lastAssertion|rpId|origins/);
	});
});

describe("a repeated assertion", () => {
	const path = "/public/v1/submit/update_user_tag";

	it("for other bytes is refused by its challenge", async () => {
		await start();
		const stamp = passkeyStamp(raw);
		expect((await post(stamp)).status).toBe(200);
		expect(await post(stamp, `${raw} `)).toMatchObject({
			status: 401,
			body: { message: "the challenge of X-Stamp-WebAuthn is not the SHA-256 of the body" },
		});
	});

	it("for the same submit answers the same activity, after any number of other stamps", async () => {
		await start();
		const body = world.submitBody("update_user_tag", world.tagUpdate([bob]));
		const stamp = passkeyStamp(body);
		const first = await post(stamp, body, path);
		for (let later = 0; later < 3; later += 1) expect(await outcome({})).toBe("accepted");
		const counter = counterOf();
		const again = await post(stamp, body, path);
		expect([first.status, again.status, again.body.activity.id]).toEqual([200, 200, first.body.activity.id]);
		expect(again.body.activity.votes).toHaveLength(1);
		expect(counterOf()).toBe(counter);
		expect(emulator.requests().at(-1)).toMatchObject({ replayed: true });
	});

	it("for a query is a retry while it is the last, and a replay after another was accepted", async () => {
		await start();
		const stamp = passkeyStamp(raw);
		for (let attempt = 0; attempt < 3; attempt += 1) expect((await post(stamp)).status).toBe(200);
		expect(await outcome({})).toBe("accepted");
		expect(await post(stamp)).toMatchObject({
			status: 401,
			body: { message: expect.stringContaining("the stamp was used before, or the passkey was copied") },
		});
	});

	it("with the same counter and another signature is a replay", async () => {
		await start();
		const body = world.submitBody("update_user_tag", world.tagUpdate([bob]));
		expect((await post(passkeyStamp(body, { counter: 500 }), body, path)).status).toBe(200);
		const again = await post(passkeyStamp(body, { counter: 500, origin: "http://localhost" }), body, path);
		expect(again.status).toBe(401);
		expect((await post(passkeyStamp(body, { counter: 501 }), body, path)).status).toBe(200);
	});

	it("keeps orgsync's own retries working, which stamp once: a submit and a query whose answers were lost", async () => {
		await start();
		const stamps: string[] = [];
		const client = createClient({
			url: emulator.url,
			sleep: () => Promise.resolve(),
			stamper: {
				async stamp(body) {
					const value = passkeyStamp(body)["x-stamp-webauthn"] ?? "";
					stamps.push(value);
					return { stampHeaderName: "X-Stamp-WebAuthn", stampHeaderValue: value };
				},
			},
		});
		emulator.addFault({ operation: "*", fault: "drop-after", count: 2 });
		const parameters = { userTagId: world.signers, addUserIds: [bob], removeUserIds: [] };
		const body = encodeSubmit(submits.update_user_tag, organizationId, parameters, Date.now());
		expect(await client.submitter.submit(body)).toMatchObject({ kind: "activity", requests: 3 });
		emulator.addFault({ operation: "*", fault: "drop-after", count: 2 });
		expect(await client.reader.query(queries.list_user_tags, { organizationId })).toMatchObject({ value: {} });
		await client.close();
		expect(stamps).toHaveLength(2);
		expect(emulator.requests().map(({ status }) => status)).toEqual([null, null, 200, null, null, 200]);
		expect(emulator.state(organizationId).activities).toHaveLength(1);
	});
});
