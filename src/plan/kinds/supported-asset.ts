/** Assets that the service supports, found by symbol within their network. Export leaves them out: the service decides them. */
import { readOnlyKind } from "./read-only.ts";

export const supportedAsset = readOnlyKind({
	name: "supportedAsset",
	words: ["supported asset", "supported assets"],
	groupedBy: "network",
	identities: ["symbol"],
	isIdentityId: () => false,
	fields: ["caip19", "decimals", "logoUrl", "name", "stable", "earnProviders"],
	matches: ({ symbol }, { key }) => symbol === key,
	nameField: null,
	activities: null,
	exported: null,
	remedy: "the service decides this, not the organization: ",
});
