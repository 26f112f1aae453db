/**
 * Comparing: what is asked beside the organization itself, and only where it matters to what would be submitted.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ServiceError } from "../../src/common/errors.ts";
import type { DesiredOrganization } from "../../src/plan/organization.ts";
import type { Plan, Reads } from "../../src/plan/plan.ts";
import { compareLive, converge } from "../../src/sync/converge.ts";
import { openJournal } from "../../src/sync/journal/file.ts";
import type { Reader } from "../../src/wire/client.ts";
import { desiredOf, organizationId, wantTag } from "../plan/support-organizations.ts";
import { acme, adminId, alice, Bench, bob, signers, wantSigners } from "./support.ts";

let bench: Bench;
beforeAll(async () => {
	bench = await Bench.start([acme()]);
});
beforeEach(() => bench.reset(acme()));
afterAll(() => bench.close());

async function planOf(desired: DesiredOrganization, reads: Reads = "auto", withJournal = true): Promise<Plan> {
	const { reader, journal, now } = bench.context();
	const memory = journal.lastApplied(organizationId);
	const options = { reads, now, ...(withJournal ? { journal } : {}) };
	return (await compareLive(desired, reader, memory, options)).plan;
}

/** How often each of the two was asked. */
function asked(): readonly [whoami: number, listActivities: number] {
	const operations = bench.requests("query").map(({ operation }) => operation);
	const countOf = (name: string): number => operations.filter((operation) => operation === name).length;
	return [countOf("whoami"), countOf("list_activities")];
}

describe("the caller and pending activities", () => {
	const removed = wantSigners(bob);

	it("are not both read without a journal: only the caller is", async () => {
		await planOf(removed, "auto", false);
		expect(asked()).toEqual([1, 0]);
	});
});

describe("the caller", () => {
	const kinds = (plan: Plan): readonly string[] => plan.guards.map(({ kind }) => kind);
	beforeEach(() =>
		bench.emulator.changeState({
			organizationId,
			userTags: [{ tagId: signers, tagName: "signers", userIds: [adminId] }],
		}),
	);

	it("is known by whoami, and keeps the last tag", async () => {
		expect(kinds(await planOf(wantSigners(bob)))).toEqual(["memberRemovals", "ownUserTags"]);
	});

	it("is unknown if whoami is denied, and the plan is made without", async () => {
		await bench.emulator.setRules(organizationId, { denyReads: ["whoami"] });
		const plan = await planOf(wantSigners(bob));
		expect(kinds(plan)).toEqual(["memberRemovals"]);
		expect(plan.steps.length).toBe(1);
	});

	it("is an error if whoami is refused in another way", async () => {
		bench.emulator.addFault({ operation: "whoami", fault: "5xx", status: 400, count: 9 });
		await expect(planOf(wantSigners(bob))).rejects.toThrow(ServiceError);
	});
});

describe("pending activities", () => {
	it("are an error if they cannot be listed for a reason other than a missing query", async () => {
		bench.emulator.addFault({ operation: "list_activities", fault: "5xx", status: 400, count: 9 });
		await expect(planOf(wantSigners(alice, bob))).rejects.toThrow(ServiceError);
	});
});

describe("a plan that is submitted", () => {
	const desired = wantSigners(alice, bob);
	/** Compares while another run without the journal begins and completes just before the named query of the comparison. */
	async function compareOvertaken(operation: string, isSubmitted: boolean, wanted = desired): Promise<Plan> {
		const { reader, journal, now } = bench.context();
		let hasRun = false;
		const overtaken: Reader = {
			query: async (...question) => {
				if (!hasRun && question[0].name === operation) {
					hasRun = true;
					const other = await openJournal(":memory:");
					await bench.run(wanted, { journal: other });
					other.close();
				}
				return reader.query(...question);
			},
		};
		const memory = journal.lastApplied(organizationId);
		const again = isSubmitted ? { readerFreshSinceList: () => overtaken } : {};
		return (await compareLive(wanted, overtaken, memory, { reads: "auto", now, journal, ...again })).plan;
	}

	it("has no step for what completed after live state was read and before activities were listed", async () => {
		const { steps } = await compareOvertaken("list_activities", true);
		expect(steps).toEqual([]);
	});

	it("has none either where the caller cannot be read", async () => {
		await bench.emulator.setRules(organizationId, { denyReads: ["whoami"] });
		const { steps } = await compareOvertaken("list_activities", true, wantSigners(bob));
		expect(steps).toEqual([]);
	});

	it("has it where the plan is only shown: live state is read once", async () => {
		const { steps } = await compareOvertaken("list_activities", false);
		expect(steps.map(({ operation }) => operation)).toEqual(["update_user_tag"]);
	});

	it.each([
		["twice the queries of live state with a step to submit", desired, "auto", 2, 2],
		["once without one", wantSigners(alice), "auto", 1, 1],
		["once where activities are not listed", desired, "documented", 1, 0],
	] as const)("costs %s", async (_fact, wanted, reads, ofTags, ofUsers) => {
		const { reader, journal, now } = bench.context();
		await compareLive(wanted, reader, journal.lastApplied(organizationId), {
			...{ reads, now, journal },
			readerFreshSinceList: () => reader,
		});
		const operations = bench.requests("query").map(({ operation }) => operation);
		expect(operations.filter((name) => name === "list_user_tags")).toHaveLength(ofTags);
		expect(operations.filter((name) => name === "list_users")).toHaveLength(ofUsers);
	});
});

describe("a door", () => {
	const lastApplied = () => bench.journal.lastApplied(organizationId);
	function watched() {
		const { reader, now } = bench.context();
		const events: string[] = [];
		const query: Reader["query"] = (...question) => {
			events.push(question[0].name);
			return reader.query(...question);
		};
		return { events, door: { reader: { query }, now, reads: "auto" as const, lastApplied } };
	}

	it("settles what is open, and then reads until its answers are new enough", async () => {
		const { events, door } = watched();
		const settled = new Map();
		const convergence = await converge(desiredOf({ userTags: [wantTag("oncall")] }), {
			...door,
			settle: async () => {
				events.push("settle");
				return settled;
			},
			mustReadAgain: ({ plan }, startedAtMs) => {
				events.push(`${plan.changes.length} changes at ${startedAtMs - bench.nowMs}`);
				return events.length < 4;
			},
		});
		expect(convergence.settled).toBe(settled);
		const reading = ["list_user_tags", "0 changes at 0"];
		expect(events).toEqual(["settle", ...reading, ...reading]);
		expect(await convergence.compareAgain()).toEqual(convergence.comparison);
		expect(events).toHaveLength(7);
	});

	it("reads once where nothing may be settled and no answers are shared", async () => {
		const { events, door } = watched();
		const { settled, comparison } = await converge(desiredOf({ userTags: [wantTag("oncall")] }), door);
		expect([...settled]).toEqual([]);
		expect(comparison.plan.steps).toEqual([]);
		expect(events).toEqual(["list_user_tags"]);
	});
});

describe("pending activities of others that a plan shows", () => {
	const protects = { protect: { userIds: [bob], userTags: [] } };
	const unlisted = { kind: "others-unlisted" };
	it.each<[what: string, desired: DesiredOrganization, isDenied: boolean, unread: readonly object[]]>([
		["are listed without changes", { ...wantSigners(alice), ...protects }, false, []],
		["may be others without changes", { ...wantSigners(alice), ...protects }, true, [{ because: unlisted }]],
		["are listed with changes", { ...wantSigners(alice, bob), ...protects }, false, []],
		[
			"are said once to be unlisted",
			{ ...wantSigners(alice, bob), ...protects },
			true,
			[{ because: { kind: "activities-denied" } }],
		],
	])("%s", async (_what, desired, isDenied, unread) => {
		if (isDenied) await bench.emulator.setRules(organizationId, { denyReads: ["list_activities"] });
		expect((await planOf(desired)).unread).toMatchObject(unread);
	});
});

describe("a request of another process", () => {
	it("that completes while the organization is read is not asked for once more, where members cannot be read", async () => {
		const members = { mode: "exactly", exactly: [alice, bob] } as const;
		const desired = desiredOf({ userTags: [wantTag("signatories", { id: signers, members })] });
		const { reader, journal, now } = bench.context();
		let hasRun = false;
		const overtaken: Reader = {
			query: async (...question) => {
				if (!hasRun) {
					hasRun = true;
					await bench.run(desired, {}, "documented");
				}
				return reader.query(...question);
			},
		};
		const memory = journal.lastApplied(organizationId);
		const { plan } = await compareLive(desired, overtaken, memory, { reads: "documented", now, journal });
		expect(plan.changes).toEqual([]);
		expect(bench.requests("submit").length).toBe(1);
	});
});
