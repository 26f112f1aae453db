/** Drift that no step puts back, because the step was rejected before. */
import { describe, expect, it } from "vitest";
import type { PendingActivity } from "../../../src/plan/activities/pending.ts";
import { makeThreeWay, type ThreeWay } from "../../../src/plan/base/three-way.ts";
import { holdThreeWay } from "../../../src/plan/decide.ts";
import { makePlan, type Plan, type PlanContext } from "../../../src/plan/plan.ts";
import { pendingFor } from "../support-access.ts";
import {
	at,
	context,
	desiredOf,
	id,
	known,
	liveOf,
	liveTag,
	nothingExpected,
	type Sections,
	wantTag,
} from "../support-organizations.ts";

const [alice, bob] = [id("user", 1), id("user", 2)];
const byId = (number: number, name: string, ...members: readonly string[]) =>
	wantTag(name, { id: id("tag", number), members: { mode: "exactly", exactly: members } });
const profile = (name: string): Sections["expect"] => ({
	...nothingExpected,
	sessionProfiles: [{ id: id("other", 1), fields: { name }, at }],
});

/** One tag has a member too many, one has another name, one is as the head wants it, and a session profile is called otherwise. */
const live = liveOf({
	userTags: known([
		liveTag(1, "gained", { members: known([bob]) }),
		liveTag(2, "renamed by others"),
		liveTag(3, "accepted", { members: known([alice]) }),
	]),
	sessionProfiles: { [id("other", 1)]: known({ sessionProfileName: "night" }) },
});
const base = desiredOf({
	userTags: [byId(3, "accepted"), byId(1, "gained"), byId(2, "name")],
	expect: profile("day"),
});
const head = desiredOf({
	userTags: [byId(3, "accepted", alice), byId(1, "gained"), byId(2, "third name")],
	expect: profile("day"),
});

function held(parts: Partial<PlanContext> = {}): ThreeWay {
	const threeWay = makeThreeWay({ name: "main", desired: base }, head, live);
	return holdThreeWay(threeWay, makePlan(head, live, { ...context, ...parts }));
}
const fates = ({ drifted }: ThreeWay) =>
	Object.fromEntries(drifted.map(({ address, what, fate }) => [`${address} ${what}`, fate]));
const reverts = (threeWay: ThreeWay) => threeWay.reverts.map(({ address, what }) => `${address} ${what}`);
const plan: Plan = makePlan(head, live, context);
const rejectedOf = (address: string): PendingActivity => {
	const index = plan.steps.findIndex(({ covers }) => covers.some((one) => one.address === address));
	return pendingFor(plan, index, { state: "rejected", status: "ACTIVITY_STATUS_REJECTED" });
};
const everything = {
	"userTag:gained member-gained": "reverted",
	"userTag:third name renamed": "replaced",
	"userTag:accepted member-gained": "accepted",
	[`sessionProfile:${id("other", 1)} field`]: "remains",
};

describe("drift in a three-way plan", () => {
	it("is put back, replaced, accepted or remains where no step was rejected", () => {
		expect(plan.steps).toHaveLength(2);
		expect(fates(held())).toEqual(everything);
		expect(reverts(held())).toEqual(["userTag:gained remove-member"]);
	});

	it("is held where the step that would put it back was rejected", () => {
		const found = held({ rejected: [rejectedOf("userTag:gained")] });
		expect(fates(found)).toEqual({ ...everything, "userTag:gained member-gained": "held" });
		expect(reverts(found)).toEqual([]);
	});

	it("is held where the step that would replace it was rejected, and other drift is still put back", () => {
		const found = held({ rejected: [rejectedOf("userTag:third name")] });
		expect(fates(found)).toEqual({ ...everything, "userTag:third name renamed": "held" });
		expect(reverts(found)).toEqual(["userTag:gained remove-member"]);
	});

	it("is put back by a rejected step that is submitted again", () => {
		const found = held({ rejected: [rejectedOf("userTag:gained")], retryRejected: true });
		expect(fates(found)).toEqual(everything);
	});

	it("stays accepted or as it is at an address whose step was rejected for another reason", () => {
		// The name of the tag is accepted as it is; the step that was rejected changes its members.
		const named = desiredOf({ userTags: [byId(2, "name")] });
		const other = desiredOf({ userTags: [byId(2, "renamed by others", alice)] });
		const wanted = makePlan(other, live, context);
		const rejected = [pendingFor(wanted, 0, { state: "rejected", status: "ACTIVITY_STATUS_REJECTED" })];
		const threeWay = makeThreeWay({ name: "main", desired: named }, other, live);
		const found = holdThreeWay(threeWay, makePlan(other, live, { ...context, rejected }));
		expect(fates(found)).toEqual({ "userTag:renamed by others renamed": "accepted" });
	});
});
