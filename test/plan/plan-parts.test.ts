/** What a plan says besides its steps: names, digests of what it touches, unmanaged tags, and whether there is nothing to do. */
import { describe, expect, it } from "vitest";
import type { Change, TagChange } from "../../src/plan/change.ts";
import { takenNames } from "../../src/plan/kinds/found-objects.ts";
import {
	namedAs,
	namedIn,
	nameOfOrganization,
	showOrganization,
	showOrganizationName,
} from "../../src/plan/organization-name.ts";
import {
	digestTouched,
	findRemovable,
	findsDifference,
	isIdle,
	makePlan,
	namesOfUsers,
	type Plan,
} from "../../src/plan/plan.ts";
import { isSamePlan } from "../../src/plan/same-plan.ts";
import type { Step } from "../../src/plan/step.ts";
import { isHeldByRejection } from "../../src/plan/step-groups.ts";
import {
	context,
	type DesiredParts,
	desiredOf,
	id,
	known,
	liveOf,
	liveTag,
	nothingAbsent,
	organizationId,
	unknown,
	wantTag,
} from "./support-organizations.ts";

const [alice, bob] = [id("user", 1), id("user", 2)];
const live = liveOf({
	userTags: known([
		...[
			liveTag(1, "signers"),
			liveTag(2, "z"),
			liveTag(3, "b", { type: "" }),
			liveTag(4, "key", { type: "TAG_TYPE_KEY" }),
		],
	]),
	policies: known([{ id: id("policy", 1), name: "pay", digest: "sha256:1" }]),
});
const planOf = (parts: DesiredParts, of = live, more: object = {}): Plan =>
	makePlan(desiredOf(parts), of, { ...context, ...more });
const none = planOf({ userTags: [wantTag("signers")] });

describe("Unmanaged tags", () => {
	const unmanaged = (parts: DesiredParts, of = live) => planOf(parts, of).unmanaged.map(({ address }) => address);

	it("are user tags that the document does not list, sorted", () => {
		expect(none.unmanaged).toEqual([{ address: "userTag:b" }, { address: "userTag:z" }]);
		expect(unmanaged({ userTags: [wantTag("signers"), wantTag("b", { id: id("tag", 2) })] })).toEqual(["userTag:b"]);
		expect(unmanaged({ userTags: [wantTag("other", { id: id("tag", 1) })] })).toEqual(["userTag:b", "userTag:z"]);
		expect(unmanaged({ userTags: [wantTag("signers"), wantTag("y", { previously: ["z"] })] })).toEqual(["userTag:b"]);
	});

	it("are none of a part of a document, or of one without tags, or where they were not read", () => {
		expect(unmanaged({ userTags: [wantTag("signers")], narrowed: true })).toEqual([]);
		expect(unmanaged({})).toEqual([]);
		expect(unmanaged({ userTags: [wantTag("signers")] }, liveOf({ userTags: unknown }))).toEqual([]);
	});
});

describe("A plan is idle", () => {
	it("where there is nothing to submit, to wait for, to decide or to report", () => {
		expect(isIdle(none)).toBe(true);
		expect(findsDifference(none)).toBe(false);
		const busy = [
			{ steps: [{}] },
			{ waiting: [{}] },
			{ otherPending: [{}] },
			{ overrides: [{}] },
		] as never as Partial<Plan>[];
		expect(busy.map((parts) => [isIdle({ ...none, ...parts }), findsDifference({ ...none, ...parts })])).toEqual(
			busy.map(() => [false, false]),
		);
		const broken = { address: "rule:r", before: { state: "broken" } };
		const differing = [{ changes: [{}] }, { problems: [{}] }, { rules: [broken] }] as never as Partial<Plan>[];
		expect(differing.map((parts) => [isIdle({ ...none, ...parts }), findsDifference({ ...none, ...parts })])).toEqual(
			differing.map(() => [false, true]),
		);
		// One override does not make up for what is pending.
		expect(isIdle({ ...none, otherPending: [{}], overrides: [{}] } as never)).toBe(false);
	});

	it("and says the same as another one, whenever it was made and whatever else is pending", () => {
		const later = { readAt: "x", serviceTime: "y", overrides: [], otherPending: [], accessCases: {} } as never;
		expect(isSamePlan(none, { ...none, ...(later as object) })).toBe(true);
		expect(isSamePlan(none, { ...none, documentDigest: "sha256:other" })).toBe(false);
	});
});

describe("The digest of what a plan touches", () => {
	const absent = { ...nothingAbsent, policyIds: [id("policy", 1)] };
	const [removal] = planOf({ absent }).changes as [Change];
	const tag = planOf({ userTags: [wantTag("signers", { members: { mode: "exactly", exactly: [alice] } })] })
		.changes[0] as TagChange;
	const withRecord = (digest: string | undefined) =>
		liveOf({ policies: known([{ id: id("policy", 1), name: "pay", ...(digest === undefined ? {} : { digest }) }]) });

	it("is of the record of what is removed, which a name does not show", () => {
		const digests = ["sha256:1", "sha256:2", undefined].map((digest) => digestTouched(removal, withRecord(digest)));
		expect(new Set(digests).size).toBe(3);
		expect(digestTouched(removal, live)).toBe(digests[0]);
		expect(digestTouched(removal, liveOf({ policies: unknown }))).toBe(digests[2]);
		const report = { ...removal, action: "report" } as never;
		expect(digestTouched(report, withRecord("sha256:1"))).toBe(digestTouched(report, withRecord("sha256:2")));
	});

	it("is of what an object was, and not of what becomes of it", () => {
		const digest = digestTouched(tag, live);
		expect(digestTouched({ ...tag, addUserIds: [], address: "userTag:x" }, live)).toBe(digest);
		const others = [{ tagId: id("tag", 9) }, { before: { name: "x", members: [] } }, { basis: "unknown" }];
		for (const parts of others) expect(digestTouched({ ...tag, ...parts } as TagChange, live)).not.toBe(digest);
		const policy = {
			kind: "policy",
			action: "update",
			address: "policy:p",
			id: "1",
			before: { name: "p" },
			basis: "live",
		};
		const digestOf = (parts: object) => digestTouched({ ...policy, ...parts } as never, live);
		expect(digestOf({ address: "policy:q", after: {} })).toBe(digestOf({}));
		expect(digestOf({ action: "create" })).toBe(digestOf({}));
		expect(
			new Set([digestOf({}), digestOf({ id: "2" }), digestOf({ before: null }), digestOf({ basis: "unknown" })]).size,
		).toBe(4);
	});

	it("is of every change that is submitted, and of none that is only reported", () => {
		expect(planOf({ absent }).touched).toEqual([{ address: removal.address, digest: digestTouched(removal, live) }]);
		expect(none.touched).toEqual([]);
	});

	it("finds what is removed by its kind, its id and its user", () => {
		const provider = { userId: alice, id: id("provider", 1), name: "login" };
		const of = liveOf({ oauthProviders: known([{ ...provider, userId: bob }, provider]) });
		expect(findRemovable({ kind: "oauthProvider", ...provider }, of)).toEqual(provider);
		expect(findRemovable({ kind: "oauthProvider", ...provider, id: id("provider", 2) }, of)).toBeUndefined();
		expect(findRemovable({ kind: "oauthProvider", ...provider }, liveOf({ oauthProviders: unknown }))).toBeUndefined();
	});
});

describe("Names", () => {
	it("of users are their aliases by id, sorted, and the live names that were read besides", () => {
		expect(Object.entries(namesOfUsers({ users: { zoe: alice, al: bob } }))).toEqual([
			[alice, "zoe"],
			[bob, "al"],
		]);
		expect(namesOfUsers()).toEqual({});
		const users = { al: alice };
		expect(planOf({ users })).not.toHaveProperty("liveNames");
		const read = { userNames: known({ [alice]: "Al" }) };
		expect(planOf({ users }, live, read).liveNames).toEqual({ [alice]: "Al" });
		expect(planOf({ users }, { ...live, users: known({ [alice]: "live" }) }, read).liveNames).toEqual({
			[alice]: "live",
		});
	});

	it("of an organization are quoted where they could be taken for an id", () => {
		expect(
			["acme", "0000000a-00FF", "x0000000a-00ffx", "0000000-00ff", "0000000g-00ff"].map(showOrganizationName),
		).toEqual([...["acme", '"0000000a-00FF"', '"x0000000a-00ffx"', "0000000-00ff", "0000000g-00ff"]]);
		expect(showOrganizationName("0000000a-00ff\n")).toMatch(/^"0000000a-00ff[^"]+"$/);
	});

	it("of an organization are those of the document before live ones", () => {
		const both = { organizationId, organizationName: "doc", liveOrganizationName: "live" };
		expect(nameOfOrganization(both)).toBe("doc");
		expect(nameOfOrganization({ organizationId, liveOrganizationName: "live" })).toBe("live");
		expect([showOrganization(both), showOrganization({ organizationId })]).toEqual([
			`doc (${organizationId})`,
			organizationId,
		]);
		expect(namedIn({ organizationId, name: "doc" })).toEqual({ organizationId, organizationName: "doc" });
		expect(namedIn({ organizationId })).toEqual({ organizationId });
		expect(namedAs({ ...both, ...({ more: 1 } as object) })).toEqual(both);
	});
});

describe("A name that is taken", () => {
	const found = (...pairs: readonly (readonly [number, string, string])[]) =>
		pairs.map(([number, from, to]) => ({ wanted: wantTag(to), live: { id: id("tag", number), name: from } }));
	const tags = [1, 2].map((number) => ({ id: id("tag", number), name: `t${number}` }));
	const codes = (...parts: Parameters<typeof takenNames>) => takenNames(...parts).map(({ code }) => code);

	it("is one that another object has and keeps", () => {
		expect(codes(found([1, "t1", "t2"]), tags, new Set())).toEqual(["tag-name-taken"]);
		expect(codes(found([1, "t1", "t2"]), tags, new Set([id("tag", 2)]))).toEqual([]);
		expect(codes(found([1, "t1", "t2"], [2, "t2", "x"]), tags, new Set())).toEqual([]);
		expect(codes(found([1, "t1", "t2"], [2, "t2", "t2"]), tags, new Set())).toEqual(["tag-name-taken"]);
		expect(codes(found([1, "t1", "t3"], [2, "t2", "t2"]), tags, new Set())).toEqual([]);
	});
});

it("A step is held by a rejection where it comes after a rejected one, through others too", () => {
	const step = (name: string, dependsOn: readonly string[], relation?: string) =>
		({
			...{ id: name, dependsOn, covers: [{ address: `userTag:${name}`, id: name }] },
			earlierActivity: relation === undefined ? null : { relation },
		}) as unknown as Step;
	const steps = [
		step("a", [], "rejected"),
		step("b", ["a"]),
		step("c", ["b"]),
		step("d", []),
		step("e", ["d"], "same"),
	];
	const held = ["a", "b", "c", "d", "e"].filter((name) => isHeldByRejection(`userTag:${name}`, { steps }));
	expect(held).toEqual(["a", "b", "c"]);
});
