/**
 * How entities look in answers. The interface's own field names first; the shapes of users, policies and apps, which it
 * leaves open (docs/service.md#not-documented), follow docs/service.md#extended-reads.
 */
import { bootProofFields } from "./choices.ts";
import { deriveUuid } from "./identifiers.ts";
import type { Organization, TvcApp, User, UserTag } from "./state.ts";

type Description = Record<string, unknown>;

/** A tag without its members: list_user_tags does not show them (docs/service.md#user-tag). */
export function describeUserTag(tag: UserTag): Description {
	const { tagId, tagName, tagType, createdAt, updatedAt } = tag;
	return { tagId, tagName, tagType, createdAt, updatedAt };
}

/** All fields of docs/service.md#boot-proof. */
export function describeBootProof(app: TvcApp): Description {
	const proof = app.bootProof ?? {};
	const strings = bootProofFields.map((field) => [field, proof[field] ?? ""]);
	return { ...Object.fromEntries(strings), createdAt: proof.createdAt ?? app.createdAt };
}

/** An app as list_tvc_apps shows it: without its boot proof. */
export function describeTvcApp(organizationId: string, { bootProof: _bootProof, ...app }: TvcApp): Description {
	return { organizationId, ...app };
}

/** The tags of every user, by user id. */
function tagsByUser(organization: Organization): ReadonlyMap<string, readonly string[]> {
	const tags = new Map<string, string[]>();
	for (const tag of organization.userTags.values()) {
		for (const userId of tag.userIds) {
			const known = tags.get(userId);
			if (known === undefined) tags.set(userId, [tag.tagId]);
			else known.push(tag.tagId);
		}
	}
	return tags;
}

function shape(user: User, userTags: readonly string[]): Description {
	const { apiKeys, authenticators, createdAt, updatedAt, ...rest } = user;
	return {
		...rest,
		authenticators: authenticators.map(({ credentialId, publicKey, authenticatorName }) => ({
			credential: { publicKey, type: "CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR" },
			authenticatorId: deriveUuid("authenticator", user.userId, credentialId),
			authenticatorName: authenticatorName ?? "",
			credentialId,
			createdAt,
			updatedAt,
		})),
		apiKeys: apiKeys.map(({ publicKey, apiKeyName }) => ({
			credential: { publicKey, type: "CREDENTIAL_TYPE_API_KEY_P256" },
			apiKeyId: deriveUuid("api key", user.userId, publicKey),
			apiKeyName: apiKeyName ?? "",
			createdAt,
			updatedAt,
		})),
		userTags,
		createdAt,
		updatedAt,
	};
}

/** All users, each with the tags it has. */
export function describeUsers(organization: Organization): readonly Description[] {
	const tags = tagsByUser(organization);
	return [...organization.users.values()].map((user) => shape(user, tags.get(user.userId) ?? []));
}

/** One user with the tags it has, as votes show it; empty when the user is gone. */
export function describeUser(organization: Organization, userId: string): Description {
	const user = organization.users.get(userId);
	if (user === undefined) return {};
	const tags = [...organization.userTags.values()].filter((tag) => tag.userIds.includes(userId));
	return shape(
		user,
		tags.map((tag) => tag.tagId),
	);
}
