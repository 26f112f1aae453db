/** What a change of access means: powers before and after, compared (docs/powers.md#impact). */
import type { AccessState } from "../access.ts";
import { Budget } from "../sets/work.ts";
import { compareGroup } from "./compare.ts";
import { findExample } from "./example.ts";
import { type ImpactFinding, impactChanges } from "./finding.ts";
import { groupsApart, listGroups } from "./listed-groups.ts";
import { prepareBoth } from "./prepare.ts";

export { type ImpactChange, type ImpactFinding, impactChanges, type SideAbility } from "./finding.ts";

/** In the words of access analyzers. `unknown`: something that matters could not be compared. */
export type ImpactVerdict = "equivalent" | "more-permissive" | "less-permissive" | "both" | "unknown";

export interface Impact {
	readonly verdict: ImpactVerdict;
	/** Worst first, then by group. */
	readonly findings: readonly ImpactFinding[];
}

/** Max steps of all searches of a comparison; half a second or so. Unverified, chosen. */
const maxSteps = 2_000_000;

/** Returns what changes for who can do what. Equal powers give no finding; a rename never does, since policies hold ids. */
export function compareAccess(before: AccessState, after: AccessState, atMs: number): Impact {
	if (before === after) return { verdict: "equivalent", findings: [] };
	const budget = new Budget(maxSteps);
	const [one, other] = prepareBoth(before, after, atMs);
	const was = { ...one, budget };
	const is = { ...other, budget };
	const groups = listGroups([was, is]);
	const compared = groups.map((group) => {
		const apart = groupsApart(groups, group);
		const comparison = compareGroup(was, is, group, apart);
		return { ...comparison, findings: comparison.findings.map((one) => withExample(one, apart)) };
	});
	const order = new Map(impactChanges.map((change, index) => [change, index]));
	const findings = compared
		.flatMap(({ findings: found }) => found)
		.toSorted((left, right) => (order.get(left.change) ?? 0) - (order.get(right.change) ?? 0));
	const isMore = compared.some(({ isMore: more }) => more);
	const isLess = compared.some(({ isLess: less }) => less);
	return { verdict: verdictOf(isMore, isLess, findings), findings };
}

function withExample(finding: ImpactFinding, apart: ReadonlySet<string>): ImpactFinding {
	const example = findExample(finding, apart);
	return example === null ? finding : { ...finding, example };
}

function verdictOf(isMore: boolean, isLess: boolean, findings: readonly ImpactFinding[]): ImpactVerdict {
	if (findings.some(({ change }) => change === "unknown")) return "unknown";
	if (isMore && isLess) return "both";
	if (isMore) return "more-permissive";
	return isLess ? "less-permissive" : "equivalent";
}
