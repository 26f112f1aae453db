/**
 * What decides who can do what in an organization: users with tags and credentials, policies, the root quorum. Plain data, as
 * it was read. What could not be read is unknown, never empty. Ids are lower case.
 */

/** A value that was read, or the reason why it was not. */
export type Known<T> =
	| { readonly known: true; readonly value: T }
	| { readonly known: false; readonly because: NotRead };

/** Returns the value with `convert` applied, where it is known. */
export const mapKnown = <T, U>(known: Known<T>, convert: (value: T) => U): Known<U> =>
	known.known ? { known: true, value: convert(known.value) } : known;

/** Why something was not read, as data; src/say/reason.ts has the words. */
export type NotRead =
	| { readonly kind: PlainNotRead }
	/** The service denies the query to this key (403), or does not have it. */
	| { readonly kind: "no-answer"; readonly query: string; readonly httpStatus: number }
	| { readonly kind: "unusable-answer"; readonly message: string }
	| { readonly kind: "no-list"; readonly query: string; readonly of: "users" | "policies" }
	| { readonly kind: "listed-twice"; readonly query: string; readonly id: string }
	| { readonly kind: "user-part-not-shown"; readonly part: "tags" | "credentials"; readonly userId: string }
	| {
			readonly kind: "credential-part-not-shown";
			readonly part: "creation" | "expiry" | "issuer";
			readonly name: string;
			readonly userId: string;
	  }
	| { readonly kind: "clause-form-unknown"; readonly clause: string; readonly id: string }
	/** Steps give a tag to a user whom `list_users` does not have. */
	| { readonly kind: "user-not-listed"; readonly userId: string }
	/** Not one live user tag has this name, but so many. */
	| { readonly kind: "tags-of-name"; readonly name: string; readonly count: number }
	/** Milliseconds since 1970. `isByAnswers`: other answers say what is expected; otherwise our own clock does. */
	| {
			readonly kind: "clocks-disagree";
			readonly answeredMs: number;
			readonly expectedMs: number;
			readonly toleranceMs: number;
			readonly isByAnswers: boolean;
	  }
	/** `isMost`: orgsync reads no more. */
	| { readonly kind: "activities-cut-off"; readonly read: number; readonly isMost: boolean }
	/** The guards could not check that the caller keeps access. */
	| { readonly kind: "caller-unknown"; readonly why: NotRead }
	/** In words: of a file that has only these. */
	| { readonly kind: "stated"; readonly text: string };

/** Why a value is unknown: a sentence of the policy language, or why it was not read. */
export type Doubt = string | NotRead;

export type PlainNotRead =
	| "activities-denied"
	| "caller-not-shown"
	| "credentials-unknown"
	| "emails-not-shown"
	| "extended-reads-off"
	| "no-user-tags-wanted"
	| "not-asked"
	| "not-made-yet"
	| "not-needed"
	| "others-unlisted"
	| "policies-not-read"
	| "root-quorum-form-unknown"
	| "root-quorum-not-shown";

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
	/** True for a policy that a plan writes: orgsync does not assume an undocumented operator precedence for it. Left out elsewhere. */
	readonly isDoubted?: true;
	/** What the service says of `time` at a moment, where that is not what orgsync finds; left out where both are the same, or it says nothing. */
	readonly stated?: { readonly isActive: boolean; readonly atMs: number };
}

/** `threshold` of these users can do everything, whatever policies say. */
export interface RootQuorum {
	readonly threshold: number;
	/** Sorted. */
	readonly userIds: readonly string[];
}

/** Returns which of these are unknown, by the words for each. */
export function unreadIn<N>(
	parts: Readonly<Record<string, { readonly known: true } | { readonly known: false; readonly because: N }>>,
) {
	return Object.entries(parts).flatMap(([what, part]) => (part.known ? [] : [{ what, because: part.because }]));
}

/** Returns the names of the policies, by id; none where they are unknown. */
export function policyNamesIn({ policies }: AccessState): Readonly<Record<string, string>> {
	return Object.fromEntries(policies.known ? policies.value.map(({ id, name }) => [id, name]) : []);
}

/** Returns the access in which no user has the tag. Policies that mention it stay, and match no user by it. */
export function withoutTag(access: AccessState, tagId: string): AccessState {
	const without = (user: AccessUser): AccessUser => {
		return { ...user, tagIds: mapKnown(user.tagIds, (tagIds) => tagIds.filter((id) => id !== tagId)) };
	};
	return { ...access, users: mapKnown(access.users, (all) => all.map(without)) };
}
