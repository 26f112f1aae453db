/** The resources as one table, in the order in which an Organization registers its parts. */

import { policy } from "../policy/policy.ts";
import { userTag } from "../user-tag/user-tag.ts";
import { oauthProviderRemoval, policyRemoval, tvcAppRemoval, userTagRemoval } from "./removal.ts";
import type { ResourceDefinition } from "./resource.ts";

export const resources: readonly ResourceDefinition[] = [
	userTag,
	policy,
	policyRemoval,
	userTagRemoval,
	oauthProviderRemoval,
	tvcAppRemoval,
];
