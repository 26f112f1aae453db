import { describe, expect, it } from "vitest";
import type { AccessPolicy, AccessState } from "../../../src/policy/access.ts";
import { compareAccess } from "../../../src/policy/powers/impact.ts";

const [alice, bob, tag] = ["alice", "bob", "tag"];
const policy = (id: string, consensus: string): AccessPolicy => ({
	...{ id, name: id, effect: "EFFECT_ALLOW", consensus, time: "" },
	condition: "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'",
});
const ofTag = policy("of-tag", `approvers.any(user, user.tags.contains('${tag}'))`);
const slip = policy("slip", "approvers.count >= 1");

function accessOf(tagged: readonly string[], policies: readonly AccessPolicy[]): AccessState {
	const userOf = (id: string) => ({
		...{ id, tagIds: { known: true, value: tagged.includes(id) ? [tag] : [] } as const },
		...({ email: { known: true, value: null }, credentials: { known: true, value: [] } } as const),
	});
	return {
		users: { known: true, value: [alice, bob].map(userOf) },
		policies: { known: true, value: policies },
		rootQuorum: { known: true, value: { threshold: 2, userIds: [alice, bob] } },
	};
}

const changesOf = (before: AccessState, after: AccessState) =>
	compareAccess(before, after, 0).findings.map(({ change, userIds }) => [change, ...userIds]);

describe("A power that a policy gives which is not understood may have been there before", () => {
	it("so it is unknown whether another policy newly gives it once that one is removed", () => {
		expect(changesOf(accessOf([], [ofTag, slip]), accessOf([alice], [ofTag]))).toEqual([["unknown"]]);
	});

	it("and is new where every policy is understood", () => {
		expect(changesOf(accessOf([], [ofTag]), accessOf([alice], [ofTag]))).toEqual([["alone", alice]]);
	});
});
