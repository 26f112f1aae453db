/**
 * The table of kinds, one row each. Code that loops over it works for every kind; what differs between kinds is in the file of
 * the kind. Where live state is unknown, what orgsync last applied is used instead; where that is missing too, what the
 * document asks for is done once, and only users whom it names are removed.
 */
import type { StepOperation } from "../step.ts";
import { bootProof } from "./boot-proof.ts";
import type { Kind, ReadOnlyKind, RemovalKind, RequestShape } from "./kind.ts";
import { mfaPolicy } from "./mfa-policy.ts";
import type { KindName, ReadOnlyKindName, RemovalKindName } from "./names.ts";
import { oauthProvider, oauthProviderRequest } from "./oauth-provider.ts";
import { policy, policyCreation, policyRequest, policyUpdate } from "./policy.ts";
import { sessionProfile } from "./session-profile.ts";
import { supportedAsset } from "./supported-asset.ts";
import { tvcApp, tvcAppRequest } from "./tvc-app.ts";
import { tagCreation, tagRemoval, tagUpdate, userTag } from "./user-tag.ts";

const removals: { readonly [K in RemovalKindName]: RemovalKind } = { oauthProvider, policy, tvcApp };

const readOnly: { readonly [K in ReadOnlyKindName]: ReadOnlyKind } = {
	sessionProfile,
	mfaPolicy,
	bootProof,
	supportedAsset,
};

const all: { readonly [K in KindName]: Kind } = { userTag, ...removals, ...readOnly };

export const removalKinds: readonly RemovalKind[] = Object.values(removals);

export const readOnlyKinds: readonly ReadOnlyKind[] = Object.values(readOnly);

/** Every kind, in the order in which changes are shown and steps are taken. */
export const kinds: readonly Kind[] = Object.values(all);

/** What the requests of each operation are about. */
export const requestShapes: { readonly [O in StepOperation]: RequestShape<O> } = {
	create_user_tag: tagCreation,
	update_user_tag: tagUpdate,
	delete_user_tags: tagRemoval,
	create_policies: policyCreation,
	update_policy: policyUpdate,
	delete_oauth_providers: oauthProviderRequest,
	delete_policies: policyRequest,
	delete_tvc_app_and_deployments: tvcAppRequest,
};

export function kindOf(name: KindName): Kind {
	return all[name];
}

export function readOnlyKindOf(name: ReadOnlyKindName): ReadOnlyKind {
	return readOnly[name];
}
