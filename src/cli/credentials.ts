/**
 * Who speaks to the service, and where it is. First found wins: flags that name a file or a command, `ORGSYNC_*`, the
 * names and key files that people already have from the vendor's tools (service-facts.md, "Stamps").
 *
 * The rule it keeps: a private key is read from a file or the environment, never from the command line, and goes nowhere
 * but into the stamper.
 */
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { ConfigurationError } from "../errors.ts";
import { createApiKeyStamper, createCommandStamper, type Stamper } from "../wire/stamp.ts";
import { explainFileError } from "./files.ts";

export interface CredentialFlags {
	readonly url?: string;
	readonly keyFile?: string;
	readonly stampCommand?: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The base address of the service. Throws ConfigurationError when none is named. */
export function findUrl(flags: CredentialFlags, environment: Environment): string {
	const url = flags.url ?? firstSet(environment, ["ORGSYNC_URL", "TURNKEY_BASE_URL"]);
	if (url !== undefined) return url;
	throw new ConfigurationError("which service? no address is given", {
		hint: "use --url URL, set ORGSYNC_URL, or try --local, which needs no account",
	});
}

/** The stamper for whoever runs this. Throws ConfigurationError when there is no key, or it is no key. */
export function findStamper(flags: CredentialFlags, environment: Environment): Stamper {
	if (flags.stampCommand !== undefined) return createCommandStamper(flags.stampCommand);
	if (flags.keyFile !== undefined) return fromKeyFile(flags.keyFile);
	for (const [privateName, publicName] of keyNames) {
		const privateKey = setValue(environment, privateName);
		if (privateKey === undefined) continue;
		const publicKey = setValue(environment, publicName);
		return named(`in ${privateName}`, () =>
			createApiKeyStamper({ privateKey, ...(publicKey === undefined ? {} : { publicKey }) }),
		);
	}
	const keyFile = setValue(environment, "ORGSYNC_KEY_FILE");
	if (keyFile !== undefined) return fromKeyFile(keyFile);
	const command = setValue(environment, "ORGSYNC_STAMP_COMMAND");
	if (command !== undefined) return createCommandStamper(command);
	const vendorFile = join(setValue(environment, "HOME") ?? homedir(), ".config", "turnkey", "keys", "default.private");
	if (existsSync(vendorFile)) return fromKeyFile(vendorFile);
	throw new ConfigurationError("no API key is given", {
		hint: "use --key-file FILE, set ORGSYNC_API_PRIVATE_KEY, use --stamp-command COMMAND, or try --local, which makes a key of its own",
	});
}

/** The organization that commands without a document speak of, or undefined. */
export function findOrganizationId(environment: Environment): string | undefined {
	return firstSet(environment, [
		"ORGSYNC_ORGANIZATION_ID",
		"TURNKEY_ORGANIZATION_ID",
		"ORGANIZATION_ID",
	])?.toLowerCase();
}

const keyNames = [
	["ORGSYNC_API_PRIVATE_KEY", "ORGSYNC_API_PUBLIC_KEY"],
	["TURNKEY_API_PRIVATE_KEY", "TURNKEY_API_PUBLIC_KEY"],
	["API_PRIVATE_KEY", "API_PUBLIC_KEY"],
] as const;

/** A key file of the vendor's kind: NAME.private, with NAME.public beside it when there is one. */
function fromKeyFile(file: string): Stamper {
	const privateFile = file.endsWith(".private") || existsSync(file) ? file : `${file}.private`;
	const publicFile = privateFile.replace(/\.private$/, ".public");
	const privateKey = readKeyFile(privateFile);
	const publicKey = publicFile !== privateFile && existsSync(publicFile) ? readKeyFile(publicFile) : undefined;
	return named(`in ${privateFile}`, () =>
		createApiKeyStamper({ privateKey, ...(publicKey === undefined ? {} : { publicKey }) }),
	);
}

function readKeyFile(file: string): string {
	try {
		return readFileSync(file, "utf8").trim();
	} catch (error) {
		throw new ConfigurationError(`the key file ${file} cannot be read: ${explainFileError(error)}`, {
			hint: "it holds the private key as 64 hexadecimal characters; NAME.public beside NAME.private holds the public key",
			cause: error,
		});
	}
}

function named<T>(where: string, make: () => T): T {
	try {
		return make();
	} catch (error) {
		if (!(error instanceof ConfigurationError)) throw error;
		throw new ConfigurationError(`the API key ${where} cannot be used: ${error.message}`, {
			...(error.hint === undefined ? {} : { hint: error.hint }),
		});
	}
}

function firstSet(environment: Environment, names: readonly string[]): string | undefined {
	return names.map((name) => setValue(environment, name)).find((value) => value !== undefined);
}

/** The variable's value; one that is set to nothing counts as not set. */
function setValue(environment: Environment, name: string): string | undefined {
	const value = environment[name]?.trim();
	return value === "" ? undefined : value;
}
