/**
 * Edits the document of one organization in place, so that a user has a tag for a while, or no longer. It returns the new text of
 * the file, and writes nothing.
 *
 * The new text is parsed: nothing but this user's entry may be different in it.
 */
import { defined } from "../../common/defined.ts";
import { showText } from "../../common/escape.ts";
import { printAddress } from "../../plan/address.ts";
import { nameOfUser } from "../../plan/objects.ts";
import {
	type AccessWindow,
	type DesiredMembers,
	type DesiredOrganization,
	type DesiredUserTag,
	tagsOf,
} from "../../plan/organization.ts";
import { canonicalJson } from "../../plan/value.ts";
import { type Cell, entryOf, itemsOf } from "../cell.ts";
import { type DocumentSource, parseDocuments } from "../read/parse.ts";
import type { ReadOptions } from "../read/read-documents.ts";
import { writeMember } from "../write-member.ts";
import { writeText } from "../write-yaml.ts";
import { changedBetween } from "./accept.ts";
import {
	addEntries,
	type EditableDocument,
	type EditableFile,
	editItems,
	NotEditable,
	readEditable,
	refuseShared,
	removeEntries,
	replaceCell,
	type TextEdit,
} from "./edit.ts";
import { documentOf, explainTemplate, findTag, memberList, ownDocuments, userOfEntry } from "./own-documents.ts";

/** What the document is to say of one user and one tag. Times are milliseconds since 1970 by the service's clock. */
export interface AccessRequest {
	readonly desired: DesiredOrganization;
	readonly tag: DesiredUserTag;
	readonly userId: string;
	readonly nowMs: number;
	/** When the access ends; for a revoke, not after now. */
	readonly untilMs: number;
	/** The same as the document gets it. */
	readonly until: string;
	/** Why a user gets the tag; undefined revokes it. */
	readonly reason: string | undefined;
	/** Whether live the user has the tag; undefined if that is unknown. */
	readonly isMember: boolean | undefined;
}

/** What became of the user's entry. */
type AccessEffect = "added" | "changed" | "removed" | "unchanged";

export interface AccessEdit {
	readonly effect: AccessEffect;
	/** The new text of the file that changed, by its name; empty if nothing did. */
	readonly contents: ReadonlyMap<string, string>;
	readonly desired: DesiredOrganization;
	/** Where the entry is in the new text, or its tag if there is no entry with a window. */
	readonly at: { readonly file: string; readonly line: number };
	/** The window that the document has then; null if the user has none. */
	readonly window: AccessWindow | null;
}

/** Why the document cannot be edited so. */
export interface AccessRefusal {
	readonly refusal: string;
	readonly hint?: string;
}

/** Returns the edit, or why it is refused. `sources` are all documents. */
export function editAccess(
	sources: readonly DocumentSource[],
	request: AccessRequest,
	options: ReadOptions,
): AccessEdit | AccessRefusal {
	const { desired, tag } = request;
	const address = printAddress("userTag", tag.name);
	const decided = decide(request);
	if (typeof decided !== "string") return decided;
	if (decided === "unchanged") return { effect: decided, contents: new Map(), desired, ...placeIn(desired, request) };
	try {
		const contents = edit(sources, request, { address, effect: decided, options });
		const found = verify(sources, contents, request, { address, options });
		return "refusal" in found ? found : { effect: decided, contents, desired: found, ...placeIn(found, request) };
	} catch (error) {
		if (!(error instanceof NotEditable)) throw error;
		const refusal = `${showText(address)} cannot be edited in place: ${showText(error.message)}`;
		// What a list says of all its organizations names what to do.
		if (error.message === explainTemplate(desired)) return { refusal };
		return { refusal, hint: "edit the document by hand, then plan" };
	}
}

/** Returns what has to become of the user's entry. */
function decide(request: AccessRequest): AccessEffect | AccessRefusal {
	const { tag, userId, isMember, reason } = request;
	const { members } = tag;
	const isNever = (members?.never ?? []).includes(userId);
	const isListed = members !== undefined && listedIn(members).includes(userId);
	if (reason !== undefined) return decideGrant(request, isNever, isListed);
	if (members?.mode === "exactly") return isListed ? "removed" : "unchanged";
	if (isNever) return "unchanged";
	if (!isListed) return isMember === false ? "unchanged" : "added";
	const { untilMs } = windowOf(members, userId) ?? {};
	return untilMs !== undefined && untilMs <= request.untilMs ? "unchanged" : "changed";
}

function decideGrant(
	{ desired, tag, userId, nowMs, untilMs }: AccessRequest,
	isNever: boolean,
	isListed: boolean,
): AccessEffect | AccessRefusal {
	const name = nameOfUser(desired, userId);
	const address = printAddress("userTag", tag.name);
	if (isNever) {
		return {
			refusal: `the document has ${showText(name)} under \`never\` of ${showText(address)}`,
			hint: "remove the user there first, if that is still right",
		};
	}
	if (!isListed) return "added";
	const window = windowOf(tag.members, userId);
	if (window === undefined) return "unchanged";
	if (window.fromMs !== undefined && window.fromMs > nowMs) {
		return {
			refusal: `${showText(name)} already has a window of ${showText(address)} that begins later: ${window.from}`,
			hint: "a user has one window for each tag: change its `from` by hand",
		};
	}
	return window.untilMs === undefined || window.untilMs >= untilMs ? "unchanged" : "changed";
}

interface EditContext {
	readonly address: string;
	readonly options: ReadOptions;
}

/** Returns the new text of the file that has the tag. Throws NotEditable. */
function edit(
	sources: readonly DocumentSource[],
	request: AccessRequest,
	{ address, effect, options }: EditContext & { readonly effect: AccessEffect },
): ReadonlyMap<string, string> {
	const files = new Map(sources.map(({ file, content }) => [file, readEditable(file, content, options)]));
	const documents = ownDocuments(
		[...files.values()].flatMap((file) => file.documents),
		request.desired,
	);
	const tag = findOwnTag(documents, address, request.desired);
	const document = documentOf(documents, tag);
	const edits = effect === "added" ? addMember(document, tag, request) : editMember(document, tag, request, effect);
	return new Map([[document.file, (files.get(document.file) as EditableFile).edited(edits)]]);
}

function findOwnTag(documents: readonly EditableDocument[], address: string, desired: DesiredOrganization): Cell {
	try {
		return findTag(documents, address);
	} catch (error) {
		const fromList = explainTemplate(desired);
		throw fromList === undefined ? error : new NotEditable(fromList);
	}
}

/** Returns the edits that add the user to the members of the tag, which get a list if they have none. */
function addMember(document: EditableDocument, tag: Cell, request: AccessRequest): readonly TextEdit[] {
	const entry = writeEntry(request);
	const members = entryOf(tag, "members");
	if (members === undefined) return addEntries(document, tag, [`members: { atLeast: [${entry}] }`]);
	const list = memberList(members);
	return list === undefined
		? addEntries(document, members, [`atLeast: [${entry}]`])
		: editItems(document, list, [], [entry]);
}

/** Returns the edits that change or remove the entry of the user. */
function editMember(
	document: EditableDocument,
	tag: Cell,
	request: AccessRequest,
	effect: AccessEffect,
): readonly TextEdit[] {
	const list = memberList(entryOf(tag, "members"));
	const item = itemsOf(list).find((one) => userOfEntry(one, request.desired) === request.userId);
	if (list === undefined || item === undefined) throw new NotEditable("it has no entry for the user");
	refuseShared(document, item);
	if (effect === "removed") return editItems(document, list, [item], []);
	return item.kind === "map" ? editWindow(document, item, request) : replaceCell(document, item, writeEntry(request));
}

/** Returns the edits that write the end and the reason into an entry with a window. */
function editWindow(document: EditableDocument, item: Cell, request: AccessRequest): readonly TextEdit[] {
	const { reason, until } = request;
	const written = new Map([
		["until", until],
		...(reason === undefined ? [] : [["reason", writeText(reason)] as const]),
	]);
	const added: string[] = [];
	const edits: TextEdit[] = [];
	for (const [key, value] of written) {
		const cell = entryOf(item, key);
		if (cell === undefined) added.push(`${key}: ${value}`);
		else if (String(cell.value) !== (key === "reason" ? reason : until)) {
			edits.push(...replaceCell(document, cell, value));
		}
	}
	const window = windowOf(request.tag.members, request.userId);
	const isNotBegun = window?.fromMs !== undefined && window.fromMs >= request.untilMs;
	if (isNotBegun && added.length > 0) return replaceCell(document, item, writeEntry(request, window));
	return [
		...edits,
		...(isNotBegun ? removeEntries(document, item, ["from"]) : []),
		...(added.length === 0 ? [] : addEntries(document, item, added)),
	];
}

function writeEntry({ desired, userId, until, reason }: AccessRequest, window?: AccessWindow): string {
	return writeMember(nameOfUser(desired, userId), { until, ...defined({ reason: reason ?? window?.reason }) });
}

/** Returns the new desired state, or why the new text must not be written. */
function verify(
	sources: readonly DocumentSource[],
	contents: ReadonlyMap<string, string>,
	request: AccessRequest,
	{ address, options }: EditContext,
): DesiredOrganization | AccessRefusal {
	const edited = sources.map(({ file, content }) => ({ file, content: contents.get(file) ?? content }));
	const { organizations, problems } = parseDocuments(edited, options.environment, options);
	const [problem] = problems;
	if (problem !== undefined) {
		const { file, line, message } = problem;
		return { refusal: `the edited document would be invalid: ${showText(file)}:${line}: ${showText(message)}` };
	}
	const isSame = (one: DesiredOrganization): boolean => one.organizationId === request.desired.organizationId;
	const desired = organizations.find(isSame);
	const before = parseDocuments(sources, options.environment, options).organizations;
	const others = (all: readonly DesiredOrganization[]): string =>
		JSON.stringify(all.filter((one) => !isSame(one)).map(({ organizationId, digest }) => [organizationId, digest]));
	const touched = desired === undefined ? [address] : changedBetween(request.desired, desired);
	const isOnlyTag = touched.every((one) => one === address) && others(before) === others(organizations);
	if (desired === undefined || !isOnlyTag || !hasOnlyRequest(desired, request)) {
		throw new NotEditable("the edited text would mean something else");
	}
	return desired;
}

/** Whether the tag has the requested window, or no entry of the user, and is as before otherwise. */
function hasOnlyRequest(after: DesiredOrganization, { tag, userId, untilMs, reason }: AccessRequest): boolean {
	const { members } = tagsOf(after).find(({ name }) => name === tag.name) ?? {};
	const window = windowOf(members, userId);
	const isListed = members !== undefined && listedIn(members).includes(userId);
	const isRemoved = reason === undefined && tag.members?.mode === "exactly" && !isListed;
	const isRequested = window?.untilMs === untilMs && (reason === undefined || window.reason === reason);
	return (isRemoved || isRequested) && membersBut(userId, members) === membersBut(userId, tag.members);
}

/** Returns the members without this user and without positions. */
function membersBut(userId: string, members: DesiredMembers | undefined): string {
	const { mode = "atLeast", never = [], windows = [] } = members ?? {};
	const isOther = (one: string): boolean => one !== userId;
	return canonicalJson({
		mode,
		listed: members === undefined ? [] : listedIn(members).filter(isOther),
		never: never.filter(isOther),
		windows: windows.filter((one) => isOther(one.userId)).map((one) => ({ ...one, at: undefined })),
	});
}

function placeIn(desired: DesiredOrganization, { tag, userId }: AccessRequest): Pick<AccessEdit, "at" | "window"> {
	const now = tagsOf(desired).find(({ name }) => name === tag.name) ?? tag;
	const window = windowOf(now.members, userId) ?? null;
	const { file, line } = (window ?? now).at;
	return { at: { file, line }, window };
}

function listedIn(members: DesiredMembers): readonly string[] {
	return members.mode === "exactly" ? members.exactly : members.atLeast;
}

function windowOf(members: DesiredMembers | undefined, userId: string): AccessWindow | undefined {
	return members?.windows?.find((one) => one.userId === userId);
}
