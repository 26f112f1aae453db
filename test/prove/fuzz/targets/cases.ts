/** Files of access cases, changed as texts and as trees, judged in a seed: a damaged file never passes. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments, stringify } from "yaml";
import { checkSchema } from "../../../check-schema.ts";
import { folder, runCommand } from "../command.ts";
import type { Dice } from "../dice.ts";
import { isList, isObject, type Json, type Outcome, type Target, textAt } from "../input.ts";
import { mutateText, mutateTree, type Words, wordsOf } from "../mutate.ts";
import { readCorpus, readTexts } from "../sources.ts";

let sound = "";
let texts: readonly string[] = [];
let trees: readonly Json[] = [];
let words: Words = wordsOf([]);

/** Returns the only document of the text as a tree, as the YAML package alone reads it; null where it is none. */
function readTree(text: string): Json {
	const [document, other] = parseAllDocuments(text, { uniqueKeys: true });
	if (document === undefined || !("errors" in document) || other !== undefined) return null;
	return document.errors.length > 0 ? null : (JSON.parse(JSON.stringify(document.toJS() ?? null)) as Json);
}

function make(dice: Dice): Json {
	const isTree = dice.chance(0.5);
	// The names of an example are of its own organization: a file of the corpus can be judged.
	const [text, tree] = dice.chance(0.8) ? [sound, readTree(sound)] : [dice.pick(texts), dice.pick(trees)];
	const made = isTree ? stringify(mutateTree(tree, dice, words, dice.small(3))) : text;
	return {
		text: mutateText(made, dice, words, isTree ? dice.small(2) : dice.small(4)),
		format: dice.pick(["text", "json", "junit", "markdown"]),
	};
}

const allowed: readonly number[] = [0, 3, 10, 11];

async function read(input: Json): Promise<Outcome> {
	const text = textAt(input, "text");
	writeFileSync(join(folder, "a.access.yaml"), text);
	const call = ["test", "a.access.yaml", "--offline", "seed.yaml", "--format"];
	const ended = await runCommand([...call, textAt(input, "format") || "text"]);
	if (!allowed.includes(ended.code)) throw new Error(`the exit code is ${ended.code}: ${ended.printed}`);
	if (ended.code === 3) return ended;
	const tree = readTree(text);
	const [mistake] = checkSchema("access.json", tree);
	if (mistake !== undefined) throw new Error(`a file was judged that its schema refuses: ${mistake.message}`);
	const { stdout } = await runCommand([...call, "json"]);
	const judged = JSON.parse(stdout).organizations.flatMap(({ cases }: { cases: Json[] }) => cases);
	const written = isObject(tree) && isList(tree.tests) ? tree.tests : [];
	const namesOf = (list: readonly Json[]) => list.map((one) => (isObject(one) ? one.name : one));
	if (JSON.stringify(namesOf(judged)) !== JSON.stringify(namesOf(written)))
		throw new Error(`not the cases of the file were judged: ${JSON.stringify(namesOf(judged))}`);
	return { ...ended, accepted: true };
}

export const cases: Target = {
	name: "cases",
	share: 60,
	begin() {
		[sound = ""] = readCorpus("cases", ".access.yaml");
		texts = readTexts("examples", ".access.yaml");
		trees = texts.map(readTree).filter(isObject);
		words = wordsOf([...trees, readTree(sound)], [...texts, sound]);
		writeFileSync(join(folder, "seed.yaml"), readCorpus("cases", "seed.yaml")[0] ?? "");
		writeFileSync(join(folder, "transfer.json"), '{ "type": "ACTIVITY_TYPE_SIGN_TRANSACTION_V2", "parameters": {} }');
	},
	make,
	read,
};
