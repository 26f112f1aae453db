/**
 * One row per kind of object that a document can speak of: how it is named, how it is compared, what can be done with it.
 *
 * Adding a kind is a row here and a query in sync/read.ts. The rule of comparison that matters most: where live is unknown, what we last applied stands in, and where that is missing too, what is wanted is
 * done once and nobody is removed who was not named.
 */
import type { Action, Differences } from "./change.ts";
import { tagDifferences } from "./kind-user-tag.ts";
import type { KindName } from "./kinds/names.ts";
import { expectationDifferences } from "./kinds-expected.ts";
import { removalDifferences } from "./kinds-removed.ts";
import type { DesiredOrganization, Known, LiveOrganization } from "./organization.ts";

export interface Kind {
	readonly name: KindName;
	readonly action: Action;
	/** The word for a person, one and many. */
	readonly words: readonly [one: string, many: string];
	readonly differences: (desired: DesiredOrganization, live: LiveOrganization) => Differences;
}

/** Every kind, in the order in which changes are shown and steps are taken. */
export const kinds: readonly Kind[] = [
	{ name: "userTag", action: "update", words: ["user tag", "user tags"], differences: tagDifferences },
	{
		name: "oauthProvider",
		action: "remove",
		words: ["OAuth provider", "OAuth providers"],
		differences: (desired, live) =>
			removalDifferences("oauthProvider", {
				wanted: desired.absent.oauthProviders.flatMap(({ userId, providerIds }) =>
					providerIds.map((id) => ({
						id,
						userId,
						key: `${userId}/${id}`,
						label: `${nameOfUser(desired, userId)}/${id}`,
					})),
				),
				there: mapKnown(live.oauthProviders, (providers) =>
					providers.map(({ userId, id, name }) => ({ key: `${userId}/${id}`, name })),
				),
				removed: live.memory.removedOauthProviders,
			}),
	},
	{
		name: "policy",
		action: "remove",
		words: ["policy", "policies"],
		differences: (desired, live) =>
			removalDifferences("policy", {
				wanted: desired.absent.policyIds.map((id) => ({ id, userId: null, key: id, label: id })),
				there: mapKnown(live.policies, (policies) => policies.map(({ id, name }) => ({ key: id, name }))),
				removed: live.memory.removedPolicies,
			}),
	},
	{
		name: "tvcApp",
		action: "remove",
		words: ["TVC app", "TVC apps"],
		differences: (desired, live) =>
			removalDifferences("tvcApp", {
				wanted: desired.absent.tvcAppIds.map((id) => ({ id, userId: null, key: id, label: id })),
				there: mapKnown(live.tvcApps, (apps) => apps.map(({ id, name }) => ({ key: id, name }))),
				removed: live.memory.removedTvcApps,
			}),
	},
	{
		name: "sessionProfile",
		action: "report",
		words: ["session profile", "session profiles"],
		differences: (desired, live) =>
			expectationDifferences(
				"sessionProfile",
				desired.expect.sessionProfiles.map(({ id, fields }) => ({
					label: id,
					fields,
					found: live.sessionProfiles[id],
					nameField: "sessionProfileName",
				})),
			),
	},
	{
		name: "mfaPolicy",
		action: "report",
		words: ["MFA policy", "MFA policies"],
		differences: (desired, live) =>
			expectationDifferences(
				"mfaPolicy",
				desired.expect.mfaPolicies.map(({ userId, id, name, fields }) => ({
					label: `${nameOfUser(desired, userId)}/${name ?? id ?? ""}`,
					userId,
					fields,
					found: mapKnown(
						live.mfaPolicies[userId] ?? notAsked,
						(policies) =>
							policies.find((policy) =>
								id === undefined ? policy.mfaPolicyName === name : sameId(policy.mfaPolicyId, id),
							) ?? null,
					),
					nameField: "mfaPolicyName",
				})),
			),
	},
	{
		name: "bootProof",
		action: "report",
		words: ["boot proof", "boot proofs"],
		differences: (desired, live) =>
			expectationDifferences(
				"bootProof",
				desired.expect.bootProofs.map(({ appId, fields }) => ({
					label: appId,
					fields,
					found: live.bootProofs[appId],
					nameField: null,
				})),
			),
	},
	{
		name: "supportedAsset",
		action: "report",
		words: ["supported asset", "supported assets"],
		differences: (desired, live) =>
			expectationDifferences(
				"supportedAsset",
				desired.expect.supportedAssets.map(({ caip2, symbol, fields }) => ({
					label: `${caip2}/${symbol}`,
					fields,
					found: mapKnown(
						live.supportedAssets[caip2] ?? notAsked,
						(assets) => assets.find((asset) => asset.symbol === symbol) ?? null,
					),
					nameField: null,
				})),
			),
	},
];

const notAsked: Known<never> = { known: false, because: "it was not asked for" };

/** The user's alias in the document, or the id when the document has none. */
export function nameOfUser(desired: Pick<DesiredOrganization, "users">, userId: string): string {
	return Object.entries(desired.users).find(([, id]) => id === userId)?.[0] ?? userId;
}

function mapKnown<T, U>(known: Known<T>, map: (value: T) => U): Known<U> {
	return known.known ? { known: true, value: map(known.value) } : known;
}

function sameId(left: unknown, right: string): boolean {
	return typeof left === "string" && left.toLowerCase() === right;
}
