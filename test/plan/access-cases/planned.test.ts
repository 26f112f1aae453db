/** Access cases of a plan: what they are live and after it, what the base adds, and the guard that they make. */
import { describe, expect, it } from "vitest";
import type { CaseFile } from "../../../src/plan/access-cases/case.ts";
import { digestOfCases, failingCases } from "../../../src/plan/access-cases/planned.ts";
import { blockingGuards } from "../../../src/plan/guards/overrides.ts";
import type { DesiredOrganization } from "../../../src/plan/organization.ts";
import { makePlan, type PlanContext } from "../../../src/plan/plan.ts";
import { guardText } from "../../../src/say/guards.ts";
import {
	accessOf,
	alice,
	anyOf,
	bob,
	condition,
	desiredFor,
	liveFor,
	policyOf,
	signers,
	type Wish,
} from "../support-access.ts";
import { context, known } from "../support-organizations.ts";
import { readCases } from "./support.ts";

const organization = {
	members: { signers: ["alice"], treasury: ["bob"] },
	policies: [policyOf(1, { consensus: anyOf(signers), condition: condition.sign })],
} as const;

function casesOf(...tests: readonly string[]): readonly CaseFile[] {
	const list = tests.map((text) => `{ ${text} }`).join(", ");
	return tests.length === 0 ? [] : [readCases(`rootQuorum: aside\ntests: [${list}]`)];
}

const aliceAlone = "name: alone, power: sign, alone: { exactly: [alice] }";
const noTreasury = "name: treasury, power: sign, never: [1 of treasury]";
/** Where orgsync cannot say who signs: an expression is not documented. */
const notUnderstood = {
	required: "base",
	read: {
		access: accessOf(organization.members, [
			...organization.policies,
			policyOf(2, { consensus: "approvers.sum() > 1", condition: condition.sign }),
		]),
	},
} as const;

const bobSigns: Wish = { members: { signers: ["alice", "bob"] } };

interface Parts {
	readonly cases?: readonly string[];
	/** Of the base; left out, there is none. */
	readonly base?: readonly string[];
	readonly required?: "head" | "base" | "both";
	readonly more?: Partial<DesiredOrganization>;
	readonly read?: Partial<PlanContext>;
}

function plan(wish: Wish, { cases = [], base, required, more = {}, read = {} }: Parts) {
	const isRequired = { accessTests: "required" } as const;
	const head = { ...desiredFor(wish), cases: casesOf(...cases), ...(required === "head" ? isRequired : {}), ...more };
	const access = accessOf(organization.members, organization.policies);
	const before = { ...desiredFor({}), cases: casesOf(...(base ?? [])), ...(required === "base" ? isRequired : {}) };
	return makePlan(head, liveFor(organization), {
		...{ ...context, access, ...read },
		...(base === undefined ? {} : { base: before }),
	});
}

/** Each case as `name: before -> after change`. */
const shortly = ({ accessCases }: ReturnType<typeof plan>): readonly string[] =>
	(accessCases?.cases ?? []).map(
		({ judged, before, change }) =>
			`${judged.name}: ${before} -> ${judged.verdict}${change === null ? "" : ` ${change}`}`,
	);

const blockedBy = (made: ReturnType<typeof plan>): readonly number[] =>
	blockingGuards(made).flatMap(({ kind, found }) => (kind === "accessCases" ? [found] : []));

describe("the cases of a plan", () => {
	it("are judged live and after its steps", () => {
		const made = plan(bobSigns, { cases: [aliceAlone, noTreasury] });
		expect(shortly(made)).toEqual(["alone: passed -> failed", "treasury: passed -> failed"]);
		expect(made.accessCases?.userNames).toEqual({ [bob]: "bob" });
		expect(failingCases(made)).toHaveLength(2);
		expect(shortly(plan({}, { cases: [aliceAlone] }))).toEqual(["alone: passed -> passed"]);
	});

	it("do not fail for what failed before, unless they are new or changed", () => {
		const wrong = aliceAlone.replace("alice", "bob");
		expect(failingCases(plan({}, { cases: [wrong] }))).toEqual([]);
		expect(failingCases(plan({}, { cases: [wrong], base: [wrong] }))).toEqual([]);
		const changed = plan({}, { cases: [wrong], base: [aliceAlone] });
		expect(shortly(changed)).toEqual(["alone: failed -> failed changed", "alone: passed -> passed replaced"]);
		expect(failingCases(changed)).toHaveLength(1);
		expect(failingCases(plan({}, { cases: [wrong], base: [noTreasury] }))).toHaveLength(1);
	});

	it("are none for a part of the document, unless they are required", () => {
		const more = { narrowed: true };
		expect(plan(bobSigns, { cases: [aliceAlone], more }).accessCases).toBeUndefined();
		expect(blockedBy(plan(bobSigns, { cases: [aliceAlone], more, required: "head" }))).toEqual([1]);
	});

	it("cannot be judged where they name a tag that is gone, and follow no other tag by its name", () => {
		const renamed = plan({ names: { treasury: "vault" } }, { cases: [noTreasury] });
		expect(shortly(renamed)).toEqual(["treasury: passed -> unknown"]);
		expect(renamed.accessCases?.cases[0]?.judged.findings[0]?.because).toEqual({
			...{ kind: "wrong-name", of: "tag", name: "treasury" },
		});
		const swapped = { ...bobSigns, names: { treasury: "vault", approvers: "treasury" } };
		expect(shortly(plan(swapped, { cases: [noTreasury], base: [noTreasury] }))).toEqual(["treasury: passed -> failed"]);
	});

	it("of the base follow a tag by its id", () => {
		const followed = plan(
			{ names: { treasury: "vault" } },
			{ cases: [noTreasury.replace("1 of treasury", "1 of vault")], base: [noTreasury], required: "base" },
		);
		expect(shortly(followed)).toEqual(["treasury: passed -> passed changed", "treasury: passed -> passed replaced"]);
		expect(blockedBy(followed)).toEqual([]);
	});

	it("of the base follow a policy by its id", () => {
		const [{ name, consensus, condition: text }] = organization.policies;
		const by = (named: string): string => `${aliceAlone}, by: [${named}]`;
		const head = { ...desiredFor({}), cases: casesOf(by("new name")) };
		const wanted = { kind: "policy", name: "new name", previously: [name], effect: "EFFECT_ALLOW" } as const;
		const objects = [{ ...wanted, consensus, condition: text, at: { file: "-", line: 1, column: 1 } }];
		const live = {
			...liveFor(organization),
			policies: known(organization.policies.map((one) => ({ ...one, notes: "" }))),
		};
		const base = { ...desiredFor({}), cases: casesOf(by(name)), accessTests: "required" } as const;
		const access = accessOf(organization.members, organization.policies);
		const planWith = (cases: readonly CaseFile[]) =>
			makePlan({ ...head, objects, cases }, live, { ...context, access, base });
		const made = planWith(head.cases);
		expect(made.steps.map(({ operation }) => operation)).toEqual(["update_policy"]);
		expect(shortly(made)).toEqual(["alone: passed -> passed changed", "alone: passed -> passed replaced"]);
		expect(blockedBy(made)).toEqual([]);
		// Beside the document, the old name is that of no policy.
		expect(shortly(planWith(base.cases))).toEqual(["alone: passed -> unknown"]);
	});
});

describe("the guard of required cases", () => {
	it.each([
		["the document requires them", { cases: [aliceAlone], required: "head" }, [1]],
		["the base does", { cases: [aliceAlone, noTreasury], base: [aliceAlone, noTreasury], required: "base" }, [2]],
		["the base does, and the case is deleted", { base: [aliceAlone], required: "base" }, [1]],
		["the base does, and the case is new", { cases: [aliceAlone], base: [], required: "base" }, []],
		["only the document does, and the case is deleted", { base: [aliceAlone], required: "head" }, []],
		["nobody does", { cases: [aliceAlone], base: [aliceAlone] }, []],
		["who can do what was not read", { cases: [aliceAlone], required: "head", read: { access: undefined } }, [1]],
		[
			"the base does, and the case is not understood",
			{ ...notUnderstood, cases: [aliceAlone], base: [aliceAlone] },
			[1],
		],
	] as readonly (readonly [string, Parts, readonly number[]])[])("where %s", (_, parts, expected) => {
		expect(blockedBy(plan(bobSigns, parts))).toEqual(expected);
	});

	it("says which case cannot be judged", () => {
		const carolSigns: Wish = { members: { signers: ["alice", "carol"] } };
		const made = plan(carolSigns, { ...notUnderstood, cases: [noTreasury], base: [noTreasury] });
		expect(shortly(made)).toEqual(["treasury: unknown -> unknown"]);
		expect(made.guards.flatMap((one) => (one.kind === "accessCases" ? guardText(one) : []))).toEqual([
			"1 access case would no longer hold, or cannot be judged: treasury (a.access.yaml:2, cannot be judged)",
		]);
		// Nothing that it could break changes.
		expect(blockedBy(plan({}, { ...notUnderstood, cases: [aliceAlone], base: [aliceAlone] }))).toEqual([]);
	});

	it("names the changes of who can do what, and is not there for what failed before", () => {
		const made = plan(bobSigns, { cases: [aliceAlone], required: "head" });
		expect(made.guards.find(({ kind }) => kind === "accessCases")?.where).toEqual(["userTag:signers"]);
		expect(blockedBy(plan(bobSigns, { cases: [aliceAlone.replace("alice", "bob")], required: "head" }))).toEqual([]);
	});

	it("keeps what a reviewed plan found, unless it finds more", () => {
		const reviewedCases = { found: 2, where: [], message: "two", limit: "none" };
		expect(blockedBy(plan(bobSigns, { more: { reviewedCases } }))).toEqual([2]);
		expect(blockedBy(plan(bobSigns, { cases: [aliceAlone], required: "head", more: { reviewedCases } }))).toEqual([2]);
		const one = { reviewedCases: { ...reviewedCases, found: 0 } };
		expect(blockedBy(plan(bobSigns, { cases: [aliceAlone], required: "head", more: one }))).toEqual([1]);
	});
});

describe("the digest of cases", () => {
	const digest = (users: DesiredOrganization["users"], ...tests: readonly string[]): string =>
		digestOfCases({ organizationId: context.toString(), users, cases: casesOf(...tests) });

	it("is another one for another case, and for an alias that means another user, but not for another place", () => {
		expect(digest({ alice }, aliceAlone)).toBe(digest({ alice, bob }, ` ${aliceAlone}`));
		expect(digest({ alice }, aliceAlone)).not.toBe(digest({ alice: bob }, aliceAlone));
		expect(digest({ alice }, aliceAlone)).not.toBe(digest({ alice }, aliceAlone.replace("exactly", "atLeast")));
		expect(plan({}, { cases: [aliceAlone] }).accessCases?.digest).toBe(digest({ alice }, aliceAlone));
	});
});
