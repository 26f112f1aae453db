/**
 * What a document expects of things that can only be read. Each entry says how its object is found and at least one
 * field to compare.
 */

import { readOnlyKinds } from "../plan/kinds/index.ts";
import type { ReadOnlyKind } from "../plan/kinds/kind.ts";
import { expectationLists } from "../plan/kinds/names.ts";
import type { DesiredExpectation } from "../plan/organization.ts";
import { type Cell, entriesOf, entryOf, itemsOf, plain } from "./cell.ts";
import { type Findings, placeOf, quoted, quotedCell } from "./findings.ts";
import { filledIn, readId, readUserKeys, type Users } from "./users.ts";

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

/** The expectations of all documents of one organization, in the order of the kinds, those of a kind sorted. */
export function readExpectations(
	roots: readonly Cell[],
	users: Users,
	findings: Findings,
): readonly DesiredExpectation[] {
	const expects = roots.map((root) => entryOf(root, "expect"));
	return readOnlyKinds.flatMap((kind) => {
		const identities = new Identities(findings);
		const found = listsOf(kind, expects, users, findings).flatMap(({ group, list }) =>
			itemsOf(list).flatMap((cell) => readExpectation(kind, group, cell, identities, findings) ?? []),
		);
		return found.sort((left, right) => (sortKey(kind, left) < sortKey(kind, right) ? -1 : 1));
	});
}

/** By group; within it named entries come behind those by id, as an empty name does. */
function sortKey({ identities }: ReadOnlyKind, { group, foundBy, key }: DesiredExpectation): string {
	return JSON.stringify([group ?? "", ...identities.map((one) => (one === foundBy ? key : "")).reverse()]);
}

interface GroupedList {
	/** Undefined where the group itself is wrong; its entries are read for their problems all the same. */
	readonly group: string | null | undefined;
	readonly list: Cell | undefined;
}

function listsOf(kind: ReadOnlyKind, expects: Expects, users: Users, findings: Findings): readonly GroupedList[] {
	return expects.flatMap((expect): GroupedList[] => {
		const section = entryOf(expect, expectationLists[kind.name]);
		if (kind.groupedBy === null) return [{ group: null, list: section }];
		if (kind.groupedBy === "user") {
			return readUserKeys(users, section).map(({ userId, cell }) => ({ group: userId, list: cell }));
		}
		const networks = new Map<string, Cell>();
		return [...(section?.entries.values() ?? [])].map((list) => ({
			group: readNetwork(list, networks, findings),
			list,
		}));
	});
}

function readExpectation(
	kind: ReadOnlyKind,
	group: string | null | undefined,
	cell: Cell,
	identities: Identities,
	findings: Findings,
): DesiredExpectation | undefined {
	const foundBy = kind.identities.find((one) => cell.entries.has(one));
	if (foundBy === undefined && kind.identities.length > 1) {
		if (cell.meant.length > 0) return undefined;
		const keys = kind.identities.map((one) => `\`${one}\``).join(" or ");
		findings.report(cell, "missing-key", `${keys} is missing; the ${kind.words[0]} is found by one of them`);
		return undefined;
	}
	const identity = foundBy ?? kind.identities[0] ?? "";
	const names = kind.fields.filter((field) => field !== identity);
	const fields = readFields(cell, names, identity, findings);
	const identityCell = entryOf(cell, identity);
	if (identityCell === undefined || group === undefined) return undefined;
	const key = kind.isIdentityId(identity) ? readId(identityCell, findings) : String(identityCell.value);
	if (key === undefined) return undefined;
	identities.add([group ?? "", identity, key], identityCell);
	return { kind: kind.name, group, foundBy: identity, key, fields, at: cell.at };
}

/** Remembers what is expected once, and reports what is expected twice. */
class Identities {
	readonly #first = new Map<string, Cell>();
	readonly #findings: Findings;

	constructor(findings: Findings) {
		this.#findings = findings;
	}

	add(identity: readonly string[], cell: Cell): void {
		const key = JSON.stringify(identity);
		const first = this.#first.get(key);
		if (first === undefined) {
			this.#first.set(key, cell);
			return;
		}
		const message = `${quotedCell(cell)} is expected already ${placeOf(first.at, cell.at)}; make one entry of the two`;
		this.#findings.report(cell, "expected-twice", message);
	}
}

type Expects = readonly (Cell | undefined)[];

function readNetwork(cell: Cell, networks: Map<string, Cell>, findings: Findings): string | undefined {
	const written = String(cell.key);
	const caip2 = caip2Aliases.get(written) ?? written;
	if (!knownCaip2.includes(caip2)) {
		const near = findings.didYouMean(written, [...knownCaip2, ...caip2Aliases.keys()]);
		const help = near === "" ? "; expected a CAIP-2 value such as `eip155:1` or `solana:mainnet`" : near;
		findings.report(cell, "unknown-network", `no network ${quoted(written)} is known${help}`, "key");
		return undefined;
	}
	const first = networks.get(caip2);
	if (first === undefined) {
		networks.set(caip2, cell);
		return caip2;
	}
	const message = `${quoted(written)} is the same network as ${quoted(String(first.key))} ${placeOf(first.keyAt, cell.keyAt)}; keep one`;
	findings.report(cell, "duplicate", message, "key");
	return undefined;
}

/** The fields that were written, in the order of `names`; an entry with its identity alone is reported. */
function readFields(cell: Cell, names: readonly string[], identity: string, findings: Findings): Fields {
	if (cell.entries.size === 1 && cell.entries.has(identity) && cell.meant.length === 0) {
		const example = names.includes("name")
			? "name"
			: (names.find((name) => /^(?:deploymentLabel|order|decimals)$/.test(name)) ?? names[0]);
		const message = `only \`${identity}\` is written, so there is nothing to compare; add a field such as \`${example}\``;
		findings.report(cell, "nothing-to-compare", message);
	}
	const fields: Record<string, unknown> = {};
	for (const name of names) {
		const field = entryOf(cell, name);
		if (field !== undefined) fields[name] = readField(field, name, findings);
	}
	return fields;
}

function readField(cell: Cell, name: string, findings: Findings): unknown {
	if (name === "requiredAuthenticationMethods") return itemsOf(cell).map((step) => readStep(step, findings));
	if (name === "earnProviders") return readSet(itemsOf(cell), findings);
	if (name === "expirationSeconds" && !/^[0-9]+$/.test(String(cell.value))) {
		const message = `\`expirationSeconds\` must be a number of seconds in quotes, such as "900", and is ${quotedCell(cell)}${filledIn(cell)}`;
		findings.report(cell, "wrong-format", message);
	}
	return plain(cell);
}

/** A step with its methods sorted: any one of them will do, so their order means nothing (docs/service.md#mfa-policy). */
function readStep(step: Cell, findings: Findings): { readonly any: readonly Fields[] } {
	const methods = new Map<string, Fields>();
	const cells = new Map<string, Cell>();
	const list = entryOf(step, "any");
	if (list !== undefined && list.items.length === 0) {
		findings.report(
			list,
			"empty-step",
			"the step names no method, so nothing can meet it; name one, or take the step out",
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
			const shown = quotedCell(entryOf(cell, "type") ?? cell);
			findings.report(
				cell,
				"duplicate",
				`the method ${shown} is listed twice in this step, first ${placeOf(first.at, cell.at)}; keep one`,
			);
		}
		cells.set(key, cell);
		methods.set(key, method);
	}
	return { any: [...methods].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, method]) => method) };
}

/** The texts of a list whose order means nothing, sorted. */
function readSet(cells: readonly Cell[], findings: Findings): string[] {
	const found = new Map<string, Cell>();
	for (const cell of cells) {
		const text = String(cell.value);
		const first = found.get(text);
		if (first === undefined) found.set(text, cell);
		else
			findings.report(
				cell,
				"duplicate",
				`${quotedCell(cell)} is listed twice, first ${placeOf(first.at, cell.at)}; keep one`,
			);
	}
	return [...found.keys()].sort();
}
