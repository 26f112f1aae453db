/**
 * `npm run mutants -- ROOM [--cases N] [--seed S] [--file PART]… [--at-least PERCENT] [--concurrency N]`: changes the code of a
 * room in one place at a time, and counts how many changes the tests notice. The last line has the counts. Exit code 0: at least
 * that many percent are noticed (85); 1: fewer; 2: a wrong call.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type End, type JudgedMutant, judge, type Question } from "./judge.ts";
import { isRoom } from "./rooms.ts";

class WrongCall extends Error {}

const usage =
	"npm run mutants -- ROOM [--cases N] [--seed S] [--file PART]... [--at-least PERCENT] [--concurrency N]; ROOM is plan, policy, sync or wire";

async function main(): Promise<number> {
	const { atLeast, ...question } = readCall(process.argv.slice(2));
	const startedMs = performance.now();
	const { population, mutants } = await judge(question);
	for (const mutant of mutants.toSorted(byPlace)) if (isAlive(mutant)) process.stdout.write(`${describe(mutant)}\n`);
	const count = (...ends: End[]): number => mutants.filter(({ end }) => ends.includes(end)).length;
	const killed = count("killed", "timeout");
	const judged = mutants.length - count("error");
	const score = judged === 0 ? 100 : (100 * killed) / judged;
	const counts = [
		`${judged} of ${population} mutants`,
		`${killed} killed (${count("timeout")} by a timeout)`,
		`${count("survived")} survived`,
		`${count("no test")} without a test`,
		`${count("disabled")} disabled`,
		`${count("error")} not judged`,
		`score ${score.toFixed(1)} %`,
		`seed ${question.seed}`,
		`${Math.round((performance.now() - startedMs) / 1000)} s`,
	];
	process.stdout.write(`${question.room}: ${counts.join(", ")}\n`);
	return score >= atLeast ? 0 : 1;
}

function describe({ end, place, mutator, replacement }: JudgedMutant): string {
	const [file = "", line = "0"] = place.split(":");
	const code = readFileSync(file, "utf8").split("\n")[Number(line) - 1]?.trim() ?? "";
	return `${place} ${end}: ${mutator}\n    ${code}\n    -> ${replacement.replaceAll(/\s+/g, " ")}`;
}

function isAlive({ end }: JudgedMutant): boolean {
	return end === "survived" || end === "no test" || end === "disabled";
}

function byPlace({ place: one }: JudgedMutant, { place: other }: JudgedMutant): number {
	return one.localeCompare(other, "en", { numeric: true });
}

function readCall(args: string[]): Question & { readonly atLeast: number } {
	const text = { type: "string" } as const;
	const many = { type: "string", multiple: true, default: [] as string[] } as const;
	const options = { cases: text, seed: text, file: many, "at-least": text, concurrency: text };
	let call: ReturnType<typeof parse>;
	const parse = () => parseArgs({ args, allowPositionals: true, options });
	try {
		call = parse();
	} catch (error) {
		throw new WrongCall(`${(error as Error).message}\n${usage}`);
	}
	const [room = "", ...rest] = call.positionals;
	if (!isRoom(room) || rest.length > 0) throw new WrongCall(usage);
	const number = (flag: "cases" | "seed" | "at-least" | "concurrency", otherwise: number): number => {
		const value = call.values[flag] ?? String(otherwise);
		if (!/^\d{1,9}$/.test(value)) throw new WrongCall(`--${flag} must be a whole number, got "${value}"\n${usage}`);
		return Number(value);
	};
	return {
		room,
		cases: number("cases", 1000),
		seed: number("seed", 1),
		files: call.values.file,
		concurrency: number("concurrency", 1),
		atLeast: number("at-least", 85),
		skipped: ({ tests }, why) => process.stderr.write(`not judged by ${tests.join(" ")}: ${why}\n`),
		judged: (left) => {
			if (left % 100 === 0) process.stderr.write(`${left} mutants left\n`);
		},
	};
}

try {
	process.exitCode = await main();
} catch (error) {
	if (!(error instanceof WrongCall)) throw error;
	process.stderr.write(`error: ${error.message}\n`);
	process.exitCode = 2;
}
