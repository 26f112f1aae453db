/** Which credentials are new since the last report, and what their holders can do. */
import { describe, expect, it } from "vitest";
import { type CredentialNews, findNewCredentials, hasCredentialRules } from "../../../src/plan/drift/credentials.ts";
import type { DesiredRule } from "../../../src/plan/organization.ts";
import type { ApiKey, Credential, OauthProvider, UserCredentials } from "../../../src/policy/credentials.ts";
import { accessOf, alice, anyOf, bob, carol, condition, policyOf, signers, twoOf } from "../support-access.ts";
import { at, context, known, unknown } from "../support-organizations.ts";

const key = (id: string | null, parts: Partial<ApiKey> = {}): ApiKey => ({
	...{ id, name: `key ${id}`, createdAtMs: 0, type: "CREDENTIAL_TYPE_API_KEY_P256" },
	...{ expiresAtMs: 1, sessionProfileId: null, ...parts },
});
const passkey = (id: string): Credential => ({ id, name: `passkey ${id}`, createdAtMs: 0 });
const login = (id: string): OauthProvider => ({
	...{ id, name: `login ${id}`, createdAtMs: 0, issuer: null, audience: null, subject: null },
});
const credentialsOf = (id: string, lists: Partial<UserCredentials> = {}): UserCredentials => ({
	...{ id, email: null, phoneNumber: null },
	...{ apiKeys: known([]), authenticators: known([]), oauthProviders: known([]), ...lists },
});

const access = accessOf({ signers: ["alice", "bob"] }, [
	policyOf(1, { consensus: anyOf(signers), condition: condition.sign }),
	policyOf(2, { consensus: twoOf(signers), condition: condition.export }),
]);
const allUsers: readonly DesiredRule[] = [
	{ rule: "exclusive", tags: ["a", "b"], at },
	{ rule: "credentials", check: "issuers", issuers: ["https://login.example"], at },
];
const nothingSeen: CredentialNews = { seen: [], added: [] };

function newsOf(
	users: readonly UserCredentials[],
	earlier: CredentialNews | undefined = nothingSeen,
	{ protect = [] as readonly string[], rules = allUsers as readonly DesiredRule[] | undefined } = {},
): CredentialNews {
	const desired = { protect: { userIds: protect, userTags: [] }, ...(rules === undefined ? {} : { rules }) };
	return findNewCredentials({ credentials: known(users), access, atMs: context.readAtMs }, desired, earlier);
}

const ofAll = [
	credentialsOf(alice, { apiKeys: known([key("k1")]), authenticators: known([passkey("p1")]) }),
	credentialsOf(bob, { oauthProviders: known([login("o1"), login("o2")]) }),
];
const seenOfAll = [
	`${alice}/apiKey/k1`,
	`${alice}/authenticator/p1`,
	`${bob}/oauthProvider/o1`,
	`${bob}/oauthProvider/o2`,
];

describe("New credentials", () => {
	it("are those that the last report has not seen", () => {
		const earlier = { seen: [`${alice}/apiKey/k1`, `${bob}/oauthProvider/o2`], added: [] };
		expect(newsOf(ofAll, earlier)).toEqual({
			seen: seenOfAll,
			added: [
				{
					key: seenOfAll[1],
					userId: alice,
					kind: "authenticator",
					id: "p1",
					name: "passkey p1",
					escalation: null,
					by: null,
				},
				{
					key: seenOfAll[2],
					userId: bob,
					kind: "oauthProvider",
					id: "o1",
					name: "login o1",
					escalation: null,
					by: null,
				},
			],
		});
	});

	it("are none in a first report, which only notes what there is", () => {
		const first = findNewCredentials(
			{ credentials: known(ofAll), access, atMs: context.readAtMs },
			{ protect: { userIds: [alice], userTags: [] }, rules: allUsers },
			undefined,
		);
		expect(first).toEqual({ seen: seenOfAll, added: [] });
	});

	it("are those of protected users alone where no rule is about credentials", () => {
		const exclusive = allUsers.slice(0, 1);
		const usersOf = (protect: readonly string[], rules: readonly DesiredRule[] | undefined) =>
			newsOf(ofAll, nothingSeen, { protect, rules }).added.map(({ userId }) => userId);
		expect(usersOf([bob], exclusive)).toEqual([bob, bob]);
		const desired = { protect: { userIds: [], userTags: [] } };
		expect(findNewCredentials({ credentials: known(ofAll), access, atMs: 0 }, desired, nothingSeen).added).toEqual([]);
		expect(usersOf([bob], allUsers)).toEqual([alice, alice, bob, bob]);
		expect([[], exclusive, allUsers].map((rules) => hasCredentialRules({ rules }))).toEqual([false, false, true]);
		expect(hasCredentialRules({})).toBe(false);
	});

	it("of a protected user come with what the holder can do alone, and together with others", () => {
		const { added } = newsOf(ofAll, nothingSeen, { protect: [alice] });
		expect(added.map(({ userId, escalation }) => [userId, escalation])).toEqual([
			[alice, { alone: ["PRIVATE_KEY/SIGN"], together: ["WALLET/EXPORT"] }],
			[alice, { alone: ["PRIVATE_KEY/SIGN"], together: ["WALLET/EXPORT"] }],
			[bob, null],
			[bob, null],
		]);
		const idle = newsOf([credentialsOf(carol, { authenticators: known([passkey("p")]) })], nothingSeen, {
			protect: [carol],
		});
		expect(idle.added[0]?.escalation).toMatchObject({ alone: [], together: expect.arrayContaining(["POLICY/CREATE"]) });
	});

	it("leave out login sessions, keys without an id, and the anchor of a user without another credential", () => {
		const apiKeys = [
			key("session", { type: "CREDENTIAL_TYPE_LOGIN" }),
			key(null),
			key("anchor", { expiresAtMs: Number.POSITIVE_INFINITY }),
			key("other", { expiresAtMs: Number.POSITIVE_INFINITY, createdAtMs: 1 }),
		];
		const { seen, added } = newsOf([credentialsOf(alice, { apiKeys: known(apiKeys) })]);
		expect(seen).toEqual([`${alice}/apiKey/anchor`, `${alice}/apiKey/other`]);
		expect(added.map(({ id }) => id)).toEqual(["other"]);
	});

	it("are unknown of a list that could not be read: it stays as the last report has it", () => {
		const earlier = { seen: [`${alice}/apiKey/k0`, `${alice}/oauthProvider/o0`, `${bob}/apiKey/k0`], added: [] };
		const unread = credentialsOf(alice, { apiKeys: unknown, authenticators: known([passkey("p1")]) });
		const { seen, added } = newsOf([unread], earlier);
		expect(seen).toEqual([`${alice}/apiKey/k0`, `${alice}/authenticator/p1`]);
		expect(added.map(({ id }) => id)).toEqual(["p1"]);
	});

	it("are none where no user's could be read, and all stay seen", () => {
		const reading = { credentials: unknown, access, atMs: context.readAtMs };
		const desired = { protect: { userIds: [alice], userTags: [] }, rules: allUsers };
		const earlier = newsOf(ofAll);
		expect(findNewCredentials(reading, desired, earlier)).toEqual({ seen: seenOfAll, added: [] });
		expect(findNewCredentials(reading, desired, undefined)).toEqual({ seen: [], added: [] });
	});
});
