/** Rules of a base document hold for a change too: one change must not both widen access and loosen the rule against it. */
import { describe, expect, it } from "vitest";
import { decide, documentsToRead, planDecided } from "../../../src/plan/decide.ts";
import type { DesiredOrganization, DesiredPolicy, DesiredRule } from "../../../src/plan/organization.ts";
import { guardText } from "../../../src/say/guards.ts";
import { accessOf, alice, anyOf, bob, carol, condition, desiredFor, liveFor, policyOf } from "../support-access.ts";
import { at, context, known, wantTag } from "../support-organizations.ts";

const organization = {
	members: { signers: ["alice", "bob"], approvers: ["carol"] },
	policies: [policyOf(1, { consensus: anyOf("20000001-7a3f-4c9e-9d40-000000000001"), condition: condition.sign })],
} as const;
const atLeast = (min: number, tag = "signers"): DesiredRule => ({ rule: "members", tag, min, at });
const onlyAlice = { members: { signers: ["alice"] } } as const;

type Parts = Partial<DesiredOrganization>;

function guardsOf(base: Parts, head: Parts, wish: Parameters<typeof desiredFor>[0] = onlyAlice) {
	const document = { ...desiredFor(wish), ...head };
	const question = {
		...{ document, reads: "auto" as const },
		base: { name: "main", desired: { ...desiredFor({}), ...base } },
	};
	const policies = known(organization.policies.map((one) => ({ ...one, notes: "" })));
	const live = { ...liveFor(organization), policies };
	const reading = { live, narrow: () => live, timeMs: context.readAtMs, whyUncertain: undefined };
	const access = accessOf(organization.members, organization.policies);
	const submitter = known({ userId: carol, publicKey: null });
	const decision = decide(question, reading);
	const { plan } = planDecided(question, decision, reading, { ...context, access, submitter });
	const blocking = plan.guards.filter(({ kind, refuses }) => refuses && ["rules", "newAccess"].includes(kind));
	return { found: blocking.map((guard) => `${guard.kind}: ${guardText(guard)}`), plan, decision };
}

const broken =
	"rules: would break rule:members.signers of the base document: `signers` has 1 member, where the rule asks for at least 2";

describe("rules of the base document", () => {
	it("hold where the change removes, loosens or moves them", () => {
		const base = { rules: [atLeast(2)] };
		expect(guardsOf(base, {}).found).toEqual([broken]);
		expect(guardsOf(base, { rules: [atLeast(1)] }).found).toEqual([broken]);
		expect(guardsOf(base, { rules: [{ ...atLeast(2), at: { ...at, file: "other.yaml" } }] }).found).toEqual([
			broken.replace(" of the base document", ""),
		]);
	});

	it("follow a tag that the change renames, or gives the name of another one", () => {
		const base = { rules: [atLeast(2)] };
		const renamed = { members: { signers: ["alice"] }, names: { signers: "payers" } } as const;
		expect(guardsOf(base, { rules: [atLeast(1, "payers")] }, renamed).found).toEqual([broken]);
		const exchanged = {
			members: { signers: ["alice"], approvers: ["alice", "bob"] },
			names: { signers: "approvers", approvers: "signers" },
		} as const;
		expect(guardsOf(base, { rules: [atLeast(2)] }, exchanged).found).toEqual([]);
		expect(guardsOf(base, { rules: [atLeast(1)] }, exchanged).found).toEqual([broken]);
	});

	it("count a tag that the change removes as one without members", () => {
		const absent = { kind: "userTag", absent: true, name: "signers", at } as const;
		expect(guardsOf({ rules: [atLeast(2)] }, { objects: [absent] }).found).toEqual([
			broken.replace("1 member", "0 members"),
		]);
		const exclusive: DesiredRule = { rule: "exclusive", tags: ["approvers", "signers"], at };
		expect(guardsOf({ rules: [exclusive] }, { objects: [absent] }).found).toEqual([]);
	});

	it("forbid new access where the change no longer does", () => {
		const widens = { members: { signers: ["alice", "bob", "carol"] } } as const;
		const base = { rules: [{ rule: "noNewAccess", at }] } as const;
		expect(guardsOf(base, {}, widens).found.join()).toMatch(
			/^newAccess: would break rule:noNewAccess of the base document: carol/,
		);
		expect(guardsOf({}, {}, widens).found).toEqual([]);
	});

	it("judge policies that the change writes", () => {
		const base: Parts = { rules: [{ rule: "onlyBy", power: "sign", tags: ["signers"], at }] };
		const clauses = { effect: "EFFECT_ALLOW", consensus: `approvers.any(user, user.id == '${carol}')` } as const;
		const policy: DesiredPolicy = {
			...{ kind: "policy", name: "wide", previously: [], at },
			...{ ...clauses, condition: condition.sign },
		};
		const head: Parts = { rules: [{ rule: "onlyBy", power: "sign", tags: ["approvers", "signers"], at }] };
		const live = { ...head, objects: [policy] };
		const { found } = guardsOf(base, live);
		expect(found).toEqual(guardsOf(base, { objects: [policy] }).found);
		expect(found.join()).toMatch(/rule:powers\.sign\.onlyBy of the base document: carol can approve/);
	});

	it("are no rules of the document: nothing that live state breaks already is reported, and nothing else blocks", () => {
		const { plan, found } = guardsOf({ rules: [atLeast(3), atLeast(2, "gone")] }, { rules: [] }, {});
		expect([found, plan.rules]).toEqual([[], undefined]);
		expect(plan.unread).toEqual([expect.objectContaining({ address: "rule:members.gone" })]);
	});

	it("are read for: tags with their members, and who can do what", () => {
		const minApprovers: DesiredRule = { rule: "minApprovers", power: "sign", min: 2, at };
		const desired = { ...desiredFor({}), rules: [minApprovers] };
		const document = desiredFor({});
		expect(documentsToRead({ document, reads: "auto", base: { name: "main", desired } }).rules).toEqual([minApprovers]);
		expect(guardsOf({ rules: [minApprovers] }, {}, {}).decision.needs.powers).toBe(true);
		expect(guardsOf({}, {}, {}).decision.needs.powers).toBe(false);
	});
});

describe("rules of the document", () => {
	it("judge a tag that the plan creates by the members that it gets", () => {
		const create = (userIds: readonly string[]) =>
			wantTag("auditors", { create: true, members: { mode: "exactly", exactly: userIds } });
		const rules: readonly DesiredRule[] = [atLeast(2, "auditors")];
		expect(guardsOf({}, { rules, objects: [create([alice])] }).found.join()).toContain("`auditors` has 1 member");
		const { found, plan } = guardsOf({}, { rules, objects: [create([alice, bob])] });
		expect([found, plan.unread, plan.rules?.map(({ effect }) => effect)]).toEqual([[], [], ["none"]]);
		const exclusive: DesiredRule = { rule: "exclusive", tags: ["auditors", "signers"], at };
		expect(guardsOf({}, { rules: [exclusive], objects: [create([bob])] }).found.join()).toContain(
			"rule:exclusive.auditors+signers: bob has `auditors` and `signers`",
		);
	});
});
