/**
 * Refuses plans before anything is sent: those that a guard blocks, and those that cannot converge.
 */
import { GuardError, LiveProblemError } from "../errors.ts";
import { type Guard, refusingGuards } from "../plan/guards.ts";
import type { Plan } from "../plan/plan.ts";
import { NameTakenError } from "./name-queue.ts";
import type { Settings } from "./settings.ts";

/** Throws GuardError when a guard blocks the plan and was not acknowledged. */
export function assertGuardsAllowed({ guards }: Plan, allow: Settings["allow"]): void {
	const refusing = refusingGuards(guards, allow);
	if (refusing.length === 0) return;
	const said = refusing.map(({ message, limit }) => `${message} (allowed: ${limit})`).join("; ");
	throw new GuardError(`refused, nothing was sent: ${said}`, {
		hint: `when this is meant: ${acknowledge(refusing, allow)}`,
	});
}

/** How to acknowledge what these guards found, beside what is acknowledged already: the command replaces the whole value. */
function acknowledge(guards: readonly Guard[], allow: Settings["allow"]): string {
	const already = [...allow].flatMap(([kind, values]) => [...values].map((found) => `${kind}=${found}`));
	const found = guards.map((guard) => `${guard.kind}=${guard.found}`);
	return `\`pulumi config set orgsync:allow "${[...new Set([...already, ...found])].join(" ")}"\``;
}

const nameHint =
	"if the program does rename that tag, its resource has to be updated at the same time or before: not with --parallel 1, or with dependsOn";

/** Throws NameTakenError where names alone are in the way, and LiveProblemError for any other problem. */
export function assertCanConverge({ problems }: Plan): void {
	if (problems.length === 0) return;
	const message = problems.map((problem) => problem.message).join("; ");
	throw problems.every(({ code }) => code === "tag-name-taken")
		? new NameTakenError(message, { hint: nameHint })
		: new LiveProblemError(message);
}
