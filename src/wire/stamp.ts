/** Makes the stamp header of exact bytes, with a key or a command. No message here has a key, a stamp or a command's output. */
import { spawn } from "node:child_process";
import { createECDH, createPrivateKey, type KeyObject, sign } from "node:crypto";
import { ConfigurationError } from "../common/errors.ts";
import { isRecord, readJson } from "../common/json.ts";

/** One request header that proves who sent the body it was made from (docs/internals/service.md#stamps). */
export interface Stamp {
	readonly stampHeaderName: string;
	readonly stampHeaderValue: string;
}

/** Turns a body into a stamp. The shape of the published stampers, so that any of them can be used. */
export interface Stamper {
	stamp(body: string): Promise<Stamp>;
}

/** A stamper that holds an API key, and the public half of that key: 66 lower-case hex characters. */
export interface ApiKeyStamper extends Stamper {
	readonly publicKey: string;
}

const apiKeyHeaderName = "X-Stamp";
const passkeyHeaderName = "X-Stamp-WebAuthn";
/** The scheme of a stamp, and of a vote, that an API key signed. */
export const apiKeyScheme = "SIGNATURE_SCHEME_TK_API_P256";

/** The order of the group of P-256 (SEC 2, "secp256r1"): a private key lies between zero and this. */
const groupOrder = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/**
 * Returns a stamper for an API key: ECDSA on P-256 over SHA-256 of the body's UTF-8 bytes, in `X-Stamp` (docs/internals/service.md#stamps).
 * The public key is derived when it is left out. White space around a key, upper-case hex and the `:p256` that the vendor's
 * command line writes after a private key are accepted; a `0x` prefix is not.
 *
 * Throws ConfigurationError when a key is malformed or not one of P-256, or when the two do not belong together.
 */
export function createApiKeyStamper(key: { readonly publicKey?: string; readonly privateKey: string }): ApiKeyStamper {
	const scalar = readPrivateKey(key.privateKey);
	const exchange = createECDH("prime256v1");
	exchange.setPrivateKey(scalar);
	const publicKey = exchange.getPublicKey("hex", "compressed");
	if (key.publicKey !== undefined && readPublicKey(key.publicKey) !== publicKey) {
		throw new ConfigurationError("the API public key does not belong to the API private key", {
			hint: `the private key's public key is ${publicKey}: give that one, or leave the public key out`,
		});
	}
	const keyObject = importKey(scalar, exchange.getPublicKey());
	return {
		publicKey,
		async stamp(body) {
			const signature = sign("sha256", Buffer.from(body, "utf8"), keyObject).toString("hex");
			const stamp = JSON.stringify({ publicKey, scheme: apiKeyScheme, signature });
			return {
				stampHeaderName: apiKeyHeaderName,
				stampHeaderValue: Buffer.from(stamp, "utf8").toString("base64url"),
			};
		},
	};
}

function readPrivateKey(text: string): Buffer {
	const expected = "64 hex characters, with or without :p256 behind them and without 0x before them";
	const [hex = "", curve, ...rest] = text.trim().split(":");
	if (rest.length > 0 || (curve !== undefined && curve.toLowerCase() !== "p256")) {
		throw new ConfigurationError("the API private key is not one of the curve P-256", { hint: `expected ${expected}` });
	}
	if (!/^[0-9a-f]{64}$/i.test(hex)) {
		throw new ConfigurationError("the API private key is malformed", { hint: `expected ${expected}` });
	}
	const scalar = BigInt(`0x${hex}`);
	if (scalar === 0n || scalar >= groupOrder) {
		throw new ConfigurationError("the API private key is not a number that P-256 allows", {
			hint: "it is zero, or not below the order of the curve: make a new key pair",
		});
	}
	return Buffer.from(hex, "hex");
}

function readPublicKey(text: string): string {
	const hex = text.trim().toLowerCase();
	if (!/^0[23][0-9a-f]{64}$/.test(hex)) {
		throw new ConfigurationError("the API public key is malformed", {
			hint: "expected the compressed form: 66 hex characters that start with 02 or 03, without 0x",
		});
	}
	return hex;
}

/** Returns the key as node:crypto keeps it. `point` is uncompressed: 04, 32 bytes of x, 32 bytes of y. */
function importKey(scalar: Buffer, point: Buffer): KeyObject {
	return createPrivateKey({
		format: "jwk",
		key: {
			kty: "EC",
			crv: "P-256",
			d: scalar.toString("base64url"),
			x: point.subarray(1, 33).toString("base64url"),
			y: point.subarray(33, 65).toString("base64url"),
		},
	});
}

/** More than any stamp needs. */
const maxOutputBytes = 64 * 1024;

/**
 * Returns a stamper that runs `command` through the shell for every body, with the exact body on standard input. The command
 * prints the header line: `X-Stamp: VALUE`, `X-Stamp-WebAuthn: VALUE`, or a value alone, which is then an `X-Stamp`. Its standard
 * error is discarded, because it may have secrets. It gets `environment` (the process's when left out) without orgsync's own
 * private keys. `publicKey` is that of its last stamp, where it is one of an API key.
 *
 * `stamp` throws ConfigurationError when the command cannot be started, exits with anything but 0, prints no line or more than
 * one, or runs longer than `timeoutMs`.
 */
export function createCommandStamper(
	command: string,
	options: {
		readonly timeoutMs?: number;
		readonly environment?: Readonly<Record<string, string | undefined>>;
	} = {},
): Stamper & { readonly publicKey: string | undefined } {
	const timeoutMs = options.timeoutMs ?? 30_000;
	const env = withoutPrivateKeys(options.environment ?? process.env);
	let publicKey: string | undefined;
	return {
		get publicKey() {
			return publicKey;
		},
		async stamp(body) {
			const stamp = readHeaderLine(await runCommand(command, body, timeoutMs, env));
			publicKey = publicKeyIn(stamp);
			return stamp;
		},
	};
}

/** Returns the public key in a stamp of an API key; undefined for any other. */
function publicKeyIn({ stampHeaderName, stampHeaderValue }: Stamp): string | undefined {
	if (stampHeaderName !== apiKeyHeaderName) return undefined;
	const read = readJson(Buffer.from(stampHeaderValue, "base64url").toString("utf8"));
	const publicKey = "value" in read && isRecord(read.value) ? read.value.publicKey : undefined;
	return typeof publicKey === "string" && /^0[23][0-9a-f]{64}$/i.test(publicKey) ? publicKey.toLowerCase() : undefined;
}

/** Returns the environment without orgsync's private keys, and without PULUMI_CONFIG, which has secrets in plain text. */
function withoutPrivateKeys(environment: Readonly<Record<string, string | undefined>>): NodeJS.ProcessEnv {
	return Object.fromEntries(
		Object.entries(environment).filter(
			([name, value]) =>
				!/^(?:ORGSYNC_|TURNKEY_)?API_PRIVATE_KEY$/i.test(name) &&
				!(name === "PULUMI_CONFIG" && value?.includes("apiPrivateKey") === true),
		),
	);
}

function commandError(message: string): ConfigurationError {
	const hint = "run the command by hand with a body on its standard input: it must print one header line";
	return new ConfigurationError(message, { hint });
}

function runCommand(command: string, input: string, timeoutMs: number, env: NodeJS.ProcessEnv): Promise<string> {
	return new Promise((resolve, reject) => {
		const child = spawn(command, { shell: true, env, stdio: ["pipe", "pipe", "ignore"] });
		const chunks: Buffer[] = [];
		let size = 0;
		const fail = (message: string) => {
			clearTimeout(timer);
			child.kill("SIGKILL");
			// A grandchild may keep the pipe open for ever.
			child.stdout.destroy();
			child.unref();
			reject(commandError(message));
		};
		const timer = setTimeout(() => fail(`the stamp command did not end within ${timeoutMs / 1000} s`), timeoutMs);
		child.stdout.on("data", (chunk: Buffer) => {
			size += chunk.length;
			if (size > maxOutputBytes) fail("the stamp command wrote more than a header line");
			else chunks.push(chunk);
		});
		// A command may stamp without reading all of its input; the closed pipe is no error.
		child.stdin.on("error", () => undefined);
		child.stdin.end(input, "utf8");
		child.on("error", () => fail("the stamp command could not be started"));
		child.on("close", (exitCode, signal) => {
			if (exitCode !== 0) return fail(`the stamp command failed: ${exitCode === null ? signal : `exit ${exitCode}`}`);
			clearTimeout(timer);
			resolve(Buffer.concat(chunks).toString("utf8"));
		});
	});
}

function readHeaderLine(output: string): Stamp {
	const line = output.trim();
	if (line === "") throw commandError("the stamp command printed nothing");
	if (!/^[\x20-\x7e]+$/.test(line)) {
		throw commandError("the stamp command did not print one line of printable ASCII characters");
	}
	const named = /^([A-Za-z][A-Za-z-]*):\s*(.*)$/.exec(line);
	if (named === null) return { stampHeaderName: apiKeyHeaderName, stampHeaderValue: line };
	const name = [apiKeyHeaderName, passkeyHeaderName].find((known) => known.toLowerCase() === named[1]?.toLowerCase());
	const value = named[2] ?? "";
	if (name === undefined || value === "") {
		throw new ConfigurationError("the stamp command printed a header that is not a stamp", {
			hint: `the header's name is ${apiKeyHeaderName} or ${passkeyHeaderName}, and it has a value`,
		});
	}
	return { stampHeaderName: name, stampHeaderValue: value };
}
