/**
 * `npm run prove -- NAME [--cases N] [--seconds N] [--seed S]`: tries to break a promise of orgsync, case after case. The last
 * line has the counts. Exit code 0: nothing found; 1: a finding; 2: a wrong call; 130 and 143: ended by SIGINT or SIGTERM.
 */
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { readNumber, refuseCall, WrongCall } from "../calls.ts";
import { type Budget, Counts, type Finding, type Proof, type Proven, prove } from "./proof.ts";

const folder = dirname(fileURLToPath(import.meta.url));
const names = readdirSync(folder, { withFileTypes: true })
	.filter((entry) => entry.isDirectory())
	.map(({ name }) => name)
	.sort();

const usage = `npm run prove -- NAME [--cases N] [--seconds N] [--seed S]; NAME is one of ${names.join(", ")}`;

async function main(): Promise<number> {
	const args = process.argv.slice(2);
	if (args.includes("--help")) {
		process.stdout.write(`${usage}\n`);
		return 0;
	}
	const { name, budget } = readCall(args);
	const { proof } = (await import(pathToFileURL(join(folder, name, "proof.ts")).href)) as { proof: Proof };
	const bounded = budget.cases === undefined && budget.seconds === undefined;
	const startedMs = performance.now();
	const proven: Proven = { cases: 0, counts: new Counts(), findings: [] };
	const printCounts = (end: string): void => {
		const { cases, counts, findings } = proven;
		const seconds = Math.round((performance.now() - startedMs) / 1000);
		const numbers = [`${cases} cases`, counts.toString(), `${findings.length} findings`].filter((part) => part !== "");
		process.stdout.write(`${name}: ${numbers.join(", ")}, seed ${budget.seed}, ${seconds} s${end}\n`);
	};
	// A command that runs in this process listens too, and would go on to its own end.
	for (const [signal, code] of [
		["SIGINT", 130],
		["SIGTERM", 143],
	] as const) {
		process.prependListener(signal, () => {
			printCounts(", ended by a signal");
			process.exit(code);
		});
	}
	await prove(
		proof,
		bounded ? { ...budget, cases: proof.defaultCases } : budget,
		(finding) =>
			process.stdout.write(`${describe(name, finding, proof.goesOn === true ? budget.seed : finding.seed)}\n`),
		proven,
	);
	printCounts("");
	// What was not tried is not proved.
	return proven.findings.length === 0 && proven.cases > 0 ? 0 : 1;
}

/** Returns the text of a finding, which the cases from `first` to its own repeat. */
function describe(name: string, { seed, what }: Finding, first: number | null): string {
	const again = `again: npm run prove -- ${name} --seed ${first} --cases ${(seed ?? 0) - (first ?? 0) + 1}`;
	return `FINDING (${seed === null ? "of the whole run" : again})\n${what}\n`;
}

function readCall(args: string[]): { name: string; budget: Budget } {
	const text = { type: "string" } as const;
	let call: ReturnType<typeof parse>;
	const parse = () => parseArgs({ args, allowPositionals: true, options: { cases: text, seconds: text, seed: text } });
	try {
		call = parse();
	} catch (error) {
		throw new WrongCall((error as Error).message);
	}
	const [name, ...rest] = call.positionals;
	if (name === undefined) throw new WrongCall("the name of a proof is missing");
	if (!names.includes(name)) throw new WrongCall(`there is no proof "${name}"`);
	if (rest.length > 0) throw new WrongCall(`one proof at a time, got also "${rest.join(" ")}"`);
	const { cases, seconds, seed } = call.values;
	const budget = {
		seed: readNumber("seed", seed, Math.floor(Math.random() * 1_000_000), [0, 999_999_999]),
		cases: readNumber("cases", cases, undefined),
		seconds: readNumber("seconds", seconds, undefined),
	};
	return { name, budget };
}

try {
	const code = await main();
	// Without this, Node can turn for ever while it closes what is left of a process that was killed.
	process.exit(code);
} catch (error) {
	refuseCall(error, usage);
}
