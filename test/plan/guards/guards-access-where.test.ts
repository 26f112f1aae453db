/** The guards lockout and escalation: which changes they name, and what they say where something is not known. */
import { describe, expect, it } from "vitest";
import type { Guard } from "../../../src/plan/guards/guards.ts";
import type { DesiredOrganization } from "../../../src/plan/organization.ts";
import type { PlanContext } from "../../../src/plan/plan.ts";
import type { AccessState } from "../../../src/policy/access.ts";
import type { WordedGuard, WordedPlan } from "../../in-words.ts";
import { makePlan } from "../../in-words.ts";
import {
	accessOf,
	alice,
	anyOf,
	approvers,
	condition,
	desiredFor,
	liveFor,
	type Organization,
	onlyUser,
	pendingFor,
	planFor,
	policyOf,
	signers,
	treasury,
	twoOf,
	type Wish,
} from "../support-access.ts";
import { context, desiredOf, id, known, unknown, withLive } from "../support-organizations.ts";

function guardOf(kind: Guard["kind"], { guards }: Pick<WordedPlan, "guards">): WordedGuard | undefined {
	return guards.find((guard) => guard.kind === kind);
}
const strict = { lockout: "strict", escalation: "strict" } as const;

/** A policy that is not understood. */
const unclear = (number: number, about: string, tagId = signers) =>
	policyOf(number, { consensus: `${anyOf(tagId)} == 1`, condition: about });

describe("the changes that a guard of access names", () => {
	it("are none of a tag that only policies without a finding name", () => {
		const organization: Organization = {
			members: { signers: ["alice", "bob"], treasury: ["alice"] },
			policies: [
				policyOf(1, { consensus: twoOf(signers), condition: condition.sign }),
				policyOf(2, { consensus: anyOf(treasury), condition: condition.export }),
			],
		};
		const plan = planFor(organization, { members: { signers: ["bob"], treasury: ["alice", "bob"] } });
		expect(plan.impact?.map(({ change }) => change)).toEqual(["nobody", "alone"]);
		expect(guardOf("lockout", plan)?.where).toEqual(["userTag:signers"]);
	});

	it("are those of a tag that a policy of the finding names, also where no number of its members is enough", () => {
		const organization: Organization = {
			members: { signers: ["alice"], approvers: ["bob"] },
			policies: [
				policyOf(1, {
					consensus: `approvers.any(user, user.id == '${alice}' && user.tags.contains('${signers}'))`,
					condition: condition.sign,
				}),
			],
		};
		const plan = planFor(organization, { members: { approvers: [], signers: [], treasury: ["dave"] } });
		expect(guardOf("lockout", plan)).toMatchObject({ found: 1, where: ["userTag:signers"] });
	});

	it("are the removed policies of the finding, and none that had no part in it", () => {
		const policies = [
			policyOf(1, { consensus: onlyUser(alice), condition: condition.sign }),
			policyOf(2, { effect: "EFFECT_DENY", condition: condition.export }),
		];
		const plan = planFor({ members: {}, policies }, { absent: [id("policy", 1), id("policy", 2)] });
		expect(guardOf("lockout", plan)).toMatchObject({ found: 1, where: [`policy:${id("policy", 1)}`] });
	});

	it("are sorted by address", () => {
		const both = policyOf(1, { consensus: `${anyOf(treasury)} && ${anyOf(approvers)}`, condition: condition.sign });
		const organization: Organization = { members: { treasury: ["alice"], approvers: ["bob"] }, policies: [both] };
		const plan = planFor(organization, { members: { treasury: [], approvers: [] } });
		expect(guardOf("lockout", plan)?.where).toEqual(["userTag:approvers", "userTag:treasury"]);
	});
});

describe("a guard of access where a policy is not understood", () => {
	const signing = unclear(2, condition.sign);
	const wish = (limits: Wish["limits"]): Wish => ({ members: { signers: ["bob"], treasury: ["dave"] }, limits });
	const organization: Organization = { members: { signers: ["alice", "bob"] }, policies: [signing] };

	it("names the tags of that policy, and the power", () => {
		for (const limits of [{}, strict]) {
			const plan = planFor(organization, wish(limits));
			expect(guardOf("lockout", plan)).toMatchObject({
				where: ["userTag:signers"],
				message: expect.stringMatching(
					/^who could still sign with any wallet or key \(PRIVATE_KEY\/SIGN\) is unknown: /,
				),
			});
			expect(guardOf("escalation", plan)).toMatchObject({
				where: ["userTag:signers"],
				message: expect.stringMatching(
					/^whether one person could sign with any wallet or key \(PRIVATE_KEY\/SIGN\) alone is unknown: policy policy 2: /,
				),
			});
		}
	});

	it("names the tags of what is found alone, unless it is strict and counts both", () => {
		const members = { signers: ["alice", "bob"], treasury: ["alice", "bob"] } as const;
		const policies = [policyOf(1, { consensus: twoOf(treasury), condition: condition.export }), signing];
		const wished = (limits: Wish["limits"]): Wish => ({ members: { signers: ["bob"], treasury: ["bob"] }, limits });
		const lockout = (limits: Wish["limits"]) => guardOf("lockout", planFor({ members, policies }, wished(limits)));
		expect(lockout({})).toMatchObject({ found: 1, where: ["userTag:treasury"] });
		expect(lockout({ lockout: 1 })).toMatchObject({ found: 1, refuses: false, where: ["userTag:treasury"] });
		expect(lockout(strict)).toMatchObject({ found: 2, where: ["userTag:signers", "userTag:treasury"] });
		expect(lockout({})?.message).toMatch(
			/^no one could export wallets \(WALLET\/EXPORT\) any more, except the root quorum; who could still sign .* is unknown: /,
		);
	});

	it.each([
		["is sensitive", condition.sign, true],
		["is not", "activity.resource == 'WEBHOOK_ENDPOINT' && activity.action == 'CREATE'", false],
		["is a kind, which can be one that signs", "activity.kind == 'CREATE_WALLET'", true],
		["is a type, which can be one that signs", "activity.type == 'ACTIVITY_TYPE_CREATE_WALLET'", true],
	])("warns of an escalation where the power %s: %j", (_what, about, isSensitive) => {
		const plan = planFor({ ...organization, policies: [unclear(2, about)] }, wish({}));
		expect(guardOf("lockout", plan)).toMatchObject({ found: 0, refuses: false });
		expect(guardOf("escalation", plan) !== undefined).toBe(isSensitive);
		const blocked = planFor({ ...organization, policies: [unclear(2, about)] }, wish(strict));
		expect(guardOf("lockout", blocked)).toMatchObject({ refuses: true });
		expect(guardOf("escalation", blocked) !== undefined).toBe(isSensitive);
	});
});

describe("a guard of access where something was not read", () => {
	const organization: Organization = {
		members: { signers: ["alice", "bob"] },
		policies: [policyOf(1, { consensus: twoOf(signers), condition: condition.sign })],
	};
	const because = "the service does not show it";

	function messages(limits: Wish["limits"], change: (access: AccessState) => AccessState) {
		const access = change(accessOf(organization.members, organization.policies));
		const desired = desiredFor({ members: { signers: ["bob"] }, limits });
		const plan = makePlan(desired, liveFor(organization), { ...context, access });
		return plan.guards
			.filter(({ kind }) => kind === "lockout" || kind === "escalation")
			.map(({ kind, found, refuses, message }) => [kind, found, refuses, message]);
	}
	const doubts = (found: number, refuses: boolean, why: string) => [
		["lockout", found, refuses, `who can still do what is unknown: ${why}`],
		["escalation", found, refuses, `whether one person can do more alone is unknown: ${why}`],
	];

	it("warns, or blocks where it is strict, where users were not read, and gives the reason of policies first", () => {
		const why = { known: false, because: { kind: "stated", text: "policies are hidden" } } as const;
		const withoutUsers = (access: AccessState) => ({ ...access, users: unknown });
		const without = (access: AccessState) => ({ ...withoutUsers(access), policies: why });
		expect(messages({}, without)).toEqual(doubts(0, false, why.because.text));
		expect(messages(strict, without)).toEqual(doubts(1, true, why.because.text));
		const noPolicies = (access: AccessState) => ({ ...withoutUsers(access), policies: known([]) });
		expect(messages({}, noPolicies)).toEqual(doubts(0, false, because));
		expect(messages(strict, noPolicies)).toEqual(doubts(1, true, because));
	});

	const withoutTags = ({ users, ...others }: AccessState): AccessState => ({
		...others,
		users: users.known ? known(users.value.map((user) => ({ ...user, tagIds: unknown }))) : users,
	});
	const withoutQuorum = (access: AccessState): AccessState => ({ ...access, policies: known([]), rootQuorum: unknown });

	it("says nothing, or blocks where it is strict, where no power is known to be unknown", () => {
		const unlike = (access: AccessState) => withoutTags({ ...access, policies: known([]) });
		expect(messages({}, unlike)).toEqual([]);
		expect(messages(strict, unlike)).toEqual(doubts(1, true, "before and after cannot be compared"));
	});

	it("gives the reason of the root quorum where that was not read", () => {
		expect(messages({}, (access) => withoutTags(withoutQuorum(access)))).toEqual([]);
		expect(messages(strict, (access) => withoutTags(withoutQuorum(access)))).toEqual(doubts(1, true, because));
	});

	it("is not there where nothing that policies mention is changed, or its step was rejected", () => {
		const guards = (desired: DesiredOrganization, parts: Partial<PlanContext> = {}) => {
			const live = withLive(liveFor(organization), {
				oauthProviders: known([{ userId: alice, id: id("provider", 1), name: "login" }]),
				tvcApps: known([{ id: id("app", 1), name: "app" }]),
			});
			return makePlan({ ...desired, limits: strict }, live, { ...context, ...parts });
		};
		expect(guards(desiredFor({ names: { signers: "keyholders" } })).guards).toEqual([]);
		const oauthProviders = [{ userId: alice, providerIds: [id("provider", 1)] }];
		const absent = { policyIds: [], oauthProviders, tvcAppIds: [id("app", 1)] };
		const removal = guards(desiredOf({ absent }));
		expect([removal.steps.length, removal.guards]).toEqual([2, []]);
		const wanted = desiredFor({ members: { signers: ["bob"] } });
		const { steps, guards: found } = guards(wanted);
		expect(found.map(({ kind }) => kind)).toEqual(["memberRemovals", "lockout", "escalation"]);
		const rejected = [pendingFor({ steps }, 0, { state: "rejected", status: "ACTIVITY_STATUS_REJECTED" })];
		expect(guards(wanted, { rejected }).guards.map(({ kind }) => kind)).toEqual(["memberRemovals"]);
	});

	it("is silent where it is strict and everything is known", () => {
		expect(messages(strict, (access) => ({ ...access, policies: known([]) }))).toEqual([]);
	});
});
