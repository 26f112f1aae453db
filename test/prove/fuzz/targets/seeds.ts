/** Seeds and rules of the emulator, in YAML and JSON, and what the emulator makes of those that it accepts. */
import { isDocument, parseDocument, stringify } from "yaml";
import { OrgsyncError } from "../../../../src/common/errors.ts";
import { seedStore } from "../../../../src/emulator/control/control.ts";
import { toSeed } from "../../../../src/emulator/seed/changes.ts";
import { findSeedProblems } from "../../../../src/emulator/seed/check.ts";
import { parseRules, parseSeed } from "../../../../src/emulator/seed/seed.ts";
import { openStore } from "../../../../src/emulator/store.ts";
import { bundleSchema } from "../../../../src/schema/bundle.ts";
import { printError } from "../command.ts";
import type { Dice } from "../dice.ts";
import { makeValue } from "../from-schema.ts";
import { isObject, type Json, type Outcome, type Target, textAt } from "../input.ts";
import { mutateText, mutateTree, type Words, wordsOf } from "../mutate.ts";
import { readCorpus, readTexts } from "../sources.ts";

let schema: Json = null;
let texts: readonly string[] = [];
let trees: readonly Json[] = [];
let words: Words = wordsOf([]);

function make(dice: Dice): Json {
	const isRules = dice.chance(0.2);
	const isTree = dice.chance(0.7);
	const made = (): Json => makeValue(schema, isRules ? { $ref: "#/$defs/rules" } : schema, dice);
	const base = isRules || dice.chance(0.3) ? made() : dice.pick(trees);
	const tree = mutateTree(base, dice, words, dice.small(4));
	const text = isTree ? write(tree, dice) : dice.pick(texts);
	return {
		kind: isRules ? "rules" : "seed",
		text: mutateText(text, dice, words, isTree ? dice.small(2) : dice.small(4)),
	};
}

function write(tree: Json, dice: Dice): string {
	if (dice.chance(0.6)) return JSON.stringify(tree);
	try {
		return stringify(tree, { aliasDuplicateObjects: false });
	} catch {
		return JSON.stringify(tree);
	}
}

async function read(input: Json): Promise<Outcome> {
	const text = textAt(input, "text");
	try {
		if (textAt(input, "kind") === "rules") parseRules(text, "rules.yaml");
		else start(parseSeed(text, "seed.yaml"));
	} catch (error) {
		if (!(error instanceof OrgsyncError)) throw error;
		return printError("emulator", error);
	}
	return { accepted: true, printed: "" };
}

/** Seeds an emulator's store, and reads each organization back as a seed, which has to be one too. */
function start(seed: ReturnType<typeof parseSeed>): void {
	const store = openStore(undefined);
	try {
		seedStore(store, seed, 0);
		const organizations = seed.organizations.flatMap(({ organizationId }) => {
			const found = store.organization(organizationId.toLowerCase());
			return found === undefined ? [] : [toSeed(found)];
		});
		const [problem] = findSeedProblems({ organizations });
		if (problem !== undefined) throw new Error(`what was seeded is no seed: ${problem.message}`);
		if (organizations.length !== seed.organizations.length) throw new Error("an organization of the seed is missing");
	} finally {
		store.close();
	}
}

export const seeds: Target = {
	name: "seeds",
	share: 90,
	begin() {
		schema = bundleSchema("seed.json") as Json;
		const key = "02a1af4a901c8fe7c2b4ceda2a518299e1ae0200e4a472520019c60baa2b6410d4";
		texts = [...readTexts("examples", "seed.yaml"), ...readCorpus("seeds")].map((text) =>
			text.replaceAll(/[A-Z]+_PUBLIC_KEY/g, key),
		);
		trees = texts
			.flatMap((text) => {
				const document = parseDocument(text);
				return isDocument(document) && document.errors.length === 0
					? [JSON.parse(JSON.stringify(document.toJS())) as Json]
					: [];
			})
			.filter(isObject);
		words = wordsOf(trees, texts);
	},
	make,
	read,
};
