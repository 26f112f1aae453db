/**
 * docs/pulumi.md: its programs and commands are run from top to bottom, in one project of the real engine, against the
 * organization of the embedded service; its tables are compared with the code.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { localOrganizationId, localSeed } from "../../src/cli/local-seed.ts";
import { type Emulator, parseSeed, startEmulator } from "../../src/emulator/server.ts";
import { approvals, createApiKeyStamper, createClient, encodeSubmit } from "../../src/index.ts";
import * as room from "../../src/pulumi/dynamic/index.ts";
import { documentInputs } from "../../src/pulumi/organization-fields.ts";
import { environmentName, settingNames } from "../../src/pulumi/settings.ts";
import { queries } from "../../src/wire/operations.ts";
import { type Answer, expectSuccess, type Stack, startStack } from "../engine/harness.ts";
import { keys } from "../world.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), "utf8");
const page = read("docs/pulumi.md");

interface Block {
	/** Counts from 1; that of the fence. */
	readonly line: number;
	readonly word: string;
	readonly content: string;
}

function readBlocks(markdown: string): readonly Block[] {
	return [...markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(({ index, 1: word = "", 2: content = "" }) => ({
		line: markdown.slice(0, index).split("\n").length,
		word,
		content,
	}));
}

/** A command, its output on the page, and what happens before it. */
interface Scene {
	readonly line: number;
	readonly command: string;
	readonly shown: readonly string[];
	readonly before: readonly string[];
}

function readScenes({ line, word, content }: Block): readonly Scene[] {
	const scenes: { line: number; command: string; shown: string[]; before: string[] }[] = [];
	let before: string[] = [];
	for (const [index, text] of content.trimEnd().split("\n").entries()) {
		const [, comment] = /^# (.*)/.exec(text) ?? [];
		const command = word === "sh" ? text.replace(/\s+#.*/, "") : text.startsWith("$ ") ? text.slice(2) : undefined;
		if (comment !== undefined) before.push(comment);
		else if (command === undefined) scenes.at(-1)?.shown.push(text);
		else {
			scenes.push({ line: line + 1 + index, command, shown: [], before });
			before = [];
		}
	}
	return scenes;
}

/** What varies from run to run, as the page has it. */
function abridge(text: string): string {
	return text.replaceAll(/\b01[0-9a-f]{6}-[0-9a-f-]{27}\b/g, "01…").replaceAll(/sha256:[0-9a-f]{64}/g, "sha256:…");
}

/** The first of these lines that is not part of a line of the output, each after the one before it. */
function findMissing(shown: readonly string[], output: string): string | undefined {
	let rest = output;
	return shown.find((line) => {
		const at = rest.indexOf(line.trim());
		rest = rest.slice(at + line.trim().length);
		return at < 0;
	});
}

const bob = "3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c002";
const beta = "10000000-0000-4000-8000-000000000001";
const betaTag = "10000000-0000-4000-8000-000000000002";
const blocks = readBlocks(page);
const isProgram = ({ word, content }: Block): boolean =>
	(word === "typescript" || word === "javascript") && !content.startsWith("// index.test.ts");
const isTour = ({ word }: Block): boolean => word === "sh" || word === "console";

/** Whether no engine runs this program before the next one: then it is looked at in a preview. */
function isUnplayed(index: number): boolean {
	const isPlayed = (block: Block): boolean => isTour(block) && !block.content.startsWith("$ node ");
	const [next] = blocks.slice(index + 1).filter((block) => isProgram(block) || isPlayed(block));
	return next === undefined || isProgram(next);
}

const unplayed = blocks.filter((block, index) => isProgram(block) && isUnplayed(index));
const scenes = blocks.filter(isTour).flatMap(readScenes);

/** What the lines with `#` say. */
const events: Readonly<Record<string, (emulator: Emulator) => Promise<void>>> = {
	"removing policies takes two approvals from now on": (emulator) =>
		emulator.setRules(localOrganizationId, { approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } }),
	"bob approves, with whatever he uses for that": async (emulator) => {
		const fingerprint = String(emulator.state(localOrganizationId).activities.at(-1)?.fingerprint);
		const { privateKey } = keys.bob;
		const client = createClient({ url: emulator.url, stamper: createApiKeyStamper({ privateKey }) });
		const body = encodeSubmit(approvals.approve_activity, localOrganizationId, { fingerprint }, Date.now());
		expect(await client.submitter.submit(body)).toMatchObject({ kind: "activity" });
		await client.close();
	},
	"someone renames the tag signers and removes bob from it": (emulator) => {
		const { userTags = [] } = emulator.state(localOrganizationId).organization;
		const renamed = userTags
			.filter(({ tagName }) => tagName === "signers")
			.map(({ tagId, userIds = [] }) => ({
				tagId,
				tagName: "signatories",
				userIds: userIds.filter((userId) => userId !== bob),
			}));
		expect(renamed).toHaveLength(1);
		return emulator.changeState({ organizationId: localOrganizationId, userTags: renamed });
	},
};

describe("docs/pulumi.md", () => {
	const previews = new Map<number, Answer>();
	const answers = new Map<number, Answer>();
	let emulator: Emulator;
	let stack: Stack;

	/** Runs a command of the page, in the stack that the page makes. */
	const play = (command: string): Promise<Answer> => {
		const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain = ""]) => quoted ?? plain);
		if (words[0] === "node") return run(words.slice(1), stack.folder, {});
		if (words[0] === "pulumi") return stack.pulumi(words.slice(1), { env: { PULUMI_STACK: undefined } });
		if (words[0] !== "npx" || words[1] !== "orgsync") throw new Error(`nothing runs this: ${command}`);
		return runOrgsync(words.slice(2), stack.folder, environmentOf(emulator));
	};

	beforeAll(async () => {
		emulator = await startEmulator({ seed: parseSeed(localSeed(keys.alice.publicKey), "the seed") });
		const withKey = { userId: bob, userName: "bob", apiKeys: [{ publicKey: keys.bob.publicKey }] };
		await emulator.changeState({ organizationId: localOrganizationId, users: [withKey] });
		const userTags = [{ tagId: betaTag, tagName: "oncall" }];
		await emulator.changeState({ organizations: [{ organizationId: beta, users: [withKey], userTags }] });
		stack = await startStack({
			// What a reader has on disk beside the page's own files.
			files: { "Pulumi.yaml": contentOf("yaml", "# Pulumi.yaml"), "alice.private": keys.alice.privateKey },
			env: environmentOf(emulator),
		});
		await stack.configure({ "beta:organizationId": beta, "beta:apiPrivateKey": { secret: keys.bob.privateKey } });
		const manifest = JSON.parse(contentOf("json", "{")) as object;
		for (const [index, block] of blocks.entries()) {
			const [, name] = /^(?:\/\/|#) (\S+\.\w+)\n/.exec(block.content) ?? [];
			if (name !== undefined && !isTour(block)) stack.write({ [name]: block.content });
			if (isProgram(block)) {
				const type = name?.endsWith(".cjs") ? "commonjs" : "module";
				stack.write({ "package.json": JSON.stringify({ ...manifest, type, main: name }) });
			}
			if (isProgram(block) && isUnplayed(index)) previews.set(block.line, await stack.preview());
			for (const { line, command, before } of isTour(block) ? readScenes(block) : []) {
				for (const said of before) await (events[said] ?? unheardOf(said))(emulator);
				answers.set(line, await play(command));
			}
		}
	}, 20 * 60_000);

	afterAll(async () => {
		await emulator.close();
	});

	it("has programs and commands", () => {
		expect(unplayed.length).toBeGreaterThan(3);
		expect(scenes.length).toBeGreaterThan(10);
	});

	it.each(
		unplayed.map(({ line, content }) => [line, content.split("\n", 1)[0]] as const),
	)("line %i: the program %s passes a preview", (line) => {
		expectSuccess(previews.get(line) as Answer);
	});

	it.each(scenes)("line $line: $command", ({ line, shown }) => {
		const { exitCode, stdout, stderr } = answers.get(line) as Answer;
		const printed = abridge(`${stdout}\n${stderr}${exitCode === 0 ? "" : `\n(exit code ${exitCode})`}`);
		expect(findMissing(shown, printed), printed).toBeUndefined();
		if (!shown.some((text) => text.startsWith("(exit code"))) expect(exitCode, printed).toBe(0);
	});

	it("creates the activities that it describes, and no others", () => {
		const types = emulator.state(localOrganizationId).activities.map(({ type }) => type);
		// The first two go side by side.
		expect([...types.slice(0, 2).sort().reverse(), ...types.slice(2)]).toEqual([
			"ACTIVITY_TYPE_UPDATE_USER_TAG",
			"ACTIVITY_TYPE_DELETE_POLICIES",
			"ACTIVITY_TYPE_DELETE_POLICIES",
			"ACTIVITY_TYPE_APPROVE_ACTIVITY",
			"ACTIVITY_TYPE_UPDATE_USER_TAG",
			"ACTIVITY_TYPE_UPDATE_USER_TAG",
			"ACTIVITY_TYPE_DELETE_TVC_APP_AND_DEPLOYMENTS",
		]);
	});
});

function contentOf(word: string, start: string): string {
	const found = blocks.find((block) => block.word === word && block.content.startsWith(start));
	if (found === undefined) throw new Error(`docs/pulumi.md has no block ${word} that begins with ${start}`);
	return found.content;
}

function unheardOf(said: string): never {
	throw new Error(`the page says "${said}", and the test does not know what that is`);
}

function environmentOf({ url }: Emulator) {
	return { ORGSYNC_URL: url, ORGSYNC_KEY_FILE: "alice.private", ORGSYNC_ORGANIZATION_ID: localOrganizationId };
}

/** The command line as it was built. */
function runOrgsync(words: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Promise<Answer> {
	return run([join(root, "dist/cli/main.js"), ...words], cwd, env);
}

/** Node, with nothing of this environment. */
function run(words: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Promise<Answer> {
	const child = spawn(process.execPath, words, { cwd, env: { PATH: process.env.PATH, HOME: cwd, ...env } });
	const texts = { stdout: "", stderr: "" };
	for (const name of ["stdout", "stderr"] as const) {
		child[name].setEncoding("utf8").on("data", (text: string) => {
			texts[name] += text;
		});
	}
	child.stdin.end();
	return new Promise((resolve, reject) => {
		child.on("error", reject).on("close", (exitCode) => resolve({ exitCode, ...texts }));
	});
}

/** The text below a heading, up to the next one. */
function sectionOf(heading: string): string {
	const [, text = ""] = page.split(new RegExp(`^#{2,3} ${heading}$`, "m"));
	return text.split(/^#{2,3} /m, 1)[0] ?? "";
}

/** The rows of the tables of a section, without their heads; each cell's words in backticks. */
function rowsOf(heading: string): readonly (readonly (readonly string[])[])[] {
	const lines = sectionOf(heading)
		.split("\n")
		.filter((line) => line.startsWith("| `"));
	return lines.map((line) =>
		line
			.split("|")
			.slice(1, -1)
			.map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word)),
	);
}

const firstCells = (heading: string): readonly string[] => rowsOf(heading).map(([[word = ""] = []]) => word);

describe("the tables of docs/pulumi.md", () => {
	const files = [
		"dynamic/resource-class",
		"dynamic/classes",
		"dynamic/organization",
		"component",
		"organization-fields",
	];
	const sources = files.map((name) => read(`src/pulumi/${name}.ts`)).join("\n");
	/** The body of a class or an interface, after that of the one that it extends. */
	const bodyOf = (name: string): string => {
		const declaration = new RegExp(`(?:class|interface) ${name}\\b[^{]*?(?: extends (\\w+)[^{]*)?{([^]*?)\n}`);
		const [, parent, body = ""] = declaration.exec(sources) ?? [];
		return (parent === undefined ? "" : bodyOf(parent)) + body;
	};
	const namesIn = (text: string, pattern: RegExp): readonly string[] =>
		[...text.matchAll(pattern)].map(([, name = ""]) => name);
	const resources = ["UserTag", "OauthProviderRemoval", "PolicyRemoval", "TvcAppRemoval", "Organization"];

	it("list every class", () => {
		const classes = Object.keys(room).filter((name) => /^[A-Z]/.test(name));
		expect([...resources, "Provider"].sort()).toEqual(classes.sort());
		expect(firstCells("Resources")).toEqual(resources);
	});

	it.each(resources)("list the inputs and outputs of %s", (name) => {
		const inputs = namesIn(bodyOf(`${name}Args`), /^\treadonly (\w+)\??:/gm);
		expect(inputs.length).toBeGreaterThan(1);
		expect([...firstCells(name)].sort()).toEqual([...inputs].sort());
		const outputs = namesIn(bodyOf(name), /^\tdeclare readonly (\w+):/gm);
		expect(outputs.length).toBeGreaterThan(1);
		const [, told = ""] = /^Outputs: ([^.;]*?)(?:\.| with)/m.exec(sectionOf(name)) ?? [];
		expect(namesIn(told, /`(\w+)`/g)).toEqual(outputs);
	});

	it("list the fields of an Organization's summary", () => {
		const summary = namesIn(bodyOf("OrganizationSummary"), /^\treadonly (\w+):/gm);
		const [, told = ""] = /`summary` with ([^.]*)\./.exec(sectionOf("Organization")) ?? [];
		expect(namesIn(told, /`(\w+)`/g)).toEqual(summary);
	});

	it("list every setting by its three names", () => {
		expect(rowsOf("Provider and settings").map((cells) => cells.slice(0, 3).flat())).toEqual(
			settingNames.map((name) => [name, `orgsync:${name}`, environmentName(name)]),
		);
	});

	it("list every function with its arguments", () => {
		const rows = rowsOf("Functions");
		const functions = Object.keys(room).filter((name) => /^[a-z]/.test(name));
		expect(rows.flatMap(([plain = [], outputs = []]) => [...plain, ...outputs]).sort()).toEqual(functions.sort());
		const told = Object.fromEntries(rows.map(([[name = ""] = [], , words = []]) => [operationOf(name), words]));
		const fields = Object.values(queries).map(({ name, fields: all }) => [name, all.slice(1)]);
		const ofPlan = Object.keys(documentInputs).filter((name) => name !== "organizationId");
		expect(told).toEqual({ ...Object.fromEntries(fields), get_plan: ofPlan });
	});

	it("name the engine that the tests build", () => {
		const [, version = ""] = /pulumi\/pkg\/v3 (v\S+)/.exec(read("test/engine/cli/go.mod")) ?? [];
		expect(page).toContain(`the tests use ${version}`);
	});
});

/** The query that a function of this name asks. */
function operationOf(name: string): string {
	return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

describe("README.md", () => {
	it("shows a program that docs/pulumi.md runs", () => {
		const programs = readBlocks(read("README.md")).filter(isProgram);
		expect(programs.length).toBe(1);
		expect(blocks.map(({ content }) => content)).toContain(programs[0]?.content);
	});
});
