/**
 * Accepts drift: edits documents in place so that they describe live state. It returns the new text of each changed file,
 * and writes nothing.
 *
 * All edits are made or none. The new texts are parsed and compared again: no accepted difference may remain, no other may
 * appear, and the rest of the desired state must be unchanged.
 */

import { showAddress, showText } from "../../common/escape.ts";
import { desiredAt } from "../../plan/access-window.ts";
import { isRuleAddress, parseAddress, printAddress } from "../../plan/address.ts";
import type { Change } from "../../plan/change.ts";
import { diff } from "../../plan/diff.ts";
import { kinds } from "../../plan/kinds/index.ts";
import { addressOfObject } from "../../plan/objects.ts";
import { keepOnly } from "../../plan/only.ts";
import type { DesiredOrganization, LiveOrganization } from "../../plan/organization.ts";
import type { Plan } from "../../plan/plan.ts";
import { addressOfRule } from "../../plan/rules/rules.ts";
import { canonicalJson, compareText } from "../../plan/value.ts";
import { withoutPlaces } from "../read/organization.ts";
import { type DocumentSource, type ParsedDocuments, parseDocuments } from "../read/parse.ts";
import type { ReadOptions } from "../read/read-documents.ts";
import { type DocumentEdit, makeAcceptEdits } from "./accept-edits.ts";
import {
	differingAddresses,
	type SelectableOrganization,
	type SkippedAddress,
	selectAddresses,
} from "./accept-selection.ts";
import { type ExpiredAccess, findExpired, timeOf } from "./accept-windows.ts";
import { type EditableFile, lineAfter, NotEditable, readEditable } from "./edit.ts";

/** One organization: its desired state, its live state, and the plan that compares them. */
export interface AcceptInput {
	/** Limited by `--only`, as the plan is. */
	readonly desired: DesiredOrganization;
	readonly live: LiveOrganization;
	readonly plan: Plan;
}

/** Where a document was changed for an address. The line is that of the new text. */
export type AcceptedPlace = Omit<DocumentEdit, "edits">;

export type Acceptance =
	| {
			readonly accepted: readonly AcceptedPlace[];
			/** Addresses that match a pattern and that a pending activity would change. */
			readonly skipped: readonly SkippedAddress[];
			/** The new text of each changed file, by its name. */
			readonly contents: ReadonlyMap<string, string>;
			/** The new desired state, limited as before, in the order of `inputs`. */
			readonly organizations: readonly DesiredOrganization[];
	  }
	| { readonly refusals: readonly string[] };

/** Returns why a text is not an address or a pattern of addresses, or undefined if it is one. */
export function addressMistake(pattern: string): string | undefined {
	if (parseAddress(pattern) !== undefined || isRuleAddress(pattern)) return undefined;
	return `write KIND:NAME as a plan shows it, KIND one of ${kinds.map(({ name }) => name).join(", ")}; * in NAME is any text`;
}

/** Returns the documents with live values at the addresses that match, or every reason why that is impossible. */
export function acceptLive(
	sources: readonly DocumentSource[],
	inputs: readonly AcceptInput[],
	patterns: readonly string[],
	options: ReadOptions,
): Acceptance {
	const judged = inputs.map((one) => ({ ...one, expired: findExpired(one.desired, one.live, one.plan) }));
	const selection = selectAddresses(judged.map(selectableOf), patterns);
	if ("refusals" in selection) return selection;
	const { accepted, skipped } = selection;

	const files = new Map(sources.map(({ file, content }) => [file, readEditable(file, content, options)]));
	const documents = [...files.values()].flatMap((file) => file.documents);
	const organizations = judged.map((one, index) => ({ ...one, accepted: accepted[index] ?? new Set<string>() }));
	const found = organizations.map((one) => makeAcceptEdits(documents, one, one.accepted));
	const edits = found.flatMap((one) => one.edits);
	const refusals = found.flatMap((one) => one.refusals);
	if (refusals.length > 0) return { refusals };
	const parse = (all: readonly DocumentSource[]): ParsedDocuments => parseDocuments(all, options.environment, options);
	try {
		const contents = writeFiles(files, edits);
		const after = verify(sources, contents, parse, organizations);
		return { organizations: after, contents, accepted: placesOf(files, edits), skipped };
	} catch (error) {
		if (error instanceof Refused) return { refusals: error.refusals };
		throw error;
	}
}

interface SelectedOrganization extends AcceptInput {
	readonly accepted: ReadonlySet<string>;
	readonly expired: ExpiredAccess;
}

function selectableOf({ plan, expired }: Pick<SelectedOrganization, "plan" | "expired">): SelectableOrganization {
	const { removable } = expired;
	const held = plan.changes.filter(
		(one) => one.basis === "live" && isOnlyExpired(one, expired, plan) && !removable.has(one.address),
	);
	return { plan, stale: [...removable.keys()], held: held.map(({ address }) => address) };
}

/** Says why the edits cannot be used. */
class Refused extends Error {
	readonly refusals: readonly string[];

	constructor(...refusals: readonly string[]) {
		super();
		this.refusals = refusals;
	}
}

/** Returns the new text of each changed file. Throws Refused. */
function writeFiles(
	files: ReadonlyMap<string, EditableFile>,
	edits: readonly DocumentEdit[],
): ReadonlyMap<string, string> {
	const contents = new Map<string, string>();
	for (const [file, editable] of files) {
		const own = edits.filter((edit) => edit.file === file);
		if (own.length === 0) continue;
		try {
			contents.set(file, editable.edited(own.flatMap((edit) => edit.edits)));
		} catch (error) {
			if (!(error instanceof NotEditable)) throw error;
			throw new Refused(`${showText(file)} cannot be edited in place: ${error.message}`);
		}
	}
	return contents;
}

/** Parses the new texts and returns their desired state. Throws Refused if they are not as intended. */
function verify(
	sources: readonly DocumentSource[],
	contents: ReadonlyMap<string, string>,
	parse: (all: readonly DocumentSource[]) => ParsedDocuments,
	inputs: readonly SelectedOrganization[],
): readonly DesiredOrganization[] {
	const newSources = sources.map(({ file, content }) => ({ file, content: contents.get(file) ?? content }));
	const { organizations, problems } = parse(newSources);
	if (problems.length > 0) {
		const lines = problems.map(({ file, line, message }) => `${showText(file)}:${line}: ${message}`);
		throw new Refused("accepting it would make the documents invalid:", ...lines);
	}
	const before = parse(sources).organizations;
	return inputs.map(({ desired, live, plan, expired, accepted }) => {
		const isSame = ({ organizationId }: DesiredOrganization): boolean => organizationId === desired.organizationId;
		const [oldDesired, newDesired] = [before.find(isSame), organizations.find(isSame)];
		if (oldDesired === undefined || newDesired === undefined) {
			throw new Refused("accepting it would lose an organization");
		}
		const addresses = withFormerNames(accepted, plan.changes);
		const narrowed = limitLike(newDesired, desired, addresses);
		const left = diff(desiredAt(narrowed, timeOf(plan)), live);
		const changes = left.changes.filter((change) => !isOnlyExpired(change, expired, plan));
		const remaining = differingAddresses({ changes, problems: left.problems });
		const known = differingAddresses(plan).filter((address) => !addresses.has(address));
		const unexpected = remaining.filter((address) => !known.includes(address));
		if (unexpected.length > 0) {
			throw new Refused(`accepting it would leave or cause a difference at ${unexpected.map(showAddress).join(", ")}`);
		}
		const touched = changedBetween(oldDesired, newDesired).filter((address) => !addresses.has(address));
		if (touched.length > 0) throw new Refused(`accepting it would change ${touched.join(", ")} as well`);
		return narrowed;
	});
}

/** Whether the change does nothing but end access that expired, which cannot be accepted. */
function isOnlyExpired(change: Change, { all }: ExpiredAccess, { changes }: Pick<Plan, "changes">): boolean {
	if (change.kind !== "userTag" || change.reason !== "members-differ" || change.addUserIds.length > 0) return false;
	// An accepted name is another address.
	const before = changes.find((one) => one.kind === "userTag" && one.tagId === change.tagId);
	const expired = all.get(before?.address ?? change.address);
	return change.removeUserIds.every((userId) => expired?.has(userId) === true);
}

/** Returns the accepted addresses, and those that tags and policies get by their live names. */
function withFormerNames(accepted: ReadonlySet<string>, changes: readonly Change[]): ReadonlySet<string> {
	const renamed = changes.flatMap((change) =>
		(change.kind === "userTag" || change.kind === "policy") && accepted.has(change.address) && change.before !== null
			? [printAddress(change.kind, change.before.name)]
			: [],
	);
	return new Set([...accepted, ...renamed]);
}

/** Returns the desired state limited to the objects of `limited` and to the accepted ones. */
function limitLike(
	whole: DesiredOrganization,
	limited: DesiredOrganization,
	accepted: ReadonlySet<string>,
): DesiredOrganization {
	if (limited.narrowed !== true) return whole;
	const objects = objectsOf(limited);
	return keepOnly(whole, (object) => {
		const address = addressOfObject(object, whole);
		return objects.has(address) || accepted.has(address);
	});
}

/** Returns the addresses at which two desired states differ, and the keys of other sections, such as `limits`. */
export function changedBetween(before: DesiredOrganization, after: DesiredOrganization): readonly string[] {
	const [left, right] = [objectsOf(before), objectsOf(after)];
	return [...new Set([...left.keys(), ...right.keys()])].filter((address) => left.get(address) !== right.get(address));
}

/** Returns the desired state of each object as text, by address. */
function objectsOf(desired: DesiredOrganization): ReadonlyMap<string, string> {
	const { users, protect, limits, rules = [] } = desired;
	const objects = new Map<string, string>();
	const add = (address: string, value: object): void => {
		objects.set(address, canonicalJson(value));
	};
	add("users", users);
	add("protect", protect);
	add("limits", limits);
	for (const rule of rules) add(addressOfRule(rule), withoutPlaces(rule));
	for (const object of desired.objects) add(addressOfObject(object, desired), withoutPlaces(object));
	return objects;
}

/** Returns where the edits are in the new texts, sorted: one place for each address, organization and file. */
function placesOf(files: ReadonlyMap<string, EditableFile>, edits: readonly DocumentEdit[]): readonly AcceptedPlace[] {
	const places = new Map<string, AcceptedPlace>();
	for (const { organizationId, address, file, line } of edits) {
		const key = JSON.stringify([organizationId, address, file]);
		const text = files.get(file)?.text ?? "";
		const all = edits.filter((edit) => edit.file === file).flatMap((edit) => edit.edits);
		const newLine = lineAfter(text, line, all);
		const first = Math.min(places.get(key)?.line ?? newLine, newLine);
		places.set(key, { organizationId, address, file, line: first });
	}
	return [...places.values()].sort(
		(left, right) =>
			compareText(left.address, right.address) ||
			compareText(left.file, right.file) ||
			compareText(left.organizationId, right.organizationId),
	);
}
