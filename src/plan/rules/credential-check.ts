/** One rule about credentials, as a document writes it. */

/** Users, and names of user tags whose members they are. Sorted. */
export interface ExceptedUsers {
	readonly userIds: readonly string[];
	readonly userTags: readonly string[];
}

/** What must hold of credentials (docs/document.md#rules-about-credentials). Login sessions and anchors are excepted. */
export type CredentialCheck =
	/** No API key is older; `written` is the age as the document has it. */
	| { readonly check: "maxKeyAge"; readonly maxMs: number; readonly written: string }
	/** Every API key expires. `notKeysOnly`: no user has API keys and nothing else. */
	| { readonly check: "keysExpire" | "notKeysOnly"; readonly except: ExceptedUsers }
	/** Who can do something sensitive alone has an authenticator. */
	| { readonly check: "sensitiveNeedsAuthenticator" }
	/** Every OAuth provider is of one of these issuers. */
	| { readonly check: "issuers"; readonly issuers: readonly string[] };
