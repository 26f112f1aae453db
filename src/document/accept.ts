/**
 * Differences accepted: the documents changed in place so that they want what the organization has. Nothing here writes a
 * file or submits anything; what comes out is the new text of each file that changes.
 *
 * The rule it keeps: all or nothing, and never on trust. Every new text is read again, and counts only when nothing that was
 * accepted differs any more, nothing else differs that did not, and nothing else is wanted otherwise than before.
 */

import { showText } from "../escape.ts";
import { parseAddress, printAddress } from "../plan/address.ts";
import type { Change } from "../plan/change.ts";
import { diff } from "../plan/diff.ts";
import { kinds } from "../plan/kinds/index.ts";
import { addressOfObject } from "../plan/objects.ts";
import { keepOnly } from "../plan/only.ts";
import type { DesiredOrganization, LiveOrganization } from "../plan/organization.ts";
import type { Plan } from "../plan/plan.ts";
import { canonicalJson, compareText } from "../plan/value.ts";
import { choose, differingAddresses, type LeftOut } from "./accept-chosen.ts";
import { acceptanceEdits, type DocumentEdit } from "./accept-edits.ts";
import { type EditableFile, lineAfter, NotEditable, readEditable } from "./edit.ts";
import { type DocumentSource, type ParsedDocuments, parseDocuments, type VariableOptions } from "./parse.ts";
import type { Environment } from "./variables.ts";

/** One organization of the documents, what it is held against, and what was found. */
export interface Compared {
	/** Narrowed to what `--only` names, as the plan is. */
	readonly desired: DesiredOrganization;
	readonly live: LiveOrganization;
	readonly plan: Plan;
}

/** Where a document was changed for an address; the line is that of the new text. */
export interface AcceptedPlace {
	readonly organizationId: string;
	readonly address: string;
	readonly file: string;
	readonly line: number;
}

export type Acceptance =
	| {
			readonly accepted: readonly AcceptedPlace[];
			/** What a pattern fits and a waiting activity would change. */
			readonly leftOut: readonly LeftOut[];
			/** By file: the new text of those that change. */
			readonly contents: ReadonlyMap<string, string>;
			/** What the documents want now, narrowed as before, in the order of `compared`. */
			readonly organizations: readonly DesiredOrganization[];
	  }
	| { readonly refusals: readonly string[] };

/** Why a text is no address or pattern of addresses; undefined when it is one. */
export function addressMistake(pattern: string): string | undefined {
	if (parseAddress(pattern) !== undefined) return undefined;
	return `write KIND:NAME as a plan shows it, KIND one of ${kinds.map(({ name }) => name).join(", ")}; * in NAME is any text`;
}

/**
 * The documents with live's side in place of their own at these addresses, or every reason why not. `sources` are those
 * that `compared` was read from.
 */
export function acceptLive(
	sources: readonly DocumentSource[],
	environment: Environment,
	compared: readonly Compared[],
	patterns: readonly string[],
	options: VariableOptions = {},
): Acceptance {
	const choice = choose(
		compared.map(({ plan }) => plan),
		patterns,
	);
	if ("refusals" in choice) return choice;
	const { chosen, leftOut } = choice;

	const files = new Map(sources.map(({ file, content }) => [file, readEditable(file, content, environment, options)]));
	const documents = [...files.values()].flatMap((file) => file.documents);
	const edits: DocumentEdit[] = [];
	const refusals: string[] = [];
	for (const [index, one] of compared.entries()) {
		const found = acceptanceEdits(documents, one, chosen[index] ?? new Set());
		edits.push(...found.edits);
		refusals.push(...found.refusals);
	}
	if (refusals.length > 0) return { refusals };
	const written = writeFiles(files, edits);
	if ("refusals" in written) return written;
	const { contents } = written;
	const parse = (all: readonly DocumentSource[]): ParsedDocuments => parseDocuments(all, environment, options);
	const checked = check(sources, contents, parse, compared, chosen);
	return "refusals" in checked ? checked : { ...checked, contents, accepted: placesOf(files, edits), leftOut };
}

function writeFiles(
	files: ReadonlyMap<string, EditableFile>,
	edits: readonly DocumentEdit[],
): { readonly contents: ReadonlyMap<string, string> } | { readonly refusals: readonly string[] } {
	const contents = new Map<string, string>();
	for (const [file, editable] of files) {
		const own = edits.filter((edit) => edit.file === file);
		if (own.length === 0) continue;
		try {
			contents.set(file, editable.edited(own.flatMap((edit) => edit.edits)));
		} catch (error) {
			if (!(error instanceof NotEditable)) throw error;
			return { refusals: [`${showText(file)} cannot be edited in place: ${error.message}`] };
		}
	}
	return { contents };
}

/** What the new texts want, or why they do not want what they should. */
function check(
	sources: readonly DocumentSource[],
	contents: ReadonlyMap<string, string>,
	parse: (all: readonly DocumentSource[]) => ParsedDocuments,
	compared: readonly Compared[],
	chosen: readonly ReadonlySet<string>[],
): { readonly organizations: readonly DesiredOrganization[] } | { readonly refusals: readonly string[] } {
	const renewed = sources.map(({ file, content }) => ({ file, content: contents.get(file) ?? content }));
	const { organizations, problems } = parse(renewed);
	if (problems.length > 0) {
		const told = problems.map(({ file, line, message }) => `${showText(file)}:${line}: ${message}`);
		return { refusals: ["accepting it would leave documents that are not valid:", ...told] };
	}
	const before = parse(sources).organizations;
	const found: DesiredOrganization[] = [];
	for (const [index, { desired, live, plan }] of compared.entries()) {
		const isSame = ({ organizationId }: DesiredOrganization): boolean => organizationId === desired.organizationId;
		const [old, renewedOne] = [before.find(isSame), organizations.find(isSame)];
		if (old === undefined || renewedOne === undefined) return { refusals: ["accepting it would lose an organization"] };
		const accepted = acceptedIn(chosen[index] ?? new Set(), plan.changes);
		const narrowed = narrowLike(renewedOne, desired, accepted);
		const left = differingAddresses(diff(narrowed, live));
		const known = differingAddresses(plan).filter((address) => !accepted.has(address));
		const grown = left.filter((address) => !known.includes(address));
		if (grown.length > 0) return { refusals: [`accepting it would leave or make a difference at ${grown.join(", ")}`] };
		const touched = changedBetween(old, renewedOne).filter((address) => !accepted.has(address));
		if (touched.length > 0) return { refusals: [`accepting it would change ${touched.join(", ")} as well`] };
		found.push(narrowed);
	}
	return { organizations: found };
}

/** The addresses that were accepted, those included that they have from then on: a tag's is its name. */
function acceptedIn(chosen: ReadonlySet<string>, changes: readonly Change[]): ReadonlySet<string> {
	const renamed = changes.flatMap((change) =>
		change.kind === "userTag" && chosen.has(change.address) ? [printAddress("userTag", change.before.name)] : [],
	);
	return new Set([...chosen, ...renamed]);
}

/** The whole document with only what the narrowed one spoke of, and what was accepted. */
function narrowLike(
	whole: DesiredOrganization,
	narrowed: DesiredOrganization,
	accepted: ReadonlySet<string>,
): DesiredOrganization {
	if (narrowed.narrowed !== true) return whole;
	const kept = objectsOf(narrowed);
	return keepOnly(whole, (object) => {
		const address = addressOfObject(object, whole);
		return kept.has(address) || accepted.has(address);
	});
}

/** The addresses at which two documents want different things; what is no object of a kind by its key. */
function changedBetween(before: DesiredOrganization, after: DesiredOrganization): readonly string[] {
	const [left, right] = [objectsOf(before), objectsOf(after)];
	return [...new Set([...left.keys(), ...right.keys()])].filter((address) => left.get(address) !== right.get(address));
}

/** What a document wants of each object, as text to compare, by address. */
function objectsOf(desired: DesiredOrganization): ReadonlyMap<string, string> {
	const { users, protect, limits } = desired;
	const objects = new Map<string, string>();
	const add = (address: string, wanted: object): void => {
		objects.set(address, canonicalJson({ ...wanted, at: undefined }));
	};
	add("users", users);
	add("protect", protect);
	add("limits", limits);
	for (const object of desired.objects) add(addressOfObject(object, desired), object);
	return objects;
}

/** Where the edits are in the new texts, each address of an organization once a file, sorted. */
function placesOf(files: ReadonlyMap<string, EditableFile>, edits: readonly DocumentEdit[]): readonly AcceptedPlace[] {
	const places = new Map<string, AcceptedPlace>();
	for (const { organizationId, address, file, line } of edits) {
		const key = JSON.stringify([organizationId, address, file]);
		const text = files.get(file)?.text ?? "";
		const all = edits.filter((edit) => edit.file === file).flatMap((edit) => edit.edits);
		const moved = lineAfter(text, line, all);
		const first = Math.min(places.get(key)?.line ?? moved, moved);
		places.set(key, { organizationId, address, file, line: first });
	}
	return [...places.values()].sort(
		(left, right) =>
			compareText(left.address, right.address) ||
			compareText(left.file, right.file) ||
			compareText(left.organizationId, right.organizationId),
	);
}
