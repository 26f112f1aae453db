/** Whole commands against a service whose answers are sound for the most part: what reaches plans, pages and reports. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { folder, runCommand } from "../command.ts";
import type { Dice } from "../dice.ts";
import { isList, isObject, type Json, type Outcome, type Target } from "../input.ts";
import { mutateTree, type Words, wordsOf } from "../mutate.ts";
import { RecordedService } from "../recorded-service.ts";

const organization = ["--organization", "00000000-0000-4000-8000-000000000001"];

/** Commands, with the formats of each. `ACTIVITY` is the pending activity of the recorded answers. */
const commands: readonly (readonly [words: readonly string[], formats: readonly string[]])[] = [
	[["plan"], ["text", "json", "markdown", "html", "github", "openmetrics", "jsonl"]],
	[["drift"], ["text", "json", "markdown", "html", "github", "openmetrics", "jsonl"]],
	[
		["export", ...organization],
		["text", "json"],
	],
	[["status"], ["text", "json"]],
	[["powers"], ["text", "json", "markdown", "html", "github"]],
	[
		["powers", "--why", "bob", "sign"],
		["text", "json", "markdown", "html"],
	],
	[
		["explain", "ACTIVITY"],
		["text", "json"],
	],
	[
		["organizations", ...organization],
		["text", "json"],
	],
	[
		["approve", "--yes", "ACTIVITY"],
		["text", "json"],
	],
	[
		["wait", "ACTIVITY"],
		["text", "json"],
	],
	[
		["query", "list_users", ...organization],
		["text", "json"],
	],
	[
		["query", "get_policy_evaluations", "activityId=ACTIVITY"],
		["text", "json"],
	],
	[
		["apply", "--yes", "--allow", "policies=1", "--wait", "0"],
		["text", "json", "markdown", "github"],
	],
];

let activityId = "";
let words: Words = wordsOf([]);
let recordedService: RecordedService | undefined;

function make(dice: Dice): Json {
	const [call, formats] = dice.pick(commands);
	const { recorded = {} } = recordedService ?? {};
	const names = Object.keys(recorded);
	const picked = Array.from({ length: 1 + dice.small(3) }, () => dice.pick(names));
	const answers = picked.map((name) => {
		const body = mutateTree(recorded[name] ?? null, dice, words, 1 + dice.small(8));
		return [name, { status: dice.chance(0.95) ? 200 : dice.pick([400, 401, 403, 404, 501]), body }] as const;
	});
	return { words: call, format: dice.pick(formats), answers: Object.fromEntries(answers) };
}

async function read(input: Json): Promise<Outcome> {
	const { words: given, format, answers } = isObject(input) ? input : {};
	if (recordedService !== undefined) recordedService.changed = isObject(answers) ? answers : {};
	const call = (isList(given) ? given : []).map((word) => String(word).replace("ACTIVITY", activityId));
	const journal = join(folder, "journal.sqlite");
	for (const suffix of ["", "-wal", "-shm"]) rmSync(journal + suffix, { force: true });
	const environment = recordedService?.environment ?? {};
	const files = call[0] === "apply" || call[0] === "approve" || call[0] === "wait" ? ["--journal", journal] : [];
	const {
		printed,
		code,
		markup = false,
	} = await runCommand([...call, ...files, "--timeout", "1", "--format", String(format)], { environment });
	// What a command prints of a state that it could read is a result, and its exit code says what it found.
	return { accepted: code !== 1 && code !== 3 && code !== 4, printed, markup };
}

export const service: Target = {
	name: "service",
	share: 20,
	async begin() {
		recordedService = await RecordedService.start();
		const { recorded, document } = recordedService;
		writeFileSync(join(folder, "orgsync.yaml"), document);
		const { activity } = recorded.get_activity as { readonly activity: { readonly id: string } };
		activityId = activity.id;
		words = wordsOf(Object.values(recorded));
	},
	end: () => recordedService?.close(),
	make,
	read,
};
