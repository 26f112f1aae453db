/** One request in several hands: two processes that send it, a journal that fails, and bytes that are taken. */
import { describe, expect, it } from "vitest";
import { StorageError } from "../../../src/common/errors.ts";
import { applyPlan } from "../../../src/sync/apply.ts";
import { openJournal } from "../../../src/sync/journal/file.ts";
import { emptyJournal, isNamed, type JournalEntry, knownOutcome } from "../../../src/sync/journal/journal.ts";
import type { ActivityRequest, SubmitContext } from "../../../src/sync/submit/activity-request.ts";
import { submitIndividually } from "../../../src/sync/submit/submit-individually.ts";
import { submitOnce } from "../../../src/sync/submit/submit-once.ts";
import { submits } from "../../../src/wire/operations.ts";
import { encodeSubmit } from "../../../src/wire/request-body.ts";
import { organizationId, withSections } from "../../plan/support-organizations.ts";
import { latestOf, policies, quarterHourMs } from "../support.ts";
import {
	activityOf,
	addBob,
	bench,
	bodyOfAddBob,
	hears,
	keyOfAddBob,
	quarter,
	refused,
	withBob,
} from "./submit-support.ts";

const completed = "ACTIVITY_STATUS_COMPLETED";
const contextOf = (parts: Partial<SubmitContext>): SubmitContext => ({
	...bench.context(),
	serverTimeMs: undefined,
	...parts,
});

describe("a refusal of bytes that another process sent meanwhile", () => {
	/** Another process sends the same bytes while this one waits for its answer. */
	async function submitTwice(parts: Partial<SubmitContext> = {}) {
		const other = await openJournal(bench.journalFile);
		const { submitter: theirs } = hears({ kind: "unknown", because: "no answer came", requests: 1 });
		const submitter = {
			async submit() {
				await submitOnce(addBob, contextOf({ journal: other, submitter: theirs }));
				return refused(400);
			},
		};
		const result = await submitOnce(addBob, contextOf({ submitter, ...parts }));
		other.close();
		return result;
	}

	it("does not say what became of them: the request stays in doubt, and the same bytes follow", async () => {
		expect(await submitTwice()).toMatchObject({
			outcome: "unknown",
			message:
				"the service does not want it; another process has sent the same request, so what became of it is unknown",
		});
		expect(bench.journal.openEntries(organizationId)).toHaveLength(1);
		const { submitter, bodies } = hears((body) => activityOf(body, completed));
		bench.nowMs += quarterHourMs;
		expect(await submitOnce(addBob, contextOf({ submitter }))).toMatchObject({ outcome: "completed" });
		expect(bodies).toEqual([bodyOfAddBob(quarter() - quarterHourMs)]);
	});
});

describe("a journal that cannot record an outcome", () => {
	const failing = (error: unknown) => ({
		...bench.journal,
		recordOutcome: () => {
			throw error;
		},
	});

	it("does not change it: the result has the error beside it, and the entry stays open", async () => {
		const error = new StorageError("the disk is full");
		const { submitter } = hears((body) => activityOf(body, completed));
		const result = await submitOnce(addBob, contextOf({ submitter, journal: failing(error) }));
		expect(result).toMatchObject({ outcome: "completed", journalError: error });
		expect(await latestOf(bench.journal, keyOfAddBob)).toMatchObject({ outcome: "in-flight" });
	});

	it.each([
		["an outcome", "recordOutcome", 1],
		["the bytes of a request", "claim", 0],
	] as const)("stops the run, if it is %s: nothing more is submitted, and what ended is reported", async (_what, fails, count) => {
		const error = new StorageError("the disk is full");
		const fail = () => {
			throw error;
		};
		const journal = {
			...bench.journal,
			...(fails === "claim" ? { claim: async () => fail() } : { recordOutcome: fail }),
		};
		const desired = withSections(withBob, { absent: { policyIds: [policies[0]], oauthProviders: [], tvcAppIds: [] } });
		const comparison = await bench.compare(desired);
		expect(comparison.plan.steps).toHaveLength(2);
		const applied = await applyPlan(comparison, bench.context({ journal, concurrency: 1 }));
		expect(applied).toEqual({ error, steps: expect.anything() as unknown });
		expect("steps" in applied && applied.steps.map(({ outcome }) => outcome)).toEqual(Array(count).fill("completed"));
		expect(bench.requests("submit")).toHaveLength(count);
	});

	it("because of a mistake in the program stops the run", async () => {
		const { submitter } = hears((body) => activityOf(body, completed));
		const journal = failing(new RangeError("a mistake"));
		await expect(submitOnce(addBob, contextOf({ submitter, journal }))).rejects.toThrow(new RangeError("a mistake"));
	});

	it("keeps the parts of a removal after the first from being submitted", async () => {
		const removal: ActivityRequest = {
			...{ organizationId, operation: "delete_policies", parameters: { policyIds: policies }, isUnobservable: true },
			covers: policies.map((id) => ({ address: `policy:${id}`, id })),
		} as const;
		const whole = await submitOnce(removal, contextOf(hears(refused(404, 5))));
		const { submitter, bodies } = hears((body) => activityOf(body, completed));
		const parts = await submitIndividually(
			removal,
			whole,
			contextOf({ submitter, journal: failing(new StorageError("full")) }),
		);
		expect(bodies).toHaveLength(1);
		expect(parts.map(({ id, address, result: { outcome, message } }) => [id, address, outcome, message])).toEqual([
			[policies[0], `policy:${policies[0]}`, "completed", null],
			...policies
				.slice(1)
				.map((id) => [id, `policy:${id}`, "not-attempted", "nothing more was submitted after completed"]),
		]);
	});
});

describe("a request that is submitted for the first time", () => {
	it("is no retry of a rejected one, and neither is one that is asked about again", async () => {
		const { submitter } = hears((body) => activityOf(body, "ACTIVITY_STATUS_CONSENSUS_NEEDED"));
		const first = await submitOnce(addBob, contextOf({ submitter }));
		const again = await submitOnce(addBob, contextOf({ submitter }));
		expect([first.isRetry, again.isRetry]).toEqual([false, false]);
	});

	it("is a retry after a rejected one, if the operator asks for it and it can be sent", async () => {
		const { submitter } = hears((body) => activityOf(body, "ACTIVITY_STATUS_REJECTED"));
		await submitOnce(addBob, contextOf({ submitter }));
		const unsent = hears({ kind: "not-sent", because: "the key is gone", requests: 0 });
		const context = contextOf({ ...unsent, retryRejected: true });
		expect(await submitOnce(addBob, context)).toMatchObject({ outcome: "not-attempted", isRetry: false });
	});
});

describe("a request that is asked about again", () => {
	it.each([
		["no answer came", { kind: "unknown", because: "no answer came", requests: 1 }],
		["the service does not want it", refused(400)],
		["the key is gone", { kind: "not-sent", because: "the key is gone", requests: 0 }],
	] as const)("stays in doubt and says why: %s", async (because, answer) => {
		await submitOnce(addBob, contextOf(hears({ kind: "unknown", because: "lost", requests: 1 })));
		expect(await submitOnce(addBob, contextOf(hears(answer)))).toMatchObject({
			outcome: "unknown",
			message: `it was submitted before and is in doubt, and asking again failed: ${because}`,
		});
	});

	it.each([
		["ACTIVITY_STATUS_PENDING", 4],
		["ACTIVITY_STATUS_CREATED", 4],
		["ACTIVITY_STATUS_CONSENSUS_NEEDED", 1],
		["ACTIVITY_STATUS_FAILED", 1],
	])("is asked about only while the service is processing it: %s", async (status, count) => {
		const { submitter, bodies } = hears((body) => activityOf(body, status));
		await submitOnce(addBob, contextOf({ submitter, waitMs: 700 }));
		expect(bodies).toHaveLength(count);
	});
});

describe("a request whose result the caller needs", () => {
	it("is sent again with the bytes that completed, in the same quarter of an hour only", async () => {
		const { submitter, bodies } = hears((body) => activityOf(body, completed));
		const importKey = { ...addBob, needsResult: true };
		for (const laterMs of [0, 1, quarterHourMs]) {
			bench.nowMs += laterMs;
			expect(await submitOnce(importKey, contextOf({ submitter }))).toMatchObject({
				outcome: "completed",
				requests: 1,
			});
		}
		const [first, second, third] = bodies.map(({ timestampMs }) => timestampMs);
		expect([second, third]).toEqual([first, (first ?? 0) + quarterHourMs]);
	});
});

describe("a new activity for an equal request", () => {
	/** A request that failed with these timestamps. */
	async function failWith(...times: readonly number[]): Promise<void> {
		for (const timestampMs of times) {
			const body = bodyOfAddBob(timestampMs);
			await bench.journal.recordSending(body, keyOfAddBob, [], bench.nowMs);
			bench.journal.recordOutcome(body.fingerprint, "failed", "an activity", bench.nowMs);
		}
	}
	const timesOf = async (request: ActivityRequest): Promise<readonly number[]> => {
		const { submitter, bodies } = hears((body) => activityOf(body, completed));
		await submitOnce(request, contextOf({ submitter }));
		return bodies.map(({ timestampMs }) => timestampMs - bench.nowMs);
	};

	it("is submitted where an equal one failed while the organization was read, and not where it completed then", async () => {
		const readPosition = bench.journal.position();
		await failWith(quarter());
		const { submitter, bodies } = hears((body) => activityOf(body, completed));
		expect(await submitOnce(addBob, contextOf({ submitter, readPosition }))).toMatchObject({
			outcome: "completed",
			requests: 1,
		});
		expect(await submitOnce(addBob, contextOf({ submitter, readPosition }))).toMatchObject({
			outcome: "completed",
			requests: 0,
		});
		expect(bodies).toHaveLength(1);
	});

	it("has the first time of this quarter of an hour that no earlier request has, whatever the minute", async () => {
		await failWith(quarter(), quarter() + 1);
		bench.nowMs += 60_000;
		expect(await timesOf(addBob)).toEqual([quarter() + 2 - bench.nowMs]);
	});

	it.each([
		["now", 0, 0],
		["a moment ago", -1, -1],
		["almost a quarter of an hour ago", 1 - quarterHourMs, 1 - quarterHourMs],
		["a quarter of an hour ago", -quarterHourMs, "free"],
		["in the future", 1, "free"],
	])("has the time at which its object was changed, if that is recent: %s", async (_when, changed, time) => {
		await failWith(quarter());
		const expected = time === "free" ? quarter() + 1 - bench.nowMs : time;
		expect(await timesOf({ ...addBob, objectChangedAtMs: bench.nowMs + changed })).toEqual([expected]);
	});
});

describe("an entry of the journal", () => {
	const body = encodeSubmit(submits.delete_policies, organizationId, { policyIds: ["p"] }, 1);
	const entry = { body, activityId: "an-id" } as JournalEntry;

	it("is in doubt as long as its outcome is not known, and when it was abandoned", () => {
		expect(
			(["in-flight", "abandoned", "failed", "completed"] as const).map((outcome) => knownOutcome({ outcome })),
		).toEqual([...["unknown", "unknown", "failed", "completed"]]);
	});

	it("is named by its activity or its fingerprint, in any case", () => {
		expect(isNamed({ ...entry, activityId: "An-Id" }, ["an-id"])).toBe(true);
		expect(isNamed({ ...entry, activityId: null }, ["x", body.fingerprint])).toBe(true);
		expect(isNamed({ ...entry, activityId: null }, ["an-id", "null"])).toBe(false);
		expect(isNamed(entry, [])).toBe(false);
	});

	it("is none of a journal that does not exist yet", () => {
		const { openEntries, rejectedEntries, abandonedNames, position, lastApplied } = emptyJournal;
		expect([openEntries(""), rejectedEntries(""), [...abandonedNames("")], position()]).toEqual([[], [], [], 0]);
		expect(lastApplied("")).toMatchObject({ userTags: {} });
	});
});
