/** The cells of one group of activities, by the conditions of the policies that have a part in it. */

import { remember } from "../../common/remember.ts";
import { findType } from "../activities/types.ts";
import { type Activities, findCells } from "../cells/cells.ts";
import { type Literal, writeRegion } from "../cells/regions.ts";
import { comparedWith } from "../language/mentions.ts";
import type { Expression } from "../language/syntax.ts";
import { isStruct, isUnknown, unread, type Value } from "../language/values.ts";
import { type Bits, bit, placesOf } from "../sets/sets.ts";
import { type ActivityFacts, rowsOf, scopeOf, withAll } from "./activity.ts";
import { ownCredentials, ownCredentialsRight, type Part } from "./judge.ts";
import type { Reason } from "./reason.ts";

export interface GroupCell {
	/** The conditions that hold. */
	readonly holding: ReadonlySet<string>;
	/** For each condition that depends on what is not understood, a text that is equal for equal values. */
	readonly open: ReadonlyMap<string, string>;
	/** Those of them that distinguish more activities than are tried. */
	readonly wide: ReadonlySet<string>;
}

/** Returns the cells that the conditions of these parts distinguish. `apart`: kinds and types that are groups of their own. */
export function cellsOf(
	parts: readonly Pick<Part, "condition" | "anyOf">[],
	facts: ActivityFacts,
	apart: ReadonlySet<string>,
): readonly GroupCell[] {
	const conditions = new Map(
		parts.flatMap(({ condition, anyOf }) =>
			condition === null || condition === ownCredentials ? [] : [[condition, anyOf] as const],
		),
	);
	const store = facts.fields === undefined ? kept : new Map<string, readonly GroupCell[]>();
	const cells = remember(store, JSON.stringify([facts, [...apart], ...conditions.keys()]), () => {
		if (store.size >= maxKept) store.clear();
		return distinguish(conditions, facts, apart);
	});
	if (!parts.some(({ condition }) => condition === ownCredentials)) return cells;
	return [...cells, ...cells.map((cell) => ({ ...cell, holding: new Set([...cell.holding, ownCredentials]) }))].sort(
		(one, other) => one.holding.size - other.holding.size,
	);
}

/** By what cells depend on: a comparison asks for those of one side too, and the next one begins with the policies of the last. */
const kept = new Map<string, readonly GroupCell[]>();
const maxKept = 20;

function distinguish(
	conditions: ReadonlyMap<string, readonly Expression[]>,
	facts: ActivityFacts,
	apart: ReadonlySet<string>,
): readonly GroupCell[] {
	const asked = [...conditions].map(([text, anyOf]) => ({ text, anyOf }));
	const named = asked.flatMap(({ anyOf }) => anyOf.flatMap((tree) => comparedWith(tree, "activity.type")));
	const activities = activitiesOf(facts, named, apart);
	if (activities.rows.length === 0) return [];
	const space = findCells(asked, activities);
	return space.cells.map(({ holds }): GroupCell => {
		const holding = new Set<string>();
		const open = new Map<string, string>();
		for (const [index, { text }] of asked.entries()) {
			const value = holds[index];
			if (value === true) holding.add(text);
			if (typeof value === "string") open.set(text, value);
		}
		return { holding, open, wide: space.wide };
	});
}

/** Returns the activities that the cells of a group are made of. */
export function activitiesOf(facts: ActivityFacts, named: readonly string[], apart: ReadonlySet<string>): Activities {
	const rows = withAll(rowsOf(facts, named), facts.fields).filter(
		({ kind, type }) => !apart.has(`kind ${kind}`) && !apart.has(`type ${type}`),
	);
	const has = (name: string): boolean =>
		rows.some((row) => {
			const [first = "", ...fields] = name.split(".");
			let value = scopeOf(row).get(first);
			for (const field of fields) if (value !== undefined && isStruct(value)) value = value.fields.get(field);
			return !isAbsent(value);
		});
	return {
		rows: rows.map((row) => {
			const fields = (["kind", "type", "resource", "action"] as const).map((name): [string, Value] => [
				name,
				row[name] ?? unread(`\`activity.${name}\` is not documented`),
			]);
			return { names: Object.fromEntries(fields), params: findType(row.type ?? "")?.params ?? null };
		}),
		has,
	};
}

const isAbsent = (value: Value | undefined): boolean =>
	value === undefined || (isUnknown(value) && value.cause === "error");

/** Returns the part as it is in the cell; none where its condition does not hold there. */
export function partsIn(parts: readonly Part[], cell: GroupCell): readonly Part[] {
	return parts.flatMap((part): readonly Part[] => {
		const { condition, policyId } = part;
		if (condition === null || cell.holding.has(condition)) return [part];
		const open = cell.open.get(condition);
		if (open === undefined) return [];
		const because: Reason = cell.wide.has(condition)
			? { kind: "too-many-conditions" }
			: {
					kind: "not-evaluated",
					clause: "condition",
					message: `it depends on what is not documented: \`${condition}\``,
				};
		const unknown = {
			key: open,
			text: condition,
			because: { kind: "policy", policyId: policyId ?? "", because } as const,
			isAllOrNone: part.unknown === null,
		};
		return [{ ...part, key: `${open}\n${part.key}`, sure: [], unknown }];
	});
}

/** Returns what tells cells apart, conditions of `first` first. */
export function literalsOf(
	cells: readonly Pick<GroupCell, "holding" | "open">[],
	first: readonly Part[],
): readonly Literal[] {
	const changed = first.flatMap(({ condition }) => condition ?? []);
	const texts = new Set([...changed, ...cells.flatMap(({ holding }) => [...holding])]);
	return [...texts].flatMap((text): Literal[] => {
		const failing = placesOf(cells, ({ holding, open }) => !holding.has(text) && !open.has(text));
		return [
			{ text, holds: true, cells: placesOf(cells, ({ holding }) => holding.has(text)) },
			{ text, holds: false, cells: failing },
		];
	});
}

export const allOf = (cells: readonly GroupCell[]): Bits => bit(cells.length) - 1n;

/** What a user's own credentials are not is never said: it is so for all others. */
export const withoutOwn = (texts: readonly string[]): readonly string[] =>
	texts.filter((text) => text !== ownCredentials && text !== ownCredentialsRight);

export const conditionOf = (holding: readonly string[], failing: readonly string[]): string | null =>
	writeRegion(holding, withoutOwn(failing));
