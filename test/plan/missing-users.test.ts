/** Users whom a document names and the organization does not have. */
import { describe, expect, it } from "vitest";
import { desiredAt } from "../../src/plan/access-window.ts";
import { diff } from "../../src/plan/diff.ts";
import type { DesiredMembers, DesiredOrganization, LiveOrganization } from "../../src/plan/organization.ts";
import { makePlan } from "../../src/plan/plan.ts";
import {
	context,
	desiredOf,
	id,
	known,
	liveOf,
	liveTag,
	organizationId,
	unknown,
	wantTag,
} from "./support-organizations.ts";

const [alice, bob, carol, gone] = [id("user", 1), id("user", 2), id("user", 3), id("user", 0xabcdef9)];
const users = known({ [alice]: "alice", [bob]: "bob", [carol]: "carol" });

function liveWith(parts: Partial<LiveOrganization> = {}): LiveOrganization {
	return { ...liveOf({ userTags: known([liveTag(1, "signers", { members: known([alice, bob]) })]) }), users, ...parts };
}

function wanting(members: DesiredMembers, parts: Partial<DesiredOrganization> = {}): DesiredOrganization {
	return desiredOf({ userTags: [wantTag("signers", { members })], ...parts });
}

describe("a member whom the organization does not have", () => {
	const at = { file: "acme.yaml", line: 4, column: 8 };

	it.each<[string, DesiredMembers]>([
		["under exactly", { mode: "exactly", exactly: [alice, gone] }],
		["under atLeast", { mode: "atLeast", atLeast: [gone], never: [] }],
	])("is a problem %s, where its id is, and nothing is submitted", (_where, members) => {
		const plan = makePlan(
			wanting(members, { places: { users: { [gone]: at }, protectedTags: {} } }),
			liveWith(),
			context,
		);
		expect(plan.problems).toEqual([
			{
				...at,
				path: "userTag:signers",
				code: "user-not-there",
				message: `the organization has no user ${gone}; correct the id, or take the user out of \`members\``,
			},
		]);
		expect(plan.steps).toEqual([]);
		expect(plan.impact).toBeUndefined();
	});

	it("is one problem, however many tags it is to have", () => {
		const userTags = ["one", "two"].map((name) => wantTag(name, { members: { mode: "exactly", exactly: [gone] } }));
		const { problems } = diff(desiredOf({ userTags }), liveWith());
		expect(problems.map(({ code }) => code)).toEqual(["tag-not-there", "tag-not-there", "user-not-there"]);
	});

	it.each<[string, string, Record<string, string>, string]>([
		["whose live name is like the alias", gone, { boob: gone }, `did you mean \`bob\`, whose id is ${bob}?`],
		["whose live name is the alias", gone, { carol: gone }, `did you mean \`carol\`, whose id is ${carol}?`],
		["by the alias of the document", gone, { carol: gone, ann: carol }, `\`ann\`, whose id is ${carol}?`],
		["whose id is like it", carol.replace(/3$/, "f"), { zoe: carol }, `did you mean \`zoe\`, whose id is ${carol}?`],
	])("suggests the user %s", (_what, wrong, aliases, said) => {
		const desired = wanting({ mode: "exactly", exactly: [wrong] }, { users: aliases });
		expect(diff(desired, liveWith()).problems.map(({ message }) => message)).toEqual([expect.stringContaining(said)]);
	});

	it("is unknown, and no problem, where users cannot be read", () => {
		const live = liveWith({ users: unknown, userTags: known([liveTag(1, "signers", { members: unknown })]) });
		const { problems, changes } = diff(wanting({ mode: "exactly", exactly: [gone] }), live);
		expect(problems).toEqual([]);
		expect(changes).toMatchObject([{ addUserIds: [gone], basis: "unknown" }]);
	});
});

describe("a user who was deleted", () => {
	it("has no tag to lose: `never`, access that ended, and last-applied state are no problem", () => {
		expect(diff(wanting({ mode: "atLeast", atLeast: [alice], never: [gone] }), liveWith()).problems).toEqual([]);
		const windows = [{ userId: gone, untilMs: 1000, until: "1970", at: { file: "a", line: 1, column: 1 } }];
		const ended = wanting({ mode: "exactly", exactly: [alice, bob, gone], windows });
		expect(diff(desiredAt(ended, 2000), liveWith())).toMatchObject({ problems: [], changes: [] });
		expect(diff(desiredAt(ended, 500), liveWith()).problems).toMatchObject([{ code: "user-not-there" }]);
		const applied = { name: "signers", present: [alice, bob, gone], gone: [], updatedAt: "", appliedAt: "2026-01-01" };
		const lastApplied = { userTags: { [id("tag", 1)]: applied }, removed: {} };
		const live = liveWith({ lastApplied });
		expect(diff(wanting({ mode: "exactly", exactly: [alice, bob] }), live)).toMatchObject({
			problems: [],
			changes: [],
		});
		expect(organizationId).toBe(live.organizationId);
	});
});
