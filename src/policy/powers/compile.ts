/** Compiles a policy once: its trees, whether its time is open, and for which groups its condition holds. */
import { remember } from "../../common/remember.ts";
import type { AccessPolicy } from "../access.ts";
import { kindOfType, typesOfKind } from "../activities/types.ts";
import { evaluate } from "../language/evaluate.ts";
import { comparedWith, mentionsName, pathOf } from "../language/mentions.ts";
import { printExpression } from "../language/printer.ts";
import { readClause } from "../language/read-clause.ts";
import { openParts } from "../language/same-expression.ts";
import { type Clause, type Expression, isLogical, operandsOf, partsOf } from "../language/syntax.ts";
import { isError, isUnknown, structOf, timestampOf } from "../language/values.ts";
import {
	type ActivityFacts,
	groupKeyOf,
	joinOutcomes,
	judgeCondition,
	type Outcome,
	rowsOf,
	shapeOf,
	withAll,
} from "./activity.ts";
import type { Assumed, Reason } from "./reason.ts";

/** A clause as a tree: `true` where the policy has none, which does not restrict. */
interface CompiledClause {
	readonly tree: Expression;
	/** The same without opaque parts; null where the text does not parse. */
	readonly whole: Expression | null;
	/** What is not understood: opaque parts of the tree are unknown for this reason. Null where there is nothing. */
	readonly slip: Reason | null;
}

interface CompiledPolicy {
	readonly consensus: CompiledClause;
	readonly condition: CompiledClause;
	readonly time: CompiledClause;
	/** What is assumed of its clauses, apart from what becomes of errors. */
	readonly assumed: readonly Assumed["what"][];
	/** Types that the condition compares the activity's with. */
	readonly namedTypes: readonly string[];
	/** Kinds that it names and the table lacks: they may be of any resource and action but signing. */
	readonly newKinds: readonly string[];
	/** Returns a text that is equal for activities that are alike to the condition. */
	readonly keyOf: (facts: ActivityFacts) => string;
	/** By what is known of an activity: one of each kind of activities that are not alike to the condition, and its outcomes. */
	readonly rows: Map<string, readonly ActivityFacts[]>;
	readonly outcomes: Map<string, Outcome>;
}

/** Policies are compiled once, however often they are asked about. */
const compiled = new WeakMap<AccessPolicy, CompiledPolicy>();

/** The same by their texts: an organization that is read again has other objects for the same policies. */
const byTexts = new Map<string, CompiledPolicy>();
const maxKept = 1_000;

/** Whether the meaning of the policy depends on undocumented operator precedence. */
export const assumesOrder = (policy: AccessPolicy): boolean => compilePolicy(policy).assumed.includes("precedence");

export function compilePolicy(policy: AccessPolicy): CompiledPolicy {
	return remember(compiled, policy, () => {
		const { consensus, condition, time, isDoubted } = policy;
		if (byTexts.size >= maxKept) byTexts.clear();
		return remember(byTexts, JSON.stringify([consensus, condition, time, isDoubted]), () => compileTexts(policy));
	});
}

function compileTexts(policy: AccessPolicy): CompiledPolicy {
	const [consensus, condition, time] = (["consensus", "condition", "time"] as const).map((clause) => {
		return compileClause(policy[clause], clause, policy.isDoubted === true);
	}) as [CompiledClause, CompiledClause, CompiledClause];
	const { tree } = condition;
	const namedTypes = comparedWith(tree, "activity.type");
	const kinds = [...comparedWith(tree, "activity.kind"), ...namedTypes.map(kindOfType)];
	return {
		...{ consensus, condition, time, namedTypes },
		assumed: assumedIn([consensus, condition], time),
		newKinds: kinds.filter((kind) => typesOfKind(kind).length === 0),
		...alikeTo(tree),
		outcomes: new Map(),
	};
}

function assumedIn(clauses: readonly CompiledClause[], time: CompiledClause): CompiledPolicy["assumed"] {
	const timeless = clauses.flatMap(({ whole }) => whole ?? []);
	const all = [...timeless, ...(time.whole === null ? [] : [time.whole])];
	const isBool = (one: Expression): boolean =>
		one.node === "literal" ? typeof one.value === "boolean" : one.node === "not" || one.node === "binary";
	const comparesBools = (one: Expression): boolean =>
		one.node === "binary" && ["==", "!="].includes(one.operator) && (isBool(one.left) || isBool(one.right));
	return [
		...(all.flatMap(partsOf).some(comparesBools) ? (["bools"] as const) : []),
		...(all.some((tree) => openParts(tree).length > 0) ? (["precedence"] as const) : []),
		...(timeless.flatMap(partsOf).some(({ node }) => node === "not") ? (["negation"] as const) : []),
	];
}

function compileClause(text: string, clause: Clause, isDoubted: boolean): CompiledClause {
	const { expression: tree, whole, mistakes } = readClause(text.trim() === "" ? "true" : text, clause);
	const [open] = isDoubted && whole !== null ? openParts(whole) : [];
	if (open !== undefined && whole !== null) {
		const message = "which operator comes first without parentheses is not documented";
		const opaque: Expression = { node: "opaque", text: printExpression(whole), because: message, span: whole.span };
		return { tree: opaque, whole, slip: { kind: "not-understood", clause, message, span: open.span } };
	}
	const [mistake] = mistakes;
	return { tree, whole, slip: mistake === undefined ? null : { kind: "not-understood", clause, ...mistake } };
}

const names = ["kind", "type", "resource", "action"] as const;

/** What activities are alike to a condition, by what it compares their names with: one for all conditions that do the same. */
const alikeness = new Map<string, Pick<CompiledPolicy, "keyOf" | "rows">>();

/** Returns what of activities tells them apart for the condition: where it only compares their names with texts, these. */
function alikeTo(tree: Expression): Pick<CompiledPolicy, "keyOf" | "rows"> {
	const isPlain = (part: Expression): boolean => {
		if (part.node === "not") return isPlain(part.of);
		if (isLogical(part)) return operandsOf(part).every(isPlain);
		if (!mentionsName(part, ["activity"])) return true;
		const isNamed = part.node === "binary" && names.some((name) => pathOf(part.left) === `activity.${name}`);
		const texts = isNamed && part.right.node === "list" ? part.right.items : isNamed ? [part.right] : [];
		return isNamed && texts.every(({ node }) => node === "literal");
	};
	const compared = names.map((name) => [name, comparedWith(tree, `activity.${name}`)] as const);
	const isByTexts = isPlain(tree);
	const makeKey: CompiledPolicy["keyOf"] = isByTexts
		? (facts) => `${shapeOf(facts)} ${compared.map(([name, texts]) => texts.indexOf(facts[name] ?? "another"))}`
		: (facts) => `${groupKeyOf(facts)} ${facts.type}`;
	return remember(alikeness, JSON.stringify([isByTexts, compared]), () => {
		if (alikeness.size >= maxKept) alikeness.clear();
		const keys = new WeakMap<ActivityFacts, string>();
		return { keyOf: (facts) => remember(keys, facts, () => makeKey(facts)), rows: new Map() };
	});
}

/** Returns whether the condition holds for activities: for each type of them. */
export function outcomeFor(policy: AccessPolicy, facts: ActivityFacts): Outcome {
	const { condition, outcomes, namedTypes, keyOf, rows: known } = compilePolicy(policy);
	const { tree, slip } = condition;
	const { fields } = facts;
	const key = facts.type === null ? groupKeyOf(facts) : keyOf(facts);
	return remember(fields === undefined ? outcomes : new Map<string, Outcome>(), key, () => {
		const alike = (): readonly ActivityFacts[] => [
			...new Map(rowsOf(facts, namedTypes).map((row) => [keyOf(row), row])).values(),
		];
		const rows = facts.type === null ? withAll(remember(known, key, alike), fields) : [facts];
		const found = rows.map((row) => (row.type === facts.type ? judgeCondition(tree, row) : outcomeFor(policy, row)));
		const judged = joinOutcomes(tree, rows, found);
		return judged.holds === "unknown" && slip !== null ? { ...judged, because: slip } : judged;
	});
}

/** Returns whether the condition may hold for some activity of these. */
export function hasPart(policy: AccessPolicy, facts: ActivityFacts): boolean {
	const { holds } = outcomeFor(policy, facts);
	return holds !== "no" && holds !== "absent";
}

/** Whether a policy is in force at a moment. */
type TimeOutcome = "open" | "closed" | { readonly because: Reason };

/** How long what the service says of a time holds: about as long as an organization is read. Unverified, chosen. */
export const statedMs = 60_000;

export function judgeTime(policy: AccessPolicy, atMs: number): TimeOutcome {
	const { tree, slip } = compilePolicy(policy).time;
	const { stated } = policy;
	const isStated = stated !== undefined && policy.time.trim() !== "" && Math.abs(atMs - stated.atMs) <= statedMs;
	if (isStated) return stated.isActive ? "open" : "closed";
	const value = evaluate(tree, new Map([["time", structOf({ now: timestampOf(atMs) })]]));
	// What is not understood may also err, and then the time takes no part: only a closed time is certain.
	if (slip !== null) return value === false ? "closed" : { because: slip };
	if (typeof value === "boolean") return value ? "open" : "closed";
	if (!isUnknown(value)) return { because: { kind: "not-boolean", clause: "time" } };
	// A time that errs takes no part, as a condition that does; a slip in a type is not understood.
	if (isError(value) && value.error !== "wrong-type") return "closed";
	return { because: { kind: "not-evaluated", clause: "time", message: value.because } };
}
