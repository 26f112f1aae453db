/** What becomes of a step beside steps that can complete before it: which of them matter, and in which orders. */

import { describe, expect, it } from "vitest";
import type { DesiredOrganization, LiveOrganization } from "../../../src/plan/organization.ts";
import type { Plan, PlanContext } from "../../../src/plan/plan.ts";
import type { AccessPolicy, AccessState } from "../../../src/policy/access.ts";
import type { Approval } from "../../../src/policy/powers/forecast.ts";
import { forecastPending, inWords } from "../../policy/in-words.ts";
import {
	accessOf,
	alice,
	anyOf,
	approvers,
	bob,
	carol,
	condition,
	dave,
	type Members,
	type Organization,
	onlyUser,
	pendingFor,
	planFor as planAsData,
	planUnordered,
	policyOf,
	signers,
	treasury,
	type Wish,
} from "../support-access.ts";
import {
	context,
	type DesiredParts,
	desiredOf,
	id,
	known,
	liveOf,
	liveTag,
	nothingAbsent,
	wantTag,
} from "../support-organizations.ts";

const makePlan: typeof planUnordered = (...given) => inWords(planUnordered(...given));
const planFor = (organization: Organization, wish: Wish, parts: Partial<PlanContext> = {}): Plan =>
	inWords(planAsData(organization, wish, parts, planUnordered));

const submitter = known({ userId: alice, publicKey: null });
const approvals = ({ steps }: Plan): readonly (Approval | undefined)[] => steps.map(({ approval }) => approval);
const verdicts = (plan: Plan) => approvals(plan).map((one) => one?.verdict);

describe("a step beside the removal of policies", () => {
	const allow = policyOf(1, { consensus: anyOf(approvers), condition: condition.tags });
	const removals = policyOf(2, { consensus: onlyUser(alice), condition: condition.policies });
	const planWithout = (others: readonly AccessPolicy[]) =>
		planFor(
			{ members: { approvers: ["alice"] }, policies: [allow, removals, ...others] },
			{ members: { treasury: ["dave"] }, absent: others.map((one) => one.id) },
		);

	it("is unknown where one of them denies it", () => {
		const plan = planWithout([
			policyOf(3, { effect: "EFFECT_DENY", condition: condition.sign }),
			policyOf(4, { effect: "EFFECT_DENY", condition: condition.tags }),
		]);
		expect(plan.steps.map(({ operation }) => operation)).toEqual(["update_user_tag", "delete_policies"]);
		expect(approvals(plan)).toMatchObject([
			{ verdict: "unknown", because: "it depends on whether step-2 completes first: denied or runs" },
			{ verdict: "runs" },
		]);
	});

	it("is known where all of them are about something else", () => {
		const plan = planWithout([policyOf(3, { effect: "EFFECT_DENY", condition: condition.sign })]);
		expect(verdicts(plan)).toEqual(["runs", "runs"]);
		expect(approvals(plan)[0]?.policyIds).toEqual([allow.id]);
	});
});

describe("the removal of an OAuth provider", () => {
	/** Alice removes a provider of this user and these policies, and each policy that remains is among `others`. */
	function planRemoval(
		userId: string,
		{ removed = [], others = [] }: { removed?: readonly AccessPolicy[]; others?: readonly AccessPolicy[] } = {},
		parts: DesiredParts = {},
	): Plan {
		const provider = { userId, id: id("provider", 1), name: "login" };
		const live = liveOf({
			userTags: known([liveTag(1, "signers", { members: known([alice]) })]),
			policies: known([...removed, ...others]),
			oauthProviders: known([provider]),
		});
		const absent = {
			...nothingAbsent,
			policyIds: removed.map((one) => one.id),
			oauthProviders: [{ userId, providerIds: [provider.id] }],
		};
		const access = accessOf({ signers: ["alice"] }, [...removed, ...others]);
		return makePlan(desiredOf({ absent, ...parts }), live, { ...context, access, submitter });
	}
	const removals = policyOf(1, { consensus: onlyUser(alice), condition: condition.policies });
	const aboutCredentials = (number: number, action: string, parts: Partial<AccessPolicy> = {}): AccessPolicy =>
		policyOf(number, { condition: `activity.resource == 'CREDENTIAL' && activity.action == '${action}'`, ...parts });

	it("runs for the user's own, and is denied for one of another user", () => {
		expect(verdicts(planRemoval(alice))).toEqual(["runs"]);
		expect(verdicts(planRemoval(bob))).toEqual(["denied"]);
	});

	it("is unknown where a policy about credentials, whatever it allows, is removed at the same time", () => {
		const plan = planRemoval(alice, {
			removed: [aboutCredentials(2, "CREATE", { consensus: onlyUser(bob) })],
			others: [removals],
		});
		const [own] = approvals(plan).filter((_, index) => plan.steps[index]?.operation === "delete_oauth_providers");
		expect(own).toMatchObject({ verdict: "unknown", because: expect.stringMatching(/: unknown or runs$/) });
		const of = (userId: string, action: string) => {
			const { steps } = planRemoval(userId, {
				removed: [aboutCredentials(2, action, { consensus: onlyUser(bob) })],
				others: [removals],
			});
			return steps.find(({ operation }) => operation === "delete_oauth_providers")?.approval?.verdict;
		};
		expect([of(bob, "CREATE"), of(bob, "DELETE")]).toEqual(["denied", "denied"]);
	});

	it("is unknown where a tag that the policy asks for is taken at the same time", () => {
		const others = [
			aboutCredentials(2, "DELETE", { consensus: anyOf(signers) }),
			policyOf(3, { consensus: onlyUser(alice), condition: condition.tags }),
		];
		const wanted = wantTag("signers", { members: { mode: "exactly", exactly: [] } });
		expect(verdicts(planRemoval(bob, { others }))).toEqual(["runs"]);
		const plan = planRemoval(bob, { others }, { userTags: [wanted] });
		expect(approvals(plan).find((one) => one?.verdict === "unknown")?.because).toMatch(
			/completes first: runs or denied$/,
		);
	});
});

describe("a step beside a chain of two renames, of which the second comes after the first", () => {
	/** `names` says what the tags of signers and approvers are called afterwards; each is free only once the other moved on. */
	function planChain(members: Members, policies: readonly AccessPolicy[], parts: Partial<PlanContext> = {}): Plan {
		const everyone = { alice, bob, carol, dave };
		const membersOf = (tag: keyof Members) => (members[tag] ?? []).map((person) => everyone[person]).sort();
		const live: LiveOrganization = liveOf({
			userTags: known([
				liveTag(1, "one", { members: known(membersOf("signers")) }),
				liveTag(2, "two", { members: known(membersOf("approvers")) }),
				liveTag(3, "treasury", { members: known([]) }),
			]),
		});
		const desired: DesiredOrganization = desiredOf({
			userTags: [
				wantTag("three", { id: approvers, members: { mode: "exactly", exactly: [alice] } }),
				wantTag("treasury", { members: { mode: "exactly", exactly: [dave] } }),
				wantTag("two", { id: signers, members: { mode: "exactly", exactly: [bob] } }),
			],
		});
		const access: AccessState = accessOf(members, policies);
		return makePlan(desired, live, { ...context, access, submitter, ...parts });
	}
	const either = [
		policyOf(1, { consensus: anyOf(approvers), condition: condition.tags }),
		policyOf(2, { consensus: anyOf(signers), condition: condition.tags }),
	];
	const covered = ({ steps }: Plan) =>
		steps.map(({ covers, dependsOn }) => [covers.map(({ address }) => address).join(), dependsOn.length]);
	const ofTreasury = ({ steps }: Plan) => steps.find(({ covers }) => covers[0]?.address === "userTag:treasury");

	it("is not judged as if the second could complete without the first", () => {
		// Alice gets the tag of the approvers in the first step, and loses that of the signers in the second.
		const plan = planChain({ signers: ["alice", "bob"] }, either);
		expect(covered(plan)).toEqual([
			["userTag:three", 0],
			["userTag:two", 1],
			["userTag:treasury", 0],
		]);
		expect(verdicts(plan)).toEqual(["runs", "runs", "runs"]);
		// Either policy can be the one that decides.
		expect(ofTreasury(plan)?.approval?.policyIds).toEqual([id("policy", 1), id("policy", 2)]);
	});

	it("is judged as if the first could complete without the second, and neither, and both", () => {
		// Bob alone is enough; then alice is; then both are needed.
		const policies = [
			policyOf(1, { consensus: `${anyOf(signers)} && ${anyOf(approvers)}`, condition: condition.tags }),
		];
		const plan = planChain({ signers: ["alice", "bob"], approvers: ["bob"] }, policies);
		expect(ofTreasury(plan)?.approval).toMatchObject({
			verdict: "unknown",
			because: "it depends on which of step-1, step-2 complete first: denied, runs or pending approval",
		});
	});

	it("is judged as if neither completes where the first was rejected before", () => {
		// Only the second takes the tag from alice; the first gives it to her.
		const members: Members = { signers: ["alice"], approvers: ["alice"] };
		const policies = [policyOf(1, { consensus: anyOf(signers), condition: condition.tags })];
		const plan = planChain(members, policies);
		expect(ofTreasury(plan)?.approval?.verdict).toBe("unknown");
		const rejected = [pendingFor(plan, 0, { state: "rejected", status: "ACTIVITY_STATUS_REJECTED" })];
		const held = planChain(members, policies, { rejected });
		expect(held.steps[0]?.earlierActivity?.relation).toBe("rejected");
		expect(held.steps.find(({ dependsOn }) => dependsOn.length > 0)?.earlierActivity).toBe(null);
		expect(ofTreasury(held)?.approval?.verdict).toBe("runs");
	});
});

describe("a step beside two others", () => {
	it("is judged after each of them alone, and after both", () => {
		// Only the second one alone takes from alice what the policy asks for.
		const organization: Organization = {
			members: { signers: ["alice"] },
			policies: [policyOf(1, { consensus: `${anyOf(signers)} || ${anyOf(approvers)}`, condition: condition.tags })],
		};
		const plan = planFor(organization, {
			members: { approvers: ["alice"], signers: ["bob"], treasury: ["dave"] },
		});
		expect(plan.steps.map(({ covers }) => covers[0]?.address)).toEqual([
			"userTag:approvers",
			"userTag:signers",
			"userTag:treasury",
		]);
		expect(verdicts(plan)).toEqual(["unknown", "runs", "unknown"]);
		expect(approvals(plan)[2]).toEqual({
			...{ verdict: "unknown", approverSets: [], thresholds: [], policyIds: [] },
			because: "it depends on which of step-1, step-2 complete first: runs or denied",
		});
	});

	it("is judged after the removal of a provider where a policy asks for a credential with its id", () => {
		const provider = { userId: alice, id: id("provider", 1), name: "login" };
		const stamped = policyOf(1, {
			consensus: `credentials.any(credential, credential.id == '${provider.id}')`,
			condition: condition.tags,
		});
		const planWith = (credentialId: string) => {
			const { users, ...others } = accessOf({}, [
				stamped,
				policyOf(2, { consensus: anyOf(signers), condition: condition.tags }),
			]);
			const credential = { id: credentialId, type: "CREDENTIAL_TYPE_OAUTH", credentialId: null, publicKey: null };
			const credentials = known([credential]);
			const access: AccessState = {
				...others,
				users: users.known
					? known(users.value.map((user) => (user.id === alice ? { ...user, credentials } : user)))
					: users,
			};
			const desired = desiredOf({
				userTags: [wantTag("treasury", { members: { mode: "exactly", exactly: [dave] } })],
				absent: { ...nothingAbsent, oauthProviders: [{ userId: alice, providerIds: [provider.id] }] },
			});
			const live = liveOf({ userTags: known([liveTag(3, "treasury")]), oauthProviders: known([provider]) });
			return makePlan(desired, live, { ...context, access, submitter });
		};
		expect(approvals(planWith(provider.id))[0]).toMatchObject({
			verdict: "unknown",
			because: "it depends on whether step-2 completes first: runs or denied",
		});
		expect(verdicts(planWith(id("other", 1)))[0]).toBe("denied");
	});
});

describe("a step at the end of a chain", () => {
	it("is judged after all that come before it, also those that only the one before it waits for", () => {
		// The first step gives alice the tag that the last one needs, since the second takes her other tag.
		const policies = [policyOf(1, { consensus: `${anyOf(signers)} || ${anyOf(treasury)}`, condition: condition.tags })];
		const live = liveOf({
			userTags: known([
				liveTag(1, "two", { members: known([alice]) }),
				liveTag(2, "one"),
				liveTag(3, "three", { members: known([]) }),
			]),
		});
		const desired = desiredOf({
			userTags: [
				wantTag("four", { id: treasury, members: { mode: "exactly", exactly: [alice] } }),
				wantTag("three", { id: signers, members: { mode: "exactly", exactly: [bob] } }),
				wantTag("two", { id: approvers, members: { mode: "exactly", exactly: [dave] } }),
			],
		});
		const access = accessOf({ signers: ["alice"] }, policies);
		const plan = makePlan(desired, live, { ...context, access, submitter });
		expect(plan.steps.map(({ id: stepId, dependsOn }) => [stepId, dependsOn])).toEqual([
			["step-1", []],
			["step-2", ["step-1"]],
			["step-3", ["step-2"]],
		]);
		expect(verdicts(plan)).toEqual(["runs", "runs", "runs"]);
		// The last step alone, without the plan that it is a part of.
		const last = forecastPending(plan.steps[2] as Plan["steps"][number], [alice], {
			access: accessOf({ signers: ["bob"] }, [
				...policies,
				policyOf(2, { consensus: anyOf(approvers), condition: condition.tags }),
			]),
			...{ submitter, atMs: context.readAtMs },
		});
		expect(last.approval).toMatchObject({ verdict: "unknown", because: "it is unknown whose approval is missing" });
	});
});

describe("a step beside more than six others", () => {
	const numbers = Array.from({ length: 8 }, (_, index) => index + 10);

	/** The verdicts of eight steps that each change the members of another tag. */
	function verdictsWith(policies: readonly AccessPolicy[]): ReadonlySet<string | undefined> {
		const members = { mode: "exactly", exactly: [bob] } as const;
		const userTags = numbers.map((number) => wantTag(`tag-${number}`, { id: id("tag", number), members }));
		const live = liveOf({ userTags: known(numbers.map((number) => liveTag(number, `tag-${number}`))) });
		const access = accessOf({ treasury: ["alice"] }, policies);
		return new Set(verdicts(makePlan(desiredOf({ userTags }), live, { ...context, access, submitter })));
	}
	const ofTags = (consensus: string) => policyOf(1, { consensus, condition: condition.tags });
	const anyOfAll = numbers.map((number) => anyOf(id("tag", number))).join(" || ");

	it.each([
		["user.tags.contains('", "without spaces"],
		["user.tags .contains('", "with a space before the dot"],
		["user.tags. contains('", "with a space after the dot"],
		["user.tags.contains ('", "with a space before the bracket"],
		["user.tags.contains( '", "with a space after the bracket"],
		["user.tags  .\n contains \t ( '", "with several"],
	])("is known where policies name other tags only, written as %j", (start) => {
		expect(verdictsWith([ofTags(`approvers.any(user, ${start}${treasury}'))`)])).toEqual(new Set(["runs"]));
	});

	it("is known where a policy about something else names the tags of the others", () => {
		const signing = policyOf(2, { consensus: anyOfAll, condition: condition.sign });
		expect(verdictsWith([ofTags(anyOf(treasury)), signing])).toEqual(new Set(["runs"]));
	});

	it("is known where the others only rename tags", () => {
		const counted = "approvers.any(user, user.tags.count() > 0)";
		const userTags = numbers.map((number) => wantTag(`new-${number}`, { id: id("tag", number) }));
		const live = liveOf({ userTags: known(numbers.map((number) => liveTag(number, `tag-${number}`))) });
		const access = accessOf({ treasury: ["alice"] }, [ofTags(`${anyOf(treasury)} || ${counted}`)]);
		const plan = makePlan(desiredOf({ userTags }), live, { ...context, access, submitter });
		expect(verdicts(plan)).toEqual(numbers.map(() => "runs"));
	});

	it("is unknown where a policy about it names the tags of the others, or tags without their ids", () => {
		expect(verdictsWith([ofTags(`${anyOf(treasury)} || ${anyOfAll}`)])).toEqual(new Set(["unknown"]));
		const counted = `approvers.any(user, user.tags.count() > 0)`;
		expect(verdictsWith([ofTags(`${anyOf(treasury)} || ${counted}`)])).toEqual(new Set(["unknown"]));
	});
});

describe("two steps that pending activities already do", () => {
	it("have each the approvals of its own activity", () => {
		const organization: Organization = {
			members: { signers: ["alice", "bob", "carol"] },
			policies: [policyOf(1, { consensus: `${onlyUser(alice)} && ${onlyUser(bob)}`, condition: condition.tags })],
			rootQuorum: { threshold: 2, userIds: [dave] },
		};
		const wish = { members: { approvers: ["dave"], treasury: ["dave"] } } as const;
		const plan = planFor(organization, wish);
		const waiting = [alice, bob].map((userId, index) => pendingFor(plan, index, { approvedBy: [userId] }));
		expect(approvals(planFor(organization, wish, { waiting }))).toMatchObject([
			{ verdict: "pending", approverSets: [[bob]] },
			{ verdict: "pending", approverSets: [[alice]] },
		]);
		const denied = planFor(organization, wish, { waiting: [pendingFor(plan, 0, { approvedBy: [carol] })] });
		expect(approvals(denied)[0]).toMatchObject({
			verdict: "unknown",
			because: "it is unknown whose approval is missing",
		});
		const stranger = planFor(organization, wish, { waiting: [pendingFor(plan, 0, { approvedBy: [id("user", 9)] })] });
		expect(approvals(stranger)[0]).toMatchObject({ because: "the submitter is not among the users" });
	});
});

describe("the sets that complete a pending activity", () => {
	const both = (...userIds: readonly string[]) => userIds.map(onlyUser).join(" && ");
	const approverSets = (approvedBy: readonly string[], ...sets: readonly string[]) => {
		const policies = sets.map((consensus, index) => policyOf(index + 1, { consensus, condition: condition.tags }));
		const organization = { members: {}, policies, rootQuorum: { threshold: 4, userIds: [carol, dave] } } as const;
		const wish = { members: { treasury: ["dave"] } } as const;
		const waiting = [pendingFor(planFor(organization, wish), 0, { approvedBy })];
		return approvals(planFor(organization, wish, { waiting }))[0]?.approverSets;
	};

	it("are only those that contain no other one, now that some have approved", () => {
		// Without Carol, Dave is enough, so Alice need not approve too.
		expect(approverSets([bob, carol], both(alice, bob, dave), both(bob, carol, dave))).toEqual([[dave]]);
	});

	it("are sorted by size and then by their ids, each once", () => {
		expect(approverSets([alice, bob], both(alice, bob, carol), both(alice, dave))).toEqual([[carol], [dave]]);
		expect(approverSets([alice, bob], both(alice, dave), both(bob, carol))).toEqual([[carol], [dave]]);
		expect(approverSets([alice, bob], both(alice, dave), both(bob, dave))).toEqual([[dave]]);
	});
});
