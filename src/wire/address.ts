/**
 * The service's base address, checked before anything is sent to it. Pure.
 */
import { ConfigurationError } from "../errors.ts";

/**
 * `text` as a URL: http or https, without a password, a query or a fragment; a path is kept. Throws ConfigurationError,
 * without the address in it, for it may hold a password.
 *
 * Unverified, chosen: plain http only to this machine. The service does not say whether it would listen, but bodies and
 * stamps would travel readable.
 */
export function readAddress(text: string): URL {
	const url = URL.parse(text);
	const hint = "give an address like https://api.example.com with --url";
	if (url === null || !["http:", "https:"].includes(url.protocol)) {
		throw new ConfigurationError("the service's address is not an http or https URL", { hint });
	}
	if (url.username !== "" || url.password !== "") {
		throw new ConfigurationError("the service's address holds a user name or a password", { hint });
	}
	if (url.search !== "" || url.hash !== "") {
		throw new ConfigurationError("the service's address holds a query or a fragment", { hint });
	}
	if (url.protocol === "http:" && !isLoopback(url.hostname)) {
		throw new ConfigurationError(`plain http is refused for ${url.hostname}`, {
			hint: "bodies and stamps would travel readable; use https (http is for this machine only)",
		});
	}
	return url;
}

/** True for a name or an address of this machine, as it stands in a URL. */
export function isLoopback(hostname: string): boolean {
	return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
