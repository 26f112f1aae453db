/**
 * References to documents: every Markdown file that a comment, test, schema or page names is in the repository, and so is
 * every heading that an anchor names.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Folders that hold what was installed or built. */
const leftOut = new Set(["node_modules", "dist", "release", ".git", ".engine"]);
const isText = (name: string): boolean => /(?:\.(?:ts|js|mjs|json|md|ya?ml|sh)|^run|^\.\w+)$/.test(name);

/** Files that pipelines and tests write: named in them, and never in the repository. */
const written = new Set(["comment.md", "drift.md", "issue.md", "note.md", "summary.md"]);

/** Folders of the repository, and rooms of src/ that pages name without it. */
const ownFolders = [
	...["src", "test", "docs", "examples", "schemas", "scripts"],
	...readdirSync(join(root, "src"), { withFileTypes: true }).flatMap((entry) =>
		entry.isDirectory() ? [entry.name] : [],
	),
];

/** All text files of the repository, by their paths from its root. */
function listFiles(folder = root): readonly string[] {
	return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
		const path = join(folder, entry.name);
		if (entry.isDirectory()) return leftOut.has(entry.name) ? [] : listFiles(path);
		return entry.isFile() && isText(entry.name) ? [relative(root, path)] : [];
	});
}

const files = listFiles();
const pages = files.filter((file) => file.endsWith(".md"));
const textOf = (file: string): string => readFileSync(join(root, file), "utf8");

/** The anchors of a page's headings, as GitHub makes them. Lines in blocks of code are no headings. */
function anchorsOf(page: string): readonly string[] {
	const headings = textOf(page)
		.replaceAll(/^```[\s\S]*?^```/gm, "")
		.matchAll(/^#+ (.*)$/gm);
	const anchors: string[] = [];
	for (const [, heading = ""] of headings) {
		const anchor = heading
			.toLowerCase()
			.replaceAll(/[^\w\- ]/g, "")
			.replaceAll(" ", "-");
		const before = anchors.filter((one) => one.replace(/-\d+$/, "") === anchor).length;
		anchors.push(before === 0 ? anchor : `${anchor}-${before}`);
	}
	return anchors;
}

/** What is wrong with a reference from `file`: nothing, or one line. */
function describeBroken(file: string, path: string, anchor: string | undefined): readonly string[] {
	const targets = path === "" ? [file] : [join(dirname(file), path), path];
	const target = targets.find((one) => existsSync(join(root, one)));
	const shown = `${file}: ${path}${anchor === undefined ? "" : `#${anchor}`}`;
	if (target === undefined) return written.has(path.split("/").at(-1) ?? "") ? [] : [`${shown}: no such file`];
	if (anchor === undefined || anchorsOf(target).includes(anchor)) return [];
	return [`${shown}: no such heading`];
}

describe("the references of the repository", () => {
	it("name only Markdown files and headings that exist", () => {
		const broken = files.flatMap((file) => {
			const text = textOf(file).replaceAll(/\bhttps?:\/\/\S+/g, "");
			const names = [...text.matchAll(/(?<![\w./-])([\w./-]+\.md)\b(?:#([\w-]+))?/g)];
			return names.flatMap(([, path = "", anchor]) => describeBroken(file, path, anchor));
		});
		expect(broken).toEqual([]);
	});

	it("are links in Markdown to files and headings that exist", () => {
		const broken = pages.flatMap((page) => {
			const links = [...textOf(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
			return links.flatMap(([, path = "", anchor]) => describeBroken(page, path, anchor));
		});
		expect(broken).toEqual([]);
	});

	it("are paths on pages to files and folders that exist", () => {
		const missing = pages.flatMap((page) => {
			const paths = [...textOf(page).matchAll(/`((?:[\w-]+\/)+[\w.-]*)`/g)].map(([, path = ""]) => path);
			const own = paths.filter((path) => ownFolders.includes(path.split("/", 1)[0] ?? ""));
			const places = (path: string): readonly string[] => [path, join("src", path), join(dirname(page), path)];
			return own
				.filter((path) => !places(path).some((place) => existsSync(join(root, place))))
				.map((path) => `${page}: ${path}`);
		});
		expect(missing).toEqual([]);
	});

	it("are found in sources, tests, schemas, pages and pipelines", () => {
		for (const part of ["src/", "test/", "schemas/", "docs/", "examples/pipelines/", "README.md", ".ci/"])
			expect(
				files.some((file) => file.startsWith(part)),
				part,
			).toBe(true);
	});
});
