/**
 * Reads the `expect` sections of documents. Each entry identifies a read-only object and has at least one field to compare.
 */

import { readOnlyKinds } from "../plan/kinds/index.ts";
import type { ReadOnlyKind } from "../plan/kinds/kind.ts";
import { expectationLists } from "../plan/kinds/names.ts";
import type { DesiredExpectation } from "../plan/organization.ts";
import { type Cell, entriesOf, entryOf, itemsOf, toPlainValue } from "./cell.ts";
import { describePlace, type Problems, quote, quoteCell } from "./problems.ts";
import { afterSubstitution, readId, readUserKeys, type Users } from "./users.ts";

/** Networks of `list_supported_assets` (docs/service.md#networks). */
export const knownCaip2: readonly string[] = [
	...[1, 11155111, 8453, 84532, 137, 80002, 56, 97, 10, 11155420, 143, 10143, 42161, 4217, 42431, 421614].map(
		(chain) => `eip155:${chain}`,
	),
	"solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
	"solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1",
];

/** Aliases that the service normalizes to the canonical values (docs/service.md#networks). */
export const caip2Aliases: ReadonlyMap<string, string> = new Map([
	["solana:mainnet", "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"],
	["solana:devnet", "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1"],
]);

type Fields = Readonly<Record<string, unknown>>;

/** Returns the expectations of all documents of one organization, by kind and then by identity. */
export function readExpectations(
	roots: readonly Cell[],
	users: Users,
	problems: Problems,
): readonly DesiredExpectation[] {
	const expects = roots.map((root) => entryOf(root, "expect"));
	return readOnlyKinds.flatMap((kind) => {
		const identities = new Identities(problems);
		const found = listsOf(kind, expects, users, problems).flatMap(({ group, list }) =>
			itemsOf(list).flatMap((cell) => readExpectation(kind, group, cell, identities, problems) ?? []),
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

function listsOf(kind: ReadOnlyKind, expects: Expects, users: Users, problems: Problems): readonly GroupedList[] {
	return expects.flatMap((expect): GroupedList[] => {
		const section = entryOf(expect, expectationLists[kind.name]);
		if (kind.groupedBy === null) return [{ group: null, list: section }];
		if (kind.groupedBy === "user") {
			return readUserKeys(users, section).map(({ userId, cell }) => ({ group: userId, list: cell }));
		}
		const networks = new Map<string, Cell>();
		return [...(section?.entries.values() ?? [])].map((list) => ({
			group: readNetwork(list, networks, problems),
			list,
		}));
	});
}

function readExpectation(
	kind: ReadOnlyKind,
	group: string | null | undefined,
	cell: Cell,
	identities: Identities,
	problems: Problems,
): DesiredExpectation | undefined {
	const foundBy = kind.identities.find((one) => cell.entries.has(one));
	if (foundBy === undefined && kind.identities.length > 1) {
		if (cell.intendedKeys.length > 0) return undefined;
		const keys = kind.identities.map((one) => `\`${one}\``).join(" or ");
		problems.report(cell, "missing-key", `missing key ${keys}; one of them must identify the ${kind.words[0]}`);
		return undefined;
	}
	const identity = foundBy ?? kind.identities[0] ?? "";
	const names = kind.fields.filter((field) => field !== identity);
	const fields = readFields(cell, names, identity, problems);
	const identityCell = entryOf(cell, identity);
	if (identityCell === undefined || group === undefined) return undefined;
	const key = kind.isIdentityId(identity) ? readId(identityCell, problems) : String(identityCell.value);
	if (key === undefined) return undefined;
	identities.add([group ?? "", identity, key], identityCell);
	return { kind: kind.name, group, foundBy: identity, key, fields, at: cell.at };
}

/** Reports entries with the same identity. */
class Identities {
	readonly #first = new Map<string, Cell>();
	readonly #problems: Problems;

	constructor(problems: Problems) {
		this.#problems = problems;
	}

	add(identity: readonly string[], cell: Cell): void {
		const key = JSON.stringify(identity);
		const first = this.#first.get(key);
		if (first === undefined) {
			this.#first.set(key, cell);
			return;
		}
		const message = `duplicate entry for ${quoteCell(cell)}, first ${describePlace(first.at, cell.at)}; merge the two`;
		this.#problems.report(cell, "duplicate-expectation", message);
	}
}

type Expects = readonly (Cell | undefined)[];

function readNetwork(cell: Cell, networks: Map<string, Cell>, problems: Problems): string | undefined {
	const written = String(cell.key);
	const caip2 = caip2Aliases.get(written) ?? written;
	if (!knownCaip2.includes(caip2)) {
		const near = problems.didYouMean(written, [...knownCaip2, ...caip2Aliases.keys()]);
		const help = near === "" ? "; expected a CAIP-2 value such as `eip155:1` or `solana:mainnet`" : near;
		problems.report(cell, "unknown-network", `unknown network ${quote(written)}${help}`, "key");
		return undefined;
	}
	const first = networks.get(caip2);
	if (first === undefined) {
		networks.set(caip2, cell);
		return caip2;
	}
	const message = `${quote(written)} is the same network as ${quote(String(first.key))} ${describePlace(first.keyAt, cell.keyAt)}; keep one`;
	problems.report(cell, "duplicate", message, "key");
	return undefined;
}

/** Returns the fields of an entry in the order of `names`. Reports an entry that has only its identity. */
function readFields(cell: Cell, names: readonly string[], identity: string, problems: Problems): Fields {
	if (cell.entries.size === 1 && cell.entries.has(identity) && cell.intendedKeys.length === 0) {
		const example = names.includes("name")
			? "name"
			: (names.find((name) => /^(?:deploymentLabel|order|decimals)$/.test(name)) ?? names[0]);
		const message = `nothing to compare: the entry has only \`${identity}\`; add a field such as \`${example}\``;
		problems.report(cell, "nothing-to-compare", message);
	}
	const fields: Record<string, unknown> = {};
	for (const name of names) {
		const field = entryOf(cell, name);
		if (field !== undefined) fields[name] = readField(field, name, problems);
	}
	return fields;
}

function readField(cell: Cell, name: string, problems: Problems): unknown {
	if (name === "requiredAuthenticationMethods") return itemsOf(cell).map((step) => readStep(step, problems));
	if (name === "earnProviders") return readSet(itemsOf(cell), problems);
	if (name === "expirationSeconds" && !/^[0-9]+$/.test(String(cell.value))) {
		const message = `\`expirationSeconds\` must be a number of seconds in quotes, such as "900", but is ${quoteCell(cell)}${afterSubstitution(cell)}`;
		problems.report(cell, "wrong-format", message);
	}
	return toPlainValue(cell);
}

/** Returns a step with its methods sorted: any one of them satisfies it, so their order does not matter (docs/service.md#mfa-policy). */
function readStep(step: Cell, problems: Problems): { readonly any: readonly Fields[] } {
	const methods = new Map<string, Fields>();
	const cells = new Map<string, Cell>();
	const list = entryOf(step, "any");
	if (list !== undefined && list.items.length === 0) {
		problems.report(
			list,
			"empty-step",
			"the step has no method, so nothing can satisfy it; add one, or remove the step",
		);
	}
	for (const cell of itemsOf(list)) {
		if (entriesOf(cell).length < cell.entries.size) continue;
		const method = Object.fromEntries(
			["type", "id"].flatMap((name) => (cell.entries.has(name) ? [[name, entryOf(cell, name)?.value]] : [])),
		);
		const key = JSON.stringify([method.type, method.id ?? ""]);
		const first = cells.get(key);
		if (first !== undefined) {
			problems.reportDuplicate(cell, first, `method ${quoteCell(entryOf(cell, "type") ?? cell)} in this step`);
		}
		cells.set(key, cell);
		methods.set(key, method);
	}
	return { any: [...methods].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, method]) => method) };
}

/** Returns the distinct texts of a list in which order does not matter, sorted. Reports duplicates. */
function readSet(cells: readonly Cell[], problems: Problems): string[] {
	const found = new Map<string, Cell>();
	for (const cell of cells) {
		const text = String(cell.value);
		const first = found.get(text);
		if (first === undefined) found.set(text, cell);
		else problems.reportDuplicate(cell, first);
	}
	return [...found.keys()].sort();
}
