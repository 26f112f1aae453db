/** Takes conditions apart: a condition is a formula of leaves, and a leaf reads fields that no other leaf shares, or those of its own part. */
import { printExpression } from "../language/printer.ts";
import type { Expression } from "../language/syntax.ts";
import type { Field } from "./fields.ts";
import { type FormulaId, Formulas, falsehood, truth } from "./formulas.ts";
import { FieldReader, isOfActivity, isParameter } from "./reads.ts";

/** A part of a condition that reads the fields of one part of the activity; errs, or is true or false. */
export interface Leaf {
	/** As the condition writes it. */
	readonly text: string;
	readonly expression: Expression;
}

/** Fields that some comparison reads together, with all leaves that read them. */
export interface Component {
	readonly fields: readonly Field[];
	readonly leaves: readonly Leaf[];
}

interface Apart {
	readonly formulas: Formulas;
	readonly components: readonly Component[];
	/** The formula of each condition: true where it holds and does not err. */
	readonly conditions: readonly FormulaId[];
}

/** The atom that is true where the leaf is, and the one that is true where the leaf does not err. */
export const holdsAtom = (text: string): string => `holds ${text}`;
export const isSoundAtom = (text: string): string => `sound ${text}`;

/** Returns the conditions, taken apart. Null: what is not understood; it is one leaf of its own. */
export function takeApart(
	conditions: readonly { readonly text: string; readonly anyOf: readonly Expression[] | null }[],
): Apart {
	const parts = new Parts();
	for (const { anyOf } of conditions) for (const one of anyOf ?? []) parts.read(one);
	const formulas = new Formulas();
	const soundly = (expression: Expression): FormulaId => {
		const sound = new Set<string>();
		const value = parts.formulaOf(expression, formulas, sound);
		return formulas.and([value, ...[...sound].map((one) => formulas.atom(isSoundAtom(one)))]);
	};
	const found = conditions.map(({ text, anyOf }) =>
		anyOf === null ? formulas.atom(holdsAtom(text)) : formulas.or(anyOf.map(soundly)),
	);
	return { formulas, components: parts.components(), conditions: found };
}

class Parts {
	readonly #reader = new FieldReader();
	/** For each field, another one of its component; itself for the last. */
	readonly #parents = new Map<Field, Field>();
	/** A field of the component of each expression; null where it reads several, or in a way that is not taken apart. */
	readonly #fields = new Map<Expression, Field | "none" | null>();
	readonly #leaves = new Map<Field, Map<string, Leaf>>();

	read(expression: Expression): void {
		if (isLogical(expression)) {
			for (const one of operandsOf(expression)) this.read(one);
			return;
		}
		if (expression.node === "not") {
			this.read(expression.of);
			return;
		}
		const fields = this.#reader.read(expression);
		const [first, ...others] = fields ?? [];
		this.#fields.set(expression, fields === null ? null : (first ?? "none"));
		// What only one kind of activity has is distinguished with all that tells activities apart.
		for (const other of others) if (first !== undefined) this.#parents.set(this.#topOf(other), this.#topOf(first));
		for (const field of fields ?? []) if (isOfActivity(field) || isParameter(field)) this.#join(field);
	}

	#activity: Field | null = null;

	#join(field: Field): void {
		this.#activity ??= field;
		if (this.#topOf(field) !== this.#topOf(this.#activity))
			this.#parents.set(this.#topOf(field), this.#topOf(this.#activity));
	}

	#topOf(field: Field): Field {
		let top = field;
		for (let next = this.#parents.get(top); next !== undefined && next !== top; next = this.#parents.get(top))
			top = next;
		return top;
	}

	/** Returns the component of the whole expression; null where it has several. */
	#componentOf(expression: Expression): Field | "none" | null {
		const known = this.#fields.get(expression);
		if (known !== undefined) return known === null || known === "none" ? known : this.#topOf(known);
		const operands = expression.node === "not" ? [expression.of] : operandsOf(expression);
		let component: Field | "none" | null = "none";
		for (const one of operands) {
			const own = this.#componentOf(one);
			if (own === null || (component !== "none" && own !== "none" && own !== component)) {
				component = null;
				break;
			}
			if (own !== "none") component = own;
		}
		this.#fields.set(expression, component);
		return component;
	}

	formulaOf(expression: Expression, formulas: Formulas, sound: Set<string>): FormulaId {
		if (expression.node === "literal") return expression.value === true ? truth : falsehood;
		const component = this.#componentOf(expression);
		if (component === null || component === "none") {
			if (isLogical(expression)) {
				const parts = operandsOf(expression).map((one) => this.formulaOf(one, formulas, sound));
				return expression.operator === "&&" ? formulas.and(parts) : formulas.or(parts);
			}
			if (expression.node === "not") return formulas.not(this.formulaOf(expression.of, formulas, sound));
		}
		const text = printExpression(expression);
		sound.add(text);
		if (component !== null && component !== "none") {
			const leaves = this.#leaves.get(component) ?? new Map<string, Leaf>();
			leaves.set(text, { text, expression });
			this.#leaves.set(component, leaves);
		}
		return formulas.atom(holdsAtom(text));
	}

	components(): readonly Component[] {
		const byTop = Map.groupBy(this.#allFields(), (field) => this.#topOf(field));
		return [...this.#leaves].map(([top, leaves]) => ({
			fields: byTop.get(top) ?? [top],
			leaves: [...leaves.values()],
		}));
	}

	#allFields(): ReadonlySet<Field> {
		return new Set([...this.#reader.found, ...this.#leaves.keys()]);
	}
}

type Logical = Expression & { readonly node: "binary"; readonly operator: "&&" | "||" };

const isLogical = (expression: Expression): expression is Logical =>
	expression.node === "binary" && (expression.operator === "&&" || expression.operator === "||");

/** Returns the operands of a chain of one operator. */
function operandsOf(expression: Expression): readonly Expression[] {
	if (!isLogical(expression)) return [expression];
	const operands: Expression[] = [];
	let left: Expression = expression;
	while (isLogical(left) && left.operator === expression.operator) {
		operands.push(left.right);
		left = left.left;
	}
	operands.push(left);
	return operands.reverse();
}
