/**
 * Reads the `expect` sections of documents. Each entry identifies a read-only object and has at least one field to compare.
 */

import type {
	DesiredExpectations,
	ExpectedAsset,
	ExpectedBootProof,
	ExpectedMfaPolicy,
	ExpectedSessionProfile,
} from "../plan/organization.ts";
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

/** Fields of each expected kind (docs/service.md#objects), in the order in which `fields` holds them. */
const sessionProfileFields = ["name", "scope", "expirationSeconds", "notes"];
const mfaPolicyFields = ["name", "condition", "requiredAuthenticationMethods", "order", "notes"];
const bootProofFields = [
	"ephemeralPublicKeyHex",
	"cloudAttestationDocB64",
	"qosManifestB64",
	"qosManifestEnvelopeB64",
	"deploymentLabel",
	"enclaveApp",
	"owner",
	"qosManifestVersion",
];
const assetFields = ["caip19", "decimals", "logoUrl", "name", "stable", "earnProviders"];

type Fields = Readonly<Record<string, unknown>>;

/** Returns the expectations of all documents of one organization, sorted by identity. */
export function readExpectations(roots: readonly Cell[], users: Users, problems: Problems): DesiredExpectations {
	const expects = roots.map((root) => entryOf(root, "expect"));
	const sessionProfiles = readById(expects, "sessionProfiles", "id", sessionProfileFields, problems);
	const bootProofs = readById(expects, "bootProofs", "app", bootProofFields, problems);
	return {
		sessionProfiles: sessionProfiles satisfies ExpectedSessionProfile[],
		mfaPolicies: readMfaPolicies(expects, users, problems),
		bootProofs: bootProofs.map(({ id, fields, at }): ExpectedBootProof => ({ appId: id, fields, at })),
		supportedAssets: readAssets(expects, problems),
	};
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

function readById(
	expects: Expects,
	kind: string,
	identity: string,
	names: readonly string[],
	problems: Problems,
): ExpectedSessionProfile[] {
	const identities = new Identities(problems);
	const found: ExpectedSessionProfile[] = [];
	for (const cell of expects.flatMap((expect) => itemsOf(entryOf(expect, kind)))) {
		const fields = readFields(cell, names, identity, problems);
		const idCell = entryOf(cell, identity);
		const id = idCell === undefined ? undefined : readId(idCell, problems);
		if (idCell === undefined || id === undefined) continue;
		identities.add([id], idCell);
		found.push({ id, fields, at: cell.at });
	}
	return found.sort((left, right) => (left.id < right.id ? -1 : 1));
}

function readMfaPolicies(expects: Expects, users: Users, problems: Problems): ExpectedMfaPolicy[] {
	const identities = new Identities(problems);
	const found: ExpectedMfaPolicy[] = [];
	for (const { userId, cell: list } of expects.flatMap((expect) =>
		readUserKeys(users, entryOf(expect, "mfaPolicies")),
	)) {
		for (const cell of itemsOf(list)) {
			const policy = readMfaPolicy(cell, userId, identities, problems);
			if (policy !== undefined) found.push(policy);
		}
	}
	const key = (policy: ExpectedMfaPolicy): string =>
		JSON.stringify([policy.userId, policy.name ?? "", policy.id ?? ""]);
	return found.sort((left, right) => (key(left) < key(right) ? -1 : 1));
}

function readMfaPolicy(
	cell: Cell,
	userId: string,
	identities: Identities,
	problems: Problems,
): ExpectedMfaPolicy | undefined {
	if (!cell.entries.has("id") && !cell.entries.has("name")) {
		if (cell.intendedKeys.length > 0) return undefined;
		problems.report(cell, "missing-key", "missing key `id` or `name`; one of them must identify the MFA policy");
		return undefined;
	}
	const byId = cell.entries.has("id");
	const fields = readFields(cell, byId ? mfaPolicyFields : mfaPolicyFields.slice(1), byId ? "id" : "name", problems);
	const idCell = entryOf(cell, "id");
	const nameCell = entryOf(cell, "name");
	if (byId) {
		const id = idCell === undefined ? undefined : readId(idCell, problems);
		if (idCell === undefined || id === undefined) return undefined;
		identities.add([userId, "id", id], idCell);
		return { userId, id, fields, at: cell.at };
	}
	if (nameCell === undefined) return undefined;
	identities.add([userId, "name", String(nameCell.value)], nameCell);
	return { userId, name: String(nameCell.value), fields, at: cell.at };
}

function readAssets(expects: Expects, problems: Problems): ExpectedAsset[] {
	const identities = new Identities(problems);
	const found: ExpectedAsset[] = [];
	for (const { caip2, cell } of expects.flatMap((expect) =>
		readNetworks(entryOf(expect, "supportedAssets"), problems),
	)) {
		const fields = readFields(cell, assetFields, "symbol", problems);
		const symbolCell = entryOf(cell, "symbol");
		if (symbolCell === undefined || caip2 === undefined) continue;
		const symbol = String(symbolCell.value);
		identities.add([caip2, symbol], symbolCell);
		found.push({ caip2, symbol, fields, at: cell.at });
	}
	const key = (asset: ExpectedAsset): string => JSON.stringify([asset.caip2, asset.symbol]);
	return found.sort((left, right) => (key(left) < key(right) ? -1 : 1));
}

/** Returns the entries of all networks, each with its network, which is undefined if it is unknown or a duplicate. */
function readNetworks(
	section: Cell | undefined,
	problems: Problems,
): readonly { readonly caip2: string | undefined; readonly cell: Cell }[] {
	const networks = new Map<string, Cell>();
	return [...(section?.entries.values() ?? [])].flatMap((list) => {
		const caip2 = readNetwork(list, networks, problems);
		return itemsOf(list).map((cell) => ({ caip2, cell }));
	});
}

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
