/** A vote is cast exactly once: after lost answers, in two processes, by two users, and again only when it has lapsed. */
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ConfigurationError, StorageError } from "../../../src/common/errors.ts";
import type { ReturnedActivity } from "../../../src/plan/activities/reviewed-activity.ts";
import { openJournal } from "../../../src/sync/journal/file.ts";
import { readReturnedActivity } from "../../../src/sync/submit/returned-activity.ts";
import { hasVoted, type VoteContext, voteOnce } from "../../../src/sync/submit/vote-once.ts";
import type { Voter } from "../../../src/wire/client.ts";
import { approvals, submits } from "../../../src/wire/operations.ts";
import { encodeSubmit, type RequestBody } from "../../../src/wire/request-body.ts";
import { organizationId } from "../../plan/support-organizations.ts";
import {
	acme,
	adminId,
	approverId,
	approverStamper,
	Bench,
	bob,
	minuteMs,
	signers,
	strangerStamper,
} from "../support.ts";
import { voteContextOf } from "./vote-support.ts";

const hourMs = 60 * minuteMs;
const needed = { ACTIVITY_TYPE_UPDATE_USER_TAG: 3 };
let bench: Bench;

beforeAll(async () => {
	bench = await Bench.start([acme()]);
});
beforeEach(async () => {
	await bench.reset(acme());
	await bench.emulator.setRules(organizationId, { approvals: needed });
});
afterAll(() => bench.close());

/** The admin adds bob to the signers, which needs other approvals too. */
async function submit(): Promise<string> {
	const parameters = { userTagId: signers, addUserIds: [bob], removeUserIds: [] };
	const answer = await bench
		.client()
		.submitter.submit(encodeSubmit(submits.update_user_tag, organizationId, parameters, bench.nowMs));
	return answer.kind === "activity" ? answer.activity.id : "";
}

const contextOf = (parts?: Partial<VoteContext>) => voteContextOf(bench, parts);

async function read(activityId: string): Promise<ReturnedActivity> {
	const found = await readReturnedActivity(organizationId, activityId, bench.client().reader);
	if (found === undefined) throw new Error("there is no such activity");
	return found.activity;
}

async function vote(activityId: string, parts: Partial<VoteContext> = {}) {
	return voteOnce("approve_activity", await read(activityId), contextOf(parts));
}

const ballots = () =>
	bench.emulator.state(organizationId).activities.filter(({ type }) => String(type).includes("APPROVE_ACTIVITY"));
const sentVotes = () => bench.emulator.requests().filter(({ operation }) => operation === "approve_activity");

describe("a vote", () => {
	it.each([
		"own",
		"target",
	] as const)("counts when it is read among those of its activity, whichever activity answers it: %s", async (voteAnswer) => {
		await bench.emulator.setRules(organizationId, { approvals: needed, voteAnswer });
		const activityId = await submit();
		expect(await vote(activityId)).toMatchObject({ outcome: "awaiting-approval", isCounted: true, isSent: true });
		expect((await read(activityId)).votes.map(({ userId }) => userId)).toEqual([adminId, approverId]);
		const journal = await openJournal(":memory:");
		expect(await vote(activityId, { journal })).toMatchObject({ isCounted: true, isSent: false });
		journal.close();
		expect(sentVotes().length).toBe(1);
	});

	it("is not cast again while it counts, and is cast again once it has lapsed", async () => {
		const activityId = await submit();
		await vote(activityId);
		bench.nowMs += 24 * hourMs - 1;
		expect(await vote(activityId)).toMatchObject({ isSent: false, isCounted: true });
		bench.nowMs += 1;
		expect(await vote(activityId)).toMatchObject({ isSent: true, isCounted: true });
		expect(ballots().length).toBe(2);
	});

	it("of which the journal knows that it counted is not cast again, whatever an answer leaves out", async () => {
		const activityId = await submit();
		const before = await read(activityId);
		await vote(activityId);
		expect(await voteOnce("approve_activity", before, contextOf())).toMatchObject({ isSent: false, isCounted: true });
		expect(sentVotes().length).toBe(1);
	});

	it("is cast again once it has lapsed, although it was first read long after it was cast", async () => {
		const activityId = await submit();
		const before = await read(activityId);
		bench.emulator.addFault({ operation: "approve_activity", fault: "drop-after", count: 20 });
		bench.emulator.addFault({ operation: "get_activity", fault: "drop-before", count: 20 });
		expect(await voteOnce("approve_activity", before, contextOf())).toMatchObject({ outcome: "unknown" });
		bench.emulator.clearFaults();
		bench.nowMs += 50 * minuteMs;
		expect(await voteOnce("approve_activity", before, contextOf())).toMatchObject({ isCounted: true });
		expect(ballots().length).toBe(1);
		bench.nowMs += 24 * hourMs - 40 * minuteMs;
		expect(await vote(activityId)).toMatchObject({ isSent: true, isCounted: true });
		expect(ballots().length).toBe(2);
	});

	it("whose answer is lost is settled by reading", async () => {
		const activityId = await submit();
		bench.emulator.addFault({ operation: "approve_activity", fault: "drop-after", count: 20 });
		expect(await vote(activityId)).toMatchObject({ isCounted: true, isSent: true });
		expect(ballots().length).toBe(1);
	});

	it("that did not arrive is sent with new bytes only when the old ones are too old to arrive", async () => {
		const activityId = await submit();
		bench.emulator.addFault({ operation: "approve_activity", fault: "drop-before", count: 20 });
		await vote(activityId);
		bench.emulator.clearFaults();
		bench.emulator.clearRequests();
		bench.nowMs += 61 * minuteMs;
		expect(await vote(activityId)).toMatchObject({ outcome: "unknown", isSent: false });
		expect(sentVotes()).toEqual([]);
		bench.nowMs += 11 * minuteMs;
		expect(await vote(activityId)).toMatchObject({ isCounted: true, isSent: true });
		expect(ballots().length).toBe(1);
	});

	it("of two processes of one user at once is one vote", async () => {
		const activityId = await submit();
		const target = await read(activityId);
		const other = await openJournal(bench.journalFile);
		const results = await Promise.all([
			voteOnce("approve_activity", target, contextOf()),
			voteOnce("approve_activity", target, contextOf({ journal: other })),
		]);
		other.close();
		expect(results).toMatchObject([{ isCounted: true }, { isCounted: true }]);
		expect(ballots().length).toBe(1);
	});

	it("whose bytes another user sent first is cast with other bytes", async () => {
		const activityId = await submit();
		bench.nowMs += 24 * hourMs;
		const bodies: RequestBody[] = [];
		const silent: Voter = {
			vote: async (body) => {
				bodies.push(body);
				return { kind: "unknown", because: "no answer", requests: 1 };
			},
		};
		await vote(activityId, { voter: silent });
		for (const body of bodies) await bench.client().voter.vote(body);
		expect(await vote(activityId)).toMatchObject({ outcome: "failed", isCounted: false, isSent: true });
		expect(await vote(activityId)).toMatchObject({ isCounted: true });
		expect((await read(activityId)).votes.map(({ userId }) => userId)).toEqual([adminId, adminId, approverId]);
	});

	it("of a credential that is not that of the queries counts by its bytes", async () => {
		const activityId = await submit();
		const parts = { stampsApart: true, identity: { userId: adminId, publicKey: null } };
		bench.nowMs += 24 * hourMs;
		expect(await vote(activityId, parts)).toMatchObject({ isCounted: true, outcome: "awaiting-approval" });
		expect((await read(activityId)).votes.map(({ userId }) => userId)).toEqual([adminId, approverId]);
		expect(await vote(activityId, parts)).toMatchObject({ isSent: false, isCounted: true });
	});

	it("that the service refuses is denied, or failed, and another follows when it is asked for again", async () => {
		const activityId = await submit();
		await bench.emulator.setRules(organizationId, { deny: [{ type: "ACTIVITY_TYPE_APPROVE_ACTIVITY" }] });
		expect(await vote(activityId)).toMatchObject({ outcome: "denied", isCounted: false });
		await bench.emulator.setRules(organizationId, {});
		expect(await vote(activityId)).toMatchObject({ isCounted: true });
		const { voter } = bench.client({ stamper: strangerStamper });
		expect(await vote(await submit(), { voter, identity: { userId: "x", publicKey: null } })).toMatchObject({
			...{ outcome: "denied", isFatal: true, keyNotAccepted: true },
		});
	});

	it("on an activity that ended meanwhile shows how it ended", async () => {
		const activityId = await submit();
		const before = await read(activityId);
		const { voter } = bench.client();
		await voter.vote(
			encodeSubmit(approvals.reject_activity, organizationId, { fingerprint: before.fingerprint }, bench.nowMs),
		);
		expect(await voteOnce("approve_activity", before, contextOf())).toMatchObject({
			outcome: "rejected",
			isCounted: false,
		});
		expect(await voteOnce("reject_activity", before, contextOf())).toMatchObject({
			outcome: "rejected",
			isCounted: true,
		});
	});

	it("is not sent for an activity that was read as ended", async () => {
		const ended = { ...(await read(await submit())), status: "ACTIVITY_STATUS_COMPLETED" };
		const results = [
			await voteOnce("approve_activity", ended, contextOf()),
			await voteOnce("reject_activity", ended, contextOf()),
		];
		expect(results).toMatchObject([
			{ outcome: "completed", isCounted: true, isSent: false },
			{ outcome: "completed", isCounted: false, isSent: false },
		]);
		expect(sentVotes()).toEqual([]);
	});

	it("is not sent if the journal cannot record it", async () => {
		const target = await read(await submit());
		bench.journal.close();
		await expect(voteOnce("approve_activity", target, contextOf())).rejects.toThrow("the journal");
		bench.journal = await openJournal(bench.journalFile);
		expect(sentVotes()).toEqual([]);
	});

	it.each([
		["target", `sha256:${"0".repeat(64)}`],
		["operation", "reject_activity"],
		["timestamp_ms", 5],
		["bytes", "{}"],
		["outcome", "surely"],
	])("whose row in the journal has another %s is refused by name, and nothing is submitted", async (column, value) => {
		const target = await read(await submit());
		bench.emulator.addFault({ operation: "approve_activity", fault: "drop-before", count: 20 });
		await voteOnce("approve_activity", target, contextOf());
		bench.emulator.clearRequests();
		const database = new DatabaseSync(bench.journalFile);
		database.prepare(`UPDATE votes SET ${column} = ?`).run(value);
		const [row] = database.prepare("SELECT fingerprint FROM votes").all();
		database.close();
		const again = () =>
			voteOnce(
				column === "operation" ? "reject_activity" : "approve_activity",
				column === "target" ? { ...target, fingerprint: String(value) } : target,
				contextOf(),
			);
		await expect(again()).rejects.toThrow(`the vote ${row?.fingerprint} in the journal does not agree with itself`);
		expect(sentVotes()).toEqual([]);
	});

	it("is known by the key of the voter, where the user is not known", async () => {
		const activityId = await submit();
		const identity = { userId: null, publicKey: approverStamper.publicKey };
		expect(await vote(activityId, { identity })).toMatchObject({ isCounted: true, isSent: true });
		const journal = await openJournal(":memory:");
		expect(await vote(activityId, { identity, journal })).toMatchObject({ isCounted: true, isSent: false });
		const target = await read(activityId);
		const none = { ...target, votes: target.votes.map((one) => ({ ...one, publicKey: null })) };
		expect(hasVoted(target, "approve_activity", identity, bench.nowMs)).toBe(true);
		expect(hasVoted(target, "reject_activity", identity, bench.nowMs)).toBe(false);
		expect(hasVoted(none, "approve_activity", identity, bench.nowMs)).toBe(false);
		expect(hasVoted(none, "approve_activity", { userId: null, publicKey: null }, bench.nowMs)).toBe(false);
		expect(hasVoted(target, "approve_activity", { userId: "x", publicKey: identity.publicKey }, bench.nowMs)).toBe(
			false,
		);
		journal.close();
	});

	it("that cannot be sent is fatal and leaves nothing in doubt, so that other bytes may follow", async () => {
		const activityId = await submit();
		const refusing = (error: Error): Voter => ({ vote: () => Promise.reject(error) });
		const unstamped = new ConfigurationError("the key is gone");
		for (const voter of [
			refusing(unstamped),
			{ vote: async () => ({ kind: "not-sent", because: "the key is gone", requests: 0 }) } satisfies Voter,
		]) {
			expect(await vote(activityId, { voter })).toMatchObject({
				...{ outcome: "not-attempted", isSent: false, isCounted: false, isFatal: true, keyNotAccepted: false },
				message: "the key is gone",
			});
		}
		await expect(vote(activityId, { voter: refusing(new RangeError("a mistake")) })).rejects.toThrow("a mistake");
		bench.nowMs += 72 * minuteMs;
		expect(await vote(activityId)).toMatchObject({ isCounted: true, isSent: true });
		expect(ballots().length).toBe(1);
	});

	it("that counts stays so though the journal cannot record it, and the message says why", async () => {
		const activityId = await submit();
		const failing = (error: Error): VoteContext["journal"] => ({
			claimVote: bench.journal.claimVote,
			recordVote: () => {
				throw error;
			},
		});
		expect(await vote(activityId, { journal: failing(new StorageError("the disk is full")) })).toMatchObject({
			...{ outcome: "awaiting-approval", isCounted: true, isSent: true, message: "the disk is full" },
		});
		bench.nowMs += minuteMs;
		const other = await submit();
		await expect(vote(other, { journal: failing(new RangeError("a mistake")) })).rejects.toThrow("a mistake");
	});

	it("waits for an activity that the service is processing", async () => {
		await bench.emulator.setRules(organizationId, {
			approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 },
			pendingMs: { ACTIVITY_TYPE_UPDATE_USER_TAG: 5000 },
		});
		const activityId = await submit();
		expect(await vote(activityId, { waitMs: 30_000 })).toMatchObject({ outcome: "completed" });
	});
});
