/** Checks the service's base address before anything is sent to it, and finds out which addresses are this machine. */

import { type LookupAddress, lookup as systemLookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { ConfigurationError } from "../common/errors.ts";
import { flag, say } from "../common/said.ts";

/**
 * Returns the address as a URL: http or https, without a password, a query or a fragment. A path is kept. Throws
 * ConfigurationError without the address, which may hold a password.
 *
 * Unverified, chosen: plain http only to this machine. Elsewhere bodies and stamps would travel readable.
 */
export function parseServiceUrl(text: string): URL {
	const url = URL.parse(text);
	const hint = say`give an address like https://api.example.com with ${flag("url")}`;
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
			hint: "use https; plain http is for localhost and loopback addresses only",
		});
	}
	return url;
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/**
 * Returns true for what cannot leave this machine: the name `localhost`, which `lookUpHost` never asks a name server for, and the
 * loopback addresses, `[::ffff:127.0.0.1]` among them. `hostname` is that of a URL, which writes every spelling of an IPv4
 * address (`127.1`, `0x7f.1`) as four numbers.
 *
 * Names below `.localhost` do not count: name servers may answer them with any address. Neither does 0.0.0.0, which means this
 * machine on some systems only.
 */
export function isLoopback(hostname: string): boolean {
	if (isLocalhost(hostname)) return true;
	const address = hostname.replace(/[[\]]/g, "");
	return loopback.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");
}

function isLocalhost(hostname: string): boolean {
	return /^localhost\.?$/i.test(hostname);
}

/** Returns the origin of a service on this machine without the name `localhost`, which a proxy would resolve in its own way. */
export function loopbackOrigin({ hostname, origin }: URL): string {
	return isLocalhost(hostname) ? origin.replace(hostname, "127.0.0.1") : origin;
}

const loopbackAddresses: readonly LookupAddress[] = [
	{ address: "127.0.0.1", family: 4 },
	{ address: "::1", family: 6 },
];

/** The `lookup` of a socket. `localhost` is always this machine; the system resolves all other names. */
export const lookUpHost: LookupFunction = (hostname, options, callback) => {
	if (!isLocalhost(hostname)) return systemLookup(hostname, options, callback);
	const family = options.family === "IPv4" ? 4 : options.family === "IPv6" ? 6 : options.family;
	const found = loopbackAddresses.filter((one) => family === undefined || family === 0 || one.family === family);
	const [first] = found;
	// Like the system's own, which never calls back before it returns.
	process.nextTick(() => {
		if (options.all === true) callback(null, [...found]);
		else callback(null, first?.address ?? "", first?.family);
	});
};
