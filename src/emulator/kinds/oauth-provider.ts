/** OAuth providers as create_oauth_providers names them: by an OIDC token, or by its claims. */
import { isRecord, readJson } from "../../common/json.ts";
import { invalidProviderMessage } from "../assumptions.ts";
import { badRequest } from "../request-error.ts";
import type { JsonObject, Texts } from "./entity-kind.ts";

export type OauthProvider = Texts<"providerId" | "providerName" | "issuer" | "audience" | "subject">;

/** What an identity provider calls a login. */
type Login = Pick<OauthProvider, "issuer" | "audience" | "subject">;

/** Returns the claims of an OIDC token. Its signature is not verified (assumptions.ts). */
function claimsOf(token: string): unknown {
	const read = readJson(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
	return "value" in read ? read.value : undefined;
}

/** Returns the login of a row of `oauthProviders`. Throws a RequestError for a row with neither or both, or with other claims. */
export function loginOf({ oidcToken, oidcClaims }: JsonObject): Login {
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

export function isSameLogin(one: Login, other: Login): boolean {
	return one.issuer === other.issuer && one.audience === other.audience && one.subject === other.subject;
}
