/** How a judged access case reads. */
import { expect, it } from "vitest";
import { unjudged } from "../../../src/plan/access-cases/judge.ts";
import { phraseText } from "../../../src/render/print/text.ts";
import { caseRow } from "../../../src/render/sections/cases.ts";
import { describeApproval } from "../../../src/say/approvals.ts";
import { sayClause } from "../../../src/say/cases.ts";

const at = { file: "a.access.yaml", line: 3, column: 5 };
const names = { userNames: {}, tagNames: {}, policyNames: {} };

it("says how many findings of a case there are besides those that it lists", () => {
	const judged = {
		name: "no one",
		at,
		asked: "sign",
		verdict: "unknown",
		findings: [unjudged({ kind: "too-many-windows" })],
	} as const;
	const said = (more?: number) =>
		caseRow({ ...judged, ...(more === undefined ? {} : { more }) }, names).rows?.map((row) => phraseText(row.said));
	expect(said()).toHaveLength(1);
	expect(said(40)?.slice(1)).toEqual(["40 more"]);
});

it("says from when a closed time window allows what a case or a step asks for", () => {
	const clause = { policyId: null, effect: "allow", applies: false, clause: "time", text: "t" } as const;
	const opensAt = "2026-12-01T00:00:00.000Z";
	expect(phraseText(sayClause({ ...clause, policyId: "p", opensAt }, { ...names, policyNames: { p: "pay" } }))).toBe(
		"allow policy `pay` does not apply, its time is not in force, but will be from 2026-12-01 00:00 UTC on: `t`",
	);
	const denied = { verdict: "denied", approverSets: [], thresholds: [], policyIds: [], because: null } as const;
	const step = {
		approval: { ...denied, later: { at: opensAt, verdict: "pending" } },
		operation: "update_user_tag",
	} as const;
	expect(phraseText(describeApproval(step, { ...names, steps: [] }))).toBe(
		"would be denied: no policy allows this key to change user tags; from 2026-12-01 00:00 UTC on it would be pending approval",
	);
});
