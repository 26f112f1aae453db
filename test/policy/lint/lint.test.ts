/** The rules of `lint`, on policies that are nearly alike: what each finds, and what it leaves alone. */
import { describe, expect, it } from "vitest";
import { Population } from "../../../src/policy/lint/population.ts";
import { findAlone } from "../../../src/policy/lint/together.ts";
import { found, lint, one, policiesOf, two, user, uuid, type Written } from "./support-lint.ts";

const sign = "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'";
const small = `${sign} && eth.tx.value < 5`;

describe("A condition that errs", () => {
	it("is found where it errs for all that it names, and not where it is only false", () => {
		const find = (condition: string) => found("always-errs", policiesOf(["allow", one("1"), condition]));
		expect(find("wallet.id == 'a' || private_key.id == 'b'")).toEqual(["p0"]);
		expect(find("activity.kind == 'CREATE_WALLET' && eth.tx.value < 5")).toEqual(["p0"]);
		expect(find("activity.resource == 'WALLET' && activity.resource == 'POLICY'")).toEqual([]);
		expect(find("wallet.id == 'a'")).toEqual([]);
		expect(find("wallet.id == 'a' && wallet.id == 'b'")).toEqual([]);
	});

	it("is found in a deny for a type of which every activity lacks a field", () => {
		const find = (effect: "allow" | "deny", condition: string) =>
			found("deny-errs", policiesOf([effect, "", condition]));
		expect(find("deny", "activity.action == 'EXPORT' && wallet.id == 'a'")).toEqual(["p0"]);
		expect(find("allow", "activity.action == 'EXPORT' && wallet.id == 'a'")).toEqual([]);
		expect(find("deny", "activity.resource == 'WALLET' && wallet.id == 'a'")).toEqual([]);
		expect(find("deny", "wallet.id == 'a'")).toEqual([]);
	});
});

describe("A policy that never applies", () => {
	const find = (consensus: string, condition: string, time = "") =>
		lint(policiesOf(["allow", consensus, condition, time])).filter((text) => text.startsWith("never-applies"));

	it("is found by the clause that is never true", () => {
		expect(find(one("1"), "activity.resource == 'WALLET' && activity.resource == 'POLICY'")).toEqual([
			"never-applies p0 condition",
		]);
		expect(find(`approvers.filter(u, u.id == '${uuid("1")}').count() >= 2`, sign)).toEqual([
			"never-applies p0 consensus",
		]);
		expect(find("approvers.count() > 2 && approvers.count() < 3", sign)).toEqual(["never-applies p0 consensus"]);
		const never = "time.now > Timestamp('2027-01-01T00:00:00Z') && time.now < Timestamp('2026-01-01T00:00:00Z')";
		expect(find(one("1"), sign, never)).toEqual(["never-applies p0 time"]);
	});

	it("is not judged where it needs too many users, or the order of their tags", () => {
		const tags = (count: number) =>
			Array.from({ length: count }, (_, index) => `u.tags.contains('${uuid(String(index))}')`).join(" && ");
		const unjudged = (...consensuses: readonly string[]): string => {
			const population = new Population();
			lint(policiesOf(...consensuses.map((consensus): Written => ["allow", consensus, sign])), { population });
			return [...population.unjudged].join();
		};
		expect(unjudged("approvers.count() >= 18")).toBe("");
		expect(unjudged("approvers.count() >= 19")).toBe("p0");
		expect(unjudged("approvers.count() >= 17 && approvers.any(u, u.id == 'a')")).toBe("");
		expect(unjudged("approvers.count() >= 18 && approvers.any(u, u.id == 'a')")).toBe("p0");
		expect(unjudged(`approvers.any(u, ${tags(7)})`)).toBe("");
		expect(unjudged(`approvers.any(u, ${tags(8)})`)).toBe("p0");
		expect(unjudged(`approvers.any(u, u.tags[0] == '${uuid("1")}')`)).toBe("p0");
		expect(unjudged(`approvers.any(u, u.tags[0..1].contains('${uuid("1")}'))`)).toBe("p0");
		expect(unjudged(one("1"), "approvers.count() >= 19")).toBe("p1");
		expect(unjudged("approvers.count() >= 9", "approvers.count() >= 8")).toBe("");
		expect(unjudged("approvers.count() >= 9", "approvers.count() >= 9 && true")).toBe("p0,p1");
	});

	it("is none whose tag has no members, whose kind is new, or that is not understood", () => {
		expect(find(two("1"), sign)).toEqual([]);
		expect(find(`${one("1")} && approvers.any(u, !(u.tags.contains('${uuid("1")}')))`, sign)).toEqual([]);
		expect(find(`approvers.all(u, u.tags.contains('${uuid("1")}')) && approvers.count() == 3`, sign)).toEqual([]);
		expect(find(one("1"), "activity.kind == 'CREATE_THING'")).toEqual([]);
		expect(find("approvers.count == 2", sign)).toEqual([]);
		expect(find(one("1"), "sponsored(activity) && false == true")).toEqual([]);
	});
});

describe("A window", () => {
	const find = (time: string) =>
		lint(policiesOf(["allow", one("1"), sign, time])).filter((text) => !text.includes("alone"));

	it("is over once no moment from now on is in it, and says since when", () => {
		expect(find("time.now < Timestamp('2026-05-31T23:59:59Z')")).toEqual([
			"window-over p0 time 2026-05-31T23:59:59.000Z",
		]);
		expect(find("time.now < Timestamp('2026-01-01T00:00:00Z') && CronSpan('0 0 * * *', '1h', 'UTC')")).toHaveLength(1);
	});

	it("is not over while it is open, begins later or follows a schedule", () => {
		expect(find("time.now < Timestamp('2026-06-01T00:00:01Z')")).toEqual([]);
		expect(find("time.now > Timestamp('2030-01-01T00:00:00Z')")).toEqual([]);
		expect(find("CronSpan('0 0 29 2 *', '1h', 'UTC')")).toEqual([]);
		expect(find("!(time.now < Timestamp('2026-01-01T00:00:00Z'))")).toEqual([]);
	});
});

describe("A policy that says nothing new", () => {
	it("is contained where another one has the same users or more, and the same activities or more", () => {
		const find = (...policies: readonly Written[]) => found("contained-in-another", policiesOf(...policies));
		expect(find(["allow", one("1"), small], ["allow", one("1"), sign])).toEqual(["p0"]);
		expect(find(["allow", two("1"), sign], ["allow", one("1"), sign])).toEqual(["p0"]);
		expect(find(["allow", `${one("1")} && ${user("2")}`, sign], ["allow", one("1"), sign])).toEqual(["p0"]);
		expect(find(["deny", one("1"), small], ["deny", "", sign])).toEqual(["p0"]);
		expect(find(["allow", one("1"), small], ["deny", one("1"), sign])).toEqual([]);
		expect(find(["allow", one("1"), small], ["allow", two("1"), sign])).toEqual([]);
		expect(find(["allow", one("1"), small], ["allow", one("2"), sign])).toEqual([]);
		expect(find(["allow", one("1"), small], ["allow", `${one("1")} || approvers.count == 2`, sign])).toEqual([]);
		expect(find(["allow", one("1"), small], ["allow", one("1"), sign, "CronSpan('0 0 * * *', '1h', 'UTC')"])).toEqual(
			[],
		);
		expect(find(["allow", one("1"), `${sign} && eth.tx.value < 9`], ["allow", one("1"), small])).toEqual(["p1"]);
	});

	it("repeats the one before it, however it is written", () => {
		const again = "activity.action == 'SIGN' && activity.resource == 'PRIVATE_KEY'";
		const policies = policiesOf(["allow", one("1"), sign], ["allow", one("1"), again], ["deny", one("1"), sign]);
		expect(lint(policies).filter((text) => text.startsWith("repeats"))).toEqual(["repeats-another p1 p0"]);
		expect(found("contained-in-another", policies)).toEqual([]);
	});

	it("denies nothing where nothing is allowed, or only to others", () => {
		const find = (...policies: readonly Written[]) => found("denies-nothing", policiesOf(...policies));
		expect(find(["allow", one("1"), sign], ["deny", "", "activity.resource == 'WALLET'"])).toEqual(["p1"]);
		expect(find(["allow", "approvers.count() == 1", sign], ["deny", "approvers.count() > 1", sign])).toEqual(["p1"]);
		expect(find(["allow", one("1"), sign], ["deny", one("2"), small])).toEqual([]);
		expect(find(["deny", "", "activity.resource == 'CREDENTIAL'"])).toEqual([]);
	});
});

describe("A policy that gives too much", () => {
	it("gives everything to everyone only where nothing narrows it", () => {
		const find = (consensus: string, condition: string) =>
			found("everything-to-everyone", policiesOf(["allow", consensus, condition]));
		expect(find("true", "")).toEqual(["p0"]);
		expect(find("approvers.count() >= 1", "true")).toEqual(["p0"]);
		expect(find("approvers.count() >= 2", "")).toEqual([]);
		expect(find(one("1"), "")).toEqual([]);
		expect(find("true", "activity.kind != 'DELETE_POLICIES'")).toEqual([]);
		expect(found("everything-to-everyone", policiesOf(["deny", "", ""]))).toEqual([]);
	});

	it("is shown by an activity that the other one is for", () => {
		const activityOf = (condition: string) => {
			const policies = policiesOf(["allow", two("1"), condition], ["allow", user("2"), ""]);
			const input = { policies, tagNames: null, userNames: null, tagIds: [], atMs: 0, population: new Population() };
			return findAlone(input).map(({ activity }) => `${activity?.type.slice(14)} ${activity?.where}`);
		};
		expect(activityOf(small)).toEqual(["ETH_SEND_TRANSACTION eth.tx.value == 4"]);
		expect(activityOf("activity.resource == 'POLICY' && activity.action == 'DELETE'")).toEqual(["DELETE_POLICIES "]);
		expect(activityOf("")).toEqual(["ETH_SEND_TRANSACTION "]);
	});

	it("lets one user do alone what all others ask two for, in all of it", () => {
		const find = (...policies: readonly Written[]) => found("alone-beside-two", policiesOf(...policies));
		expect(find(["allow", two("1"), sign], ["allow", user("2"), sign])).toEqual(["p1"]);
		expect(find(["allow", two("1"), small], ["allow", user("2"), sign])).toEqual(["p1"]);
		expect(find(["allow", two("1"), sign], ["allow", user("2"), small])).toEqual([]);
		expect(find(["allow", two("1"), sign], ["allow", user("2"), sign], ["allow", one("3"), sign])).toEqual([]);
		expect(find(["allow", two("1"), sign], ["allow", user("2"), sign], ["deny", user("2"), sign])).toEqual([]);
		expect(find(["allow", two("1"), sign], ["allow", user("2"), sign], ["deny", user("2"), small])).toEqual([]);
		expect(find(["allow", two("1"), small], ["allow", user("2"), sign], ["deny", user("2"), sign])).toEqual([]);
		const other = `${sign} && eth.tx.value >= 5`;
		expect(find(["allow", two("1"), small], ["allow", user("2"), sign], ["deny", user("2"), other])).toEqual(["p1"]);
		expect(find(["allow", one("1"), sign], ["allow", user("2"), sign])).toEqual([]);
		expect(find(["allow", `${two("1")} && approvers.count == 2`, sign], ["allow", user("2"), sign])).toEqual([]);
	});
});

describe("A text", () => {
	const typed = (condition: string) =>
		lint(policiesOf(["allow", one("1"), condition]), { tagNames: {}, userNames: {} });

	it("names a version where every version of the kind would do", () => {
		expect(typed("activity.type in ['ACTIVITY_TYPE_SIGN_TRANSACTION_V2']")).toContain(
			"versioned-type p0 condition ACTIVITY_TYPE_SIGN_TRANSACTION_V2 SIGN_TRANSACTION",
		);
		const params = "activity.type == 'ACTIVITY_TYPE_CREATE_USERS_V2' && activity.params.nothing == 'a'";
		expect(typed(params).filter((text) => text.startsWith("versioned"))).toEqual([]);
		expect(typed("activity.kind == 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2'").join()).not.toContain("versioned");
	});

	it("has a name for an id, and an id of no one", () => {
		const names = { tagNames: { [uuid("3")]: "payers" }, userNames: { [uuid("2")]: "alice" } };
		const consensus = `approvers.any(u, u.id == 'alice' || u.tags.contains('payers') || u.id == '${uuid("4")}')`;
		expect(lint(policiesOf(["allow", consensus, sign]), names)).toEqual([
			`name-for-id p0 consensus alice ${uuid("2")}`,
			`name-for-id p0 consensus payers ${uuid("3")}`,
			`unknown-id p0 consensus ${uuid("4")}`,
		]);
		expect(lint(policiesOf(["allow", user("2"), sign]), names)).toEqual([]);
		const both = { tagNames: { [uuid("3")]: "payers", [uuid("5")]: "payers" }, userNames: { [uuid("2")]: "alice" } };
		expect(lint(policiesOf(["allow", "approvers.any(u, u.tags.contains('payers'))", sign]), both)).toEqual([
			"name-for-id p0 consensus payers",
		]);
	});

	it("is not understood, in each clause, and is judged by no other rule", () => {
		expect(lint(policiesOf(["allow", "approvers.count == 2", "sponsored(activity)", "time.now"]))).toEqual([
			expect.stringMatching(/^not-understood p0 consensus/),
			expect.stringMatching(/^not-understood p0 time/),
			expect.stringMatching(/^not-understood p0 condition/),
		]);
	});

	it("mentions a tag in any clause", () => {
		const policies = policiesOf(["allow", one("3"), sign]);
		const tagIds = [uuid("3"), uuid("4")];
		expect(lint(policies, { tagIds })).toEqual([`unused-tag ${uuid("4")}`]);
	});
});
