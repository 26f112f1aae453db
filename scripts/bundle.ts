/**
 * Bundles a program of this package with everything that it imports, from the sources: code that needs Node and no file
 * beside it. The command line, its single-file form and the plugin are made with it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { type OutputOptions, rolldown } from "rolldown";
import { root } from "./manifest.ts";
import { standIns } from "./stand-ins.ts";
import { validatorsPlugin } from "./validators.ts";

/** Programs by the name of their file, without extension, and their sources as paths in the clone. */
export type Entries = Readonly<Record<string, string>>;

/** A file of a bundle. */
export interface Chunk {
	readonly fileName: string;
	readonly code: string;
	/** The source map, where it was asked for. */
	readonly map: string | undefined;
	/** The paths of all sources in it. */
	readonly sources: readonly string[];
}

export interface Bundle {
	/** The entries, and what they share or load later. */
	readonly chunks: readonly Chunk[];
	/** The licences of all packages in it. */
	readonly notices: string;
}

/** Returns the bundle in memory. A warning of the bundler is an error. */
export async function bundle(input: Entries, options: OutputOptions, forPlugin = false): Promise<Bundle> {
	const build = await rolldown({
		input: { ...input },
		cwd: root,
		platform: "node",
		tsconfig: false,
		// Unused exports of packages are left out where a package has ES modules: most of OpenTelemetry is constants.
		resolve: { mainFields: ["module", "main"] },
		transform: { target: "es2024" },
		plugins: [standIns(forPlugin), validatorsPlugin()],
		// How long plugins take is no mistake, and depends on the machine.
		checks: { bundlerTimings: false },
		onLog(level, log) {
			if (level === "warn") throw new Error(log.message);
		},
	});
	try {
		const { output } = await build.generate({
			// Node holds two bytes for every character of a file with one beyond ASCII.
			charset: "ascii",
			comments: { legal: true, annotation: false, jsdoc: false },
			...options,
		});
		const files = output.filter((one) => one.type === "chunk");
		const circle = findCircle(new Map(files.map(({ fileName, imports }) => [fileName, imports])));
		// Node would load one of them before what it needs, and warn at every command.
		if (circle !== undefined) throw new Error(`files of the bundle load each other: ${circle.join(" → ")}`);
		const chunks = files.map(({ fileName, code, map, modules }) => ({
			fileName,
			code: escapeComments(code),
			map: map === null ? undefined : JSON.stringify(map),
			sources: Object.keys(modules),
		}));
		return { chunks, notices: noticesOf(packagesOf(chunks)) };
	} finally {
		await build.close();
	}
}

/** Returns files that load each other at once, in a circle that ends with its first file; undefined if none do. */
export function findCircle(imports: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
	const checked = new Set<string>();
	const follow = (file: string, path: readonly string[]): readonly string[] | undefined => {
		if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
		if (checked.has(file)) return undefined;
		for (const other of imports.get(file) ?? []) {
			const circle = follow(other, [...path, file]);
			if (circle !== undefined) return circle;
		}
		checked.add(file);
		return undefined;
	};
	for (const file of imports.keys()) {
		const circle = follow(file, []);
		if (circle !== undefined) return circle;
	}
	return undefined;
}

/** The code without characters beyond ASCII in comments of licences, which the bundler leaves as they are. */
function escapeComments(code: string): string {
	return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The packages with a file in the bundle, as folders in node_modules, sorted. */
function packagesOf(chunks: readonly Chunk[]): readonly string[] {
	const found = new Set<string>();
	for (const id of chunks.flatMap(({ sources }) => sources)) {
		const [, folder] = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(id) ?? [];
		if (folder !== undefined) found.add(relative(root, folder).replaceAll("\\", "/"));
	}
	return [...found].sort();
}

/** The licences of these packages, each text once. Throws if one has no licence file: it must not be published then. */
function noticesOf(packages: readonly string[]): string {
	const firsts = new Map<string, string>();
	const notices = packages.map((folder) => {
		const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
		const files = readdirSync(join(root, folder))
			.filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
			.sort();
		if (files.length === 0) throw new Error(`${folder} has no licence file`);
		const texts = files.map((file) =>
			readFileSync(join(root, folder, file), "utf8")
				.replaceAll("\r\n", "\n")
				.trim(),
		);
		const parts = texts.map((text) => {
			const first = firsts.get(text);
			if (first !== undefined) return `The same text as of ${first} above.`;
			firsts.set(text, name);
			return `\`\`\`\`text\n${text}\n\`\`\`\``;
		});
		return `## ${name} ${version} (${license})\n\n${parts.join("\n\n")}\n`;
	});
	return `# Third-party notices\n\nThe program contains these packages.\n\n${notices.join("\n")}`;
}
