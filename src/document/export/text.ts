/** Writes the text of an exported document. What can only be deleted is in comments, which become `absent` without `#`. */

import { showText } from "../../common/escape.ts";
import { removalLists } from "../../plan/kinds/names.ts";
import type { AccessWindow, LiveRemovable } from "../../plan/organization.ts";
import { writeMember } from "../write-member.ts";
import { writeFlow, writeKey, writeText } from "../write-yaml.ts";
import { type ExportedPolicy, policyLines } from "./policies.ts";

/** Live state that is not in the document, and why. */
export interface Omission {
	/** For example `members of user tags`, or an address. */
	readonly what: string;
	readonly because: string;
}

export interface Missing {
	/** Live state that could not be read. */
	readonly unread: readonly Omission[];
	/** Live state that the text cannot hold. */
	readonly leftOut: readonly Omission[];
}

export interface ExportedTag {
	readonly name: string;
	readonly id: string;
	/** Aliases, sorted; undefined if the members are unknown. */
	readonly members: readonly string[] | undefined;
	/** By member; left out where no member has one. */
	readonly windows?: ReadonlyMap<string, AccessWindow>;
}

/** An entry under `expect`, with its fields in the order of the document. */
export type ExportedRecord = Readonly<Record<string, unknown>>;

/** The content of the document. */
export interface ExportedParts extends Missing {
	readonly organizationId: string;
	/** Alias and id, sorted by alias; empty if the users are unknown. */
	readonly users: readonly (readonly [alias: string, id: string])[];
	readonly userTags: readonly ExportedTag[];
	readonly policies: readonly ExportedPolicy[];
	readonly expectations: readonly ExportedSection<ExportedRecord>[];
	/** Objects that can be deleted; of policies, all are here, also those of `policies`. */
	readonly removable: readonly ExportedSection<LiveRemovable>[];
}

/** Objects of one kind, with the key of the kind in a document and the alias of their user, or null if they have none. */
export interface ExportedSection<T> {
	readonly key: string;
	readonly groups: readonly { readonly user: string | null; readonly items: readonly T[] }[];
}

/** Max characters of a list in brackets. A longer list is written with one item a line. */
const maxLineLength = 100;

/** The comments that exports write, also of Pulumi programs. After a title come lines of a list. */
const exportComments = {
	sentence:
		/^# (?:yaml-language-server: |Live state of one organization, written by |Aliases for this file: |Read-only )/,
	title: /^# (?:These exist and are unmanaged\. |Read-only, so not in this file: |Not in this file, because )/,
	line: /^#(?:absent:|resources:| {2,12}(?:- \S.*|\S.*:(?: .*)?))$/,
};

/** Returns the comments, each from its `#`, that no export writes. */
export function foreignComments(comments: readonly string[]): readonly string[] {
	const { sentence, title, line } = exportComments;
	let isInList = false;
	return comments.filter((comment) => {
		const text = comment.trimEnd();
		const isLine = isInList && line.test(text);
		isInList = title.test(text) || isLine;
		return !isInList && !sentence.test(text);
	});
}

/** Returns the text of the document, with a final line ending. */
export function writeDocument(parts: ExportedParts): string {
	const { organizationId, users, userTags, policies } = parts;
	const sections = [
		[
			"# Live state of one organization, written by orgsync export. Keys that are left out are unmanaged.",
			`organizationId: ${writeText(organizationId)}`,
		],
		users.length === 0
			? []
			: [
					"# Aliases for this file: the service knows only ids.",
					"users:",
					...users.map(([alias, id]) => `  ${writeKey(alias)}: ${writeText(id)}`),
				],
		userTags.length === 0 ? [] : ["userTags:", ...userTags.flatMap(tagLines)],
		policies.length === 0 ? [] : ["policies:", ...policies.flatMap(policyLines)],
		expectationLines(parts),
		removableLines(unmanagedOf(parts)),
		...missingSections(parts, "document"),
	];
	return joinSections(sections);
}

/** Returns the objects that can be deleted and that the document does not manage. */
function unmanagedOf({ removable, policies }: ExportedParts): ExportedParts["removable"] {
	const managed = new Set(policies.map(({ name }) => name));
	return removable.flatMap((section) => {
		if (section.key !== removalLists.policy) return [section];
		const items = section.groups.flatMap((group) => group.items.filter(({ name }) => !managed.has(name)));
		return items.length === 0 ? [] : [{ ...section, groups: [{ user: null, items }] }];
	});
}

function tagLines({ name, id, members, windows }: ExportedTag): readonly string[] {
	return [
		`  - name: ${writeText(name)}`,
		`    id: ${writeText(id)}`,
		...(members === undefined ? [] : memberLines(members.map((member) => writeMember(member, windows?.get(member))))),
	];
}

function memberLines(members: readonly string[]): readonly string[] {
	const short = `    members: { exactly: [${members.join(", ")}] }`;
	if (short.length <= maxLineLength) return [short];
	return ["    members:", "      exactly:", ...members.map((member) => `        - ${member}`)];
}

function expectationLines({ expectations }: ExportedParts): readonly string[] {
	if (expectations.length === 0) return [];
	const lines = expectations.flatMap(({ key, groups }) => [
		`  ${key}:`,
		...groups.flatMap(({ user, items }) =>
			user === null ? recordLines(items, "    ") : [`    ${writeKey(user)}:`, ...recordLines(items, "      ")],
		),
	]);
	return ["# Read-only objects: differences are reported, never submitted.", "expect:", ...lines];
}

function recordLines(records: readonly ExportedRecord[], indent: string): readonly string[] {
	return records.flatMap((record) =>
		Object.entries(record).flatMap(([name, value], index) => {
			const begin = `${indent}${index === 0 ? "- " : "  "}${name}:`;
			const short = `${begin} ${writeFlow(value)}`;
			if (!Array.isArray(value) || short.length <= maxLineLength) return [short];
			return [begin, ...value.map((item) => `${indent}    - ${writeFlow(item)}`)];
		}),
	);
}

function removableLines(removable: ExportedParts["removable"]): readonly string[] {
	const list = (indent: string, items: readonly LiveRemovable[]): readonly string[] =>
		items.map(({ id, name }) => `#${indent}- ${showText(id)}${name === "" ? "" : `  # ${showText(name)}`}`);
	const lines = removable.flatMap(({ key, groups }) => [
		`#  ${key}:`,
		...groups.flatMap(({ user, items }) =>
			user === null ? list("    ", items) : [`#    ${writeKey(user)}:`, ...list("      ", items)],
		),
	]);
	if (removable.length === 0) return [];
	return [
		"# These exist and are unmanaged. Remove the # of a line, of its parents and of absent to delete the object.",
		"#absent:",
		...lines,
	];
}

/** Returns the text of sections of lines, with an empty line between them and a final line ending. */
export function joinSections(sections: readonly (readonly string[])[]): string {
	const texts = sections.filter((lines) => lines.length > 0).map((lines) => lines.join("\n"));
	return `${texts.join("\n\n")}\n`;
}

/** Returns what a file does not hold, as sections of comments. `kind` is what the file is. */
function missingSections({ unread, leftOut }: Missing, kind: "document" | "program"): readonly (readonly string[])[] {
	return [
		missingLines("Not in this file, because it could not be read:", unread),
		missingLines(`Not in this file, because a ${kind} cannot hold it:`, leftOut),
	];
}

/** Returns what a Pulumi program does not hold, as sections of comments; it never holds read-only objects. */
export function programComments(program: Missing & { readonly readOnly: readonly string[] }) {
	const said = `Read-only, so not in this file: ${program.readOnly.join(", ")}. An Organization with a document reports how they differ.`;
	return [program.readOnly.length === 0 ? [] : [`# ${said}`], ...missingSections(program, "program")];
}

/** Returns a title and a line for each omission, as comments; none without omissions. */
function missingLines(title: string, missing: readonly Omission[]): readonly string[] {
	if (missing.length === 0) return [];
	return [`# ${title}`, ...missing.map(({ what, because }) => `#   ${showText(what)}: ${showText(because)}`)];
}
