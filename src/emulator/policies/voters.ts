/** The users of an organization as a policy's consensus sees them, with the credentials that they can approve with. */
import { type User, users } from "../kinds/user.ts";
import type { Organization, Vote } from "../state.ts";
import { apiKeyIdOf, authenticatorIdOf, tagsByUser } from "../user-queries.ts";

/** A user, and the credentials of which each approval uses one, in the names of the language. */
export type Voter = ReturnType<typeof describeVoter>;

/** Who approved, each with the credentials that were used. */
export type Approvers = readonly Voter[];

/** Returns a user with empty texts for what it lacks (assumptions.ts). */
function describeVoter(user: User, tags: readonly string[]) {
	const { userId } = user;
	return {
		user: { id: userId, tags, email: user.userEmail ?? "", alias: user.userName },
		credentials: [
			...user.apiKeys.map(({ publicKey }) => ({
				id: apiKeyIdOf(userId, publicKey),
				user_id: userId,
				type: "CREDENTIAL_TYPE_API_KEY_P256",
				credential_id: "",
				public_key: publicKey,
			})),
			...user.authenticators.map(({ credentialId, publicKey }) => ({
				id: authenticatorIdOf(userId, credentialId),
				user_id: userId,
				type: "CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR",
				credential_id: credentialId,
				public_key: publicKey,
			})),
		],
	};
}

/** Returns every user of the organization, in their order. */
export function votersOf(organization: Organization): readonly Voter[] {
	const tags = tagsByUser(organization);
	return [...organization.entities(users).values()].map((user) => describeVoter(user, tags.get(user.userId) ?? []));
}

/** Returns who approved with these votes: every user once, as it is now, with each credential that was used (assumptions.ts). */
export function approversOf(voters: readonly Voter[], votes: readonly Vote[]): Approvers {
	const used = Map.groupBy(votes, ({ userId }) => userId);
	return voters.flatMap(({ user, credentials }) => {
		const keys = used.get(user.id)?.map(({ publicKey }) => publicKey);
		if (keys === undefined) return [];
		return [{ user, credentials: credentials.filter(({ public_key }) => keys.includes(public_key)) }];
	});
}
