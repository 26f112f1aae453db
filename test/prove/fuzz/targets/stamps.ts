/** Stamps of API keys and passkeys, the requests that they are for, and the keys that make them. */
import { createHash, createPrivateKey, type KeyObject, sign } from "node:crypto";
import { OrgsyncError } from "../../../../src/common/errors.ts";
import { seedStore } from "../../../../src/emulator/control/control.ts";
import { servedSubmits } from "../../../../src/emulator/served-submits.ts";
import { handleOperation } from "../../../../src/emulator/service.ts";
import { openStore } from "../../../../src/emulator/store.ts";
import { challengeOf, checkAssertion } from "../../../../src/passkey/assertion.ts";
import { checkAttestation } from "../../../../src/passkey/registration.ts";
import { bundleSchema } from "../../../../src/schema/bundle.ts";
import { findStamper } from "../../../../src/wire/credentials.ts";
import { approvals, extendedReads, type Operation, operations } from "../../../../src/wire/operations.ts";
import { createApiKeyStamper } from "../../../../src/wire/stamp.ts";
import { folder, printError } from "../command.ts";
import type { Dice } from "../dice.ts";
import { makeValue } from "../from-schema.ts";
import { isObject, type Json, type JsonObject, type Outcome, type Target, textAt } from "../input.ts";
import { secrets } from "../judge.ts";
import { mutateText, mutateTree, type Words, wordsOf } from "../mutate.ts";

const organizationId = "0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a11";
const userId = "3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c001";
const credentialId = "cGFzc2tleQ";
const origin = "http://localhost:4711";
const challenge = "challenge";
const nowMs = Date.parse("2026-11-22T22:00:05Z");
const privateKey = "ad3fad5d145a7df11e35795ff39b0b07e07ab5f5bcb51fb461331028ea421ca3";
const { publicKey } = createApiKeyStamper({ privateKey });

const all: Readonly<Record<string, Operation>> = { ...operations, ...extendedReads, ...servedSubmits, ...approvals };
const names = Object.keys(all);
const schemas = new Map<string, Json>();
const sha256 = (text: string | Buffer): Buffer => createHash("sha256").update(text).digest();

/** A COSE key and the rest of what an authenticator says of a new passkey. */
const coseKey = Buffer.from(`a5010203262001215820${"11".repeat(32)}225820${"22".repeat(32)}`, "hex");
const authenticatorData = Buffer.concat([sha256("localhost"), Buffer.from("0500000001", "hex")]);
const attested = Buffer.concat([
	sha256("localhost"),
	Buffer.from("4500000000", "hex"),
	Buffer.alloc(16),
	Buffer.from("0007", "hex"),
	Buffer.from("passkey"),
	coseKey,
]);
let key: KeyObject | undefined;
let words: Words = wordsOf([]);

type Make = (dice: Dice) => Json;

const makers: readonly Make[] = [makeRequest, makeRequest, makeAssertion, makeAttestation, makeKey];

function makeRequest(dice: Dice): Json {
	const operation = dice.pick(names);
	const value = makeValue(schemas.get(operation) ?? null, { $ref: "#/$defs/request" }, dice);
	const body = mutateTree(
		isObject(value) ? { ...value, organizationId, timestampMs: String(nowMs) } : value,
		dice,
		words,
		dice.small(3),
	);
	const stamp = mutateTree(
		{ publicKey, scheme: "SIGNATURE_SCHEME_TK_API_P256", signature: "SIGNATURE" },
		dice,
		words,
		dice.small(2),
	);
	const raw = JSON.stringify(body);
	return {
		kind: "request",
		operation,
		raw: dice.chance(0.1) ? mutateText(raw, dice, words, 2) : raw,
		stamp,
		damage: dice.chance(0.2) ? dice.int(400) : -1,
		header: dice.pick(["apiKey", "apiKey", "apiKey", "passkey"]),
	};
}

function makeAssertion(dice: Dice): Json {
	const body = JSON.stringify({ organizationId });
	const clientData = mutateTree(
		{
			type: "webauthn.get",
			challenge: Buffer.from(challengeOf(body)).toString("base64url"),
			origin,
			crossOrigin: false,
		},
		dice,
		words,
		dice.small(2),
	);
	const answer = {
		authenticatorData: changeBytes(authenticatorData, dice),
		clientDataJson: Buffer.from(JSON.stringify(clientData)).toString("base64url"),
		credentialId,
		signature: "MEQCIA",
	};
	return { kind: "assertion", body, answer: mutateTree(answer, dice, words, dice.small(3)) };
}

function makeAttestation(dice: Dice): Json {
	const clientData = mutateTree(
		{ type: "webauthn.create", challenge: Buffer.from(challenge).toString("base64url"), origin },
		dice,
		words,
		dice.small(2),
	);
	const data = changeBytes(attested, dice);
	const answer = {
		credentialId: "cGFzc2tleQ",
		clientDataJson: Buffer.from(JSON.stringify(clientData)).toString("base64url"),
		attestationObject: dice.chance(0.9) ? data : changeBytes(attested, dice),
		authenticatorData: data,
		transports: ["usb", "internal"],
	};
	return { kind: "attestation", answer: mutateTree(answer, dice, words, dice.small(3)) };
}

/** Returns the bytes in base64url, some of them changed. */
function changeBytes(bytes: Buffer, dice: Dice): string {
	const changed = Buffer.from(bytes);
	for (let left = dice.small(4); left > 0; left -= 1)
		changed[dice.int(changed.length)] = dice.pick([0, 0x1b, 0x5f, 0x7f, 0x9f, 0xbf, 0xff, dice.int(256)]);
	return changed.subarray(0, dice.chance(0.8) ? changed.length : dice.int(changed.length)).toString("base64url");
}

function makeKey(dice: Dice): Json {
	const secret = dice.pick([secrets[1] ?? "", `${secrets[1]}:p256`, "f".repeat(64), "0".repeat(64)]);
	return {
		kind: dice.pick(["key", "file"]),
		privateKey: mutateText(secret, dice, words, dice.small(3)),
		publicKey: dice.chance(0.5) ? "" : mutateText(publicKey, dice, words, dice.small(2)),
	};
}

async function read(input: Json): Promise<Outcome> {
	switch (textAt(input, "kind")) {
		case "request":
			return readRequest(input);
		case "assertion":
			return outcomeOf(
				checkAssertion(isObject(input) ? input.answer : null, {
					body: textAt(input, "body"),
					origin,
					passkeys: undefined,
				}),
			);
		case "attestation":
			return outcomeOf(checkAttestation(isObject(input) ? input.answer : null, challenge, origin));
		default:
			return readKey(input);
	}
}

function outcomeOf(result: object): Outcome {
	return "problem" in result
		? { accepted: false, printed: `error: ${result.problem}` }
		: { accepted: true, printed: "" };
}

function readRequest(input: Json): Outcome {
	const { stamp = null, damage = -1 } = isObject(input) ? (input as JsonObject) : {};
	const raw = Buffer.from(textAt(input, "raw"));
	const header = stampOf(stamp, raw, Number(damage));
	const store = openStore(undefined);
	try {
		seedStore(
			store,
			{ organizations: [{ organizationId, users: [{ userId, userName: "alice", apiKeys: [{ publicKey }] }] }] },
			nowMs,
		);
		const { status, body } = handleOperation(store, {
			operation: all[textAt(input, "operation")] ?? operations.list_user_tags,
			stamps:
				textAt(input, "header") === "passkey"
					? { apiKey: undefined, passkey: header }
					: { apiKey: header, passkey: undefined },
			rawBody: raw,
			nowMs,
			takeForcedEnd: () => undefined,
		});
		if (status === 200) return { accepted: true, printed: "" };
		// It is JSON, which has its own escapes.
		return {
			accepted: false,
			printed: `error: ${(body as { readonly message: string }).message.replaceAll(/[^ -~]/g, "?")}`,
		};
	} finally {
		store.close();
	}
}

/** Returns the header: the stamp with the signature of the body, and one byte of it changed. */
function stampOf(stamp: Json, raw: Buffer, damage: number): string {
	if (key === undefined) return "";
	const signature = sign("sha256", raw, key).toString("hex");
	const text = JSON.stringify(stamp).replace('SIGNATURE"', `${signature}"`);
	const header = Buffer.from(text).toString("base64url");
	return damage < 0 ? header : `${header.slice(0, damage)}A${header.slice(damage + 1)}`;
}

async function readKey(input: Json): Promise<Outcome> {
	const given = { privateKey: textAt(input, "privateKey"), publicKey: textAt(input, "publicKey") };
	try {
		if (textAt(input, "kind") === "file") findStamper({ keyFile: given.privateKey, directory: folder }, {});
		else createApiKeyStamper(given.publicKey === "" ? { privateKey: given.privateKey } : given);
	} catch (error) {
		if (!(error instanceof OrgsyncError)) throw error;
		const outcome = await printError("plan", error);
		const part = given.privateKey.match(/[0-9a-fA-F]{40}/)?.[0];
		if (part !== undefined && outcome.printed.includes(part))
			throw new Error(`a private key is printed: ${outcome.printed}`);
		return outcome;
	}
	return { accepted: true, printed: "" };
}

export const stamps: Target = {
	name: "stamps",
	share: 120,
	begin() {
		for (const name of names) schemas.set(name, bundleSchema(`operations/${name}.json`) as Json);
		key = importScalar(Buffer.from(privateKey, "hex"));
		words = wordsOf([{ publicKey, organizationId, userId, credentialId, origin }], [publicKey, organizationId]);
	},
	make: (dice) => dice.pick(makers)(dice),
	read,
};

/** Returns a private key in the form that node:crypto signs with (RFC 5915, in PKCS #8). */
function importScalar(scalar: Buffer): KeyObject {
	const head = Buffer.from("3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420", "hex");
	return createPrivateKey({ key: Buffer.concat([head, scalar]), format: "der", type: "pkcs8" });
}
