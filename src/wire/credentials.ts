/**
 * Who speaks to the service, and where it is. First found wins: what was given (flags, a provider's arguments), then
 * `ORGSYNC_*`, then the names and key files that people already have from the vendor's tools (docs/service.md#stamps).
 *
 * The rule it keeps: a private key is read from a file, the environment or a secret, and goes nowhere but into the
 * stamper. The environment is handed in.
 */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { ConfigurationError } from "../errors.ts";
import { readKeyFile, type Warn } from "./key-file.ts";
import { createApiKeyStamper, createCommandStamper, type Stamper } from "./stamp.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** What was given by whoever calls; the first of these that is there is used. */
export interface CredentialOptions {
	readonly stampCommand?: string | undefined;
	/** A key file of the vendor's kind: NAME.private, with NAME.public beside it when there is one. */
	readonly keyFile?: string | undefined;
	/** Where the name of the key file comes from, for messages; `--key-file` when left out. */
	readonly keyFileSource?: string;
	/** The folder from which names of files are resolved; the working folder when left out. */
	readonly directory?: string;
	readonly privateKey?: string | undefined;
	readonly publicKey?: string | undefined;
}

/** The base address of the service in the environment, or undefined. */
export function findUrl(environment: Environment): string | undefined {
	return firstSet(environment, ["ORGSYNC_URL", "TURNKEY_BASE_URL"]);
}

/** The organization in the environment, or undefined. */
export function findOrganizationId(environment: Environment): string | undefined {
	const names = ["ORGSYNC_ORGANIZATION_ID", "TURNKEY_ORGANIZATION_ID", "ORGANIZATION_ID"];
	return firstSet(environment, names)?.toLowerCase();
}

/**
 * Returns the stamper, or undefined when there is no key anywhere. `warn` gets a line about a key file that others can
 * read. Throws ConfigurationError when what is there cannot be used as a key.
 */
export function findStamper(given: CredentialOptions, environment: Environment, warn?: Warn): Stamper | undefined {
	const fromFile = (file: string, from: string): Stamper => {
		const { privateKey, publicKey, shownAs } = readKeyFile(file, from, warn, given.directory);
		return fromKeys(`in ${shownAs}`, privateKey, publicKey);
	};
	if (given.stampCommand !== undefined) return createCommandStamper(given.stampCommand, { environment });
	if (given.keyFile !== undefined) return fromFile(given.keyFile, given.keyFileSource ?? "--key-file");
	if (given.privateKey !== undefined) return fromKeys("that was given", given.privateKey, given.publicKey);
	for (const [privateName, publicName] of keyNames) {
		const privateKey = setValue(environment, privateName);
		if (privateKey !== undefined) return fromKeys(`in ${privateName}`, privateKey, setValue(environment, publicName));
	}
	const keyFile = setValue(environment, "ORGSYNC_KEY_FILE");
	if (keyFile !== undefined) return fromFile(keyFile, "ORGSYNC_KEY_FILE");
	const command = setValue(environment, "ORGSYNC_STAMP_COMMAND");
	if (command !== undefined) return createCommandStamper(command, { environment });
	const vendorFile = join(setValue(environment, "HOME") ?? homedir(), ".config", "turnkey", "keys", "default.private");
	return existsSync(vendorFile) ? fromFile(vendorFile, "the vendor's key file") : undefined;
}

const keyNames = [
	["ORGSYNC_API_PRIVATE_KEY", "ORGSYNC_API_PUBLIC_KEY"],
	["TURNKEY_API_PRIVATE_KEY", "TURNKEY_API_PUBLIC_KEY"],
	["API_PRIVATE_KEY", "API_PUBLIC_KEY"],
] as const;

function fromKeys(where: string, privateKey: string, publicKey: string | undefined): Stamper {
	try {
		return createApiKeyStamper({ privateKey, ...(publicKey === undefined ? {} : { publicKey }) });
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
