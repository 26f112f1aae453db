/**
 * A run of `drift` or `apply` as OpenMetrics. It takes one organization after the other, keeps counts, and holds nothing of an
 * organization. What the run does not know gets no series: an error never looks like a zero.
 *
 * The text is also Prometheus' text format, which textfiles are read as: `# UNIT` and `# EOF` are comments there.
 */

import type { PendingActivity } from "../../plan/activities/pending.ts";
import { accessExpired } from "../../plan/drift/difference.ts";
import type { OrganizationDrift } from "../../plan/drift/drift.ts";
import type { Plan } from "../../plan/plan.ts";
import { type Outcome, outcomesOf, type Stats, type StepResult } from "../../plan/report.ts";
import { errorOfCall } from "../result/errors.ts";
import type { FoundOrganization } from "../result/found.ts";
import { assessFound } from "../result/organizations.ts";
import { type CommandResult, isCompared } from "../result/result.ts";
import { stateOfFound } from "../result/summary.ts";
import { findSoonEnding } from "../sections/windows.ts";
import {
	driftKinds,
	type MeteredCommand,
	type MetricName,
	metricOf,
	stepOutcomes,
	usualStates,
} from "./metric-table.ts";

/** What is said of a run besides its organizations. */
export interface RunFacts {
	/** Of orgsync. */
	readonly version: string;
	/** Milliseconds since 1970. */
	readonly endedAtMs: number;
	readonly durationMs: number;
	/** Requests of the run; null before there is a connection. */
	readonly requests: RequestCounts | null;
	/** Added to every series. */
	readonly labels: Readonly<Record<string, string>>;
}

export interface RequestCounts extends Stats {
	/** Answers with 429. */
	readonly throttled: number;
}

export interface MetricsOptions {
	readonly command: string;
	/** Returns what is known of the run at its end. */
	readonly run: () => RunFacts;
}

export class MetricsStream {
	readonly #command: MeteredCommand;
	readonly #run: () => RunFacts;
	readonly #organizations = new Counter();
	readonly #drifted = new Counter();
	readonly #steps = new Counter();
	readonly #errors = new Counter();
	#pending = 0;
	#inDoubt = 0;
	/** How many organizations this run has read. */
	#plans = 0;
	readonly #read = new Earliest();
	readonly #oldestDrift = new Earliest();
	readonly #oldestPending = new Earliest();
	#expired = 0;
	#endsSoon = 0;
	readonly #oldestExpired = new Earliest();
	readonly #nextEnd = new Earliest();

	constructor({ command, run }: MetricsOptions) {
		this.#command = command === "apply" ? "apply" : "drift";
		this.#run = run;
	}

	begin(): string {
		return "";
	}

	/** Counts the next organization; returns no text. */
	add(found: FoundOrganization): string {
		const { plan, drift, report, failed } = found;
		const state = stateOfFound(found, assessFound(this.#command, found)) ?? "unread";
		this.#organizations.add(state);
		if (failed !== undefined) this.#errors.add(failed.error.code);
		if (plan !== undefined || state === "inSync") this.#plans += 1;
		this.#read.add(plan?.readAt ?? drift?.readAt ?? found.readAt ?? null);
		if (drift !== undefined) this.#addDrift(drift, plan?.expiries);
		this.#addExpiries(found);
		const results = (report ?? failed)?.steps ?? [];
		for (const outcome of outcomesOf(results)) this.#steps.add(outcome);
		const open = openActivities(plan, results, report?.finishedAt ?? null);
		this.#pending += open.pending.length;
		this.#inDoubt += open.inDoubt;
		for (const { createdAt } of open.pending) if (createdAt !== null) this.#oldestPending.add(createdAt);
		return "";
	}

	/** Returns the metrics, ending with `# EOF` and a newline. `result` is that of the call, or of the error that ended it. */
	end(result: CommandResult): string {
		// Without parts, what an error kept of the last report is all there is.
		if (this.#organizations.isEmpty && !isCompared(result) && "drift" in result) {
			for (const drift of result.drift ?? []) this.add({ organizationId: drift.organizationId, exitCode: 1, drift });
		}
		const code = errorOfCall(result)?.code;
		// The result of a stream repeats the error of its first organization, which was counted.
		const isCounted = isCompared(result) && code !== undefined && this.#errors.has(code);
		if (code !== undefined && !isCounted) this.#errors.add(code);
		const run = this.#run();
		const writer = new MetricsWriter(this.#command, run.labels);
		writer.add("build", 1, run.version);
		writer.add("ended", run.endedAtMs / 1000);
		writer.add("duration", run.durationMs / 1000);
		writer.add("exitCode", result.exitCode);
		writer.addAll("errors", this.#errors.all([]));
		this.#writeOrganizations(writer);
		if (run.requests !== null) writeRequests(writer, run.requests);
		return writer.finish();
	}

	#addDrift({ findings }: OrganizationDrift, expiries: Plan["expiries"] = []): void {
		for (const { kind, what, address, by, firstSeenAt } of findings) {
			this.#drifted.add(kind);
			const expired = what === accessExpired ? expiries.filter((one) => one.address === address) : [];
			for (const { until } of expired) this.#oldestDrift.add(until ?? null);
			if (expired.length === 0) this.#oldestDrift.add(by?.at ?? firstSeenAt);
		}
	}

	#addExpiries({ plan, ...found }: FoundOrganization): void {
		for (const { state, until } of plan?.expiries ?? []) {
			if (state !== "expired") continue;
			this.#expired += 1;
			this.#oldestExpired.add(until ?? null);
		}
		const endsSoon = found.endsSoon ?? (plan && findSoonEnding(plan)) ?? null;
		if (endsSoon === null) return;
		this.#endsSoon += endsSoon.members;
		this.#nextEnd.add(endsSoon.firstAt);
	}

	/** Writes what is known of organizations. Zeros only if the run has read one. */
	#writeOrganizations(writer: MetricsWriter): void {
		const command = this.#command;
		const hasRead = this.#plans > 0;
		writer.addAll("organizations", this.#organizations.all(this.#organizations.isEmpty ? [] : usualStates[command]));
		writer.addTime("read", this.#read);
		if (command === "drift") {
			writer.addAll("drifted", this.#drifted.all(hasRead ? driftKinds : []));
			writer.addTime("oldestDrift", this.#oldestDrift);
			if (hasRead) writer.add("expired", this.#expired);
			writer.addTime("oldestExpired", this.#oldestExpired);
		}
		if (hasRead) writer.add("endsSoon", this.#endsSoon);
		writer.addTime("nextEnd", this.#nextEnd);
		if (hasRead) {
			writer.add("pending", this.#pending);
			writer.addTime("oldestPending", this.#oldestPending);
			writer.add("inDoubt", this.#inDoubt);
		}
		if (command === "apply") writer.addAll("steps", this.#steps.all(hasRead ? stepOutcomes : []));
	}
}

export function renderOpenMetrics(result: CommandResult, run: RunFacts): string {
	const stream = new MetricsStream({ command: result.command, run: () => run });
	for (const one of isCompared(result) ? result.organizations : []) stream.add(one);
	return stream.end(result);
}

function writeRequests(writer: MetricsWriter, requests: RequestCounts): void {
	const { queries, submits, retries } = requests;
	writer.addAll("requests", [
		["query", queries],
		["submit", submits],
		["retry", retries],
	]);
	writer.add("throttled", requests.throttled);
	writer.add("waited", requests.throttledMs / 1000);
}

/** Returns what is open after these steps: of the activities that the plan found, and of those that the steps submitted. */
function openActivities(plan: Plan | undefined, results: readonly StepResult[], endedAt: string | null) {
	const reached = results
		.flatMap((result): readonly Pick<StepResult, "outcome" | "fingerprint">[] =>
			result.parts.length === 0 ? [result] : result.parts,
		)
		.filter(({ outcome }) => outcome !== "not-attempted");
	const states = new Map<string | null, { readonly state: string; readonly createdAt: string | null }>();
	for (const { fingerprint, state, createdAt } of plan?.waiting ?? []) states.set(fingerprint, { state, createdAt });
	for (const { fingerprint, outcome } of reached) {
		const known = states.get(fingerprint);
		states.set(fingerprint, {
			state: openStates[outcome] ?? "ended",
			createdAt: known === undefined ? endedAt : known.createdAt,
		});
	}
	const all = [...states.values()];
	return {
		pending: all.filter(({ state }) => state === "pending"),
		inDoubt: all.filter(({ state }) => state === "in-doubt").length,
	};
}

const openStates: Readonly<Partial<Record<Outcome, PendingActivity["state"]>>> = {
	"awaiting-approval": "pending",
	"awaiting-authenticator": "pending",
	unknown: "in-doubt",
};

class Counter {
	readonly #counts = new Map<string, number>();

	get isEmpty(): boolean {
		return this.#counts.size === 0;
	}

	has(value: string): boolean {
		return this.#counts.has(value);
	}

	add(value: string): void {
		this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
	}

	/** Returns the counts: those of `usual` first and also if they are 0. */
	all(usual: readonly string[]): readonly (readonly [value: string, count: number])[] {
		const values = new Set([...usual, ...[...this.#counts.keys()].sort()]);
		return [...values].map((value) => [value, this.#counts.get(value) ?? 0]);
	}
}

/** The earliest of some times; unknown without one, and once one of them is unknown. */
class Earliest {
	#ms = Number.POSITIVE_INFINITY;

	/** Adds a time in ISO 8601. */
	add(time: string | null): void {
		const ms = time === null ? Number.NaN : Date.parse(time);
		this.#ms = Math.min(this.#ms, ms);
	}

	/** Seconds since 1970. */
	get seconds(): number | undefined {
		return Number.isFinite(this.#ms) ? this.#ms / 1000 : undefined;
	}
}

/** Writes metric families, each once and with all its series together. */
class MetricsWriter {
	readonly #lines: string[] = [];
	readonly #labels: Readonly<Record<string, string>>;

	constructor(command: MeteredCommand, labels: Readonly<Record<string, string>>) {
		this.#labels = { command, ...labels };
	}

	/** Adds a metric with one series; `labelValue` where the metric has a label of its own. */
	add(metric: MetricName, value: number, labelValue?: string): void {
		this.#head(metric);
		this.#sample(metric, value, labelValue);
	}

	/** Adds a metric with a series for each value of its label; nothing without one. */
	addAll(metric: MetricName, values: readonly (readonly [labelValue: string, value: number])[]): void {
		if (values.length > 0) this.#head(metric);
		for (const [labelValue, value] of values) this.#sample(metric, value, labelValue);
	}

	/** Adds a time; nothing if it is unknown. */
	addTime(metric: MetricName, { seconds }: Earliest): void {
		if (seconds !== undefined) this.add(metric, seconds);
	}

	finish(): string {
		return [...this.#lines, "# EOF", ""].join("\n");
	}

	#head(metric: MetricName): void {
		const { name, help } = metricOf(metric);
		this.#lines.push(`# TYPE ${name} gauge`);
		if (name.endsWith("_seconds")) this.#lines.push(`# UNIT ${name} seconds`);
		this.#lines.push(`# HELP ${name} ${help}`);
	}

	#sample(metric: MetricName, value: number, labelValue: string | undefined): void {
		const { name, label } = metricOf(metric);
		const own = label === undefined || labelValue === undefined ? {} : { [label]: labelValue };
		const labels = Object.entries({ ...this.#labels, ...own }).map(([key, text]) => `${key}="${escapeLabel(text)}"`);
		this.#lines.push(`${name}{${labels.join(",")}} ${value}`);
	}
}

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", '"': '\\"', "\n": "\\n" };

function escapeLabel(value: string): string {
	return value.toWellFormed().replaceAll(/[\\"\n]/g, (character) => escapes[character] ?? character);
}
