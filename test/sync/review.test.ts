/** What a person is shown before a vote: what activities would do, who they are about, and whose key it is. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { DesiredOrganization } from "../../src/plan/organization.ts";
import { readMembers } from "../../src/sync/read/read-members.ts";
import { withServiceClock } from "../../src/sync/read/service-clock.ts";
import { type ReviewOptions, reviewActivities } from "../../src/sync/review.ts";
import { listVotable } from "../../src/sync/submit/returned-activity.ts";
import { submits } from "../../src/wire/operations.ts";
import { encodeSubmit } from "../../src/wire/request-body.ts";
import { organizationId } from "../plan/support-organizations.ts";
import {
	acme,
	adminId,
	alice,
	approverId,
	approverStamper,
	Bench,
	bob,
	policies,
	signers,
	wantSigners,
} from "./support.ts";

let bench: Bench;
beforeAll(async () => {
	bench = await Bench.start([acme()]);
});
beforeEach(async () => {
	await bench.reset(acme());
	const approvals = { ACTIVITY_TYPE_UPDATE_USER_TAG: 2, ACTIVITY_TYPE_DELETE_POLICIES: 2 };
	await bench.emulator.setRules(organizationId, { approvals });
});
afterAll(() => bench.close());

/** The admin adds bob to the signers and removes a policy; both are pending. */
async function submitBoth(): Promise<void> {
	for (const [operation, parameters] of [
		["update_user_tag", { userTagId: signers, addUserIds: [bob], removeUserIds: [] }],
		["delete_policies", { policyIds: [policies[0]] }],
	] as const) {
		await bench.client().submitter.submit(encodeSubmit(submits[operation], organizationId, parameters, bench.nowMs++));
	}
}

/** The approver reviews what is pending. */
async function review(desired?: DesiredOrganization, parts: Partial<ReviewOptions> = {}) {
	const reader = bench.reader(bench.client({ stamper: approverStamper }));
	const listed = await listVotable(organizationId, reader);
	const clocked = withServiceClock(reader, () => bench.nowMs);
	bench.emulator.clearRequests();
	return reviewActivities(organizationId, listed?.activities ?? [], clocked, {
		...{ desired, steps: [], now: () => bench.nowMs, publicKey: () => approverStamper.publicKey.toUpperCase() },
		...parts,
	});
}
const asked = () =>
	bench
		.requests("query")
		.map(({ operation }) => operation)
		.sort();

describe("a review", () => {
	it("shows what each activity would change, and what all of them would together", async () => {
		await submitBoth();
		const { activities, planTogether, live } = await review();
		expect(activities.map(({ effect }) => effect?.changes.map(({ address }) => address))).toEqual([
			["userTag:signers"],
			[`policy:${policies[0]}`],
		]);
		expect(planTogether(activities)?.changes).toHaveLength(2);
		expect(planTogether(activities.slice(1))?.changes).toHaveLength(1);
		expect(planTogether([])).toBeNull();
		expect(live.userTags.known && live.userTags.value.map(({ name }) => name)).toContain("signers");
	});

	it("knows whose key it is, how users are named, and the name of the organization", async () => {
		await bench.reset({ ...acme(), organizationName: "Acme" });
		await bench.emulator.setRules(organizationId, { approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } });
		await submitBoth();
		const { identity, liveNames, organizationName, desired, activities } = await review();
		expect(identity).toEqual({ userId: approverId, publicKey: approverStamper.publicKey });
		expect(liveNames).toMatchObject({ [bob]: "bob", [adminId]: "admin" });
		expect(liveNames).not.toHaveProperty(alice);
		expect([organizationName, desired]).toEqual(["Acme", undefined]);
		expect(activities[0]?.effect?.liveOrganizationName).toBe("Acme");
		const unknown = await review(undefined, { publicKey: () => undefined });
		expect(unknown.identity).toEqual({ userId: approverId, publicKey: null });
	});

	it("asks nothing about objects where no activity names one", async () => {
		const { activities, liveNames } = await review();
		expect([activities, liveNames]).toEqual([[], undefined]);
		expect(asked()).toEqual(["whoami"]);
	});

	it("reads the objects of the document and of the steps of a saved plan too", async () => {
		await submitBoth();
		const { comparison } = await bench.run(wantSigners(alice, bob));
		const [step] = comparison.plan.steps;
		if (step === undefined) throw new Error("there is no step");
		const { isDone, desired, live } = await review(wantSigners(alice, bob), { steps: [step] });
		expect(isDone(step)).toBe(false);
		expect(desired?.objects).toHaveLength(1);
		expect(live.userTags.known).toBe(true);
		await bench.emulator.setRules(organizationId, {});
		const body = encodeSubmit(submits.update_user_tag, organizationId, step.parameters, bench.nowMs + 1);
		expect(await bench.client().submitter.submit(body)).toMatchObject({
			activity: { status: "ACTIVITY_STATUS_COMPLETED" },
		});
		expect((await review(wantSigners(alice, bob), { steps: [step] })).isDone(step)).toBe(true);
	});

	it("shows an activity that was read again as it is now, at that time", async () => {
		await submitBoth();
		const { activities, reviewAgain, serviceNowMs } = await review();
		const listed = await listVotable(organizationId, bench.reader(bench.client()));
		const [first] = listed?.activities ?? [];
		if (first === undefined) throw new Error("nothing is pending");
		expect(reviewAgain(first, serviceNowMs)).toEqual(activities[0]);
		const dayMs = 24 * 60 * 60 * 1000;
		expect(activities[0]?.votes.map(({ counts }) => counts)).toEqual([true]);
		expect(reviewAgain(first, serviceNowMs + dayMs).votes.map(({ counts }) => counts)).toEqual([false]);
	});
});

describe("the members that are read before a document is edited", () => {
	const read = (reads: "auto" | "documented", parts = {}) => {
		const reader = { ...bench.reader(bench.client()), ...parts };
		return readMembers(organizationId, reader, { reads, now: () => bench.nowMs });
	};

	it("are those of each tag with the names of users, by two queries, at the service's time", async () => {
		const { userTags, userNames, timeMs } = await read("auto");
		expect(userTags.find(({ id }) => id === signers)).toMatchObject({ members: { known: true, value: [alice] } });
		expect(userNames).toMatchObject({ known: true, value: { [alice]: "alice" } });
		expect(timeMs).toBe(Math.floor(bench.nowMs / 1000) * 1000);
		expect(asked()).toEqual(["list_user_tags", "list_users"]);
	});

	it("are unknown with documented reads, by one query, at our time if the service says none", async () => {
		const { reader } = bench.client();
		const query = async (...words: Parameters<typeof reader.query>) => ({
			...(await reader.query(...words)),
			serverTimeMs: undefined,
		});
		const { userTags, userNames, timeMs } = await read("documented", { query });
		const unknown = { known: false, because: { kind: "extended-reads-off" } };
		expect(userTags.map(({ members }) => members)).toEqual([unknown, unknown, unknown]);
		expect([userNames, timeMs]).toEqual([unknown, bench.nowMs]);
		expect(asked()).toEqual(["list_user_tags"]);
	});
});
