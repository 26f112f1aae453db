/** Drops findings that say the same as others: a policy that names a kind is reported for that kind. */
import type { ImpactFinding } from "./finding.ts";
import { printGroup } from "./groups.ts";

/**
 * Returns the findings without those of a resource and action under the condition that the activity is of a kind or type, where
 * the same is found for that kind or type. One of these is an escalation where one of its repeats is.
 */
export function dropRepeats(findings: readonly ImpactFinding[]): readonly ImpactFinding[] {
	const named = new Map(findings.filter(({ group }) => !("resource" in group)).map((one) => [keyOf(one), one]));
	const escalated = new Set<ImpactFinding>();
	const kept = findings.filter((finding) => {
		const originals = originalsOf(finding, named);
		if (finding.isEscalation) for (const one of originals) escalated.add(one);
		return originals.length === 0;
	});
	return kept.map((finding) => (escalated.has(finding) ? { ...finding, isEscalation: true } : finding));
}

function keyOf({ group, change, userIds, condition }: ImpactFinding): string {
	return JSON.stringify([printGroup(group), change, userIds, condition]);
}

/** Returns the same finding for each kind and type of its condition; none where one of them has none. */
function originalsOf(finding: ImpactFinding, named: ReadonlyMap<string, ImpactFinding>): readonly ImpactFinding[] {
	const { group, condition } = finding;
	if (!("resource" in group) || condition === null) return [];
	const clauses = condition.split(" && ");
	const index = clauses.findIndex((clause) => namesIn(clause).length > 0);
	const names = namesIn(clauses[index] ?? "");
	const rest = clauses.filter((_, at) => at !== index).join(" && ");
	const originals = names.map((one) =>
		named.get(keyOf({ ...finding, group: one, condition: rest === "" ? null : rest })),
	);
	return originals.includes(undefined) ? [] : originals.filter((one) => one !== undefined);
}

/** Returns the kinds and types with which the clause compares the activity; none where it does anything else. */
function namesIn(clause: string): readonly ({ readonly kind: string } | { readonly type: string })[] {
	const parts = clause.replace(/^\((.*)\)$/, "$1").split(" || ");
	const found = parts.map((part) => /^activity\.(kind|type) (?:== ('[^']*')|in \[((?:'[^']*'(?:, )?)+)\])$/.exec(part));
	if (found.some((one) => one === null)) return [];
	return found.flatMap((one) => {
		const texts = (one?.[2] ?? one?.[3] ?? "").split(", ").map((text) => text.slice(1, -1));
		return texts.map((text) => (one?.[1] === "kind" ? { kind: text } : { type: text }));
	});
}
