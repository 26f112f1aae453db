/** docs/pulumi-node.md: its programs and commands are run from top to bottom, in one project of the real engine. */
import { extname } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { localOrganizationId } from "../../src/cli/local-seed.ts";
import type { Emulator } from "../../src/emulator/server.ts";
import { type Answer, expectSuccess } from "../engine/answer.ts";
import { type Stack, startStack } from "../engine/harness.ts";
import { prepareOrSkip } from "../needs.ts";
import { keys } from "../world.ts";
import {
	type Block,
	beta,
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

const blocks = readBlocks(readText("docs/pulumi-node.md"));
const scenes = blocks.filter(isTour).flatMap(readScenes);
const isProgram = (block: Block): boolean => /^index\.(?:ts|cjs)$/.test(fileOf(block) ?? "");

/** Whether no engine runs this program before the next one: then it is looked at in one preview of all such programs. */
function isUnplayed(index: number): boolean {
	const isPlayed = (block: Block): boolean => isTour(block) && !block.content.startsWith("$ node ");
	const next = blocks.slice(index + 1).find((block) => isProgram(block) || isPlayed(block));
	return next === undefined || isProgram(next);
}

const unplayed = blocks.filter((block, index) => isProgram(block) && isUnplayed(index));

describe("docs/pulumi-node.md", () => {
	const answers = new Map<number, Answer>();
	let joined: Answer;
	let emulator: Emulator;
	let stack: Stack;

	prepareOrSkip(async () => {
		emulator = await startAcme();
		const [manifest, settings] = ["json", "yaml"].map((word) => blocks.find((block) => block.word === word)?.content);
		stack = await startStack({
			files: { ...keyFiles, "Pulumi.yaml": settings ?? "" },
			env: environmentOf(emulator),
		});
		await stack.configure({ "beta:organizationId": beta, "beta:apiPrivateKey": { secret: keys.bob.privateKey } });
		for (const block of blocks) {
			const name = fileOf(block);
			if (name !== undefined) stack.write({ [name]: block.content });
			if (isProgram(block)) {
				const type = name?.endsWith(".cjs") ? "commonjs" : "module";
				stack.write({ "package.json": JSON.stringify({ ...JSON.parse(manifest ?? ""), type, main: name }) });
			}
			for (const { line, command } of isTour(block) ? readScenes(block) : []) {
				answers.set(line, await playCommand(command, stack, emulator));
			}
		}
		const parts = unplayed.map((block, index) => [`part-${index}${extname(fileOf(block) ?? "")}`, block.content]);
		const imports = parts.map(([name], index) => `export * as part${index} from "./${name}";`);
		stack.write({
			...Object.fromEntries(parts),
			"index.ts": imports.join("\n"),
			"package.json": JSON.stringify({ ...JSON.parse(manifest ?? ""), type: "module", main: "index.ts" }),
		});
		joined = await stack.preview();
	}, 20 * 60_000);

	afterAll(async () => {
		await emulator.close();
	});

	it("has programs and commands", () => {
		expect(unplayed).toHaveLength(3);
		expect(scenes).toHaveLength(3);
	});

	it("has more programs, which pass a preview", () => {
		expectSuccess(joined);
	});

	it.each(scenes)("line $line: $command", ({ line, shown }) => {
		expectShown(answers.get(line) as Answer, shown);
	});

	it("has programs that Pulumi runs without a warning", () => {
		const printed = [...answers.values(), joined].map(({ stdout, stderr }) => stdout + stderr);
		// The key file that the tests write is one that others can read.
		expect(printed.filter((text) => /warning: (?!the key file)/i.test(text))).toEqual([]);
	});

	it("creates two activities", () => {
		const types = emulator.state(localOrganizationId).activities.map(({ type }) => type);
		expect(types.sort()).toEqual(["ACTIVITY_TYPE_DELETE_POLICIES", "ACTIVITY_TYPE_UPDATE_USER_TAG"]);
	});
});
