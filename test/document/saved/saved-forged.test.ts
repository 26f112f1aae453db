/**
 * A saved plan that another person wrote: the digest fits, and what the plan's own changes imply is compared all the same.
 * Every member is forged once; a plan that orgsync makes is never refused.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../../../src/common/errors.ts";
import { decodeSavedPlan, encodeSavedPlan, makeSavedPlan } from "../../../src/document/saved/saved-plan.ts";
import { findContradiction } from "../../../src/document/saved/saved-plan-check.ts";
import type { PendingActivity } from "../../../src/plan/activities/pending.ts";
import type { DesiredOrganization } from "../../../src/plan/organization.ts";
import { makePlan } from "../../../src/plan/plan.ts";
import type { Step } from "../../../src/plan/step.ts";
import { digestOf } from "../../../src/plan/value.ts";
import { casesToTry } from "../../case-count.ts";
import {
	context,
	desiredOf,
	desiredOfWorld,
	id,
	known,
	liveOf,
	liveOfWorld,
	liveTag,
	organizationId,
	smallWorlds,
	unknown,
	wantTag,
} from "../../plan/support-organizations.ts";

const [alice, bob, carol] = [id("user", 1), id("user", 2), id("user", 3)];
const [first, second, third] = [id("policy", 1), id("policy", 2), id("policy", 3)];
const at = { file: "document.yaml", line: 1, column: 1 };

const desired: DesiredOrganization = desiredOf({
	users: { alice, bob, carol },
	digest: digestOf("the document"),
	userTags: [
		wantTag("east", { id: id("tag", 2) }),
		wantTag("signers", { members: { mode: "exactly", exactly: [alice, bob] } }),
		wantTag("west", { id: id("tag", 1) }),
	],
	absent: {
		policyIds: [first, second, third],
		oauthProviders: [{ userId: bob, providerIds: [id("provider", 1)] }],
		tvcAppIds: [id("app", 1)],
	},
	expect: {
		sessionProfiles: [{ id: id("other", 1), fields: { name: "day", expirationSeconds: "60" }, at }],
		mfaPolicies: [{ userId: alice, name: "login", fields: { order: 1 }, at }],
		bootProofs: [],
		supportedAssets: [],
	},
});

const live = liveOf({
	userTags: known([
		liveTag(1, "east"),
		liveTag(2, "west"),
		liveTag(3, "signers", { members: known([bob, carol]) }),
		liveTag(4, "others"),
	]),
	policies: known([first, second, third].map((one) => ({ id: one, name: `policy ${one}`, digest: digestOf(one) }))),
	oauthProviders: known([{ userId: bob, id: id("provider", 1), name: "login" }]),
	tvcApps: unknown,
	users: known({ [alice]: "alice", [bob]: "bob", [carol]: "carol" }),
	sessionProfiles: { [id("other", 1)]: known({ sessionProfileName: "night", expirationSeconds: "60" }) },
	mfaPolicies: { [alice]: known([]) },
});

function activity(operation: Step["operation"], parameters: object, parts: Partial<PendingActivity> = {}) {
	return {
		activityId: "activity-1",
		fingerprint: "sha256:1",
		state: "pending",
		status: "ACTIVITY_STATUS_CONSENSUS_NEEDED",
		operation,
		parameters: { ...parameters },
		createdAt: null,
		approvedBy: null,
		saidBy: "service",
		...parts,
	} as const satisfies PendingActivity;
}

const plan = makePlan(desired, live, {
	...context,
	caller: known(alice),
	waiting: [activity("delete_policies", { policyIds: [first] })],
	rejected: [
		activity(
			"delete_oauth_providers",
			{ userId: bob, providerIds: [id("provider", 1)] },
			{ activityId: "activity-2", fingerprint: "sha256:2", state: "rejected", status: "ACTIVITY_STATUS_REJECTED" },
		),
	],
});

// biome-ignore lint/suspicious/noExplicitAny: a forger keeps to no type.
type Forged = any;

/** Returns why a file with this change in its plan and a new digest is refused. */
function reasonOf(change: (plan: Forged, file: Forged) => void): string {
	const { digest: _digest, ...content }: Forged = JSON.parse(
		encodeSavedPlan(makeSavedPlan({ plans: [plan] }, "orgsync 1.2.3")),
	);
	change(content.plans[0], content);
	try {
		decodeSavedPlan(JSON.stringify({ ...content, digest: digestOf(content) }), "plan.json");
		return "it was taken";
	} catch (error) {
		expect(error).toBeInstanceOf(ConfigurationError);
		return (error as Error).message;
	}
}

const changeOf = (forged: Forged, kind: string): Forged => forged.changes.find((one: Forged) => one.kind === kind);
const stepOf = (forged: Forged, operation: string): Forged =>
	forged.steps.find((one: Forged) => one.operation === operation && one.earlierActivity === null);

describe("a saved plan with a digest that fits is refused when it states otherwise than its changes imply", () => {
	it.each<[string, (forged: Forged, file: Forged) => void, RegExp]>([
		[
			"an override for steps that the plan does not have",
			(forged) => {
				forged.overrides = [{ flag: "retry-rejected", steps: 1, covers: ["policy:zzz"] }];
			},
			/overrides: --retry-rejected is about 1 steps that the plan does not submit/,
		],
		[
			"an override for more steps than the plan has",
			(forged) => {
				const covers = [forged.steps[0].covers[0].address];
				forged.overrides = [{ flag: "retry-rejected", steps: 99, covers }];
			},
			/overrides: --retry-rejected is about 99 steps/,
		],
		["a step's id", (one) => Object.assign(one.steps[0], { id: "step-9" }), /steps\[0\]\.id is "step-9"/],
		[
			"a step's operation",
			(one) => Object.assign(stepOf(one, "delete_tvc_app_and_deployments"), { operation: "delete_policies" }),
			/no step does what the change of tvcApp:/,
		],
		[
			"the object of a step",
			(one) => Object.assign(stepOf(one, "delete_tvc_app_and_deployments").parameters, { appId: id("app", 9) }),
			/no step does what the change of tvcApp:/,
		],
		[
			"a parameter added to a step",
			(one) => Object.assign(stepOf(one, "delete_policies").parameters, { note: "x" }),
			/: steps\[\d\]: parameters is /,
		],
		[
			"a policy added to a step",
			(one) => stepOf(one, "delete_policies").parameters.policyIds.push(id("policy", 9)),
			/parameters\.policyIds is /,
		],
		[
			"a policy taken from a step",
			(one) => stepOf(one, "delete_policies").parameters.policyIds.pop(),
			/parameters\.policyIds is /,
		],
		[
			"users in a step",
			(one) => Object.assign(one.steps[3].parameters, { addUserIds: [carol] }),
			/: steps\[3\]: parameters is /,
		],
		[
			"a temporary name",
			(one) => Object.assign(one.steps[0].parameters, { newUserTagName: "admins" }),
			/no step does what the change of userTag:east implies/,
		],
		[
			"what a step covers",
			(one) => Object.assign(one.steps[3].covers[0], { address: "userTag:west" }),
			/: steps\[3\]: covers is /,
		],
		[
			"a kind that does not exist",
			(one) => Object.assign(one.changes.at(-1), { kind: "vault", address: "vault:1" }),
			/there is no kind vault with the action report/,
		],
		[
			"the id of what a step covers",
			(one) => Object.assign(one.steps[3].covers[0], { id: id("other", 1) }),
			/: steps\[3\]: covers is /,
		],
		[
			"what a step depends on",
			(one) => Object.assign(one.steps[1], { dependsOn: [] }),
			/: steps\[1\]: dependsOn is \[\]/,
		],
		[
			"the order of the steps",
			(one) => one.steps.splice(0, 2, { ...one.steps[1], id: "step-1" }, { ...one.steps[0], id: "step-2" }),
			/the steps are not in order/,
		],
		[
			"a step without a change",
			(one) =>
				one.steps.push({
					...stepOf(one, "delete_tvc_app_and_deployments"),
					id: `step-${one.steps.length + 1}`,
					parameters: { appId: id("app", 9) },
				}),
			/steps\[\d\] does something that no change implies/,
		],
		[
			"a step that stands there twice",
			(one) => one.steps.push({ ...one.steps.at(-1), id: `step-${one.steps.length + 1}` }),
			/is a duplicate/,
		],
		["two steps with one id", (one) => one.steps.push(one.steps.at(-1)), /steps\[\d\]\.id is /],
		["a change without a step", (one) => one.steps.pop(), /no step does what the change of tvcApp:\S+ implies/],
		[
			"a step that waits for nothing",
			(one) =>
				Object.assign(one.steps[3], {
					earlierActivity: { activityId: "a", fingerprint: "f", state: "pending", status: "s", relation: "same" },
				}),
			/steps\[3\] waits for an activity that is not pending for it/,
		],
		[
			"a step that does not wait",
			(one) =>
				Object.assign(
					one.steps.find((step: Forged) => step.earlierActivity?.relation === "same"),
					{ earlierActivity: null },
				),
			/does not wait for the activity that is pending for it/,
		],
		[
			"a rejection that is made up",
			(one) =>
				Object.assign(one.steps[3], {
					earlierActivity: { activityId: "a", fingerprint: "f", state: "rejected", status: "s", relation: "rejected" },
				}),
			/steps\[3\]\.earlierActivity is /,
		],
		[
			"a rejection that is left out",
			(one) =>
				Object.assign(
					one.steps.find((step: Forged) => step.earlierActivity?.relation === "rejected"),
					{ earlierActivity: null },
				),
			/earlierActivity is null/,
		],
		[
			"the relation to an activity",
			(one) => Object.assign(one.waiting[0], { relation: "conflicting" }),
			/waiting\[0\] is /,
		],
		["what an activity covers", (one) => Object.assign(one.waiting[0], { covers: [] }), /waiting\[0\] is /],
		[
			"an activity that touches nothing",
			(one) =>
				one.waiting.push({
					...one.waiting[0],
					fingerprint: "sha256:3",
					activityId: "activity-3",
					parameters: { policyIds: [id("policy", 9)] },
				}),
			/waiting lists an activity that touches no step/,
		],
		[
			"a change's address",
			(one) => Object.assign(changeOf(one, "userTag"), { address: "userTag:admins" }),
			/address is "userTag:admins"/,
		],
		[
			"a change's reason",
			(one) => Object.assign(changeOf(one, "userTag"), { reason: "members-differ" }),
			/reason is "members-differ"/,
		],
		[
			"members after a change",
			(one) => Object.assign(one.changes[1].after, { members: [alice, bob, carol] }),
			/after\.members is /,
		],
		[
			"a user who gets a tag twice",
			(one) => one.changes[1].addUserIds.push(bob),
			/after\.members is |has the tag already/,
		],
		[
			"the basis of a change",
			(one) => Object.assign(one.changes[1], { basis: "last-applied" }),
			/basis is last-applied/,
		],
		[
			"a change that changes nothing",
			(one) => Object.assign(one.changes[0], { after: one.changes[0].before }),
			/it changes nothing/,
		],
		[
			"the owner in an address",
			(one) => Object.assign(changeOf(one, "oauthProvider"), { address: `oauthProvider:carol/${id("provider", 1)}` }),
			/address is "oauthProvider:carol/,
		],
		["a policy with a user", (one) => Object.assign(changeOf(one, "policy"), { userId: alice }), /userId is /],
		[
			"why something is removed",
			(one) => Object.assign(changeOf(one, "tvcApp"), { reason: "is-there" }),
			/reason is "is-there"/,
		],
		[
			"whether something was read",
			(one) => Object.assign(changeOf(one, "tvcApp"), { basis: "live" }),
			/basis is "live"/,
		],
		[
			"a reported change's reason",
			(one) => Object.assign(changeOf(one, "sessionProfile"), { reason: "not-there" }),
			/reason is "not-there"/,
		],
		[
			"a field that does not differ",
			(one) => Object.assign(changeOf(one, "sessionProfile"), { before: { name: "day" } }),
			/the field name does not differ/,
		],
		[
			"fields of one side only",
			(one) => Object.assign(changeOf(one, "sessionProfile"), { before: {} }),
			/do not list the same fields/,
		],
		[
			"the user of an MFA policy",
			(one) => Object.assign(changeOf(one, "mfaPolicy"), { userId: bob }),
			/address is "mfaPolicy:alice\/login"/,
		],
		["the order of the changes", (one) => one.changes.reverse(), /is not in order/],
		["a change that stands there twice", (one) => one.changes.unshift(one.changes[0]), /is changed twice/],
		[
			"a tag that is changed twice",
			(one) => Object.assign(one.changes[2], { tagId: one.changes[0].tagId }),
			/is changed twice/,
		],
		["a touched address", (one) => Object.assign(one.touched[0], { address: "userTag:admins" }), /touched is /],
		["a touched address that is left out", (one) => one.touched.pop(), /touched is /],
		[
			"the digest of a touched tag",
			(one) => Object.assign(one.touched[0], { digest: digestOf(1) }),
			/touched\[0\]\.digest is /,
		],
		[
			"the digest of what could not be read",
			(one) => Object.assign(one.touched.at(-1), { digest: digestOf(1) }),
			/touched\[\d\]\.digest is /,
		],
		[
			"steps beside problems",
			(one) => one.problems.push({ ...at, path: "", code: "x", message: "x" }),
			/it has problems, and steps all the same/,
		],
		[
			"a guard about something else",
			(one) =>
				one.guards.push({ kind: "policies", limit: "x", found: 0, refuses: false, where: ["policy:x"], message: "x" }),
			/guards\[\d\] is about policy:x/,
		],
		["a time that is none", (one) => Object.assign(one, { readAt: "2026-01-01T00:00:00+09:00" }), /readAt is /],
		["an organization twice", (one, file) => file.plans.push(one), /organization \S+ is in it twice$/],
		[
			"an organization that was read and was not",
			(_one, file) => Object.assign(file, { unread: [organizationId] }),
			/is in it twice$/,
		],
		[
			"an organization read otherwise",
			(one, file) => file.plans.push({ ...one, organizationId: id("org", 2), reads: "documented" }),
			/was read with other reads/,
		],
	])("%s", (_what, change, reason) => {
		const said = reasonOf(change);
		expect(said).toMatch(/^plan\.json was not made by this orgsync: /);
		expect(said).toMatch(reason);
	});

	it("and the refusal shows a forged text escaped and cut", () => {
		const said = reasonOf((one) =>
			Object.assign(one.steps[0].covers[0], { address: `userTag:\u001b[2J${"x".repeat(5_000)}` }),
		);
		expect(said).toContain("\\u001b[2J");
		expect(said.length).toBeLessThan(800);
	});
});

describe("a saved plan that orgsync makes is taken", () => {
	it("with renames in a circle, removals, what is pending, rejected, unknown and only reported", () => {
		expect(plan.steps.length).toBe(8);
		expect(plan.waiting.map(({ relation }) => relation)).toEqual(["same", "rejected"]);
		expect(reasonOf(() => {})).toBe("it was taken");
	});

	it("whatever the organization, and whatever is pending, rejected or in doubt", () => {
		const states = fc.constantFrom(
			{ state: "pending", status: "ACTIVITY_STATUS_CONSENSUS_NEEDED" } as const,
			{ state: "in-doubt" } as const,
			{ state: "rejected", status: "ACTIVITY_STATUS_REJECTED" } as const,
		);
		const other = fc.record({ state: states, step: fc.nat(), ids: fc.nat(), alters: fc.boolean() });
		const occurred = { same: 0, conflicting: 0, rejected: 0, none: 0 };
		fc.assert(
			fc.property(smallWorlds(), fc.array(other, { maxLength: 4 }), (world, others) => {
				const [wanted, found] = [desiredOfWorld(world), liveOfWorld(world)];
				const { steps } = makePlan(wanted, found, context);
				const all = others.flatMap(({ state, step: which, ids, alters }, index) => {
					const step = steps[which % Math.max(1, steps.length)];
					if (step === undefined) return [];
					const parameters = Object.fromEntries(
						Object.entries(step.parameters).map(([key, value]) => {
							const isPart = Array.isArray(value) && key !== "addUserIds" && key !== "removeUserIds";
							const part = isPart ? value.filter((_, place) => ((ids >> place) & 1) === 1) : value;
							return [key, alters && key === "addUserIds" ? [carol] : part];
						}),
					);
					const name = `activity-${index}`;
					const activityId = state.state === "in-doubt" ? null : name;
					return [activity(step.operation, parameters, { ...state, activityId, fingerprint: name })];
				});
				const made = makePlan(wanted, found, {
					...context,
					waiting: all.filter(({ state }) => state !== "rejected"),
					rejected: all.filter(({ state }) => state === "rejected"),
				});
				expect(findContradiction(JSON.parse(JSON.stringify(made)))).toBeUndefined();
				for (const { relation } of made.waiting) occurred[relation] += 1;
				if (made.waiting.length === 0) occurred.none += 1;
			}),
			casesToTry(700),
		);
		for (const [what, times] of Object.entries(occurred)) expect(times, what).toBeGreaterThan(50);
	});
});
