/**
 * Who speaks to the service, and where it is, as the command line is told: by flags, else as wire/credentials.ts finds it.
 */
import { ConfigurationError } from "../errors.ts";
import * as credentials from "../wire/credentials.ts";
import type { Stamper } from "../wire/stamp.ts";

export interface CredentialFlags {
	readonly url?: string;
	readonly keyFile?: string;
	readonly stampCommand?: string;
}

/** The base address of the service. Throws ConfigurationError when none is named. */
export function findUrl(flags: CredentialFlags, environment: credentials.Environment): string {
	const url = flags.url ?? credentials.findUrl(environment);
	if (url !== undefined) return url;
	throw new ConfigurationError("which service? no address is given", {
		hint: "use --url URL, set ORGSYNC_URL, or try --local, which needs no account",
	});
}

/** The stamper for whoever runs this. Throws ConfigurationError when there is no key, or it is no key. */
export function findStamper(
	flags: CredentialFlags & Pick<credentials.CredentialOptions, "directory">,
	environment: credentials.Environment,
	warn: (text: string) => void,
): Stamper {
	const stamper = credentials.findStamper(flags, environment, warn);
	if (stamper !== undefined) return stamper;
	throw new ConfigurationError("no API key is given", {
		hint: "use --key-file FILE, set ORGSYNC_API_PRIVATE_KEY, use --stamp-command COMMAND, or try --local, which makes a key of its own",
	});
}
