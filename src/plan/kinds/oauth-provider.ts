/** OAuth providers: each belongs to a user, and one activity removes any number of them of one user. */
import { compareText } from "../value.ts";
import type { RequestShape } from "./kind.ts";
import { removalDraft, removalKind } from "./removal.ts";

export const oauthProviderRequest: RequestShape<"delete_oauth_providers"> = {
	kind: "oauthProvider",
	list: "providerIds",
	subject: "userId",
	narrow: ({ operation, parameters }, providerIds) => ({ operation, parameters: { ...parameters, providerIds } }),
};

export const oauthProvider = removalKind({
	name: "oauthProvider",
	words: ["OAuth provider", "OAuth providers"],
	isOfUser: true,
	operation: "delete_oauth_providers",
	creations: /_CREATE_OAUTH_PROVIDERS?(_V\d+)?$/,
	steps: (changes) =>
		[...Map.groupBy(changes, ({ userId }) => userId ?? "")].map(([userId, ofUser]) => {
			const providerIds = ofUser.map(({ id }) => id).sort(compareText);
			const request = { operation: "delete_oauth_providers", parameters: { userId, providerIds } } as const;
			return removalDraft(`oauthProviders:${userId}`, request, ofUser, "oauthProvider");
		}),
});
