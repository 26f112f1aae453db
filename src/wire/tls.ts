/** Finds what in an environment weakens TLS. Only `--insecure` may, never a variable that was exported for another program. */
import type { SecureContextOptions } from "node:tls";
import { ConfigurationError } from "../common/errors.ts";
import type { Environment } from "./credentials.ts";

/** The options of every TLS connection. They are explicit, so that no variable and no flag of Node weakens them. */
export function tlsOptions(insecure: boolean): SecureContextOptions & { readonly rejectUnauthorized: boolean } {
	if (insecure) return { rejectUnauthorized: false };
	// Loaded only here: it takes milliseconds, and a service on loopback needs none of it.
	const { DEFAULT_MIN_VERSION } = process.getBuiltinModule("node:tls");
	return { rejectUnauthorized: true, minVersion: DEFAULT_MIN_VERSION === "TLSv1.3" ? "TLSv1.3" : "TLSv1.2" };
}

/** Throws ConfigurationError with every variable that weakens TLS, and no value. `override` is the flag that allows it. */
export function refuseWeakTls(environment: Environment, override?: string): void {
	const found = findWeakTls(environment);
	if (found.length === 0) return;
	const unset = `unset ${found.length === 1 ? "it" : "them"}`;
	const trust = "to trust a private certificate authority, name its file in NODE_EXTRA_CA_CERTS";
	const allow = override === undefined ? "" : `; to override: ${override}`;
	throw new ConfigurationError(`the environment weakens TLS: ${found.join(", ")}`, {
		hint: `${unset}; ${trust}${allow}`,
	});
}

/** Whether TLS without verification matters: for https, and where the environment weakens TLS. Other texts are refused later. */
export function needsTls(url: string, environment: Environment): boolean {
	return URL.parse(url)?.protocol === "https:" || findWeakTls(environment).length > 0;
}

function findWeakTls(environment: Environment): readonly string[] {
	return [
		...(environment.NODE_TLS_REJECT_UNAUTHORIZED === "0" ? ["NODE_TLS_REJECT_UNAUTHORIZED=0"] : []),
		...(environment.SSLKEYLOGFILE ? ["SSLKEYLOGFILE"] : []),
		...findWeakFlags(environment.NODE_OPTIONS ?? "").map((flag) => `${flag} in NODE_OPTIONS`),
	];
}

const weakFlags = ["--tls-keylog", "--tls-min-v1.0", "--tls-min-v1.1"];

function findWeakFlags(nodeOptions: string): readonly string[] {
	// As Node reads them: quotes and backslashes join words, and _ in a flag is as good as -.
	const words = nodeOptions.replaceAll(/["\\]/g, "").split(/\s+/);
	const flags = words.map((word) => word.replace(/=.*/, "").replaceAll("_", "-"));
	const hasWeakList = flags.includes("--tls-cipher-list") && words.some(hasWeakCipher);
	return flags.filter((flag) => weakFlags.includes(flag) || (hasWeakList && flag === "--tls-cipher-list"));
}

/** Returns whether a list has ciphers without secrecy or authentication, broken ones, or short keys; `!NAME` and `-NAME` exclude. */
function hasWeakCipher(word: string): boolean {
	return word
		.split(/[:,=]/)
		.some((name, at, names) =>
			name.endsWith("SECLEVEL")
				? /^[01]$/.test(names[at + 1] ?? "")
				: /^(?![!-]).*(NULL|RC4|DES|MD5|EXP)|^(ALL|LOW|COMPLEMENTOFALL)$/.test(name),
		);
}
