/** Who has which credentials in one organization, as `credentials` shows it. */

import type { NamedOrganization } from "../../plan/organization-name.ts";
import type { JudgedRule } from "../../plan/rules/judge.ts";
import type { UserNames } from "../../plan/users.ts";
import type { NotRead } from "../../policy/access.ts";
import type { Head } from "./head.ts";
import type { MissingObject } from "./organization-powers.ts";

export interface ShownCredential {
	readonly kind: "apiKey" | "authenticator" | "oauthProvider" | "session";
	readonly id: string | null;
	readonly name: string;
	/** ISO 8601 in UTC; null where the service does not say. */
	readonly createdAt: string | null;
	/** Of keys and sessions: the same, or `never`. */
	readonly expiresAt?: string | null;
	/** Of keys and sessions: the service's word, for example `CREDENTIAL_TYPE_API_KEY_P256`. */
	readonly type?: string | null;
	/** The key that a user without another lasting credential needs; left out where it is none. */
	readonly isAnchor?: true;
	/** Left out where it has none. */
	readonly sessionProfile?: { readonly id: string; readonly name: string | null };
	/** Of providers. */
	readonly issuer?: string | null;
	readonly audience?: string | null;
	readonly subject?: string | null;
}

export interface ShownUser {
	readonly userId: string;
	/** Null: the service shows none. */
	readonly email: string | null;
	readonly phoneNumber: string | null;
	readonly credentials: readonly ShownCredential[];
	readonly sessions: readonly ShownCredential[];
	/** Lists that the service does not show. */
	readonly unread: readonly MissingObject<NotRead>[];
}

/** Live names are left out where users were not read. */
export interface OrganizationCredentials extends NamedOrganization, UserNames {
	/** When it was read, by the service's clock where that is known; ISO 8601 in UTC. */
	readonly at: string;
	/** Whether e-mail addresses, phone numbers and subjects are digests. */
	readonly isDigested: boolean;
	readonly users: readonly ShownUser[];
	/** Those of the document about credentials; left out where it has none. */
	readonly rules?: readonly JudgedRule[];
	readonly unread: readonly MissingObject<NotRead>[];
}

export interface CredentialsResult extends Head<"credentials"> {
	readonly organizations: readonly OrganizationCredentials[];
}
