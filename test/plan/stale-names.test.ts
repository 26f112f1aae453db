/** A saved plan is stale where its users are called otherwise by now, or their windows are others: reviewers went by those. */
import { describe, expect, it } from "vitest";
import type { AccessWindow, DesiredOrganization, LiveOrganization } from "../../src/plan/organization.ts";
import { makePlan, type PlanContext } from "../../src/plan/plan.ts";
import { findOutdated } from "../../src/plan/stale.ts";
import { outdatedObject } from "../../src/say/stale.ts";
import {
	at,
	context,
	type DesiredParts,
	desiredOf,
	id,
	known,
	liveOf,
	liveTag,
	nothingAbsent,
	nothingExpected,
	wantTag,
} from "./support-organizations.ts";

const [alice, bob, carol, dave] = [1, 2, 3, 4].map((number) => id("user", number)) as [string, string, string, string];
const liveNames = { [alice]: "Alice", [bob]: "Bob", [carol]: "Carol", [dave]: "Dave" };

function liveWith(names: Readonly<Record<string, string>>, mfaOrder = 1): LiveOrganization {
	return liveOf({
		userTags: known([
			liveTag(1, "signers", { members: known([bob]) }),
			liveTag(2, "others", { members: known([dave]) }),
		]),
		oauthProviders: known([{ userId: carol, id: id("provider", 1), name: "login" }]),
		policies: known([{ id: id("policy", 1), name: "old" }]),
		mfaPolicies: { [dave]: known([{ mfaPolicyId: id("other", 1), mfaPolicyName: "strict", order: mfaOrder }]) },
		users: known(names),
	});
}

/** Gives alice the tag of the signers, removes a provider of carol and a policy, and can only report dave's MFA policy. */
const parts: DesiredParts = {
	userTags: [wantTag("signers", { members: { mode: "exactly", exactly: [alice, bob] } })],
	absent: {
		...nothingAbsent,
		policyIds: [id("policy", 1)],
		oauthProviders: [{ userId: carol, providerIds: [id("provider", 1)] }],
	},
	expect: {
		...nothingExpected,
		mfaPolicies: [{ userId: dave, id: id("other", 1), fields: { order: 2 }, at }],
	},
};

function outdated(now: Readonly<Record<string, string>>, desired: DesiredOrganization = desiredOf(parts)) {
	const [was, live] = [liveWith(liveNames), liveWith(now)];
	const [saved, fresh] = [makePlan(desired, was, context), makePlan(desired, live, context)];
	return findOutdated({ saved, fresh, live }).map(outdatedObject);
}

describe("the names of users", () => {
	it("that are the same leave the plan as it is", () => {
		expect(makePlan(desiredOf(parts), liveWith(liveNames), context).changes.map(({ action }) => action)).toEqual(
			expect.arrayContaining(["update", "remove", "report"]),
		);
		expect(outdated(liveNames)).toEqual([]);
	});

	it.each([
		["adds", alice, "userTag:signers", "Alice"],
		["leaves in the tag", bob, "userTag:signers", "Bob"],
	])("whom a change %s are compared: that change is named with both names", (_what, userId, address, was) => {
		const found = outdated({ ...liveNames, [userId]: "Mallory" });
		const state = { name: "signers", members: [bob] };
		expect(found).toMatchObject([{ address, reason: "changed", before: state, after: state }]);
		expect(found[0]?.because).toMatch(
			new RegExp(
				`^the saved plan shows user ${userId} as ${was} \\(id .*\\), a new plan shows Mallory \\(id .*\\): reviewers went by the name in the saved plan$`,
			),
		);
	});

	it("of whose provider is removed are compared too", () => {
		const address = `oauthProvider:${carol}/${id("provider", 1)}`;
		expect(outdated({ ...liveNames, [carol]: "Mallory" })).toMatchObject([
			{ address, reason: "changed", before: { name: "login" }, after: { name: "login" } },
		]);
	});

	it("are compared for each change once, in the order of the plan", () => {
		const address = `oauthProvider:${carol}/${id("provider", 1)}`;
		const found = outdated({ [alice]: "A", [bob]: "B", [carol]: "C", [dave]: "D" });
		expect(found.map((one) => one.address)).toEqual(["userTag:signers", address]);
	});

	it("of whom only reported differences are about may change", () => {
		expect(outdated({ ...liveNames, [dave]: "Mallory" })).toEqual([]);
	});

	it("that are live ones may change where the document has an alias of the same name, only if the label does not", () => {
		const named = { ...desiredOf(parts), users: { Alice: alice } };
		expect(outdated(liveNames, named)).toEqual([]);
		expect(outdated({ ...liveNames, [alice]: "Mallory" }, named)).toMatchObject([{ address: "userTag:signers" }]);
	});
});

describe("the windows of users", () => {
	const dayMs = 24 * 3_600_000;
	const timeMs = context.readAtMs;

	/** Bob and carol have the tag, and the plan ends bob's access. */
	function plans(windows: readonly AccessWindow[], more: Partial<PlanContext>, others: readonly AccessWindow[] = []) {
		const users = [bob, carol];
		const desired = desiredOf({
			userTags: [
				wantTag("others", { members: { mode: "atLeast", atLeast: [], never: [], windows: others } }),
				wantTag("signers", { members: { mode: "exactly", exactly: users, windows } }),
			],
		});
		const live = liveOf({
			userTags: known([
				liveTag(1, "signers", { members: known(users) }),
				liveTag(2, "others", { members: known([dave]) }),
			]),
		});
		const [saved, fresh] = [makePlan(desired, live, context), makePlan(desired, live, { ...context, ...more })];
		return { saved, fresh, live, outdated: findOutdated({ saved, fresh, live }).map(outdatedObject) };
	}
	const expired: AccessWindow = { userId: bob, untilMs: timeMs, at };
	const later: AccessWindow = { userId: carol, untilMs: timeMs + dayMs, at };

	it("whom the change does not move are not compared: which of them a plan shows depends on the run", () => {
		const { saved, fresh, outdated: found } = plans([expired, later], { horizonMs: 0 });
		expect(saved.expiries?.map(({ state }) => state)).toEqual(["expired", "ends-soon"]);
		expect(fresh.expiries?.map(({ state }) => state)).toEqual(["expired"]);
		expect(found).toEqual([]);
	});

	it("of another tag are not compared, though the same user has one", () => {
		const notBegun: AccessWindow = { userId: bob, fromMs: timeMs + dayMs, at };
		const { saved, fresh, outdated: found } = plans([expired], { horizonMs: 0 }, [notBegun]);
		expect(saved.expiries?.map(({ address, state }) => [address, state])).toEqual([
			["userTag:signers", "expired"],
			["userTag:others", "not-begun"],
		]);
		expect(fresh.expiries).toHaveLength(1);
		expect(found).toEqual([]);
	});

	it("of a user in the same tag that begin soon are not compared either", () => {
		const notBegun: AccessWindow = { userId: alice, fromMs: timeMs + dayMs, at };
		const { saved, fresh, outdated: found } = plans([expired, notBegun], { horizonMs: 0 });
		expect([saved.expiries?.length, fresh.expiries?.length]).toEqual([2, 1]);
		expect(found).toEqual([]);
	});

	it("whom the change moves are compared", () => {
		const { saved, fresh, live } = plans([expired], {});
		const other = { ...saved, expiries: saved.expiries?.map((one) => ({ ...one, reason: "left" })) ?? [] };
		expect(findOutdated({ saved: other, fresh, live }).map(outdatedObject)).toMatchObject([
			{ address: "userTag:signers", reason: "step-differs" },
		]);
		const { expiries: _expiries, ...without } = saved;
		expect(findOutdated({ saved: without, fresh, live })).toHaveLength(1);
	});
});
