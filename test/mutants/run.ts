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
import { root } from "../../scripts/manifest.ts";
import { readNumber, refuseCall, WrongCall } from "../calls.ts";
import { chooseChanged } from "./changed.ts";
import type { End, JudgedMutant, Question } from "./judge.ts";
import { isRoom, rooms } from "./rooms.ts";

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
	const args = process.argv.slice(2);
	if (args.includes("--help")) {
		process.stdout.write(`${usage}\n`);
		return 0;
	}
	const call = readCall(args);
	const startedMs = performance.now();
	// Stryker takes a second to load: a wrong call is refused before.
	const { judge } = await import("./judge.ts");
	const { population, mutants } = await judge(call);
	for (const mutant of mutants.toSorted(byPlace)) if (isAlive(mutant)) process.stdout.write(`${describe(mutant)}\n`);
	const count = (...ends: End[]): number => mutants.filter(({ end }) => ends.includes(end)).length;
	const killed = count("killed", "timeout");
	const judged = mutants.length - count("error");
	const counted = judged - (call.countsUntested ? 0 : count("no test"));
	const score = counted === 0 ? undefined : (100 * killed) / counted;
	const counts = [
		`${judged} of ${population} mutants`,
		`${killed} killed (${count("timeout")} by a timeout)`,
		`${count("survived")} survived`,
		`${count("no test")} without a test`,
		`${count("disabled")} disabled`,
		`${count("error")} not judged`,
		score === undefined ? "no score" : `score ${score.toFixed(1)} %`,
		`seed ${call.seed}`,
		`${Math.round((performance.now() - startedMs) / 1000)} s`,
	];
	process.stdout.write(`${call.name}: ${counts.join(", ")}\n`);
	// A commit can have nothing to judge; a room of which nothing was judged has not shown anything.
	const isEnough = score === undefined ? !call.countsUntested : score >= call.atLeast;
	return isEnough ? 0 : 1;
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
		throw new WrongCall((error as Error).message);
	}
	const [room, ...rest] = call.positionals;
	if (room === undefined) throw new WrongCall("the name of a room is missing");
	if (rest.length > 0) throw new WrongCall(`one room at a time, got also "${rest.join(" ")}"`);
	const { values } = call;
	const chosen = chooseMutants(room);
	return {
		...chosen,
		rounds: chosen.rounds.slice(0, readNumber("rounds", values.rounds, chosen.rounds.length)),
		seed: readNumber("seed", values.seed, chosen.seed, [0, 999_999_999]),
		cases: readNumber("cases", values.cases, chosen.cases),
		atLeast: readNumber("at-least", values["at-least"], chosen.atLeast, [0, 100]),
		concurrency: readNumber("concurrency", values.concurrency, chosen.concurrency),
		files: readFiles(values.file, chosen.sources),
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
	if (!isRoom(room)) throw new WrongCall(`there is no room "${room}"`);
	const sources = globSync(`src/${room}/**/*.ts`, { cwd: root }).sort();
	const common = { countsUntested: true, cases: 1000, concurrency: 1, atLeast: 85, seed: 1 };
	return { ...common, name: room, sources, rounds: rooms[room] };
}

/** Returns the parts of paths. Throws WrongCall for one that is in no path. */
function readFiles(parts: readonly string[], sources: readonly string[]): readonly string[] {
	const wrong = parts.find((part) => !sources.some((source) => source.includes(part)));
	if (wrong === undefined) return parts;
	throw new WrongCall(`--file ${wrong}: no file of these has that in its path`);
}

// What the judge made goes with the process.
process.once("SIGINT", () => process.exit(130)).once("SIGTERM", () => process.exit(143));
try {
	process.exitCode = await main();
} catch (error) {
	refuseCall(error, usage);
}
