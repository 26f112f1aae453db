/** What Pulumi's dynamic provider process loads, by a constant text (resource-class.ts): no name here ever changes. */
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
