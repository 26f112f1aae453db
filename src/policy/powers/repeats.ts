/** Drops findings that say the same as others: a policy that names a kind is reported for that kind. */

import { parseExpression } from "../language/parser.ts";
import { printExpression } from "../language/printer.ts";
import type { Expression } from "../language/syntax.ts";
import { clausesOf, namesActivity } from "./activity.ts";
import type { ImpactFinding } from "./finding.ts";
import { type ActivityGroup, printGroup } from "./groups.ts";
import { ownCredentials } from "./judge.ts";

/** Returns the findings without those under a condition on the kind or type for which the same is found. */
export function dropRepeats(findings: readonly ImpactFinding[]): readonly ImpactFinding[] {
	const named = new Map<string, ImpactFinding>();
	for (const finding of findings) {
		const clauses = clausesIn(finding);
		if (!("resource" in finding.group) && clauses !== null) named.set(keyOf(finding, finding.group, clauses), finding);
	}
	const escalated = new Set<ImpactFinding>();
	const kept = findings.filter((finding) => {
		const originals = originalsOf(finding, named);
		if (finding.isEscalation) for (const one of originals) escalated.add(one);
		return originals.length === 0;
	});
	return kept.map((finding) => (escalated.has(finding) ? { ...finding, isEscalation: true } : finding));
}

function keyOf({ change, userIds }: ImpactFinding, group: ActivityGroup, clauses: readonly Expression[]): string {
	return JSON.stringify([printGroup(group), change, userIds, clauses.map(printExpression).sort()]);
}

/** Returns what must hold, all of it; null where the condition is not understood. */
function clausesIn({ condition }: ImpactFinding): readonly Expression[] | null {
	if (condition === null) return [];
	// That sentence is no expression: here a name takes its place.
	const parsed = parseExpression(condition.replaceAll(ownCredentials, "own_credentials"));
	return "mistakes" in parsed ? null : clausesOf(parsed.expression);
}

/** Returns the same finding for each kind and type of its condition; none where one of them has none. */
function originalsOf(finding: ImpactFinding, named: ReadonlyMap<string, ImpactFinding>): readonly ImpactFinding[] {
	if (!("resource" in finding.group)) return [];
	const clauses = clausesIn(finding) ?? [];
	const clause = clauses.find((one) => namesIn(one).length > 0);
	if (clause === undefined) return [];
	const rest = clauses.filter((one) => one !== clause);
	const originals = namesIn(clause).map((one) => named.get(keyOf(finding, one, rest)));
	return originals.includes(undefined) ? [] : originals.filter((one) => one !== undefined);
}

/** Returns the kinds and types with which the clause compares the activity; none where it does anything else. */
function namesIn(clause: Expression): readonly ActivityGroup[] {
	if (clause.node !== "binary") return [];
	const { operator, left, right } = clause;
	if (operator === "||") {
		const [one, other] = [namesIn(left), namesIn(right)];
		return one.length === 0 || other.length === 0 ? [] : [...one, ...other];
	}
	if (operator !== "==" && operator !== "in") return [];
	const name = namesActivity(left) ?? (operator === "==" ? namesActivity(right) : null);
	if (name === null) return [];
	const compared = namesActivity(left) === null ? left : right;
	const items = compared.node === "list" ? compared.items : [compared];
	const texts = items.flatMap((item) => (item.node === "literal" && typeof item.value === "string" ? item.value : []));
	if (texts.length !== items.length) return [];
	return texts.map((text) => (name === "kind" ? { kind: text } : { type: text }));
}
