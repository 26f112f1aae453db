/**
 * The example of the dynamic resources plays its story as its README says and leaves nothing behind. Programs in TypeScript, also
 * those of the pages about Pulumi, are checked against the types of the package. test/sdk/programs.test.ts runs the other examples.
 */
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { cheaperNode } from "../engine/cheaper.ts";
import { ensureEngine } from "../engine/engine.ts";
import { installPackage } from "../engine/install.ts";
import { shareNodeSdk } from "../engine/node-sdk.ts";
import { prepareOrSkip } from "../needs.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const examples = ["pulumi-node"] as const;

/** Everything that the examples make on disk, in a folder of its own, so that one sees that nothing is left. */
const temporary = mkdtempSync(join(tmpdir(), "orgsync-examples-"));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

interface Played {
	readonly exitCode: number | null;
	readonly printed: string;
}

const readmeOf = (name: string): string => readFileSync(join(root, "examples", name, "README.md"), "utf8");
const blockOf = (name: string, word: string): string =>
	new RegExp(`^\`\`\`${word}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(readmeOf(name))?.[1] ?? "";

/** Plays the command of an example's README in the clone. */
function play(name: string): Promise<Played> {
	const [program = "", ...words] = blockOf(name, "sh").trim().split(" ");
	expect(program).toBe("node");
	const env = { ...process.env, TMPDIR: temporary, ...cheaperNode, NO_COLOR: "1" };
	const child = spawn(process.execPath, words, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
	let printed = "";
	for (const stream of [child.stdout, child.stderr]) {
		stream.setEncoding("utf8").on("data", (text: string) => {
			printed += text;
		});
	}
	return new Promise((resolve, reject) => {
		child.on("error", reject).on("close", (exitCode) => resolve({ exitCode, printed }));
	});
}

/** The files of an example, whatever they are called. */
const filesOf = (name: string): readonly string[] =>
	readdirSync(join(root, "examples", name), { recursive: true, encoding: "utf8" }).sort();

describe("the Pulumi examples", () => {
	const played = new Map<string, Played>();
	const before = new Map(examples.map((name) => [name, filesOf(name)]));

	prepareOrSkip(async () => {
		await ensureEngine();
		// Side by side: most of the time the engine waits.
		await Promise.all(examples.map(async (name) => played.set(name, await play(name))));
	}, 20 * 60_000);

	it.each(examples)("examples/%s plays its story to the end", (name) => {
		const { exitCode, printed } = played.get(name) as Played;
		expect(exitCode, printed).toBe(0);
	});

	it.each(examples)("examples/%s prints what its README shows, in this order", (name) => {
		const lines = blockOf(name, "text").trim().split("\n");
		expect(lines.length).toBeGreaterThan(10);
		let rest = played.get(name)?.printed ?? "";
		for (const line of lines) {
			expect(rest).toContain(line.trim());
			rest = rest.slice(rest.indexOf(line.trim()) + line.trim().length);
		}
	});

	it.each(examples)("examples/%s leaves nothing behind", (name) => {
		expect(filesOf(name)).toEqual(before.get(name));
		// What Pulumi itself keeps there is its own.
		expect(readdirSync(temporary).filter((file) => file.startsWith("orgsync"))).toEqual([]);
	});
});

describe("examples/pulumi-node/index.ts and the programs of docs/pulumi.md and docs/pulumi-node.md", () => {
	let place: string;

	beforeAll(async () => {
		// As `npm install` would leave it, with what the package publishes and nothing else of the clone.
		place = mkdtempSync(join(tmpdir(), "orgsync-example-types-"));
		installPackage(join(place, "node_modules/orgsync"));
		for (const name of ["@pulumi", "yaml", "@types/node"]) {
			mkdirSync(dirname(join(place, "node_modules", name)), { recursive: true });
			symlinkSync(join(root, "node_modules", name), join(place, "node_modules", name));
		}
		mkdirSync(join(place, "node_modules/@orgsync"));
		symlinkSync(await shareNodeSdk(inject("sharedFolder")), join(place, "node_modules/@orgsync/pulumi"));
		for (const file of ["index.ts", "index.test.ts", "package.json", "tsconfig.json"]) {
			cpSync(join(root, "examples/pulumi-node", file), join(place, file));
		}
	}, 120_000);

	afterAll(() => rmSync(place, { recursive: true, force: true }));

	/** What the compiler has to say of these files, with the example's own settings. */
	function compile(...files: readonly string[]): readonly string[] {
		const settings = JSON.parse(readFileSync(join(place, "tsconfig.json"), "utf8")) as object;
		writeFileSync(join(place, "tsconfig.json"), JSON.stringify({ ...settings, include: files }));
		const compiler = join(root, "node_modules/typescript/bin/tsc");
		const { status, stdout } = spawnSync(process.execPath, [compiler], { cwd: place, encoding: "utf8" });
		expect(status).not.toBeNull();
		return stdout.trim().split("\n");
	}

	it("match the types of the package, which reject wrong arguments", { timeout: 120_000 }, () => {
		const program = readFileSync(join(place, "index.ts"), "utf8");
		const wrong = program.replace('onDestroy: "removeMembers"', 'onDestroy: "delete"').replace("appId:", "app:");
		const pages = ["pulumi", "pulumi-node"].map((page) => readFileSync(join(root, `docs/${page}.md`), "utf8"));
		const shown = [...pages.join("\n").matchAll(/^```typescript\n([\s\S]*?)^```$/gm)].map(
			([, content = ""]) => content,
		);
		expect(shown.length).toBeGreaterThan(4);
		for (const [index, content] of shown.entries()) writeFileSync(join(place, `shown-${index}.ts`), content);
		writeFileSync(join(place, "wrong.ts"), wrong);
		expect(compile("index.ts", "index.test.ts", "shown-*.ts", "wrong.ts").filter((line) => /^\S/.test(line))).toEqual([
			expect.stringMatching(/^wrong\.ts.*Type '"delete"' is not assignable to type/),
			expect.stringMatching(/^wrong\.ts.*'app' does not exist in type 'TvcAppRemovalArgs'/),
		]);
	});
});
