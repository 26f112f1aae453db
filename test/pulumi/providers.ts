/**
 * The providers without an engine, asked as it asks them, each as in a process of its own.
 */
import type { dynamic } from "@pulumi/pulumi";
import { providerOf } from "../../src/pulumi/dynamic/provider.ts";
import { keys, organizationId, type World } from "../world.ts";

/** A provider of a process of its own: its journal is empty, as on another machine. */
export async function startProvider(
	resource: string,
	world: World,
	more: Readonly<Record<string, string>> = {},
): Promise<Required<dynamic.ResourceProvider>> {
	const provider = providerOf(resource) as Required<dynamic.ResourceProvider>;
	const given: Readonly<Record<string, string>> = {
		organizationId,
		url: world.url,
		apiPrivateKey: keys.alice.privateKey,
		journal: ":memory:",
		...more,
	};
	const config = { get: (key: string) => given[key.replace("orgsync:", "")] };
	await provider.configure({ config } as unknown as dynamic.ConfigureRequest);
	return provider;
}

/** The properties that a failure keeps in the state. */
export async function keptOf(work: Promise<unknown>): Promise<Record<string, unknown>> {
	const failure = await work.then(
		() => undefined,
		(error: { readonly properties?: Record<string, unknown> }) => error,
	);
	return failure?.properties ?? {};
}

/** The message of the error that the engine would show; fails where there is none. */
export async function messageOf(work: Promise<unknown>): Promise<string> {
	const message = await work.then(
		() => undefined,
		(error: Error) => error.message,
	);
	if (message === undefined) throw new Error("it went well");
	return message;
}
