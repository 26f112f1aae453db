/** The commands of the pages for someone who has cloned the project, in a copy of it: they find or make the Pulumi engine. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { copyAsCloned } from "./clone.ts";
import { ensureEngine } from "./engine/engine.ts";
import { prepareOrSkip } from "./needs.ts";
import { isForTheClone, tours } from "./tours.ts";
import { playScene, readScenes } from "./transcript.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

describe("the commands for a clone", () => {
	const pages = [...tours.map(([file]) => file), "examples/consensus/README.md", "docs/examples/README.md"];
	const commands = pages.flatMap((file) => {
		const scenes = readScenes(readFileSync(join(root, file), "utf8")).filter(isForTheClone);
		return scenes.map(({ line, command }) => [`${file}:${line}`, command] as const);
	});
	let clone: string;
	let engine: string;

	prepareOrSkip(async () => {
		clone = mkdtempSync(join(tmpdir(), "orgsync-clone-"));
		// The clone has another home folder than the user who runs the tests.
		({ folder: engine } = await ensureEngine());
		const whole = [
			"src",
			"schemas",
			"examples",
			"scripts",
			"LICENSE",
			"sdk",
			"package.json",
			"package-lock.json",
			"Pulumi.yaml",
			"tsconfig.json",
			"vitest.config.ts",
		];
		// One test is enough: this one would run itself.
		const setUp = [
			"shared.ts",
			"left-out.ts",
			"leftovers.ts",
			"projects.ts",
			"quick-folder.ts",
			"case-count.ts",
			"fresh-modules.ts",
			"renew-modules.ts",
			"clock.cjs",
			"command.ts",
		].map((name) => `test/${name}`);
		for (const name of [...whole, "test/bounded-body.test.ts", ...setUp, "test/engine"])
			copyAsCloned(root, name, clone);
		for (const name of ["engine", "finding"]) rmSync(join(clone, `test/engine/${name}.test.ts`));
		// What `npm ci` builds. The commands would only build it again, as the tests themselves begin.
		cpSync(join(root, "dist"), join(clone, "dist"), { recursive: true });
		const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: { build: string } };
		manifest.scripts.build = "node --version";
		writeFileSync(join(clone, "package.json"), JSON.stringify(manifest));
		// What is installed, and the engine, which was made before the tests.
		for (const name of ["node_modules", ".engine"]) symlinkSync(join(root, name), join(clone, name));
	}, 20 * 60_000);

	afterAll(() => rmSync(clone, { recursive: true, force: true }));

	it("exist", () => expect(commands.length).toBeGreaterThan(1));

	/** The parts of all commands, each once: the next page's `npm ci` finds what the one before has found. */
	const parts = [...new Set(commands.flatMap(([, command]) => command.split(" && ")))];

	it.each(parts)("succeed: %s", (part) => {
		// The packages are those that are there: installing them needs the network. What is tested is that it could be done.
		const played = part.replace(/^npm ci\b/, "npm ci --dry-run --offline --ignore-scripts");
		const { PATH, NODE_COMPILE_CACHE } = process.env;
		const env = { PATH: [engine, PATH].join(delimiter), HOME: clone, NODE_COMPILE_CACHE };
		const { status, stdout, stderr } = spawnSync(played, { cwd: clone, shell: true, encoding: "utf8", env });
		expect(status, `${stdout}${stderr}`).toBe(0);
	}, 120_000);

	it("apply the quickstart's document with npm run up", () => {
		expect(commands.map(([, command]) => command)).toContain("npm ci && npm run up");
		const drift = playScene("npx orgsync drift --local -f examples/quickstart/document.yaml", clone);
		expect(drift).toContain("No drift. The organization is in sync.");
	});
});
