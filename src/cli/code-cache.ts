/** Loads the command line with code that V8 compiled in earlier runs: Node's own cache lacks functions compiled when first called. */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { constants, Script } from "node:vm";

/** Replaced by the digest of the bundle (scripts/bundle-command.ts): V8 compares no more than the length of a source. */
const build = "digest of the bundle";

const digestBytes = 32;
/** The first bytes of the file: the digest of the others. */
const digestOf = (content: Buffer): Buffer => process.getBuiltinModule("node:crypto").hash("sha256", content, "buffer");
const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;

/** The compiled code of each file of the bundle, by its path in it: the same bundle can be in many places. */
type Code = ReadonlyMap<string, Buffer>;

const head = Buffer.from("(function (exports, require, module, __filename) {");
const tail = Buffer.from("\n})");

/** Loads a CommonJS file of the bundle, and what it requires there. At the exit, `store` gets the compiled code that it lacks. */
export function loadWithCode(folder: string, main: string, store: string): void {
	const known = readCode(store);
	const scripts = new Map<string, Script>();
	let isWhole = true;
	const modules = new Map<string, { exports: object }>();
	const load = (file: string): object => {
		const earlier = modules.get(file);
		if (earlier !== undefined) return earlier.exports;
		const module = { exports: {} };
		modules.set(file, module);
		const path = `${folder}/${file}`;
		const beside = file.slice(0, file.lastIndexOf("/") + 1);
		// Files are in the folder, or in one below it.
		const find = (name: string): unknown =>
			name.startsWith("./")
				? load(beside + name.slice(2))
				: name.startsWith("../")
					? load(name.slice(3))
					: process.getBuiltinModule(name);
		// The bundle is ASCII. Texts that are joined would be copied again.
		const source = Buffer.concat([head, readFileSync(path), tail]).toString("latin1");
		const cachedData = known.get(file);
		const script = new Script(source, {
			filename: path,
			importModuleDynamically,
			...(cachedData === undefined ? {} : { cachedData }),
		});
		if (script.cachedDataRejected !== false) isWhole = false;
		scripts.set(file, script);
		script.runInThisContext().call(module.exports, module.exports, find, module, path);
		return module.exports;
	};
	process.on("exit", (code) => {
		// A command that failed has called few of its functions. 2 says that something differs.
		if (isWhole || (code !== 0 && code !== 2)) return;
		writeCode(
			store,
			new Map([...known, ...[...scripts].map(([file, one]) => [file, one.createCachedData()] as const)]),
		);
	});
	load(main);
}

/** Returns what the file holds of this bundle; nothing if it is damaged: V8 would crash on it. */
function readCode(store: string): Code {
	try {
		const bytes = readFileSync(store);
		const content = bytes.subarray(digestBytes);
		if (!digestOf(content).equals(bytes.subarray(0, digestBytes))) return new Map();
		const end = content.indexOf(0);
		const index = JSON.parse(content.toString("utf8", 0, end)) as { build: string; sizes: [string, number][] };
		let at = end + 1;
		return new Map(
			(index.build === build ? index.sizes : []).map(([file, size]) => {
				at += size;
				return [file, content.subarray(at - size, at)];
			}),
		);
	} catch {
		return new Map();
	}
}

function writeCode(store: string, code: Code): void {
	const sizes = [...code].map(([file, { length }]) => [file, length]);
	const content = Buffer.concat([Buffer.from(`${JSON.stringify({ build, sizes })}\0`), ...code.values()]);
	const making = `${store}.${process.pid}`;
	try {
		writeFileSync(making, Buffer.concat([digestOf(content), content]), { flag: "wx", mode: 0o600 });
		renameSync(making, store);
	} catch {
		// The next run compiles again.
		rmSync(making, { force: true });
	}
}
