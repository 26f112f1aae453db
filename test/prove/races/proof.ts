/** Two or three commands at the same moment, in an order that the seed chooses: every change gets one activity, and every vote counts once. */

import { Arena } from "../arena.ts";
import { type Counts, type Proof, randomFrom } from "../proof.ts";
import { raceKinds } from "./kinds.ts";

let arenas: Readonly<Record<"all" | "documented", Arena>> | undefined;

export const proof: Proof = {
	promise:
		"when two runners go at the same moment, with or without a shared journal, each change that the document asks for gets one activity, " +
		"each user has one vote on it, no edit of a document is lost, and one more apply is in sync",
	defaultCases: 1000,
	async begin() {
		arenas = { all: await Arena.open("all"), documented: await Arena.open("documented") };
	},
	async run(seed: number, counts: Counts) {
		if (arenas === undefined) throw new Error("the proof was not begun");
		const random = randomFrom(seed);
		const kind = raceKinds[Math.floor(random() * raceKinds.length)];
		if (kind === undefined) throw new Error("there is no kind of race");
		const [name, race] = kind;
		counts.add(name);
		await race({ random, arenas, counts });
	},
	async end() {
		await arenas?.all.close();
		await arenas?.documented.close();
		arenas = undefined;
	},
};
