/** Users as queries and votes show them, with the tags that they have (docs/internals/service.md#extended-reads). */
import { defined } from "../common/defined.ts";
import { deriveUuid } from "./identifiers.ts";
import type { JsonObject, QueryHandlers } from "./kinds/entity-kind.ts";
import { type User, users } from "./kinds/user.ts";
import { userTags } from "./kinds/user-tag.ts";
import type { Organization } from "./state.ts";

export function tagsByUser(organization: Organization): ReadonlyMap<string, readonly string[]> {
	const pairs = [...organization.entities(userTags).values()].flatMap(({ tagId, userIds }) =>
		userIds.map((userId) => ({ userId, tagId })),
	);
	const byUser = Map.groupBy(pairs, ({ userId }) => userId);
	return new Map([...byUser].map(([userId, tags]) => [userId, tags.map(({ tagId }) => tagId)]));
}

export function authenticatorIdOf(userId: string, credentialId: string): string {
	return deriveUuid("authenticator", userId, credentialId);
}

export function apiKeyIdOf(userId: string, publicKey: string): string {
	return deriveUuid("api key", userId, publicKey);
}

const apiKeyType = "CREDENTIAL_TYPE_API_KEY_P256";

function describe(user: User, tags: readonly string[]): JsonObject {
	const { apiKeys, authenticators, createdAt, updatedAt, ...rest } = user;
	return {
		...rest,
		authenticators: authenticators.map(({ credentialId, publicKey, authenticatorName, ...times }) => ({
			credential: { publicKey, type: "CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR" },
			authenticatorId: authenticatorIdOf(user.userId, credentialId),
			authenticatorName: authenticatorName ?? "",
			credentialId,
			createdAt: times.createdAt ?? createdAt,
			updatedAt: times.createdAt ?? updatedAt,
		})),
		apiKeys: apiKeys.map(
			({ publicKey, apiKeyName, type = apiKeyType, sessionProfileId, expirationSeconds, ...times }) => ({
				credential: { publicKey, type, ...defined({ sessionProfileId }) },
				apiKeyId: apiKeyIdOf(user.userId, publicKey),
				apiKeyName: apiKeyName ?? "",
				...defined({ expirationSeconds }),
				createdAt: times.createdAt ?? createdAt,
				updatedAt: times.createdAt ?? updatedAt,
			}),
		),
		userTags: tags,
		createdAt,
		updatedAt,
	};
}

/** Returns one user as votes show it; an empty object when the user was removed. */
export function describeUser(organization: Organization, userId: string): JsonObject {
	const user = organization.entities(users).get(userId);
	if (user === undefined) return {};
	return describe(user, tagsByUser(organization).get(userId) ?? []);
}

export const userQueries: QueryHandlers = {
	list_users({ organization }) {
		const tags = tagsByUser(organization);
		return [...organization.entities(users).values()].map((user) => describe(user, tags.get(user.userId) ?? []));
	},
	whoami({ organization }, _body, userId) {
		const { organizationId, organizationName } = organization;
		const username = organization.entities(users).get(userId)?.userName ?? "";
		return { organizationId, organizationName, userId, username };
	},
};
