/** Finds the activities that policies are about: the cells of every group, and which conditions hold in each. */
import type { AccessPolicy } from "../access.ts";
import { printExpression } from "../language/printer.ts";
import { expressionKey } from "../language/same-expression.ts";
import { factsOfGroup, isForRootQuorum } from "../powers/activity.ts";
import { outcomeFor } from "../powers/compile.ts";
import { cellsOf } from "../powers/group-cells.ts";
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
	const asked = policies.map((policy) => {
		const outcome = outcomeFor(policy, facts);
		const isOpen = outcome.holds === "open";
		return {
			outcome,
			condition: isOpen ? printExpression(outcome.condition) : null,
			anyOf: isOpen ? [outcome.condition] : [],
		};
	});
	return cellsOf(asked, facts, apart).map(({ holding, open, wide }) => ({
		group,
		wide: policies.flatMap(({ id }, index) => (wide.has(asked[index]?.condition ?? "") ? [id] : [])),
		holds: asked.map(({ outcome, condition }): Holds => {
			if (condition !== null) return holding.has(condition) ? "yes" : open.has(condition) ? "open" : "no";
			if (outcome.holds === "unknown") return isUndocumented(outcome.because) ? "undocumented" : "open";
			return outcome.holds === "yes" ? "yes" : "no";
		}),
	}));
}
