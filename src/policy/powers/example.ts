/** Finds an activity for which a condition holds: what a finding is about, as `powers --why` and a request take it. */
import { findCells } from "../cells/cells.ts";
import { evaluate } from "../language/evaluate.ts";
import { fieldsIn } from "../language/mentions.ts";
import { parseExpression } from "../language/parser.ts";
import type { Value } from "../language/values.ts";
import { factsOfGroup, scopeOf } from "./activity.ts";
import type { ConditionalPower } from "./conditional.ts";
import { type ActivityExample, printFields, withFields } from "./fields.ts";
import { activitiesOf } from "./group-cells.ts";
import type { ActivityGroup } from "./groups.ts";
import type { GroupPower } from "./powers.ts";

/** What a finding says of the activities that it is about. */
interface Described {
	readonly group: ActivityGroup;
	readonly condition: string | null;
	/** Conditions that do not hold. */
	readonly unless: readonly string[];
}

/** Returns an activity; null where no condition is named, or none is found. `apart`: groups of their own, not of this one. */
export function findExample(
	{ group, condition, unless }: Described,
	apart: ReadonlySet<string> = new Set(),
): ActivityExample | null {
	const asked = [condition ?? "true", ...unless].map((text) => {
		const parsed = parseExpression(text);
		return { text, anyOf: "expression" in parsed ? [parsed.expression] : null };
	});
	if (asked.length === 1 && condition === null) return null;
	const activities = activitiesOf(factsOfGroup(group), [], apart);
	const cell = findCells(asked, activities).cells.find(({ holds: [first, ...others] }) => {
		return first === true && others.every((one) => one === false);
	});
	if (cell === undefined) return null;
	const has = ({ names, params }: (typeof activities.rows)[number]): boolean =>
		[...cell.example].every(([path, value]) => {
			const [, name = "", param = ""] = path.startsWith("activity.") ? path.split(".") : [];
			return name === "params" ? params === null || params.includes(param) : name === "" || names[name] === value;
		});
	const type = activities.rows.find(has)?.names.type;
	if (typeof type !== "string") return null;
	const said = new Map<string, Value | null>([...cell.example].filter(([path]) => !/^activity\.(?!params)/.test(path)));
	const read = asked.flatMap(({ anyOf }) => (anyOf ?? []).flatMap((one) => [...fieldsIn(one)]));
	const isSaid = (path: string): boolean => [...said.keys()].some((one) => one.startsWith(path));
	const lacked = read.filter((path) => !path.startsWith("activity.") && !isSaid(path));
	const fields = new Map([...said, ...lacked.map((path): [string, null] => [path, null])]);
	const known = withFields(scopeOf(factsOfGroup({ type })), fields);
	const isSuch = asked.every(({ anyOf }, index) =>
		(anyOf ?? []).every((one) => (evaluate(one, known) === true) === (index === 0)),
	);
	return isSuch ? { type, where: printFields(fields) } : null;
}

/** Returns the power of all activities of a group with an example of each condition. */
export function withExamples<P extends Pick<GroupPower, "group" | "conditional"> & { readonly where?: string }>(
	power: P,
): P {
	if (power.where !== undefined) return power;
	const conditional = power.conditional.map((one): ConditionalPower => {
		const [condition, unless] = one.holds ? [one.condition, []] : [null, [one.condition]];
		const example = findExample({ group: power.group, condition, unless });
		return example === null ? one : { ...one, example };
	});
	return { ...power, conditional };
}
