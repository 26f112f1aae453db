/** What happened to an activity between two readings of it. */
import { describe, expect, it } from "vitest";
import { findEvents, type SeenVote } from "../../../src/plan/activities/activity-events.ts";

const pending = "ACTIVITY_STATUS_CONSENSUS_NEEDED";
const nowMs = Date.parse("2026-06-01T12:00:00Z");
const eventsOf = (before: readonly SeenVote[], now: readonly SeenVote[]) =>
	findEvents({ id: "a", status: pending, votes: before }, { id: "a", status: pending, votes: now }, nowMs);
const vote = { id: "v1", userId: "alice", selection: "VOTE_SELECTION_APPROVED" };

describe("The events of an activity", () => {
	it("are its new votes, then its new status, with the time of the reading", () => {
		const before = { id: "a", status: pending, votes: [] };
		const now = {
			id: "a",
			status: "ACTIVITY_STATUS_COMPLETED",
			votes: [{ ...vote, userName: "Alice", createdAtMs: nowMs - 1000 }],
		};
		const head = { activityId: "a", readAt: "2026-06-01T12:00:00.000Z" };
		expect(findEvents(before, now, nowMs)).toEqual([
			{
				...{ ...head, event: "vote", userId: "alice", userName: "Alice" },
				...{ selection: "VOTE_SELECTION_APPROVED", votedAt: "2026-06-01T11:59:59.000Z" },
			},
			{ ...head, event: "status", status: "ACTIVITY_STATUS_COMPLETED" },
		]);
	});

	it("are none where nothing is new", () => {
		expect(eventsOf([vote], [vote])).toEqual([]);
	});

	it("have null and no name where the service does not say who voted, and when", () => {
		expect(eventsOf([], [{}])).toEqual([
			{
				activityId: "a",
				readAt: "2026-06-01T12:00:00.000Z",
				event: "vote",
				userId: null,
				selection: "",
				votedAt: null,
			},
		]);
	});

	it("have votes of one user with other ids apart, and the same id once", () => {
		expect(eventsOf([vote], [vote, { ...vote, id: "v2" }])).toHaveLength(1);
		expect(eventsOf([vote], [{ ...vote, userId: "bob" }])).toEqual([]);
	});

	it("have a vote without an id once: by its user, in any case, and its selection", () => {
		const { id: _, ...bare } = vote;
		expect(eventsOf([bare], [{ ...vote, userId: "ALICE" }])).toEqual([]);
		expect(eventsOf([vote], [{ ...bare, userId: "ALICE" }])).toEqual([]);
		expect(eventsOf([vote], [{ ...bare, userId: "bob" }])).toHaveLength(1);
		expect(eventsOf([vote], [{ ...bare, selection: "VOTE_SELECTION_REJECTED" }])).toHaveLength(1);
		expect(eventsOf([{ selection: "x" }], [{ selection: "x" }])).toEqual([]);
	});
});
