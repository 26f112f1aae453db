/** What becomes of one activity: the verdict, who can complete it, which policies decide, and why. */

import { describe, expect, it } from "vitest";
import type { AccessPolicy, AccessState, AccessUser, Known } from "../../../src/policy/access.ts";
import type { Approval } from "../../../src/policy/powers/forecast.ts";
import { forecastApproval } from "../in-words.ts";

const known = <T>(value: T): Known<T> => ({ known: true, value });
const unread = (because: string): Known<never> => ({ known: false, because: { kind: "stated", text: because } });
const atMs = Date.parse("2026-06-01T12:00:00Z");

/** A user whose key is `KEY_OF_ID`, and who has a passkey where asked for. */
function user(id: string, tags: readonly string[] = [], hasPasskey = false): AccessUser {
	const key = { id: null, type: "CREDENTIAL_TYPE_API_KEY_P256", credentialId: null, publicKey: `key of ${id}` };
	const passkey = { ...key, type: "CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR", publicKey: `passkey of ${id}` };
	return { id, tagIds: known(tags), email: known(null), credentials: known(hasPasskey ? [key, passkey] : [key]) };
}

let count = 0;
function policy(effect: string, consensus: string, condition = "", time = ""): AccessPolicy {
	count += 1;
	return { id: `p${count}`, name: "", effect, consensus, condition, time };
}
const allow = (consensus: string, condition?: string, time?: string) =>
	policy("EFFECT_ALLOW", consensus, condition, time);
const deny = (consensus: string, condition?: string, time?: string) =>
	policy("EFFECT_DENY", consensus, condition, time);

const is = (...ids: readonly string[]): string => ids.map((id) => `approvers.any(u, u.id == '${id}')`).join(" && ");
const two = "approvers.count() >= 2";
const aboutCredentials = "activity.resource == 'CREDENTIAL'";

const people = [user("a"), user("b"), user("c"), user("d")];
const accessOf = (policies: readonly AccessPolicy[], parts: Partial<AccessState> = {}): AccessState => ({
	users: known(people),
	policies: known(policies),
	rootQuorum: known({ threshold: 1, userIds: [] }),
	...parts,
});

interface Question {
	readonly type?: string;
	readonly ownerId?: string;
	readonly userId?: string;
	readonly publicKey?: string;
}

function forecast(access: AccessState, question: Question = {}): Approval {
	const { type = "ACTIVITY_TYPE_DELETE_POLICIES", ownerId = null, userId = "a", publicKey = null } = question;
	return forecastApproval(access, { type, ownerId }, { userId, publicKey }, atMs);
}

/** `verdict sets`, then why. */
const shortly = ({ verdict, approverSets, because }: Approval): string =>
	[verdict, ...approverSets.map((set) => set.join("+")), ...(because === null ? [] : [`because ${because}`])].join(" ");
const outcome = (policies: readonly AccessPolicy[], parts?: Partial<AccessState>, question?: Question): string =>
	shortly(forecast(accessOf(policies, parts), question));
const deciding = (policies: readonly AccessPolicy[], question?: Question): readonly number[] =>
	forecast(accessOf(policies), question).policyIds.map((id) => policies.findIndex((one) => one.id === id));

const notEnough = "no set of approvals that includes the submitter's satisfies the policies that allow it";

describe("The policies that decide", () => {
	it("are those that allow it with the submitter alone, and not those that need others or are for others", () => {
		expect(deciding([allow(is("a", "b")), allow(is("a")), allow(is("b")), allow("true")])).toEqual([1, 3]);
	});

	it("leave out one that allows it where another denies just that", () => {
		const mine = `${is("a")} && approvers.count() <= 1`;
		expect(outcome([allow(is("a")), deny(mine)])).toBe("pending b c d");
		expect(deciding([allow(is("a")), allow("true"), deny(is("d"))])).toEqual([0, 1]);
	});

	it("are those that the further approvers complete, each of them", () => {
		const policies = [allow(is("a", "b")), allow(is("a", "c")), allow(is("c", "d")), deny(is("d"))];
		expect([outcome(policies), deciding(policies)]).toEqual(["pending b c", [0, 1]]);
	});

	it("leave out one that allows it only with approvers whom another policy denies", () => {
		const policies = [allow(is("a", "b")), allow(is("a", "d")), deny(is("d"))];
		expect([outcome(policies), deciding(policies)]).toEqual(["pending b", [0]]);
	});

	it("are those that deny what would be allowed without them", () => {
		const policies = [allow(is("a")), deny(is("d")), deny(is("a")), deny("true")];
		expect(outcome(policies)).toBe("denied because a policy denies the submitter's approval");
		expect(deciding(policies)).toEqual([2, 3]);
	});

	it("are all that deny where none alone is enough", () => {
		const few = "approvers.count() <= 1";
		const policies = [allow(two), deny(is("a", "b")), deny(is("a", "c")), deny(is("a", "d")), deny(few)];
		expect(outcome(policies)).toBe("denied because a policy denies the submitter's approval");
		expect(deciding(policies)).toEqual([1, 2, 3, 4]);
	});

	it("are those that allow it to others only, though a policy denies something else", () => {
		const policies = [allow(is("b")), deny(is("c"))];
		expect([outcome(policies), deciding(policies)]).toEqual([`denied because ${notEnough}`, [0]]);
	});

	it("are none where the root quorum is enough though a policy denies it", () => {
		const rootQuorum = known({ threshold: 1, userIds: ["a"] });
		expect(forecast(accessOf([deny("true")], { rootQuorum })).policyIds).toEqual([]);
	});

	it("are none where no policy allows it", () => {
		expect([outcome([deny("true")]), deciding([deny("true")])]).toEqual(["denied because no policy allows it", []]);
		expect(outcome([])).toBe("denied because no policy allows it");
	});
});

describe("The sets of further approvers", () => {
	it("are at most a thousand, single users among them", () => {
		const many = Array.from({ length: 60 }, (_, index) => user(`u${String(index).padStart(2, "0")}`));
		const access = accessOf([allow("approvers.count() >= 3"), allow(is("u00", "u01"))], { users: known(many) });
		const { verdict, approverSets } = forecast(access, { userId: "u00" });
		expect([verdict, approverSets.length, approverSets[0]]).toEqual(["pending", 1_000, ["u01"]]);
	});

	it("are those of the root quorum too", () => {
		const rootQuorum = known({ threshold: 2, userIds: ["a", "c", "d"] });
		expect(outcome([allow(is("a", "b"))], { rootQuorum })).toBe("pending b c d");
		expect(outcome([], { rootQuorum }, { userId: "b" })).toBe("denied because no policy allows it");
		expect(outcome([deny("true")], { rootQuorum: known({ threshold: 1, userIds: ["a"] }) })).toBe("runs");
	});
});

describe("What is not known", () => {
	it("is why it is unknown, the policies first, then the root quorum, then the users", () => {
		const policies = unread("policies are not shown");
		const rootQuorum = unread("the root quorum is not shown");
		const users = unread("users are not shown");
		expect(outcome([], { policies, rootQuorum })).toBe("unknown because policies are not shown");
		expect(outcome([allow(is("b"))], { rootQuorum })).toBe("unknown because the root quorum is not shown");
		expect(outcome([allow(is("a"))], { users }, { userId: "x" })).toBe("unknown because users are not shown");
		expect(outcome([], {}, { userId: "x" })).toBe("unknown because the submitter is not among the users");
	});

	it("names the policies that may decide, but not where policies are not known", () => {
		const [one, other] = [allow(is("b")), deny(is("c"))];
		const access = accessOf([one, other], { rootQuorum: unread("the root quorum is not shown") });
		expect(forecast(access).policyIds).toEqual([one.id, other.id]);
		expect(forecast(accessOf([], { policies: unread("policies are not shown") })).policyIds).toEqual([]);
	});

	it("does not matter where the submitter is enough in any case", () => {
		expect(outcome([allow(is("a"))], { rootQuorum: unread("the root quorum is not shown") })).toBe("runs");
		expect(outcome([allow(is("a")), allow("approvers.any(u, u.id")])).toBe("runs");
	});

	it("matters where a policy that is not understood may deny it, or may allow it", () => {
		const open = "approvers.any(u, u.id";
		expect(outcome([allow(is("a")), deny(open)])).toContain("unknown because policy ");
		expect(outcome([allow(is("b")), allow(open)])).toContain("unknown because policy ");
		expect(outcome([allow(open)])).toContain("the consensus is not understood");
	});

	it("matters where only who completes it is not known", () => {
		expect(outcome([allow(is("a", "b")), allow("approvers.any(u, u.id")])).toContain("unknown because policy ");
	});

	it("is the condition on the activity that decides", () => {
		const found = outcome([allow(is("a"), "activity.kind == 'DELETE_POLICIES' && activity.params.x == 'y'")]);
		expect(found).toBe("denied because no policy allows it");
		const sign = { type: "ACTIVITY_TYPE_SIGN_TRANSACTION" };
		expect(outcome([allow(is("a"), "eth.tx.to == 'x'")], {}, sign)).toBe(
			"unknown because it depends on the activity: eth.tx.to == 'x'",
		);
		const both = [allow(is("a"), "eth.tx.to == 'x'"), allow(is("a"), "!(eth.tx.to == 'x')")];
		expect(outcome([...both, allow(is("a"))], {}, sign)).toBe("runs");
	});

	it("is judged in every reading of six things, and unknown with seven", () => {
		const sign = { type: "ACTIVITY_TYPE_SIGN_TRANSACTION" };
		const denials = (number: number) =>
			Array.from({ length: number }, (_, index) => deny(is("b"), `eth.tx.to == 'x${index}'`));
		expect(outcome([allow(is("a")), ...denials(6)], {}, sign)).toBe("runs");
		const found = forecast(accessOf([allow(is("a")), ...denials(7)]), sign);
		expect([found.verdict, found.approverSets, found.thresholds]).toEqual(["unknown", [], []]);
		expect(found.because).toBe("it depends on the activity: eth.tx.to == 'x0'");
	});

	it("is who completes it where that depends on the activity, though others complete it either way", () => {
		const sign = { type: "ACTIVITY_TYPE_SIGN_TRANSACTION" };
		const policies = [allow(is("a", "b"), "eth.tx.to == 'x'"), allow(is("a", "c"))];
		expect(outcome(policies, {}, sign)).toBe("unknown because it depends on the activity: eth.tx.to == 'x'");
		expect(outcome([...policies, allow(is("a", "b"))], {}, sign)).toBe("pending b c");
	});

	it("matters only where what may be allowed is not allowed in any case", () => {
		const hidden = [user("e"), user("f")].map((one) => ({ ...one, tagIds: unread("tags are not shown") }));
		const users = known([...people, ...hidden]);
		const tagged = (least: number) => allow(`approvers.filter(u, u.tags.contains('A')).count() >= ${least}`);
		expect(outcome([allow(two), tagged(2)], { users })).toBe("pending b c d e f");
		expect(outcome([allow(two), tagged(1)], { users })).toContain("unknown because policy ");
	});

	it("is not who there is where a policy asks for nobody", () => {
		const users = unread("users are not shown");
		const rootQuorum = known({ threshold: 2, userIds: ["a", "b"] });
		expect(outcome([allow("true")], { users, rootQuorum })).toBe("runs");
		expect(outcome([allow(is("a"))], { users, rootQuorum })).toBe("unknown because users are not shown");
	});

	it("is asked about each submitter apart, after others as well", () => {
		const access = accessOf([allow(`${is("b")} || ${is("c", "d")}`)]);
		const of = (userId: string) => shortly(forecast(access, { userId }));
		expect(["a", "b", "c", "d"].map(of)).toEqual([`denied because ${notEnough}`, "runs", "pending b d", "pending b c"]);
	});

	it("is which credential stamps the request, where that decides", () => {
		const passkey = "credentials.any(c, c.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR')";
		const users = known([user("a", [], true), user("b", [], true), user("c")]);
		const of = (policies: readonly AccessPolicy[], publicKey?: string) =>
			outcome(policies, { users }, publicKey === undefined ? {} : { publicKey });
		const depends = "unknown because it depends on the credential that stamps the request";
		expect(of([allow(passkey)])).toBe(depends);
		expect([of([allow(passkey)], "passkey of a"), of([allow(passkey)], "key of a")]).toEqual([
			"runs",
			`denied because ${notEnough}`,
		]);
		expect(of([allow(passkey)], "a key of nobody")).toBe(depends);
		const api = "credentials.any(c, c.type == 'CREDENTIAL_TYPE_API_KEY_P256')";
		const both = [allow(passkey), allow(api)];
		const decides = (publicKey: string): readonly string[] =>
			forecast(accessOf(both, { users }), { publicKey }).policyIds;
		expect([decides("passkey of a"), decides("key of a")]).toEqual(both.map(({ id }) => [id]));
		// Pending with either, but other users complete it.
		const either = [
			allow(`${passkey} && ${is("a", "c")}`),
			allow(`${is("a", "b")} && !(credentials.any(c, c.public_key == 'passkey of a'))`),
		];
		expect([of(either, "passkey of a"), of(either, "key of a")]).toEqual([
			"pending c",
			expect.stringMatching(/^pending b/),
		]);
		expect(of(either)).toBe(depends);
	});
});

describe("A credential of which no key is shown", () => {
	const passkey = "credentials.any(c, c.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR')";

	it("is one of those that may stamp the request, as any other", () => {
		const submitter = user("a", [], true);
		if (!submitter.credentials.known) throw new Error("the credentials are known");
		const [key, other] = submitter.credentials.value;
		if (key === undefined || other === undefined) throw new Error("there are two credentials");
		const users = known([{ ...submitter, credentials: known([{ ...key, publicKey: null }, other]) }]);
		const depends = "unknown because it depends on the credential that stamps the request";
		expect(outcome([allow(passkey)], { users })).toBe(depends);
		expect(outcome([allow(passkey)], { users }, { publicKey: "passkey of a" })).toBe("runs");
	});

	it("may be of any type where its user is known only as a member of the root quorum", () => {
		const users = known([{ ...user("a"), credentials: known([]) }]);
		const of = (userId: string, ...members: readonly string[]) =>
			outcome([allow(passkey)], { users, rootQuorum: known({ threshold: 2, userIds: members }) }, { userId });
		expect(of("x", "x", "y")).toContain("no read shows `credential.type`");
		expect(of("a")).toBe(`denied because ${notEnough}`);
	});
});

describe("A change of the submitter's own credentials", () => {
	const own = { type: "ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS", ownerId: "a" };

	it("runs while no policy is about credentials, and is no right of others", () => {
		expect(outcome([], {}, own)).toBe("runs");
		expect(deciding([allow(is("b"), "activity.resource == 'WALLET'")], own)).toEqual([]);
		expect(outcome([], {}, { ...own, ownerId: "b" })).toBe("denied because no policy allows it");
		expect(outcome([], {}, { ...own, userId: "b" })).toBe("denied because no policy allows it");
	});

	it.each([
		["allows", allow(is("b"), aboutCredentials)],
		["denies others", deny(is("b"), aboutCredentials)],
		["is about all activities", allow(is("b"))],
		["is about creating them", allow(is("b"), `${aboutCredentials} && activity.action == 'CREATE'`)],
	])("is unknown where the vendor's pages disagree: one that %s is about credentials", (_, covering) => {
		expect(outcome([covering], {}, own)).toBe(
			"unknown because Turnkey's pages disagree on whether users may change their own credentials where a policy is about credentials",
		);
	});

	it("is certain where both pages say the same: one policy denies it, or allows the submitter", () => {
		expect(outcome([deny(is("a"), aboutCredentials)], {}, own)).toContain("denied because ");
		expect(outcome([allow(is("b"), aboutCredentials), deny("", aboutCredentials)], {}, own)).toContain(
			"denied because ",
		);
		expect(outcome([allow(is("a"), aboutCredentials)], {}, own)).toBe("runs");
		expect(outcome([allow(is("b"), aboutCredentials)], {}, { ...own, ownerId: "b" })).toContain("denied because ");
	});

	it("runs where the policy about credentials is not in force, or is about no credentials", () => {
		const past = "time.now < Timestamp('2026-01-01T00:00:00Z')";
		const future = "time.now > Timestamp('2026-01-01T00:00:00Z')";
		expect(outcome([allow(is("b"), aboutCredentials, past)], {}, own)).toBe("runs");
		expect(outcome([allow(is("b"), aboutCredentials, future)], {}, own)).toContain("unknown because Turnkey's pages ");
		expect(outcome([allow(is("b"), "activity.resource == 'POLICY'")], {}, own)).toBe("runs");
		expect(outcome([allow(is("b"), "wallet.id == 'w'")], {}, own)).toBe("runs");
	});

	it.each([
		["its condition is not understood", allow(is("b"), "activity.resource == 5")],
		["its time is not understood", allow(is("b"), aboutCredentials, "time.now")],
		["its consensus is not understood", allow("approvers.any(u, u.id", aboutCredentials)],
		["its effect is not known", policy("EFFECT_ASK", is("b"), aboutCredentials)],
		["its kind is not documented", allow(is("b"), "activity.kind == 'CREATE_THING'")],
	])("is unknown where a policy may be about credentials: %s", (_, open) => {
		const found = forecast(accessOf([open]), own);
		expect(found.verdict).toBe("unknown");
	});

	it("says that it is unknown whether a policy is about credentials, and both may be", () => {
		const open = allow(is("b"), "activity.kind == 'CREATE_THING'");
		const because = "it is unknown whether a policy is about changes of credentials";
		expect(outcome([open], {}, own)).toBe(`unknown because ${because}`);
		expect(outcome([open, allow(is("a"), "activity.kind == 'DELETE_OAUTH_PROVIDERS'")], {}, own)).toBe("runs");
	});

	it("is unknown where policies could not be read", () => {
		expect(outcome([], { policies: unread("policies are not shown") }, own)).toBe(
			"unknown because policies are not shown",
		);
	});
});
