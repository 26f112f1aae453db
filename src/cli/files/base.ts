/**
 * Reads the earlier documents of a three-way plan: `plan --base` reads the same paths in a git revision, `plan --base-file`
 * another file or folder. Neither falls back to the other: a pull request can add a folder with the name of any revision.
 */

import { posix, relative, resolve, sep } from "node:path";
import { ConfigurationError, DocumentError } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import type { BodyFinder } from "../../document/read/access-file.ts";
import { checkFleet, type DesiredFleet, mapFleet } from "../../document/read/fleet.ts";
import { type DocumentSource, type ListFinder, listLimits } from "../../document/read/parse.ts";
import type { Flags } from "../flags/given-flags.ts";
import type { Terminal } from "../output/output.ts";
import { type CaseSource, parseCases, withCases } from "./access-files.ts";
import { accessFiles, defaultDocument, isDocumentName, isHiddenPath } from "./document-files.ts";
import { Git, type GitObject, type RequestedPath } from "./git.ts";
import { allLimitBytes, type DocumentFlags, fileLimitBytes, listName, readFleet } from "./sources.ts";
import { openSpool } from "./spool.ts";

export type BaseFlags = Flags<"base" | "baseFile">;

export interface Base {
	/** As the user named it. */
	readonly name: string;
	/** The flag with its value, for messages. */
	readonly flag: string;
	readonly fleet: DesiredFleet;
	/** Whether the base has the same paths as the documents. Then an organization that is missing now was removed. */
	readonly samePaths: boolean;
	/** Paths that do not exist in the base. */
	readonly missing: readonly string[];
}

/** Returns the desired state of the base. Throws ConfigurationError if it cannot be read, and DocumentError. */
export async function readBase(flags: BaseFlags & DocumentFlags, terminal: Terminal): Promise<Base> {
	const { base, baseFile } = flags;
	if (base !== undefined && baseFile !== undefined) {
		throw new ConfigurationError("--base and --base-file cannot be used together");
	}
	return baseFile === undefined ? ofRevision(base ?? "", flags, terminal) : ofFile(baseFile, flags, terminal);
}

async function ofFile(name: string, { env }: DocumentFlags, terminal: Terminal): Promise<Base> {
	const flag = `--base-file ${showText(name)}`;
	try {
		const flags = { file: [name], env };
		const fleet = withCases(await readFleet(flags, terminal), flags, terminal);
		return { name, flag, fleet, samePaths: false, missing: [] };
	} catch (error) {
		throw error instanceof DocumentError ? new DocumentError(error.problems, "the base has") : error;
	}
}

function ofRevision(name: string, { file: files, env }: DocumentFlags, terminal: Terminal): Base {
	const flag = `--base ${showText(name)}`;
	if (name === "" || name.startsWith("-")) {
		throw new ConfigurationError(`${flag}: it takes a git revision`, {
			hint: "for example --base origin/main; for a file or folder: --base-file PATH",
		});
	}
	if (files.includes("-")) {
		throw new ConfigurationError(`${flag}: standard input has no earlier revision`, {
			hint: "name the documents with -f, or compare with a file: --base-file PATH",
		});
	}
	const read = readRevision(name, files.length === 0 ? [defaultDocument] : files, terminal);
	const { sources, findList, missing } = read;
	const { fleet, problems } = checkFleet(sources, { environment: terminal.environment, env, findList }, openSpool());
	if (problems.length > 0) throw new DocumentError(problems, "the base has");
	if (read.cases.length === 0) return { name, flag, fleet, samePaths: true, missing };
	const cases = parseCases(read.cases, { file: files, env }, terminal, "the base has");
	return { name, flag, fleet: mapFleet(fleet, (one) => ({ ...one, cases })), samePaths: true, missing };
}

function readRevision(
	name: string,
	paths: readonly string[],
	terminal: Terminal,
): {
	sources: readonly DocumentSource[];
	cases: readonly CaseSource[];
	findList: ListFinder;
	missing: readonly string[];
} {
	const git = new Git(name, terminal);
	const prefix = git.prefix();
	const commit = git.commit();
	const named = git.find(
		commit,
		paths.map((path) => ({ path, inside: insidePath(git, path, prefix, terminal.directory) })),
	);
	const missing = named.filter(({ kind }) => kind === "missing");
	git.refuseUnavailable(commit, missing);
	// A link and its target, or a file that is named twice, count once.
	const files = new Map<string, GitObject>();
	const add = (found: GitObject): void => {
		if (found.kind === "blob" && !files.has(found.id)) files.set(found.id, found);
	};
	for (const found of named) {
		if (found.kind !== "tree") add(found);
		else for (const file of git.findFiles(commit, filesIn(git, commit, found, isDocumentName))) add(file);
	}
	const there = [...files.values()];
	const caseFiles = findCases(git, commit, named);
	if ([...there, ...caseFiles].reduce((sum, { size }) => sum + size, 0) > allLimitBytes)
		git.refuse("its documents are larger than 128 MiB in total");
	const contents = git.read([...there, ...caseFiles]);
	const findFile = (file: string, from: string, maxBytes: number): ReturnType<BodyFinder> => {
		const path = listName(file.slice(name.length + 1), from);
		const inside = insidePath(git, path, prefix, terminal.directory);
		return readBeside(git, commit, { path, inside }, named, maxBytes);
	};
	return {
		sources: there.map(({ path }, index) => ({ file: `${name}:${path}`, content: contents[index] ?? "" })),
		cases: caseFiles.map(({ path }, index) => ({
			file: `${name}:${path}`,
			content: contents[there.length + index] ?? "",
			findBody: (file, body) => findFile(file, body, fileLimitBytes),
		})),
		findList: (file, from) => {
			const list = findFile(file, from, listLimits.bytes);
			if (!("mistake" in list)) return list;
			return { mistake: `the list ${showText(listName(file.slice(name.length + 1), from))} ${list.mistake}` };
		},
		missing: missing.map(({ path }) => path),
	};
}

/** Returns the files of cases of the commit: in folders that the operator names with all below, else beside the documents. */
function findCases(git: Git, commit: string, named: readonly (GitObject & RequestedPath)[]): readonly GitObject[] {
	const isCase = (name: string): boolean => accessFiles.ending.test(name) && !isHiddenPath(name);
	const paths = named.flatMap((one) => {
		if (one.kind === "tree") return filesIn(git, commit, one, isCase);
		const inside = posix.dirname(one.inside);
		const [folder] = git.find(commit, [{ path: posix.dirname(one.path), inside: inside === "." ? "" : inside }]);
		if (folder?.kind !== "tree") return [];
		return filesIn(git, commit, folder, (name) => isCase(name) && !name.includes("/"));
	});
	return git.findFiles(commit, [...new Map(paths.map((one) => [one.inside, one])).values()]);
}

/** Returns a file of the commit that another one names. It is in a folder that the operator names, or in that of a file, as in the working folder. */
function readBeside(
	git: Git,
	commit: string,
	list: RequestedPath,
	named: readonly (GitObject & RequestedPath)[],
	maxBytes: number,
): ReturnType<BodyFinder> {
	const refused = (why: string) => ({ mistake: `cannot be read: ${why}` });
	const folders = named.map(({ kind, inside }) => (kind === "tree" ? inside : posix.dirname(inside)));
	if (!folders.some((folder) => folder === "" || folder === "." || list.inside.startsWith(`${folder}/`))) {
		return refused("it is outside the folder of the documents");
	}
	const [found] = git.find(commit, [list]);
	if (found?.kind === "missing") git.refuseUnavailable(commit, [found]);
	if (found?.kind !== "blob") return refused("it is not a file of that revision");
	return { file: `${git.name}:${list.path}`, content: git.read([found], maxBytes)[0] ?? new Uint8Array() };
}

/** Returns such files in a folder of the commit, and in folders that links in it point to, as in the working folder. */
function filesIn(
	git: Git,
	commit: string,
	folder: GitObject & RequestedPath,
	isWanted: (name: string) => boolean,
): readonly RequestedPath[] {
	const documents: RequestedPath[] = [];
	const seen = new Set([folder.id]);
	const pending: (GitObject & RequestedPath)[] = [folder];
	for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
		const at = next;
		const entries = git.list(at.id).filter(({ name }) => !isHiddenPath(name));
		const placed = (names: readonly string[]): readonly RequestedPath[] =>
			names.map((name) => ({ path: posix.join(at.path, name), inside: posix.join(at.inside, name) }));
		documents.push(...placed(entries.map(({ name }) => name).filter(isWanted)));
		// Git takes one path a line.
		const links = entries
			.filter(({ name, isLink }) => isLink && !isWanted(name) && !/[\r\n]/.test(name))
			.map(({ name }) => name);
		for (const found of git.find(commit, placed(links), { lenient: true })) {
			if (found.kind !== "tree" || seen.has(found.id)) continue;
			seen.add(found.id);
			pending.push(found);
		}
	}
	return documents.sort((left, right) => (left.path < right.path ? -1 : 1));
}

/** Returns the path from the top of the repository, as git writes it. */
function insidePath(git: Git, path: string, prefix: string, directory: string): string {
	const local = relative(directory, resolve(directory, path)).split(sep).join("/");
	const inside = posix.normalize(posix.join(prefix, local));
	if (/[\r\n]/.test(inside)) git.refuse(`the name ${showText(path)} contains a line break`);
	if (inside !== ".." && !inside.startsWith("../") && !posix.isAbsolute(inside)) return inside === "." ? "" : inside;
	return git.refuse(
		`${showText(path)} is not in the git repository of this folder`,
		"run orgsync in the repository of the documents, or compare with a file: --base-file PATH",
	);
}
