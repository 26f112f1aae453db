/** Forged and damaged journals: whatever the file says, nothing is submitted that the document does not ask for. */
import { Arena } from "../arena.ts";
import type { Counts, Proof } from "../proof.ts";
import { play, type Seen, type Setting, set } from "./case.ts";

let arenas: Readonly<Record<"all" | "documented", Arena>> | undefined;

export const proof: Proof = {
	promise:
		"whatever a journal says, no command submits a change that the document does not ask for, or that a guard blocks, and each " +
		"command ends soon with its result or with a clear error",
	defaultCases: 20_000,
	async begin() {
		arenas = { all: await Arena.open("all"), documented: await Arena.open("documented") };
	},
	async run(seed: number, counts: Counts) {
		if (arenas === undefined) throw new Error("the proof was not begun");
		const setting = await set(seed, arenas);
		const all = setting.forgeries.map((_, index) => index);
		const seen = await play(setting, all);
		count(setting, seen, counts);
		if (seen.finding === undefined) return;
		const [chosen, shrunk] = await shrink(seed, all, seen);
		throw new Error(describe(setting, chosen, shrunk));
	},
	async end() {
		await arenas?.all.close();
		await arenas?.documented.close();
		arenas = undefined;
	},
};

function count(
	{ runner, isGuarded, isDocumented }: Setting,
	{ forged, ended, submits, tookMs }: Seen,
	counts: Counts,
): void {
	counts.add(`${runner.words[0]}`);
	counts.add("forgeries", forged.length);
	counts.add(`exit ${ended.code}`);
	counts.add("submits", submits);
	if (isGuarded) counts.add("behind guards");
	if (isDocumented) counts.add("without extended reads");
	if (ended.stderr.includes("journal")) counts.add("journals refused");
	counts.most("ms at most", Math.round(tookMs));
}

/** Returns the fewest forgeries that are enough for a finding, and what is seen with them. */
async function shrink(seed: number, all: readonly number[], seen: Seen): Promise<readonly [readonly number[], Seen]> {
	let [chosen, last] = [all, seen];
	for (const index of all) {
		const fewer = chosen.filter((one) => one !== index);
		if (arenas === undefined || fewer.length === 0) break;
		const again = await play(await set(seed, arenas), fewer);
		if (again.finding !== undefined) [chosen, last] = [fewer, again];
	}
	return [chosen, last];
}

function describe(
	{ world, past, isDocumented, isGuarded, runner }: Setting,
	chosen: readonly number[],
	seen: Seen,
): string {
	const { code, stdout, stderr } = seen.ended;
	return [
		`${seen.finding}`,
		`forged (${chosen.length}): ${seen.forged.join("; ")}`,
		`past: ${past}${isDocumented ? ", without extended reads" : ""}${isGuarded ? ", no removal allowed" : ""}`,
		`orgsync ${runner.words.join(" ")} (${runner.who}): exit ${code}`,
		...[stdout, stderr, world.document].map((text) => text.slice(0, 4000).replaceAll(/^/gm, "    ")),
	].join("\n");
}
