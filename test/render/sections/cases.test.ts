/** How a judged access case reads. */
import { expect, it } from "vitest";
import { unjudged } from "../../../src/plan/access-cases/judge.ts";
import { phraseText } from "../../../src/render/print/text.ts";
import { caseRow } from "../../../src/render/sections/cases.ts";

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
