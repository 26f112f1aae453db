/** Members with a window, asked of the plugin as an engine asks it, on an emulator whose clock is moved. */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { defined } from "../../src/common/defined.ts";
import { desiredAt } from "../../src/plan/access-window.ts";
import { diff } from "../../src/plan/diff.ts";
import { type AccessWindow, emptyLastApplied, tagsOf } from "../../src/plan/organization.ts";
import { compareValues } from "../../src/pulumi/inputs/property-changes.ts";
import {
	assumeMembers,
	comparableMembers,
	type Members,
	observeMembers,
	writeMembers,
} from "../../src/pulumi/user-tag/members.ts";
import { casesToTry } from "../case-count.ts";
import {
	at,
	desiredOf,
	id,
	known,
	liveOf,
	liveTag,
	unknown as unseen,
	wantTag,
} from "../plan/support-organizations.ts";
import { alice, bob, carol, makeWorld, organizationId, tags, type World } from "../world.ts";
import { configuredPlugin, type PluginResource, secret, unknown } from "./plugin/plugin-client.ts";

type Values = Readonly<Record<string, unknown>>;

const hourMs = 3_600_000;
/** On the minute. */
const inHours = (hours: number): string =>
	new Date(Math.floor(Date.now() / 60_000) * 60_000 + hours * hourMs).toISOString();
const shownTime = (iso: string): string => `${iso.slice(0, 16).replace("T", " ")} UTC`;

const membersIn = (world: World): readonly string[] =>
	world.organization().userTags.find(({ tagId }: { tagId: string }) => tagId === tags.signers).userIds;

/** The state of a resource, and the commands of an engine, each of which starts a plugin. */
function makeStack(world: World, settings: Values = {}) {
	const state = { id: "", outputs: {} as Values, inputs: {} as Values };
	const start = async (): Promise<PluginResource> =>
		(await configuredPlugin(world, settings)).resource("UserTag", "signers");
	const check = async (resource: PluginResource, program: Values): Promise<Values> => {
		const { inputs, failures } = await resource.check(program, state.inputs);
		expect(failures).toEqual([]);
		return inputs;
	};
	return {
		state,
		/** Returns the diff of a preview. */
		async preview(program: Values) {
			const resource = await start();
			return (await resource.diff(state.id, state.outputs, await check(resource, program), state.inputs)).details;
		},
		/** Returns the diff; of a create, an empty one. */
		async up(program: Values) {
			const resource = await start();
			const inputs = await check(resource, program);
			if (state.id === "") {
				Object.assign(state, await resource.create(inputs), { inputs });
				return {};
			}
			const { changes, details } = await resource.diff(state.id, state.outputs, inputs, state.inputs);
			if (changes) state.outputs = await resource.update(state.outputs, inputs);
			state.inputs = inputs;
			return details;
		},
		async refresh() {
			Object.assign(state, await (await start()).read(state.id, state.outputs, state.inputs));
		},
	};
}

/** What the plugin prints for the engine to show. */
let printed: string[] = [];
const takePrinted = (): readonly string[] => printed.splice(0);

beforeEach(() => {
	printed = [];
	vi.spyOn(console, "error").mockImplementation((line) => void printed.push(String(line)));
});

afterEach(() => vi.restoreAllMocks());

describe("a member with a window", () => {
	it.each([
		["exactly", "documented"],
		["exactly", "auto"],
		["atLeast", "documented"],
		["atLeast", "auto"],
	])("of `%s` is in the tag in that window only, as a refresh finds out (reads: %s)", async (list, reads) => {
		const world = await makeWorld();
		const stack = makeStack(world, { reads });
		const [from, until] = [inHours(2), inHours(4)];
		const program = { name: "signers", members: { [list]: [alice, { user: bob, from, until, reason: "on call" }] } };
		await stack.up(program);
		expect(membersIn(world)).not.toContain(bob);
		expect(stack.state.outputs).toMatchObject({ members: program.members, validUntil: from });
		await stack.refresh();
		expect(await stack.up(program)).toEqual({});

		await world.moveClock(3 * hourMs);
		expect(await stack.preview(program)).toEqual({});
		await stack.refresh();
		const begun = await stack.preview(program);
		expect(begun).toEqual({ [`members.${list}[1]`]: "ADD" });
		expect(await stack.up(program)).toEqual(begun);
		expect(membersIn(world)).toContain(bob);
		expect(stack.state.outputs).toMatchObject({ members: program.members, validUntil: until });
		await stack.refresh();
		expect(await stack.up(program)).toEqual({});

		await world.moveClock(3 * hourMs);
		world.clearRequests();
		await stack.refresh();
		expect(world.requests().toSorted()).toEqual(
			reads === "auto" ? ["list_user_tags", "list_users"] : ["list_user_tags"],
		);
		expect(stack.state.outputs).toMatchObject({ members: { [list]: [alice, bob] } });
		takePrinted();
		expect(await stack.up(program)).toEqual({ [`members.${list}[1]`]: "UPDATE" });
		expect(takePrinted()).toEqual([
			`signers: removes the member ${bob}: access expired ${shownTime(until)}, reason "on call"`,
		]);
		expect(membersIn(world)).not.toContain(bob);
		expect(stack.state.outputs).toMatchObject({ members: program.members });
		expect(stack.state.outputs).not.toHaveProperty("validUntil");
		await stack.refresh();
		expect(await stack.up(program)).toEqual({});
	});

	it("is compared without a request, and without a refresh once the clock of the machine is past its end", async () => {
		const world = await makeWorld();
		const stack = makeStack(world);
		const program = { name: "signers", members: { exactly: [alice, { user: carol, until: inHours(1) }] } };
		await stack.up(program);
		world.clearRequests();
		expect(await stack.preview(program)).toEqual({});
		expect(world.requests()).toEqual([]);

		const now = Date.now;
		// The machine is two hours ahead of the service: which of them is right is not certain.
		vi.spyOn(Date, "now").mockImplementation(() => now() + 2 * hourMs);
		expect(await stack.preview(program)).toEqual({ "members.exactly[1]": "UPDATE" });
		await expect(stack.up(program)).rejects.toThrow("the time is not certain: an answer of the service says ");
		await expect(stack.refresh()).rejects.toThrow("the time is not certain: an answer of the service says ");
		expect(membersIn(world)).toEqual([alice, carol]);
		expect(world.submits()).toEqual([]);

		await world.moveClock(2 * hourMs);
		expect(await stack.up(program)).toEqual({ "members.exactly[1]": "UPDATE" });
		expect(membersIn(world)).toEqual([alice]);
		expect(await stack.up(program)).toEqual({});
		expect(world.submits()).toEqual(["update_user_tag"]);
	});

	it("that is in the past when the tag is created is removed, or not added", async () => {
		const world = await makeWorld();
		const stack = makeStack(world);
		const ended = { until: "2020-01-01T00:00:00Z", reason: "audit" };
		const members = { atLeast: [alice, { user: bob, ...ended }, { user: carol, ...ended }] };
		await stack.up({ name: "signers", members });
		expect(takePrinted()).toEqual([
			`signers: adopts the user tag signers, removes the member ${carol}`,
			`signers: does not add the member ${bob}: access expired 2020-01-01 00:00 UTC, reason "audit"`,
			`signers: removes the member ${carol}: access expired 2020-01-01 00:00 UTC, reason "audit"`,
		]);
		expect(membersIn(world)).toEqual([alice]);
		expect(stack.state.outputs).toMatchObject({ members });
		await stack.refresh();
		expect(await stack.up({ name: "signers", members })).toEqual({});
	});

	it("is added to a state of an earlier version, changed and removed, without an activity while live state is as desired", async () => {
		const world = await makeWorld();
		const stack = makeStack(world);
		const withCarol = (...carols: readonly unknown[]) => ({
			name: "signers",
			members: { exactly: [alice, ...carols] },
		});
		await stack.up(withCarol(carol));
		const window = { user: carol, until: inHours(1) };
		expect(await stack.up(withCarol(window))).toEqual({ "members.exactly[1]": "UPDATE" });
		const longer = { ...window, until: inHours(2), reason: "audit" };
		expect(await stack.up(withCarol(longer))).toEqual({
			"members.exactly[1].until": "UPDATE",
			"members.exactly[1].reason": "ADD",
		});
		expect(await stack.up(withCarol(carol))).toEqual({ "members.exactly[1]": "UPDATE" });
		expect(stack.state.outputs).not.toHaveProperty("validUntil");
		expect(world.submits()).toEqual([]);
		await stack.up(withCarol(longer));
		await stack.up({ name: "signers", members: { atLeast: [alice] } });
		expect(membersIn(world)).toEqual([alice, carol]);
	});

	it("may be unknown in a preview, which makes no request and replaces nothing because of it", async () => {
		const world = await makeWorld();
		const stack = makeStack(world);
		const ofCarol = (until: unknown) => ({ name: "signers", members: { exactly: [alice, { user: carol, until }] } });
		await stack.up(ofCarol(inHours(1)));
		world.clearRequests();
		expect(await stack.preview(ofCarol(unknown))).toEqual({ "members.exactly[1].until": "UPDATE" });
		expect(await stack.preview({ name: "signers", members: { exactly: [alice, unknown] } })).toEqual({
			"members.exactly[1]": "UPDATE",
		});
		expect(world.requests()).toEqual([]);
	});

	it("is in no output of a secret, nor in a line that the engine shows", async () => {
		const world = await makeWorld();
		const stack = makeStack(world);
		const ended = { user: carol, until: "2020-01-01T00:00:00Z", reason: "audit" };
		const members = { exactly: [alice, { user: bob, until: "2090-01-01T00:00:00Z" }, ended] };
		await stack.up({ name: "signers", members: secret(members) });
		const { members: shown, managed, validUntil, ...open } = stack.state.outputs;
		expect(validUntil).toEqual(secret("2090-01-01T00:00:00.000Z"));
		expect(takePrinted()).toEqual([
			"signers: adopts the user tag signers, adds 1 member, removes 1 member",
			"signers: removes 1 member outside the window",
		]);
		expect(JSON.stringify(open)).not.toMatch(/audit|20[29]0-01-01/);
		for (const value of [shown, managed]) expect(value).toMatchObject(secret(members));
	});

	it("counts for the guards when it ends, unless `limits.expiries` waives the counts", async () => {
		const world = await makeWorld();
		const stack = makeStack(world);
		const program = {
			name: "signers",
			members: { exactly: [alice, { user: carol, until: inHours(1) }] },
			limits: { memberRemovals: 0 },
		};
		await stack.up(program);
		await world.moveClock(2 * hourMs);
		await stack.refresh();
		const plugin = await configuredPlugin(world);
		const { failures } = await plugin.resource("UserTag", "signers").check(program, stack.state.inputs);
		expect(failures).toEqual([
			expect.stringMatching(/^members: blocked by a guard, .*: 1 member would be removed \(allowed: at most 0\)/),
		]);
		await stack.up({ ...program, limits: { memberRemovals: 0, expiries: "any" } });
		expect(membersIn(world)).toEqual([alice]);
	});

	it("does not break a refresh of a state that was edited by hand", async () => {
		const stack = makeStack(await makeWorld(), { reads: "documented" });
		await stack.up({ name: "signers", members: { exactly: [alice, { user: carol, until: inHours(1) }] } });
		for (const edited of [5, { exactly: 5 }, { exactly: [null, 5, { user: 7 }] }]) {
			stack.state.outputs = { ...stack.state.outputs, members: edited, validUntil: 5 };
			await stack.refresh();
		}
		expect(stack.state.outputs).toMatchObject({ managed: { exactly: [alice, { user: carol }] } });
	});

	it("is removed with the tag by `onDestroy`, whether it has ended or not", async () => {
		const world = await makeWorld();
		const stack = makeStack(world);
		const member = { user: carol, until: inHours(1) };
		await stack.up({ name: "signers", members: { atLeast: [member], never: [bob] }, onDestroy: "removeMembers" });
		const plugin = await configuredPlugin(world);
		await plugin.resource("UserTag", "signers").delete(stack.state.id, stack.state.outputs);
		expect(membersIn(world)).toEqual([alice]);
	});

	it.each([
		[{ user: bob, until: 5 }, "members: members.exactly[1].until must be a string, got 5"],
		[{ user: "bob", until: "2030-01-01T00:00:00Z" }, /members.exactly\[1\].user must be a UUID such as .*, got "bob"$/],
		[{ user: bob, till: "x" }, /members.exactly\[1\].till is an unknown property; known: user, from, until, reason$/],
		[5, /members.exactly\[1\] must be a UUID such as .*, or an object with user, from, until or reason, got 5$/],
		[{ until: "2030-01-01T00:00:00Z" }, /^members: members\.exactly\[1\]\.user: .*missing key `user`/],
		[{ user: bob }, /^members: members\.exactly\[1\]: .*this entry has no end; add `until`/],
		[{ user: bob, until: "2030-01-01" }, /^members: members\.exactly\[1\]\.until: .*has no offset and no time zone/],
		[
			{ user: bob, from: "2030-01-01T00:00:00Z", until: "2029-01-01T00:00:00Z" },
			/^members: members\.exactly\[1\]\.until: .*is not after `from`/,
		],
		[{ user: alice, until: "2030-01-01T00:00:00Z" }, /^members: members\.exactly\[1\]\.user: .*duplicate `/],
	])("%j is refused with its place", async (entry, failure) => {
		const plugin = await configuredPlugin({ url: "http://127.0.0.1:1" } as World);
		const resource = plugin.resource("UserTag", "signers");
		const news = { organizationId, name: "signers", members: { exactly: [alice, entry] } };
		expect((await resource.check(news)).failures).toEqual([
			typeof failure === "string" ? failure : expect.stringMatching(failure),
		]);
	});
});

/** A user of a tag, and how much later than the time of the comparison the window begins and ends, in hours. */
const member = fc.record({
	listing: fc.constantFrom("no", "always", "in a window", "never"),
	from: fc.option(fc.integer({ min: -2, max: 2 }), { nil: undefined }),
	until: fc.integer({ min: -2, max: 2 }),
	isLive: fc.boolean(),
});
const nowMs = 1_767_225_600_000;

function desiredMembers(
	mode: "exactly" | "atLeast",
	members: readonly (typeof member extends fc.Arbitrary<infer T> ? T : never)[],
) {
	const of = (...listings: readonly string[]) =>
		members.flatMap(({ listing }, index) => (listings.includes(listing) ? [id("user", index)] : []));
	const windows = members.flatMap(({ listing, from, until }, index): readonly AccessWindow[] => {
		const [fromMs, untilMs] = [from, until].map((hours) => (hours === undefined ? undefined : nowMs + hours * hourMs));
		const iso = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());
		const times = defined({ fromMs, untilMs, from: iso(fromMs), until: iso(untilMs) });
		return listing === "in a window" ? [{ userId: id("user", index), ...times, at }] : [];
	});
	const listed = of("always", "in a window");
	return mode === "exactly"
		? { mode, exactly: listed, windows }
		: { mode, atLeast: listed, never: of("never"), windows };
}

describe("the members of a refreshed state", () => {
	it("differ from the program exactly if the plan of that time changes members, also where live members are not shown", () => {
		const modes = fc.constantFrom<"exactly" | "atLeast">("exactly", "atLeast");
		const times = fc.integer({ min: -3, max: 3 });
		const property = fc.property(
			modes,
			fc.array(member, { maxLength: 5 }),
			times,
			times,
			(mode, all, atHours, thenHours) => {
				const members = desiredMembers(mode, all);
				const desired = desiredOf({ userTags: [wantTag("signers", { members })] });
				const [timeMs, thenMs] = [nowMs + atHours * hourMs, nowMs + thenHours * hourMs];
				const differs = (seen: unknown): boolean =>
					compareValues([], comparableMembers(seen as Members), comparableMembers(writeMembers(members))).length > 0;
				const changes = (parts: Parameters<typeof liveOf>[0]): boolean =>
					diff(desiredAt(desired, timeMs), liveOf(parts)).changes.length > 0;

				const live = all.flatMap(({ isLive }, index) => (isLive ? [id("user", index)] : []));
				const shown = { userTags: known([liveTag(1, "signers", { members: known(live) })]) };
				expect(differs(observeMembers(members, live, timeMs))).toBe(changes(shown));

				const [{ members: then } = { members: undefined }] = tagsOf(desiredAt(desired, thenMs));
				const present = (then?.mode === "exactly" ? then.exactly : then?.atLeast) ?? [];
				const applied = {
					appliedAt: "2026-01-01T00:00:00.000Z",
					name: "signers",
					present,
					gone: then?.never ?? [],
					updatedAt: "",
				};
				const hidden = {
					userTags: known([liveTag(1, "signers", { members: unseen })]),
					lastApplied: { ...emptyLastApplied, userTags: { [id("tag", 1)]: applied } },
				};
				expect(differs(assumeMembers(writeMembers(members), members, applied, timeMs))).toBe(changes(hidden));
			},
		);
		fc.assert(property, casesToTry(200));
	});
});
