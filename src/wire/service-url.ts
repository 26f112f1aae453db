/**
 * The service's base address, checked before anything is sent to it, and which addresses are this machine.
 */
import { type LookupAddress, lookup as systemLookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { ConfigurationError } from "../errors.ts";

/**
 * `text` as a URL: http or https, without a password, a query or a fragment; a path is kept. Throws ConfigurationError,
 * without the address in it, for it may hold a password.
 *
 * Unverified, chosen: plain http only to this machine. The service does not say whether it would listen, but bodies and
 * stamps would travel readable.
 */
export function parseServiceUrl(text: string): URL {
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
			hint: "use https; plain http is for localhost and loopback addresses only",
		});
	}
	return url;
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/**
 * True for what cannot leave this machine: the name `localhost`, which `lookUp` never asks a name server for, and the
 * loopback addresses, `[::ffff:127.0.0.1]` among them. `hostname` is that of a URL, which writes every spelling of an IPv4
 * address (`127.1`, `0x7f.1`) as four numbers.
 *
 * Names below `.localhost` are not: name servers may answer them with any address. Neither is 0.0.0.0, which some systems
 * take for this machine and others for none.
 */
export function isLoopback(hostname: string): boolean {
	if (isLocalhost(hostname)) return true;
	const address = hostname.replace(/^\[(.*)\]$/, "$1");
	const family = isIP(address);
	return family !== 0 && loopback.check(address, family === 4 ? "ipv4" : "ipv6");
}

function isLocalhost(hostname: string): boolean {
	return /^localhost\.?$/i.test(hostname);
}

/** The origin of a service on this machine without the name `localhost`, which a proxy would resolve in its own way. */
export function loopbackOrigin({ protocol, hostname, port, origin }: URL): string {
	return isLocalhost(hostname) ? `${protocol}//127.0.0.1${port === "" ? "" : `:${port}`}` : origin;
}

const loopbackAddresses: readonly LookupAddress[] = [
	{ address: "127.0.0.1", family: 4 },
	{ address: "::1", family: 6 },
];

/**
 * The `lookup` of a socket: `localhost` is this machine, whatever a name server or a hosts file says; other names are
 * resolved as the system does.
 */
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
