/**
 * Which proxy, if any, stands between us and the service. Pure. The rules are curl's, as people know them, but for one:
 * what runs on this machine is only ever asked through a proxy on this machine.
 */
import { BlockList, isIP } from "node:net";
import { ConfigurationError } from "../errors.ts";
import { isLoopback } from "./service-url.ts";

/** Proxies as the usual environment variables name them; an empty text is none. */
export interface ProxyOptions {
	/** For a service whose address is http: `HTTP_PROXY`. */
	readonly http?: string | undefined;
	/** For a service whose address is https: `HTTPS_PROXY`. */
	readonly https?: string | undefined;
	/** What is asked directly: `NO_PROXY`, names and addresses parted by commas or blanks, `*` for everything. */
	readonly no?: string | undefined;
}

/** A proxy to use. Only `address` may be shown. */
export interface ServiceProxy {
	/** Without user name and password, and without a slash at the end. */
	readonly address: string;
	/** The value of `Proxy-Authorization`, a secret; undefined when the address names no user. */
	readonly authorization: string | undefined;
}

/** The proxies that `environment` names; a lower-case name goes before the same one in capitals, as with curl. */
export function readProxies(environment: Readonly<Record<string, string | undefined>>): ProxyOptions {
	const read = (name: string) => environment[name] ?? environment[name.toUpperCase()];
	return { http: read("http_proxy"), https: read("https_proxy"), no: read("no_proxy") };
}

/**
 * The proxy for a service at `service`, or undefined when it is asked directly. Throws ConfigurationError, without the
 * address in it, for it may hold a password, when a proxy that would be used is none.
 *
 * Plain http goes to this machine only (service-url.ts), and 127.0.0.1 as another machine's proxy sees it is another
 * service: so such a service is asked directly unless the proxy is on this machine too.
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

/** Without the brackets of an IPv6 address and the dot at the end of a name. */
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
