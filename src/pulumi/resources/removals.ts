/** The removal resources. Each removes what exists of the objects that it lists; an object that is back is drift. */
import { oauthProvider } from "../../plan/kinds/oauth-provider.ts";
import { policy } from "../../plan/kinds/policy.ts";
import { tvcApp } from "../../plan/kinds/tvc-app.ts";
import { nameOfUser } from "../../plan/objects.ts";
import { defineRemoval } from "./removal.ts";

export const policyRemoval = defineRemoval({
	name: "PolicyRemoval",
	kind: policy,
	idsInput: "policyIds",
	idOf: ({ organizationId }) => `${organizationId}/policies`,
	suffixOf: () => "policies",
});

export const oauthProviderRemoval = defineRemoval({
	name: "OauthProviderRemoval",
	kind: oauthProvider,
	idsInput: "providerIds",
	idOf: ({ organizationId, userId }) => `${organizationId}/${userId}`,
	suffixOf: ({ userId }, desired) => `oauth-providers-${nameOfUser(desired, userId ?? "")}`,
});

export const tvcAppRemoval = defineRemoval({
	name: "TvcAppRemoval",
	kind: tvcApp,
	idsInput: "appId",
	isSingle: true,
	idOf: ({ appId }) => String(appId),
	suffixOf: ({ id }) => `tvc-app-${id}`,
});
