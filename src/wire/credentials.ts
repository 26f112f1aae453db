/**
 * Finds the address of the service, the organization and the key. Precedence: what the caller passes (flags, arguments of a
 * provider), then `ORGSYNC_*`, then the names and key files of the vendor's tools (docs/internals/service.md#stamps).
 *
 * A private key comes from a file, the environment or a secret, and goes only into the stamper. The environment is an argument.
 */

import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { defined } from "../common/defined.ts";
import { ConfigurationError } from "../common/errors.ts";
import { readKeyFile, type Warn } from "./key-file.ts";
import { createApiKeyStamper, createCommandStamper, type Stamper } from "./stamp.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** What the caller passes, in order of precedence. */
export interface CredentialOptions {
	readonly stampCommand?: string | undefined;
	/** A key file in the vendor's format: NAME.private, with NAME.public beside it if there is one. */
	readonly keyFile?: string | undefined;
	/** Where the name of the key file comes from, for messages; `--key-file` when left out. */
	readonly keyFileSource?: string;
	/** The folder that relative names of files are resolved from; the working folder when left out. */
	readonly directory?: string;
	readonly privateKey?: string | undefined;
	readonly publicKey?: string | undefined;
}

/** Returns the base address of the service from the environment, or undefined. */
export function findUrl(environment: Environment): string | undefined {
	return firstSet(environment, ["ORGSYNC_URL", "TURNKEY_BASE_URL"]);
}

export function findOrganizationId(environment: Environment): string | undefined {
	const names = ["ORGSYNC_ORGANIZATION_ID", "TURNKEY_ORGANIZATION_ID", "ORGANIZATION_ID"];
	return firstSet(environment, names)?.toLowerCase();
}

/** Returns the stamper, or undefined without a key. `warn` gets a line about a readable key file. Throws ConfigurationError. */
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
	const vendorFile = vendorKeyFile(environment);
	return existsSync(vendorFile) ? fromFile(vendorFile, "the vendor's key file") : undefined;
}

/** Returns the home folder of the user: HOME, or what the system says, as on Windows. */
export function findHome(environment: Environment): string {
	return setValue(environment, "HOME") ?? homedir();
}

/** Returns the path of the key file that the vendor's tools use by default. */
export function vendorKeyFile(environment: Environment): string {
	return join(findHome(environment), ".config", "turnkey", "keys", "default.private");
}

const keyNames = [
	["ORGSYNC_API_PRIVATE_KEY", "ORGSYNC_API_PUBLIC_KEY"],
	["TURNKEY_API_PRIVATE_KEY", "TURNKEY_API_PUBLIC_KEY"],
	["API_PRIVATE_KEY", "API_PUBLIC_KEY"],
] as const;

function fromKeys(where: string, privateKey: string, publicKey: string | undefined): Stamper {
	try {
		return createApiKeyStamper({ privateKey, ...defined({ publicKey }) });
	} catch (error) {
		if (!(error instanceof ConfigurationError)) throw error;
		const message = `the API key ${where} cannot be used: ${error.message}`;
		throw new ConfigurationError(message, defined({ hint: error.advice }));
	}
}

function firstSet(environment: Environment, names: readonly string[]): string | undefined {
	return names.map((name) => setValue(environment, name)).find((value) => value !== undefined);
}

/** Returns the variable's value; undefined for an empty one. */
function setValue(environment: Environment, name: string): string | undefined {
	const value = environment[name]?.trim();
	return value === "" ? undefined : value;
}
