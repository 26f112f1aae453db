/**
 * docs/pulumi.md: its programs and commands are run from top to bottom, in one project of the real engine, against the
 * organization of the local emulator.
 */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, inject, it } from "vitest";
import { parse, stringify } from "yaml";
import { localOrganizationId } from "../../src/cli/local-seed.ts";
import type { Emulator } from "../../src/emulator/server.ts";
import { approvals, createApiKeyStamper, createClient, encodeSubmit } from "../../src/index.ts";
import { type Answer, expectSuccess } from "../engine/answer.ts";
import { makeGoModule } from "../engine/go-program.ts";
import { type Stack, startStack } from "../engine/harness.ts";
import { shareArchives } from "../engine/install.ts";
import { goRuntime, pythonRuntime, type Runtime } from "../engine/languages.ts";
import { orSkip } from "../left-out.ts";
import { prepareOrSkip } from "../needs.ts";
import { makeOnce } from "../shared.ts";
import { keys } from "../world.ts";
import {
	type Block,
	beta,
	bob,
	environmentOf,
	expectShown,
	fileOf,
	isTour,
	keyFiles,
	playCommand,
	readBlocks,
	readScenes,
	readText,
	startAcme,
} from "./page.ts";

const blocks = readBlocks(readText("docs/pulumi.md"));
const scenes = blocks.filter(isTour).flatMap(readScenes);

/** The first program: the others have its name, runtime and plugin. */
const quickStart = blocks.find((block) => fileOf(block) === "Pulumi.yaml")?.content ?? "";
const head = quickStart.slice(0, quickStart.indexOf("variables:"));

/** The Pulumi.yaml of a block in YAML, if it is a program. */
function programOf({ word, content }: Block): string | undefined {
	if (word !== "yaml") return undefined;
	if (content === quickStart) return content;
	return /^(?:config|variables|resources):/.test(content) ? head + content : undefined;
}

/** Programs that no command follows: they are looked at in one preview of all. */
const unplayed = blocks.filter((block, index) => {
	const next = blocks.slice(index + 1).find((one) => isTour(one) || programOf(one) !== undefined);
	return programOf(block) !== undefined && (next === undefined || !isTour(next));
});

type Sections = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** One program of all these. Throws where two have a name in common, or one refers to a name that only another has. */
function joinPrograms(programs: readonly Block[]): string {
	const joined: Record<string, Record<string, unknown>> = {};
	for (const { line, content } of programs) {
		const sections = parse(content) as Sections;
		const own = Object.values(sections).flatMap(Object.keys);
		for (const [, name = ""] of content.matchAll(/(?<!\$)\$\{([\w-]+)/g)) {
			if (!own.includes(name)) throw new Error(`line ${line}: the program has no ${name}`);
		}
		for (const [section, values] of Object.entries(sections)) {
			joined[section] ??= {};
			for (const [name, value] of Object.entries(values)) {
				if (name in joined[section]) throw new Error(`line ${line}: another program has ${name} too`);
				joined[section][name] = value;
			}
		}
	}
	return head + stringify(joined);
}

const shared = inject("sharedFolder");

/** The programs in other languages, and what runs them. */
const programs = "docs/examples/pulumi-policy";
const makers: Readonly<Record<string, () => Promise<Runtime>>> = {
	Python: pythonRuntime,
	Go: async () => {
		const program = readText(`${programs}/main.go`);
		return goRuntime(await makeOnce(shared, "go-of-docs", (folder) => makeGoModule(folder, program)));
	},
};

/** The archive that the page installs. */
const archive = "pulumi-resource-orgsync-v0.1.0-linux-amd64.tar.gz";

/** What the lines with `#` say. */
const events: Readonly<Record<string, (emulator: Emulator) => Promise<void>>> = {
	"removing policies takes two approvals from now on": (emulator) =>
		emulator.setRules(localOrganizationId, { approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } }),
	"bob approves, with whatever he uses for that": async (emulator) => {
		const fingerprint = String(emulator.state(localOrganizationId).activities.at(-1)?.fingerprint);
		const { privateKey } = keys.bob;
		const client = createClient({ url: emulator.url, stamper: createApiKeyStamper({ privateKey }) });
		const body = encodeSubmit(approvals.approve_activity, localOrganizationId, { fingerprint }, Date.now());
		expect(await client.voter.vote(body)).toMatchObject({ kind: "activity" });
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

function unheardOf(said: string): never {
	throw new Error(`the page says "${said}", and the test does not know what that is`);
}

describe("docs/pulumi.md", () => {
	const answers = new Map<number, Answer>();
	let emulator: Emulator;
	let stack: Stack;

	/** The other languages of the page, so far as they are here. */
	const runtimes = new Map<string, Runtime>();
	let joined: Answer;

	prepareOrSkip(async () => {
		emulator = await startAcme();
		for (const [word, make] of Object.entries(makers)) {
			const runtime = await make().catch(() => undefined);
			if (runtime !== undefined) runtimes.set(word, runtime);
		}
		const named = Object.fromEntries(blocks.map((block) => [fileOf(block), block.content]));
		delete named.undefined;
		stack = await startStack({
			files: {
				...named,
				"__main__.py": readText(`${programs}/__main__.py`),
				...keyFiles,
				"Pulumi.yaml": quickStart,
			},
			env: { ...environmentOf(emulator), ...runtimes.get("Python")?.env },
			path: [...runtimes.values()].flatMap(({ path = [] }) => path),
			orgsync: {},
		});
		const archives = await shareArchives(shared);
		for (const name of ["SHA256SUMS", archive]) cpSync(join(archives, name), join(stack.folder, name));
		await stack.configure({
			"acme-access:betaOrganizationId": beta,
			"acme-access:betaPrivateKey": { secret: keys.bob.privateKey },
		});
		for (const block of blocks) {
			const program = programOf(block);
			if (program !== undefined) stack.write({ "Pulumi.yaml": program });
			for (const { line, command, before } of isTour(block) ? readScenes(block) : []) {
				for (const said of before) {
					const [, language] = /^the program is the one in (\w+)$/.exec(said) ?? [];
					if (language === undefined) await (events[said] ?? unheardOf(said))(emulator);
					const runtime = runtimes.get(language ?? "")?.runtime;
					if (runtime !== undefined)
						stack.write({ "Pulumi.yaml": head.replace("runtime: yaml", `runtime: ${runtime}`) });
				}
				answers.set(line, await playCommand(command, stack, emulator));
			}
		}
		stack.write({ "Pulumi.yaml": joinPrograms(unplayed) });
		joined = await stack.preview();
	}, 20 * 60_000);

	afterAll(async () => {
		await emulator.close();
	});

	it("has programs and commands", () => {
		expect(unplayed.length).toBeGreaterThan(2);
		expect(scenes.length).toBeGreaterThan(14);
	});

	it("has more programs, which pass a preview", () => {
		expectSuccess(joined);
	});

	it.for(Object.entries(makers))("runs a program in %s", async ([, make], context) => {
		await orSkip(context, make);
	});

	it.each(scenes)("line $line: $command", ({ line, shown }) => {
		expectShown(answers.get(line) as Answer, shown);
	});

	it("runs the plugin of the npm package by its path, without a warning of Pulumi", () => {
		const printed = [...answers.values(), joined].map(({ stdout, stderr }) => stdout + stderr);
		expect(printed.filter((text) => /warning: (?!using pulumi-language-go ).*(plugin|PATH)/.test(text))).toEqual([]);
	});

	it("creates the activities that it describes, and no others", () => {
		const types = emulator.state(localOrganizationId).activities.map(({ type }) => type);
		// The first two go side by side.
		expect([...types.slice(0, 2).sort().reverse(), ...types.slice(2)]).toEqual([
			"ACTIVITY_TYPE_UPDATE_USER_TAG",
			"ACTIVITY_TYPE_DELETE_POLICIES",
			"ACTIVITY_TYPE_CREATE_USER_TAG",
			"ACTIVITY_TYPE_CREATE_POLICIES",
			"ACTIVITY_TYPE_DELETE_POLICIES",
			"ACTIVITY_TYPE_DELETE_USER_TAGS",
			"ACTIVITY_TYPE_DELETE_POLICIES",
			"ACTIVITY_TYPE_APPROVE_ACTIVITY",
			"ACTIVITY_TYPE_UPDATE_USER_TAG",
			"ACTIVITY_TYPE_UPDATE_USER_TAG",
			"ACTIVITY_TYPE_DELETE_TVC_APP_AND_DEPLOYMENTS",
		]);
	});
});

describe("README.md", () => {
	it("shows the variables and the first resource of a program that docs/pulumi.md runs", () => {
		const [, section = ""] = readText("README.md").split("\n## With Pulumi\n");
		const shown = readBlocks(section)[0]?.content ?? "";
		expect(shown).toMatch(/^variables:\n/);
		expect(shown).toContain("type: orgsync:index:UserTag");
		expect(quickStart.slice(0, head.length + shown.length)).toBe(head + shown);
	});
});
