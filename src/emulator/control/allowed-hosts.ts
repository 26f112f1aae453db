/** Which Host headers may reach /emulator/: known names, since any can be rebound to this machine, and IP addresses. Pure. */
import { BlockList, isIP } from "node:net";
import { ConfigurationError } from "../../common/errors.ts";
import { loopbackHosts } from "../assumptions.ts";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** Returns whether only this machine can reach what listens at an IP address. */
export function isLoopbackAddress(address: string): boolean {
	return loopback.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");
}

/** Returns whether a Host header may reach /emulator/. `host` is as the user gave it, `address` what it resolved to. */
export function makeHostCheck(host: string, address: string, allowed: readonly string[]) {
	const names = new Set([...loopbackHosts, ...[host, ...allowed].map(formatHost)]);
	const takesAddresses = !isLoopbackAddress(address);
	return (header: string | undefined): boolean => {
		const name = (header ?? "").replace(/:[0-9]+$/, "").toLowerCase();
		return names.has(name) || (takesAddresses && isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0);
	};
}

/** Returns a name or an address as URLs and Host headers write it. */
export function formatHost(host: string): string {
	return isIP(host) === 6 ? `[${host.toLowerCase()}]` : host.toLowerCase();
}

/** Throws ConfigurationError for a name that no Host header can have. */
export function checkAllowedHosts(names: readonly string[]): void {
	const wrong = names.find((name) => isIP(name) === 0 && !/^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?\.?$/i.test(name));
	if (wrong === undefined) return;
	throw new ConfigurationError(`\`${wrong}\` is not a host name`, {
		hint: "give names without scheme and port, for example emulator.test",
	});
}
