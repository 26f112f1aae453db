/** What orgsync checks of a browser's answer before it uses it: made here with node:crypto, from WebAuthn Level 3 alone. */
import { createHash, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import { challengeOf, checkAssertion, type KnownPasskey } from "../../src/passkey/assertion.ts";
import { checkAttestation } from "../../src/passkey/registration.ts";
import { readPublicKey } from "../../src/wire/public-key.ts";
import { makeKey, type TestKey } from "../keys.ts";

const [own, strange] = [makeKey(), makeKey()];
const credentialId = Buffer.from("own").toString("base64url");
const body = '{"organizationId":"x"}';
const origin = "http://localhost:8765";
const sha256 = (data: Buffer | string) => createHash("sha256").update(data).digest();
const base64url = (data: Buffer | string) => Buffer.from(data).toString("base64url");

interface Answer {
	readonly key?: TestKey;
	readonly client?: object;
	readonly flags?: number;
	readonly rpId?: string;
	readonly more?: Buffer;
	readonly members?: object;
}

/** The answer of a browser and an authenticator that do all as they should, but what is given. */
function answerOf({ key = own, client = {}, flags = 0x05, rpId = "localhost", more, members }: Answer = {}) {
	const challenge = base64url(challengeOf(body));
	const clientData = JSON.stringify({ type: "webauthn.get", challenge, origin, crossOrigin: false, ...client });
	const data = Buffer.concat([sha256(rpId), Buffer.from([flags, 0, 0, 0, 1]), more ?? Buffer.alloc(0)]);
	return {
		authenticatorData: base64url(data),
		clientDataJson: base64url(clientData),
		credentialId,
		signature: base64url(sign("sha256", Buffer.concat([data, sha256(clientData)]), key.key)),
		...members,
	};
}

const known: readonly KnownPasskey[] = [{ credentialId, publicKey: readPublicKey(own.publicKey) }];
const problemOf = (answer: unknown, passkeys: readonly KnownPasskey[] | null = known) => {
	const result = checkAssertion(answer, { body, origin, passkeys: passkeys ?? undefined });
	return "problem" in result ? result.problem : result.stamp.stampHeaderName;
};

describe("an answer of the browser", () => {
	it("is a stamp with its four members and no other", () => {
		const answer = answerOf({ members: { more: "x" } });
		const { more, ...expected } = { ...answer, more: "" };
		expect(checkAssertion(answer, { body, origin, passkeys: known })).toEqual({
			stamp: { stampHeaderName: "X-Stamp-WebAuthn", stampHeaderValue: expect.any(String) },
			credentialId,
		});
		const result = checkAssertion(answer, { body, origin, passkeys: undefined });
		expect("stamp" in result && JSON.parse(result.stamp.stampHeaderValue)).toEqual(expected);
	});

	it.each<[string, unknown]>([
		["another request", answerOf({ client: { challenge: base64url(challengeOf(`${body} `)) } })],
		["another request", answerOf({ client: { challenge: challengeOf(body) } })],
		["another page", answerOf({ client: { origin: "http://localhost:8766" } })],
		["another page", answerOf({ client: { origin: "https://localhost:8765" } })],
		["a frame of another page", answerOf({ client: { crossOrigin: true } })],
		["a frame of another page", answerOf({ client: { topOrigin: "https://evil.test" } })],
		["type webauthn.get", answerOf({ client: { type: "webauthn.create" } })],
		["not for localhost", answerOf({ rpId: "acme.test" })],
		["a person was present", answerOf({ flags: 0x04 })],
		["did not verify the person", answerOf({ flags: 0x01 })],
		["wrong length", answerOf({ more: Buffer.from([0]) })],
		["wrong length", answerOf({ members: { authenticatorData: "AA" } })],
		["no user of the organization", answerOf({ members: { credentialId: "b3RoZXI" } })],
		["does not fit", answerOf({ key: strange })],
		["does not fit", answerOf({ members: { signature: "AAAA" } })],
		["not a signature by a passkey", answerOf({ members: { signature: "" } })],
		["not a signature by a passkey", answerOf({ members: { signature: "a\r\nX-Stamp: b" } })],
		["not a signature by a passkey", answerOf({ members: { clientDataJson: "A".repeat(9000) } })],
		["not a signature by a passkey", answerOf({ members: { credentialId: 1 } })],
		["not a signature by a passkey", null],
		["not a signature by a passkey", [answerOf()]],
	])("with a defect is none: %s", (problem, answer) => {
		expect(problemOf(answer)).toContain(problem);
	});

	it("counts without the passkeys of the organization, or without a public key that can be read", () => {
		expect(problemOf(answerOf({ key: strange }), null)).toBe("X-Stamp-WebAuthn");
		expect(problemOf(answerOf({ key: strange }), [{ credentialId, publicKey: undefined }])).toBe("X-Stamp-WebAuthn");
		expect(problemOf(answerOf(), [])).toContain("no user of the organization");
	});

	it("counts after another only if both passkeys are the same user's", () => {
		const signAfter = (passkeys: readonly KnownPasskey[] | undefined, firstId: string) =>
			checkAssertion(answerOf(), { body, origin, passkeys, firstId });
		const [mine] = known.map((one) => ({ ...one, userId: "alice" }));
		const other = (userId?: string) => [
			...(mine === undefined ? [] : [mine]),
			{ ...known[0], credentialId: "b", userId },
		];
		const refused = { problem: expect.stringContaining("another passkey signed before") };
		expect(signAfter(other("alice") as KnownPasskey[], "b")).toHaveProperty("stamp");
		expect(signAfter(undefined, credentialId)).toHaveProperty("stamp");
		expect(signAfter(other("bob") as KnownPasskey[], "b")).toEqual(refused);
		expect(signAfter(other() as KnownPasskey[], "b")).toEqual(refused);
		expect(signAfter(undefined, "b")).toEqual(refused);
	});
});

describe("a public key of a passkey", () => {
	const { x = "", y = "" } = own.key.export({ format: "jwk" }) as { x?: string; y?: string };
	const [left, right] = [x, y].map((text) => Buffer.from(text, "base64url").toString("hex").padStart(64, "0"));

	it("is read as a point, compressed or not, and as a COSE key", () => {
		for (const text of [own.publicKey, `04${left}${right}`, `a5010203262001215820${left}225820${right}`]) {
			expect(readPublicKey(text)?.export({ format: "jwk" })).toMatchObject({ crv: "P-256", x, y });
		}
	});

	it.each([
		["of another length", "02aa"],
		["not on the curve", `02${"ff".repeat(32)}`],
		["not hex", `02${"zz".repeat(32)}`],
		["of another kind of COSE key", `a4010103272006215820${left}`],
		["empty", ""],
	])("that is %s is unknown", (_, text) => {
		expect(readPublicKey(text)).toBeUndefined();
	});
});

describe("a new passkey", () => {
	const challenge = "a challenge";
	const made = (data: Buffer) => {
		const head = Buffer.from("a363666d74646e6f6e656761747453746d74a0686175746844617461", "hex");
		const size =
			data.length < 256 ? Buffer.of(0x58, data.length) : Buffer.of(0x59, data.length >> 8, data.length & 255);
		const client = { type: "webauthn.create", challenge: base64url(challenge), origin };
		return {
			credentialId,
			clientDataJson: base64url(JSON.stringify(client)),
			attestationObject: base64url(Buffer.concat([head, size, data])),
			authenticatorData: base64url(data),
			transports: ["usb", "of the future"],
		};
	};
	const dataOf = (key: Buffer, flags = 0x45) => {
		const id = Buffer.from("own");
		return Buffer.concat([
			sha256("localhost"),
			Buffer.from([flags, 0, 0, 0, 0]),
			Buffer.alloc(16),
			Buffer.of(0, id.length),
			id,
			key,
		]);
	};
	const { x = "", y = "" } = own.key.export({ format: "jwk" }) as { x?: string; y?: string };
	const cose = Buffer.concat([
		Buffer.from("a5010203262001215820", "hex"),
		Buffer.from(x, "base64url"),
		Buffer.from("225820", "hex"),
		Buffer.from(y, "base64url"),
	]);
	const problem = (answer: unknown) => {
		const result = checkAttestation(answer, challenge, origin);
		return "problem" in result ? result.problem : "none";
	};

	it("has the public key of its authenticator's data, and the transports that the service knows", () => {
		for (const data of [dataOf(cose), dataOf(Buffer.concat([cose, Buffer.alloc(200)]), 0xc5)]) {
			expect(checkAttestation(made(data), challenge, origin)).toMatchObject({
				value: { credentialId, publicKey: own.publicKey, transports: ["AUTHENTICATOR_TRANSPORT_USB"] },
			});
		}
	});

	it("is refused for another id, another kind of key, without a person, and where its object has other data", () => {
		expect(problem({ ...made(dataOf(cose)), credentialId: "b3RoZXI" })).toContain("not a new passkey");
		expect(problem(made(dataOf(Buffer.from("a401010327", "hex"))))).toContain("P-256");
		expect(problem(made(dataOf(cose, 0x41)))).toContain("did not verify the person");
		expect(problem(made(dataOf(cose).subarray(0, 60)))).toContain("P-256");
		const { attestationObject } = made(dataOf(cose, 0xc5));
		expect(problem({ ...made(dataOf(cose)), attestationObject })).toContain("not a new passkey");
		expect(problem({ ...made(dataOf(cose)), authenticatorData: undefined })).toContain("not a new passkey");
		const cut = made(dataOf(cose)).attestationObject.slice(0, -20);
		expect(problem({ ...made(dataOf(cose)), attestationObject: cut })).toContain("not a new passkey");
		expect(problem(null)).toContain("not a new passkey");
	});
});
