/**
 * Answers that resources share: how old one may be, and what ends its sharing. With the real client, emulator and journal;
 * the race that these rules close is also played as a command of the engine asks the providers.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { DesiredOrganization } from "../../../src/plan/organization.ts";
import { type ResourceTarget, Session } from "../../../src/pulumi/session/session.ts";
import { maxAgeMs, shareReads } from "../../../src/pulumi/session/shared-reads.ts";
import { readSettings } from "../../../src/pulumi/settings/settings.ts";
import { nothingStored, storeActivities } from "../../../src/pulumi/state/stored-state.ts";
import { readStoredActivities } from "../../../src/pulumi/state/stored-state-check.ts";
import { readTagInputs } from "../../../src/pulumi/user-tag/inputs.ts";
import type { QueryAnswer } from "../../../src/wire/client.ts";
import { queries } from "../../../src/wire/operations.ts";
import { shown } from "../../engine/answer.ts";
import { makeFolder } from "../../run.ts";
import { alice, bob, keys, makeWorld, organizationId, tags, type World } from "../../world.ts";
import { adapters } from "../in-process/adapters.ts";
import type { Program } from "../program.ts";

const updating = "ACTIVITY_TYPE_UPDATE_USER_TAG";

/** A session of a process of its own, on a clock that can be moved; `startMs`: one that only `wait` moves. */
function sessionOf(world: World, startMs?: number) {
	let aheadMs = 0;
	const interruption = new AbortController();
	const given = { organizationId, url: world.url, apiPrivateKey: keys.alice.privateKey, journal: ":memory:" };
	const session = new Session(readSettings(given, {}), {
		environment: {},
		directory: makeFolder(),
		now: () => (startMs ?? Date.now()) + aheadMs,
		steadyNow: () => (startMs ?? performance.now()) + aheadMs,
		sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
		signal: interruption.signal,
	});
	return {
		session,
		interrupt: () => interruption.abort(),
		wait(ms: number): void {
			aheadMs += ms;
		},
	};
}

const desired = (name: string, ...exactly: string[]): DesiredOrganization =>
	readTagInputs({ organizationId, name, members: { exactly } });
const target = (resource: string, wish: DesiredOrganization): ResourceTarget => ({
	resource,
	desired: wish,
	stored: nothingStored,
});

/** What the state of a resource keeps whose activity is pending approval. */
async function keepPending(world: World, wish: DesiredOrganization) {
	await world.setRules({ approvals: { [updating]: 2 } });
	const { session } = sessionOf(world);
	const { report, journal } = await session.converge(target("signers", wish));
	expect(report?.steps).toMatchObject([{ outcome: "awaiting-approval" }]);
	const by = session.stateContext("signers", organizationId, ["update_user_tag"]);
	return { activities: readStoredActivities(storeActivities(report, journal), by) };
}

it("an interruption ends what a session reads for a plan at once, and nothing is submitted", async () => {
	const world = await makeWorld();
	await world.addFault({ operation: "*", fault: "slow", delayMs: 20_000, count: 9 });
	for (const use of ["compare", "converge"] as const) {
		const { session, interrupt } = sessionOf(world);
		const reading = session[use](target("signers", desired("signers", alice, bob)));
		setTimeout(interrupt, 50);
		await expect(reading).rejects.toThrow(
			"orgsync was interrupted while it read the organization; nothing was submitted",
		);
	}
	world.clearFaults();
	// Here, it ends what is read again because it was read before the list of activities.
	await world.addFault({ operation: "list_activities", fault: "slow", delayMs: 200, count: 9 });
	const { session, interrupt } = sessionOf(world);
	const reading = session.converge(target("signers", desired("signers", alice, bob)));
	await vi.waitUntil(() => world.requests().filter((one) => one === "list_user_tags").length === 3);
	await world.addFault({ operation: "list_user_tags", fault: "slow", delayMs: 20_000 });
	setTimeout(interrupt, 300);
	const startedAtMs = performance.now();
	await expect(reading).rejects.toThrow("orgsync was interrupted while it read the organization");
	expect(performance.now() - startedAtMs).toBeLessThan(5000);
	expect(world.submits()).toEqual([]);
});

describe("an activity that is approved between the check of one resource and the update of another", () => {
	it("is settled by the update, which reads the organization again and creates no second activity", async () => {
		const world = await makeWorld();
		const wish = desired("signers", alice, bob);
		const stored = await keepPending(world, wish);

		const { session } = sessionOf(world);
		await session.compare(target("oncall", desired("oncall", bob)));
		const [{ fingerprint }] = world.activities();
		await world.submitAsBob("approve_activity", { fingerprint });
		world.clearRequests();
		const { report, plan } = await session.converge({ ...target("signers", wish), stored });
		expect({ report, steps: plan.steps }).toEqual({ report: undefined, steps: [] });
		expect(world.requests()).toEqual(["get_activity", "list_user_tags", "list_users"]);
		expect(world.activities().filter(({ type }) => type === updating).length).toBe(1);
	});

	it.each(adapters)("causes no second activity in `pulumi up` with $title", async (adapter) => {
		const signers = { name: "signers", members: { exactly: [alice, bob] } };
		const program: Program = {
			resources: {
				other: { type: "UserTag", properties: { name: "auditors", members: { never: [bob] } } },
				signers: { type: "UserTag", properties: signers, options: { dependsOn: ["other"] } },
			},
		};
		const { world, stack } = await adapter.makeWorld({
			resources: { signers: { type: "UserTag", properties: signers } },
		});
		await world.setRules({ approvals: { [updating]: 2 } });
		expect((await stack.up()).exitCode).toBe(1);
		const [{ fingerprint }] = world.activities();
		// As on another machine: only the state of `signers` knows of the activity.
		rmSync(join(stack.folder, ".orgsync"), { recursive: true });

		adapter.write(stack, program);
		world.clearRequests();
		// The check of `other` gets an answer from before the approval, and gets it late.
		await world.addFault({ operation: "list_users", fault: "slow", delayMs: 2000 });
		const ended = stack.up();
		await expect
			.poll(() => [...world.requests()].sort(), { timeout: 60_000 })
			.toEqual(["list_user_tags", "list_users"]);
		await world.submitAsBob("approve_activity", { fingerprint });
		const answer = await ended;
		expect(answer.exitCode, shown(answer)).toBe(0);
		expect(world.activities().filter(({ type }) => type === updating)).toMatchObject([
			{ status: "ACTIVITY_STATUS_COMPLETED" },
		]);
	});
});

describe("a plan", () => {
	it("is as old as its oldest answer, and is made again before it submits", async () => {
		const world = await makeWorld();
		const { session, wait } = sessionOf(world, Date.now());
		const first = await session.compare(target("oncall", desired("signers", alice, bob)));
		wait(5_000);
		const second = await session.compare(target("signers", desired("signers", alice, bob)));
		expect(second.plan.readAt).toBe(first.plan.readAt);

		wait(8_000);
		// Another client applies it in the meantime: nothing is left to submit.
		await world.change({ userTags: [{ tagId: tags.signers, userIds: [alice, bob] }] });
		world.clearRequests();
		const { plan } = await session.converge(target("signers", desired("signers", alice, bob)));
		expect(plan.steps).toEqual([]);
		expect(world.submits()).toEqual([]);
	});
});

describe("a shared answer", () => {
	const ask = { operation: queries.list_user_tags, fields: { organizationId } };
	/** Reads that count, on a clock that is set. */
	function reads() {
		const clock = { nowMs: 1_000_000 };
		let asked = 0;
		const reader = {
			query: async (): Promise<QueryAnswer> => {
				asked += 1;
				return { value: { userTags: asked }, serverTimeMs: undefined };
			},
		};
		const shared = shareReads(reader, { now: () => clock.nowMs + 7, steadyNow: () => clock.nowMs });
		const read = async (resource: string) => shared.readerFor(resource).query(ask.operation, ask.fields);
		return { clock, shared, read, asked: () => asked };
	}

	it("serves every resource until it is a minute old, and has the time of its query", async () => {
		const { clock, read, asked } = reads();
		expect(await read("one")).toMatchObject({ askedAtMs: 1_000_007 });
		clock.nowMs += maxAgeMs - 1;
		expect(await read("two")).toMatchObject({ askedAtMs: 1_000_007 });
		expect(asked()).toBe(1);
		clock.nowMs += 1;
		expect(await read("three")).toMatchObject({ askedAtMs: 1_000_007 + maxAgeMs });
		expect(asked()).toBe(2);
	});

	it("is no longer shared with a resource that has submitted, or with any resource after it expires", async () => {
		const { clock, read, shared, asked } = reads();
		await read("one");
		shared.expireFor("one");
		await read("two");
		expect(asked()).toBe(1);
		await read("one");
		expect(asked()).toBe(2);

		shared.expireAll("another organization");
		clock.nowMs += 100;
		shared.expireAll(organizationId, 101);
		await read("two");
		expect(asked()).toBe(2);
		shared.expireAll(organizationId, 100);
		await read("two");
		expect(asked()).toBe(3);
	});

	it("is asked again after it has come, once for all that submitted meanwhile", async () => {
		const held: PromiseWithResolvers<QueryAnswer>[] = [];
		const reader = {
			query(): Promise<QueryAnswer> {
				held.push(Promise.withResolvers());
				return held.at(-1)?.promise as Promise<QueryAnswer>;
			},
		};
		const shared = shareReads(reader, { now: Date.now, steadyNow: () => 0 });
		const read = (resource: string) => shared.readerFor(resource).query(ask.operation, ask.fields);
		const answer = (index: number) =>
			held[index]?.resolve({ value: { userTags: index }, serverTimeMs: undefined, askedAtMs: 0 });
		const tagsOf = async (reading: Promise<QueryAnswer>) => (await reading).value.userTags;
		const first = read("one");
		for (const name of ["two", "three"]) shared.expireFor(name);
		const [second, third] = [read("two"), read("three")];
		expect(held.length).toBe(1);
		held[0]?.reject(new Error("lost"));
		await expect(first).rejects.toThrow("lost");
		await expect.poll(() => held.length).toBe(2);
		// It was asked before this one submitted.
		shared.expireFor("four");
		const fourth = read("four");
		answer(1);
		expect([await tagsOf(second), await tagsOf(third)]).toEqual([1, 1]);
		await expect.poll(() => held.length).toBe(3);
		answer(2);
		expect(await tagsOf(fourth)).toBe(2);
	});
});
