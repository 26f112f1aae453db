/** Partitions activities into cells by what conditions can distinguish: what holds for one of a cell holds for all. */
import { remember } from "../../common/remember.ts";
import { evaluate } from "../language/evaluate.ts";
import type { Expression } from "../language/syntax.ts";
import { isError, structOf, type Value } from "../language/values.ts";
import type { Field } from "./fields.ts";
import { type Atoms, type FormulaId, truth } from "./formulas.ts";
import { type Component, holdsAtom, isSoundAtom, type Leaf, takeApart } from "./leaves.ts";
import { TooWide } from "./lists.ts";
import { isOfActivity, isParameter } from "./reads.ts";
import { shapesOf } from "./shapes.ts";
import { testOf } from "./tests.ts";
import { type Tree, treeOf, valuesOf } from "./values.ts";

/** A condition: one of these holds, whatever the others do. Null: it is not understood. */
export interface Condition {
	readonly text: string;
	readonly anyOf: readonly Expression[] | null;
}

/** What is known of the activities that are partitioned. */
export interface Activities {
	/** What `activity.…` is, of each type of activity, and which parameters it has; null: any. */
	readonly rows: readonly {
		readonly names: Readonly<Record<string, Value>>;
		readonly params: readonly string[] | null;
	}[];
	/** Whether an activity can have what has this name, for example `eth` or `activity.params.type`. */
	readonly has: (name: string) => boolean;
}

export interface Cell {
	/** For each condition whether it holds; where that depends on what is not understood, a text that is equal for equal values. */
	readonly holds: readonly (boolean | string)[];
	/** An activity of the cell: the fields that it has, as paths. */
	readonly example: ReadonlyMap<string, Value>;
}

interface CellSpace {
	readonly cells: readonly Cell[];
	/** Conditions of which the activities cannot be distinguished in so many cells; each is unknown wherever it is asked. */
	readonly wide: ReadonlySet<string>;
}

const maxCells = 300;

/** Returns the cells; each differs from every other for some condition. */
export function findCells(conditions: readonly Condition[], activities: Activities): CellSpace {
	const wide = new Set<string>();
	for (let more = 1; ; more *= 2) {
		const asked = conditions.map((one) => (wide.has(one.text) ? { ...one, anyOf: null } : one));
		const found = new Partition(asked, activities).run();
		if ("cells" in found) return { cells: found.cells, wide };
		// Twice as many each time, so that it ends soon.
		for (const index of found.tooWide.slice(0, more)) wide.add(conditions[index]?.text ?? "");
	}
}

/** Values of the fields of a component that all its leaves find the same. */
interface Class {
	readonly values: ReadonlyMap<Field, Value>;
	readonly atoms: Atoms;
	/** What was found of formulas with these atoms. */
	readonly settled: Map<FormulaId, FormulaId>;
}

interface State {
	readonly conditions: readonly FormulaId[];
	readonly classes: readonly Class[];
}

class Partition {
	readonly #activities: Activities;
	readonly #apart: ReturnType<typeof takeApart>;
	readonly #classes = new Map<string, readonly Class[]>();

	constructor(conditions: readonly Condition[], activities: Activities) {
		this.#activities = activities;
		this.#apart = takeApart(conditions);
	}

	/** Returns the cells, or the numbers of conditions that make them too many, those that read the most first. */
	run(): { readonly cells: readonly Cell[] } | { readonly tooWide: readonly number[] } {
		const found = new Map<string, State>();
		const fields = this.#apart.components.flatMap((component) => component.fields);
		for (const shape of shapesOf(fields, this.#activities.has)) {
			let states: readonly State[] = [{ conditions: this.#apart.conditions, classes: [] }];
			for (const [index, component] of this.#apart.components.entries()) {
				const next = this.#refine(states, component, index, shape);
				if (next === null) return { tooWide: this.#widest(component) };
				states = next;
			}
			for (const state of states) {
				const key = state.conditions.join();
				if (!found.has(key)) found.set(key, state);
			}
			if (found.size > maxCells) return { tooWide: this.#widest(null) };
		}
		const cells = [...found.values()].map((state) => this.#cellOf(state));
		const countOf = ({ holds }: Cell): number => holds.filter((one) => one !== false).length;
		return { cells: cells.sort((one, other) => countOf(one) - countOf(other)) };
	}

	#refine(
		states: readonly State[],
		component: Component,
		index: number,
		shape: (field: Field) => boolean,
	): readonly State[] | null {
		const classes = this.#classesOf(component, index, shape);
		if (classes === null) return null;
		const { formulas } = this.#apart;
		const concerned = this.#concernedBy(component);
		const next = new Map<string, State>();
		for (const state of states) {
			for (const one of classes) {
				const conditions = [...state.conditions];
				for (const at of concerned) conditions[at] = formulas.settle(conditions[at] ?? truth, one.atoms, one.settled);
				const key = conditions.join();
				if (!next.has(key)) next.set(key, { conditions, classes: [...state.classes, one] });
			}
			if (next.size > maxCells) return null;
		}
		return [...next.values()];
	}

	/** Returns the conditions that read the component. */
	#concernedBy({ leaves }: Component): readonly number[] {
		const atoms = leaves.map(({ text }) => holdsAtom(text));
		const sound = leaves.map(({ text }) => isSoundAtom(text));
		return this.#apart.conditions.flatMap((id, index) => {
			const own = this.#apart.formulas.atomsOf(id);
			return atoms.some((atom) => own.has(atom)) || sound.some((atom) => own.has(atom)) ? [index] : [];
		});
	}

	/** Returns the conditions that may be left out: those that read the component. */
	#widest(component: Component | null): readonly number[] {
		const { conditions, formulas } = this.#apart;
		const concerned = component === null ? [...conditions.keys()] : this.#concernedBy(component);
		const sizeOf = (index: number): number => formulas.atomsOf(conditions[index] ?? truth).size;
		return concerned.toSorted((one, other) => sizeOf(other) - sizeOf(one));
	}

	/** Returns the classes of values; null where there are too many values to try. */
	#classesOf(component: Component, index: number, isThere: (field: Field) => boolean): readonly Class[] | null {
		const present = component.fields.filter(isThere);
		const key = `${index} ${present.map(({ path }) => path)}`;
		try {
			return remember(this.#classes, key, () => findClasses(component, present, this.#activities));
		} catch (error) {
			if (error instanceof TooWide) return null;
			throw error;
		}
	}

	#cellOf({ conditions, classes }: State): Cell {
		const { formulas } = this.#apart;
		const holds = conditions.map((id) => (id <= truth ? id === truth : [...formulas.atomsOf(id), `#${id}`].join(" ")));
		const example = new Map<string, Value>();
		for (const { values } of classes) for (const [field, value] of values) example.set(field.path, value);
		return { holds, example };
	}
}

const maxCombinations = 20_000;
const maxEvaluations = 400_000;

/** Returns the classes of values of the component's fields that are present. Throws TooWide. */
function findClasses(
	{ leaves, fields }: Component,
	present: readonly Field[],
	activities: Activities,
): readonly Class[] {
	const combinations = combine(present, activities);
	const [field] = present;
	const tests = leaves.map((leaf) =>
		field !== undefined && fields.length === 1 ? testOf(leaf.expression, field) : null,
	);
	const evaluated = tests.filter((test) => test === null).length;
	if (evaluated * combinations.length > maxEvaluations) throw new TooWide();
	const classes = new Map<string, Class>();
	const atomsFor = atomsOf(leaves);
	for (const values of combinations) {
		const scope = scopeOf(values);
		const value = field === undefined ? undefined : values.get(field);
		const outcomes = leaves.map((leaf, index) => {
			const test = tests[index] ?? null;
			return test !== null && value !== undefined ? test(value) : outcomeOf(leaf, scope);
		});
		const key = outcomes.join();
		if (!classes.has(key)) classes.set(key, { values, atoms: atomsFor(outcomes), settled: new Map() });
	}
	return [...classes.values()];
}

type Combination = ReadonlyMap<Field, Value>;

/** Returns every combination of the fields: of each type of activity those that it has, and each value of the others. */
function combine(present: readonly Field[], { rows }: Activities): readonly Combination[] {
	const isDescribed = (field: Field): boolean => isOfActivity(field) || isParameter(field);
	const described = present.filter(isDescribed);
	let made: readonly Combination[] = [new Map()];
	if (described.length > 0) {
		made = rows.flatMap(({ names, params }) => {
			const valuesIn = (field: Field): readonly (Value | undefined)[] => {
				const [, name = "", parameter = ""] = field.steps;
				if (!isParameter(field)) return [names[name]];
				return params !== null && !params.includes(parameter) ? [undefined] : valuesOf(field);
			};
			return described.reduce((all, field) => withEach(all, field, valuesIn(field), rows.length), made);
		});
	}
	for (const field of present) if (!isDescribed(field)) made = withEach(made, field, valuesOf(field));
	return made;
}

/** Returns each combination with each value; `undefined`: without the field. `times`: how many such lists there are. */
function withEach(
	made: readonly Combination[],
	field: Field,
	values: readonly (Value | undefined)[],
	times = 1,
): readonly Combination[] {
	if (made.length * values.length * times > maxCombinations) throw new TooWide();
	return made.flatMap((one) =>
		values.map((value) => (value === undefined ? one : new Map([...one, [field, value] as const]))),
	);
}

type Outcome = boolean | "errs" | "open";

function outcomeOf({ expression }: Leaf, scope: ReadonlyMap<string, Value>): Outcome {
	const value = evaluate(expression, scope);
	if (typeof value === "boolean") return value;
	return isError(value) ? "errs" : "open";
}

/** Returns what is known of the leaves by their outcomes; nothing of those that depend on what is not documented. */
function atomsOf(leaves: readonly Leaf[]): (outcomes: readonly Outcome[]) => Atoms {
	const holds = new Map(leaves.map(({ text }, index) => [holdsAtom(text), index]));
	const sound = new Map(leaves.map(({ text }, index) => [isSoundAtom(text), index]));
	return (outcomes) => (name) => {
		const outcome = outcomes[holds.get(name) ?? sound.get(name) ?? -1] ?? "open";
		if (outcome === "open") return undefined;
		return holds.has(name) ? outcome === true : outcome !== "errs";
	};
}

/** Returns the names of a condition with these values. */
function scopeOf(values: ReadonlyMap<Field, Value>): ReadonlyMap<string, Value> {
	const tree = treeOf([...values].map(([{ steps }, value]) => [steps, value] as const));
	return new Map([...tree].map(([name, value]) => [name, asValue(value)]));
}

function asValue(value: Tree<Value> | Value): Value {
	if (!(value instanceof Map)) return value;
	return structOf(Object.fromEntries([...value].map(([name, inner]) => [name, asValue(inner)])));
}
