/** Rules about credentials: what surely breaks one, what is excepted, and what is unknown. */
import { describe, expect, it } from "vitest";
import { reportDrift } from "../../../src/plan/drift/drift.ts";
import { makePlan } from "../../../src/plan/plan.ts";
import type { CredentialCheck } from "../../../src/plan/rules/credential-check.ts";
import type { Known } from "../../../src/policy/access.ts";
import type { ApiKey, OauthProvider, UserCredentials } from "../../../src/policy/credentials.ts";
import { reasonText } from "../../../src/say/reason.ts";
import { breachText } from "../../../src/say/rules.ts";
import { accessOf, alice, bob, carol, onlyUser, policyOf } from "../support-access.ts";
import {
	at,
	context,
	desiredOf,
	id,
	known,
	liveOf,
	liveTag,
	nothingAbsent,
	unknown,
} from "../support-organizations.ts";

const dayMs = 24 * 60 * 60_000;
const nowMs = context.readAtMs;
const forever = Number.POSITIVE_INFINITY;
const noExcept = { userIds: [], userTags: [] };

const key = (name: string, parts: Partial<ApiKey> = {}): ApiKey => ({
	...{ id: name, name, type: "CREDENTIAL_TYPE_API_KEY_P256", createdAtMs: nowMs - 10 * dayMs },
	...{ expiresAtMs: nowMs + dayMs, sessionProfileId: null, ...parts },
});
const passkey = { id: "p", name: "passkey", createdAtMs: nowMs };
const providerOf = (number: number, issuer: string | null): OauthProvider => ({
	...{
		id: id("provider", number),
		name: `login ${number}`,
		createdAtMs: nowMs,
		issuer,
		audience: "acme",
		subject: "s",
	},
});
const user = (userId: string, parts: Partial<UserCredentials> = {}): UserCredentials => ({
	...{ id: userId, email: null, phoneNumber: null },
	...{ apiKeys: known([]), authenticators: known([]), oauthProviders: known([]), ...parts },
});

interface World {
	readonly tag?: Known<readonly string[]>;
	readonly removesProvider?: string;
	readonly credentials?: Known<readonly UserCredentials[]>;
}

function planWith(check: CredentialCheck, users: readonly UserCredentials[], world: World = {}) {
	const { tag = known([]), removesProvider, credentials = known(users) } = world;
	const desired = desiredOf({
		users: { alice, bob, carol },
		rules: [{ rule: "credentials", ...check, at }],
		...(removesProvider === undefined
			? {}
			: { absent: { ...nothingAbsent, oauthProviders: [{ userId: bob, providerIds: [removesProvider] }] } }),
	});
	const live = liveOf({
		userTags: known([liveTag(1, "agents", { members: tag })]),
		...(removesProvider === undefined
			? {}
			: { oauthProviders: known([{ id: removesProvider, userId: bob, name: "login" }]) }),
	});
	// alice alone may sign; the root quorum is of two.
	const access = accessOf({}, [policyOf(1, { consensus: onlyUser(alice), condition: "activity.action == 'SIGN'" })]);
	return makePlan(desired, live, { ...context, access, credentials });
}

function judge(check: CredentialCheck, users: readonly UserCredentials[], world: World = {}): string {
	const [rule] = planWith(check, users, world).rules ?? [];
	if (rule?.before.state === "unknown") return `unknown: ${reasonText(rule.before.because)}`;
	return rule?.before.state === "broken" ? breachText(rule.before) : "kept";
}

describe("maxKeyAge", () => {
	const rule: CredentialCheck = { check: "maxKeyAge", maxMs: 10 * dayMs, written: "10d" };
	const aged = (days: number, parts: Partial<ApiKey> = {}) =>
		key("ci", { createdAtMs: nowMs - days * dayMs, ...parts });

	it("is kept by keys of that age, and broken by older ones", () => {
		expect(judge(rule, [user(bob, { apiKeys: known([aged(10)]) })])).toBe("kept");
		expect(judge(rule, [user(bob, { apiKeys: known([aged(11)]) })])).toBe(
			"the API key `ci` of bob is too old (since 2025-12-21 00:00 UTC); the rule asks for keys of at most 10d",
		);
	});

	it("is kept by login sessions, expired keys, and the oldest of the keys that a user without anything else needs", () => {
		const session = aged(99, { type: "CREDENTIAL_TYPE_LOGIN" });
		const expired = aged(99, { expiresAtMs: nowMs });
		const anchor = aged(99, { expiresAtMs: forever });
		expect(judge(rule, [user(bob, { apiKeys: known([session, expired, anchor]) })])).toBe("kept");
		const second = key("second", { createdAtMs: nowMs - 98 * dayMs, expiresAtMs: forever });
		expect(judge(rule, [user(bob, { apiKeys: known([second, anchor]) })])).toContain("`second` of bob is too old");
		const withPasskey = user(bob, { apiKeys: known([anchor]), authenticators: known([passkey]) });
		expect(judge(rule, [withPasskey])).toContain("`ci` of bob is too old");
		const withLogin = user(bob, { apiKeys: known([anchor]), oauthProviders: known([providerOf(1, "x")]) });
		expect(judge(rule, [withLogin])).toContain("`ci` of bob is too old");
	});

	it("is broken by keys of a type that orgsync does not know, or that the service does not show", () => {
		for (const type of ["CREDENTIAL_TYPE_NEW_SESSION", null])
			expect(judge(rule, [user(bob, { apiKeys: known([aged(11, { type })]) })])).toContain("is too old");
	});

	it("is unknown without the time of a creation, the list of keys, or what shows an anchor", () => {
		expect(judge(rule, [user(bob, { apiKeys: known([aged(1, { createdAtMs: null })]) })])).toBe(
			`unknown: list_users does not show the creation of ci of the user ${bob}`,
		);
		expect(judge(rule, [user(bob, { apiKeys: unknown })])).toBe("unknown: the service does not show it");
		const lasting = known([aged(11, { expiresAtMs: forever })]);
		expect(judge(rule, [user(bob, { apiKeys: lasting, authenticators: unknown })])).toContain("unknown: ");
		expect(judge(rule, [], { credentials: unknown })).toContain("unknown: ");
	});
});

describe("keysExpire", () => {
	const lasting = known([key("anchor", { createdAtMs: 0, expiresAtMs: forever }), key("ci", { expiresAtMs: forever })]);
	const users = [user(bob, { apiKeys: lasting })];
	const except = (userIds: readonly string[], userTags: readonly string[] = []): CredentialCheck => ({
		check: "keysExpire",
		except: { userIds, userTags },
	});

	it("is broken by a key that never expires beside the anchor", () => {
		expect(judge(except([]), users)).toBe("the API key `ci` of bob never expires (since 2025-12-22 00:00 UTC)");
		expect(judge(except([]), [user(bob, { apiKeys: known([key("ci")]) })])).toBe("kept");
	});

	it("excepts users and members of tags, and is unknown where members are", () => {
		expect(judge(except([bob]), users)).toBe("kept");
		expect(judge(except([carol]), users)).toContain("never expires");
		expect(judge(except([], ["agents"]), users, { tag: known([bob]) })).toBe("kept");
		expect(judge(except([], ["agents"]), users, { tag: known([carol]) })).toContain("never expires");
		expect(judge(except([], ["agents"]), users, { tag: unknown })).toBe("unknown: the service does not show it");
	});

	it("excepts no one by a tag that does not exist, with a warning", () => {
		expect(judge(except([], ["nobody"]), users)).toContain("never expires");
		const { warnings = [] } = planWith(except([], ["nobody"]), users);
		expect(warnings.map(({ message }) => message)).toEqual([
			"no user tag is called `nobody`, so `except` excepts no one by it",
		]);
	});

	it("is unknown without the expiry", () => {
		expect(judge(except([]), [user(bob, { apiKeys: known([key("ci", { expiresAtMs: null })]) })])).toBe(
			`unknown: list_users does not show the expiry of ci of the user ${bob}`,
		);
	});
});

describe("sensitiveNeedsAuthenticator", () => {
	const rule: CredentialCheck = { check: "sensitiveNeedsAuthenticator" };

	it("is broken by users without an authenticator who can do something sensitive alone, and by no others", () => {
		expect(judge(rule, [user(alice), user(bob)])).toBe(
			"alice can do something sensitive alone, without an authenticator",
		);
		expect(judge(rule, [user(alice, { authenticators: known([passkey]) }), user(bob)])).toBe("kept");
	});

	it("is unknown where the authenticators of such a user are", () => {
		expect(judge(rule, [user(alice, { authenticators: unknown })])).toBe("unknown: the service does not show it");
	});
});

describe("issuers", () => {
	const rule: CredentialCheck = { check: "issuers", issuers: ["https://login.test"] };
	const evil = providerOf(2, "https://evil.test");

	it("is broken by providers of other issuers", () => {
		const users = [user(bob, { oauthProviders: known([providerOf(1, "https://login.test"), evil]) })];
		expect(judge(rule, users)).toBe(
			"the OAuth provider `login 2` of bob is of the issuer `https://evil.test`; the rule asks for `https://login.test`",
		);
		expect(judge(rule, [user(bob, { oauthProviders: known([providerOf(1, null)]) })])).toContain(
			"the issuer of login 1",
		);
	});

	it("is repaired by a plan that removes the provider", () => {
		const users = [user(bob, { oauthProviders: known([evil]) })];
		const plan = planWith(rule, users, { removesProvider: id("provider", 2) });
		expect(plan.rules).toMatchObject([{ effect: "repairs", after: { state: "kept" } }]);
		const other = planWith(rule, users, { removesProvider: id("provider", 9) });
		expect(other.rules).toMatchObject([{ effect: "none", after: { state: "broken" } }]);
	});
});

describe("notKeysOnly", () => {
	const rule: CredentialCheck = { check: "notKeysOnly", except: noExcept };
	const keys = { apiKeys: known([key("ci")]) };

	it("is broken by users with keys and nothing else", () => {
		expect(judge(rule, [user(alice, keys), user(bob, keys), user(carol)])).toBe("alice and bob have API keys only");
		expect(judge(rule, [user(bob, { ...keys, authenticators: known([passkey]) })])).toBe("kept");
		expect(judge(rule, [user(bob, { ...keys, oauthProviders: known([providerOf(1, "x")]) })])).toBe("kept");
	});

	it("is kept by an anchor, and unknown where other credentials are", () => {
		expect(judge(rule, [user(bob, { apiKeys: known([key("a", { expiresAtMs: forever })]) })])).toBe("kept");
		expect(judge(rule, [user(bob, { ...keys, oauthProviders: unknown })])).toBe(
			"unknown: the service does not show it",
		);
	});
});

it("A broken rule about credentials is drift, and another credential of the same user changes it", () => {
	const rule: CredentialCheck = { check: "issuers", issuers: ["https://login.test"] };
	const users = (...numbers: readonly number[]) => [
		user(bob, { oauthProviders: known(numbers.map((number) => providerOf(number, "https://evil.test"))) }),
	];
	const first = reportDrift(planWith(rule, users(1)));
	expect(first).toMatchObject({
		verdict: "drifted",
		findings: [{ address: "rule:credentials.issuers", state: "new" }],
	});
	expect(reportDrift(planWith(rule, users(1)), { earlier: first }).findings).toMatchObject([{ state: "still-there" }]);
	expect(reportDrift(planWith(rule, users(1, 2)), { earlier: first }).findings).toMatchObject([{ state: "changed" }]);
});
