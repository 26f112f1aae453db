/**
 * `apply --plan`: what was reviewed is what runs. The saved plan says which objects; everything about them is read and
 * planned again, and runs only when that is the same plan.
 */
import { ConfigurationError, NotPlannedError } from "../../errors.ts";
import { retriedIn } from "../../plan/overrides.ts";
import type { Reads } from "../../plan/plan.ts";
import { tellSavedPlan } from "../../plan/render/result.ts";
import { renderPlan } from "../../plan/render/text.ts";
import { factsOf, matchDocuments, type SavedPlan } from "../../plan/saved.ts";
import { refuseStale } from "../../plan/stale.ts";
import { readSavedPlan } from "../saved-file.ts";
import type { Result, Terminal, Voice } from "../voice.ts";
import { describeImpossible, isImpossible } from "./apply-consent.ts";
import { refused } from "./apply-result.ts";
import type { Review } from "./apply-review.ts";
import { readSelected, type SelectionFlags } from "./comparing.ts";

export interface SavedPlanFlags extends SelectionFlags {
	readonly reads: Reads;
	readonly readsGiven?: boolean;
	readonly abandon: readonly string[];
	readonly retryRejected?: boolean;
}

/**
 * The review that the plan in this file had. Throws ConfigurationError before anything is read from the service: for a
 * file that is no saved plan or not as it was saved, for other documents, and for flags that cannot go with it.
 */
export async function openReview(
	file: string,
	flags: SavedPlanFlags,
	terminal: Terminal,
	voice: Voice,
): Promise<Review> {
	refuseFlags(file, flags);
	const saved = await readSavedPlan(file, terminal);
	refuseSilentRetry(saved, flags);
	const reads = readsOf(saved, flags);
	const planned = matchDocuments(saved, await readSelected(flags, terminal, voice));
	const plans = new Map(planned.map(({ plan }) => [plan.organizationId, plan]));
	const facts = factsOf(saved);
	const tell = (result: Result): Result => {
		const json = { ...result.json, savedPlan: facts };
		const said = tellSavedPlan({ command: "apply", savedPlan: facts, ...result.json });
		const text: Result["text"] = (style) => {
			const lines = result.text(style);
			return lines === "" ? "" : `${lines}${said}\n`;
		};
		return { ...result, json, text };
	};
	return {
		refusal: refusalOf(saved, tell, voice),
		organizations: planned.filter(({ plan }) => !isImpossible(plan)).map(({ desired }) => desired),
		setAside: saved.plans.filter(isImpossible),
		notPlanned: (saved.unread ?? []).map((organizationId) => ({
			organizationId,
			error: new NotPlannedError("it could not be read when the plan was made; nothing was sent", {
				hint: "plan again, and have the new plan reviewed",
			}),
		})),
		reads,
		report: { planDigest: saved.digest },
		refuseStale: (comparisons) =>
			refuseStale(
				comparisons.flatMap(({ plan: fresh, live }) => {
					const plan = plans.get(fresh.organizationId);
					return plan === undefined ? [] : [{ saved: plan, fresh, live }];
				}),
			),
		tell,
	};
}

function refuseFlags(file: string, flags: SavedPlanFlags): void {
	if (flags.only.length > 0) {
		throw new ConfigurationError("--only cannot go with --plan: a saved plan is narrowed when it is made", {
			hint: "orgsync plan --only KIND[/GLOB] --out FILE",
		});
	}
	if (flags.abandon.length > 0) {
		throw new ConfigurationError("--abandon cannot go with --plan: what waits was part of what was reviewed", {
			hint: "give it up with apply, or plan again after it has ended",
		});
	}
	if (file === "-" && flags.file.includes("-")) {
		throw new ConfigurationError("--plan and --file cannot both be standard input");
	}
}

/** Throws ConfigurationError when the plan submits again what was rejected, and whoever applies it does not say so too. */
function refuseSilentRetry({ plans }: SavedPlan, { retryRejected }: SavedPlanFlags): void {
	const retried = plans.reduce((sum, plan) => sum + retriedIn(plan).size, 0);
	if (retried === 0 || retryRejected === true) return;
	const what = retried === 1 ? "1 change that was" : `${retried} changes that were`;
	throw new ConfigurationError(`the saved plan submits ${what} rejected before`, {
		hint: "to submit them again: add --retry-rejected; otherwise plan again without it",
	});
}

/** The reads that it was planned with: with others it would not be the same plan. */
function readsOf({ plans }: SavedPlan, flags: SavedPlanFlags): Reads {
	const reads = plans[0]?.reads ?? flags.reads;
	if (flags.readsGiven !== true || flags.reads === reads) return reads;
	throw new ConfigurationError(`--reads ${flags.reads}: the saved plan was read with --reads ${reads}`, {
		hint: "leave --reads out: a saved plan is applied as it was read",
	});
}

/** A plan of one organization that cannot be is refused as without having been saved, and without asking the service again. */
function refusalOf({ plans, unread = [] }: SavedPlan, tell: Review["tell"], voice: Voice): Result | null {
	const [plan, ...others] = plans;
	if (plan === undefined || others.length + unread.length > 0 || !isImpossible(plan)) return null;
	voice.note(renderPlan(plan, voice.style));
	return tell(refused(plans, describeImpossible(plan), []));
}
