/**
 * `npm run mutants -- ROOM [--cases N] [--seed S] [--file PART]… [--rounds N] [--at-least PERCENT] [--concurrency N]`: changes the
 * code of a room in one place at a time, and counts how many changes the tests notice. The last line has the counts. Exit code 0: at least
 * that many percent are noticed (85); 1: fewer; 2: a wrong call; 130 and 143: ended by SIGINT or SIGTERM.
 *
 * `npm run mutants -- changed` is a small sample of what the last commit changed, by fast tests. It counts only changes in code
 * that these tests run, and fails only where the tests notice fewer than four in ten.
 */
import { globSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { chooseChanged } from "./changed.ts";
import { type End, type JudgedMutant, judge, type Question } from "./judge.ts";
import { isRoom, rooms } from "./rooms.ts";
import { root } from "./sample.ts";

class WrongCall extends Error {}

const usage =
	"npm run mutants -- ROOM [--cases N] [--seed S] [--file PART]... [--rounds N] [--at-least PERCENT] [--concurrency N]; ROOM is plan, policy, sync, wire or changed";

interface Call extends Question {
	/** What the last line begins with. */
	readonly name: string;
	/** Whether changes that no test runs count. */
	readonly countsUntested: boolean;
	/** In percent. */
	readonly atLeast: number;
}

async function main(): Promise<number> {
	const call = readCall(process.argv.slice(2));
	const startedMs = performance.now();
	const { population, mutants } = await judge(call);
	for (const mutant of mutants.toSorted(byPlace)) if (isAlive(mutant)) process.stdout.write(`${describe(mutant)}\n`);
	const count = (...ends: End[]): number => mutants.filter(({ end }) => ends.includes(end)).length;
	const killed = count("killed", "timeout");
	const judged = mutants.length - count("error");
	const counted = judged - (call.countsUntested ? 0 : count("no test"));
	const score = counted === 0 ? 100 : (100 * killed) / counted;
	const counts = [
		`${judged} of ${population} mutants`,
		`${killed} killed (${count("timeout")} by a timeout)`,
		`${count("survived")} survived`,
		`${count("no test")} without a test`,
		`${count("disabled")} disabled`,
		`${count("error")} not judged`,
		`score ${score.toFixed(1)} %`,
		`seed ${call.seed}`,
		`${Math.round((performance.now() - startedMs) / 1000)} s`,
	];
	process.stdout.write(`${call.name}: ${counts.join(", ")}\n`);
	return score >= call.atLeast ? 0 : 1;
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

function readCall(args: string[]): Call {
	const text = { type: "string" } as const;
	const many = { type: "string", multiple: true, default: [] as string[] } as const;
	const options = { cases: text, seed: text, file: many, "at-least": text, concurrency: text, rounds: text };
	let call: ReturnType<typeof parse>;
	const parse = () => parseArgs({ args, allowPositionals: true, options });
	try {
		call = parse();
	} catch (error) {
		throw new WrongCall(`${(error as Error).message}\n${usage}`);
	}
	const [room = "", ...rest] = call.positionals;
	if (rest.length > 0) throw new WrongCall(usage);
	const number = (flag: "cases" | "seed" | "rounds" | "at-least" | "concurrency", otherwise: number): number => {
		const value = call.values[flag];
		if (value === undefined) return otherwise;
		if (!/^\d{1,9}$/.test(value)) throw new WrongCall(`--${flag} must be a whole number, got "${value}"\n${usage}`);
		return Number(value);
	};
	const chosen = chooseMutants(room);
	return {
		...chosen,
		rounds: chosen.rounds.slice(0, number("rounds", chosen.rounds.length)),
		seed: number("seed", chosen.seed),
		cases: number("cases", chosen.cases),
		atLeast: number("at-least", chosen.atLeast),
		concurrency: number("concurrency", chosen.concurrency),
		files: call.values.file,
		skipped: ({ tests }, why) => process.stderr.write(`not judged by ${tests.join(" ")}: ${why}\n`),
		judged: (left) => {
			if (left % 100 === 0) process.stderr.write(`${left} mutants left\n`);
		},
	};
}

function chooseMutants(room: string): Omit<Call, "files" | "judged" | "skipped"> {
	if (room === "changed") {
		const changed = chooseChanged();
		return {
			...changed,
			name: `changed in ${changed.room}`,
			...{ countsUntested: false, cases: 30, concurrency: 2, atLeast: 40 },
		};
	}
	if (!isRoom(room)) throw new WrongCall(usage);
	const sources = globSync(`src/${room}/**/*.ts`, { cwd: root }).sort();
	const common = { countsUntested: true, cases: 1000, concurrency: 1, atLeast: 85, seed: 1 };
	return { ...common, name: room, sources, rounds: rooms[room] };
}

// What the judge made goes with the process.
process.once("SIGINT", () => process.exit(130)).once("SIGTERM", () => process.exit(143));
try {
	process.exitCode = await main();
} catch (error) {
	if (!(error instanceof WrongCall)) throw error;
	process.stderr.write(`error: ${error.message}\n`);
	process.exitCode = 2;
}
