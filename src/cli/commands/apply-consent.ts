/**
 * The consent that `apply` needs before it submits anything: overrides of guards by their numbers, abandoned activities by
 * their names, and the answer of a person or `--yes`.
 */
import { ConfigurationError, GuardError, InterruptedError, LiveProblemError } from "../../errors.ts";
import { showText } from "../../escape.ts";
import { type Allowed, type GuardKind, guardKinds, isGuardKind, refusingGuards } from "../../plan/guards.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Output, Terminal } from "../output.ts";

/** `--allow KIND=N`, each as often as there are numbers. Throws ConfigurationError for what acknowledges no guard. */
export function readAllowed(texts: readonly string[]): Allowed {
	const allowed = new Map<GuardKind, Set<number>>();
	for (const text of texts) {
		const [, kind = "", value = ""] = /^(\w+)=(\d+)$/.exec(text) ?? [];
		if (!isGuardKind(kind)) {
			throw new ConfigurationError(`--allow ${showText(text)}: acknowledges no guard`, {
				hint: `write KIND=N with the number that the plan found, KIND one of ${guardKinds.join(", ")}`,
			});
		}
		allowed.set(kind, (allowed.get(kind) ?? new Set()).add(Number(value)));
	}
	return allowed;
}

/** The names after `--abandon` in small letters; throws ConfigurationError for what is neither an id nor a fingerprint. */
export function readAbandoned(names: readonly string[]): readonly string[] {
	return names.map((name) => {
		if (/^(sha256:[0-9a-f]{64}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i.test(name)) return name.toLowerCase();
		throw new ConfigurationError(`--abandon ${showText(name)}: not an activity`, {
			hint: "give an activity id or a fingerprint, as apply and status print them",
		});
	});
}

/** Whether the organization cannot converge, whatever is submitted. */
export function isImpossible({ problems }: Plan): boolean {
	return problems.length > 0;
}

/** Returns why nothing is submitted for such an organization. */
export function describeImpossible({ problems }: Plan): LiveProblemError {
	return new LiveProblemError(
		problems.length === 1
			? "the organization cannot converge; nothing was sent"
			: `the organization cannot converge because of ${problems.length} problems; nothing was sent`,
		{ hint: "the plan shows why: change the document, or the organization manually" },
	);
}

/** Throws LiveProblemError for a single organization that cannot converge; among several, it does not stop the others. */
export function refuseImpossible([only, ...others]: readonly Plan[]): void {
	if (only !== undefined && others.length === 0 && isImpossible(only)) throw describeImpossible(only);
}

/** Throws GuardError while a guard blocks one of the organizations: none of the allowed values is what its plan found. */
export function refuseBlocked(all: readonly Plan[], allowed: Allowed): void {
	const plans = all.filter((plan) => !isImpossible(plan));
	const refusing = plans.flatMap(({ guards }) => refusingGuards(guards, allowed));
	if (refusing.length === 0) return;
	const found = refusing.map(({ message, limit }) => `${message} (allowed: ${limit})`).join("; ");
	const needed = plans.flatMap((plan) => plan.guards).filter(({ refuses }) => refuses);
	const values = [...new Set(needed.map(({ kind, found }) => `--allow ${kind}=${found}`))].join(" ");
	throw new GuardError(`blocked by a guard, nothing was sent: ${found}`, { hint: `to override: ${values}` });
}

/** Asks whether so many activities may be submitted. */
export type Ask = (activities: number) => Promise<boolean>;

/** How agreement is had: by `--yes`, by asking on a terminal, or not at all, which is an error before anything is read. */
export function prepareToAsk(flags: { readonly yes?: boolean }, terminal: Terminal, output: Output): Ask {
	if (flags.yes === true) return async () => true;
	if (output.format !== "text") {
		throw new ConfigurationError(`apply asks before it submits, but not with --format ${output.format}`, {
			hint: "use --yes, after a look at orgsync plan",
		});
	}
	if (terminal.stdin.isTTY !== true || terminal.stderr.isTTY !== true) {
		throw new ConfigurationError("apply asks before it submits, but there is no terminal to ask on", {
			hint: "use --yes, after a look at orgsync plan",
		});
	}
	return async (steps) => {
		const { createInterface } = await import("node:readline/promises");
		const lines = createInterface({ input: terminal.stdin, output: terminal.stderr });
		try {
			const what = steps === 1 ? "this activity" : `these ${steps} activities`;
			const answer = await lines.question(`Submit ${what}? Only "yes" does: `);
			return answer.trim() === "yes";
		} catch (error) {
			if ((error as { code?: unknown }).code !== "ABORT_ERR") throw error;
			// The end of the input is no answer, and no answer is no.
			if (/Ctrl\+D/.test(String(error))) return false;
			throw new InterruptedError("orgsync was interrupted at the question; nothing was sent", { cause: error });
		} finally {
			lines.close();
		}
	};
}
