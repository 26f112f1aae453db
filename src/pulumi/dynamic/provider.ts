/**
 * What Pulumi's dynamic provider process loads. The engine finds each provider by the constant text in resource-class.ts,
 * so `providerOf` and the names of the resources never change.
 */
import type { dynamic } from "@pulumi/pulumi";
import { resources } from "../resources/resources.ts";
import { hideRepeatedFailures, makeProvider } from "./dynamic-provider.ts";

hideRepeatedFailures();

/** A new provider for the resource class of this name. */
export function providerOf(name: string): dynamic.ResourceProvider {
	const found = resources.find((definition) => definition.name === name);
	if (found === undefined) throw new Error(`orgsync has no Pulumi resource ${name}`);
	return makeProvider(found);
}
