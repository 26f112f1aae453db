/** The diff and the plan around it: their order, unmanaged objects, and the exit codes. */
import { describe, expect, it } from "vitest";
import { exitCodes } from "../../src/common/errors.ts";
import { diff } from "../../src/plan/diff.ts";
import { findsDifference, makePlan } from "../../src/plan/plan.ts";
import { exitCodeOf, type Outcome, type Report } from "../../src/plan/report.ts";
import { canonicalJson, compareText, digestOf, sameValue } from "../../src/plan/value.ts";
import { at, context, desiredOf, id, known, liveOf, liveTag, unknown, wantTag } from "./support-organizations.ts";

const alice = id("user", 1);
const exactlyAlice = { members: { mode: "exactly", exactly: [alice] } } as const;

describe("a diff", () => {
	it("is in the order of the kinds and then by address, whatever the order of the document", () => {
		const desired = desiredOf({
			userTags: [wantTag("b", exactlyAlice), wantTag("B", exactlyAlice), wantTag("a", exactlyAlice)],
			absent: {
				tvcAppIds: [id("app", 2), id("app", 1)],
				policyIds: [id("policy", 2), id("policy", 1)],
				oauthProviders: [{ userId: alice, providerIds: [id("provider", 2), id("provider", 1)] }],
			},
			expect: {
				sessionProfiles: [{ id: id("other", 1), fields: { name: "x" }, at }],
				mfaPolicies: [],
				bootProofs: [],
				supportedAssets: [],
			},
		});
		const live = liveOf({
			userTags: known([liveTag(1, "a"), liveTag(2, "b"), liveTag(3, "B")]),
			policies: unknown,
			oauthProviders: unknown,
			tvcApps: unknown,
			sessionProfiles: { [id("other", 1)]: known(null) },
		});
		expect(diff(desired, live).changes.map(({ address }) => address)).toEqual([
			"userTag:B",
			"userTag:a",
			"userTag:b",
			`oauthProvider:${alice}/${id("provider", 1)}`,
			`oauthProvider:${alice}/${id("provider", 2)}`,
			`policy:${id("policy", 1)}`,
			`policy:${id("policy", 2)}`,
			`tvcApp:${id("app", 1)}`,
			`tvcApp:${id("app", 2)}`,
			`sessionProfile:${id("other", 1)}`,
		]);
	});
});

describe("a plan", () => {
	const tags = known([
		liveTag(1, "signers"),
		liveTag(2, "oncall"),
		liveTag(3, "vault", { type: "TAG_TYPE_PRIVATE_KEY" }),
		liveTag(4, "auditors", { type: "" }),
		liveTag(5, "old"),
	]);

	it("names the user tags that the document does not list, and no tags of private keys", () => {
		const unmanaged = (...names: string[]) =>
			makePlan(
				desiredOf({ userTags: names.map((name) => wantTag(name)) }),
				liveOf({ userTags: tags }),
				context,
			).unmanaged.map(({ address }) => address);
		expect(unmanaged("signers")).toEqual(["userTag:auditors", "userTag:old", "userTag:oncall"]);
		expect(unmanaged()).toEqual([]);
	});

	it("does not call a tag unmanaged that it finds by its id or an earlier name", () => {
		const desired = desiredOf({
			userTags: [
				wantTag("signers"),
				wantTag("guards", { id: id("tag", 2) }),
				wantTag("new", { previously: ["old"] }),
				wantTag("auditors"),
			],
		});
		expect(makePlan(desired, liveOf({ userTags: tags }), context).unmanaged).toEqual([]);
	});

	it("with a problem has its changes and no steps", () => {
		const desired = desiredOf({
			userTags: [wantTag("signers", exactlyAlice), wantTag("nobody")],
			absent: { policyIds: [id("policy", 1)], oauthProviders: [], tvcAppIds: [] },
		});
		const plan = makePlan(desired, liveOf({ userTags: tags, policies: unknown }), context);
		expect(plan.problems.length).toBe(1);
		expect(plan.changes.length).toBe(2);
		expect(plan.steps).toEqual([]);
		expect(findsDifference(plan)).toBe(true);
	});

	it("finds a difference in a problem alone and in a report alone, and none in nothing", () => {
		const live = liveOf({ userTags: tags });
		const finds = (desired: Parameters<typeof makePlan>[0]) => findsDifference(makePlan(desired, live, context));
		expect(finds(desiredOf({ userTags: [wantTag("nobody")] }))).toBe(true);
		expect(finds(desiredOf({ userTags: [wantTag("signers")] }))).toBe(false);
	});

	it("says what it planned and how each touched object was, and nothing of what it only reports", () => {
		const desired = desiredOf({
			users: { adam: id("user", 2), zoe: alice },
			userTags: [wantTag("signers", exactlyAlice)],
			absent: { policyIds: [id("policy", 1)], oauthProviders: [], tvcAppIds: [] },
			expect: {
				sessionProfiles: [{ id: id("other", 1), fields: { name: "x" }, at }],
				mfaPolicies: [],
				bootProofs: [],
				supportedAssets: [],
			},
		});
		const planOf = (policyName: string, updatedAt: string) =>
			makePlan(
				desired,
				liveOf({
					userTags: known([liveTag(1, "signers", { updatedAt })]),
					policies: known([{ id: id("policy", 1), name: policyName }]),
					sessionProfiles: { [id("other", 1)]: known(null) },
				}),
				context,
			);
		const plan = planOf("p", "1.0");
		expect(plan).toMatchObject({
			formatVersion: 1,
			documentDigest: "sha256:0",
			reads: "auto",
			readAt: "2026-01-01T00:00:00.000Z",
			userNames: { [alice]: "zoe", [id("user", 2)]: "adam" },
		});
		expect(Object.keys(plan.userNames)).toEqual([alice, id("user", 2)]);
		expect(plan.touched.map(({ address }) => address)).toEqual(["userTag:signers", `policy:${id("policy", 1)}`]);
		// Another name of the policy is another state; a time that moved alone is not.
		expect(planOf("q", "2.0").touched[1]?.digest).not.toBe(plan.touched[1]?.digest);
		expect(planOf("q", "2.0").touched[0]?.digest).toBe(plan.touched[0]?.digest);
	});
});

describe("the exit code of a report", () => {
	const report = (outcomes: readonly Outcome[], parts: Partial<Report> = {}): Report => ({
		formatVersion: 1,
		organizationId: id("org", 1),
		planDigest: "sha256:0",
		startedAt: "2026-01-01T00:00:00.000Z",
		finishedAt: "2026-01-01T00:00:00.000Z",
		steps: outcomes.map((outcome, index) => ({
			step: {
				id: `step-${index + 1}`,
				operation: "delete_policies",
				parameters: { policyIds: [] },
				covers: [],
				dependsOn: [],
				reason: { kind: "remove", of: "policy", count: 1 },
				earlierActivity: null,
			},
			outcome,
			activityId: null,
			fingerprint: null,
			requests: 0,
			tookMs: 0,
			message: null,
			refusedStatus: null,
			policyEvaluations: [],
			keyNotAccepted: false,
			parts: [],
		})),
		left: null,
		unverified: null,
		inSync: false,
		interrupted: false,
		overrides: [],
		stats: { queries: 0, submits: 0, retries: 0, throttledMs: 0 },
		...parts,
	});
	const left = diff(
		desiredOf({ userTags: [wantTag("a", exactlyAlice)] }),
		liveOf({ userTags: known([liveTag(1, "a")]) }),
	).changes;

	it.each<[number, readonly Outcome[]]>([
		[exitCodes.inSync, []],
		[exitCodes.inSync, ["completed", "completed"]],
		[exitCodes.error, ["failed"]],
		[exitCodes.error, ["unknown", "awaiting-approval"]],
		[exitCodes.error, ["not-attempted"]],
		[exitCodes.pendingApproval, ["awaiting-approval"]],
		[exitCodes.pendingApproval, ["awaiting-authenticator", "completed"]],
		[exitCodes.pendingApproval, ["completed", "awaiting-approval", "not-attempted"]],
		[exitCodes.rejectedOrDenied, ["rejected"]],
		[exitCodes.rejectedOrDenied, ["denied", "failed", "unknown", "awaiting-approval", "not-attempted"]],
		[exitCodes.partlyApplied, ["completed", "failed"]],
		[exitCodes.partlyApplied, ["completed", "unknown", "awaiting-approval"]],
		[exitCodes.partlyApplied, ["completed", "denied"]],
		[exitCodes.partlyApplied, ["completed", "rejected", "failed"]],
		[exitCodes.partlyApplied, ["completed", "not-attempted"]],
	])("is %i for %j", (code, outcomes) => {
		expect(exitCodeOf(report(outcomes))).toBe(code);
		expect(exitCodeOf(report([...outcomes].reverse()))).toBe(code);
	});

	it("is 1 when something is left, also while something waits, and 0 when nothing is", () => {
		expect(left.length).toBe(1);
		expect(exitCodeOf(report(["completed"], { left }))).toBe(exitCodes.error);
		expect(exitCodeOf(report(["completed", "awaiting-approval"], { left }))).toBe(exitCodes.error);
		expect(exitCodeOf(report(["completed"], { left: [] }))).toBe(exitCodes.inSync);
	});

	it("is 130 when it was interrupted, whatever else happened", () => {
		expect(exitCodeOf(report(["completed", "denied", "not-attempted"], { left, interrupted: true }))).toBe(130);
	});
});

describe("values", () => {
	it("are the same and have the same digest whatever the order of their members", () => {
		const one = { a: [1, { b: null, c: "x" }], d: true };
		const other = { d: true, a: [1, { c: "x", b: null }] };
		expect(sameValue(one, other)).toBe(true);
		expect(canonicalJson(one)).toBe('{"a":[1,{"b":null,"c":"x"}],"d":true}');
		expect(digestOf(other)).toBe(digestOf(one));
		expect(digestOf(one)).toMatch(/^sha256:[0-9a-f]{64}$/);
	});

	it("are others when a list has another order", () => {
		expect(sameValue([1, 2], [2, 1])).toBe(false);
		expect(digestOf([1, 2])).not.toBe(digestOf([2, 1]));
	});

	it("are compared by code units, not by a locale", () => {
		expect(["b", "ä", "a", "Z"].sort(compareText)).toEqual(["Z", "a", "b", "ä"]);
		expect(compareText("a", "a")).toBe(0);
	});
});
