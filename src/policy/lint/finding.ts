/** What the rules of `lint` judge, and what they find. */
import type { AccessPolicy } from "../access.ts";
import type { Clause, Expression, Span } from "../language/syntax.ts";
import { partsOf } from "../language/syntax.ts";
import { compilePolicy } from "../powers/compile.ts";
import type { ActivityExample } from "../powers/fields.ts";
import type { Population } from "./population.ts";

/** The policies of an organization, and what is known beside them. */
export interface LintInput {
	/** In the order of reports: of two that say the same, the second repeats the first. */
	readonly policies: readonly AccessPolicy[];
	/** Id to name of each user tag; null where not all are known. */
	readonly tagNames: Readonly<Record<string, string>> | null;
	/** Id to name of each user; null where not all are known. */
	readonly userNames: Readonly<Record<string, string>> | null;
	/** Ids of the user tags that are judged. */
	readonly tagIds: readonly string[];
	/** Milliseconds since 1970. */
	readonly atMs: number;
	/** Judges their consensuses, and notes those that it cannot. */
	readonly population: Population;
}

/** What one rule finds in one policy or tag. */
export interface LintFinding {
	/** The id of the policy or tag. */
	readonly id: string;
	readonly on: "policy" | "userTag";
	/** Where in the policy; left out: as a whole. */
	readonly clause?: Clause;
	/** Which of `partsOf` the clause it is; left out: the first. */
	readonly part?: number;
	/** What the policy writes there. */
	readonly text?: string;
	/** What would be right. */
	readonly meant?: string;
	/** The ids of other policies that it is about. */
	readonly others?: readonly string[];
	/** An activity that shows it. */
	readonly activity?: ActivityExample;
	/** Why, in words of the policy language. */
	readonly because?: string;
}

const clauses = ["consensus", "condition", "time"] as const;

/** Returns the clauses of the policy that are understood, as trees; the condition with opaque parts. */
export function treesOf(policy: AccessPolicy): readonly { readonly clause: Clause; readonly tree: Expression }[] {
	const compiled = compilePolicy(policy);
	return clauses.flatMap((clause) => {
		const { tree, slip } = compiled[clause];
		return slip === null || clause === "condition" ? [{ clause, tree }] : [];
	});
}

/** Returns which part of the tree has the span. */
export function partAt(tree: Expression, { start, end }: Span): number {
	return partsOf(tree).findLastIndex(({ span }) => span.start === start && span.end === end);
}
