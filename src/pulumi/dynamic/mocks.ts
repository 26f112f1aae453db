import * as pulumi from "@pulumi/pulumi";

/** Whether the program runs with mocks (`pulumi.runtime.setMocks`) instead of an engine. */
export function isMocked(): boolean {
	const monitor = pulumi.runtime.getMonitor();
	return monitor !== undefined && "mocks" in monitor;
}
