/**
 * Unit tests of a program: with `pulumi.runtime.setMocks` nothing is asked of the service, and no key, address or journal is
 * needed.
 */
import * as pulumi from "@pulumi/pulumi";

/** Whether the program runs with mocks in the place of the engine. */
export function isMocked(): boolean {
	const monitor = pulumi.runtime.getMonitor();
	return monitor !== undefined && "mocks" in monitor;
}

/** What the mocks answer to a function of this package, by its token, for example `orgsync:index:listUserTags`. */
export async function askMocks(name: string, args: pulumi.Inputs): Promise<Readonly<Record<string, unknown>>> {
	return ((await pulumi.runtime.invoke(`orgsync:index:${name}`, args)) ?? {}) as Readonly<Record<string, unknown>>;
}
