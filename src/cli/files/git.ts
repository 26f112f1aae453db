/**
 * Reads files of a commit with git, in a checkout that a pull request can write. It does not check out or fetch, and git gets no
 * shell and no keys.
 *
 * The commit is the one that the operator names, regardless of files, refs and variables. Git does not run programs that the
 * configuration of the repository names.
 */
import { spawnSync } from "node:child_process";
import { devNull } from "node:os";
import { ConfigurationError } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import type { Terminal } from "../output/output.ts";
import { fileLimitBytes } from "./sources.ts";

export interface GitObject {
	/** As the user would write it. */
	readonly path: string;
	/** `blob`, `tree` or `missing`. */
	readonly kind: string;
	readonly id: string;
	readonly size: number;
}

/** A path as the user would write it, and from the top of the repository. */
export interface RequestedPath {
	readonly path: string;
	readonly inside: string;
}

/** Settings that override the repository's own. */
const settings = {
	// A pull request can add a folder that looks like a bare repository.
	"safe.bareRepository": "explicit",
	"core.fsmonitor": "false",
	"core.hooksPath": devNull,
	// Git prefers a tag to a branch of the same name; without this it does not warn.
	"core.warnAmbiguousRefs": "true",
};

/** No grafts, which change the parents of a commit, and no fetches, which run what the configuration names. */
const fixedEnvironment = {
	LC_ALL: "C",
	GIT_TERMINAL_PROMPT: "0",
	GIT_OPTIONAL_LOCKS: "0",
	GIT_GRAFT_FILE: devNull,
	GIT_NO_LAZY_FETCH: "1",
	// For a git that does not know the variable above.
	GIT_ALLOW_PROTOCOL: "none",
};

/** Variables of git that are kept: trust and search limits. Others can select another repository. */
const allowedVariables =
	/^GIT_(?:CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM)$/;

/** Revisions that git resolves in one way, regardless of refs. */
const unambiguous = /^(?:HEAD|@|[0-9a-f]{40}|[0-9a-f]{64}|refs\/[^^~@]+)(?:[\^~].*)?$/;

/** The message of git if it needs contents that a partial clone does not have. */
const isAboutFetching = /lazy fetching disabled|promisor remote|transport '[^']*' not allowed/;

/** Runs git. Each method throws ConfigurationError if git fails. */
export class Git {
	/** The revision as `--base` has it. */
	readonly name: string;
	readonly #terminal: Terminal;

	constructor(name: string, terminal: Terminal) {
		this.name = name;
		this.#terminal = terminal;
	}

	/** Returns the path of the working folder in the repository; empty at its top. */
	prefix(): string {
		const { code, output, message } = this.#run(["rev-parse", "--show-prefix"]);
		if (code === 0) return output.toString().replace(/\r?\n$/, "");
		if (message.includes("dubious ownership")) {
			this.refuse(`git says: ${message}`, "to trust the repository: git config --global --add safe.directory PATH");
		}
		if (!message.includes("not a git repository")) this.refuse(`git says: ${message}`);
		return this.refuse("this folder is not in a git repository", "to compare with a file or folder: --base-file PATH");
	}

	commit(): string {
		// The name does not begin with a hyphen, so git does not take it for a flag.
		const { code, output, warnings } = this.#run(["rev-parse", "--verify", `${this.name}^{commit}`]);
		if (code === 0) {
			if (!unambiguous.test(this.name) && /is ambiguous/.test(warnings)) this.#refuseAmbiguous();
			return output.toString().trim();
		}
		const shallow = this.#run(["rev-parse", "--is-shallow-repository"]).output.toString().trim() === "true";
		return this.refuse(
			"unknown git revision",
			shallow
				? "this clone is shallow: run git fetch --unshallow; with actions/checkout, set fetch-depth: 0"
				: "run git fetch; name a remote branch with its remote, as in origin/main; for a file or folder: --base-file PATH",
		);
	}

	#refuseAmbiguous(): never {
		this.refuse(
			"ambiguous name: more than one branch, tag or commit has it",
			"use a full name, such as refs/heads/main or refs/remotes/origin/main, or the full commit id",
		);
	}

	/** Returns what is at each path of the commit, following links within it. One that leads outside is refused, or missing (`lenient`). */
	find<A extends RequestedPath>(
		commit: string,
		paths: readonly A[],
		{ lenient = false } = {},
	): readonly (GitObject & A)[] {
		if (paths.length === 0) return [];
		const questions = paths.map(({ inside }) => `${commit}:${inside}\n`).join("");
		const output = this.#ask(["cat-file", "--batch-check", "--follow-symlinks"], questions);
		const lines = output.toString().split("\n");
		let at = 0;
		return paths.map((one) => {
			const line = lines[at++] ?? "";
			const [id = "", kind = "", size = "0"] = line.split(" ");
			// `symlink SIZE`, `dangling SIZE` and the like have the target in a line of its own.
			if (["symlink", "dangling", "loop", "notdir"].includes(id)) at += 1;
			if (id === "symlink" && !lenient) {
				this.refuse(`${showText(one.path)} is a link that points outside the repository`);
			}
			const found = /^[0-9a-f]{40,64}$/.test(id) && (kind === "blob" || kind === "tree");
			return { ...one, id, kind: found ? kind : "missing", size: Number(size) };
		});
	}

	/** Returns the files at paths that git listed: each must be a file, or a link to one. */
	findFiles(commit: string, paths: readonly RequestedPath[]): readonly GitObject[] {
		const strange = paths.find(({ inside }) => /[\r\n]/.test(inside));
		if (strange !== undefined) this.refuse(`the name ${showText(strange.path)} contains a line break`);
		const found = this.find(commit, paths);
		const unreadable = found.find(({ kind }) => kind !== "blob");
		if (unreadable === undefined) return found;
		return this.refuse(`${showText(unreadable.path)} is not a file in that revision, or git does not have its content`);
	}

	/** Throws when a path without content is in the commit, as in a partial clone: its document must not look new. */
	refuseUnavailable(commit: string, missing: readonly RequestedPath[]): void {
		for (const { path, inside } of missing) {
			const output = this.#ask(["ls-tree", "-z", "--full-tree", "--name-only", commit, "--", inside]);
			if (output.length > 0) this.#refuseMissing(path);
		}
	}

	/** Returns all files in a tree, with paths relative to the tree. */
	list(tree: string): readonly { readonly name: string; readonly isLink: boolean }[] {
		return this.#ask(["ls-tree", "-r", "-z", "--full-tree", tree])
			.toString()
			.split("\0")
			.filter((entry) => entry !== "")
			.map((entry) => ({ name: entry.slice(entry.indexOf("\t") + 1), isLink: entry.startsWith("120000") }));
	}

	/** Returns the contents in the same order. A file over the limit has just enough bytes to exceed it. */
	read(files: readonly GitObject[], maxBytes: number = fileLimitBytes): readonly Uint8Array[] {
		const small = files.filter(({ size }) => size <= maxBytes);
		const output = this.#ask(["cat-file", "--batch"], small.map(({ id }) => `${id}\n`).join(""));
		let at = 0;
		return files.map(({ path, size }) => {
			if (size > maxBytes) return new Uint8Array(maxBytes + 1);
			const start = output.indexOf("\n", at) + 1;
			if (!/ blob \d+$/.test(output.toString("latin1", at, start - 1))) this.#refuseMissing(path);
			at = start + size + 1;
			return output.subarray(start, start + size);
		});
	}

	#refuseMissing(path?: string): never {
		this.refuse(
			`git does not have the content of ${path === undefined ? "the documents" : showText(path)}`,
			"clone without --filter, or run git fetch --refetch --no-filter first; orgsync does not fetch",
		);
	}

	#ask(words: readonly string[], input = ""): Buffer {
		const { code, output, message, warnings } = this.#run(words, input);
		if (code === 0) return output;
		return isAboutFetching.test(warnings) ? this.#refuseMissing() : this.refuse(`git says: ${message}`);
	}

	/** Runs git to its end. `code` is null if a signal ended it; `message` is the first line of `warnings`. */
	#run(words: readonly string[], input = "") {
		const given = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
		const { error, status, stdout, stderr } = spawnSync("git", ["--no-replace-objects", ...given, ...words], {
			cwd: this.#terminal.directory,
			env: { ...environmentFor(this.#terminal.environment), ...fixedEnvironment },
			input,
			maxBuffer: Number.POSITIVE_INFINITY,
		});
		const failure = (error as NodeJS.ErrnoException | undefined)?.code;
		// A git that ends without reading its input closes the pipe; its exit code says why.
		if (failure !== undefined && failure !== "EPIPE") {
			const isMissing = failure === "ENOENT" || failure === "ENOTDIR";
			const why = isMissing ? "git is not installed" : `git cannot be run (${failure})`;
			this.refuse(why, "install git, or compare with a file: --base-file PATH");
		}
		const warnings = stderr.toString();
		const [message = ""] = warnings.trim().split(/\r?\n/);
		return { code: status, output: stdout, message: message.replace(/^fatal: /, ""), warnings };
	}

	/** Throws ConfigurationError about the revision. */
	refuse(why: string, hint = "--base takes a revision of the documents' git repository"): never {
		throw new ConfigurationError(`--base ${showText(this.name)}: ${why}`, { hint });
	}
}

/** Returns the environment without keys and without variables that select another repository, objects or programs. */
function environmentFor(environment: Terminal["environment"]): Record<string, string | undefined> {
	return Object.fromEntries(
		Object.entries(environment).filter(
			([name]) => !/^(?:ORGSYNC_|TURNKEY_|API_)/.test(name) && (!/^GIT_/i.test(name) || allowedVariables.test(name)),
		),
	);
}
