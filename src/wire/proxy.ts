/** Finds the proxy as curl does, but reaches a service on this machine only through a proxy on this machine. Pure. */
import { BlockList, isIP } from "node:net";
import { ConfigurationError } from "../common/errors.ts";
import { isLoopback } from "./service-url.ts";

/** Proxies as the usual environment variables name them. An empty text is none. */
export interface ProxyOptions {
	/** For a service whose address is http: `HTTP_PROXY`. */
	readonly http?: string | undefined;
	/** For a service whose address is https: `HTTPS_PROXY`. */
	readonly https?: string | undefined;
	/** Addresses without a proxy: `NO_PROXY`, names and addresses separated by commas or blanks, `*` for all. */
	readonly no?: string | undefined;
}

/** A proxy to use. Only `address` may be shown. */
export interface ServiceProxy {
	/** Without user name and password, and without a slash at the end. */
	readonly address: string;
	/** The value of `Proxy-Authorization`, a secret; undefined when the address names no user. */
	readonly authorization: string | undefined;
}

/** Returns the proxies of an environment. As with curl, a lower-case name takes precedence over the upper-case one. */
export function readProxies(environment: Readonly<Record<string, string | undefined>>): ProxyOptions {
	const read = (name: string) => environment[name] ?? environment[name.toUpperCase()];
	return { http: read("http_proxy"), https: read("https_proxy"), no: read("no_proxy") };
}

/**
 * Returns the proxy for the service at `service`, or undefined for a direct connection. Throws ConfigurationError for a proxy that
 * cannot be used, without its address, which may hold a password.
 *
 * A service on this machine is asked directly unless the proxy is on this machine too: to another machine's proxy, 127.0.0.1 is
 * another service.
 */
export function findProxy(service: URL, options: ProxyOptions): ServiceProxy | undefined {
	const [name, text] =
		service.protocol === "http:" ? (["HTTP_PROXY", options.http] as const) : (["HTTPS_PROXY", options.https] as const);
	if (text === undefined || text.trim() === "" || isExcluded(service, options.no ?? "")) return undefined;
	const url = readProxyAddress(name, text.trim());
	if (isLoopback(service.hostname) && !isLoopback(url.hostname)) return undefined;
	return { address: url.origin, authorization: readAuthorization(name, url) };
}

function readProxyAddress(name: string, text: string): URL {
	// As with curl, `proxy.example.com:3128` is an http proxy.
	const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
	if (url === null || !["http:", "https:"].includes(url.protocol)) {
		throw new ConfigurationError(`the proxy's address in ${name} is not an http or https URL`, {
			hint: `set ${name} to an address like http://proxy.example.com:3128, or name the service in NO_PROXY`,
		});
	}
	return url;
}

function readAuthorization(name: string, { username, password }: URL): string | undefined {
	if (username === "" && password === "") return undefined;
	try {
		const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
		return `Basic ${Buffer.from(credentials, "utf8").toString("base64")}`;
	} catch {
		throw new ConfigurationError(`the user name or the password in ${name} is not percent-encoded`, {
			hint: "write % as %25, @ as %40 and : as %3A there",
		});
	}
}

function isExcluded(service: URL, list: string): boolean {
	const host = plainHost(service.hostname);
	const port = service.port === "" ? (service.protocol === "http:" ? "80" : "443") : service.port;
	return list
		.toLowerCase()
		.split(/[\s,]+/)
		.filter((entry) => entry !== "")
		.some((entry) => matches(entry, host, port));
}

/** Returns the host without the brackets of an IPv6 address and the dot at the end of a name. */
function plainHost(hostname: string): string {
	return hostname
		.toLowerCase()
		.replace(/^\[(.*)\]$/, "$1")
		.replace(/\.$/, "");
}

function matches(entry: string, host: string, port: string): boolean {
	if (entry === "*") return true;
	const network = /^\[?([0-9a-f.:]+)\]?\/(\d{1,3})$/.exec(entry);
	if (network !== null) return isInNetwork(host, network[1] ?? "", Number(network[2]));
	// A port is part of an entry only where it cannot be a piece of an IPv6 address.
	const [, named = entry, onlyPort] = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
	if (onlyPort !== undefined && onlyPort !== port) return false;
	const name = plainHost(named).replace(/^\*?\./, "");
	return name !== "" && (host === name || (isIP(host) === 0 && host.endsWith(`.${name}`)));
}

function isInNetwork(host: string, network: string, bits: number): boolean {
	const family = isIP(network);
	if (family === 0 || isIP(host) !== family || bits > (family === 4 ? 32 : 128)) return false;
	const list = new BlockList();
	const type = family === 4 ? "ipv4" : "ipv6";
	list.addSubnet(network, bits, type);
	return list.check(host, type);
}
