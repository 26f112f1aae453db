/** What a base document still means for a change: its rules hold too, and policies that left it still give what they gave. */
import { describe, expect, it } from "vitest";
import { decide, documentsToRead, planDecided } from "../../../src/plan/decide.ts";
import type { DesiredOrganization, DesiredPolicy, DesiredRule } from "../../../src/plan/organization.ts";
import type { AccessPolicy, AccessState } from "../../../src/policy/access.ts";
import { plainStyle } from "../../../src/render/style.ts";
import { guardText } from "../../../src/say/guards.ts";
import { checkSchema } from "../../check-schema.ts";
import { renderThreeWay } from "../../render/as-text.ts";
import {
	accessOf,
	alice,
	anyOf,
	bob,
	carol,
	condition,
	desiredFor,
	liveFor,
	onlyUser,
	policyOf,
	signers,
	type Wish,
} from "../support-access.ts";
import { at, context, known, unknown, wantTag } from "../support-organizations.ts";

const digest = `sha256:${"0".repeat(64)}`;
const organization = {
	members: { signers: ["alice", "bob"], approvers: ["carol"] },
	policies: [policyOf(1, { consensus: anyOf(signers), condition: condition.sign })],
} as const;
const atLeast = (min: number, tag = "signers"): DesiredRule => ({ rule: "members", tag, min, at });
const onlyAlice = { members: { signers: ["alice"] } } as const;

type Parts = Partial<DesiredOrganization>;

interface Live {
	readonly policies?: readonly AccessPolicy[];
	readonly access?: Partial<AccessState> | undefined;
}

function guardsOf(base: Parts, head: Parts, wish: Wish = onlyAlice, given: Live = {}) {
	const { policies: stated = organization.policies } = given;
	const wanted = desiredFor(wish);
	const document = { ...wanted, digest, ...head, objects: [...wanted.objects, ...(head.objects ?? [])] };
	const question = {
		...{ document, reads: "auto" as const },
		base: { name: "main", desired: { ...desiredFor({}), digest, ...base } },
	};
	const policies = known(stated.map((one) => ({ ...one, notes: "" })));
	const live = { ...liveFor(organization), policies };
	const reading = { live, narrow: () => live, timeMs: context.readAtMs, whyUncertain: undefined };
	const access = { ...accessOf(organization.members, stated), ...given.access };
	const submitter = known({ userId: carol, publicKey: null });
	const decision = decide(question, reading);
	const { plan, threeWay } = planDecided(question, decision, reading, { ...context, access, submitter });
	const blocking = plan.guards.filter(({ kind, refuses }) => refuses && ["rules", "newAccess"].includes(kind));
	return { found: blocking.map((guard) => `${guard.kind}: ${guardText(guard)}`), plan, threeWay, decision };
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
		expect(guardsOf({ rules: [atLeast(2)] }, { objects: [absent] }, {}).found).toEqual([
			broken.replace("1 member", "0 members"),
		]);
		const exclusive: DesiredRule = { rule: "exclusive", tags: ["approvers", "signers"], at };
		expect(guardsOf({ rules: [exclusive] }, { objects: [absent] }, {}).found).toEqual([]);
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
		expect(guardsOf({}, { rules: [exclusive], objects: [create([alice])] }).found.join()).toContain(
			"rule:exclusive.auditors+signers: alice has `auditors` and `signers`",
		);
	});
});

describe("policies that left the document", () => {
	const written = ({ name, consensus, condition: text, effect }: AccessPolicy): DesiredPolicy => {
		const clauses = {
			effect: effect === "EFFECT_DENY" ? "EFFECT_DENY" : "EFFECT_ALLOW",
			consensus,
			condition: text,
		} as const;
		return { kind: "policy", name, previously: [], ...clauses, at };
	};
	const [signing, other] = [
		policyOf(1, { consensus: anyOf(signers), condition: condition.sign }),
		policyOf(2, { consensus: onlyUser(alice), condition: condition.sign }),
	];
	const noExport = policyOf(3, { effect: "EFFECT_DENY", condition: condition.sign, consensus: onlyUser(alice) });
	const left = (
		policies: readonly AccessPolicy[],
		head: readonly AccessPolicy[],
		parts: Pick<Live, "access"> & Pick<Wish, "members"> = {},
	) => {
		const { members, access } = parts;
		const objects = policies.map(written);
		const wish = members === undefined ? {} : { members };
		const found = guardsOf({ objects }, { objects: head.map(written) }, wish, { policies, access });
		expect(checkSchema("three-way.json", found.threeWay)).toEqual([]);
		if (found.threeWay === undefined) throw new Error("no comparison");
		const shown = renderThreeWay(found.plan, found.threeWay, plainStyle);
		const rows = /stay live:\n((?: {2}.*\n)*)/.exec(shown)?.[1] ?? "";
		return {
			...found,
			rows: rows
				.split("\n")
				.filter((row) => row.startsWith("  policy:"))
				.map((row) => row.replace("; to remove it, add it to `absent.policies`", "")),
		};
	};

	it("say who can do what only by them", () => {
		expect(left([signing], []).rows).toEqual([
			"  policy:policy 1: by it, alice and bob could each sign with any wallet or key (PRIVATE_KEY/SIGN) alone",
		]);
		expect(left([signing, noExport], [signing]).rows).toEqual([
			"  policy:policy 3: by it, alice could no longer sign with any wallet or key (PRIVATE_KEY/SIGN)",
		]);
	});

	it("are found by their id, where they have another name than the document says", () => {
		const renamed = { ...written(signing), id: signing.id, name: "old name" };
		const { threeWay } = guardsOf({ objects: [renamed] }, { objects: [] }, onlyAlice, { policies: [signing] });
		expect(threeWay?.leftPolicies).toMatchObject([{ address: "policy:old name", impact: [{}] }]);
		const removed = { objects: [{ kind: "policy", userId: null, id: signing.name }] } as const;
		const { threeWay: without } = guardsOf({ objects: [renamed] }, removed, onlyAlice, { policies: [signing] });
		expect(without?.documentChanges).toContainEqual(
			expect.objectContaining({ address: "policy:old name", after: "removed" }),
		);
	});

	it("are judged as the plan leaves the organization, apart from each other, and beside those that stay", () => {
		const members = { signers: ["bob"] } as const;
		expect(left([signing], [], { members }).rows.join()).toContain("by it, bob could sign");
		expect(left([signing, other], []).rows.map((row) => row.includes("alice"))).toEqual([true, true]);
		expect(left([signing, other], [signing]).rows).toEqual(["  policy:policy 2: it gives nothing that others do not"]);
	});

	it("are read for, and unknown where they could not be read", () => {
		expect(left([signing], []).decision.needs.powers).toBe(true);
		expect(left([signing], [signing]).decision.needs.powers).toBe(false);
		const { rows, threeWay } = left([signing], [], { access: { policies: unknown } });
		expect([rows, threeWay?.leftPolicies]).toEqual([["  policy:policy 1: what it still gives is unknown"], undefined]);
	});

	it("give what they give at another time, where they have a window", () => {
		const night = { ...signing, time: "CronSpan('0 3 * * *', '1h', 'UTC')" };
		expect(left([night], []).threeWay?.leftPolicies?.[0]?.impact.map(({ at: from }) => from)).toEqual([
			expect.any(String),
		]);
	});

	it("are not listed where they are removed", () => {
		const objects = [{ kind: "policy", userId: null, id: "policy 1" }] as const;
		expect(guardsOf({ objects: [written(signing)] }, { objects }).threeWay?.leftPolicies).toBeUndefined();
	});
});
