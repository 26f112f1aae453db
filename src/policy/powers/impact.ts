/** What a change of access means: powers before and after, compared (docs/powers.md#impact). */
import type { AccessState } from "../access.ts";
import { Budget } from "../sets/work.ts";
import { factsOfGroup } from "./activity.ts";
import { compareGroup } from "./compare.ts";
import { compilePolicy, hasPart } from "./compile.ts";
import { findExample } from "./example.ts";
import { type ImpactFinding, impactChanges } from "./finding.ts";
import { type ActivityGroup, printGroup, typesOf } from "./groups.ts";
import { credentialCover } from "./judge.ts";
import { groupsApart, listGroups } from "./listed-groups.ts";
import { type PreparedAccess, type PreparedPolicy, prepareBoth } from "./prepare.ts";

export { type ImpactChange, type ImpactFinding, impactChanges } from "./finding.ts";

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
	const differs = mayDiffer(was, is);
	const compared = groups.flatMap((group) => {
		const apart = groupsApart(groups, group);
		if (!differs(group, apart)) return [];
		const comparison = compareGroup(was, is, group, apart);
		return [{ ...comparison, findings: comparison.findings.map((one) => withExample(one, apart)) }];
	});
	const order = new Map(impactChanges.map((change, index) => [change, index]));
	const findings = compared
		.flatMap(({ findings: found }) => found)
		.toSorted((left, right) => (order.get(left.change) ?? 0) - (order.get(right.change) ?? 0));
	const isMore = compared.some(({ isMore: more }) => more);
	const isLess = compared.some(({ isLess: less }) => less);
	return { verdict: verdictOf(isMore, isLess, findings), findings };
}

/** Returns whether the powers of a group may differ: not where only policies differ that have no part in it. */
function mayDiffer(before: PreparedAccess, after: PreparedAccess) {
	const [one, other] = [new Set(before.policies), new Set(after.policies)];
	const differing = [...one, ...other].filter((policy) => !(one.has(policy) && other.has(policy)));
	const isKnown = before.access.policies.known && after.access.policies.known;
	const isClear = [...one, ...other].every(isUnderstood);
	return (group: ActivityGroup, apart: ReadonlySet<string>): boolean => {
		const facts = factsOfGroup(group);
		// What users may do with their own credentials depends on policies about other credential activities too.
		const isOwnOther = facts.resource === "CREDENTIAL" && credentialCover(before)?.key !== credentialCover(after)?.key;
		if (before.maker !== after.maker || !isKnown || isOwnOther) return true;
		const kinds = [...new Set(typesOf(group).map(({ kind }) => kind))];
		const own = kinds.filter((kind) => !apart.has(printGroup({ kind }))).map((kind) => factsOfGroup({ kind }));
		// Kinds that are groups of their own do not count, but what is not understood may be about any of them.
		return differing.some(
			({ policy }) =>
				hasPart(policy, facts) && (!isClear || kinds.length === 0 || own.some((kind) => hasPart(policy, kind))),
		);
	};
}

const isUnderstood = ({ policy, consensus, unclear }: PreparedPolicy): boolean =>
	unclear === null && consensus.because === null && compilePolicy(policy).condition.slip === null;

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
