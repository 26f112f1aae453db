/** Reads the `expect` sections of documents. Each entry identifies a read-only object and has a field to compare. */

import { readOnlyKinds } from "../../plan/kinds/index.ts";
import type { ReadOnlyKind } from "../../plan/kinds/kind.ts";
import { expectationLists } from "../../plan/kinds/names.ts";
import type { DesiredExpectation } from "../../plan/organization.ts";
import { type Cell, entriesAt, entriesOf, entryOf, itemsOf, toPlainValue } from "../cell.ts";
import { describePlace, didYouMean, distinct, quote, quoteCell, report } from "../report.ts";
import { afterSubstitution, readId, readUserKeys, type Users } from "./users.ts";

/** Networks of `list_supported_assets` (docs/internals/service.md#networks). */
export const knownCaip2: readonly string[] = [
	...[1, 11155111, 8453, 84532, 137, 80002, 56, 97, 10, 11155420, 143, 10143, 42161, 4217, 42431, 421614].map(
		(chain) => `eip155:${chain}`,
	),
	"solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
	"solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1",
];

/** Aliases that the service normalizes to the canonical values (docs/internals/service.md#networks). */
export const caip2Aliases: ReadonlyMap<string, string> = new Map([
	["solana:mainnet", "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"],
	["solana:devnet", "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1"],
]);

type Fields = Readonly<Record<string, unknown>>;

/** Returns the expectations of all documents of one organization, by kind and then by identity. */
export function readExpectations(roots: readonly Cell[], users: Users): readonly DesiredExpectation[] {
	const expects = entriesAt(roots, "expect");
	if (expects.length === 0) return [];
	return readOnlyKinds.flatMap((kind) => {
		const identities = new Map<string, Cell>();
		const found = listsOf(kind, expects, users).flatMap(({ group, list }) =>
			itemsOf(list).flatMap((cell) => readExpectation(kind, group, cell, identities) ?? []),
		);
		return found.sort((left, right) => (sortKey(kind, left) < sortKey(kind, right) ? -1 : 1));
	});
}

/** Returns the key by which entries are sorted: the group, then entries with an id, then entries with a name only. */
function sortKey({ identities }: ReadOnlyKind, { group, foundBy, key }: DesiredExpectation): string {
	return JSON.stringify([group ?? "", ...identities.map((one) => (one === foundBy ? key : "")).reverse()]);
}

interface GroupedList {
	/** Undefined if the group is invalid. Its entries are read anyway, to report their problems. */
	readonly group: string | null | undefined;
	readonly list: Cell | undefined;
}

function listsOf(kind: ReadOnlyKind, expects: readonly Cell[], users: Users): readonly GroupedList[] {
	return expects.flatMap((expect): GroupedList[] => {
		const section = entryOf(expect, expectationLists[kind.name]);
		if (kind.groupedBy === null) return [{ group: null, list: section }];
		if (kind.groupedBy === "user") {
			return readUserKeys(users, section).map(({ userId, cell }) => ({ group: userId, list: cell }));
		}
		const networks = new Map<string, Cell>();
		return [...(section?.entries.values() ?? [])].map((list) => ({ group: readNetwork(list, networks), list }));
	});
}

function readExpectation(
	kind: ReadOnlyKind,
	group: string | null | undefined,
	cell: Cell,
	identities: Map<string, Cell>,
): DesiredExpectation | undefined {
	const foundBy = kind.identities.find((one) => cell.entries.has(one));
	if (foundBy === undefined && kind.identities.length > 1) {
		if (cell.intendedKeys.size > 0) return undefined;
		const keys = kind.identities.map((one) => `\`${one}\``).join(" or ");
		return report(cell, "missing-key", `missing key ${keys}; one of them must identify the ${kind.words[0]}`);
	}
	const identity = foundBy ?? kind.identities[0] ?? "";
	const names = kind.fields.filter((field) => field !== identity);
	const fields = readFields(cell, names, identity);
	const identityCell = entryOf(cell, identity);
	if (identityCell === undefined || group === undefined) return undefined;
	const key = kind.isIdentityId(identity) ? readId(identityCell) : String(identityCell.value);
	if (key === undefined) return undefined;
	const whole = JSON.stringify([group, identity, key]);
	const first = identities.get(whole);
	if (first === undefined) identities.set(whole, identityCell);
	else {
		const message = `duplicate entry for ${quoteCell(identityCell)}, first ${describePlace(first.at, identityCell.at)}; merge the two`;
		report(identityCell, "duplicate-expectation", message);
	}
	return { kind: kind.name, group, foundBy: identity, key, fields, at: cell.at };
}

function readNetwork(cell: Cell, networks: Map<string, Cell>): string | undefined {
	const written = String(cell.key);
	const caip2 = caip2Aliases.get(written) ?? written;
	if (!knownCaip2.includes(caip2)) {
		const near = didYouMean(cell, written, [...knownCaip2, ...caip2Aliases.keys()]);
		const help = near === "" ? "; expected a CAIP-2 value such as `eip155:1` or `solana:mainnet`" : near;
		return report(cell, "unknown-network", `unknown network ${quote(written)}${help}`, "key");
	}
	const first = networks.get(caip2);
	if (first === undefined) {
		networks.set(caip2, cell);
		return caip2;
	}
	const message = `${quote(written)} is the same network as ${quote(String(first.key))} ${describePlace(first.keyAt, cell.keyAt)}; keep one`;
	return report(cell, "duplicate", message, "key");
}

/** Returns the fields of an entry in the order of `names`. Reports an entry that has only its identity. */
function readFields(cell: Cell, names: readonly string[], identity: string): Fields {
	if (cell.entries.size === 1 && cell.entries.has(identity) && cell.intendedKeys.size === 0) {
		const example = names.includes("name")
			? "name"
			: (names.find((name) => /^(?:deploymentLabel|order|decimals)$/.test(name)) ?? names[0]);
		const message = `nothing to compare: the entry has only \`${identity}\`; add a field such as \`${example}\``;
		report(cell, "nothing-to-compare", message);
	}
	const fields: Record<string, unknown> = {};
	for (const name of names) {
		const field = entryOf(cell, name);
		if (field !== undefined) fields[name] = readField(field, name);
	}
	return fields;
}

function readField(cell: Cell, name: string): unknown {
	if (name === "requiredAuthenticationMethods") return itemsOf(cell).map(readStep);
	// The order of providers does not matter.
	if (name === "earnProviders") return [...distinct(itemsOf(cell), ({ value }) => String(value)).keys()].sort();
	if (name === "expirationSeconds" && !/^[0-9]+$/.test(String(cell.value))) {
		const message = `\`expirationSeconds\` must be a number of seconds in quotes, such as "900", but is ${quoteCell(cell)}${afterSubstitution(cell)}`;
		report(cell, "wrong-format", message);
	}
	return toPlainValue(cell);
}

/** Returns a step with its methods sorted: any one of them satisfies it, so their order does not matter (docs/internals/service.md#mfa-policy). */
function readStep(step: Cell): { readonly any: readonly Fields[] } {
	const list = entryOf(step, "any");
	if (list?.items.length === 0) {
		const message = "the step has no method, so nothing can satisfy it; add one, or remove the step";
		report(list, "empty-step", message);
	}
	const methods = distinct(
		itemsOf(list).filter((cell) => entriesOf(cell).length === cell.entries.size),
		(cell) => JSON.stringify([entryOf(cell, "type")?.value, entryOf(cell, "id")?.value ?? ""]),
		(cell) => `method ${quoteCell(entryOf(cell, "type") ?? cell)} in this step`,
	);
	const sorted = [...methods].sort(([left], [right]) => (left < right ? -1 : 1));
	return {
		any: sorted.map(([, cell]) => {
			const { type, ...rest } = toPlainValue(cell) as Fields;
			return { type, ...rest };
		}),
	};
}
