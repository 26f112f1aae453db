/** The names of the kinds. This file imports nothing, so that every type can use them. */
/** Kinds that can only be removed, each with the key of their list under `absent` and of their limit in a document. */
export const removalLists = {
	policy: "policies",
	oauthProvider: "oauthProviders",
	tvcApp: "tvcApps",
} as const;

/** Kinds that can only be read, each with the key of their list under `expect` in a document. */
export const expectationLists = {
	sessionProfile: "sessionProfiles",
	mfaPolicy: "mfaPolicies",
	bootProof: "bootProofs",
	supportedAsset: "supportedAssets",
} as const;

export type RemovalKindName = keyof typeof removalLists;
export type ReadOnlyKindName = keyof typeof expectationLists;
export type KindName = "userTag" | RemovalKindName | ReadOnlyKindName;

const kindNames: ReadonlySet<string> = new Set([
	"userTag",
	...Object.keys(removalLists),
	...Object.keys(expectationLists),
]);

/** Names of the kinds that can only be removed, in the order in which documents list them. */
export const removalKindNames = Object.keys(removalLists).filter((name): name is RemovalKindName => isKindName(name));

export function isKindName(text: string): text is KindName {
	return kindNames.has(text);
}
