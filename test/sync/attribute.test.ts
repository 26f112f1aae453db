/** Who moved what: against a real emulator whose activities other users made, and against answers of other services. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { TransportError } from "../../src/common/errors.ts";
import type { PolicyChange } from "../../src/plan/change.ts";
import type { Attribution } from "../../src/plan/drift/attribution.ts";
import type { DesiredOrganization } from "../../src/plan/organization.ts";
import { makePlan, type Reads } from "../../src/plan/plan.ts";
import { attributeDrift, type DriftAttributions } from "../../src/sync/attribute.ts";
import type { Reader } from "../../src/wire/client.ts";
import { submits } from "../../src/wire/operations.ts";
import { encodeSubmit } from "../../src/wire/request-body.ts";
import {
	at,
	desiredOf,
	id,
	known,
	liveOf,
	liveTag,
	nothingExpected,
	organizationId,
	sectionsOf,
	wantTag,
} from "../plan/support-organizations.ts";
import {
	acme,
	alice,
	approverId,
	approverStamper,
	apps,
	Bench,
	bob,
	minuteMs,
	oncall,
	policies,
	providers,
	signers,
	wantSigners,
} from "./support.ts";

let bench: Bench;
beforeAll(async () => {
	bench = await Bench.start([acme()]);
});
beforeEach(() => bench.reset(acme()));
afterAll(() => bench.close());

/** A change of a tag that the approver, not this program, sends; the clock moves on behind it. */
async function changeTag(tagId: string, parts: object): Promise<void> {
	const parameters = { userTagId: tagId, addUserIds: [], removeUserIds: [], ...parts };
	const body = encodeSubmit(submits.update_user_tag, organizationId, parameters, bench.nowMs);
	const answer = await bench.client({ stamper: approverStamper }).submitter.submit(body);
	expect(answer).toMatchObject({ kind: "activity", activity: { status: "ACTIVITY_STATUS_COMPLETED" } });
	bench.nowMs += minuteMs;
}

async function attributed(
	desired: DesiredOrganization,
	reader?: Reader,
	reads: Reads = "auto",
): Promise<DriftAttributions> {
	const context = bench.context();
	const { plan } = await bench.compare(desired, context, reads);
	bench.emulator.clearRequests();
	return attributeDrift(
		plan,
		reader ?? context.reader,
		(fingerprint) => bench.journal.entry(fingerprint) !== undefined,
	);
}

const namesOf = ({ attributions }: DriftAttributions) =>
	Object.fromEntries([...attributions].map(([address, { userId }]) => [address, userId]));

describe("who caused drift", () => {
	it("is the submitter of the activity that added a member who should not be there", async () => {
		await changeTag(signers, { addUserIds: [bob] });
		const [activity] = bench.activities();
		const { attributions, unattributed } = await attributed(wantSigners(alice));
		expect(unattributed).toBeNull();
		expect(attributions.get("userTag:signers")).toEqual({
			activityId: String(activity?.id),
			type: "ACTIVITY_TYPE_UPDATE_USER_TAG",
			userId: approverId,
			userName: "approver",
			liveName: "approver",
			at: new Date(bench.nowMs - minuteMs).toISOString(),
		} satisfies Attribution);
		expect(bench.requests("query").map(({ operation }) => operation)).toEqual(["list_activities"]);
	});

	it("is not known where the service lists the oldest activities first: the one that caused it may not be among them", async () => {
		for (let count = 0; count < 7; count += 1) {
			await changeTag(signers, count % 2 === 0 ? { addUserIds: [bob] } : { removeUserIds: [bob] });
		}
		const { reader } = bench.context();
		const oldestFirst: Reader = {
			async query(operation, fields) {
				const answer = await reader.query(operation, fields);
				const activities = (answer.value.activities as readonly object[]).toReversed().slice(0, 5);
				return { ...answer, value: { activities } };
			},
		};
		const { attributions, unattributed } = await attributed(wantSigners(alice), oldestFirst);
		expect([...attributions]).toEqual([]);
		expect(unattributed).toBe("the service lists the oldest activities first, and more of them");
	});

	it("is not asked of access that expired: no one caused it", async () => {
		await changeTag(signers, { addUserIds: [bob] });
		const windows = [{ userId: bob, untilMs: bench.nowMs - minuteMs, at }];
		const members = { mode: "exactly", exactly: [alice, bob].sort(), windows } as const;
		const { attributions } = await attributed(desiredOf({ userTags: [wantTag("signers", { members })] }));
		expect([...attributions]).toEqual([]);
		expect(bench.requests("query")).toEqual([]);
	});

	it("is called by the document's name", async () => {
		await changeTag(signers, { addUserIds: [bob] });
		const { attributions } = await attributed({ ...wantSigners(alice), users: { dora: approverId } });
		expect(attributions.get("userTag:signers")?.userName).toBe("dora");
	});

	it("is unknown if the last activity that did it was submitted from here", async () => {
		await bench.run(wantSigners(alice, bob));
		expect(bench.activities()).toHaveLength(1);
		expect(namesOf(await attributed(wantSigners(alice)))).toEqual({});
		await changeTag(signers, { removeUserIds: [bob] });
		await changeTag(signers, { addUserIds: [bob] });
		expect(namesOf(await attributed(wantSigners(alice)))).toEqual({ "userTag:signers": approverId });
	});

	it("is not read without differences or with documented reads", async () => {
		await changeTag(signers, { addUserIds: [bob] });
		expect(namesOf(await attributed(wantSigners(alice, bob)))).toEqual({});
		expect(namesOf(await attributed(wantSigners(alice), undefined, "documented"))).toEqual({});
		expect(bench.requests("query")).toEqual([]);
	});

	it.each([
		403, 404, 501,
	])("is unknown if list_activities is answered with %i, and that is no error", async (status) => {
		bench.emulator.changeState({
			organizationId,
			userTags: [{ tagId: signers, tagName: "signers", userIds: [] }],
		});
		bench.emulator.addFault({ operation: "list_activities", fault: "5xx", status, count: 99 });
		const { attributions, unattributed } = await attributed(wantSigners(alice));
		expect(attributions.size).toBe(0);
		expect(unattributed).toBe("the service does not list activities to this key");
	});
});

/** Answers list_activities with these. */
function lists(activities: readonly object[]): Reader {
	return { query: async () => ({ value: { activities }, serverTimeMs: undefined }) as never };
}

const vote = { userId: bob.toUpperCase(), user: { userName: "bob" } };

describe("other services' activities", () => {
	const desired = desiredOf({
		absent: { policyIds: [policies[0]], oauthProviders: [], tvcAppIds: [] },
		expect: { ...nothingExpected, mfaPolicies: [{ userId: alice, name: "first", fields: { order: 1 }, at }] },
	});
	const create = {
		id: "1",
		type: "ACTIVITY_TYPE_CREATE_POLICY_V3",
		fingerprint: "f",
		votes: [vote],
		createdAt: { seconds: "1700000000", nanos: "0" },
		intent: { createPolicyIntentV3: { policyName: "x" } },
		result: { createPolicyResult: { policyId: policies[0].toUpperCase() } },
	};

	it("are understood by the ids that they name and the kind of their types", async () => {
		const mfa = {
			...create,
			id: "2",
			type: "ACTIVITY_TYPE_DELETE_MFA_POLICY",
			intent: { deleteMfaPolicyIntent: { userId: alice, mfaPolicyName: "first" } },
			result: null,
		};
		const { attributions } = await attributed(desired, lists([mfa, create]));
		expect(attributions.get(`policy:${policies[0]}`)).toMatchObject({
			activityId: "1",
			userId: bob,
			userName: "bob",
			at: "2023-11-14T22:13:20.000Z",
		});
		expect(attributions.get(`mfaPolicy:${alice}/first`)).toMatchObject({ activityId: "2" });
	});

	it("that removed the object do not explain that it exists", async () => {
		const remove = {
			...create,
			id: "3",
			type: "ACTIVITY_TYPE_DELETE_POLICY",
			updatedAt: { seconds: "1800000000", nanos: "0" },
		};
		expect(namesOf(await attributed(desired, lists([remove, create])))).toEqual({});
	});

	it("count by when they took effect, not by when they were created", async () => {
		const early = { ...create, id: "early", updatedAt: "2026-01-02T00:00:00Z" };
		const late = { ...create, id: "late", updatedAt: "2026-01-01T00:00:00Z" };
		const { attributions } = await attributed(desired, lists([late, early]));
		expect(attributions.get(`policy:${policies[0]}`)?.activityId).toBe("early");
	});

	it.each([
		["without votes and times", { votes: null, createdAt: null, updatedAt: undefined }],
		["with votes that say nothing", { votes: [null, {}], createdAt: {}, updatedAt: 1e300 }],
		[
			"with a time that no calendar has",
			{ votes: [], createdAt: null, updatedAt: { seconds: "99999999999999", nanos: "0" } },
		],
	])("are read %s", async (_, parts) => {
		const { attributions } = await attributed(desired, lists([{ ...create, ...parts }]));
		expect(attributions.get(`policy:${policies[0]}`)).toMatchObject({ userId: null, userName: null, at: null });
	});

	it.each([null, "text", [], [null], [{}]])("are no error if the answer is %j", async (activities) => {
		expect((await attributed(desired, lists(activities as never))).attributions.size).toBe(0);
	});

	it("that cannot be listed over a broken connection are reported and lose nothing; an unexpected error is thrown", async () => {
		const breaks = (error: Error): Reader => ({ query: () => Promise.reject(error) });
		const { unattributed } = await attributed(desired, breaks(new TransportError("no answer in 30 s", "no")));
		expect(unattributed).toBe("the activities could not be listed: no answer in 30 s");
		await expect(attributed(desired, breaks(new TypeError("a defect")))).rejects.toThrow(TypeError);
	});
});

describe("the cause of drift is never guessed", () => {
	const tag = liveTag(1, "signers", { members: known([bob]) });
	const live = liveOf({
		userTags: known([tag]),
		policies: known([{ id: policies[0], name: "p" }]),
		oauthProviders: known([{ userId: alice, id: providers[0], name: "o" }]),
		tvcApps: known([{ id: apps[0], name: "a" }]),
		sessionProfiles: { [id("other", 1)]: known({ sessionProfileName: "long" }) },
		mfaPolicies: { [alice]: known([{ mfaPolicyName: "first", order: 2 }]) },
		bootProofs: { [apps[1]]: known({ deploymentLabel: "y" }) },
	});
	const noneAbsent = sectionsOf(desiredOf()).absent;
	const wanted = {
		member: desiredOf({ userTags: [wantTag("signers", { members: { mode: "exactly", exactly: [] } })] }),
		both: desiredOf({ userTags: [wantTag("signers", { members: { mode: "exactly", exactly: [alice] } })] }),
		name: desiredOf({ userTags: [wantTag("approvers", { id: tag.id })] }),
		policy: desiredOf({ absent: { ...noneAbsent, policyIds: [policies[0]] } }),
		provider: desiredOf({
			absent: { ...noneAbsent, oauthProviders: [{ userId: alice, providerIds: [providers[0]] }] },
		}),
		app: desiredOf({ absent: { ...noneAbsent, tvcAppIds: [apps[0]] } }),
		profile: desiredOf({
			expect: { ...nothingExpected, sessionProfiles: [{ id: id("other", 1), fields: { name: "short" }, at }] },
		}),
		mfa: desiredOf({
			expect: { ...nothingExpected, mfaPolicies: [{ userId: alice, name: "first", fields: { order: 1 }, at }] },
		}),
		proof: desiredOf({
			expect: { ...nothingExpected, bootProofs: [{ appId: apps[1], fields: { deploymentLabel: "x" }, at }] },
		}),
	};
	const act = (type: string, atS: number, intent: object, result: object = {}) => ({
		...{ id: `${type} at ${atS}`, type: `ACTIVITY_TYPE_${type}`, fingerprint: "f", votes: [vote] },
		...{ intent: { intent }, result: { result }, updatedAt: { seconds: String(atS), nanos: "0" } },
	});
	const added = act("UPDATE_USER_TAG", 200, { userTagId: signers, addUserIds: [bob], removeUserIds: [] });
	const removed = act("UPDATE_USER_TAG", 200, { userTagId: signers, addUserIds: [], removeUserIds: [alice] });
	const later = { seconds: "300", nanos: "0" };
	const renamed = act("UPDATE_USER_TAG", 200, { userTagId: signers, newUserTagName: "signers" });
	const made = act("CREATE_POLICY_V3", 200, { policyName: "p" }, { policyId: policies[0] });
	const profile = act("UPDATE_SESSION_PROFILE", 200, { sessionProfileId: id("other", 1) });
	const mfa = act("CREATE_MFA_POLICY", 200, { userId: alice, mfaPolicyName: "first" });
	const deployed = act("CREATE_TVC_DEPLOYMENT", 200, { appId: apps[1] });

	it("is a change of a policy that wrote what it says now", async () => {
		const [before, expressions] = [
			{ name: "p", notes: "" },
			{ consensus: "now", condition: "" },
		];
		const change: PolicyChange = {
			...{ address: `policy:${policies[0]}`, kind: "policy", action: "update", reason: "differs", basis: "live" },
			...{ id: policies[0], userId: null, written: expressions, writtenBefore: expressions, takesOver: false },
			before: { ...before, ...expressions, effect: "EFFECT_ALLOW", time: "" },
			after: { ...before, consensus: "wanted", condition: "", effect: "EFFECT_ALLOW", time: "" },
		};
		const cause = async (...activities: readonly object[]) => {
			const plan = makePlan(desiredOf(), live, { reads: "auto", readAtMs: bench.nowMs });
			const found = await attributeDrift({ ...plan, changes: [change] }, lists(activities), () => false);
			return [...found.attributions.values()][0]?.activityId;
		};
		const write = (atS: number, parts: object) => act("UPDATE_POLICY_V2", atS, { policyId: policies[0], ...parts });
		const consensus = write(100, { policyConsensus: "now" });
		expect(await cause(consensus)).toBe(consensus.id);
		expect(await cause(made)).toBe(made.id);
		for (const parts of [
			{ policyConsensus: "other" },
			{ policyName: "q" },
			{ policyEffect: "EFFECT_DENY" },
			{ policyNotes: "n" },
			{ policyCondition: "x" },
		])
			expect(await cause(write(300, parts), consensus)).toBeUndefined();
		expect(
			await cause(act("UPDATE_POLICY_V2", 300, { policyId: policies[1], policyConsensus: "now" })),
		).toBeUndefined();
	});

	async function told(desired: DesiredOrganization, activities: readonly object[]): Promise<Attribution | undefined> {
		const plan = makePlan(desired, live, { reads: "auto", readAtMs: bench.nowMs });
		return [...(await attributeDrift(plan, lists(activities), () => false)).attributions.values()][0];
	}

	it.each<[string, keyof typeof wanted, readonly object[], object]>([
		["who added a member", "member", [], added],
		["who removed a member", "both", [], removed],
		["who changed a part last, where several did: the removal", "both", [added], { ...removed, updatedAt: later }],
		["who changed a part last, where several did: the addition", "both", [removed], { ...added, updatedAt: later }],
		[
			"who renamed the tag last",
			"name",
			[act("UPDATE_USER_TAG", 100, { userTagId: signers, newUserTagName: "before" })],
			renamed,
		],
		[
			"who renamed the tag, though another tag was renamed later",
			"name",
			[act("UPDATE_USER_TAG", 300, { userTagId: oncall, newUserTagName: "pager" })],
			renamed,
		],
		[
			"the same, ids in capitals",
			"member",
			[],
			act("UPDATE_USER_TAG", 9, { userTagId: signers.toUpperCase(), addUserIds: [bob.toUpperCase()] }),
		],
		[
			"though another user was given the tag later",
			"member",
			[act("UPDATE_USER_TAG", 300, { userTagId: signers, addUserIds: [alice] })],
			added,
		],
		[
			"though the user was given another tag later",
			"member",
			[act("UPDATE_USER_TAG", 300, { userTagId: oncall, addUserIds: [bob] })],
			added,
		],
		[
			"though something names the tag later, deeper than any activity does",
			"member",
			[act("X", 300, { a: { b: { c: { d: { e: { f: { g: { h: signers } } } } } } } })],
			added,
		],
		["though the user was changed before", "member", [act("UPDATE_USER", 100, { userId: bob, userTagIds: [] })], added],
		[
			"who renamed the tag",
			"name",
			[act("UPDATE_USER_TAG", 300, { userTagId: signers, addUserIds: [alice] })],
			renamed,
		],
		[
			"who made the policy, though it was edited later",
			"policy",
			[act("UPDATE_POLICY_V2", 300, { policyId: policies[0] })],
			made,
		],
		[
			"who made the provider",
			"provider",
			[],
			act("CREATE_OAUTH_PROVIDERS", 1, { userId: alice }, { providerIds: [providers[0]] }),
		],
		["who made the app", "app", [], act("CREATE_TVC_APP", 1, {}, { appId: apps[0] })],
		["who changed a session profile", "profile", [], profile],
		["who made an MFA policy", "mfa", [], mfa],
		["who deployed an app", "proof", [], deployed],
	])("and is %s", async (_why, what, others, expected) => {
		const { id: activityId } = expected as { id: string };
		expect(await told(wanted[what], [...others, expected])).toMatchObject({ activityId, userId: bob });
	});

	it.each<[string, keyof typeof wanted, readonly object[]]>([
		[
			"another kind of tag with the same lists",
			"member",
			[act("UPDATE_PRIVATE_KEY_TAG", 300, { userTagId: signers, addUserIds: [bob], removeUserIds: [] })],
		],
		[
			"something that names the tag as deep as an activity does",
			"member",
			[added, act("X", 300, { a: { b: { c: { d: { e: { f: [signers] } } } } } })],
		],
		["a removal after", "member", [added, act("UPDATE_USER_TAG", 300, { userTagId: signers, removeUserIds: [bob] })]],
		[
			"a rename after that gave another name",
			"name",
			[renamed, act("UPDATE_USER_TAG", 300, { userTagId: signers, newUserTagName: "somebody" })],
		],
		["a user who was changed after", "member", [act("UPDATE_USER", 300, { userId: bob, userTagIds: [] }), added]],
		[
			"a user who was changed, which names tags",
			"member",
			[act("UPDATE_USER", 300, { userId: bob, userTagIds: [signers] })],
		],
		[
			"users made with tags",
			"member",
			[act("CREATE_USERS_V3", 300, { users: [{ userTags: [signers] }] }, { userIds: [bob] })],
		],
		[
			"something that names the tag after",
			"member",
			[act("UPDATE_USER", 300, { userId: alice, userTagIds: [signers] }), added],
		],
		["something that names the tag at the same time", "member", [added, act("DELETE_X", 200, { tags: [signers] })]],
		[
			"something that names the tag in the same second, which only one of both times divides",
			"member",
			[{ ...added, updatedAt: { seconds: "200", nanos: "500000000" } }, act("DELETE_X", 200, { tags: [signers] })],
		],
		[
			"something that names the tag at no time",
			"member",
			[added, { ...act("X", 0, { tags: [signers] }), updatedAt: null }],
		],
		[
			"a removal at the same time",
			"member",
			[added, act("UPDATE_USER_TAG", 200, { userTagId: signers, removeUserIds: [bob] })],
		],
		[
			"one update that adds and removes",
			"member",
			[act("UPDATE_USER_TAG", 9, { userTagId: signers, addUserIds: [bob], removeUserIds: [bob] })],
		],
		[
			"an update in a shape of its own",
			"member",
			[act("UPDATE_USER_TAG_V2", 300, { tag: signers, members: [bob] }), added],
		],
		[
			"a tag made with its name",
			"name",
			[act("CREATE_USER_TAG", 300, { userTagName: "signers" }, { userTagId: signers })],
		],
		["something that names the renamed tag after", "name", [act("X", 300, { tag: signers }), renamed]],
		[
			"a policy that was edited, of which nobody knows who made it",
			"policy",
			[act("UPDATE_POLICY_V2", 300, { policyId: policies[0] })],
		],
		[
			"a policy named by something else that was made",
			"policy",
			[act("CREATE_MFA_POLICY", 300, { policyId: policies[0] })],
		],
		["a policy that was removed after", "policy", [act("DELETE_POLICY", 300, { policyId: policies[0] }), made]],
		["a provider of users that were made", "provider", [act("CREATE_USERS_V3", 1, {}, { ids: [providers[0]] })]],
		["an app that was deployed", "app", [act("CREATE_TVC_DEPLOYMENT", 1, { appId: apps[0] })]],
		["a session profile that another kind names", "profile", [act("UPDATE_USER", 300, { profile: id("other", 1) })]],
		[
			"a session profile that was removed and is there",
			"profile",
			[act("DELETE_SESSION_PROFILE", 300, { sessionProfileId: id("other", 1) })],
		],
		[
			"a tag that has the name of an MFA policy",
			"mfa",
			[act("UPDATE_USER_TAG", 300, { newUserTagName: "first", addUserIds: [alice] })],
		],
		[
			"an MFA policy that its own id may name",
			"mfa",
			[act("UPDATE_MFA_POLICY", 300, { mfaPolicyId: id("other", 9) }), mfa],
		],
		["a policy about the app", "proof", [act("UPDATE_POLICY_V2", 300, { policyCondition: apps[1] })]],
		[
			"a deployment named by its own id",
			"proof",
			[act("APPROVE_TVC_DEPLOYMENT", 300, { manifestId: id("other", 9) }), deployed],
		],
	])("and is unknown with %s", async (_why, what, activities) => {
		expect(await told(wanted[what], activities)).toBeUndefined();
	});

	const voteOf = (userId: string, atS?: number) => ({
		...{ userId, user: { userName: userId === bob ? "bob" : "alice" } },
		...(atS === undefined ? {} : { createdAt: { seconds: String(atS), nanos: "0" } }),
	});
	it.each<[string, readonly object[], string | null]>([
		["the earliest vote, wherever it stands", [voteOf(alice, 310), voteOf(bob, 300)], bob],
		["the only vote, though it tells no time", [voteOf(bob)], bob],
		["nobody where votes tell no time", [voteOf(alice), voteOf(bob)], null],
		["nobody where one tells no time", [voteOf(alice, 300), voteOf(bob)], null],
		["nobody where two are the earliest", [voteOf(alice, 300), voteOf(bob, 300)], null],
	])("and names %s as the submitter, with the activity in any case", async (_why, votes, userId) => {
		const by = await told(wanted.member, [{ ...added, votes }]);
		expect(by).toMatchObject({ activityId: added.id, userId, userName: userId === null ? null : "bob" });
	});
});
