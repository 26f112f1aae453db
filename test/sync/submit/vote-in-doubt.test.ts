/** Votes of which no answer shows what became: only the same bytes follow, and what is read decides. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ReturnedActivity } from "../../../src/plan/activities/reviewed-activity.ts";
import { readReturnedActivity } from "../../../src/sync/submit/returned-activity.ts";
import { type VoteContext, voteOnce } from "../../../src/sync/submit/vote-once.ts";
import { readActivity } from "../../../src/wire/activity.ts";
import type { Reader, SubmitAnswer, Voter } from "../../../src/wire/client.ts";
import { approvals, submits } from "../../../src/wire/operations.ts";
import { encodeSubmit, type RequestBody } from "../../../src/wire/request-body.ts";
import { organizationId } from "../../plan/support-organizations.ts";
import { acme, approverId, approverStamper, Bench, bob, minuteMs, signers } from "../support.ts";
import { refused } from "./submit-support.ts";
import { voteContextOf } from "./vote-support.ts";

let bench: Bench;
let target: ReturnedActivity;

beforeAll(async () => {
	bench = await Bench.start([acme()]);
});
beforeEach(async () => {
	await bench.reset(acme());
	await bench.emulator.setRules(organizationId, { approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 3 } });
	const parameters = { userTagId: signers, addUserIds: [bob], removeUserIds: [] };
	const body = encodeSubmit(submits.update_user_tag, organizationId, parameters, bench.nowMs);
	const answer = await bench.client().submitter.submit(body);
	const found = await readReturnedActivity(
		organizationId,
		answer.kind === "activity" ? answer.activity.id : "",
		bench.client().reader,
	);
	if (found === undefined) throw new Error("there is no such activity");
	target = found.activity;
});
afterAll(() => bench.close());

const contextOf = (parts?: Partial<VoteContext>) => voteContextOf(bench, parts);

const vote = (parts: Partial<VoteContext> = {}) => voteOnce("approve_activity", target, contextOf(parts));

/** A voter that does not reach the service, and what it was given. */
function hears(answer: SubmitAnswer | ((body: RequestBody) => SubmitAnswer)) {
	const bodies: RequestBody[] = [];
	const voter: Voter = {
		vote: async (body) => {
			bodies.push(body);
			return typeof answer === "function" ? answer(body) : answer;
		},
	};
	return { voter, bodies };
}

const noAnswer: SubmitAnswer = { kind: "unknown", because: "no answer came", requests: 1 };

/** The activity of a vote as the service answers it: with these votes, and the fingerprint of the vote or another. */
function accepted(votes: readonly object[] = [], fingerprint?: string) {
	return (body: RequestBody): SubmitAnswer => {
		const activity = readActivity(body.operation, { fingerprint: fingerprint ?? body.fingerprint, votes });
		return { kind: "activity", activity, serverTimeMs: undefined, requests: 1 };
	};
}

/** A reader that gets each query, and can give another activity for an answer. */
function readerWith(change: (record: Readonly<Record<string, unknown>>, count: number) => unknown): Reader {
	const { reader } = bench.client({ stamper: approverStamper });
	let count = 0;
	return {
		query: async (...question) => {
			const answer = await reader.query(...question);
			count += 1;
			const activity = change(answer.value.activity as Readonly<Record<string, unknown>>, count);
			return { ...answer, value: { ...answer.value, activity } } as typeof answer;
		},
	};
}

describe("a vote in doubt", () => {
	it("says why, and is sent again with the same bytes", async () => {
		const lost = hears(noAnswer);
		expect(await vote(lost)).toMatchObject({
			...{ outcome: "unknown", isCounted: false, isSent: true, isFatal: false, keyNotAccepted: false },
			message: "no answer came; run the command again to find out: it sends the same vote",
		});
		const again = hears(noAnswer);
		await vote(again);
		expect(again.bodies).toEqual(lost.bodies);
	});

	it.each<[string, SubmitAnswer]>([
		["a refusal, which may be about the second attempt", refused(400)],
		["a key that is gone", { kind: "not-sent", because: "the key is gone", requests: 0 }],
	])("stays so after %s: the same bytes follow", async (_what, answer) => {
		const lost = hears(noAnswer);
		await vote(lost);
		await vote(hears(answer));
		const again = hears(noAnswer);
		await vote(again);
		expect(again.bodies).toEqual(lost.bodies);
	});

	it("is not sent in the last minute in which its bytes are accepted, and no other is", async () => {
		const first = hears(noAnswer);
		await vote(first);
		const again = hears(noAnswer);
		const madeAtMs = first.bodies[0]?.timestampMs ?? 0;
		bench.nowMs = madeAtMs + 59 * minuteMs;
		expect(await vote(again)).toMatchObject({ outcome: "unknown", isSent: false });
		expect(again.bodies).toEqual([]);
		bench.nowMs -= 1;
		expect(await vote(again)).toMatchObject({ outcome: "unknown", isSent: true });
		expect(again.bodies).toEqual(first.bodies);
	});

	it("whose bytes were refused leaves no doubt, so that other bytes follow", async () => {
		const first = hears(refused(403, 7));
		expect(await vote(first)).toMatchObject({
			...{ outcome: "denied", isSent: true, isFatal: false, keyNotAccepted: false },
			message: "the service does not want it",
		});
		const second = hears(noAnswer);
		await vote(second);
		expect(second.bodies[0]?.fingerprint).not.toBe(first.bodies[0]?.fingerprint);
	});
});

describe("a vote that the service accepted", () => {
	it("is looked for among those of its activity for a few seconds", async () => {
		const startedMs = bench.nowMs;
		const reader = readerWith((record, count) => (count < 4 ? { ...record, votes: [] } : record));
		expect(await vote({ reader })).toMatchObject({ isCounted: true, isSent: true });
		expect(bench.nowMs - startedMs).toBe(100 + 200 + 400);
	});

	it("is in doubt where the service shows another activity in the place of its own", async () => {
		const reader = readerWith((record) => ({ ...record, fingerprint: `sha256:${"0".repeat(64)}` }));
		expect(await vote({ reader })).toMatchObject({
			...{ outcome: "unknown", isCounted: false, activity: target },
			message: expect.stringContaining("the service accepted the vote, and does not show its activity"),
		});
	});

	it.each([
		["has votes of others, for its answer is the activity itself", [{ userId: bob }], () => target.fingerprint],
		["has votes without a user", [{}], () => undefined],
		["has no votes", [], () => undefined],
	])("is in doubt where its activity %s", async (_what, votes, fingerprintOf) => {
		expect(await vote(hears(accepted(votes, fingerprintOf())))).toMatchObject({
			...{ outcome: "unknown", isCounted: false },
			message: expect.stringContaining(
				"the service accepted the vote, and does not show it among those of its activity",
			),
		});
	});

	it("is another user's where its own activity has only that one's vote", async () => {
		expect(await vote(hears(accepted([{ userId: bob.toUpperCase() }])))).toMatchObject({ outcome: "failed" });
		expect(await vote(hears(accepted([{ userId: approverId.toUpperCase() }])))).toMatchObject({ outcome: "unknown" });
	});
});

describe("a vote that counted when it was last read", () => {
	it("is sent again after a day, where the service lists no votes", async () => {
		expect(await vote()).toMatchObject({ isCounted: true, isSent: true });
		const dayMs = 24 * 60 * minuteMs;
		bench.nowMs += dayMs - 1;
		const none = hears(noAnswer);
		expect(await vote(none)).toMatchObject({ isCounted: true, isSent: false });
		bench.nowMs += 1;
		await vote(none);
		expect(none.bodies).toHaveLength(1);
	});
});

describe("a vote without a time", () => {
	it("counts as long as the service lists it, so no other is sent", async () => {
		await vote();
		const reader = readerWith((record) => ({
			...record,
			votes: (record.votes as readonly object[]).map((one) => ({ ...one, createdAt: undefined })),
		}));
		const read = await readReturnedActivity(organizationId, target.activityId, reader);
		if (read === undefined) throw new Error("there is no such activity");
		bench.nowMs += 25 * 60 * minuteMs;
		const none = hears(noAnswer);
		expect(await voteOnce("approve_activity", read.activity, contextOf(none))).toMatchObject({
			...{ isCounted: true, isSent: false },
		});
		expect(none.bodies).toEqual([]);
	});
});

describe("the result of a vote", () => {
	it("has the activity as it was read after the vote, where that ended meanwhile", async () => {
		const fields = { fingerprint: target.fingerprint };
		const body = encodeSubmit(approvals.reject_activity, organizationId, fields, bench.nowMs);
		await bench.client().voter.vote(body);
		expect(await vote()).toMatchObject({ activity: { status: "ACTIVITY_STATUS_REJECTED" } });
	});
});
