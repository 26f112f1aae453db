/** Makes a finding smaller: fewer faults, less between the crash and the end, a shorter document. And reports it. */
import { Counts } from "../proof.ts";
import type { SmallWorld } from "../small-world.ts";
import { type CrashCase, runCase } from "./case.ts";
import { Broken } from "./judge.ts";
import type { CrashWorld } from "./world.ts";

/** A finding is worth this many more runs. */
const maxRuns = 150;

/** Returns the finding of the smallest case found that breaks the same promise. */
export async function shrink(world: CrashWorld, first: CrashCase, error: Broken): Promise<Error> {
	let best = first;
	let told = error;
	let runs = 0;
	const fails = async (one: CrashCase): Promise<boolean> => {
		runs += 1;
		if (runs > maxRuns) return false;
		try {
			await runCase(world, one, undefined, new Counts());
			return false;
		} catch (again) {
			if (!(again instanceof Broken) || again.kind !== error.kind) return false;
			best = one;
			told = again;
			return true;
		}
	};
	for (const simpler of [
		{ faults: 0 },
		{ isTroubled: false },
		{ others: null },
		{ reading: null },
		{ laterMs: 0 },
		{ stop: "kill" },
		{ isVeryLate: false },
	] as const) {
		await fails({ ...best, ...simpler });
	}
	for (let hasShrunk = true; hasShrunk && runs < maxRuns; ) {
		hasShrunk = false;
		for (const small of shorter(best.small)) {
			const points =
				best.at === undefined ? [undefined] : Array.from({ length: best.at }, (_, index) => index + 1).reverse();
			for (const at of points) if (!hasShrunk) hasShrunk = await fails({ ...best, small, at });
			if (hasShrunk) break;
		}
	}
	return tell(world, best, told);
}

/** Returns the world with one part of its document less, in every way. */
function shorter(small: SmallWorld): readonly SmallWorld[] {
	const lines = small.document.split("\n");
	const without = lines.flatMap((line, index) => {
		if (line.startsWith("  - ")) return [lines.toSpliced(index, 1)];
		const ids = /\[([^\]]+)\]/.exec(line)?.[1]?.split(", ") ?? [];
		if (!line.startsWith("  ") || ids.length < 2) return line.startsWith("  ") ? [lines.toSpliced(index, 1)] : [];
		return ids.map((id) => lines.with(index, line.replace(`${id}, `, "").replace(`, ${id}`, "")));
	});
	return without.map((kept) => {
		const text = kept.filter(
			(line, index) => !/^(userTags|absent):$/.test(line) || kept[index + 1]?.startsWith("  ") === true,
		);
		const document = text.join("\n");
		const changes = [...small.changes].filter((change) =>
			document.includes(change.split(" ")[change.startsWith("no ") ? 2 : 1] ?? ""),
		);
		return { ...small, document, changes: new Set(changes) };
	});
}

/** Returns the finding in words: what was done, in order, and what was seen. */
async function tell(world: CrashWorld, one: CrashCase, error: Broken): Promise<Error> {
	const { scenario, small, at, stop } = one;
	const lines = [
		error.message,
		`scenario: ${scenario.name} (${scenario.approvals} approvals, ${scenario.reads} reads, ${scenario.size} organizations)`,
		`orgsync ${scenario.words.join(" ")}, ${at === undefined ? "to its end" : `${stop} at point ${at}`}, faults ${one.faults}`,
		`then: ${JSON.stringify({ reading: one.reading, isTroubled: one.isTroubled, laterMinutes: one.laterMs / 60_000, isVeryLate: one.isVeryLate })}`,
		small.document,
		...world
			.views()
			.flatMap(({ activities }) =>
				activities.map(
					({ id, type, status, votes, intent }) =>
						`${id} ${type} ${status} ${votes.length} votes ${JSON.stringify(intent)}`,
				),
			),
	];
	const found = new Error(lines.join("\n"));
	found.stack = found.message;
	return found;
}
