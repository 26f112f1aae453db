/**
 * Steps that wait for their pending activities: what they read and how often, and what follows when an activity ends.
 */
import { describe, expect, it, onTestFinished } from "vitest";
import { AuthenticationError, TransportError } from "../../src/common/errors.ts";
import type { Guard } from "../../src/plan/guards/guards.ts";
import type { DesiredMembers, DesiredOrganization } from "../../src/plan/organization.ts";
import type { Reads } from "../../src/plan/plan.ts";
import { exitCodeOf } from "../../src/plan/report.ts";
import type { Step } from "../../src/plan/step.ts";
import type { ApplyContext } from "../../src/sync/apply.ts";
import { compareLive } from "../../src/sync/converge.ts";
import { readAgain } from "../../src/sync/read/read-again.ts";
import { findLater, planLater } from "../../src/sync/submit/later-steps.ts";
import type { WaitNews } from "../../src/sync/wait-for-end.ts";
import type { Reader } from "../../src/wire/client.ts";
import { approvals, submits } from "../../src/wire/operations.ts";
import { encodeSubmit } from "../../src/wire/request-body.ts";
import { at, organizationId, sectionsOf, wantTag, withSections } from "../plan/support-organizations.ts";
import { absent, bench as acmeBench, exchange, outcomes } from "./apply-support.ts";
import {
	acme,
	adminId,
	alice,
	applyToReport,
	approverId,
	approverStamper,
	Bench,
	bob,
	carol,
	minuteMs,
	oncall,
	policies,
	signers,
	wantSigners,
} from "./support.ts";

const hourMs = 60 * minuteMs;

/** Two users for changes of tags and for removals of policies. */
const twoUsers = { approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2, ACTIVITY_TYPE_DELETE_POLICIES: 2 } };

interface Waited {
	/** What happens after each pause, counted from 1. */
	readonly onPause?: (count: number, bench: Bench) => unknown;
	readonly forMs?: number;
	readonly reads?: Reads;
	readonly bench?: Bench;
	readonly parts?: Partial<ApplyContext>;
	/** Whether the plan joins pending activities. */
	readonly joins?: boolean;
}

/** Applies with a wait whose pauses pass on the bench's clock only. */
async function applyAndWait(desired: DesiredOrganization, options: Waited = {}) {
	const { onPause, forMs = 2 * hourMs, reads = "auto", bench = acmeBench, parts = {}, joins = false } = options;
	await bench.emulator.setRules(organizationId, twoUsers);
	const news: WaitNews[] = [];
	const pauses: number[] = [];
	const base = bench.context(parts);
	const untilMs = bench.nowMs + forMs;
	const context: ApplyContext = {
		...base,
		compareAgain: () => bench.compare(desired, base, reads),
		wait: {
			untilMs,
			pause: async (ms) => {
				bench.nowMs += ms;
				pauses.push(ms);
				await onPause?.(pauses.length, bench);
			},
			onWait: (one) => news.push(one),
		},
	};
	const { reader, journal, now } = context;
	const comparison = joins
		? await compareLive(desired, reader, journal.lastApplied(organizationId), { reads, now, journal })
		: await bench.compare(desired, context, reads);
	bench.emulator.clearRequests();
	const report = await applyToReport(comparison, context);
	return {
		report,
		pauses,
		news,
		code: exitCodeOf(report),
		requests: bench.emulator.requests().map(({ operation, path }) => operation ?? path.split("/").at(-1)),
	};
}

/** The votes of another user on all pending activities. */
async function vote(
	bench: Bench,
	name: "approve_activity" | "reject_activity" = "approve_activity",
	only = "",
): Promise<void> {
	for (const { status, fingerprint, type } of bench.activities()) {
		if (status !== "ACTIVITY_STATUS_CONSENSUS_NEEDED" || !String(type).includes(only)) continue;
		const body = encodeSubmit(approvals[name], organizationId, { fingerprint }, bench.nowMs);
		await bench.client({ stamper: approverStamper }).voter.vote(body);
	}
}

/** The activities that are no votes. */
const made = (bench: Bench) => bench.activities().filter(({ type }) => !/APPROVE|REJECT/.test(String(type)));

const withBob = wantSigners(alice, bob);

describe("a step that waits for its activity", () => {
	it("reads it after 1, 2, 4, 8 and 16 seconds, then every 30 seconds, and a last time when the time is up", async () => {
		const { report, pauses, requests, code } = await applyAndWait(withBob, { forMs: 2 * minuteMs });
		expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30, 29].map((seconds) => seconds * 1000));
		expect(requests).toEqual(["update_user_tag", ...Array(8).fill("get_activity")]);
		expect(outcomes(report.steps)).toEqual(["awaiting-approval"]);
		expect(code).toBe(8);
	});

	it("is completed by an approval before the last reading, and the journal and the report have it", async () => {
		const { report, code, news } = await applyAndWait(withBob, {
			forMs: 2 * minuteMs,
			onPause: (count, bench) => count === 8 && vote(bench),
		});
		expect(code).toBe(0);
		expect(report).toMatchObject({ inSync: true, interrupted: false, left: [] });
		expect(report.steps[0]?.events).toMatchObject([
			{ event: "vote", userId: approverId, selection: "VOTE_SELECTION_APPROVED" },
			{ event: "status", status: "ACTIVITY_STATUS_COMPLETED" },
		]);
		expect(news.map(({ kind }) => kind)).toEqual(["waiting", "event", "event"]);
		expect(acmeBench.journal.openEntries(organizationId)).toEqual([]);
		expect(acmeBench.journal.lastApplied(organizationId).userTags[signers]).toMatchObject({ present: [alice, bob] });
		expect(made(acmeBench).length).toBe(1);
	});

	it("costs one list for all that wait, and one request for each that ended", async () => {
		const both = { ...exchange };
		const { requests, report } = await applyAndWait(both, {
			onPause: (count, bench) => (count === 2 ? vote(bench, "approve_activity", "POLICIES") : undefined),
			forMs: 7000,
		});
		const waiting = requests.filter((name) => name === "list_activities" || name === "get_activity");
		expect(waiting).toEqual(["list_activities", "list_activities", "get_activity", "list_activities"]);
		expect(outcomes(report.steps)).toContain("completed");
	});

	it("is followed by the steps that depend on it, each after the organization was planned again", async () => {
		const { report, code, requests } = await applyAndWait(exchange, { onPause: (_, bench) => vote(bench) });
		expect(code).toBe(0);
		expect(new Set(outcomes(report.steps))).toEqual(new Set(["completed"]));
		expect([acmeBench.tag(signers).tagName, acmeBench.tag(oncall).tagName]).toEqual(["oncall", "signers"]);
		// Two steps come later: the plans before them, and the verification, ask for the names.
		expect(requests.filter((name) => name === "list_user_tags").length).toBe(3);
		expect(made(acmeBench).length).toBe(report.steps.length);
	});

	it("is not followed by a step that is planned differently by then", async () => {
		const { report, code } = await applyAndWait(exchange, {
			onPause: async (count, bench) => {
				if (count !== 1) return;
				await vote(bench);
				await bench.emulator.changeState({
					organizationId,
					userTags: [{ tagId: oncall, tagName: "oncall", userIds: [carol] }],
				});
			},
		});
		const left = report.steps.filter(({ outcome }) => outcome === "not-attempted");
		expect(left[0]?.message).toMatch(/^the organization changed while orgsync waited, .*: run apply again$/);
		expect(code).toBe(7);
		expect(acmeBench.tag(oncall).tagName).toBe("oncall");
	});

	it("is not followed by anything when it is rejected, while others complete", async () => {
		const { report, code } = await applyAndWait(exchange, {
			onPause: async (_, bench) => {
				await vote(bench, "reject_activity", "USER_TAG");
				await vote(bench);
			},
		});
		expect(new Set(outcomes(report.steps))).toEqual(new Set(["rejected", "not-attempted", "completed"]));
		expect(code).toBe(7);
		expect(acmeBench.journal.rejectedEntries(organizationId).length).toBeGreaterThan(0);
	});

	it("is not remembered as applied when it is rejected", async () => {
		const { report } = await applyAndWait(withBob, { onPause: (_, bench) => vote(bench, "reject_activity") });
		expect(outcomes(report.steps)).toEqual(["rejected"]);
		expect(acmeBench.journal.lastApplied(organizationId).userTags).toEqual({});
	});

	it("is read no more after an interruption during a pause", async () => {
		const controller = new AbortController();
		const { requests } = await applyAndWait(withBob, {
			parts: { signal: controller.signal },
			onPause: () => controller.abort(),
		});
		expect(requests).toEqual(["update_user_tag"]);
	});

	it("ends with an interruption, which leaves the activity pending for the next run", async () => {
		const controller = new AbortController();
		const { report, code } = await applyAndWait(withBob, {
			parts: { signal: controller.signal },
			onPause: (count) => count === 3 && controller.abort(),
		});
		expect(outcomes(report.steps)).toEqual(["awaiting-approval"]);
		expect({ code, interrupted: report.interrupted }).toEqual({ code: 130, interrupted: true });
		await vote(acmeBench);
		expect((await acmeBench.run(withBob)).report.inSync).toBe(true);
		expect(made(acmeBench).length).toBe(1);
	});
});

/** The bench's reader with other answers to get_activity. */
function readerWith(change: (activity: Record<string, unknown>, count: number) => unknown): Reader {
	const reader = acmeBench.reader(acmeBench.client());
	let count = 0;
	return {
		async query(operation, fields) {
			const answer = await reader.query(operation, fields);
			if (operation.name !== "get_activity") return answer;
			count += 1;
			return { ...answer, value: { activity: change(answer.value.activity as Record<string, unknown>, count) } };
		},
	};
}

describe("a reading while a step waits", () => {
	it("that fails is made again, and the wait goes on", async () => {
		const { code, news } = await applyAndWait(withBob, {
			onPause: async (count, bench) => {
				if (count === 1) bench.emulator.addFault({ operation: "get_activity", fault: "5xx", count: 40 });
				if (count === 2) bench.emulator.clearFaults();
				if (count === 3) await vote(bench);
			},
		});
		expect(news.filter(({ kind }) => kind === "unreadable").length).toBe(1);
		expect(code).toBe(0);
	});

	it("that shows an unknown status is no end: the step is in doubt until a known one is read", async () => {
		const unknown = readerWith((activity) => ({ ...activity, status: "ACTIVITY_STATUS_ON_HOLD" }));
		const inDoubt = await applyAndWait(withBob, { parts: { reader: unknown }, forMs: minuteMs });
		expect(outcomes(inDoubt.report.steps)).toEqual(["unknown"]);
		expect({ code: inDoubt.code, pauses: inDoubt.pauses.length }).toEqual({ code: 1, pauses: 6 });

		await acmeBench.reset(acme());
		const later = readerWith((activity, count) =>
			count < 4 ? { ...activity, status: "ACTIVITY_STATUS_ON_HOLD" } : activity,
		);
		const known = await applyAndWait(withBob, { parts: { reader: later }, onPause: (_, bench) => vote(bench) });
		expect(known.code).toBe(0);
		expect(known.report.steps[0]?.events).toMatchObject([
			{ event: "vote" },
			{ event: "status", status: "ACTIVITY_STATUS_ON_HOLD" },
			{ event: "status", status: "ACTIVITY_STATUS_COMPLETED" },
		]);
	});

	it("that shows another activity, or another change, is no end", async () => {
		const other = readerWith((activity) => ({
			...activity,
			status: "ACTIVITY_STATUS_COMPLETED",
			fingerprint: `sha256:${"0".repeat(64)}`,
		}));
		const { report } = await applyAndWait(withBob, { parts: { reader: other }, forMs: minuteMs });
		expect(outcomes(report.steps)).toEqual(["awaiting-approval"]);
	});

	it("with a key that is not accepted any more ends the wait with exit code 4", async () => {
		const reader = readerWith(() => {
			throw new AuthenticationError("the key has expired");
		});
		const { report, code, pauses } = await applyAndWait(withBob, { parts: { reader } });
		expect({ code, pauses: pauses.length }).toEqual({ code: 4, pauses: 1 });
		expect(report.steps[0]).toMatchObject({
			outcome: "awaiting-approval",
			message: expect.stringContaining("expired"),
		});
	});

	it("stops at the first page that has all of them, and asks for the others one by one", async () => {
		const asked: string[] = [];
		const found = await readAgain(
			organizationId,
			["a", "b", "c"].map((activityId) => ({ activityId, type: "T" })),
			{
				query: async ({ name }, { activityId }) => {
					asked.push(`${name} ${activityId ?? ""}`.trim());
					const value =
						name === "list_activities"
							? { activities: ["A", "x", "y", "z", "B"].map((id) => ({ id })) }
							: { activity: { id: "other" } };
					return { value, serverTimeMs: undefined };
				},
			},
		);
		expect(asked).toEqual(["list_activities", "list_activities", "list_activities", "get_activity c"]);
		expect([...found.keys()].sort()).toEqual(["a", "b", "x", "y", "z"]);
	});
});

describe("a window that ends while a step waits", () => {
	const others = sectionsOf(exchange).userTags.filter(({ name }) => name !== "auditors");
	const membersUntil = (untilMs: number): DesiredMembers => {
		return { mode: "exactly", exactly: [alice, bob], windows: [{ userId: bob, untilMs, at }] };
	};

	it("keeps later steps from being submitted, without a request", async () => {
		const members = membersUntil(acmeBench.nowMs + minuteMs);
		const desired = withSections(exchange, { userTags: [...others, wantTag("auditors", { members })] });
		const { report, requests } = await applyAndWait(desired, {
			onPause: (count, bench) => (count === 7 ? vote(bench) : undefined),
		});
		const left = report.steps.filter(({ outcome }) => outcome === "not-attempted");
		expect(left[0]?.message).toMatch(
			/^the plan was valid until .* UTC, when a window of the document begins or ends: plan again$/,
		);
		expect(requests.filter((name) => name === "list_user_tags").length).toBe(1);
	});

	it("leaves the result unverified, because the document wants something else by then", async () => {
		const { report, code } = await applyAndWait(
			withSections(withBob, { userTags: [wantTag("signers", { members: membersUntil(acmeBench.nowMs + minuteMs) })] }),
			{
				onPause: (count, bench) => (count === 7 ? vote(bench) : undefined),
			},
		);
		expect(outcomes(report.steps)).toEqual(["completed"]);
		expect(report).toMatchObject({ inSync: false, unverified: expect.stringContaining("a window of the document") });
		expect(code).toBe(1);
	});
});

describe("a step that follows others that waited", () => {
	const guard = (kind: Guard["kind"], found: number, refuses = true): Guard => {
		return {
			kind,
			found,
			refuses,
			where: [],
			finding: { what: "stated", limit: "at most 1", message: `${kind}: ${found} found` },
		};
	};

	it.each([
		["the guard that was overridden, for fewer", guard("memberRemovals", 2), null],
		["a guard that does not block", guard("policies", 9, false), null],
		["the guard that was overridden, for more", guard("memberRemovals", 4), "memberRemovals: 4 found"],
		["another guard", guard("lockout", 1), "lockout: 1 found"],
	])("is judged by the guards of its later plan: %s", async (_, found, message) => {
		const comparison = await acmeBench.compare(exchange);
		const withGuards = (guards: readonly Guard[]) => ({ ...comparison, plan: { ...comparison.plan, guards } });
		const first = withGuards([guard("memberRemovals", 3)]).plan;
		const later = await planLater(first, async () => withGuards([found]));
		expect(later.plan === null ? later.because : null).toBe(message && `blocked by a guard since: ${message}`);
	});

	it("is not submitted if the organization cannot be read again", async () => {
		const { plan } = await acmeBench.compare(exchange);
		const later = await planLater(plan, async () => {
			throw new TransportError("no answer", "no");
		});
		expect(findLater(plan.steps[1] as Step, later)).toBe("the organization could not be read again: no answer");
	});
});

describe("a wait where the service shows no activities", () => {
	it("sends the same bytes again for 59 minutes, and ends when that is over", async () => {
		const bench = await Bench.start([acme()], "documented");
		onTestFinished(() => bench.close());
		const late = await applyAndWait(absent({ policyIds: [policies[0]] }), {
			bench,
			reads: "documented",
			forMs: 8 * hourMs,
		});
		expect(outcomes(late.report.steps)).toEqual(["awaiting-approval"]);
		expect(late.code).toBe(8);
		expect(new Set(late.requests)).toEqual(new Set(["delete_policies"]));
		expect(bench.nowMs).toBeLessThan(Date.now() + 70 * minuteMs);
		expect(made(bench).length).toBe(1);

		await bench.reset(acme());
		// With `auto` it asks once whether the service has the query. Before the first submit it asks for other reads.
		const soon = await applyAndWait(absent({ policyIds: [policies[0]] }), {
			bench,
			onPause: (count, where) => count === 4 && vote(where),
		});
		expect(soon.code).toBe(0);
		const asked = soon.requests.filter((name) => name === "get_activity" || name === "delete_policies");
		expect(asked).toEqual(["delete_policies", "get_activity", ...Array(4).fill("delete_policies")]);
	});
});

describe("a step that joins another user's activity", () => {
	/** Another user adds Bob, which needs two approvals. */
	async function submitElsewhere(bench = acmeBench): Promise<string> {
		await bench.emulator.setRules(organizationId, twoUsers);
		const parameters = { userTagId: signers, addUserIds: [bob], removeUserIds: [] };
		const body = encodeSubmit(submits.update_user_tag, organizationId, parameters, bench.nowMs);
		const answer = await bench.client({ stamper: approverStamper }).submitter.submit(body);
		return answer.kind === "activity" ? answer.activity.id : "";
	}

	/** A reader that shows the joined activity with other parts. */
	const showing = (parts: object): Reader => {
		const reader = acmeBench.reader(acmeBench.client());
		return {
			query: async (operation, fields) => {
				const answer = await reader.query(operation, fields);
				if (operation.name !== "get_activity") return answer;
				return { ...answer, value: { activity: { ...(answer.value.activity as object), ...parts } } };
			},
		};
	};

	it("waits for it, hears of the votes that come, and submits nothing", async () => {
		const activityId = await submitElsewhere();
		const { report, news, code, requests } = await applyAndWait(withBob, {
			joins: true,
			onPause: async (count, bench) => {
				if (count !== 2) return;
				const [activity] = bench.activities();
				const vote = encodeSubmit(
					approvals.approve_activity,
					organizationId,
					{ fingerprint: activity?.fingerprint },
					bench.nowMs,
				);
				await bench.client().voter.vote(vote);
			},
		});
		expect(report.steps).toMatchObject([{ outcome: "completed", activityId, requests: 0 }]);
		expect(requests.filter((name) => name === "update_user_tag")).toEqual([]);
		expect(news.map(({ kind }) => kind)).toEqual(["waiting", "event", "event"]);
		expect(news.flatMap((one) => (one.kind === "event" ? [one.event] : []))).toMatchObject([
			{ event: "vote", userId: adminId },
			{ event: "status" },
		]);
		expect(code).toBe(0);
	});

	it.each([
		["fingerprint", { fingerprint: `sha256:${"0".repeat(64)}` }],
		["type", { type: "ACTIVITY_TYPE_DELETE_POLICIES" }],
		["organization", { organizationId: "0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a12" }],
	])("does not take an answer with another %s for it", async (_what, parts) => {
		const activityId = await submitElsewhere();
		const { report } = await applyAndWait(withBob, {
			...{ joins: true, forMs: minuteMs },
			parts: { reader: showing({ status: "ACTIVITY_STATUS_COMPLETED", ...parts }) },
		});
		expect(report.steps).toMatchObject([{ outcome: "awaiting-approval", activityId }]);
	});

	it("takes an answer for it that names the organization in another case", async () => {
		await submitElsewhere();
		const { report } = await applyAndWait(withBob, {
			...{ joins: true, forMs: minuteMs },
			parts: { reader: showing({ status: "ACTIVITY_STATUS_REJECTED", organizationId: organizationId.toUpperCase() }) },
		});
		expect(outcomes(report.steps)).toEqual(["rejected"]);
	});
});
