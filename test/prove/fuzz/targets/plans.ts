/** Saved plans: changed as texts, and as trees whose digest fits all the same. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { OrgsyncError } from "../../../../src/common/errors.ts";
import { decodeSavedPlan } from "../../../../src/document/saved/saved-plan.ts";
import { digestOf } from "../../../../src/plan/value.ts";
import { folder, printError, runCommand } from "../command.ts";
import type { Dice } from "../dice.ts";
import { isObject, type Json, type JsonObject, type Outcome, type Target, textAt } from "../input.ts";
import { mutateText, mutateTree, type Words, wordsOf } from "../mutate.ts";
import { RecordedService } from "../recorded-service.ts";

const formats = ["text", "json", "markdown", "html", "github"];

/** Max parts of a plan to change at once. */
const maxChanges = 3;

let content: JsonObject = {};
let source = "";
let words: Words = wordsOf([]);

function make(dice: Dice): Json {
	const format = dice.pick(formats);
	if (dice.chance(0.15)) return { format, text: mutateText(source, dice, words, 1 + dice.small(4)) };
	return { format, content: mutateTree(content, dice, words, dice.small(maxChanges + 1)), isSealed: dice.chance(0.95) };
}

/** Returns the text of the file. The digest of a forged plan fits what it holds: anyone who can write the file can do that too. */
function textOf(input: Json): string {
	if (!isObject(input) || input.content === undefined) return textAt(input, "text");
	if (!isObject(input.content)) return JSON.stringify(input.content);
	return JSON.stringify({ ...input.content, digest: input.isSealed === true ? digestIn(input.content) : "sha256:0" });
}

/** Returns the digest of the content; one that does not fit where it is nested too deep to have one. */
function digestIn(tree: JsonObject): string {
	try {
		return digestOf(tree);
	} catch (error) {
		if (error instanceof OrgsyncError) return "sha256:0";
		throw error;
	}
}

async function read(input: Json): Promise<Outcome> {
	const text = textOf(input);
	try {
		decodeSavedPlan(text, "plan.json");
	} catch (error) {
		if (!(error instanceof OrgsyncError)) throw error;
		return printError("show", error);
	}
	const { printed, markup = false } = await runCommand(["show", "-", "--format", textAt(input, "format")], {
		stdin: text,
	});
	return { accepted: true, printed, markup };
}

export const plans: Target = {
	name: "plans",
	share: 100,
	async begin() {
		const service = await RecordedService.start();
		writeFileSync(join(folder, "orgsync.yaml"), service.document);
		const { printed, code } = await runCommand(["plan", "--out", "plan.json"], { environment: service.environment });
		await service.close();
		if (code !== 0) throw new Error(`no plan could be saved: ${printed}`);
		source = readFileSync(join(folder, "plan.json"), "utf8");
		const { digest: _digest, ...rest } = JSON.parse(source) as JsonObject;
		content = rest;
		words = wordsOf([content], [source]);
	},
	make,
	read,
};
