/**
 * The documents as they stood before, for `plan --base`: another file or folder, or the same paths in a revision of git.
 * Git is only read from, without a shell, and it is not handed the keys of this program.
 */
import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import { posix, relative, resolve, sep } from "node:path";
import { ConfigurationError, DocumentError } from "../errors.ts";
import { type DocumentSource, parseDocuments } from "../plan/document.ts";
import type { DesiredOrganization } from "../plan/organization.ts";
import { showText } from "../plan/render/escape.ts";
import { defaultDocument, isDocumentName } from "./document-files.ts";
import { type DocumentFlags, fileLimitBytes, readDesired } from "./sources.ts";
import type { Terminal } from "./voice.ts";

export interface Base {
	/** As the user named it. */
	readonly name: string;
	readonly organizations: readonly DesiredOrganization[];
	/** Whether it is the same paths at another time: then an organization that is missing since was taken out. */
	readonly samePaths: boolean;
	/** Paths that were not there then; they are new. */
	readonly missing: readonly string[];
}

/**
 * What the base wants: a file or folder of that name, or else the paths of `-f` in the revision of that name. Throws
 * ConfigurationError when it cannot be read, and DocumentError with every problem that it has.
 */
export async function readBase(name: string, { file: files, env }: DocumentFlags, terminal: Terminal): Promise<Base> {
	if (name === "" || name.startsWith("-")) {
		throw new ConfigurationError(`--base ${showText(name)}: a file, a folder or a revision of git has to be named`);
	}
	if (statSync(resolve(terminal.directory, name), { throwIfNoEntry: false }) !== undefined) {
		const organizations = await ofBase(() => readDesired({ file: [name], env }, terminal));
		return { name, organizations, samePaths: false, missing: [] };
	}
	if (files.includes("-")) {
		throw new ConfigurationError(`--base ${showText(name)}: standard input has no earlier revision`, {
			hint: "name the documents with -f, or the file that they were before with --base FILE",
		});
	}
	const { sources, missing } = await readRevision(name, files.length === 0 ? [defaultDocument] : files, terminal);
	const { organizations, problems } = parseDocuments(sources, terminal.environment, { env });
	if (problems.length > 0) throw new DocumentError(problems, "the base");
	return { name, organizations, samePaths: true, missing };
}

async function ofBase<T>(read: () => Promise<T>): Promise<T> {
	try {
		return await read();
	} catch (error) {
		throw error instanceof DocumentError ? new DocumentError(error.problems, "the base") : error;
	}
}

interface Found {
	/** As the user would write it. */
	readonly path: string;
	readonly kind: string;
	readonly id: string;
	readonly size: number;
}

async function readRevision(
	name: string,
	paths: readonly string[],
	terminal: Terminal,
): Promise<{ sources: readonly DocumentSource[]; missing: readonly string[] }> {
	const git = new Git(name, terminal);
	const prefix = await git.prefix();
	const commit = await git.commit();
	const named = await git.find(
		commit,
		paths.map((path) => ({ path, inside: insidePath(name, path, prefix, terminal.directory) })),
	);
	const files: Found[] = [];
	for (const { inside, ...found } of named) {
		if (found.kind !== "tree") files.push(found);
		else {
			const names = (await git.list(found.id)).filter(isDocumentName).sort();
			const within = names.map((inner) => ({
				path: posix.join(found.path, inner),
				inside: posix.join(inside, inner),
			}));
			files.push(...(await git.findFiles(commit, within)));
		}
	}
	const there = files.filter(({ kind }) => kind === "blob");
	const contents = await git.read(there);
	return {
		sources: there.map(({ path }, index) => ({ file: `${name}:${path}`, content: contents[index] ?? "" })),
		missing: named.filter(({ kind }) => kind === "missing").map(({ path }) => path),
	};
}

/** The path from the top of the repository, as git writes it. */
function insidePath(name: string, path: string, prefix: string, directory: string): string {
	const local = relative(directory, resolve(directory, path)).split(sep).join("/");
	const inside = posix.normalize(posix.join(prefix, local));
	if (/[\r\n]/.test(inside)) {
		throw new ConfigurationError(`--base ${showText(name)}: the name ${showText(path)} has a line break in it`);
	}
	if (inside !== ".." && !inside.startsWith("../") && !posix.isAbsolute(inside)) return inside === "." ? "" : inside;
	throw new ConfigurationError(
		`--base ${showText(name)}: ${showText(path)} is not in the git repository of this folder`,
		{
			hint: "run orgsync in the repository of the documents, or name the file that they were before with --base FILE",
		},
	);
}

/** The few questions that git is asked. */
class Git {
	readonly #name: string;
	readonly #terminal: Terminal;

	constructor(name: string, terminal: Terminal) {
		this.#name = name;
		this.#terminal = terminal;
	}

	/** Where in the repository the working folder is; empty at its top. */
	async prefix(): Promise<string> {
		const { code, output, said } = await this.#run(["rev-parse", "--show-prefix"]);
		if (code === 0) return output.toString().replace(/\r?\n$/, "");
		if (said.includes("dubious ownership")) {
			this.#refuse(
				`git says: ${said}`,
				"git config --global --add safe.directory with that path says that it is trusted",
			);
		}
		if (!said.includes("not a git repository")) this.#refuse(`git says: ${said}`);
		return this.#refuse("there is no file or folder of that name, and this folder is in no git repository");
	}

	/** The id of the commit that the revision is. */
	async commit(): Promise<string> {
		// A name that begins with a hyphen was refused before: it cannot be taken for a flag.
		const words = ["rev-parse", "--verify", "--quiet", `${this.#name}^{commit}`];
		const { code, output } = await this.#run(words);
		if (code === 0) return output.toString().trim();
		const shallow = (await this.#run(["rev-parse", "--is-shallow-repository"])).output.toString().trim() === "true";
		return this.#refuse(
			"there is no file or folder of that name, and git knows no such revision",
			shallow
				? "this clone is shallow, it has only the newest commits: git fetch --unshallow gets the others; with actions/checkout, set fetch-depth: 0"
				: "git fetch gets what others have; a branch of theirs is written with its remote, as in origin/main",
		);
	}

	/** What is at each path of the commit, symbolic links within it followed. */
	async find<P extends { readonly path: string; readonly inside: string }>(
		commit: string,
		paths: readonly P[],
	): Promise<readonly (Found & P)[]> {
		if (paths.length === 0) return [];
		const questions = paths.map(({ inside }) => `${commit}:${inside}\n`).join("");
		const { output } = await this.#ask(["cat-file", "--batch-check", "--follow-symlinks"], questions);
		const lines = output.toString().split("\n");
		let at = 0;
		return paths.map((one) => {
			const line = lines[at++] ?? "";
			const [id = "", kind = "", size = "0"] = line.split(" ");
			// `symlink SIZE`, `dangling SIZE` and the like have the target in a line of its own.
			if (["symlink", "dangling", "loop", "notdir"].includes(id)) at += 1;
			if (id === "symlink") this.#refuse(`${showText(one.path)} is a link to outside of the repository there`);
			const found = /^[0-9a-f]{40,64}$/.test(id) && (kind === "blob" || kind === "tree");
			return { ...one, id, kind: found ? kind : "missing", size: Number(size) };
		});
	}

	/** The same of paths that git has listed: each has to be a file, or a link to one. */
	async findFiles(
		commit: string,
		paths: readonly { readonly path: string; readonly inside: string }[],
	): Promise<readonly Found[]> {
		const strange = paths.find(({ inside }) => /[\r\n]/.test(inside));
		if (strange !== undefined) this.#refuse(`the name ${showText(strange.path)} has a line break in it`);
		const found = await this.find(commit, paths);
		const lost = found.find(({ kind }) => kind !== "blob");
		return lost === undefined ? found : this.#refuse(`${showText(lost.path)} is no file there, and no link to one`);
	}

	/** The paths of all files in a tree, from that tree. */
	async list(tree: string): Promise<readonly string[]> {
		const { output } = await this.#ask(["ls-tree", "-r", "-z", "--full-tree", "--name-only", tree]);
		return output.toString().split("\0");
	}

	/** The contents, in the same order; of a file beyond the limit as much as shows that it is. */
	async read(files: readonly Found[]): Promise<readonly Uint8Array[]> {
		const small = files.filter(({ size }) => size <= fileLimitBytes);
		const { output } =
			small.length === 0
				? { output: Buffer.alloc(0) }
				: await this.#ask(["cat-file", "--batch"], small.map(({ id }) => `${id}\n`).join(""));
		let at = 0;
		return files.map(({ path, size }) => {
			if (size > fileLimitBytes) return new Uint8Array(fileLimitBytes + 1);
			const start = output.indexOf("\n", at) + 1;
			if (!/ blob \d+$/.test(output.toString("latin1", at, start - 1))) {
				this.#refuse(`git does not have the content of ${showText(path)} here`);
			}
			at = start + size + 1;
			return output.subarray(start, start + size);
		});
	}

	async #ask(words: readonly string[], input = ""): Promise<{ readonly output: Buffer }> {
		const { code, output, said } = await this.#run(words, input);
		return code === 0 ? { output } : this.#refuse(`git says: ${said}`);
	}

	#run(words: readonly string[], input = ""): Promise<{ code: number; output: Buffer; said: string }> {
		const { directory, environment } = this.#terminal;
		const needed = Object.entries(environment).filter(([name]) => !/^(ORGSYNC_|TURNKEY_|API_)/.test(name));
		const env = { ...Object.fromEntries(needed), LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", GIT_OPTIONAL_LOCKS: "0" };
		const options = { cwd: directory, env, encoding: "buffer", maxBuffer: Number.POSITIVE_INFINITY } as const;
		return new Promise((settle, refuse) => {
			const child = execFile("git", words, options, (error, output, said) => {
				if (error !== null && typeof error.code === "string") refuse(this.#notThere(error));
				else settle({ code: Number(error?.code ?? 0), output, said: firstLine(said.toString()) });
			});
			// A git that ends without reading its input closes the pipe; its exit code says why.
			child.stdin?.on("error", () => undefined);
			child.stdin?.end(input);
		});
	}

	#notThere(error: { readonly code?: unknown }): ConfigurationError {
		const why = error.code === "ENOENT" ? "git is not installed" : `git cannot be run (${String(error.code)})`;
		return new ConfigurationError(
			`--base ${showText(this.#name)}: there is no file or folder of that name, and ${why}`,
			{
				hint: "install git, or name the file that the document was before",
				cause: error,
			},
		);
	}

	#refuse(why: string, hint = "--base takes a file, a folder, or a revision of the documents' git repository"): never {
		throw new ConfigurationError(`--base ${showText(this.#name)}: ${why}`, { hint });
	}
}

function firstLine(text: string): string {
	return (
		text
			.trim()
			.split(/\r?\n/)[0]
			?.replace(/^fatal: /, "") ?? ""
	);
}
