/**
 * What the emulator's tests share: keys, a seed, stamps made with node:crypto, and requests to a running emulator.
 */
import { createHash, sign } from "node:crypto";
import { ApiKeyStamper } from "@turnkey/api-key-stamper";
import { TurnkeyClient } from "@turnkey/http";
import type { Seed } from "../../src/emulator/server.ts";
import { apiKeyStamp, makeKey, type TestKey } from "../keys.ts";

/** The UUID that ends in `number`. */
export function id(number: number): string {
	return `0d6c5a52-7a3f-4c9e-9d40-${String(number).padStart(12, "0")}`;
}

export const keys = { alice: makeKey(), bob: makeKey(), passkey: makeKey(), stranger: makeKey() };
export const organizationId = id(1);
export const otherOrganizationId = id(2);
export const alice = id(11);
export const bob = id(12);
export const carol = id(13);
export const signers = id(21);
export const auditors = id(22);
export const policies = [id(31), id(32)] as const;
export const providers = [id(41), id(42)] as const;
export const app = id(51);
export const profile = id(61);
export const mfaPolicy = id(71);
export const credentialId = Buffer.from("passkey of alice").toString("base64url");

export function makeSeed(): Seed {
	return {
		organizations: [
			{
				organizationId,
				organizationName: "Acme",
				users: [
					{
						userId: alice,
						userName: "alice",
						apiKeys: [{ publicKey: keys.alice.publicKey }],
						authenticators: [{ credentialId, publicKey: keys.passkey.publicKey }],
						oauthProviders: [
							{
								providerId: providers[0],
								providerName: "one",
								issuer: "https://one.test",
								audience: "a",
								subject: "s",
							},
							{
								providerId: providers[1],
								providerName: "two",
								issuer: "https://two.test",
								audience: "a",
								subject: "s",
							},
						],
						mfaPolicies: [
							{
								mfaPolicyId: mfaPolicy,
								mfaPolicyName: "passkey first",
								requiredAuthenticationMethods: [{ any: [{ type: "AUTHENTICATION_TYPE_PASSKEY" }] }],
							},
						],
					},
					{ userId: bob, userName: "bob", apiKeys: [{ publicKey: keys.bob.publicKey }] },
					{ userId: carol, userName: "carol" },
				],
				userTags: [
					{ tagId: signers, tagName: "signers", userIds: [alice] },
					{ tagId: auditors, tagName: "auditors" },
				],
				policies: [
					{ policyId: policies[0], policyName: "first", condition: "true", consensus: "true" },
					{ policyId: policies[1], policyName: "second" },
				],
				tvcApps: [{ id: app, name: "signer", bootProof: { owner: "Acme", cloudAttestationDocB64: "AAAA" } }],
				sessionProfiles: [{ sessionProfileId: profile, sessionProfileName: "short", expirationSeconds: "900" }],
				supportedAssets: {
					"eip155:1": [{ caip19: "eip155:1/slip44:60", symbol: "ETH", decimals: 18 }],
					"solana:mainnet": [{ symbol: "SOL", decimals: 9 }],
				},
			},
			{
				organizationId: otherOrganizationId,
				users: [{ userId: id(14), userName: "dave", apiKeys: [{ publicKey: keys.stranger.publicKey }] }],
			},
		],
	};
}

/** The vendor's published client, stamping with `key`. */
export function vendorClient(url: string, key: TestKey): TurnkeyClient {
	const stamper = new ApiKeyStamper({ apiPublicKey: key.publicKey, apiPrivateKey: key.privateKey });
	return new TurnkeyClient({ baseUrl: url }, stamper);
}

export interface PasskeyOptions {
	readonly type?: string;
	readonly flags?: number;
	readonly challengeOf?: string;
	readonly key?: TestKey;
	readonly credentialId?: string;
	readonly origin?: string;
	readonly rpId?: string;
	/** The signature counter; one more than the last when left out. */
	readonly counter?: number;
	/** Further members of the client data. */
	readonly clientData?: object;
	/** Bytes behind the counter. */
	readonly more?: Buffer;
}

let lastCounter = 0;

/** A passkey's stamp, as an authenticator with a P-256 key makes it; for http://localhost by default. */
export function passkeyStamp(raw: string, options: PasskeyOptions = {}): Record<string, string> {
	lastCounter += 1;
	const digest = createHash("sha256")
		.update(options.challengeOf ?? raw)
		.digest("hex");
	const clientData = Buffer.from(
		JSON.stringify({
			type: options.type ?? "webauthn.get",
			challenge: Buffer.from(digest).toString("base64url"),
			origin: options.origin ?? "http://localhost:3000",
			...options.clientData,
		}),
	);
	const relyingParty = createHash("sha256")
		.update(options.rpId ?? "localhost")
		.digest();
	const counter = Buffer.alloc(4);
	counter.writeUInt32BE(options.counter ?? lastCounter);
	const flags = Buffer.from([options.flags ?? 5]);
	const authenticatorData = Buffer.concat([relyingParty, flags, counter, options.more ?? Buffer.alloc(0)]);
	const signed = Buffer.concat([authenticatorData, createHash("sha256").update(clientData).digest()]);
	const stamp = {
		authenticatorData: authenticatorData.toString("base64url"),
		clientDataJson: clientData.toString("base64url"),
		credentialId: options.credentialId ?? credentialId,
		signature: sign("sha256", signed, (options.key ?? keys.passkey).key).toString("base64url"),
	};
	return { "x-stamp-webauthn": JSON.stringify(stamp) };
}

export interface Answered {
	readonly status: number;
	// biome-ignore lint/suspicious/noExplicitAny: answers are looked into by the assertions of each test.
	readonly body: any;
	readonly headers: Headers;
}

/** Posts exact bytes with the given stamp headers. */
export async function postRaw(
	url: string,
	path: string,
	raw: string,
	headers: Readonly<Record<string, string>>,
): Promise<Answered> {
	const response = await fetch(url + path, { method: "POST", body: raw, headers });
	return { status: response.status, body: JSON.parse(await response.text()), headers: response.headers };
}

export function query(url: string, name: string, body: object, key: TestKey = keys.alice): Promise<Answered> {
	const raw = JSON.stringify({ organizationId, ...body });
	return postRaw(url, `/public/v1/query/${name}`, raw, apiKeyStamp(raw, key));
}

let nonce = 0;

/** The bytes of a submit; every call makes other bytes. */
export function submitBody(
	name: string,
	parameters: object,
	nowMs: number = Date.now(),
	envelope: object = {},
): string {
	nonce += 1;
	return JSON.stringify({
		type: `ACTIVITY_TYPE_${name.toUpperCase()}`,
		timestampMs: String(nowMs),
		organizationId,
		parameters,
		// An unknown member, which the service overlooks: two bodies of one millisecond are still two.
		nonce,
		...envelope,
	});
}

export function submitRaw(url: string, name: string, raw: string, key: TestKey = keys.alice): Promise<Answered> {
	return postRaw(url, `/public/v1/submit/${name}`, raw, apiKeyStamp(raw, key));
}

export function submit(url: string, name: string, parameters: object, key: TestKey = keys.alice): Promise<Answered> {
	return submitRaw(url, name, submitBody(name, parameters), key);
}

/** A request to /emulator/. */
export async function control(url: string, method: string, path: string, body?: object): Promise<Answered> {
	const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
	const response = await fetch(`${url}/emulator/${path}`, init);
	return { status: response.status, body: await response.json(), headers: response.headers };
}

/** Parameters of an update_user_tag that changes members and, when given, the name. */
export function tagUpdate(add: readonly string[], remove: readonly string[] = [], name?: string): object {
	return {
		userTagId: signers,
		...(name === undefined ? {} : { newUserTagName: name }),
		addUserIds: add,
		removeUserIds: remove,
	};
}
