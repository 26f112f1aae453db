/** What steps mean is judged once for an access, by all that it depends on: a resource is checked and then applied. */
import { describe, expect, it } from "vitest";
import { findConsequences } from "../../../src/plan/impact/consequences.ts";
import type { Step } from "../../../src/plan/step.ts";
import type { AccessState } from "../../../src/policy/access.ts";
import { id } from "../support-organizations.ts";

const [alice, bob, tag] = [id("user", 1), id("user", 2), id("tag", 1)];
const noon = Date.parse("2026-06-01T12:00:00Z");
const closed = "time.now < Timestamp('2026-06-01T12:00:00Z')";

/** An access of its own, whose policy lets members of the tag sign. */
function makeAccess(time = ""): AccessState {
	const user = (userId: string) => ({
		...{ id: userId, email: { known: true, value: null } as const },
		tagIds: { known: true, value: [] } as const,
		credentials: { known: true, value: [] } as const,
	});
	const policy = {
		...{ id: id("policy", 1), name: "members sign", effect: "EFFECT_ALLOW", time },
		consensus: `approvers.any(user, user.tags.contains('${tag}'))`,
		condition: "activity.kind == 'SIGN_TRANSACTION'",
	};
	return {
		users: { known: true, value: [user(alice), user(bob)] },
		policies: { known: true, value: [policy] },
		rootQuorum: { known: true, value: { threshold: 2, userIds: [alice, bob] } },
	};
}

const tagging = (userId: string): Step =>
	({
		...{ id: "step-1", earlierActivity: null, dependsOn: [], produces: [] },
		covers: [{ address: "userTag:signers", id: tag }],
		...{ operation: "update_user_tag", parameters: { userTagId: tag, addUserIds: [userId], removeUserIds: [] } },
	}) as unknown as Step;

const unread = { userTags: { known: false, because: { kind: "no-user-tags-wanted" } } } as const;
const find = (
	access: AccessState,
	step = tagging(alice),
	atMs = noon,
	userId = alice,
	live: Parameters<typeof findConsequences>[2] = unread,
) =>
	findConsequences(
		{ steps: [step], waiting: [] },
		{ access, readAtMs: atMs, submitter: { known: true, value: { userId, publicKey: null } } },
		live,
	);

describe("the consequences of steps", () => {
	it("are judged once for an access, at whatever time where no policy depends on it", () => {
		const access = makeAccess();
		const first = find(access);
		expect(first.impact).toMatchObject([{ change: "alone", userIds: [alice] }]);
		expect(find(access, tagging(alice), noon + 60_000).impact).toBe(first.impact);
	});

	it("are judged each time for a plan of several steps, which only a document has", () => {
		const access = makeAccess();
		const [first, again] = [1, 2].map(() =>
			findConsequences({ steps: [tagging(alice), tagging(bob)], waiting: [] }, { access, readAtMs: noon }, unread),
		);
		expect(first?.impact).toMatchObject([{ change: "alone", userIds: [alice, bob] }]);
		expect(again).toEqual(first);
		expect(again?.impact).not.toBe(first?.impact);
	});

	it("are judged apart for other steps, another user, another access, and another time where a policy has one", () => {
		const access = makeAccess();
		const first = find(access);
		expect(find(access, tagging(bob)).impact).toMatchObject([{ change: "alone", userIds: [bob] }]);
		expect(find(access, tagging(alice), noon, bob).submitterId).toBe(bob);
		expect(find(makeAccess()).impact).not.toBe(first.impact);
		const timed = makeAccess(closed);
		expect(find(timed, tagging(alice), noon - 1).impact).toMatchObject([{ change: "alone", userIds: [alice] }]);
		expect(find(timed).impact).toEqual([]);
	});

	it("have the names of the tags as they are now", () => {
		const access = makeAccess();
		const named = (name: string) =>
			find(access, tagging(alice), noon, alice, {
				userTags: { known: true, value: [{ id: tag, name }] },
			} as unknown as typeof unread).tagNames;
		expect([named("signers"), named("payers")]).toEqual([{ [tag]: "signers" }, { [tag]: "payers" }]);
	});
});
