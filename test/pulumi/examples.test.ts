/**
 * The example of the dynamic resources plays its story as its README says and leaves nothing behind: its program with an engine in this
 * process, and its script with one that only writes down its commands. Programs in TypeScript, also those of the pages about Pulumi, are
 * checked against the types of the package. test/sdk/programs.test.ts runs the other examples with the real engine.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { localOrganizationId, localSeed } from "../../src/cli/local-seed.ts";
import { parseSeed, startEmulator } from "../../src/emulator/server.ts";
import { clockEnvironment } from "../clock.ts";
import { shown } from "../engine/answer.ts";
import { cheaperNode } from "../engine/cheaper.ts";
import { installPackage } from "../engine/install.ts";
import { shareNodeSdk } from "../engine/node-sdk.ts";
import { renewModules } from "../renew-modules.ts";
import { makeFolder } from "../run.ts";
import { keys } from "../world.ts";
import { makeInProcessStack } from "./in-process/stack.ts";
import { bob } from "./page.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const example = join(root, "examples/pulumi-node");
const readme = readFileSync(join(example, "README.md"), "utf8");
const blockOf = (word: string): string =>
	new RegExp(`^\`\`\`${word}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(readme)?.[1] ?? "";

/** The files of the example, whatever they are called. */
const files = (): readonly string[] => readdirSync(example, { recursive: true, encoding: "utf8" }).sort();

/** A folder with an engine that does nothing, and in its previews for drift finds some. */
function makeEngine(): string {
	const folder = makeFolder();
	const script = `#!/bin/sh
if [ "$1" = version ]; then echo v3.0.0; exit; fi
case "$*" in *"--refresh --expect-no-changes"*) exit 7; esac
`;
	for (const name of ["", "-language-nodejs", "-language-yaml", "-resource-pulumi-nodejs"])
		writeFileSync(join(folder, `pulumi${name}`), script, { mode: 0o755 });
	return folder;
}

/** Plays the script of the README in the clone, with all that it makes on disk in the folder. */
function playScript(temporary: string): { readonly status: number | null; readonly printed: string } {
	const [program = "", ...words] = blockOf("sh").trim().split(" ");
	expect(program).toBe("node");
	const path = [makeEngine(), process.env.PATH].join(delimiter);
	const env = { ...process.env, PATH: path, TMPDIR: temporary, ...cheaperNode, NO_COLOR: "1" };
	const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: root, env, encoding: "utf8" });
	return { status, printed: `${stdout}${stderr}` };
}

/** The story that was printed, with what an engine in this process prints below each of its commands. */
async function playProgram(printed: string): Promise<string> {
	const emulator = await startEmulator({ seed: parseSeed(localSeed(keys.alice.publicKey), "the seed") });
	onTestFinished(() => emulator.close());
	const env = {
		ORGSYNC_URL: emulator.url,
		ORGSYNC_API_PRIVATE_KEY: keys.alice.privateKey,
		ORGSYNC_ORGANIZATION_ID: localOrganizationId,
		...clockEnvironment(),
	};
	// The same program on the sources of the package, which are new ones for each command.
	const copy = join(makeFolder(), "index.ts");
	const sources = join(root, "src/pulumi/dynamic/index.ts");
	writeFileSync(
		copy,
		readFileSync(join(example, "index.ts"), "utf8").replace('"orgsync/pulumi"', JSON.stringify(sources)),
	);
	const program = async () => {
		renewModules((path) => path === copy);
		return { ...(await import(copy)) };
	};
	const stack = makeInProcessStack({ program, adapter: "dynamic", env });
	const lines: string[] = [];
	for (const line of printed.split("\n")) {
		lines.push(line);
		if (line.startsWith("$ orgsync apply ")) {
			const { userTags = [] } = emulator.state(localOrganizationId).organization;
			const [signers] = userTags.filter(({ tagName }) => tagName === "signers");
			const userIds = signers?.userIds?.filter((userId) => userId !== bob);
			const renamed = [{ ...signers, tagName: "signatories", userIds }];
			await emulator.changeState({ organizationId: localOrganizationId, userTags: renamed });
		}
		if (line.startsWith("$ pulumi ") && !line.startsWith("$ pulumi stack ")) {
			lines.push(shown(await stack.pulumi(line.split(" ").slice(2))));
		}
	}
	return lines.join("\n");
}

describe("the example of the dynamic resources", () => {
	it("plays its story to the end, prints what its README shows, in this order, and leaves nothing behind", async () => {
		const before = files();
		const temporary = makeFolder();
		const { status, printed } = playScript(temporary);
		expect(status, printed).toBe(0);
		expect(files()).toEqual(before);
		expect(readdirSync(temporary).filter((file) => file.startsWith("orgsync"))).toEqual([]);
		const expected = blockOf("text").trim().split("\n");
		expect(expected.length).toBeGreaterThan(10);
		let rest = await playProgram(printed);
		for (const line of expected) {
			expect(rest).toContain(line.trim());
			rest = rest.slice(rest.indexOf(line.trim()) + line.trim().length);
		}
	}, 60_000);
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

	/** What the compiler has to say of these files, with the example's own settings; what the compiler itself brings is not checked. */
	function compile(...files: readonly string[]): readonly string[] {
		const settings = JSON.parse(readFileSync(join(place, "tsconfig.json"), "utf8")) as object;
		writeFileSync(join(place, "tsconfig.json"), JSON.stringify({ ...settings, include: files }));
		const words = [join(root, "node_modules/typescript-native/bin/tsc"), "--skipDefaultLibCheck"];
		const { status, stdout } = spawnSync(process.execPath, words, { cwd: place, encoding: "utf8" });
		expect(status).not.toBeNull();
		return stdout.trim().split("\n");
	}

	it("match the types of the package, which reject wrong arguments", { timeout: 120_000 }, () => {
		const program = readFileSync(join(place, "index.ts"), "utf8");
		const wrong = program.replace('onDestroy: "removeMembers"', 'onDestroy: "remove"').replace("appId:", "app:");
		const pages = ["pulumi", "pulumi-node"].map((page) => readFileSync(join(root, `docs/${page}.md`), "utf8"));
		const shown = [...pages.join("\n").matchAll(/^```typescript\n([\s\S]*?)^```$/gm)].map(
			([, content = ""]) => content,
		);
		expect(shown.length).toBeGreaterThan(4);
		for (const [index, content] of shown.entries()) writeFileSync(join(place, `shown-${index}.ts`), content);
		writeFileSync(join(place, "wrong.ts"), wrong);
		expect(compile("index.ts", "index.test.ts", "shown-*.ts", "wrong.ts").filter((line) => /^\S/.test(line))).toEqual([
			expect.stringMatching(/^wrong\.ts.*Type '"remove"' is not assignable to type/),
			expect.stringMatching(/^wrong\.ts.*'app' does not exist in type 'TvcAppRemovalArgs'/),
		]);
	});

	it("have the resources of the quick start in YAML, in TypeScript too", () => {
		const page = readFileSync(join(root, "docs/pulumi.md"), "utf8");
		const [, yaml = ""] = /^```yaml\n(# Pulumi\.yaml\n[\s\S]*?)^```$/m.exec(page) ?? [];
		const [, code = ""] = /^```typescript\n(\/\/ index\.ts\n[\s\S]*?)^```$/m.exec(page) ?? [];
		writeFileSync(join(place, "quick-start.ts"), code);
		const script = `import { runtime } from "@pulumi/pulumi";
const resources = {};
await runtime.setMocks({
	newResource({ type, name, inputs }) {
		resources[name] = { type, properties: inputs };
		return { id: name, state: inputs };
	},
	call: () => ({}),
});
process.once("beforeExit", () => console.log(JSON.stringify(resources)));
await import("./quick-start.ts");
`;
		writeFileSync(join(place, "quick-start.mjs"), script);
		const { stdout, stderr } = spawnSync(process.execPath, ["quick-start.mjs"], { cwd: place, encoding: "utf8" });
		const { variables } = parse(yaml) as { readonly variables: Readonly<Record<string, string>> };
		const plain = yaml.replaceAll(/\$\{(\w+)\}/g, (all, name: string) => variables[name] ?? all);
		expect(stdout, stderr).toContain("orgsync:index:UserTag");
		expect(JSON.parse(stdout)).toEqual(parse(plain).resources);
	});
});
