/** Votes as they are read: what is in another form is nothing, and only a real signature of the message is valid. */
import { describe, expect, it } from "vitest";
import { readSignedVotes } from "../../../src/sync/submit/signed-vote.ts";
import { fingerprintOf } from "../../../src/wire/request-body.ts";
import { apiKeyScheme, createApiKeyStamper } from "../../../src/wire/stamp.ts";

const message = '{"type":"ACTIVITY_TYPE_DELETE_POLICIES"}';
const { publicKey } = createApiKeyStamper({ privateKey: "5e".repeat(32) });
const other = createApiKeyStamper({ privateKey: "6f".repeat(32) }).publicKey;

/** What the key of this scalar signs, in hex. */
async function signatureOf(text: string): Promise<string> {
	const { stampHeaderValue } = await createApiKeyStamper({ privateKey: "5e".repeat(32) }).stamp(text);
	return JSON.parse(Buffer.from(stampHeaderValue, "base64url").toString("utf8")).signature as string;
}

const signed = await signatureOf(message);
const vote = { message, publicKey, scheme: apiKeyScheme, signature: signed };
const judge = (parts: object) => readSignedVotes({ votes: [{ ...vote, ...parts }] })[0]?.signature;

describe("the signature of a vote", () => {
	it("is valid if the key of the vote made it of the message", () => {
		expect([judge({}), judge({ publicKey: publicKey.toUpperCase(), signature: signed.toUpperCase() })]).toEqual([
			"valid",
			"valid",
		]);
	});

	it.each([
		["another message", { message: `${message} ` }],
		["another key", { publicKey: other }],
		["a key that is no point of the curve", { publicKey: `02${"f".repeat(64)}` }],
		["a key that is no hex", { publicKey: "key" }],
		["a signature that is no hex", { signature: `${signed}xy` }],
		["a signature of half a byte more", { signature: `${signed}0` }],
		["a signature with another text before it", { signature: `-${signed}` }],
		["a cut signature", { signature: signed.slice(0, -2) }],
	])("is invalid with %s", (_what, parts) => {
		expect(judge(parts)).toBe("invalid");
	});

	it.each([
		["a message", { message: "" }],
		["a key", { publicKey: "" }],
		["a key that is a text", { publicKey: 7 }],
		["a signature", { signature: "" }],
		["a signature that is a text", { signature: null }],
		["the scheme of an API key", { scheme: "SIGNATURE_SCHEME_TK_API_SECP256K1" }],
	])("cannot be verified without %s", (_what, parts) => {
		expect(judge(parts)).toBe("unverifiable");
	});
});

describe("a vote of an activity", () => {
	it("has its user, selection, time, message and key, and never its signature", () => {
		const parts = { userId: "ABC", user: { userName: "Ann" }, selection: "VOTE_SELECTION_APPROVED", createdAt: "1" };
		const [read] = readSignedVotes({ votes: [{ ...vote, ...parts, publicKey: publicKey.toUpperCase() }] });
		expect(read).toEqual({
			...{ userId: "abc", userName: "Ann", selection: "VOTE_SELECTION_APPROVED", castAtMs: 1000 },
			...{ message, messageFingerprint: fingerprintOf(message), signature: "valid", publicKey },
		});
	});

	it("is nothing in another form, and so are votes", () => {
		expect(readSignedVotes({ votes: [{ userId: "", user: "Ann", selection: 7, createdAt: {} }, "odd", null] })).toEqual(
			[
				{
					...{ userId: null, userName: null, selection: null, castAtMs: null, message: null },
					...{ messageFingerprint: null, signature: "unverifiable", publicKey: null },
				},
			],
		);
		for (const votes of [undefined, null, {}, "votes"]) expect(readSignedVotes({ votes })).toEqual([]);
	});
});
