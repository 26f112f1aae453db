/**
 * What decides who can do what in an organization: users with tags and credentials, policies, the root quorum. Plain data, as
 * it was read. What could not be read is unknown, never empty. Ids are lower case.
 */

/** A value that was read, or the reason why it could not be. */
export type Known<T> =
	| { readonly known: true; readonly value: T }
	| { readonly known: false; readonly because: string };

export interface AccessState {
	/** Sorted by id. */
	readonly users: Known<readonly AccessUser[]>;
	/** Sorted by id. */
	readonly policies: Known<readonly AccessPolicy[]>;
	readonly rootQuorum: Known<RootQuorum>;
}

export interface AccessUser {
	readonly id: string;
	/** Ids of the user's tags, sorted. Unknown where the service does not show them: such a user may have any tag. */
	readonly tagIds: Known<readonly string[]>;
	/** Null: the user has none. */
	readonly email: Known<string | null>;
	/** What the user can stamp an approval with. */
	readonly credentials: Known<readonly AccessCredential[]>;
}

/** Null where the service does not say. */
export interface AccessCredential {
	readonly id: string | null;
	/** For example `CREDENTIAL_TYPE_API_KEY_P256`. */
	readonly type: string | null;
	readonly credentialId: string | null;
	readonly publicKey: string | null;
}

export interface AccessPolicy {
	readonly id: string;
	readonly name: string;
	/** `EFFECT_ALLOW`, `EFFECT_DENY`, or what else the service says. */
	readonly effect: string;
	/** Texts in the policy language; empty where the policy has none, which does not restrict. */
	readonly consensus: string;
	readonly condition: string;
	readonly time: string;
}

/** `threshold` of these users can do everything, whatever policies say. */
export interface RootQuorum {
	readonly threshold: number;
	/** Sorted. */
	readonly userIds: readonly string[];
}
