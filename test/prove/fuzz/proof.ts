/**
 * `npm run prove -- fuzz`: inputs of every kind that orgsync reads, made wrong by chance and with the structure of sound ones.
 * docs/internals/proofs.md describes it.
 */
import type { Counts, Proof } from "../proof.ts";
import { Dice } from "./dice.ts";
import type { Json, Outcome, Target } from "./input.ts";
import { findFault } from "./judge.ts";
import { shrink } from "./shrink.ts";
import { answers } from "./targets/answers.ts";
import { cases } from "./targets/cases.ts";
import { commandLines } from "./targets/command-lines.ts";
import { documents } from "./targets/documents.ts";
import { expressions } from "./targets/expressions.ts";
import { plans } from "./targets/plans.ts";
import { seeds } from "./targets/seeds.ts";
import { service } from "./targets/service.ts";
import { stamps } from "./targets/stamps.ts";
import { type Cost, keepWarnings, measure, Watch } from "./watch.ts";

export const targets: readonly Target[] = [
	documents,
	cases,
	expressions,
	answers,
	seeds,
	service,
	plans,
	stamps,
	commandLines,
];

const [maxCpuMs, maxGrownBytes] = [1000, 300 * 2 ** 20];

let watch: Watch | undefined;

export const proof: Proof = {
	promise:
		"whatever a document, a file of access cases, a saved plan, an answer, a stamp, a seed, a policy expression or a command line holds, orgsync reads it or refuses it with a clear error, within a second and 300 MB",
	defaultCases: 1_000_000,
	async begin() {
		keepWarnings();
		for (const target of targets) await target.begin?.();
		watch = new Watch();
	},
	async run(seed, counts) {
		const dice = new Dice(seed);
		const target = dice.pick(shares);
		watch?.begin(seed);
		await judge(target, target.make(dice), counts);
	},
	async end() {
		await watch?.end();
		for (const target of targets) await target.end?.();
	},
};

/** Each target as often as its share. */
const shares = targets.flatMap((target) => Array.from({ length: target.share }, () => target));

async function judge(target: Target, input: Json, counts: Counts): Promise<void> {
	const { fault, outcome } = await tryInput(target, input);
	counts.add(target.name);
	if (outcome?.accepted === true) counts.add(`accepted ${target.name}`);
	if (fault === undefined) return;
	const again = await tryInput(target, input);
	// The first case of a kind pays for loading code, and a busy machine can slow one down.
	if (isOfCost(fault) && again.fault === undefined) return;
	const small = await shrink(input, async (one) => kindOf((await tryInput(target, one)).fault) === kindOf(fault));
	const last = await tryInput(target, small);
	watch?.pause();
	const lines = [
		`${target.name}: ${last.fault ?? fault}`,
		`input: ${clip(JSON.stringify(small))}`,
		`printed: ${clip(JSON.stringify(last.outcome?.printed ?? ""))}`,
	];
	throw new Fault(lines.join("\n"));
}

/** A finding; where this proof found it is of no use to a reader. */
class Fault extends Error {
	override readonly stack = this.message;
}

interface Tried {
	readonly fault: string | undefined;
	readonly outcome: Outcome | undefined;
}

async function tryInput(target: Target, input: Json): Promise<Tried> {
	try {
		const { value: outcome, cost } = await measure(() => target.read(input));
		return { fault: findCostFault(cost) ?? findFault(outcome, input), outcome };
	} catch (error) {
		const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
		return { fault: `it crashes: ${what.split("\n").slice(0, 4).join(" | ")}`, outcome: undefined };
	}
}

const [slow, large] = ["it takes too long", "it takes too much memory"];

function findCostFault({ cpuMs, grownBytes, warning }: Cost): string | undefined {
	if (warning !== undefined) return `a package warns: ${warning}`;
	if (cpuMs > maxCpuMs) return `${slow}: ${Math.round(cpuMs)} ms`;
	return grownBytes > maxGrownBytes ? `${large}: ${Math.round(grownBytes / 2 ** 20)} MiB` : undefined;
}

function isOfCost(fault: string): boolean {
	return fault.startsWith(slow) || fault.startsWith(large);
}

/** Returns what two faults have in common that have the same cause: the words without numbers and quotes. */
function kindOf(fault: string | undefined): string {
	return (fault ?? "")
		.replace(/["'`].*?["'`]/g, "")
		.replace(/\d+/g, "")
		.slice(0, 60);
}

/** Returns a text that fits on a page. */
function clip(text: string): string {
	return text.length > 3000 ? `${text.slice(0, 2000)} … (${text.length} characters)` : text;
}
