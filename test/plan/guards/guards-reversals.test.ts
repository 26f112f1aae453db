/** The guard `reversals`: a change that was made and undone before is not made again without an override. */
import { describe, expect, it } from "vitest";
import type { CompletedActivity } from "../../../src/plan/guards/finding.ts";
import type { AccessWindow } from "../../../src/plan/organization.ts";
import { makePlan } from "../../in-words.ts";
import { at, context, desiredOf, id, known, liveOf, liveTag, wantTag } from "../support-organizations.ts";

const [alice, bob, carol] = [id("user", 1), id("user", 2), id("user", 3)];
const tag = liveTag(1, "signers", { members: known([alice]) });
const nowMs = context.readAtMs;

interface Update {
	readonly name?: string;
	readonly add?: readonly string[];
	readonly remove?: readonly string[];
	readonly saidBy?: CompletedActivity["saidBy"];
	readonly tagId?: string;
}

/** Completed activities of the tag, the newest first, a minute apart. */
function updates(...all: readonly Update[]): readonly CompletedActivity[] {
	return all.map(
		({ name, add = [], remove = [], saidBy = "service", tagId = tag.id }, index): CompletedActivity => ({
			activityId: id("app", index + 1),
			fingerprint: `sha256:${index}`,
			parameters: {
				...{ userTagId: tagId.toUpperCase(), addUserIds: add, removeUserIds: remove },
				...(name === undefined ? {} : { newUserTagName: name }),
			},
			completedAtMs: nowMs - (index + 1) * 60_000,
			...(saidBy === "journal" ? { userId: null, userName: null } : { userId: bob, userName: "Bob" }),
			saidBy,
		}),
	);
}

interface Wanted {
	readonly name?: string;
	readonly previously?: readonly string[];
	readonly members?: readonly string[];
	readonly windows?: readonly AccessWindow[];
	readonly unread?: boolean;
}

function judge(
	{ name = "signers", previously = [], members = [alice, bob], windows = [], unread = false }: Wanted,
	completed: readonly CompletedActivity[],
) {
	const exactly = {
		mode: "exactly",
		exactly: [...members].sort(),
		...(windows.length === 0 ? {} : { windows }),
	} as const;
	const desired = desiredOf({ userTags: [wantTag(name, { id: tag.id, previously, members: exactly })] });
	const live = liveOf({
		userTags: known([
			unread
				? { ...tag, members: { known: false, because: { kind: "stated", text: "the service does not show them" } } }
				: tag,
		]),
	});
	return makePlan({ ...desired, files: ["acme.yaml"] }, live, { ...context, completed }).guards.filter(
		({ kind }) => kind === "reversals",
	);
}

const addBob = { add: [bob] };
const removeBob = { remove: [bob] };

describe("a change that the last two completed activities made and undid", () => {
	it("is blocked, and both activities, who submitted them and the document are named", () => {
		const [guard] = judge({}, updates(removeBob, addBob));
		const [first, second] = [new Date(nowMs - 120_000).toISOString(), new Date(nowMs - 60_000).toISOString()];
		expect(guard).toEqual({
			kind: "reversals",
			limit: "no change that was made and undone before",
			...{ found: 1, refuses: true, where: ["userTag:signers"] },
			message: `userTag:signers was changed and changed back: activity ${id("app", 2)} (of Bob, id ${bob.slice(0, 8)}…, ${first}) made this change, activity ${id("app", 1)} (of Bob, id ${bob.slice(0, 8)}…, ${second}) undid it, and acme.yaml would make the change again`,
		});
	});

	it.each([
		["a removal", { members: [] }, [{ add: [alice] }, { remove: [alice] }]],
		["among other changes of the plan", { members: [alice, bob, carol] }, [removeBob, addBob]],
		["with changes of other members in between", {}, [{ add: [carol] }, removeBob, { remove: [carol] }, addBob]],
		["a rename, to the name before it", { name: "left" }, [{ name: "signers" }, { name: "left" }, { name: "signers" }]],
		["a rename from a former name", { name: "left", previously: ["signers"] }, [{ name: "signers" }, { name: "left" }]],
		[
			"a rename by way of a temporary name",
			{ name: "left", previously: ["signers"] },
			[{ name: "signers" }, { name: `orgsync-temporary-${tag.id.slice(0, 8)}` }, { name: "left" }],
		],
		[
			"of the journal alone",
			{},
			[
				{ ...removeBob, saidBy: "journal" as const },
				{ ...addBob, saidBy: "journal" as const },
			],
		],
	])("is blocked: %s", (_what, wanted, history) => {
		expect(judge(wanted, updates(...history))).toMatchObject([{ found: 1, refuses: true }]);
	});

	it.each([
		["nothing was changed before", {}, []],
		["someone else's change is reverted once", {}, [removeBob]],
		["the repeated change is of another tag", {}, [removeBob, addBob].map((one) => ({ ...one, tagId: id("tag", 9) }))],
		["only one of both members was added before", {}, [{ remove: [bob, carol] }, { add: [bob] }]],
		["it takes back only a part", { members: [alice, bob, carol] }, [{ remove: [bob] }, { add: [bob, carol] }]],
		["the name was an empty one", { name: "left" }, [{ name: "" }, { name: "left" }, { name: "" }]],
		[
			"it was made once, and again before that was undone",
			{},
			[removeBob, addBob, addBob].map((one, index) => ({ ...one, add: index === 0 ? [] : [bob, carol] })),
		],
		["their change undid a part of ours, as in the README's tour", {}, [removeBob, { add: [bob], remove: [carol] }]],
		["their rename is to a third name", { name: "left" }, [{ name: "signers" }, { name: "left" }, { name: "right" }]],
		["the name before is not known", { name: "left" }, [{ name: "signers" }, { name: "left" }]],
		["they changed other members", {}, [{ remove: [carol] }, { add: [carol] }]],
		["two equal activities were listed, of which one changed nothing", {}, [removeBob, { add: [bob, carol] }, addBob]],
		["the journal made it once", {}, [{ ...addBob, saidBy: "journal" as const }]],
	])("is ordinary where %s", (_why, wanted, history) => {
		expect(judge(wanted, updates(...history))).toEqual([]);
	});
});

describe("a part of a change that was made twice before", () => {
	it("is blocked, although each time something else changed with it", () => {
		const history = updates(removeBob, { add: [bob, carol] }, removeBob, { add: [bob], remove: [carol] });
		expect(judge({}, history)).toMatchObject([
			{
				refuses: true,
				message: expect.stringMatching(
					/this change was made 2 times, last by activity .*, and undone each time, last by/,
				),
			},
		]);
	});

	it("is blocked by the journal alone, where the service does not list what undid it", () => {
		const ours = { ...addBob, saidBy: "journal" } as const;
		const [guard] = judge({}, updates(ours, ours));
		expect(guard?.message).toContain("(submitted with this journal, ");
		expect(guard?.message).toContain("and undone each time, last by an unknown activity");
		expect(judge({ unread: true }, updates(ours, ours))).toEqual([]);
	});
});

describe("access with a window", () => {
	const hour = 3_600_000;
	const until = (untilMs: number, fromMs?: number): readonly AccessWindow[] => [
		{ userId: bob, untilMs, ...(fromMs === undefined ? {} : { fromMs }), at },
	];
	const ended = [removeBob, addBob];

	it.each([
		["that ended and was granted again", {}, until(nowMs + hour), ended],
		["that begins again", {}, until(nowMs + hour, nowMs - 30_000), ended],
	])("%s is ordinary", (_what, wanted, windows, history) => {
		expect(judge({ ...wanted, windows }, updates(...history))).toEqual([]);
	});

	it("counts of the user who has it alone, and from its latest moment on", () => {
		const [open] = until(nowMs + hour, nowMs - hour) as [AccessWindow];
		const ofCarol = { ...open, userId: carol, fromMs: nowMs - 1 };
		expect(
			judge({ windows: [open, ofCarol].sort((one, other) => (one.userId < other.userId ? -1 : 1)) }, updates(...ended)),
		).toHaveLength(1);
		expect(judge({ windows: [ofCarol] }, updates(...ended))).toHaveLength(1);
		// The activity that gave it completed two minutes ago.
		expect(judge({ windows: until(nowMs + hour, nowMs - 120_000) }, updates(...ended))).toHaveLength(1);
		expect(judge({ windows: until(nowMs + hour, nowMs - 119_999) }, updates(...ended))).toEqual([]);
	});

	it("that ends for the second time is ordinary", () => {
		const live = liveTag(1, "signers", { members: known([alice, bob]) });
		const members = { mode: "exactly", exactly: [alice, bob].sort(), windows: until(nowMs - 30_000) } as const;
		const desired = desiredOf({ userTags: [wantTag("signers", { id: tag.id, members })] });
		const plan = makePlan(desired, liveOf({ userTags: known([live]) }), {
			...context,
			completed: updates(addBob, removeBob, addBob),
		});
		expect(plan.changes).toMatchObject([{ removeUserIds: [bob] }]);
		expect(plan.guards.filter(({ kind }) => kind === "reversals")).toEqual([]);
	});

	it("is blocked where it was given and taken since it began", () => {
		expect(judge({ windows: until(nowMs + hour, nowMs - hour) }, updates(...ended))).toMatchObject([{ refuses: true }]);
	});
});
