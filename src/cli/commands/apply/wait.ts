/** `apply --wait-for-approval`: organizations that wait take no `--concurrency`, and read at most once a second together. */
import { listCovers, showText } from "../../../common/escape.ts";
import { describeTime } from "../../../plan/access-window.ts";
import { type ActivityEvent, voteLifetimeMs } from "../../../plan/activities/activity-events.ts";
import { forecastPending } from "../../../plan/impact/forecast.ts";
import { coveredAddresses } from "../../../plan/step.ts";
import type { CommandContext } from "../../../plan/suggested-command.ts";
import { phraseText, stepLines } from "../../../render/print/text.ts";
import { stepRow } from "../../../render/sections/steps.ts";
import { sayEvent } from "../../../say/activities.ts";
import { describeAwaited } from "../../../say/approvals.ts";
import type { Comparison } from "../../../sync/converge.ts";
import { type RanStep, requestsOf } from "../../../sync/submit/run-step.ts";
import { isWaiting, readingIntervalMs, type WaitNews, type WaitOptions } from "../../../sync/wait-for-end.ts";
import type { Call } from "../../output/output.ts";
import type { ComparedOrganization } from "../comparing.ts";

/** `--wait-for-approval` has milliseconds; without it, nothing waits. */
interface WaitCall extends Call<{ readonly concurrency: number; readonly waitForApproval?: number }> {
	/** What suggested commands repeat of the call. */
	readonly commands: CommandContext;
}

/** The organizations of a run, as they take turns and wait. */
export class RunWait {
	readonly #call: WaitCall;
	readonly #signal: AbortSignal;
	readonly #untilMs: number | undefined;
	/** Organizations that wait for a turn, first come, first served. */
	readonly #queue: (() => void)[] = [];
	#free: number;
	/** Ids of organizations that wait, or have waited and go on. */
	readonly #waiting = new Set<string>();
	#isAnnounced = false;

	constructor(call: WaitCall, signal: AbortSignal) {
		const { flags, terminal } = call;
		this.#call = call;
		this.#signal = signal;
		this.#free = flags.concurrency;
		this.#untilMs = flags.waitForApproval === undefined ? undefined : terminal.now() + flags.waitForApproval;
	}

	/** How many organizations may begin: with turns, any number, because each takes one before it works. */
	get maxConcurrency(): number {
		return this.#untilMs === undefined ? this.#call.flags.concurrency : Number.POSITIVE_INFINITY;
	}

	/** Works on an organization once it is its turn. */
	async takeTurn<T>({ comparison }: ComparedOrganization, work: () => Promise<T>): Promise<T> {
		if (this.#untilMs === undefined) return work();
		await this.#begin();
		try {
			return await work();
		} finally {
			this.#waiting.delete(comparison.plan.organizationId);
			this.#end();
		}
	}

	/** Returns how the steps of an organization wait; `about` begins each line about it. */
	optionsFor({ comparison }: ComparedOrganization, about: string): { readonly wait?: WaitOptions } {
		const untilMs = this.#untilMs;
		if (untilMs === undefined) return {};
		return {
			wait: {
				untilMs,
				pause: (ms) => this.#pause(comparison.plan.organizationId, ms, untilMs),
				onWait: (news) => this.#show(news, comparison, about),
			},
		};
	}

	async #begin(): Promise<void> {
		if (this.#free > 0) this.#free -= 1;
		else await new Promise<void>((resolve) => this.#queue.push(resolve));
	}

	#end(): void {
		const next = this.#queue.shift();
		if (next === undefined) this.#free += 1;
		else next();
	}

	async #pause(organizationId: string, ms: number, untilMs: number): Promise<void> {
		const { terminal, output } = this.#call;
		this.#waiting.add(organizationId);
		const { size } = this.#waiting;
		const leftMs = Math.max(0, untilMs - terminal.now());
		output.progress(
			`waiting for approval in ${size === 1 ? "1 organization" : `${size} organizations`}, ${Math.ceil(leftMs / 60_000)} min left`,
		);
		this.#end();
		await terminal.sleep(Math.max(ms, Math.min(size * readingIntervalMs, leftMs)), this.#signal);
		await this.#begin();
	}

	#show(news: WaitNews, comparison: Comparison, about: string): void {
		const { output, commands } = this.#call;
		const { plan } = comparison;
		if (news.kind === "unreadable") {
			output.note(`${about}pending activities could not be read, and will be read again: ${showText(news.message)}`);
		} else if (news.kind === "event") {
			const { ran, event } = news;
			// How it ended is the result of the step, which is shown next.
			if (event.event === "status" && !isWaiting(ran)) return;
			const what = listCovers(coveredAddresses([ran.step]));
			const missing = isWaiting(ran) ? describeMissing(ran, event, comparison, this.#call.terminal.now()) : "";
			output.note(`${about}${what}: ${phraseText(sayEvent(event, plan))}${missing}`);
		} else {
			const row = stepRow(news.ran.result, plan, { isWaiting: true, commands });
			output.note(`${about}${stepLines(row, output.style).join("\n")}`);
			this.#announce();
		}
	}

	/** Says once until when the run waits. */
	#announce(): void {
		const { output } = this.#call;
		if (this.#isAnnounced || this.#untilMs === undefined) return;
		this.#isAnnounced = true;
		const until = describeTime(new Date(this.#untilMs).toISOString());
		output.note(
			`Waiting until ${until} at the latest. Press Ctrl-C to stop waiting: activities stay pending, and the next apply joins them.`,
		);
	}
}

/** Returns who can still complete the activity of a vote, to follow it; empty where that is not known. */
function describeMissing(
	ran: RanStep,
	{ event, activityId }: ActivityEvent,
	{ plan, context, clockOffsetMs }: Comparison,
	nowMs: number,
): string {
	const { access, submitter } = context;
	const activity = requestsOf(ran).find(({ result }) => result.activity?.id === activityId)?.result.activity;
	if (event !== "vote" || access === undefined || submitter === undefined || !activity) return "";
	const atMs = nowMs + clockOffsetMs;
	const approvedBy = activity.votes.flatMap(({ userId, selection, createdAtMs = atMs }) =>
		selection === "VOTE_SELECTION_APPROVED" && createdAtMs > atMs - voteLifetimeMs ? (userId ?? []) : [],
	);
	const awaited = describeAwaited(forecastPending(ran.step, approvedBy, { access, submitter, atMs }), plan);
	return awaited === null ? "" : `; ${phraseText(awaited)}`;
}
