/** Takes conditions apart: a condition is a formula of leaves, and a leaf reads fields that no other leaf shares, or those of its own part. */
import { joinable } from "../../common/joinable.ts";
import { printExpression } from "../language/printer.ts";
import { type Expression, isLogical, operandsOf as operandsOfChain } from "../language/syntax.ts";
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
	/** Fields, joined into components. */
	readonly #joined = joinable<Field>();
	/** The fields that each comparison reads; null where they are not all known. */
	readonly #fields = new Map<Expression, ReadonlySet<Field> | null>();
	readonly #leaves = new Map<Field, Map<string, Leaf>>();
	#activity: Field | null = null;

	read(expression: Expression): void {
		if (expression.node === "not" || isLogical(expression)) {
			for (const one of operandsOf(expression)) this.read(one);
			return;
		}
		const fields = this.#reader.read(expression);
		this.#fields.set(expression, fields);
		const [first] = fields ?? [];
		for (const field of fields ?? []) {
			this.#joined.join(field, first ?? field);
			// What only one kind of activity has is distinguished with all that tells activities apart.
			if (isOfActivity(field) || isParameter(field)) {
				this.#activity ??= field;
				this.#joined.join(field, this.#activity);
			}
		}
	}

	/** Returns the components of the whole expression; null where not all is taken apart. */
	#componentsOf(expression: Expression): ReadonlySet<Field> | null {
		const fields = this.#fields.get(expression);
		if (fields !== undefined)
			return fields === null ? null : new Set([...fields].map((field) => this.#joined.topOf(field)));
		const found = operandsOf(expression).map((one) => this.#componentsOf(one));
		return found.every((one) => one !== null) ? new Set(found.flatMap((one) => [...one])) : null;
	}

	formulaOf(expression: Expression, formulas: Formulas, sound: Set<string>): FormulaId {
		if (expression.node === "literal") return expression.value === true ? truth : falsehood;
		const components = this.#componentsOf(expression);
		const [component] = components?.size === 1 ? components : [];
		const partsOf = (): readonly FormulaId[] =>
			operandsOf(expression).map((one) => this.formulaOf(one, formulas, sound));
		if (component === undefined && isLogical(expression))
			return expression.operator === "&&" ? formulas.and(partsOf()) : formulas.or(partsOf());
		if (component === undefined && expression.node === "not") return formulas.not(partsOf()[0] ?? truth);
		const text = printExpression(expression);
		sound.add(text);
		if (component !== undefined) {
			const leaves = this.#leaves.get(component) ?? new Map<string, Leaf>();
			this.#leaves.set(component, leaves.set(text, { text, expression }));
		}
		return formulas.atom(holdsAtom(text));
	}

	components(): readonly Component[] {
		const byTop = Map.groupBy(new Set([...this.#reader.found, ...this.#leaves.keys()]), (field) =>
			this.#joined.topOf(field),
		);
		return [...this.#leaves].map(([top, leaves]) => ({
			fields: byTop.get(top) ?? [top],
			leaves: [...leaves.values()],
		}));
	}
}

const operandsOf = (expression: Expression): readonly Expression[] =>
	expression.node === "not" ? [expression.of] : operandsOfChain(expression);
