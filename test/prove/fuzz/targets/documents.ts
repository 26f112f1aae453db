/** Documents in YAML: those of the examples and the tests, changed as texts and as trees. */
import { isDocument, parseAllDocuments, stringify } from "yaml";
import { DocumentError, type Problem } from "../../../../src/common/errors.ts";
import { type ListFinder, parseDocuments } from "../../../../src/document/read/parse.ts";
import { printError, runCommand } from "../command.ts";
import type { Dice } from "../dice.ts";
import { type Json, type Outcome, type Target, textAt } from "../input.ts";
import { mutateText, mutateTree, type Words, wordsOf } from "../mutate.ts";
import { readCorpus, readTexts } from "../sources.ts";

const environment = {
	ORGSYNC_VAR_SECRET: "canary-of-the-environment",
	ORGSYNC_VAR_NAME: "signers",
	ORGSYNC_VAR_N: "7",
	ORGSYNC_VAR_ID: "0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a11",
	ORGSYNC_VAR_ALICE: "3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c001",
};

/** Sound documents, and all of which others are made. */
let sound: readonly string[] = [];
let texts: readonly string[] = [];
let lists: readonly string[] = [];
let trees: readonly Json[] = [];
let words: Words = wordsOf([]);

/** Returns the documents of a text as trees; none for a text that is no YAML, or that refers to itself. */
function readTrees(text: string): readonly Json[] {
	try {
		return parseAllDocuments(text).flatMap((document) => toTree(document));
	} catch {
		return [];
	}
}

function toTree(document: object): readonly Json[] {
	if (!isDocument(document) || document.errors.length > 0) return [];
	const text = JSON.stringify(document.toJS() ?? null);
	return text.length > 10_000 ? [] : [JSON.parse(text) as Json];
}

function writeTree(tree: Json, dice: Dice): string {
	if (dice.chance(0.4)) return JSON.stringify(tree);
	try {
		return stringify(tree, { aliasDuplicateObjects: false, collectionStyle: dice.pick(["any", "block", "flow"]) });
	} catch {
		return JSON.stringify(tree);
	}
}

function make(dice: Dice): Json {
	const isTree = dice.chance(0.4);
	const made = isTree
		? writeTree(mutateTree(dice.pick(trees), dice, words, dice.small(4)), dice)
		: dice.pick(dice.chance(0.6) ? sound : texts);
	const text = mutateText(made, dice, words, isTree ? dice.small(2) : dice.small(5));
	const list = /from: *"?desks/.test(text) ? mutateText(dice.pick(lists), dice, words, dice.small(4)) : "";
	return {
		text: dice.chance(0.05) ? `${text}\n---\n${dice.pick(texts)}` : text,
		list,
		encoding: dice.chance(0.1) ? dice.pick(["latin1", "utf16le"]) : "utf8",
		command: dice.chance(0.05) ? dice.pick(["text", "json"]) : "",
	};
}

async function read(input: Json): Promise<Outcome> {
	const encoding = textAt(input, "encoding");
	const isKnown = encoding === "latin1" || encoding === "utf16le";
	const content = Buffer.from(textAt(input, "text"), isKnown ? encoding : "utf8");
	const format = textAt(input, "command");
	if (format === "text" || format === "json") {
		return runCommand(["validate", "-f", "-", "--format", format], { stdin: content, environment });
	}
	const findList: ListFinder = () => ({ file: "desks", content: Buffer.from(textAt(input, "list")) });
	const { problems, organizations } = parseDocuments([{ file: "-", content }], environment, { findList });
	if (problems.length > 0) return refuse(problems, content.toString("utf8"));
	if (organizations.length === 0) throw new Error("a document without problems has no organization");
	return { accepted: true, printed: "" };
}

function refuse(problems: readonly Problem[], text: string): Promise<Outcome> {
	const lines = text.split(/\r\n|\r|\n/).length;
	const outside = problems.find(({ file, line, column }) => column < 1 || line < 1 || (file === "-" && line > lines));
	if (outside !== undefined) throw new Error(`a problem is outside the file: ${JSON.stringify(outside)}`);
	return printError("validate", new DocumentError(problems));
}

export const documents: Target = {
	name: "documents",
	share: 160,
	begin() {
		sound = [...readTexts("examples", "document.yaml"), ...readCorpus("documents")];
		texts = [...sound, ...readTexts("test/golden/documents", ".yaml")];
		lists = readCorpus("lists");
		trees = sound.flatMap(readTrees).filter((tree) => tree !== null);
		words = wordsOf([...trees, ...texts.flatMap(readTrees)], texts);
	},
	make,
	read,
};
