/** Users with their credentials, OAuth providers and MFA policies. `user-queries.ts` shows them with their tags. */
import { isRecord, readJson } from "../../common/json.ts";
import { duplicateProviderMessage, invalidProviderMessage, organizationLimits } from "../assumptions.ts";
import { laterTime, makeUuid, type Time, timeAt } from "../identifiers.ts";
import { makeImportBundle } from "../import-bundle.ts";
import { badRequest } from "../request-error.ts";
import type { OperationContext, Organization } from "../state.ts";
import {
	checkLimit,
	completeRow,
	type EntityKind,
	findEntity,
	idIn,
	idsIn,
	type JsonObject,
	listSection,
	putEntity,
	type SeedRow,
	type Texts,
} from "./entity-kind.ts";

interface ApiKey {
	/** Compressed P-256 point, 33 bytes in lower-case hex. */
	readonly publicKey: string;
	readonly apiKeyName?: string;
	/** Left out: `CREDENTIAL_TYPE_API_KEY_P256`. */
	readonly type?: string;
	/** Counted from `createdAt`, as text; left out: it never expires. */
	readonly expirationSeconds?: string;
	readonly sessionProfileId?: string;
	/** Left out: that of the user. */
	readonly createdAt?: Time;
}

export interface Authenticator {
	/** base64url. */
	readonly credentialId: string;
	/** Compressed P-256 point, 33 bytes in lower-case hex. */
	readonly publicKey: string;
	readonly authenticatorName?: string;
	/** Left out: that of the user. */
	readonly createdAt?: Time;
	/** The relying party that it was made for: a host name. */
	readonly rpId?: string;
	/** The only origins whose assertions count; left out, those that `isAllowedOrigin` derives from `rpId`. */
	readonly origins?: readonly string[];
	/** Whether an assertion has to say that the user was verified. */
	readonly userVerification?: "required" | "preferred";
	/** The counter of the last assertion that was accepted; 0 when left out. */
	readonly signCount?: number;
	/** The digest of that assertion: a retry may repeat it. */
	readonly lastAssertion?: string;
}

/** docs/internals/service.md#mfa-policy. */
export interface MfaPolicy extends Texts<"mfaPolicyId" | "mfaPolicyName" | "condition" | "notes"> {
	readonly requiredAuthenticationMethods: readonly {
		readonly any: readonly { readonly type: string; readonly id?: string }[];
	}[];
	readonly order: number;
}

/** An OAuth provider of a user, which create_oauth_providers names by an OIDC token, or by its claims. */
type OauthProvider = Texts<"providerId" | "providerName" | "issuer" | "audience" | "subject">;

export interface User extends Texts<"userId" | "userName"> {
	readonly userEmail?: string;
	readonly userPhoneNumber?: string;
	readonly apiKeys: readonly ApiKey[];
	readonly authenticators: readonly Authenticator[];
	readonly oauthProviders: readonly OauthProvider[];
	readonly mfaPolicies: readonly MfaPolicy[];
}

/** A user of a seed; only its id and name are required. */
export interface SeedUser extends SeedRow<Omit<User, "oauthProviders" | "mfaPolicies">, "userId" | "userName"> {
	readonly oauthProviders?: readonly SeedRow<OauthProvider, "providerId" | "providerName">[];
	readonly mfaPolicies?: readonly SeedRow<MfaPolicy, "mfaPolicyId" | "mfaPolicyName">[];
}

/** Returns the user that the body names. Throws a RequestError when there is none. */
export function findUser(organization: Organization, body: JsonObject): User {
	return findEntity(organization.entities(users), idIn(body, "userId"), "user");
}

export const users: EntityKind<User, SeedUser, readonly SeedUser[], "users"> = {
	section: "users",
	...listSection<User, SeedUser>("userId"),
	max: { count: organizationLimits.users, label: "users" },
	uniqueFields: { userId: "this user id" },
	checkRow(user, at, collector) {
		user.apiKeys?.forEach(({ publicKey }, index) => {
			const path = [...at, "apiKeys", index, "publicKey"];
			collector.unique("credentials", publicKey.toLowerCase(), path, "this public key");
		});
		user.authenticators?.forEach(({ credentialId }, index) => {
			const path = [...at, "authenticators", index, "credentialId"];
			collector.unique("credentials", credentialId.replace(/=+$/, ""), path, "this credential id");
		});
		const { oauthProviders = [], mfaPolicies = [] } = user;
		const providersAt = [...at, "oauthProviders"];
		collector.limit(oauthProviders.length, organizationLimits.oauthProvidersPerUser, providersAt, "OAuth providers");
		oauthProviders.forEach(({ providerId }, index) => {
			const path = [...providersAt, index, "providerId"];
			collector.unique(providersAt.join(), providerId.toLowerCase(), path, "this provider id");
		});
		mfaPolicies.forEach(({ mfaPolicyId }, index) => {
			const path = [...at, "mfaPolicies", index, "mfaPolicyId"];
			collector.unique([...at, "mfaPolicies"].join(), mfaPolicyId.toLowerCase(), path, "this MFA policy id");
		});
	},
	complete: (seed, now) => ({
		...completeRow<User>(seed, now, "userId", {}),
		apiKeys: (seed.apiKeys ?? []).map((key) => ({ ...key, publicKey: key.publicKey.toLowerCase() })),
		authenticators: (seed.authenticators ?? []).map((authenticator) => ({
			...authenticator,
			credentialId: authenticator.credentialId.replace(/=+$/, ""),
			publicKey: authenticator.publicKey.toLowerCase(),
		})),
		oauthProviders: (seed.oauthProviders ?? []).map((provider) =>
			completeRow<OauthProvider>(provider, now, "providerId", { issuer: "", audience: "", subject: "" }),
		),
		mfaPolicies: (seed.mfaPolicies ?? []).map((policy, index) => {
			const defaults = { condition: "", requiredAuthenticationMethods: [], order: index + 1, notes: "" };
			return completeRow<MfaPolicy>(policy, now, "mfaPolicyId", defaults);
		}),
	}),
	queries: {
		get_mfa_policy({ organization }, body) {
			const { mfaPolicies } = findUser(organization, body);
			const policies = new Map(mfaPolicies.map((policy) => [policy.mfaPolicyId, policy]));
			return findEntity(policies, idIn(body, "mfaPolicyId"), "MFA policy");
		},
		get_mfa_policies: ({ organization }, body) => findUser(organization, body).mfaPolicies,
	},
	submits: {
		create_oauth_providers: { check: checkProviders, execute: createProviders },
		delete_oauth_providers: {
			check(organization, parameters) {
				const user = findUser(organization, parameters);
				const providers = new Map(user.oauthProviders.map((provider) => [provider.providerId, provider]));
				for (const providerId of idsIn(parameters, "providerIds")) findEntity(providers, providerId, "OAuth provider");
			},
			execute({ organization, nowMs }, parameters) {
				const user = findUser(organization, parameters);
				const removed = new Set(idsIn(parameters, "providerIds"));
				const oauthProviders = user.oauthProviders.filter((provider) => !removed.has(provider.providerId));
				const updatedAt = removed.size === 0 ? user.updatedAt : laterTime(nowMs, user.updatedAt);
				const changes = [putEntity(users, { ...user, oauthProviders, updatedAt })];
				return { changes, result: { providerIds: [...removed] } };
			},
		},
		init_import_private_key: {
			check: findUser,
			execute({ organization }, parameters) {
				const importBundle = makeImportBundle(organization.organizationId, idIn(parameters, "userId"));
				return { changes: [], result: { importBundle } };
			},
		},
	},
};

function rowsIn(parameters: JsonObject): readonly JsonObject[] {
	return parameters.oauthProviders as readonly JsonObject[];
}

function checkProviders(organization: Organization, parameters: JsonObject): void {
	const known = organization.entities(users);
	const { oauthProviders } = findUser(organization, parameters);
	const logins = [...known.values()].flatMap((user): readonly Login[] => user.oauthProviders);
	for (const row of rowsIn(parameters)) {
		const login = loginOf(row);
		if (logins.some((other) => isSameLogin(login, other))) throw badRequest(duplicateProviderMessage);
		logins.push(login);
	}
	const count = oauthProviders.length + rowsIn(parameters).length;
	checkLimit(count, organizationLimits.oauthProvidersPerUser, "OAuth providers of a user");
}

function createProviders({ organization, nowMs }: OperationContext, parameters: JsonObject) {
	const user = findUser(organization, parameters);
	const created = rowsIn(parameters).map((row): OauthProvider => {
		const providerName = String(row.providerName);
		const now = timeAt(nowMs);
		return { providerId: makeUuid(nowMs), providerName, ...loginOf(row), createdAt: now, updatedAt: now };
	});
	const updatedAt = created.length === 0 ? user.updatedAt : laterTime(nowMs, user.updatedAt);
	const changes = [putEntity(users, { ...user, oauthProviders: [...user.oauthProviders, ...created], updatedAt })];
	return { changes, result: { providerIds: created.map(({ providerId }) => providerId) } };
}

/** What an identity provider calls a login. */
type Login = Pick<OauthProvider, "issuer" | "audience" | "subject">;

/** Returns the claims of an OIDC token. Its signature is not verified (assumptions.ts). */
function claimsOf(token: string): unknown {
	const read = readJson(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
	return "value" in read ? read.value : undefined;
}

/** Returns the login of a row of `oauthProviders`. Throws a RequestError for a row with neither or both, or with other claims. */
function loginOf({ oidcToken, oidcClaims }: JsonObject): Login {
	const claims = typeof oidcToken === "string" ? claimsOf(oidcToken) : oidcClaims;
	const isOne = (typeof oidcToken === "string") !== isRecord(oidcClaims);
	if (!isOne || !isRecord(claims)) throw badRequest(invalidProviderMessage);
	const { iss: issuer, sub: subject, aud } = claims;
	const audience: unknown = Array.isArray(aud) ? aud[0] : aud;
	if (typeof issuer !== "string" || typeof subject !== "string" || typeof audience !== "string") {
		throw badRequest(invalidProviderMessage);
	}
	return { issuer, audience, subject };
}

function isSameLogin(one: Login, other: Login): boolean {
	return one.issuer === other.issuer && one.audience === other.audience && one.subject === other.subject;
}
