/**
 * Finds the URL of the service and the credentials: flags first, then the sources of wire/credentials.ts.
 */
import { ConfigurationError } from "../errors.ts";
import * as credentials from "../wire/credentials.ts";
import type { Stamper } from "../wire/stamp.ts";

export interface CredentialFlags {
	readonly url?: string;
	readonly keyFile?: string;
	readonly stampCommand?: string;
}

/** Returns the base URL of the service. Throws ConfigurationError if there is none. */
export function findUrl(flags: CredentialFlags, environment: credentials.Environment): string {
	const url = flags.url ?? credentials.findUrl(environment);
	if (url !== undefined) return url;
	throw new ConfigurationError("no service URL", {
		hint: "use --url URL, set ORGSYNC_URL, or try --local, which needs no account",
	});
}

/** Returns the stamper. Throws ConfigurationError if there is no key, or an invalid one. */
export function findStamper(
	flags: CredentialFlags & Pick<credentials.CredentialOptions, "directory">,
	environment: credentials.Environment,
	warn: (text: string) => void,
): Stamper {
	const stamper = credentials.findStamper(flags, environment, warn);
	if (stamper !== undefined) return stamper;
	throw new ConfigurationError("no API key", {
		hint: "use --key-file FILE, set ORGSYNC_API_PRIVATE_KEY, use --stamp-command COMMAND, or try --local, which creates its own key",
	});
}
