/**
 * Reads the policies of an organization's documents, and which of its lists are complete.
 *
 * A policy is found by its id or, without one, by its name and its previous names. Its expressions are templates: they name
 * tags and users of these documents (policy/language/template.ts).
 */

import { defined } from "../../common/defined.ts";
import { matchesGlob } from "../../plan/glob.ts";
import type { DesiredOrganization, DesiredPolicy, Exceptions } from "../../plan/organization.ts";
import { fillVariables, type Lookups } from "../../policy/language/resolve-template.ts";
import type { Clause } from "../../policy/language/syntax.ts";
import { type Cell, entriesAt, entryOf, itemsOf } from "../cell.ts";
import { describePlace, quoteCell, report } from "../report.ts";
import { readTemplate, resolveExpression } from "./expression.ts";
import { checkAbsent, checkMatches, type NamedEntry, readNamedEntry, readNames } from "./named-entries.ts";

/** Ids by the names of tags and by the aliases of users. */
export type References = Pick<Lookups, "userTags" | "users">;

const effects = { allow: "EFFECT_ALLOW", deny: "EFFECT_DENY" } as const;

/** Returns the policies of all documents of one organization, sorted by name, and reports conflicts between them. */
export function readPolicies(roots: readonly Cell[], references: References): readonly DesiredPolicy[] {
	const cells = entriesAt(roots, "policies").flatMap(itemsOf);
	const entries = cells.map((cell) => readNamedEntry(cell, "policy"));
	checkMatches(entries, "policy");
	checkAbsent(entriesAt(entriesAt(roots, "absent"), "policies").flatMap(itemsOf), entries, "policy");
	return entries
		.flatMap((entry) => readPolicy(entry, references) ?? [])
		.sort((left, right) => (left.name < right.name ? -1 : 1));
}

function readPolicy(entry: NamedEntry, references: References): DesiredPolicy | undefined {
	const { cell, name, id, previously } = entry;
	const effect = effects[String(entryOf(cell, "effect")?.value) as keyof typeof effects];
	const unchecked = entryOf(cell, "unchecked")?.value === true ? (true as const) : undefined;
	const clause = (key: Clause): string | undefined => {
		const expression = entryOf(cell, key);
		return expression && readClause(expression, key, references, unchecked === true);
	};
	const [consensus, condition, time] = [clause("consensus"), clause("condition"), clause("time")];
	const notes = entryOf(cell, "notes");
	checkConsensus(entryOf(cell, "consensus"), consensus, effect);
	if (name === undefined || effect === undefined || consensus === undefined || condition === undefined)
		return undefined;
	return {
		kind: "policy",
		name: name.text,
		...defined({ id: id?.text }),
		previously: previously.map(({ text }) => text).sort(),
		...{ effect, consensus, condition },
		...defined({ notes: notes && String(notes.value), time: time === "" ? undefined : time, unchecked }),
		at: cell.at,
	};
}

/** Returns the expression with the values of its variables, its references as they are written. */
function readClause(cell: Cell, clause: Clause, references: References, isUnchecked: boolean): string | undefined {
	const template = readTemplate(cell, clause, isUnchecked);
	if (template === undefined || resolveExpression(cell, clause, template, references) === undefined) return undefined;
	const variables = cell.expression?.variables ?? new Map();
	return fillVariables(template, (name) => variables.get(name)?.value ?? "");
}

/** An allow without a consensus would be anyone's alone: that has to be written. */
function checkConsensus(cell: Cell | undefined, consensus: string | undefined, effect: DesiredPolicy["effect"]): void {
	if (cell === undefined || consensus !== "" || effect !== "EFFECT_ALLOW") return;
	const message =
		"an allow without a consensus can be used by any user alone; write who approves, or `'true'` if that is meant";
	report(cell, "empty-consensus", message);
}

/** Names of the entries of the documents, with their cells. */
type ListedNames = Readonly<Record<"policies" | "userTags", readonly Cell[]>>;

/** Returns which lists are complete, with the exceptions of all documents together; undefined where none is. */
export function readExactly(roots: readonly Cell[], listed: ListedNames): DesiredOrganization["exactly"] {
	const sections = entriesAt(roots, "exactly");
	const read = (key: "policies" | "userTags"): Exceptions | undefined => {
		const lists = entriesAt(sections, key);
		if (lists.length === 0) return undefined;
		const names = lists.flatMap((list) => readNames(entryOf(list, "except")));
		for (const { text, cell } of names) {
			const managed = listed[key].find((name) => matchesGlob(text, String(name.value)));
			if (managed === undefined) continue;
			const place = describePlace(managed.at, cell.at);
			const message = `${quoteCell(cell)} matches ${quoteCell(managed)}, which is under \`${key}\` ${place}; an exception is for what is not listed`;
			report(cell, "managed-exception", message);
		}
		return { except: [...new Set(names.map(({ text }) => text))].sort() };
	};
	const found = defined({ policies: read("policies"), userTags: read("userTags") });
	return Object.keys(found).length === 0 ? undefined : found;
}
