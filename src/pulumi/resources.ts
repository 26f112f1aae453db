/** The resources as one table, in the order in which an Organization registers its parts. */
import type * as pulumi from "@pulumi/pulumi";
import {
	OauthProviderRemoval,
	oauthProviderRemoval,
	PolicyRemoval,
	policyRemoval,
	TvcAppRemoval,
	tvcAppRemoval,
} from "./removals.ts";
import type { ResourceDefinition } from "./resource.ts";
import { UserTag, userTag } from "./user-tag.ts";

interface ResourceEntry {
	readonly definition: ResourceDefinition;
	readonly Class: new (name: string, args: never, options?: pulumi.CustomResourceOptions) => pulumi.Resource;
}

export const resources: readonly ResourceEntry[] = [
	{ definition: userTag, Class: UserTag },
	{ definition: policyRemoval, Class: PolicyRemoval },
	{ definition: oauthProviderRemoval, Class: OauthProviderRemoval },
	{ definition: tvcAppRemoval, Class: TvcAppRemoval },
];
