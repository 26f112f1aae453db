/** The consent that `apply` needs: overrides by value, abandoned activities by name, and `--yes` or an answer on the terminal. */

import { defined } from "../../../common/defined.ts";
import { ConfigurationError, InterruptedError, LiveProblemError } from "../../../common/errors.ts";
import { showText } from "../../../common/escape.ts";
import { nameOf } from "../../../plan/activities/pending.ts";
import { type Allowed, type GuardKind, guardKinds, isGuardKind } from "../../../plan/guards/guards.ts";
import { abandonOf, allowsOf, withOverrides } from "../../../plan/guards/overrides.ts";
import { showOrganization } from "../../../plan/organization-name.ts";
import type { Plan } from "../../../plan/plan.ts";
import { type CommandContext, commandText } from "../../../plan/suggested-command.ts";
import { phraseText } from "../../../render/print/text.ts";
import { describeDangers } from "../../../render/sections/danger.ts";
import { refuseBlocked } from "../../../say/guards.ts";
import type { Journal } from "../../../sync/journal/journal.ts";
import type { Flags } from "../../flags/given-flags.ts";
import { didYouMean } from "../../flags/suggest.ts";
import type { Call, Output, Terminal } from "../../output/output.ts";
import type { ComparedOrganization } from "../comparing.ts";

export interface GivenOverrides {
	readonly allowed: Allowed;
	/** Ids and fingerprints in lower case. */
	readonly abandoned: readonly string[];
}

/** Reads `--allow KIND=N` and `--abandon`. Throws ConfigurationError for an invalid value. */
export function readOverrides(flags: { readonly allow: readonly string[]; readonly abandon: readonly string[] }) {
	return { allowed: readAllowed(flags.allow), abandoned: readAbandoned(flags.abandon) };
}

function readAllowed(texts: readonly string[]): Allowed {
	const allowed = new Map<GuardKind, Set<number>>();
	for (const text of texts) {
		const [, kind = "", value = ""] = /^(\w+)=(\d+)$/.exec(text) ?? [];
		if (!isGuardKind(kind)) {
			const [word = ""] = text.split("=");
			const near = isGuardKind(word) ? "" : didYouMean(word, guardKinds);
			throw new ConfigurationError(`--allow ${showText(text)}: it overrides no guard${near}`, {
				hint: `write KIND=N with the number in the plan, KIND one of ${guardKinds.join(", ")}`,
			});
		}
		allowed.set(kind, (allowed.get(kind) ?? new Set()).add(Number(value)));
	}
	return allowed;
}

function readAbandoned(names: readonly string[]): readonly string[] {
	return names.map((name) => {
		if (/^(sha256:[0-9a-f]{64}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i.test(name)) return name.toLowerCase();
		throw new ConfigurationError(`--abandon ${showText(name)}: not an activity`, {
			hint: "use an activity id or a fingerprint, as apply and status print them",
		});
	});
}

/** Whether the organization cannot converge. */
export function isImpossible({ problems }: Plan): boolean {
	return problems.length > 0;
}

export function describeImpossible({ problems }: Plan): LiveProblemError {
	return new LiveProblemError(
		problems.length === 1
			? "the organization cannot converge; nothing was submitted"
			: `the organization cannot converge because of ${problems.length} problems; nothing was submitted`,
		{ hint: "the plan shows why: change the document, or the organization manually" },
	);
}

/** Throws GuardError if a guard blocks one of the plans and `--allow` does not override it with the value that it found. */
export function refuseBlockedPlans(all: readonly Plan[], allowed: Allowed): void {
	const guards = all.filter((plan) => !isImpossible(plan)).flatMap((plan) => plan.guards);
	const needed = guards.filter(({ refuses }) => refuses);
	refuseBlocked(guards, allowed, () =>
		[...new Set(needed.map(({ kind, found }) => `--allow ${kind}=${found}`))].join(" "),
	);
}

/** Returns the organization with the overrides that its plan uses. The journal must not have abandoned anything yet. */
export function recordOverrides(
	{ comparison, ...others }: ComparedOrganization,
	given: GivenOverrides,
	journal: Pick<Journal, "openEntries">,
): ComparedOrganization {
	const { plan, context } = comparison;
	const allows = isImpossible(plan) ? [] : allowsOf(plan.guards, given.allowed);
	const open = journal.openEntries(plan.organizationId).map(({ activityId, body }) => {
		return { activityId, fingerprint: body.fingerprint };
	});
	const isNamed = ({ activityId, fingerprint }: (typeof open)[number]): boolean =>
		given.abandoned.includes(activityId?.toLowerCase() ?? "") || given.abandoned.includes(fingerprint.toLowerCase());
	const abandoned = new Set([...(context.abandoned ?? []), ...open].filter(isNamed).map(nameOf));
	const overrides = [...allows, ...[...abandoned].map(abandonOf)];
	return { comparison: { ...comparison, plan: withOverrides(plan, overrides) }, ...others };
}

type LoneFlags = CommandContext & Flags<"plan" | "digest" | "maxAge">;

/** Throws ConfigurationError for flags that need `--plan`. */
export function refuseLoneFlags(flags: LoneFlags): void {
	const { plan, digest, maxAge } = flags;
	if (plan !== undefined || (digest === undefined && maxAge === undefined)) return;
	const save = commandText({ command: "plan", arguments: ["--out", "plan.json"] }, flags);
	throw new ConfigurationError(`${digest === undefined ? "--max-age" : "--digest"} needs --plan`, {
		hint: `\`${save}\` saves a plan and prints its digest`,
	});
}

/** Asks whether so many activities may be sent to these organizations. Throws InterruptedError once the signal is aborted. */
export type Ask = (activities: number, plans: readonly Plan[], signal: AbortSignal) => Promise<boolean>;

/** Returns a function that asks on the terminal, or confirms with `--yes`. Throws ConfigurationError if it cannot ask. */
export function prepareToAsk({ flags, terminal, output }: Call<{ readonly yes?: boolean } & CommandContext>): Ask {
	if (flags.yes === true) return async () => true;
	const obstacle = whyNotAsk(terminal, output);
	if (obstacle !== null) {
		throw new ConfigurationError(`apply asks before it submits, but ${obstacle}`, {
			hint: `review \`${commandText({ command: "plan" }, flags)}\`, then use --yes`,
		});
	}
	return (steps, plans, signal) => {
		const what = steps === 1 ? "this activity" : `these ${steps} activities`;
		const [only] = plans;
		const where = only !== undefined && plans.length === 1 ? showOrganization(only) : `${plans.length} organizations`;
		const dangers = describeDangers(plans).map((line) => `${output.style.remove(phraseText(line))}\n`);
		return askOnTerminal(`${dangers.join("")}Submit ${what} to ${where}?`, terminal, signal);
	};
}

/** Returns why no one can be asked; null if there is a terminal for it. */
export function whyNotAsk({ stdin, stderr }: Terminal, { format }: Pick<Output, "format">): string | null {
	if (format !== "text") return `not with --format ${format}`;
	return stdin.isTTY === true && stderr.isTTY === true ? null : "there is no terminal to ask on";
}

/** Asks, and returns whether the answer is `yes`. Throws InterruptedError for Ctrl-C, and once the signal is aborted. */
export async function askOnTerminal(
	question: string,
	{ stdin, stderr }: Terminal,
	signal?: AbortSignal,
): Promise<boolean> {
	const { createInterface } = await import("node:readline/promises");
	const lines = createInterface({ input: stdin, output: stderr });
	try {
		const answer = await lines.question(`${question} Only "yes" is accepted: `, { ...defined({ signal }) });
		return answer.trim() === "yes";
	} catch (error) {
		if ((error as { code?: unknown }).code !== "ABORT_ERR") throw error;
		// The end of the input declines.
		if (/Ctrl\+D/.test(String(error))) return false;
		throw new InterruptedError("orgsync was interrupted at the question; nothing was submitted", { cause: error });
	} finally {
		lines.close();
	}
}
