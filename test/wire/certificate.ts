/** A certificate of our own for a name, made while the tests run: no private key is kept in the repository. */
import { generateKeyPairSync, sign } from "node:crypto";

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
	const content = Buffer.concat(parts);
	const { length } = content;
	const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
	return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

const sequence = (...parts: readonly Buffer[]) => der(0x30, ...parts);
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"));
const utcTime = (ms: number) =>
	der(
		0x17,
		Buffer.from(
			`${new Date(ms)
				.toISOString()
				.replace(/[-:T]|\..*/g, "")
				.slice(2)}Z`,
		),
	);

/** PEM texts of a self-signed certificate for `name`, which may be trusted as its own authority, and of its key. */
export function makeCertificate(name: string): { readonly cert: string; readonly key: string } {
	const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
	const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"));
	const subject = sequence(der(0x31, sequence(oid("550403"), der(0x0c, Buffer.from(name)))));
	const day = 24 * 60 * 60 * 1000;
	const alternativeNames = sequence(oid("551d11"), der(0x04, sequence(der(0x82, Buffer.from(name)))));
	const isAuthority = sequence(oid("551d13"), der(0x04, sequence(der(0x01, Buffer.from([0xff])))));
	const body = sequence(
		der(0xa0, der(0x02, Buffer.from([2]))),
		der(0x02, Buffer.from([1])),
		ecdsaWithSha256,
		subject,
		sequence(utcTime(Date.now() - day), utcTime(Date.now() + day)),
		subject,
		publicKey.export({ format: "der", type: "spki" }),
		der(0xa3, sequence(alternativeNames, isAuthority)),
	);
	const signature = sign("sha256", body, privateKey);
	const certificate = sequence(body, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature));
	const lines = certificate.toString("base64").match(/.{1,64}/g) ?? [];
	return {
		cert: `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`,
		key: privateKey.export({ format: "pem", type: "pkcs8" }) as string,
	};
}
