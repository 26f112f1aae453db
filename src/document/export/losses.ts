/** What an export would lose of the file that it replaces: what people wrote and live state does not have. */

import { listFirst } from "../../common/escape.ts";
import { isRecord } from "../../common/json.ts";
import { Problems } from "../problems.ts";
import { type Comment, readComments, readYaml } from "../read/yaml.ts";
import { foreignComments } from "./text.ts";
import type { LostWindow } from "./windows.ts";

type Tree = Readonly<Record<string, unknown>>;

/** Max names of one kind that are listed. */
const maxListed = 3;

/** Returns what of the document `before` the exported `after` lacks, in words. `windows`: those that an export cannot keep. */
export function lossesOfDocument(before: string, after: string, windows: readonly LostWindow[]): readonly string[] {
	if (before.trim() === "") return [];
	const made = treesOf(after)?.[0] ?? {};
	const [document, ...more] = treesOf(before) ?? [];
	const id = String(document?.organizationId);
	const isSame = id.includes("${") || id.toLowerCase() === String(made.organizationId).toLowerCase();
	if (document === undefined || !isSame) return ["all of it, which is no document of this organization"];
	return [
		...Object.keys(document).flatMap((key) => (key in made ? [] : [quote(key)])),
		...Object.keys(asTree(document.expect)).flatMap((key) =>
			key in asTree(made.expect) ? [] : "expect" in made ? [quote(`expect.${key}`)] : [],
		),
		...listed("alias", "aliases", lostAliases(asTree(document.users), asTree(made.users))),
		...lostOfEntries(entriesOf(document.userTags), ["previously", "atLeast", "never", "create"]),
		...lostOfEntries(entriesOf(document.policies), ["previously", "id"]),
		...listed("window of", "windows of", lostWindows(entriesOf(document.userTags), windows)),
		...(/(?<!\$)\$\{(?!(?:userTags|users)[.[])/.test(before) ? ["the variables"] : []),
		...(more.length === 0 ? [] : [`${more.length} more ${more.length === 1 ? "document" : "documents"}`]),
		...lostComments(readComments(before)),
	];
}

/** Returns the same of a Pulumi program in YAML. Its name and what live state has are replaced. */
export function lossesOfProgram(before: string, after: string): readonly string[] {
	if (before.trim() === "") return [];
	const made = treesOf(after)?.[0] ?? {};
	const [program] = treesOf(before) ?? [];
	if (program === undefined) return ["all of it, which is no program"];
	const [resources, kept] = [asTree(program.resources), asTree(made.resources)];
	const changed = Object.keys(resources).filter((name) => !isWithin(asTree(resources[name]), asTree(kept[name])));
	return [
		...Object.keys(program).flatMap((key) => (key in made || key === "resources" ? [] : [quote(key)])),
		...listed("resource", "resources", changed),
		// Comments after ids are names of users and objects.
		...lostComments(readComments(before).filter(({ isTrailing }) => !isTrailing)),
	];
}

/** Returns the documents of the text; undefined if one of them cannot be read. */
function treesOf(text: string): readonly Tree[] | undefined {
	const { documents, isComplete } = readYaml("", text, new Problems());
	const trees = documents.map((document): unknown => document.toJS({ maxAliasCount: 1000 }));
	return isComplete && trees.every(isRecord) ? trees : undefined;
}

function lostComments(comments: readonly Comment[]): readonly string[] {
	const { length } = foreignComments(comments.map(({ text }) => text));
	return length === 0 ? [] : [`${length} ${length === 1 ? "comment" : "comments"}`];
}

function asTree(value: unknown): Tree {
	return isRecord(value) ? value : {};
}

/** Returns aliases of users who are in the export by another alias. */
function lostAliases(before: Tree, after: Tree): readonly string[] {
	const known = new Map(Object.entries(after).map(([alias, id]) => [String(id).toLowerCase(), alias]));
	return Object.entries(before).flatMap(([alias, id]) => {
		const other = known.get(String(id).toLowerCase());
		return other === undefined || other === alias ? [] : [alias];
	});
}

/** Returns the entries with keys that an export does not write. It lists exactly the members: it manages all of them. */
function lostOfEntries(entries: readonly Tree[], keys: readonly string[]): readonly string[] {
	return keys.flatMap((key) => {
		const having = entries.filter((entry) => key in entry || key in asTree(entry.members));
		const names = having.map(({ name }) => String(name));
		return names.length === 0 ? [] : [`${quote(key)} of ${list(names)}`];
	});
}

/** Returns the users of these windows that the document has. */
function lostWindows(entries: readonly Tree[], windows: readonly LostWindow[]): readonly string[] {
	const members = entries.map(({ members: written }) => asTree(written));
	const listedUsers = members.flatMap(({ exactly, atLeast }) => [...entriesOf(exactly), ...entriesOf(atLeast)]);
	const users = new Set(listedUsers.map(({ user }) => String(user)));
	return windows.flatMap(({ user, window }) => (users.has(user) || users.has(window.userId) ? [user] : []));
}

function entriesOf(value: unknown): readonly Tree[] {
	return Array.isArray(value) ? value.map(asTree) : [];
}

/** Whether the new resource has the type and the property names of the old one. */
function isWithin(before: Tree, after: Tree): boolean {
	const names = (resource: Tree): readonly string[] => [
		...Object.keys(resource),
		...Object.keys(asTree(resource.properties)).map((name) => `properties.${name}`),
	];
	const made = new Set(names(after));
	return before.type === after.type && names(before).every((name) => made.has(name));
}

function listed(one: string, many: string, names: readonly string[]): readonly string[] {
	return names.length === 0 ? [] : [`the ${names.length === 1 ? one : many} ${list(names)}`];
}

function list(names: readonly string[]): string {
	return listFirst(names.map(quote), maxListed);
}

function quote(name: string): string {
	return `\`${name}\``;
}
