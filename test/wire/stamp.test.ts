/** Stamps against vectors of the vendor's stamper, and against a second implementation of the curve. */
import { createHash, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import { p256 } from "@noble/curves/p256";
import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../../src/common/errors.ts";
import { submits } from "../../src/wire/operations.ts";
import { encodeSubmit, fingerprintOf } from "../../src/wire/request-body.ts";
import { createApiKeyStamper, createCommandStamper } from "../../src/wire/stamp.ts";

interface StampVector {
	readonly privateKey: string;
	readonly publicKey: string;
	readonly body: string;
	readonly stampHeaderName: string;
	readonly stampHeaderValue: string;
}

interface BodyVector {
	readonly operation: keyof typeof submits;
	readonly organizationId: string;
	readonly parameters: Record<string, unknown>;
	readonly timestampMs: number;
	readonly bytes: string;
	readonly fingerprint: string;
}

function readVectors<Vector>(name: string): readonly Vector[] {
	return JSON.parse(readFileSync(new URL(`../vectors/${name}`, import.meta.url), "utf8")) as Vector[];
}

const stamps = readVectors<StampVector>("stamps.json");
const bodies = readVectors<BodyVector>("bodies.json");
const { privateKey, publicKey } = stamps[0] as StampVector;
const otherPublicKey = stamps.find((vector) => vector.publicKey !== publicKey)?.publicKey as string;

function open(value: string): Record<string, string> {
	return JSON.parse(Buffer.from(value, "base64url").toString("utf8")) as Record<string, string>;
}

function caught(action: () => unknown): ConfigurationError {
	try {
		action();
	} catch (error) {
		if (error instanceof ConfigurationError) return error;
		throw error;
	}
	throw new Error("nothing was thrown");
}

describe("a stamp of an API key", () => {
	it("has the public key that the vendor derives from the private key", () => {
		for (const vector of stamps) {
			expect(createApiKeyStamper({ privateKey: vector.privateKey }).publicKey).toBe(vector.publicKey);
		}
	});

	it("holds what the vendor's stamp holds, in the same order, and another valid signature", async () => {
		for (const vector of stamps) {
			const stamp = await createApiKeyStamper(vector).stamp(vector.body);
			expect(stamp.stampHeaderName).toBe(vector.stampHeaderName);
			const ours = open(stamp.stampHeaderValue);
			const theirs = open(vector.stampHeaderValue);
			expect(Object.keys(ours)).toEqual(Object.keys(theirs));
			expect({ ...ours, signature: "" }).toEqual({ ...theirs, signature: "" });
			expect(stamp.stampHeaderValue).toBe(Buffer.from(JSON.stringify(ours)).toString("base64url"));
		}
	});

	it("verifies under an implementation that is not node:crypto, for its own body only", async () => {
		for (const vector of stamps) {
			const { stampHeaderValue } = await createApiKeyStamper(vector).stamp(vector.body);
			const signature = Buffer.from(open(stampHeaderValue).signature ?? "", "hex");
			const check = (body: string) =>
				// Half of our signatures have a high S, as have those of the vendor's stamper under Node.
				p256.verify(
					signature,
					createHash("sha256").update(body, "utf8").digest(),
					Buffer.from(vector.publicKey, "hex"),
					{
						lowS: false,
						format: "der",
					},
				);
			expect(check(vector.body)).toBe(true);
			expect(check(`${vector.body} `)).toBe(false);
		}
	});

	it("of the vendor verifies under node:crypto", () => {
		for (const vector of stamps) {
			const point = p256.Point.fromHex(vector.publicKey).toBytes(false);
			const key = createPublicKey({
				format: "jwk",
				key: {
					kty: "EC",
					crv: "P-256",
					x: Buffer.from(point.subarray(1, 33)).toString("base64url"),
					y: Buffer.from(point.subarray(33)).toString("base64url"),
				},
			});
			const signature = Buffer.from(open(vector.stampHeaderValue).signature ?? "", "hex");
			expect(verify("sha256", Buffer.from(vector.body), key, signature)).toBe(true);
		}
	});

	it("ignores blanks around a key, upper case, and :p256 behind the private key", () => {
		const key = { privateKey: `  ${privateKey.toUpperCase()}:p256\n`, publicKey: ` ${publicKey.toUpperCase()}\n` };
		expect(createApiKeyStamper(key).publicKey).toBe(publicKey);
	});

	it.each([
		["empty", "", /64 hex characters/],
		["too short", privateKey.slice(1), /64 hex characters/],
		["too long", `${privateKey}0`, /64 hex characters/],
		["no hex", `g${privateKey.slice(1)}`, /64 hex characters/],
		["with 0x", `0x${privateKey}`, /without 0x/],
		["of another curve", `${privateKey}:secp256k1`, /64 hex characters/],
		["zero", "0".repeat(64), /zero/],
		["the order", "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", /order/],
		["above the order", "f".repeat(64), /order/],
	])("is refused for a private key that is %s, without showing it", (_case, malformed, hint) => {
		const error = caught(() => createApiKeyStamper({ privateKey: malformed }));
		expect(error.hint).toMatch(hint);
		if (malformed !== "") expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(malformed);
	});

	it.each([
		["uncompressed", `04${"0".repeat(128)}`],
		["with 0x", `0x${publicKey}`],
		["cut", publicKey.slice(0, 64)],
	])("is refused for a public key that is %s", (_case, malformed) => {
		const error = caught(() => createApiKeyStamper({ privateKey, publicKey: malformed }));
		expect(error.hint).toMatch(/66 hex characters that start with 02 or 03/);
	});

	it("is refused for a public key of another private key, without showing the private key", () => {
		const error = caught(() => createApiKeyStamper({ privateKey, publicKey: otherPublicKey }));
		expect(error.message).toMatch(/does not belong/);
		expect(error.hint).toContain(publicKey);
		expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(privateKey);
	});

	it("shows no private key when its stamper is inspected or written as JSON", () => {
		const stamper = createApiKeyStamper({ privateKey });
		expect(inspect(stamper, { depth: 9, showHidden: true })).not.toContain(privateKey);
		expect(JSON.stringify(stamper)).not.toContain(privateKey);
	});
});

describe("a stamp of a command", () => {
	const node = (script: string) => `"${process.execPath}" -e "${script}"`;

	async function caughtAsync(command: string, timeoutMs = 20_000): Promise<ConfigurationError> {
		const error: unknown = await createCommandStamper(command, { timeoutMs })
			.stamp("{}")
			.catch((reason: unknown) => reason);
		expect(error).toBeInstanceOf(ConfigurationError);
		return error as ConfigurationError;
	}

	it("is made of the exact body on standard input", async () => {
		const body = '{"name":"審査員 $HOME `x`"}';
		const digest = createHash("sha256").update(body, "utf8").digest("hex");
		const script =
			"const h=require('crypto').createHash('sha256');process.stdin.on('data',d=>h.update(d)).on('end',()=>console.log(h.digest('hex')))";
		const stamp = await createCommandStamper(node(script)).stamp(body);
		expect(stamp).toEqual({ stampHeaderName: "X-Stamp", stampHeaderValue: digest });
	});

	it.each([
		["X-Stamp: abc_-9", "X-Stamp", "abc_-9"],
		["x-stamp:abc", "X-Stamp", "abc"],
		["X-Stamp-WebAuthn: {a:1, b:2}", "X-Stamp-WebAuthn", "{a:1, b:2}"],
		["abc", "X-Stamp", "abc"],
	])("is read from the line %s", async (line, stampHeaderName, stampHeaderValue) => {
		const stamp = await createCommandStamper(node(`console.log('${line}')`)).stamp("{}");
		expect(stamp).toEqual({ stampHeaderName, stampHeaderValue });
	});

	it("shows the public key of an API key, once there is one, and none of a passkey", async () => {
		const publicKey = `02${"AB".repeat(32)}`;
		const value = Buffer.from(
			JSON.stringify({ publicKey, scheme: "SIGNATURE_SCHEME_TK_API_P256", signature: "30" }),
		).toString("base64url");
		const stamper = createCommandStamper(node(`console.log('${value}')`));
		expect(stamper.publicKey).toBeUndefined();
		await stamper.stamp("{}");
		expect(stamper.publicKey).toBe(publicKey.toLowerCase());
		for (const line of [`X-Stamp-WebAuthn: ${value}`, "abc", Buffer.from("[]").toString("base64url")]) {
			const other = createCommandStamper(node(`console.log('${line}')`));
			await other.stamp("{}");
			expect(other.publicKey).toBeUndefined();
		}
	});

	it("is accepted from a command that does not read a large body", async () => {
		const stamp = await createCommandStamper(node("console.log('abc')")).stamp("x".repeat(1_000_000));
		expect(stamp.stampHeaderValue).toBe("abc");
	});

	it("is refused with the exit code and none of the output of the command", async () => {
		const error = await caughtAsync(
			node("console.error('stderr-secret');console.log('stdout-secret');process.exit(7)"),
		);
		expect(error.message).toBe("the stamp command failed: exit 7");
		expect(error.hint).toMatch(/header line/);
		expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/(stderr|stdout)-secret/);
	});

	it("is refused when the command is not found", async () => {
		expect((await caughtAsync("orgsync-no-such-command")).message).toMatch(/^the stamp command failed: exit \d+$/);
	});

	it("is refused when the command prints nothing, two lines, another header or too much", async () => {
		expect((await caughtAsync(node("0"))).message).toBe("the stamp command printed nothing");
		expect((await caughtAsync(node("console.log('a');console.log('b')"))).message).toMatch(/one line/);
		expect((await caughtAsync(node("console.log('Authorization: a')"))).message).toMatch(/is not a stamp/);
		expect((await caughtAsync(node("console.log('X-Stamp:')"))).message).toMatch(/is not a stamp/);
		expect((await caughtAsync(node("process.stdout.write('x'.repeat(200000))"))).message).toMatch(/more than/);
	});

	it("is refused when the command does not end in time", async () => {
		const start = performance.now();
		const error = await caughtAsync(node("setTimeout(()=>0,20000)"), 300);
		expect(error.message).toBe("the stamp command did not end within 0.3 s");
		expect(performance.now() - start).toBeLessThan(5000);
	});
});

describe("a body", () => {
	it("has the bytes and the fingerprint that another implementation makes, for every submit", () => {
		expect(new Set(bodies.map((vector) => vector.operation))).toEqual(new Set(Object.keys(submits)));
		for (const vector of bodies) {
			const reversed = Object.fromEntries(Object.entries(vector.parameters).reverse());
			for (const parameters of [vector.parameters, reversed]) {
				const { bytes, fingerprint } = encodeSubmit(
					submits[vector.operation],
					vector.organizationId,
					parameters,
					vector.timestampMs,
				);
				expect(bytes).toBe(vector.bytes);
				expect(fingerprint).toBe(vector.fingerprint);
			}
			expect(fingerprintOf(`${vector.bytes} `)).not.toBe(vector.fingerprint);
		}
	});
});
