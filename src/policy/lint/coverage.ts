/** Finds the activities that policies are about: the cells of every group, and which conditions hold in each. */
import type { AccessPolicy } from "../access.ts";
import { findCells } from "../cells/cells.ts";
import { comparedWith } from "../language/mentions.ts";
import { printExpression } from "../language/printer.ts";
import { expressionKey } from "../language/same-expression.ts";
import type { Expression } from "../language/syntax.ts";
import { factsOfGroup, isForRootQuorum } from "../powers/activity.ts";
import { outcomeFor } from "../powers/compile.ts";
import { activitiesOf } from "../powers/group-cells.ts";
import { type ActivityGroup, namedPowers } from "../powers/groups.ts";
import { groupsApart, listGroups } from "../powers/listed-groups.ts";
import { isUndocumented } from "../powers/reason.ts";
import { type Bits, placesOf } from "../sets/sets.ts";

/** The cells in which the condition of a policy holds. */
interface Covered {
	readonly policy: AccessPolicy;
	/** Equal for equal conditions. */
	readonly key: string;
	readonly surely: Bits;
	/** Where it holds or may hold. */
	readonly perhaps: Bits;
	/** The same without groups of which no documentation says whether the condition means them. */
	readonly documented: Bits;
}

export interface Coverage {
	/** The group of each cell. */
	readonly groups: readonly ActivityGroup[];
	readonly covered: readonly Covered[];
	/** Ids of policies whose conditions distinguish more activities than are tried: where they hold is open. */
	readonly wide: ReadonlySet<string>;
}

/** Groups of which no documentation says what they are: some policies may be about them. */
const undocumented = Object.values(namedPowers)
	.flat()
	.filter((group) => !("resource" in group));

type Holds = "yes" | "no" | "open" | "undocumented";

export function findCoverage(policies: readonly AccessPolicy[]): Coverage {
	const listed = listGroups([{ policies: policies.map((policy) => ({ policy })) }], undocumented);
	const cells = listed.flatMap((group) => cellsIn(group, policies, groupsApart(listed, group)));
	const placesWhere = (index: number, ...states: readonly Holds[]): Bits =>
		placesOf(cells, ({ holds }) => states.includes(holds[index] ?? "no"));
	return {
		groups: cells.map(({ group }) => group),
		wide: new Set(cells.flatMap(({ wide }) => wide)),
		covered: policies.map((policy, index) => ({
			policy,
			key: expressionKey(policy.condition),
			surely: placesWhere(index, "yes"),
			perhaps: placesWhere(index, "yes", "open", "undocumented"),
			documented: placesWhere(index, "yes", "open"),
		})),
	};
}

interface Cell {
	readonly group: ActivityGroup;
	/** For each policy. */
	readonly holds: readonly Holds[];
	readonly wide: readonly string[];
}

function cellsIn(group: ActivityGroup, policies: readonly AccessPolicy[], apart: ReadonlySet<string>): readonly Cell[] {
	const facts = factsOfGroup(group);
	if (isForRootQuorum(facts)) return [];
	const conditions = new Map<string, Expression>();
	const outcomes = policies.map((policy): Holds | { readonly text: string } => {
		const outcome = outcomeFor(policy, facts);
		if (outcome.holds === "yes") return "yes";
		if (outcome.holds === "unknown") return isUndocumented(outcome.because) ? "undocumented" : "open";
		if (outcome.holds !== "open") return "no";
		const text = printExpression(outcome.condition);
		conditions.set(text, outcome.condition);
		return { text };
	});
	const named = [...conditions.values()].flatMap((tree) => comparedWith(tree, "activity.type"));
	const activities = activitiesOf(facts, named, apart);
	if (activities.rows.length === 0) return [];
	const texts = [...conditions.keys()];
	const asked = [...conditions].map(([text, tree]) => ({ text, anyOf: [tree] }));
	const space = findCells(asked, activities);
	const wide = policies.flatMap(({ id }, index) => {
		const outcome = outcomes[index];
		return typeof outcome === "object" && space.wide.has(outcome.text) ? [id] : [];
	});
	return space.cells.map(({ holds }) => ({
		...{ group, wide },
		holds: outcomes.map((outcome): Holds => {
			if (typeof outcome === "string") return outcome;
			const value = holds[texts.indexOf(outcome.text)];
			return typeof value === "string" ? "open" : value === true ? "yes" : "no";
		}),
	}));
}
