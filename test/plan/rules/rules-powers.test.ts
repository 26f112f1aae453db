/** Rules about powers, judged by policies: `minApprovers`, `onlyBy` and `noNewAccess`. */
import { describe, expect, it } from "vitest";
import type {
	DesiredOrganization,
	DesiredRule,
	DesiredUserTag,
	Known,
	LiveOrganization,
} from "../../../src/plan/organization.ts";
import type { PlanContext } from "../../../src/plan/plan.ts";
import type { JudgedRule } from "../../../src/plan/rules/judge.ts";
import type { AccessPolicy, AccessState, RootQuorum } from "../../../src/policy/access.ts";
import { checkSchema } from "../../check-schema.ts";
import type { WordedPlan } from "../../in-words.ts";
import { makePlan } from "../../policy/in-words.ts";
import { unknownAccess } from "../../policy/support-access.ts";
import {
	at,
	context,
	desiredOf,
	id,
	known,
	liveOf,
	liveTag,
	nothingAbsent,
	unknown,
	wantTag,
} from "../support-organizations.ts";

const [alice, bob, carol, dave] = [1, 2, 3, 4].map((number) => id("user", number)) as [string, string, string, string];
const users = { alice, bob, carol, dave };
const names = ["signers", "treasury"] as const;
const [signers, treasury] = [id("tag", 1), id("tag", 2)];

type Members = Readonly<Partial<Record<(typeof names)[number], readonly string[]>>>;

/** The context of a plan for which who can do what was not read. */
const noAccess = "no access";

interface World {
	readonly members?: Members;
	readonly policies?: Known<readonly AccessPolicy[]>;
	readonly rootQuorum?: Known<RootQuorum>;
}

const ofTag = (tagId: string, count: number): string =>
	`approvers.filter(user, user.tags.contains('${tagId}')).count() >= ${count}`;
const signing = "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'";
const exporting = "activity.resource == 'WALLET' && activity.action == 'EXPORT'";

function policy(number: number, consensus: string, condition: string, effect = "EFFECT_ALLOW"): AccessPolicy {
	return { id: id("policy", number), name: `policy ${number}`, effect, consensus, condition, time: "" };
}

const quorum = (threshold: number, ...userIds: readonly string[]): Known<RootQuorum> => known({ threshold, userIds });

function accessOf({ members = {}, policies = known([]), rootQuorum = quorum(2, carol, dave) }: World): AccessState {
	const tagIds = (userId: string): readonly string[] =>
		names.flatMap((name, index) => (members[name]?.includes(userId) === true ? [id("tag", index + 1)] : []));
	const all = [alice, bob, carol, dave].map((userId) => ({
		...{ id: userId, tagIds: known(tagIds(userId)), email: known(null), credentials: known([]) },
	}));
	return { users: known(all), policies, rootQuorum };
}

function liveOfWorld({ members = {}, policies = known([]) }: World): LiveOrganization {
	return liveOf({
		userTags: known(names.map((name, index) => liveTag(index + 1, name, { members: known(members[name] ?? []) }))),
		policies,
	});
}

function planOf(
	rules: readonly DesiredRule[],
	world: World,
	parts: Partial<DesiredOrganization> & { readonly userTags?: readonly DesiredUserTag[] } & Pick<
			Parameters<typeof desiredOf>[0] & object,
			"absent"
		> = {},
	more: Partial<PlanContext> | typeof noAccess = {},
): WordedPlan {
	const desired = desiredOf({ users, rules, digest: `sha256:${"0".repeat(64)}`, ...parts });
	const read = more === noAccess ? {} : { access: accessOf(world), ...(more as Partial<PlanContext>) };
	const plan = makePlan(desired, liveOfWorld(world), { ...context, ...read });
	expect(checkSchema("plan.json", plan)).toEqual([]);
	return plan;
}

function judged(...given: Parameters<typeof planOf>): JudgedRule {
	return planOf(...given).rules?.[0] as JudgedRule;
}

const exactly = (name: string, ...userIds: readonly string[]): DesiredUserTag =>
	wantTag(name, { members: { mode: "exactly", exactly: [...userIds].sort() } });
const guardsOf = ({ guards }: WordedPlan) => guards.filter(({ kind }) => kind === "rules" || kind === "newAccess");

describe("minApprovers", () => {
	const two: DesiredRule = { rule: "minApprovers", power: "sign", min: 2, at };
	const three: DesiredRule = { ...two, min: 3 };
	const members = { signers: [alice, bob, carol] };
	const twoOfSigners = known([policy(1, ofTag(signers, 2), signing)]);

	it("is kept where two of a tag are needed, and where no user can do it", () => {
		expect(judged([two], { members, policies: twoOfSigners }).before).toEqual({ state: "kept" });
		expect(judged([two], {}).before).toEqual({ state: "kept" });
	});

	it("is broken where one user is enough alone", () => {
		const policies = known([policy(1, ofTag(signers, 1), signing)]);
		expect(judged([two], { members: { signers: [alice] }, policies }).before).toEqual({
			state: "broken",
			userIds: [alice],
			message:
				"alice alone is enough to sign with any wallet or key (PRIVATE_KEY/SIGN); the rule asks for at least 2 approvers",
		});
		expect(judged([two], { members, policies }).before).toMatchObject({
			message: expect.stringMatching(/^alice, bob and carol are each enough alone to sign /) as unknown,
		});
	});

	it("is broken where two are enough and three are asked for", () => {
		expect(
			judged([three], { members, policies: twoOfSigners, rootQuorum: quorum(3, alice, carol, dave) }).before,
		).toMatchObject({
			userIds: [alice, bob, carol],
			message: expect.stringMatching(
				/^alice and bob, or alice and carol, or bob and carol are enough to sign /,
			) as unknown,
		});
	});

	it("is broken by a root quorum of 1, which says so plainly", () => {
		expect(judged([two], { rootQuorum: quorum(1, alice, dave) }).before).toEqual({
			state: "broken",
			userIds: [alice, dave],
			message:
				"1 approver of the root quorum (alice and dave) is enough for every activity; the rule asks for at least 2 approvers",
		});
		expect(judged([three], { rootQuorum: quorum(2, alice, dave) }).before).toMatchObject({
			message: expect.stringMatching(/^2 approvers of the root quorum \(alice and dave\) are enough/) as unknown,
		});
	});

	it("is kept by a root quorum that has too few users to be reached", () => {
		expect(judged([two], { rootQuorum: quorum(1) }).before).toEqual({ state: "kept" });
	});

	it("is broken where one is enough under a condition on the activity", () => {
		const policies = known([policy(1, ofTag(signers, 1), `${signing} && wallet.id == 'w'`)]);
		expect(judged([two], { members: { signers: [alice] }, policies }).before).toMatchObject({
			message: expect.stringContaining("alice alone is enough to sign") as unknown,
		});
	});

	it("does not count what users may do with their own credentials", () => {
		const rule: DesiredRule = { ...two, power: "credentials" };
		expect(judged([rule], {}).before).toEqual({ state: "kept" });
		const covering = known([policy(1, ofTag(signers, 2), "activity.resource == 'CREDENTIAL'")]);
		expect(judged([rule], { members, policies: covering }).before).toEqual({ state: "kept" });
	});

	it("holds for each group of the power", () => {
		const policies = known([policy(1, ofTag(signers, 1), exporting)]);
		const rule: DesiredRule = { ...two, power: "export" };
		expect(judged([rule], { members: { signers: [alice] }, policies }).before).toMatchObject({
			message: expect.stringContaining("(WALLET/EXPORT)") as unknown,
		});
	});

	it.each([
		["access was not read", noAccess, "who can do what was not read"],
		["policies are unknown", { access: { ...accessOf({}), policies: unknown } }, "the service does not show it"],
		[
			"the root quorum is not known",
			{ access: { ...accessOf({}), rootQuorum: unknown } },
			"the service does not show it",
		],
		["nothing is known", { access: unknownAccess("no") }, "no"],
	] as const)("cannot be checked where %s", (_, more, because) => {
		const plan = planOf([two], {}, {}, more);
		expect(plan.rules).toMatchObject([{ before: { state: "unknown", because }, effect: "none" }]);
		expect(plan.unread).toEqual([
			{ scope: "rule", address: "rule:powers.sign.minApprovers", because, standsIn: "nothing" },
		]);
	});

	it("cannot be checked where a policy is not understood", () => {
		const policies = known([policy(1, "approvers.sometimes()", signing)]);
		expect(judged([two], { members, policies }).before).toMatchObject({ state: "unknown" });
	});

	it("blocks a plan that takes away the deny or the second approver, and names users and changes", () => {
		const policies = known([policy(1, ofTag(signers, 1), signing)]);
		const plan = planOf([two], { policies }, { userTags: [exactly("signers", alice)] });
		expect(guardsOf(plan)).toEqual([
			{
				...{
					kind: "rules",
					limit: "no rule of the document broken",
					found: 1,
					refuses: true,
					where: ["userTag:signers"],
				},
				message:
					"would break rule:powers.sign.minApprovers: alice alone is enough to sign with any wallet or key (PRIVATE_KEY/SIGN); the rule asks for at least 2 approvers",
			},
		]);
	});

	it("blocks a plan after which one more user is enough alone, and no other plan", () => {
		const policies = known([policy(1, ofTag(signers, 1), signing)]);
		const world = { members: { signers: [alice, bob] }, policies };
		expect(judged([two], world, { userTags: [exactly("signers", alice, bob, carol)] }).effect).toBe("worsens");
		expect(judged([two], world, { userTags: [exactly("signers", alice)] }).effect).toBe("none");
		expect(judged([two], world, { userTags: [exactly("signers")] }).effect).toBe("repairs");
	});

	it("blocks a plan after which one is enough where two were, although three were asked for", () => {
		const policies = known([
			policy(1, ofTag(signers, 2), signing),
			policy(2, `approvers.any(user, user.id == '${alice}') && ${ofTag(treasury, 1)}`, signing),
		]);
		const world = { members: { signers: [alice, bob] }, policies };
		expect(judged([three], world, { userTags: [exactly("treasury", alice)] }).effect).toBe("worsens");
	});
});

describe("onlyBy", () => {
	const rule: DesiredRule = { rule: "onlyBy", power: "export", tags: ["treasury"], at };
	const byTreasury = known([policy(1, ofTag(treasury, 1), exporting)]);

	it("is kept where all who take part have the tag, the root quorum aside", () => {
		const world = { members: { treasury: [alice, bob] }, policies: byTreasury, rootQuorum: quorum(1, dave) };
		expect(judged([rule], world).before).toEqual({ state: "kept" });
	});

	it("is broken by each user who takes part without the tag", () => {
		const policies = known([policy(1, `${ofTag(signers, 1)} && ${ofTag(treasury, 1)}`, exporting)]);
		const world = { members: { signers: [carol, dave], treasury: [alice] }, policies };
		expect(judged([rule], world).before).toEqual({
			state: "broken",
			userIds: [carol, dave],
			message: "carol and dave can approve exporting wallets (WALLET/EXPORT); the rule asks for a tag of `treasury`",
		});
	});

	it("allows any one of several tags", () => {
		const policies = known([policy(1, ofTag(signers, 1), exporting)]);
		const world = { members: { signers: [carol] }, policies };
		expect(judged([{ ...rule, tags: ["signers", "treasury"] }], world).before).toEqual({ state: "kept" });
	});

	it("is broken by all who take part where no live tag has the name", () => {
		const world = { members: { treasury: [alice] }, policies: byTreasury };
		expect(judged([{ ...rule, tags: ["tresury"] }], world).before).toMatchObject({ state: "broken", userIds: [alice] });
	});

	it("cannot be checked where the tags of a user who takes part are unknown", () => {
		const policies = known([policy(1, `approvers.any(user, user.id == '${alice}')`, exporting)]);
		const access = accessOf({ policies });
		const hidden = access.users.known ? access.users.value.map((user) => ({ ...user, tagIds: unknown })) : [];
		const plan = planOf([rule], { policies }, {}, { access: { ...access, users: known(hidden) } });
		expect(plan.rules).toMatchObject([{ before: { state: "unknown" } }]);
	});

	it("blocks a plan that lets one more take part, or that takes the tag of one who does", () => {
		const policies = known([policy(1, ofTag(signers, 1), exporting)]);
		const world = { members: { signers: [alice], treasury: [alice, bob] }, policies };
		expect(judged([rule], world, { userTags: [exactly("signers", alice, carol)] }).effect).toBe("breaks");
		expect(judged([rule], world, { userTags: [exactly("signers", alice, bob)] }).effect).toBe("none");
		expect(judged([rule], world, { userTags: [exactly("treasury", bob)] }).effect).toBe("breaks");
	});
});

describe("noNewAccess", () => {
	const rule: DesiredRule = { rule: "noNewAccess", at };
	const policies = known([policy(1, ofTag(signers, 1), signing), policy(2, ofTag(treasury, 2), exporting)]);
	const world = { members: { signers: [alice], treasury: [alice] }, policies };

	it("is kept by live state, whatever it allows", () => {
		expect(judged([rule], world)).toMatchObject({ before: { state: "kept" }, after: { state: "kept" } });
		expect(judged([rule], world, {}, noAccess).before).toEqual({ state: "kept" });
	});

	it("blocks a plan that lets users do more, by the number of findings", () => {
		const plan = planOf([rule], world, { userTags: [exactly("signers", alice, bob)] });
		expect(guardsOf(plan)).toMatchObject([{ kind: "newAccess", limit: "no new access", found: 1, refuses: true }]);
		expect(guardsOf(plan)[0]?.message).toBe(
			"would break rule:noNewAccess: bob could sign with any wallet or key (PRIVATE_KEY/SIGN) alone",
		);
		const more = planOf([rule], world, { userTags: [exactly("signers", alice, bob), exactly("treasury", alice, bob)] });
		expect(guardsOf(more)).toMatchObject([{ kind: "newAccess", found: 2 }]);
	});

	it("lets a plan through that takes access away or changes none", () => {
		expect(guardsOf(planOf([rule], world, { userTags: [exactly("signers")] }))).toEqual([]);
		expect(guardsOf(planOf([rule], world, { userTags: [wantTag("officers", { id: signers })] }))).toEqual([]);
	});

	it("blocks the removal of a policy that denied", () => {
		const deny = policy(3, ofTag(signers, 1), signing, "EFFECT_DENY");
		const denied = { members: { signers: [alice] }, policies: known([policy(1, "", signing), deny]) };
		const plan = planOf([rule], denied, { absent: { ...nothingAbsent, policyIds: [deny.id] } });
		expect(guardsOf(plan)).toMatchObject([{ kind: "newAccess", refuses: true, where: [`policy:${deny.id}`] }]);
	});

	it("blocks what cannot be checked as one finding, since it could give access", () => {
		const plan = planOf([rule], world, { userTags: [exactly("signers", bob)] }, noAccess);
		expect(guardsOf(plan)).toMatchObject([
			{
				kind: "newAccess",
				found: 1,
				refuses: true,
				message: "whether the plan gives new access is unknown: who can do what was not read",
			},
		]);
		const renamed = planOf([rule], world, { userTags: [wantTag("officers", { id: signers })] }, noAccess);
		expect(guardsOf(renamed)).toEqual([]);
	});

	it("cannot be checked where policies are not understood, and does not look kept", () => {
		const odd = {
			members: { signers: [alice] },
			policies: known([policy(1, `${ofTag(signers, 1)} || odd()`, signing)]),
		};
		const plan = planOf([rule], odd, { userTags: [exactly("signers", alice, bob)] });
		expect(plan.rules?.[0]?.after.state).not.toBe("kept");
	});

	it("is kept where only activities are unknown of which no documentation says what policies see", () => {
		const secrets = policy(1, ofTag(treasury, 2), "activity.kind == 'IMPORT_SECRETS'");
		const keys = policy(2, ofTag(signers, 1), "activity.resource == 'PRIVATE_KEY'");
		const undocumented = { members: { signers: [alice, bob] }, policies: known([secrets, keys]) };
		const plan = planOf([rule], undocumented, { userTags: [exactly("signers", alice)] });
		const unknown = plan.impact?.find(({ change }) => change === "unknown");
		expect(unknown?.because).toContain("no documentation says which resource and action these activities have");
		expect(plan.rules?.[0]?.after).toEqual({ state: "kept" });
		expect(guardsOf(plan)).toEqual([]);
	});

	it("cannot be checked where access was not read", () => {
		const plan = planOf([rule], world, { userTags: [exactly("signers", bob)] }, noAccess);
		expect(plan.rules?.[0]?.after).toEqual({ state: "unknown", because: "who can do what was not read" });
	});
});
