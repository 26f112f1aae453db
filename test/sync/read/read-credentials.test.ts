/** The credentials of users, and the names of the session profiles that their keys have. */
import { describe, expect, it } from "vitest";
import { ServiceError } from "../../../src/common/errors.ts";
import { toUserCredentials } from "../../../src/sync/read/credentials.ts";
import { readCredentials, toCaller } from "../../../src/sync/read/read-access.ts";
import type { Reader } from "../../../src/wire/client.ts";
import { organizationId } from "../../plan/support-organizations.ts";

const createdAt = { seconds: "1760000000", nanos: "0" };
const createdAtMs = 1_760_000_000_000;

/** Answers of a service with these users; null for a query that it does not have. */
function serviceWith(users: readonly object[], sessionProfiles: readonly object[] | null = [], serverTimeMs?: number) {
	const asked: string[] = [];
	const query: Reader["query"] = async ({ name }) => {
		asked.push(name);
		if (name === "get_session_profiles" && sessionProfiles === null) throw new ServiceError("none", 404, 5);
		const value = { users, userTags: [], policies: [], configs: {}, sessionProfiles: sessionProfiles ?? [] };
		return { value, serverTimeMs };
	};
	return { reader: { query }, asked };
}

const userWith = (apiKeys: unknown, more: object = {}) => ({ userId: "U1", apiKeys, authenticators: [], ...more });
function credentialsOf(...users: readonly object[]) {
	const all = toUserCredentials({ users });
	return all.known ? all.value : all;
}

describe("the credentials of a user", () => {
	it("are keys, authenticators and providers with their names and times, ids in lower case", () => {
		const oauthProviders = [
			{ providerId: "P1", providerName: "google", createdAt, issuer: "i", audience: "a", subject: "s" },
			{ providerId: 7, providerName: 7 },
		];
		const more = {
			...{ userEmail: "e", userPhoneNumber: "p", oauthProviders },
			authenticators: [{ authenticatorId: "A1", authenticatorName: "yubi", createdAt }],
		};
		const key = { apiKeyId: "K1", apiKeyName: "ci", createdAt, credential: { type: "T" } };
		expect(credentialsOf(userWith([key], more))).toEqual([
			{
				...{ id: "u1", email: "e", phoneNumber: "p" },
				apiKeys: {
					known: true,
					value: [
						{
							...{ id: "k1", name: "ci", createdAtMs, type: "T", sessionProfileId: null },
							expiresAtMs: Number.POSITIVE_INFINITY,
						},
					],
				},
				authenticators: { known: true, value: [{ id: "a1", name: "yubi", createdAtMs }] },
				oauthProviders: {
					known: true,
					value: [
						{ id: "p1", name: "google", createdAtMs, issuer: "i", audience: "a", subject: "s" },
						{ id: null, name: "", createdAtMs: null, issuer: null, audience: null, subject: null },
					],
				},
			},
		]);
	});

	it.each<[expirationSeconds: unknown, created: unknown, expiresAtMs: number | null]>([
		["3600", createdAt, createdAtMs + 3_600_000],
		[3600, createdAt, createdAtMs + 3_600_000],
		[undefined, createdAt, Number.POSITIVE_INFINITY],
		[null, undefined, Number.POSITIVE_INFINITY],
		["3600", undefined, null],
		["soon", createdAt, null],
		["-1", createdAt, null],
		["1234567890123", createdAt, null],
	])("have a key that expires: %j seconds after %j", (expirationSeconds, created, expiresAtMs) => {
		const users = credentialsOf(userWith([{ expirationSeconds, createdAt: created }]));
		expect(users).toMatchObject([{ apiKeys: { value: [{ expiresAtMs }] } }]);
	});

	it.each<[what: string, key: object]>([
		["in its credential", { credential: { type: "T", sessionProfileId: "S1" }, type: "other", sessionProfileId: "x" }],
		["beside it", { credential: null, type: "T", sessionProfileId: "S1" }],
	])("have the type and the session profile of a key %s", (_what, key) => {
		expect(credentialsOf(userWith([key]))).toMatchObject([
			{ apiKeys: { value: [{ type: "T", sessionProfileId: "s1" }] } },
		]);
	});

	it("are unknown where a list is not shown, and for all where users are not", () => {
		const because = { kind: "user-part-not-shown", part: "credentials", userId: "u1" };
		expect(credentialsOf({ userId: "U1" })).toMatchObject([
			{ apiKeys: { known: false, because }, authenticators: { known: false }, oauthProviders: { known: false } },
		]);
		expect(toUserCredentials({ users: [{}] })).toEqual({
			...{ known: false, because: { kind: "no-list", query: "list_users", of: "users" } },
		});
	});

	it("are sorted by user, and unknown where one is listed twice", () => {
		expect(credentialsOf({ userId: "b" }, { userId: "A" })).toMatchObject([{ id: "a" }, { id: "b" }]);
		expect(credentialsOf({ userId: "b" }, { userId: "B" })).toEqual({
			...{ known: false, because: { kind: "listed-twice", query: "list_users", id: "b" } },
		});
	});
});

describe("a reading of credentials", () => {
	const read = (service: { readonly reader: Reader }) => readCredentials(organizationId, service.reader, () => 5);
	const withProfile = userWith([{}, { sessionProfileId: "S1" }]);

	it("has the names of session profiles, which are asked for where a key has one", async () => {
		const service = serviceWith([withProfile], [{ sessionProfileId: "S1", sessionProfileName: "short" }]);
		expect(await read(service)).toMatchObject({ sessionProfiles: { s1: "short" } });
		expect(service.asked).toContain("get_session_profiles");
		const without = serviceWith([userWith([{}]), { userId: "u2" }], [{ sessionProfileId: "S1" }]);
		expect(await read(without)).toMatchObject({ sessionProfiles: {} });
		expect(without.asked).not.toContain("get_session_profiles");
	});

	it("has none where the service lacks the query, or shows no credentials", async () => {
		expect(await read(serviceWith([withProfile], null))).toMatchObject({ sessionProfiles: {}, atMs: 5 });
		expect(await read(serviceWith([{}]))).toMatchObject({ sessionProfiles: {}, credentials: { known: false } });
	});

	it("has the service's time where the service shows it", async () => {
		expect(await read(serviceWith([], [], 7000))).toMatchObject({ atMs: 7000, readAtMs: 5 });
	});
});

describe("the caller", () => {
	it("is the user of whoami, in lower case; unknown where the answer has none", () => {
		expect(toCaller({ known: true, value: { userId: "U1" } })).toEqual({ known: true, value: "u1" });
		const unknown = { known: false, because: { kind: "caller-not-shown" } } as const;
		expect(toCaller({ known: true, value: {} })).toEqual(unknown);
		expect(toCaller(unknown)).toBe(unknown);
	});
});
