/**
 * examples/policies-pulumi/README.md: its commands are run from top to bottom with the real engine, on an organization that begins with
 * no tags and no policies.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Emulator, parseSeed, startEmulator } from "../../src/emulator/server.ts";
import type { Answer } from "../engine/answer.ts";
import { type Stack, startStack } from "../engine/harness.ts";
import { typescriptRuntime } from "../engine/languages.ts";
import { prepareOrSkip } from "../needs.ts";
import { expectShown, isTour, playCommand, readBlocks, readScenes, readText } from "../pulumi/page.ts";
import { keys } from "../world.ts";

const example = "examples/policies-pulumi";
const blocks = readBlocks(readText(`${example}/README.md`));
const scenes = blocks.filter(isTour).flatMap(readScenes);
const organizationId = "5b7e1f90-2c4d-4a6b-8e13-7f0a9c2d5a01";

const filesOf = (language: string): Readonly<Record<string, string>> =>
	Object.fromEntries(
		readdirSync(join(example, language)).map((name) => [name, readText(join(example, language, name))]),
	);

const program = filesOf("yaml");

/** The program with the change of a block of the page, a removed line and the line in its place. */
function edit(difference: string): Readonly<Record<string, string>> {
	const [before = "", after = ""] = difference.split("\n").map((line) => line.slice(1));
	const text = program["Pulumi.yaml"] ?? "";
	expect(text).toContain(`${before}\n`);
	return { "Pulumi.yaml": text.replace(before, () => after) };
}

describe(example, () => {
	const answers = new Map<number, Answer>();
	let emulator: Emulator;
	let stack: Stack;

	prepareOrSkip(async () => {
		const seed = Object.entries({ ALICE: keys.alice, BOB: keys.bob, PIPELINE: keys.stranger }).reduce(
			(text, [name, { publicKey }]) => text.replace(`${name}_PUBLIC_KEY`, `"${publicKey}"`),
			readText("examples/policies/seed.yaml"),
		);
		emulator = await startEmulator({ seed: parseSeed(seed, "seed.yaml") });
		stack = await startStack({
			...(await typescriptRuntime()),
			files: { ...program, "import.json": readText(`${example}/import.json`) },
			env: {
				ORGSYNC_URL: emulator.url,
				ORGSYNC_API_PRIVATE_KEY: keys.alice.privateKey,
				ORGSYNC_ORGANIZATION_ID: organizationId,
			},
			plugin: true,
			orgsync: null,
		});
		let change = "";
		for (const block of blocks) {
			if (block.word === "diff") change = block.content;
			for (const { line, command, before } of isTour(block) ? readScenes(block) : []) {
				for (const said of before) await happen(said, change);
				answers.set(line, await playCommand(command, stack, emulator));
				made ??= command.startsWith("pulumi up") ? emulator.state(organizationId).organization : undefined;
			}
		}
	}, 20 * 60_000);

	/** What was made from nothing. */
	let made: ReturnType<Emulator["state"]>["organization"] | undefined;

	/** What the lines with `#` say. */
	async function happen(said: string, change: string): Promise<void> {
		if (said === "the project is the one in TypeScript") stack.write(filesOf("typescript"));
		else if (said === "the project is the one in YAML") stack.write(program);
		else if (said === "the project is the one in YAML with this change") stack.write(edit(change));
		else if (said === "someone makes these tags and policies in the dashboard" && made !== undefined) {
			const { userTags = [], policies = [] } = made;
			await emulator.changeState({ organizationId, userTags, policies });
		} else throw new Error(`the page says "${said}", and the test does not know what that is`);
	}

	afterAll(() => emulator?.close());

	it.each(scenes)("line $line: $command", ({ line, shown }) => expectShown(answers.get(line) as Answer, shown));

	it("submits one activity for each object that is created or deleted, and nothing for the import", () => {
		const types = emulator
			.state(organizationId)
			.activities.map(({ type }) => String(type).slice("ACTIVITY_TYPE_".length));
		const [policies, tags] = [3, 2];
		expect(types.toSorted()).toEqual([
			...Array(policies).fill("CREATE_POLICIES"),
			...Array(tags).fill("CREATE_USER_TAG"),
			...Array(policies).fill("DELETE_POLICIES"),
			...Array(tags).fill("DELETE_USER_TAGS"),
		]);
	});
});
