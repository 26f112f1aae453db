/** Rules about policies that do nothing: their condition never holds or errs, no users meet them, or their time is over. */
import type { AccessPolicy } from "../access.ts";
import { activityTypes } from "../activities/types.ts";
import { findCells } from "../cells/cells.ts";
import { evaluate } from "../language/evaluate.ts";
import { comparedWith, fieldsIn } from "../language/mentions.ts";
import { printExpression } from "../language/printer.ts";
import { type Expression, mapOperands, partsOf } from "../language/syntax.ts";
import { timesIn } from "../language/time.ts";
import { structOf, timestampOf } from "../language/values.ts";
import { factsOfType, judgeCondition } from "../powers/activity.ts";
import { compilePolicy } from "../powers/compile.ts";
import { clausesOf } from "../powers/fields.ts";
import { activitiesOf } from "../powers/group-cells.ts";
import type { LintFinding, LintInput } from "./finding.ts";
import { coverageOf } from "./together.ts";

/** Finds conditions that err for every activity that they name. */
export function findErring(input: LintInput): readonly LintFinding[] {
	return coverageOf(input).covered.flatMap(({ policy, documented }): readonly LintFinding[] => {
		const tree = conditionOf(policy);
		if (documented !== 0n || !errsAlways(tree)) return [];
		const [type = ""] = typesNamed(tree);
		return [{ id: policy.id, on: "policy", clause: "condition", activity: { type, where: "" } }];
	});
}

/** Finds denies that err for every activity of a type that they name, and not for all: there they deny nothing. */
export function findErringDenies(input: LintInput): readonly LintFinding[] {
	return coverageOf(input).covered.flatMap(({ policy, documented }): readonly LintFinding[] => {
		const tree = conditionOf(policy);
		if (policy.effect !== "EFFECT_DENY" || documented === 0n || namingIn(tree).length === 0) return [];
		const type = typesNamed(tree).find((one) => errsFor(tree, one));
		if (type === undefined) return [];
		return [{ id: policy.id, on: "policy", clause: "condition", activity: { type, where: "" } }];
	});
}

/** Finds policies of which a clause is never true, whatever the activity, the users and the time are. */
export function findFutile(input: LintInput): readonly LintFinding[] {
	return coverageOf(input).covered.flatMap(({ policy, documented }): readonly LintFinding[] => {
		const found = (clause: "consensus" | "condition" | "time"): readonly LintFinding[] => [
			{ id: policy.id, on: "policy", clause },
		];
		if (documented === 0n && !errsAlways(conditionOf(policy))) return found("condition");
		if (!input.population.meet([policy])) return found("consensus");
		const { time } = compilePolicy(policy);
		return time.slip === null && !isOpenAt(time.tree, momentsOf(time.tree)) ? found("time") : [];
	});
}

/** Finds policies that were in force once, and never are again. */
export function findOver({ policies, atMs }: LintInput): readonly LintFinding[] {
	return policies.flatMap((policy): readonly LintFinding[] => {
		const { time } = compilePolicy(policy);
		if (time.slip !== null) return [];
		const moments = momentsOf(time.tree);
		const ahead = [atMs, ...moments.filter((at) => at >= atMs)];
		if (isOpenAt(time.tree, ahead) || !isOpenAt(time.tree, moments)) return [];
		const last = moments.findLast((at) => isOpenAt(time.tree, [at])) ?? atMs;
		return [{ id: policy.id, on: "policy", clause: "time", text: new Date(last + 1).toISOString() }];
	});
}

const conditionOf = (policy: AccessPolicy): Expression => compilePolicy(policy).condition.tree;

const naming = ["activity.kind", "activity.type", "activity.resource", "activity.action"];

/** Returns the clauses that say which activities the condition is about. */
const namingIn = (condition: Expression): readonly Expression[] =>
	clausesOf(condition).filter((clause) => {
		const fields = [...fieldsIn(clause)];
		return fields.length > 0 && fields.every((path) => naming.includes(path));
	});

/** Returns the types that the condition names; all of them where it names none. */
function typesNamed(condition: Expression): readonly string[] {
	const clauses = namingIn(condition);
	const newer = comparedWith(condition, "activity.type").filter((type) => type.startsWith("ACTIVITY_TYPE_"));
	const types = activityTypes.flatMap(({ type, rootQuorumOnly }) => (rootQuorumOnly ? [] : type));
	return [...new Set([...types, ...newer])].filter((type) =>
		clauses.every((clause) => judgeCondition(clause, factsOfType(type)).holds === "yes"),
	);
}

function errsAlways(condition: Expression): boolean {
	const types = typesNamed(condition);
	return types.length > 0 && types.every((type) => errsFor(condition, type));
}

/** Whether the condition errs for every activity of the type. Without short circuit, `x || !x` is true or errs. */
function errsFor(condition: Expression, type: string): boolean {
	const { span } = condition;
	const otherwise: Expression = { node: "not", of: condition, span };
	const sound: Expression = { node: "binary", operator: "||", left: condition, right: otherwise, span };
	const activities = activitiesOf(factsOfType(type), [], new Set());
	const { cells } = findCells([{ text: printExpression(sound), anyOf: [sound] }], activities);
	return cells.every(({ holds: [isSound] }) => isSound === false);
}

/** Returns the moments around those that a time names, milliseconds since 1970, in order; of one that names none, any. */
function momentsOf(time: Expression): readonly number[] {
	const around = timesIn(time).moments.flatMap((at) => [at - 1, at, at + 1]);
	return around.length === 0 ? [0] : around.sort((one, other) => one - other);
}

/** Whether the time is or may be true at one of the moments; a schedule may be open at any. */
function isOpenAt(time: Expression, moments: readonly number[]): boolean {
	const tree = withoutSchedules(time);
	return moments.some((at) => evaluate(tree, new Map([["time", structOf({ now: timestampOf(at) })]])) !== false);
}

const isOfSchedule = (expression: Expression): boolean =>
	partsOf(expression).some((part) => part.node === "construct" && part.name === "CronSpan");

const withoutSchedules = (time: Expression): Expression =>
	mapOperands(time, (part) =>
		isOfSchedule(part)
			? { node: "opaque", text: printExpression(part), because: "it is a schedule", span: part.span }
			: part,
	);
