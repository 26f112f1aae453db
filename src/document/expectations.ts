/**
 * What a document expects of things that can only be read. Each entry says how its object is found and at least one
 * field to compare.
 */

import type {
	DesiredExpectations,
	ExpectedAsset,
	ExpectedBootProof,
	ExpectedMfaPolicy,
	ExpectedSessionProfile,
} from "../plan/organization.ts";
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

/** The expectations of all documents of one organization, sorted by what they are about. */
export function readExpectations(roots: readonly Cell[], users: Users, findings: Findings): DesiredExpectations {
	const expects = roots.map((root) => entryOf(root, "expect"));
	const sessionProfiles = readById(expects, "sessionProfiles", "id", sessionProfileFields, findings);
	const bootProofs = readById(expects, "bootProofs", "app", bootProofFields, findings);
	return {
		sessionProfiles: sessionProfiles satisfies ExpectedSessionProfile[],
		mfaPolicies: readMfaPolicies(expects, users, findings),
		bootProofs: bootProofs.map(({ id, fields, at }): ExpectedBootProof => ({ appId: id, fields, at })),
		supportedAssets: readAssets(expects, findings),
	};
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

function readById(
	expects: Expects,
	kind: string,
	identity: string,
	names: readonly string[],
	findings: Findings,
): ExpectedSessionProfile[] {
	const identities = new Identities(findings);
	const found: ExpectedSessionProfile[] = [];
	for (const cell of expects.flatMap((expect) => itemsOf(entryOf(expect, kind)))) {
		const fields = readFields(cell, names, identity, findings);
		const idCell = entryOf(cell, identity);
		const id = idCell === undefined ? undefined : readId(idCell, findings);
		if (idCell === undefined || id === undefined) continue;
		identities.add([id], idCell);
		found.push({ id, fields, at: cell.at });
	}
	return found.sort((left, right) => (left.id < right.id ? -1 : 1));
}

function readMfaPolicies(expects: Expects, users: Users, findings: Findings): ExpectedMfaPolicy[] {
	const identities = new Identities(findings);
	const found: ExpectedMfaPolicy[] = [];
	for (const { userId, cell: list } of expects.flatMap((expect) =>
		readUserKeys(users, entryOf(expect, "mfaPolicies")),
	)) {
		for (const cell of itemsOf(list)) {
			const policy = readMfaPolicy(cell, userId, identities, findings);
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
	findings: Findings,
): ExpectedMfaPolicy | undefined {
	if (!cell.entries.has("id") && !cell.entries.has("name")) {
		if (cell.meant.length > 0) return undefined;
		findings.report(cell, "missing-key", "`id` or `name` is missing; the MFA policy is found by one of them");
		return undefined;
	}
	const byId = cell.entries.has("id");
	const fields = readFields(cell, byId ? mfaPolicyFields : mfaPolicyFields.slice(1), byId ? "id" : "name", findings);
	const idCell = entryOf(cell, "id");
	const nameCell = entryOf(cell, "name");
	if (byId) {
		const id = idCell === undefined ? undefined : readId(idCell, findings);
		if (idCell === undefined || id === undefined) return undefined;
		identities.add([userId, "id", id], idCell);
		return { userId, id, fields, at: cell.at };
	}
	if (nameCell === undefined) return undefined;
	identities.add([userId, "name", String(nameCell.value)], nameCell);
	return { userId, name: String(nameCell.value), fields, at: cell.at };
}

function readAssets(expects: Expects, findings: Findings): ExpectedAsset[] {
	const identities = new Identities(findings);
	const found: ExpectedAsset[] = [];
	for (const expect of expects) {
		const networks = new Map<string, Cell>();
		for (const list of entryOf(expect, "supportedAssets")?.entries.values() ?? []) {
			const caip2 = readNetwork(list, networks, findings);
			for (const cell of itemsOf(list)) {
				const fields = readFields(cell, assetFields, "symbol", findings);
				const symbolCell = entryOf(cell, "symbol");
				if (symbolCell === undefined || caip2 === undefined) continue;
				const symbol = String(symbolCell.value);
				identities.add([caip2, symbol], symbolCell);
				found.push({ caip2, symbol, fields, at: cell.at });
			}
		}
	}
	const key = (asset: ExpectedAsset): string => JSON.stringify([asset.caip2, asset.symbol]);
	return found.sort((left, right) => (key(left) < key(right) ? -1 : 1));
}

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
