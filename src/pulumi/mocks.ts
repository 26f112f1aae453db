/**
 * Unit tests of a program: with `pulumi.runtime.setMocks`, it makes no request and needs no key, address or journal.
 */
import * as pulumi from "@pulumi/pulumi";

/** Whether the program runs with mocks instead of an engine. */
export function isMocked(): boolean {
	const monitor = pulumi.runtime.getMonitor();
	return monitor !== undefined && "mocks" in monitor;
}

/** The answer of the mocks to a function of this package, for example `orgsync:index:listUserTags`. */
export async function askMocks(name: string, args: pulumi.Inputs): Promise<Readonly<Record<string, unknown>>> {
	return ((await pulumi.runtime.invoke(`orgsync:index:${name}`, args)) ?? {}) as Readonly<Record<string, unknown>>;
}
