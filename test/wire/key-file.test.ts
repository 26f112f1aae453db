/** Key files: who can read and write them, and that no message shows a key that is given in place of a file. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ConfigurationError } from "../../src/common/errors.ts";
import { findStamper } from "../../src/wire/credentials.ts";
import { readKeyFile } from "../../src/wire/key-file.ts";
import { createApiKeyStamper, createCommandStamper } from "../../src/wire/stamp.ts";
import { havePrograms, onPosix } from "../needs.ts";
import { variablesOfRun } from "../shared.ts";

const hasBash = havePrograms("the tests of what bash hands to a command", "bash");

const privateKey = "c0ffee11d00dfeed".repeat(4);
const { publicKey } = createApiKeyStamper({ privateKey });
const root = mkdtempSync(join(tmpdir(), "orgsync-keys-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let count = 0;
function makeKeyFile(mode: number, content = `${privateKey}\n`): string {
	const file = join(root, `${count++}.private`);
	writeFileSync(file, content);
	chmodSync(file, mode);
	return file;
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

describe.runIf(onPosix)("a key file", () => {
	it.each([0o600, 0o400])("that only its owner can read is read without a warning (mode %o)", (mode) => {
		const warnings: string[] = [];
		expect(readKeyFile(makeKeyFile(mode), "--key-file", (text) => warnings.push(text)).privateKey).toBe(privateKey);
		expect(warnings).toEqual([]);
	});

	it.each([0o644, 0o640, 0o440, 0o604])("that others can read is read with a warning (mode %o)", (mode) => {
		const warnings: string[] = [];
		const file = makeKeyFile(mode);
		expect(readKeyFile(file, "--key-file", (text) => warnings.push(text)).privateKey).toBe(privateKey);
		expect(warnings).toEqual([
			`warning: the key file ${file} can be read by others (mode 0${mode.toString(8)}); run chmod 600 on it`,
		]);
	});

	it.each([0o666, 0o660, 0o620, 0o602, 0o777])("that others can write is refused (mode %o)", (mode) => {
		const file = makeKeyFile(mode);
		const error = caught(() => findStamper({ keyFile: file }, {}));
		expect(error.message).toBe(`the key file ${file} can be written by others (mode 0${mode.toString(8)})`);
		expect(error.hint).toContain("chmod 600");
	});

	it("is checked at the end of a link, as Kubernetes mounts it", () => {
		const link = join(root, "link.private");
		symlinkSync(makeKeyFile(0o440), link);
		const warnings: string[] = [];
		expect(readKeyFile(link, "--key-file", (text) => warnings.push(text)).privateKey).toBe(privateKey);
		expect(warnings).toHaveLength(1);
	});

	it("is a regular file, as is the one of the public key, and no larger than a key", () => {
		const fifo = join(root, "fifo.private");
		execFileSync("mkfifo", [fifo]);
		expect(caught(() => readKeyFile(fifo, "--key-file")).message).toContain("it is not a regular file");
		const file = makeKeyFile(0o600);
		symlinkSync("/dev/zero", file.replace(".private", ".public"));
		expect(caught(() => readKeyFile(file, "--key-file")).message).toContain("it is not a regular file");
		expect(caught(() => readKeyFile(makeKeyFile(0o600, "a".repeat(5000)), "--key-file")).message).toContain(
			"it is larger than any key",
		);
	});

	it.runIf(hasBash)("can be a pipe of the shell", () => {
		const program = `import { readKeyFile } from ${JSON.stringify(join(import.meta.dirname, "../../src/wire/key-file.ts"))};
			process.stdout.write(readKeyFile(process.argv[1], "--key-file", console.error).privateKey);`;
		const command = `exec ${process.execPath} --input-type=module -e "$PROGRAM" <(printf %s "$KEY")`;
		const env = { ...variablesOfRun(), PATH: process.env.PATH, PROGRAM: program, KEY: privateKey };
		expect(execFileSync("bash", ["--norc", "-c", command], { env, encoding: "utf8" })).toBe(privateKey);
	});
});

describe("a key in place of the name of a key file", () => {
	const raw = Buffer.from(privateKey, "hex");
	const texts: Readonly<Record<string, string>> = {
		hexadecimal: privateKey,
		"with its curve": `${privateKey}:p256`,
		"with 0x": `0x${privateKey}`,
		"in base64": raw.toString("base64"),
		"in base64url": raw.toString("base64url"),
		"in base64 with slashes": `ab/${raw.toString("base64").slice(0, 10)}/${raw.toString("base64").slice(10)}`,
		"as PEM": `-----BEGIN EC PRIVATE KEY-----\n${raw.toString("base64")}\n-----END EC PRIVATE KEY-----`,
		"as JSON": `{"privateKey":"${privateKey.slice(0, 30)}"}`,
		"with a NUL byte": `${privateKey.slice(0, 20)}\0`,
	};

	it.each(Object.entries(texts))("%s is never shown, wherever it comes from", (_form, text) => {
		const errors = [
			caught(() => findStamper({ keyFile: text }, {})),
			caught(() => findStamper({}, { ORGSYNC_KEY_FILE: text })),
			caught(() => findStamper({ keyFile: join(root, text), keyFileSource: "orgsync:keyFile" }, {})),
		];
		for (const { message, hint = "" } of errors) {
			const shown = message + hint;
			for (let at = 0; at + 8 <= text.length; at += 1) expect(shown).not.toContain(text.slice(at, at + 8));
			expect(hint).toContain("ORGSYNC_API_PRIVATE_KEY");
		}
		expect(
			errors.map(({ message }) => /(--key-file|ORGSYNC_KEY_FILE|orgsync:keyFile) names/.exec(message)?.[1]),
		).toEqual(["--key-file", "ORGSYNC_KEY_FILE", "orgsync:keyFile"]);
	});

	it("before a way out of its folder is not shown either", () => {
		const { message } = caught(() => findStamper({ keyFile: `${privateKey.slice(0, 60)}../../x` }, {}));
		expect(message).toContain("that --key-file names");
		expect(message).not.toContain(privateKey.slice(0, 8));
	});

	it.each([
		"alice.private",
		"keys/of/the/team/alice",
		"/run/secrets/orgsync/api.private",
		join(root, "missing"),
	])("is not suspected in the name of a missing file: %s", (name) => {
		const { message, hint } = caught(() => findStamper({ keyFile: name }, {}));
		expect(message).toContain(`the key file ${name}`);
		expect(hint).toContain("64 hexadecimal characters");
	});
});

describe("a stamp command", () => {
	it("has the environment without the private keys that orgsync reads", async () => {
		const names = ["ORGSYNC_API_PRIVATE_KEY", "TURNKEY_API_PRIVATE_KEY", "API_PRIVATE_KEY", "api_private_key"];
		const kept = {
			...{ ORGSYNC_API_PUBLIC_KEY: publicKey, VAULT_TOKEN: "kept", PATH: process.env.PATH ?? "" },
			...{ API_PRIVATE_KEY_FILE: "1", MY_API_PRIVATE_KEY: "2", SECRET: "apiPrivateKey" },
		};
		const environment = {
			...kept,
			...Object.fromEntries(names.map((name) => [name, privateKey])),
			PULUMI_CONFIG: JSON.stringify({ "orgsync:apiPrivateKey": privateKey }),
		};
		const command = `${process.execPath} -p "Object.keys(process.env).sort().join()"`;
		for (const stamper of [
			createCommandStamper(command, { environment }),
			findStamper({ stampCommand: command }, environment),
			findStamper({}, { ...kept, ORGSYNC_STAMP_COMMAND: command }),
		]) {
			const { stampHeaderValue = "" } = (await stamper?.stamp("{}")) ?? {};
			const seen = stampHeaderValue.split(",");
			expect(seen).toEqual(expect.arrayContaining(Object.keys(kept)));
			expect(seen.filter((name) => /PRIVATE_KEY|PULUMI/i.test(name) && !(name in kept))).toEqual([]);
		}
		const harmless = createCommandStamper(command, { environment: { ...kept, PULUMI_CONFIG: "{}" } });
		expect((await harmless.stamp("{}")).stampHeaderValue).toContain("PULUMI_CONFIG");
	});
});
