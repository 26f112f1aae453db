/** Fingerprints of random activities: ours, the emulator's and those of a SHA-256 that shares nothing with either. */
import { expect, it } from "vitest";
import { fingerprintOf as fingerprintOfEmulator } from "../../src/emulator/identifiers.ts";
import { approvals, type SubmitName, submits, type VoteName } from "../../src/wire/operations.ts";
import { decodeSubmit, decodeVote, encodeSubmit, fingerprintOf } from "../../src/wire/request-body.ts";

const primes = Array.from({ length: 320 }, (_, index) => index + 2).filter((number) =>
	Array.from({ length: number - 2 }, (_, index) => index + 2).every((divisor) => number % divisor !== 0),
);
const fraction = (value: number): number => Math.floor((value - Math.floor(value)) * 2 ** 32) | 0;
const roundConstants = Int32Array.from(primes.slice(0, 64), (prime) => fraction(Math.cbrt(prime)));
const startState = Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
const rotate = (value: number, by: number): number => (value >>> by) | (value << (32 - by));

/** SHA-256 in hex, as FIPS 180-4 describes it. */
function sha256(bytes: Uint8Array): string {
	const blocks = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
	blocks.set(bytes);
	blocks[bytes.length] = 0x80;
	const view = new DataView(blocks.buffer);
	view.setUint32(blocks.length - 4, bytes.length * 8);
	const state = Int32Array.from(startState);
	const words = new Int32Array(64);
	const at = (list: Int32Array, index: number): number => list[index] ?? 0;
	for (let start = 0; start < blocks.length; start += 64) {
		for (let index = 0; index < 16; index += 1) words[index] = view.getInt32(start + index * 4);
		for (let index = 16; index < 64; index += 1) {
			const [first, second] = [at(words, index - 15), at(words, index - 2)];
			const small = rotate(first, 7) ^ rotate(first, 18) ^ (first >>> 3);
			const large = rotate(second, 17) ^ rotate(second, 19) ^ (second >>> 10);
			words[index] = at(words, index - 16) + small + at(words, index - 7) + large;
		}
		let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
		for (let index = 0; index < 64; index += 1) {
			const mixed = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
			const one = (h + mixed + ((e & f) ^ (~e & g)) + at(roundConstants, index) + at(words, index)) | 0;
			const two = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
			[h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
		}
		for (const [index, value] of [a, b, c, d, e, f, g, h].entries()) state[index] = at(state, index) + value;
	}
	return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/** Returns a random number below `limit`, the same ones in every run. */
function makeRandom(seed: number): (limit: number) => number {
	let state = seed;
	return (limit) => {
		state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0;
		return Math.floor((((state ^ (state >>> 13)) >>> 0) / 2 ** 32) * limit);
	};
}

const letters = ["a", "Z", "9", " ", "-", '"', "\\", "\n", "\u0000", "é", "\u2028", "名", "😀", "</script>"];

it("of 10,000 random activities and votes are what the emulator computes, and an independent SHA-256, of the same bytes", () => {
	const random = makeRandom(16);
	const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
	const id = (): string => {
		const hex = Array.from({ length: 32 }, () => random(16).toString(16)).join("");
		return hex.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, "$1-$2-$3-$4-$5");
	};
	const ids = (): string[] => Array.from({ length: random(6) }, id);
	const name = (): string => Array.from({ length: 1 + random(12) }, () => pick(letters)).join("");
	const parametersOf: Record<SubmitName | VoteName, () => Record<string, unknown>> = {
		update_user_tag: () => {
			const renamed = random(2) === 0 ? {} : { newUserTagName: name() };
			return { userTagId: id(), ...renamed, addUserIds: ids(), removeUserIds: ids() };
		},
		delete_oauth_providers: () => ({ userId: id(), providerIds: ids() }),
		delete_policies: () => ({ policyIds: ids() }),
		delete_tvc_app_and_deployments: () => ({ appId: id() }),
		init_import_private_key: () => ({ userId: id() }),
		approve_activity: () => ({ fingerprint: fingerprintOf(name()) }),
		reject_activity: () => ({ fingerprint: fingerprintOf(name()) }),
	};
	const operations = [...Object.values(submits), ...Object.values(approvals)];
	for (let count = 0; count < 10_000; count += 1) {
		const operation = pick(operations);
		const parameters = parametersOf[operation.name]();
		const body = encodeSubmit(operation, id(), parameters, Date.parse("2026-01-01T00:00:00Z") + random(1e9));
		const raw = Buffer.from(body.bytes, "utf8");
		const same = fingerprintOfEmulator(raw) === body.fingerprint && `sha256:${sha256(raw)}` === body.fingerprint;
		const decoded = decodeSubmit(body.bytes) ?? decodeVote(body.bytes);
		if (!same || decoded?.fingerprint !== body.fingerprint) expect(body.bytes).toBe("a body with one fingerprint");
	}
});
