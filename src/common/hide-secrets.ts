/** Hides the secrets of a process in the text of an error that nothing in orgsync wrote: a crash, or what a library says. */

/** Returns keys, tokens, stamp commands and headers in the environment, and of addresses the user name, password and path. */
function findSecrets(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
	const found = Object.entries(environment).flatMap(([name, value = ""]) => {
		if (/(?:^|_)(?:PRIVATE_KEY|TOKEN|PASSPHRASE)$|^ORGSYNC_STAMP_COMMAND$/i.test(name)) return [value.trim()];
		if (/^OTEL_EXPORTER_OTLP_(?:\w+_)?HEADERS$/.test(name)) {
			return value.split(",").flatMap((one) => one.replace(/^[^=]*=/, "").split(" "));
		}
		const holdsAddress = /_PROXY$|^(?:ORGSYNC|TURNKEY_BASE)_URL$|^OTEL_EXPORTER_OTLP_(?:\w+_)?ENDPOINT$/i.test(name);
		return holdsAddress ? secretsOfAddress(value) : [];
	});
	// Shorter ones are words of their own. The longest first: a secret can be part of another.
	return found.filter(({ length }) => length >= 4).toSorted((one, other) => other.length - one.length);
}

function secretsOfAddress(text: string): readonly string[] {
	const [, pair = "", path = ""] = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:([^/]*)@)?[^/]*(\/.*)?$/i.exec(text.trim()) ?? [];
	const written = [pair, pair.replace(/^[^:]*:/, ""), path, path.slice(1)];
	const decoded = written.map(decodePercent);
	return [...written, ...decoded, Buffer.from(decodePercent(pair)).toString("base64")];
}

/** Returns the text with its percent escapes resolved; as it is where they are none. */
export function decodePercent(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/** Returns the text of an error that nothing in orgsync wrote, without the secrets of the process's environment. */
export function hideSecrets(text: string): string {
	return hideKeys(text, findSecrets(process.env));
}

/** Returns the text without these keys, in upper or lower case. */
export function hideKeys(text: string, keys: readonly string[]): string {
	const quote = (key: string): string => key.replaceAll(/[$()*+.?[\]^{|}\\]/g, "\\$&");
	return keys.reduce((rest, key) => rest.replaceAll(new RegExp(quote(key), "gi"), "(a key)"), text);
}

/** Returns the places in the code that a stack trace names, without its message. */
export function framesOf(stack: string): string {
	return stack
		.split("\n")
		.filter((line) => line.startsWith("    at "))
		.join("\n");
}
