/** What is read of an organization, or not: what is unknown stays unknown. */
import { describe, expect, it } from "vitest";
import { mapKnown, policyNamesIn, unreadIn, withoutTag } from "../../src/policy/access.ts";
import { anchorOf, isSession, keysAt, listUnfenceable, type UserCredentials } from "../../src/policy/credentials.ts";
import { accessOf, allow, known, people, two, unread } from "./powers/change-lines.ts";
import { unknownAccess } from "./support-access.ts";

describe("What was not read", () => {
	it("is listed with its reason, in the words for it", () => {
		const parts = { users: known([]), policies: unread("no policies"), root: unread("no root") };
		expect(unreadIn(parts)).toEqual([
			{ what: "policies", because: { kind: "stated", text: "no policies" } },
			{ what: "root", because: { kind: "stated", text: "no root" } },
		]);
		expect(mapKnown(known(1), (value) => value + 1)).toEqual(known(2));
		expect(mapKnown<number, number>(unread("not read"), (value) => value + 1)).toEqual(unread("not read"));
	});

	it("has no names of policies, and no users to take a tag from", () => {
		const policy = { ...allow(two), id: "p", name: "two" };
		expect(policyNamesIn(accessOf([policy]))).toEqual({ p: "two" });
		expect(policyNamesIn(unknownAccess("not read"))).toEqual({});
		const [alice, bob] = people.map((user) => ({ ...user, tagIds: known(["A", "B"]) }));
		const [first, second] = [alice, bob].map((user) => ({ ...user, tagIds: known(["B"]) }));
		const access = accessOf([policy], { users: known([alice, bob]) as never });
		expect(withoutTag(access, "A").users).toEqual(known([first, second]));
		expect(withoutTag(access, "C").users).toEqual(access.users);
		expect(withoutTag(unknownAccess("not read"), "A")).toEqual(unknownAccess("not read"));
	});
});

describe("The credentials of a user", () => {
	const never = Number.POSITIVE_INFINITY;
	const key = (name: string, expiresAtMs: number | null, more = {}) => ({
		...{ id: name, name, createdAtMs: 5, expiresAtMs, sessionProfileId: null, type: "CREDENTIAL_TYPE_API_KEY_P256" },
		...more,
	});
	const session = key("s", never, { type: "CREDENTIAL_TYPE_LOGIN" });
	const passkey = { id: "k", name: "k", createdAtMs: 1 };
	const userOf = (
		apiKeys: readonly ReturnType<typeof key>[],
		more: Partial<UserCredentials> = {},
	): UserCredentials => ({
		...{ id: "u", email: null, phoneNumber: null, apiKeys: known(apiKeys) },
		...{ authenticators: known([]), oauthProviders: known([]) },
		...more,
	});

	it("are login sessions where a login made them", () => {
		expect([session, key("a", never), key("b", null, { type: null })].map(isSession)).toEqual([true, false, false]);
		const keys = [session, key("a", never), key("b", 10), key("c", 11), key("d", null)];
		expect(keysAt(keys, 10).map(({ name }) => name)).toEqual(["a", "c", "d"]);
	});

	it("have the oldest key that never expires as their anchor, where nothing else lasts", () => {
		const anchor = (user: UserCredentials) => {
			const found = anchorOf(user);
			return found.known ? (found.value?.name ?? null) : found.because;
		};
		const keys = [key("new", never, { createdAtMs: 9 }), key("old", never), key("ends", 3), session];
		expect(anchor(userOf(keys))).toBe("old");
		expect(anchor(userOf([key("unknown", never, { createdAtMs: null }), ...keys]))).toBe("old");
		expect(anchor(userOf([session, key("ends", 3)]))).toBeNull();
		expect(anchor(userOf(keys, { authenticators: known([passkey]) }))).toBeNull();
		const provider = { ...passkey, issuer: null, audience: null, subject: null };
		expect(anchor(userOf(keys, { oauthProviders: known([provider]) }))).toBeNull();
		const reason = { kind: "stated", text: "not shown" };
		expect(anchor(userOf(keys, { authenticators: unread("not shown") }))).toEqual(reason);
		expect(anchor(userOf(keys, { oauthProviders: unread("not shown") }))).toEqual(reason);
		expect(anchor(userOf([], { apiKeys: unread("not shown") }))).toEqual(reason);
		expect(anchor(userOf([], { apiKeys: unread("not shown"), authenticators: known([passkey]) }))).toBeNull();
	});

	it("end with the last of them, where none lasts", () => {
		const ends = (user: UserCredentials) => listUnfenceable([user], 0).map(({ until, because }) => because ?? until);
		expect(ends(userOf([key("a", 3), key("b", 7), session]))).toEqual([7]);
		expect(ends(userOf([key("a", 3), key("b", null)]))).toEqual([null]);
		expect(ends(userOf([key("a", 3), key("b", never)]))).toEqual([]);
		expect(ends(userOf([key("a", 0), session]))).toEqual([]);
		expect(ends(userOf([]))).toEqual([]);
		expect(ends(userOf([key("a", 3)], { authenticators: known([passkey]) }))).toEqual([]);
		const reason = { kind: "stated", text: "not shown" };
		expect(ends(userOf([key("a", 3)], { authenticators: unread("not shown") }))).toEqual([reason]);
		expect(ends(userOf([], { apiKeys: unread("not shown") }))).toEqual([reason]);
		expect(ends(userOf([], { apiKeys: unread("not shown"), authenticators: known([passkey]) }))).toEqual([]);
	});
});
