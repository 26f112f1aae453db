/** What an apply finds of the policies and tags that it wrote, from answers of the service. */
import { describe, expect, it } from "vitest";
import {
	type DesiredOrganization,
	type DesiredPolicy,
	emptyLastApplied,
	type LastApplied,
} from "../../src/plan/organization.ts";
import type { Plan } from "../../src/plan/plan.ts";
import type { StepResult } from "../../src/plan/report.ts";
import type { AppliedObject, Journal } from "../../src/sync/journal/journal.ts";
import { verify } from "../../src/sync/verify.ts";
import type { Reader } from "../../src/wire/client.ts";
import { at, desiredOf, organizationId, wantTag } from "../plan/support-organizations.ts";

const content = { name: "pay", effect: "EFFECT_ALLOW", consensus: "true", condition: "true", notes: "n", time: "" };
const policy: DesiredPolicy = {
	...{ kind: "policy" as const, name: "pay", previously: [], effect: "EFFECT_ALLOW" as const, at },
	...{ consensus: "true", condition: "true" },
};
const desired: DesiredOrganization = { ...desiredOf({ userTags: [wantTag("signers")] }), objects: [policy] };
const appliedAt = "2026-01-01T00:00:00.000Z";

interface World {
	/** Live policies by id, with the parts that are not those above. */
	readonly policies?: Readonly<Record<string, object>> | null;
	/** Names of live tags by id. */
	readonly tags?: Readonly<Record<string, string>>;
	readonly lastApplied?: Partial<LastApplied>;
	readonly changes?: readonly object[];
	/** Operations of the plan's steps; those with `!` before them did not complete. */
	readonly steps: readonly (readonly [operation: string, address: string, parameters?: object, id?: string])[];
	readonly wanted?: DesiredOrganization;
	/** What the plan could not read. */
	readonly unread?: readonly object[];
}

async function verified({
	policies = {},
	tags = {},
	lastApplied = {},
	changes = [],
	steps,
	wanted = desired,
	unread = [],
}: World) {
	const query: Reader["query"] = async ({ name }) => {
		if (name === "list_policies" && policies === null) return { value: {}, serverTimeMs: undefined };
		const written = Object.entries(policies ?? {}).map(
			([policyId, { name: policyName, ...parts }]: [string, Named]) => ({
				...{ policyId, ...content, policyName, ...parts },
			}),
		);
		const userTags = Object.entries(tags).map(([tagId, tagName]) => ({ tagId, tagName, updatedAt: `of ${tagId}` }));
		return { value: { policies: written, userTags, users: [] }, serverTimeMs: undefined };
	};
	const all = steps.map(([operation, address, parameters = {}, id = "p"], index) => ({
		...{ id: `step-${index}`, operation: operation.replace("!", ""), parameters, covers: [{ address, id }] },
	}));
	const plan = { organizationId, reads: "auto", unread, changes, steps: all } as unknown as Plan;
	const completed = all.filter((_step, index) => !steps[index]?.[0].startsWith("!"));
	const recorded: (readonly AppliedObject[])[] = [];
	const journal = {
		lastApplied: () => ({ ...emptyLastApplied, ...lastApplied }),
		recordApplied: (_organizationId: string, applied: readonly AppliedObject[]) => recorded.push(applied),
	} as unknown as Journal;
	const results = completed.map((step) => ({ step, outcome: "completed" }) as unknown as StepResult);
	return { ...(await verify(wanted, plan, results, { reader: { query }, journal })), recorded };
}

type Named = { readonly name?: string };
const keptOf = async (world: World) => Object.fromEntries((await verified(world)).kept);
const step = ["update_policy", "policy:pay"] as const;

describe("fields that an update clears", () => {
	const change = (before: object | null, after: object, parts: object = {}) => ({
		...{ kind: "policy", action: "update", address: "policy:pay", id: "p" },
		...{ before: before && { ...content, ...before }, after: { ...content, ...after }, ...parts },
	});

	it.each<[what: string, kept: readonly string[], change: object, live: object]>([
		["are named where the service kept them", ["notes"], change({}, { notes: "" }), {}],
		[
			"are all named",
			["consensus", "condition", "notes", "time"],
			change({ time: "t" }, { consensus: "", condition: "", notes: "", time: "" }),
			{ time: "t" },
		],
		["are not named where they are empty", [], change({}, { notes: "" }), { notes: "" }],
		["are not named where they have another text", [], change({}, { notes: "" }), { notes: "x" }],
		["are not named where they were empty before", [], change({ notes: "" }, { notes: "" }), { notes: "" }],
		["are not those that the update writes", [], change({}, { notes: "x" }), {}],
		["are those of the policy alone", [], change({}, { notes: "" }, { id: "q" }), {}],
		["are none of a creation", [], change({}, { notes: "" }, { action: "create" }), {}],
		["are none of a tag", [], change({}, { notes: "" }, { kind: "userTag" }), {}],
	])("%s: %j", async (_what, fields, one, live) => {
		const kept = await keptOf({ policies: { p: { name: "pay", ...live } }, changes: [one], steps: [step] });
		const message = `the service kept what the update clears: ${fields.join(", ")}. Write a text there`;
		expect(kept).toEqual(fields.length === 0 ? {} : { "policy:pay": expect.stringContaining(message) });
	});

	it("are none where the policies cannot be read, or the update did not complete", async () => {
		const changes = [change({}, { notes: "" })];
		expect(await keptOf({ policies: null, changes, steps: [step] })).toEqual({});
		const partly: World["steps"] = [step, ["!update_policy", "policy:pay"]];
		expect(await keptOf({ policies: { p: { name: "pay" } }, changes, steps: partly })).toEqual({});
	});

	it("are no difference that is left", async () => {
		const changes = [change({}, { notes: "" })];
		const wanted = { ...desired, objects: [{ ...policy, notes: "" }] };
		const world = { policies: { p: { name: "pay" } }, changes, wanted };
		expect((await verified({ ...world, steps: [step] })).left).toEqual([]);
		const other = { ...policy, consensus: "false", notes: "" };
		const { left } = await verified({
			...world,
			wanted: { ...desired, objects: [other] },
			changes: [change({}, {})],
			steps: [step],
		});
		expect(left).toMatchObject([{ address: "policy:pay" }]);
	});
});

describe("an object that a step created", () => {
	const created: World["steps"] = [["create_policies", "policy:pay", {}, "pay"]];
	const changes = [{ kind: "policy", action: "create", address: "policy:pay" }];
	const ours = { policies: { p: { appliedAt, name: "pay" } } };

	it.each<
		[
			what: string,
			message: string | undefined,
			policies: Readonly<Record<string, object>> | null,
			lastApplied: Partial<LastApplied>,
		]
	>([
		["has its name", undefined, { p: { name: "pay" } }, ours],
		["is another by now", "p has its name now, which is another policy", { p: { name: "pay" } }, {}],
		["was deleted", "it was created, and it was deleted since", { q: { name: "other" } }, ours],
		["was renamed", "it was renamed to new (p) since", { q: { name: "x" }, p: { name: "new" } }, ours],
		["is not known", undefined, null, {}],
	])("%s: %s", async (_what, message, policies, lastApplied) => {
		const kept = await keptOf({ policies, lastApplied, changes, steps: created });
		expect(kept).toEqual(message === undefined ? {} : { "policy:pay": expect.stringContaining(message) });
	});

	it.each<[what: string, message: string | undefined, tags: Readonly<Record<string, string>>, applied: boolean]>([
		["has its name", undefined, { t: "signers", u: "x" }, true],
		["is another by now", "t has its name now, which is another tag", { t: "signers" }, false],
		["was renamed", "it was renamed to new (t) since", { u: "x", t: "new" }, true],
	])("is a tag that %s: %s", async (_what, message, tags, applied) => {
		const tag = { appliedAt, name: "signers", present: [], gone: [], updatedAt: "" };
		const kept = await keptOf({
			...{ tags, lastApplied: { userTags: applied ? { t: tag } : {} } },
			steps: [["create_user_tag", "userTag:signers", { userTagName: "signers" }, "a stand-in"]],
			changes: [{ kind: "userTag", action: "create", address: "userTag:signers" }],
			wanted: desiredOf({ userTags: [wantTag("signers")] }),
		});
		expect(kept).toEqual(message === undefined ? {} : { "userTag:signers": expect.stringContaining(message) });
	});

	it("is looked for after a creation only", async () => {
		expect(await keptOf({ changes, steps: [["delete_policies", "policy:pay", {}, "pay"]] })).toEqual({});
	});
});

describe("what cannot be read any more", () => {
	const changes = [{ kind: "policy", action: "create", address: "policy:pay" }];
	const unread = { scope: "kind", kind: "policy", because: { kind: "not-needed" }, standsIn: "nothing" };
	const lost = async (before: readonly object[]) =>
		(await verified({ policies: null, changes, steps: [["create_policies", "policy:pay", {}, "pay"]], unread: before }))
			.unverified;

	it("is why nothing says that the result is right, unless it was not read before either", async () => {
		expect(await lost([])).toBe("policy:*: the answer to list_policies has no list of policies with ids");
		expect(await lost([{ ...unread, kind: "oauthProvider" }, unread])).toBeNull();
		expect((await verified({ policies: {}, changes, steps: [] })).unverified).toBeNull();
	});
});

describe("the times of tags", () => {
	const tag = { appliedAt, name: "signers", present: [], gone: [], updatedAt: "" };
	const record = async (lastApplied: object, subject: string, tags: World["tags"] = { t: "signers" }) => {
		const world = {
			...{ tags, changes: [{ kind: "userTag", action: "update", address: "userTag:signers" }] },
			wanted: desiredOf({ userTags: [wantTag("signers")] }),
		};
		const steps: World["steps"] = [["update_user_tag", "userTag:signers", { userTagId: subject }, "t"]];
		return (await verified({ ...world, lastApplied: { userTags: { t: { ...tag, ...lastApplied } } }, steps })).recorded;
	};

	it("are recorded of a tag that was changed and has none", async () => {
		expect(await record({}, "t")).toEqual([[{ kind: "userTag", id: "t", value: { ...tag, updatedAt: "of t" } }]]);
	});

	it("stay where there is one, and of other tags", async () => {
		expect(await record({ updatedAt: "before" }, "t")).toEqual([]);
		expect(await record({}, "u")).toEqual([]);
		expect(await record({}, "t", { u: "x" })).toEqual([]);
	});
});
