/** What has to be read before there is a plan, and what a comparison says of steps that were rejected. */
import { describe, expect, it } from "vitest";
import { decide, dependsOnTime, documentsToRead, holdThreeWay, type Question } from "../../src/plan/decide.ts";
import type {
	DesiredMembers,
	DesiredOrganization,
	DesiredPolicy,
	LiveOrganization,
} from "../../src/plan/organization.ts";
import type { Step } from "../../src/plan/step.ts";
import { at, context, desiredOf, id, known, liveOf, liveTag, nothingAbsent, wantTag } from "./support-organizations.ts";

const [alice, bob] = [id("user", 1), id("user", 2)];
const untilMs = context.readAtMs + 1;
const signers = (exactly: readonly string[], parts: Partial<DesiredMembers> = {}) =>
	wantTag("signers", { members: { mode: "exactly", exactly, ...parts } as DesiredMembers });
const policy: DesiredPolicy = {
	...{ kind: "policy", name: "pay", previously: [], effect: "EFFECT_ALLOW", consensus: "true", condition: "", at },
};
const withPolicy = (document: DesiredOrganization) => ({ ...document, objects: [...document.objects, policy] });
const inSync = desiredOf({ userTags: [signers([alice])] });
const live = liveOf({ userTags: known([liveTag(1, "signers", { members: known([alice]) })]) });

const baseOf = (desired: DesiredOrganization | null) => ({ name: "main", desired });

function decided(document: DesiredOrganization, more: Partial<Question> = {}, own: LiveOrganization = live) {
	const reading = { live: own, narrow: () => own, timeMs: context.readAtMs, whyUncertain: undefined };
	return decide({ document, reads: "auto", ...more }, reading);
}
const needsOf = (...parts: Parameters<typeof decided>) => decided(...parts).needs;

describe("What a plan needs", () => {
	it("is nothing where nothing differs", () => {
		expect(needsOf(inSync)).toEqual({
			...{ operations: [], caller: false, powers: false, completed: false, otherPending: undefined },
		});
	});

	it("is who can do what and who calls, for steps that take something from a user", () => {
		const adds = desiredOf({ userTags: [signers([alice, bob])] });
		const removes = desiredOf({ userTags: [signers([])] });
		const operations = ["update_user_tag"];
		expect(needsOf(adds)).toMatchObject({ operations, caller: false, powers: true, completed: true });
		expect(needsOf(removes)).toMatchObject({ operations, caller: true, powers: true, completed: true });
		expect(needsOf(removes, { reads: "documented" })).toMatchObject({
			...{ operations, caller: false, powers: false, completed: true, otherPending: undefined },
		});
	});

	it("is the completed activities only for a tag that may have changed before", () => {
		const adds = desiredOf({ userTags: [signers([alice, bob])] });
		const fresh = liveTag(1, "signers", { members: known([alice]), isUnchanged: true });
		expect(needsOf(adds, {}, liveOf({ userTags: known([fresh]) })).completed).toBe(false);
		const created = desiredOf({ userTags: [wantTag("new", { create: true })] });
		expect(needsOf(created)).toMatchObject({ operations: ["create_user_tag"], completed: false });
		const absent = { ...nothingAbsent, policyIds: [id("policy", 1)] };
		const gone = liveOf({ policies: known([{ id: id("policy", 1), name: "x" }]) });
		expect(needsOf(desiredOf({ absent }), {}, gone)).toMatchObject({
			...{ operations: ["delete_policies"], completed: false, caller: false },
		});
	});

	it("is no operation where a problem keeps apply from changing anything", () => {
		const missing = desiredOf({ userTags: [signers([]), wantTag("missing")] });
		expect(needsOf(missing)).toMatchObject({ operations: [], caller: false, powers: false, completed: false });
	});

	it("is who can do what for rules of the document or its base, for cases, and for policies that left it", () => {
		const rule = { rule: "minApprovers", power: "sign", min: 2, at } as const;
		const members = { rule: "members", tag: "signers", min: 1, at } as const;
		const powersOf = (document: DesiredOrganization, base?: DesiredOrganization | null): boolean =>
			needsOf(document, base === undefined ? {} : { base: baseOf(base) }).powers;
		expect(powersOf({ ...inSync, rules: [members] })).toBe(false);
		expect(powersOf({ ...inSync, rules: [rule] })).toBe(true);
		expect(powersOf(inSync, { ...inSync, rules: [rule] })).toBe(true);
		expect(powersOf({ ...inSync, cases: [] })).toBe(true);
		expect(powersOf(inSync, { ...inSync, cases: [] })).toBe(true);
		expect(powersOf(inSync, withPolicy(inSync))).toBe(true);
		expect(powersOf(inSync, inSync)).toBe(false);
		expect(powersOf(inSync, null)).toBe(false);
		expect(needsOf({ ...inSync, rules: [rule] }, { reads: "documented" }).powers).toBe(false);
	});

	it("is the other pending activities where policies are stated, users protected, or credentials have rules", () => {
		const othersOf = (document: DesiredOrganization) => needsOf(document).otherPending;
		expect(othersOf({ ...inSync, protect: { userIds: [alice], userTags: [] } })).toEqual({
			...{ written: false, credentialsOf: [alice] },
		});
		const rules = [{ rule: "credentials", check: "sensitiveNeedsAuthenticator", at }] as const;
		expect(othersOf({ ...inSync, rules })).toEqual({ written: false, credentialsOf: null });
		expect(othersOf(withPolicy(inSync))).toEqual({ written: true, credentialsOf: [] });
		expect(othersOf({ ...inSync, rules: [{ rule: "members", tag: "signers", min: 1, at }] })).toBeUndefined();
	});
});

describe("A document with windows", () => {
	const windows = [{ userId: bob, untilMs, at }];
	const absent = { kind: "userTag", absent: true, name: "old", at } as const;
	const tag = signers([alice, bob], { windows });
	const timed = { ...inSync, objects: [wantTag("plain"), signers([alice]), tag, absent, policy] };

	it("depends on the time, and so does one whose base has some", () => {
		expect(dependsOnTime({ document: timed, reads: "auto" })).toBe(true);
		expect(dependsOnTime({ document: inSync, reads: "auto" })).toBe(false);
		expect(dependsOnTime({ document: inSync, reads: "auto", base: baseOf(null) })).toBe(false);
		expect(dependsOnTime({ document: inSync, reads: "auto", base: baseOf(timed) })).toBe(true);
		expect(documentsToRead({ document: inSync, reads: "auto", base: baseOf(null) })).toBe(inSync);
	});

	it("leaves out the members of those tags alone where the time is not certain, each with a problem", () => {
		const reading = { live, narrow: () => live, timeMs: context.readAtMs, whyUncertain: "clocks differ" };
		const { desired, differences } = decide({ document: timed, reads: "auto" }, reading);
		const { members: _, ...rest } = tag;
		expect(desired.objects).toEqual([wantTag("plain"), signers([alice]), rest, absent, policy]);
		expect(differences.problems.filter(({ code }) => code === "time-not-certain")).toEqual([
			{
				...{ ...tag.at, path: "userTag:signers", code: "time-not-certain" },
				message: "its members have windows, and clocks differ",
			},
		]);
	});

	it("wants the members of the time at which it is read, of those tags alone", () => {
		const now = { live, narrow: () => live, timeMs: untilMs, whyUncertain: undefined };
		const { desired } = decide({ document: timed, reads: "auto" }, now);
		const ended = signers([alice], { never: [bob], windows });
		expect(desired.objects).toEqual([wantTag("plain"), signers([alice]), ended, absent, policy]);
	});
});

describe("Drift that a rejected step would put back", () => {
	const step = (label: string, isRejected: boolean) =>
		({
			...{ id: label, covers: [{ address: label, id: label }], dependsOn: [] },
			earlierActivity: isRejected ? { relation: "rejected" } : null,
		}) as unknown as Step;
	const drifted = (address: string, fate: string) => ({ address, fate });

	it("is held, and not among what apply puts back", () => {
		const threeWay = {
			drifted: [
				...[drifted("userTag:a", "reverted"), drifted("userTag:a", "replaced"), drifted("userTag:a", "accepted")],
				drifted("userTag:b", "reverted"),
			],
			reverts: [{ address: "userTag:a" }, { address: "userTag:b" }],
		};
		const steps = [step("userTag:a", true), step("userTag:b", false)];
		expect(holdThreeWay(threeWay as never, { steps })).toEqual({
			drifted: [
				...[drifted("userTag:a", "held"), drifted("userTag:a", "held"), drifted("userTag:a", "accepted")],
				drifted("userTag:b", "reverted"),
			],
			reverts: [{ address: "userTag:b" }],
		});
	});
});
