/** The rest of a saved plan of which some steps completed. */
import { expect, it } from "vitest";
import { createdTags, restOf } from "../../src/plan/continue-plan.ts";
import { emptyLastApplied } from "../../src/plan/organization.ts";
import { makePlan } from "../../src/plan/plan.ts";
import { standInFor } from "../../src/plan/stand-in.ts";
import type { Step } from "../../src/plan/step.ts";
import {
	context,
	desiredOf,
	id,
	known,
	liveOf,
	liveTag,
	organizationId,
	unknown,
	wantTag,
} from "./support-organizations.ts";

const alice = id("user", 1);
const create = true;
const desired = desiredOf({
	userTags: [
		wantTag("payers", { create, members: { mode: "exactly", exactly: [alice] } }),
		wantTag("signers", { members: { mode: "exactly", exactly: [alice] } }),
		wantTag("viewers", { create }),
	],
});
const before = [liveTag(1, "signers")];
const plan = makePlan(desired, liveOf({ userTags: known(before) }), context);
const standIn = (name: string) => standInFor(organizationId, "userTag", name);
const applied = (...tags: readonly (readonly [number, string])[]) => ({
	...emptyLastApplied,
	userTags: Object.fromEntries(
		tags.map(([number, name]) => {
			return [id("tag", number), { name, appliedAt: "", present: [], gone: [], updatedAt: "" }] as const;
		}),
	),
});
const named = (name: string) => plan.steps.find(({ covers }) => covers[0]?.address === `userTag:${name}`) as Step;

it("The tags that a plan created are those of their names that were applied from here", () => {
	const live = liveOf({ userTags: known([...before, liveTag(2, "payers"), liveTag(3, "viewers")]) });
	const created = (...tags: readonly (readonly [number, string])[]) => [
		...createdTags(plan, { ...live, lastApplied: applied(...tags) }),
	];
	expect(created([2, "payers"])).toEqual([[standIn("payers"), id("tag", 2)]]);
	expect(created([2, "payers"], [3, "viewers"], [1, "signers"])).toEqual([
		[standIn("payers"), id("tag", 2)],
		[standIn("viewers"), id("tag", 3)],
	]);
	expect(created([2, "other"])).toEqual([]);
	expect(created()).toEqual([]);
	const two = liveOf({ userTags: known([liveTag(2, "payers"), liveTag(4, "payers")]) });
	expect(createdTags(plan, { ...two, lastApplied: applied([2, "payers"], [4, "payers"]) }).size).toBe(0);
	const lastApplied = applied([2, "payers"]);
	expect(createdTags(plan, { ...liveOf({ userTags: unknown }), lastApplied }).size).toBe(0);
	const without = { ...plan, steps: plan.steps.map((step) => ({ ...step, covers: [] })) };
	expect(createdTags(without, { ...live, lastApplied }).size).toBe(0);
});

it("What completed is left out, and what waited for it waits no more", () => {
	const [payers, signers, viewers] = [named("payers"), named("signers"), named("viewers")];
	const waiting: Step = { ...viewers, dependsOn: [payers.id, signers.id] };
	const all = { ...plan, steps: [payers, signers, waiting] };
	const rest = restOf(all, [payers], new Map());
	expect(rest.steps).toEqual([signers, { ...waiting, dependsOn: [signers.id] }]);
	const addresses = ["userTag:signers", "userTag:viewers"];
	expect(rest.changes.map(({ address }) => address)).toEqual(addresses);
	expect(rest.touched.map(({ address }) => address)).toEqual(addresses);
	expect(restOf(all, [], new Map())).toEqual(all);
});

it("An object that another step still changes is left in", () => {
	const [payers, signers] = [named("payers"), named("signers")];
	const again: Step = { ...signers, covers: [...signers.covers, ...payers.covers] };
	const rest = restOf({ ...plan, steps: [payers, again] }, [payers], new Map());
	expect(rest.changes).toEqual(plan.changes);
	expect(rest.touched).toEqual(plan.touched);
});

it("Ids of created tags are in place of their stand-ins", () => {
	const text = JSON.stringify(restOf(plan, [], new Map([[standIn("payers"), id("tag", 2)]])));
	expect(text).not.toContain(standIn("payers"));
	expect(text).toContain(id("tag", 2));
	expect(text).toContain(standIn("viewers"));
});
