/** Reads what documents have only for `lint`: findings that are meant, and the places of what they write. */

import type { IgnoredFinding, Position } from "../../plan/organization.ts";
import { type Clause, partsOf } from "../../policy/language/syntax.ts";
import { type Cell, entryOf, itemsOf } from "../cell.ts";
import { distinct, invalidate, quoteCell } from "../report.ts";
import { organizationIdOf } from "./users.ts";

/** Returns the entries of `lint.ignore`, and reports those that are not about one object, and those that are there twice. */
export function readIgnored(roots: readonly Cell[]): readonly IgnoredFinding[] {
	const entries = new Map<Cell, IgnoredFinding>();
	const cells = roots.flatMap((root) => itemsOf(entryOf(entryOf(root, "lint"), "ignore")));
	const keyOf = (cell: Cell): string | undefined => {
		const entry = readEntry(cell);
		if (entry === undefined) return undefined;
		entries.set(cell, entry);
		return JSON.stringify([entry.rule, entry.on, entry.name]);
	};
	const kept = distinct(cells, keyOf, (cell) => quoteCell(entryOf(cell, "rule") ?? cell));
	return [...kept.values()].flatMap((cell) => entries.get(cell) ?? []);
}

function readEntry(cell: Cell): IgnoredFinding | undefined {
	const [on, ...others] = (["policy", "userTag"] as const).filter((key) => cell.entries.has(key));
	if (on === undefined || others.length > 0) {
		const message = "an entry of `ignore` is about one object; write `policy` or `userTag` with its name";
		return invalidate(cell, "no-object", message);
	}
	const [rule, name, reason] = ["rule", on, "reason"].map((key) => entryOf(cell, key));
	if (rule === undefined || name === undefined || reason === undefined) return undefined;
	if (String(reason.value).trim() === "")
		return invalidate(reason, "bad-reason", "`reason` is empty; write why the finding is meant");
	return { rule: String(rule.value), on, name: String(name.value), reason: String(reason.value), at: cell.at };
}

/** Where documents have what `lint` finds something in. */
export class LintPlaces {
	readonly #organizations = new Map<string, Position>();
	readonly #policies = new Map<string, Cell>();

	/** Notes the places of one document. */
	note(root: Cell): void {
		const organizationId = organizationIdOf(root);
		if (organizationId === undefined) return;
		const { at } = entryOf(root, "organizationId") ?? root;
		if (!this.#organizations.has(organizationId)) this.#organizations.set(organizationId, at);
		for (const cell of itemsOf(entryOf(root, "policies"))) {
			this.#policies.set(JSON.stringify([organizationId, entryOf(cell, "name")?.value]), cell);
		}
	}

	/** Returns where the documents have the organization's id. */
	ofOrganization(organizationId: string): Position | undefined {
		return this.#organizations.get(organizationId);
	}

	/** Returns the place of a part of a policy: `part` counts in `partsOf`. Left out: of the clause, or of the policy. */
	ofPolicy(organizationId: string, name: string, clause?: Clause, part = 0): Position | undefined {
		const policy = this.#policies.get(JSON.stringify([organizationId, name]));
		const cell = clause === undefined ? undefined : entryOf(policy, clause);
		if (cell === undefined) return policy?.at;
		const { template, placeOf } = cell.expression ?? {};
		// Only references are other leaves once they have values: the tree has the same parts.
		const start = template?.expression && partsOf(template.expression)[part]?.span.start;
		return start === undefined || start === null ? cell.at : (placeOf?.(start) ?? cell.at);
	}
}
