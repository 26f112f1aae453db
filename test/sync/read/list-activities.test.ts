/**
 * The list of pending activities: its pages, and services that do not have it.
 */
import { beforeEach, describe, expect, it } from "vitest";
import { refusingGuards } from "../../../src/plan/guards/guards.ts";
import type { ApplyContext } from "../../../src/sync/apply.ts";
import { compareLive } from "../../../src/sync/converge.ts";
import { readPendingActivities } from "../../../src/sync/read/pending-activities.ts";
import { submits } from "../../../src/wire/operations.ts";
import { inWords } from "../../in-words.ts";
import { organizationId } from "../../plan/support-organizations.ts";
import {
	addBob,
	bench,
	made,
	needTwo,
	othersSubmit,
	run,
	twoHours,
	useDocumented,
	vote,
	withBob,
} from "../run-support.ts";
import { carol, oncall, quarterHourMs } from "../support.ts";

describe("a list of pending activities that is longer than a page", () => {
	/** Activities for another tag, so that one of ours, the oldest, is not on the first page. */
	async function fillFirstPage(): Promise<void> {
		const parameters = { userTagId: oncall, addUserIds: [carol], removeUserIds: [] };
		for (let count = 1; count <= 100; count += 1)
			await othersSubmit("update_user_tag", parameters, bench.nowMs + count);
	}

	/** The service with another meaning of the page cursor. */
	function withCursor(change: (options: Readonly<Record<string, string>>) => Readonly<Record<string, string>>) {
		const reader = bench.reader(bench.client());
		return {
			query: (operation, fields) => {
				const { paginationOptions } = fields as { paginationOptions?: Readonly<Record<string, string>> };
				const options = paginationOptions === undefined ? {} : { paginationOptions: change(paginationOptions) };
				return reader.query(operation, { ...fields, ...options });
			},
		} satisfies ApplyContext["reader"];
	}

	beforeEach(() => bench.emulator.setRules(organizationId, needTwo));

	it("with an activity without an intent is not complete: it could be a duplicate", async () => {
		await othersSubmit("update_user_tag", addBob);
		const inner = bench.reader(bench.client());
		const reader: ApplyContext["reader"] = {
			async query(operation, fields) {
				const answer = await inner.query(operation, fields);
				if (operation.name !== "list_activities") return answer;
				const activities = (answer.value.activities as { intent?: unknown }[]).map(({ intent: _, ...rest }) => rest);
				return { ...answer, value: { activities } };
			},
		};
		const { plan } = await compareLive(withBob, reader, bench.journal.lastApplied(organizationId), {
			reads: "auto",
			now: () => bench.nowMs,
			journal: bench.journal,
		});
		expect(plan.guards).toMatchObject([{ kind: "unlisted", refuses: true }]);
	});

	it("whose pages repeat is truncated, and no possible duplicate is submitted unless that is allowed", async () => {
		await othersSubmit("update_user_tag", addBob);
		await fillFirstPage();
		const reader = withCursor(({ limit = "100" }) => ({ limit }));
		const { plan } = await compareLive(withBob, reader, bench.journal.lastApplied(organizationId), {
			reads: "auto",
			now: () => bench.nowMs,
			journal: bench.journal,
		});
		expect(plan.unread).toMatchObject([
			{ scope: "activities", because: { kind: "activities-cut-off", read: 100, isMost: false } },
		]);
		expect(plan.guards).toMatchObject([{ kind: "unlisted", found: 1, refuses: true, where: ["userTag:signers"] }]);
		expect(refusingGuards(plan.guards, new Map([["unlisted", new Set([1])]]))).toEqual([]);
		expect(refusingGuards(plan.guards, new Map([["unlisted", new Set([2])]])).length).toBe(1);
	});

	it("is not needed for what the journal has as pending: it is joined", async () => {
		const first = await run(withBob);
		await fillFirstPage();
		const { comparison, report } = await run(withBob, { reader: withCursor(({ limit = "100" }) => ({ limit })) });
		const { activityId } = first.report.steps[0] ?? {};
		expect(comparison.plan.waiting).toMatchObject([{ activityId, relation: "same", saidBy: "journal" }]);
		expect(comparison.plan.guards).toEqual([]);
		expect(report.steps).toMatchObject([{ outcome: "awaiting-approval", activityId, requests: 0 }]);
	});

	it("holds only the types that the plan could submit", async () => {
		const asked: unknown[] = [];
		const inner = bench.reader(bench.client());
		const reader: ApplyContext["reader"] = {
			query: (operation, fields) => {
				if (operation.name === "list_activities") asked.push(fields.filterByType);
				return inner.query(operation, fields);
			},
		};
		await run(withBob, { reader });
		await readPendingActivities(organizationId, reader, bench.journal, { reads: "auto", nowMs: bench.nowMs });
		expect(asked).toEqual([[submits.update_user_tag.type], Object.values(submits).map(({ type }) => type)]);
	});

	it("is not complete if a later page cannot be read", async () => {
		await bench.emulator.setRules(organizationId, needTwo);
		for (let count = 1; count <= 100; count += 1) {
			const parameters = { userTagId: oncall, addUserIds: [carol], removeUserIds: [] };
			await othersSubmit("update_user_tag", parameters, bench.nowMs + count);
		}
		const { reader, journal } = bench.context();
		const broken: ApplyContext["reader"] = {
			query: (operation, fields) => {
				const { before } = (fields.paginationOptions ?? {}) as { before?: string };
				if (before !== undefined) bench.emulator.addFault({ operation: "list_activities", fault: "5xx", status: 403 });
				return reader.query(operation, fields);
			},
		};
		const read = await readPendingActivities(organizationId, broken, journal, { reads: "auto", nowMs: bench.nowMs });
		expect(read).toMatchObject({ unlisted: { kind: "activities-cut-off", read: 100, isMost: false } });
		expect(
			(await readPendingActivities(organizationId, reader, journal, { reads: "auto", nowMs: bench.nowMs })).unlisted,
		).toBeNull();
	});
});

describe("a service that lists no activities", () => {
	it.each([
		["awaiting-approval", needTwo],
		["awaiting-authenticator", { authenticators: [submits.update_user_tag.type] }],
	] as const)("but shows single ones is asked for each open entry, and the journal has what is %s", async (outcome, rules) => {
		await bench.emulator.setRules(organizationId, { ...rules, denyReads: ["list_activities"] });
		const first = await run(withBob);
		bench.nowMs += twoHours;
		const { comparison, report } = await run(withBob);
		expect(comparison.plan.waiting).toMatchObject([{ saidBy: "journal", relation: "same", approvedBy: null }]);
		expect(report.steps).toMatchObject([{ outcome, activityId: first.report.steps[0]?.activityId, requests: 0 }]);
		expect(made()).toEqual({ activities: 1, submits: 1 });
	});

	it.each(["auto", "documented"] as const)("and shows none gets the same bytes: %s reads", async (reads) => {
		useDocumented();
		await bench.emulator.setRules(organizationId, needTwo);
		const first = await run(withBob, {}, reads);
		const [step] = first.report.steps;
		bench.nowMs += quarterHourMs;
		const second = await run(withBob, {}, reads);
		expect(second.comparison.plan.waiting).toMatchObject([{ activityId: step?.activityId, saidBy: "journal" }]);
		expect(second.report.steps).toMatchObject([
			{ outcome: "awaiting-approval", activityId: step?.activityId, requests: 1, message: null },
		]);
		expect(bench.requests("submit").map(({ fingerprint, replayed }) => [fingerprint, replayed])).toEqual([
			[step?.fingerprint, false],
			[step?.fingerprint, true],
		]);
		await vote("approve_activity", step?.fingerprint);
		const third = await run(withBob, {}, reads);
		expect(third.report).toMatchObject({ inSync: true, steps: [{ outcome: "completed", requests: 1 }] });
		expect((await run(withBob, {}, reads)).comparison.plan.steps).toEqual([]);
		expect(made()).toEqual({ activities: 1, submits: 3 });
	});

	it("is asked nothing after the hour: the activity stays pending until it is abandoned", async () => {
		useDocumented();
		await bench.emulator.setRules(organizationId, needTwo);
		const first = await run(withBob);
		bench.nowMs += twoHours;
		for (let count = 0; count < 2; count += 1) {
			const { report } = await run(withBob);
			expect(inWords(report.steps)).toMatchObject([
				{
					outcome: "awaiting-approval",
					activityId: first.report.steps[0]?.activityId,
					requests: 0,
					message: expect.stringContaining(`--abandon ${first.report.steps[0]?.activityId}`),
				},
			]);
		}
		expect(made()).toEqual({ activities: 1, submits: 1 });
		bench.journal.abandon(organizationId, String(first.report.steps[0]?.fingerprint), bench.nowMs);
		expect((await run(withBob)).report.steps).toMatchObject([{ outcome: "awaiting-approval", requests: 1 }]);
		expect(made()).toEqual({ activities: 2, submits: 2 });
	});
});
