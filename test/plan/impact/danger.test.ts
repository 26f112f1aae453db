/** What is dangerous in a plan, and the figures beside it. */
import { describe, expect, it } from "vitest";
import type { ReportChange } from "../../../src/plan/change.ts";
import { countChanges } from "../../../src/plan/change-counts.ts";
import { findDanger } from "../../../src/plan/impact/danger.ts";
import { anyOf, planFor, policyOf, signers, twoOf } from "../support-access.ts";

const twoSign = policyOf(1, { consensus: twoOf(signers) });
const anySigns = policyOf(1, { consensus: anyOf(signers) });
const team = { members: { signers: ["alice", "bob", "carol"] }, policies: [twoSign] } as const;

/** Removes two of three members of a tag of which a policy needs two, and adds one to another. */
const locking = planFor(team, {
	members: { signers: ["alice"], approvers: ["dave"] },
	limits: { memberRemovals: { count: 1 } },
});

describe("A plan", () => {
	it("that leaves too few for a policy is dangerous, and says how many activities it submits", () => {
		const danger = findDanger(locking);
		expect(danger?.findings.map(({ change }) => change)).toContain("nobody");
		expect(danger).toMatchObject({ overLimit: [{ kind: "memberRemovals" }], activities: 2 });
	});

	it("that gives a power to one user alone is dangerous", () => {
		const plan = planFor({ members: {}, policies: [anySigns] }, { members: { signers: ["bob"] } });
		const danger = findDanger(plan);
		expect(danger?.findings.map(({ change }) => change)).toContain("alone");
		expect(danger?.overLimit).toEqual([]);
	});

	it("that removes more than its limit allows is dangerous without any finding", () => {
		const guards = locking.guards.filter(({ kind }) => kind === "memberRemovals");
		expect(findDanger({ guards, steps: locking.steps })).toMatchObject({ findings: [], overLimit: guards });
		const within = guards.map((guard) => ({ ...guard, refuses: false }));
		expect(findDanger({ guards: within, steps: locking.steps })).toBeNull();
		const other = guards.map((guard) => ({ ...guard, kind: "protected" as const }));
		expect(findDanger({ guards: other, steps: locking.steps })).toBeNull();
	});

	it("in which users only gain or lose a part in a power is not dangerous", () => {
		const calm = (locking.impact ?? []).map((finding) => ({ ...finding, change: "loses" as const }));
		expect(findDanger({ impact: calm, guards: [], steps: locking.steps })).toBeNull();
	});

	it("that submits nothing is not dangerous", () => {
		expect(findDanger({ ...locking, steps: [] })).toBeNull();
	});
});

describe("The figures of a plan", () => {
	const removing = planFor({ ...team, policies: [twoSign, policyOf(2)] }, { absent: [policyOf(2).id] });
	const reported = { action: "report", kind: "bootProof", address: "bootProof:a" } as unknown as ReportChange;
	const changes = [...locking.changes, ...removing.changes, reported];

	it("count members by user and objects one by one", () => {
		expect(countChanges({ changes }, () => true)).toEqual({
			gained: { all: 1, counted: 1 },
			lost: { all: 2, counted: 2 },
			removals: { all: 1, counted: 1 },
			reported: 1,
		});
	});

	it("count as made only what the caller says was made", () => {
		expect(countChanges({ changes }, (address) => address === "userTag:signers")).toEqual({
			gained: { all: 1, counted: 0 },
			lost: { all: 2, counted: 2 },
			removals: { all: 1, counted: 0 },
			reported: 1,
		});
	});
});
