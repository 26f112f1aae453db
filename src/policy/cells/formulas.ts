/** Formulas of atoms, each made once: equal formulas have equal numbers. */
import { remember } from "../../common/remember.ts";

export type FormulaId = number;

export const falsehood: FormulaId = 0;
export const truth: FormulaId = 1;

type Node =
	| { readonly is: "constant" }
	| { readonly is: "atom"; readonly name: string }
	| { readonly is: "not"; readonly of: FormulaId }
	| Joined;

interface Joined {
	readonly is: "and" | "or";
	readonly parts: readonly FormulaId[];
}

/** Whether an atom is true; undefined where that is not known. */
export type Atoms = (name: string) => boolean | undefined;

export class Formulas {
	readonly #nodes: Node[] = [{ is: "constant" }, { is: "constant" }];
	readonly #ids = new Map<string, FormulaId>();
	readonly #atoms = new Map<FormulaId, ReadonlySet<string>>();

	#make(key: string, node: Node): FormulaId {
		return remember(this.#ids, key, () => this.#nodes.push(node) - 1);
	}

	atom(name: string): FormulaId {
		return this.#make(`a${name}`, { is: "atom", name });
	}

	not(of: FormulaId): FormulaId {
		if (of <= truth) return of === truth ? falsehood : truth;
		const node = this.#nodes[of];
		return node?.is === "not" ? node.of : this.#make(`n${of}`, { is: "not", of });
	}

	and(parts: readonly FormulaId[]): FormulaId {
		return this.#join("and", parts, truth);
	}

	or(parts: readonly FormulaId[]): FormulaId {
		return this.#join("or", parts, falsehood);
	}

	#join(is: "and" | "or", parts: readonly FormulaId[], neutral: FormulaId): FormulaId {
		const all = new Set<FormulaId>();
		for (const part of parts) {
			const node = this.#nodes[part];
			for (const one of node?.is === is ? node.parts : [part]) if (one !== neutral) all.add(one);
		}
		const decisive = neutral === truth ? falsehood : truth;
		if (all.has(decisive)) return decisive;
		for (const one of all) {
			const node = this.#nodes[one];
			if (node?.is === "not" && all.has(node.of)) return decisive;
		}
		const [first, ...others] = [...all].sort((one, other) => one - other);
		if (first === undefined) return neutral;
		return others.length === 0 ? first : this.#make(`${is}${first},${others}`, { is, parts: [first, ...others] });
	}

	/** Returns the formula where some atoms are true or false. `known`: what was found for the same atoms before. */
	settle(id: FormulaId, atoms: Atoms, known: Map<FormulaId, FormulaId>): FormulaId {
		const node = this.#nodes[id];
		if (node?.is === "not") return this.not(this.settle(node.of, atoms, known));
		if (node?.is === "and" || node?.is === "or")
			return remember(known, id, () => this.#settleParts(id, node, atoms, known));
		const value = node?.is === "atom" ? atoms(node.name) : undefined;
		return value === undefined ? id : value ? truth : falsehood;
	}

	#settleParts(id: FormulaId, { is, parts }: Joined, atoms: Atoms, known: Map<FormulaId, FormulaId>): FormulaId {
		const decisive = is === "and" ? falsehood : truth;
		const settled: FormulaId[] = [];
		for (const part of parts) {
			const one = this.settle(part, atoms, known);
			if (one === decisive) return decisive;
			settled.push(one);
		}
		return settled.every((one, index) => one === parts[index]) ? id : this[is](settled);
	}

	/** Returns the atoms that the formula has. */
	atomsOf(id: FormulaId): ReadonlySet<string> {
		return remember(this.#atoms, id, () => {
			const node = this.#nodes[id];
			const parts = node?.is === "not" ? [node.of] : node?.is === "and" || node?.is === "or" ? node.parts : [];
			return new Set(node?.is === "atom" ? [node.name] : parts.flatMap((part) => [...this.atomsOf(part)]));
		});
	}
}
