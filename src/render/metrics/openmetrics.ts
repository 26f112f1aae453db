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
	type MeteredCommand,
	type MetricName,
	metricOf,
	metricTable,
	requestTypes,
	usualLabels,
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
	readonly #series = new Series();
	/** Whether this run has read an organization: then what it did not find is 0. */
	#hasRead = false;

	constructor({ command, run }: MetricsOptions) {
		this.#command = command === "apply" ? "apply" : "drift";
		this.#run = run;
	}

	/** Counts the next organization; returns no text. */
	add(found: FoundOrganization): string {
		const { plan, drift, report, failed } = found;
		const state = stateOfFound(found, assessFound(this.#command, found)) ?? "unread";
		this.#series.add("organizations", 1, state);
		if (failed !== undefined) this.#series.add("errors", 1, failed.error.code);
		if (plan !== undefined || state === "inSync") this.#hasRead = true;
		this.#series.addTime("read", plan?.readAt ?? drift?.readAt ?? found.readAt ?? null);
		if (drift !== undefined) this.#addDrift(drift, plan?.expiries);
		this.#addExpiries(found);
		const results = (report ?? failed)?.steps ?? [];
		for (const outcome of outcomesOf(results)) this.#series.add("steps", 1, outcome);
		for (const { state, createdAt } of openActivities(plan, results, report?.finishedAt ?? null)) {
			if (state === "in-doubt") this.#series.add("inDoubt", 1);
			if (state !== "pending") continue;
			this.#series.add("pending", 1);
			if (createdAt !== null) this.#series.addTime("oldestPending", createdAt);
		}
		return "";
	}

	/** Returns the metrics, ending with `# EOF` and a newline. `result` is that of the call, or of the error that ended it. */
	end(result: CommandResult): string {
		const series = this.#series;
		// Without parts, what an error kept of the last report is all there is.
		if (!series.has("organizations") && !isCompared(result) && "drift" in result) {
			for (const drift of result.drift ?? []) this.add({ organizationId: drift.organizationId, exitCode: 1, drift });
		}
		const code = errorOfCall(result)?.code;
		// The result of a stream repeats the error of its first organization, which was counted.
		const isCounted = isCompared(result) && code !== undefined && series.has("errors", code);
		if (code !== undefined && !isCounted) series.add("errors", 1, code);
		const { version, endedAtMs, durationMs, requests, labels } = this.#run();
		series.add("build", 1, version);
		series.add("ended", endedAtMs / 1000);
		series.add("duration", durationMs / 1000);
		series.add("exitCode", result.exitCode);
		if (requests !== null) {
			series.add("requests", requests.queries, "query");
			series.add("requests", requests.submits, "submit");
			series.add("requests", requests.retries, "retry");
			series.add("throttled", requests.throttled);
			series.add("waited", requests.throttledMs / 1000);
		}
		const names = (Object.keys(metricTable) as MetricName[]).filter((name) => {
			const { command = this.#command } = metricOf(name);
			return command === this.#command;
		});
		const all = { command: this.#command, ...labels };
		return [...names.flatMap((name) => linesOf(name, series.all(name, this.#usual(name)), all)), "# EOF", ""].join(
			"\n",
		);
	}

	#addDrift({ findings }: OrganizationDrift, expiries: Plan["expiries"] = []): void {
		for (const { kind, what, address, by, firstSeenAt } of findings) {
			this.#series.add("drifted", 1, kind);
			const expired = what === accessExpired ? expiries.filter((one) => one.address === address) : [];
			for (const { until } of expired) this.#series.addTime("oldestDrift", until ?? null);
			if (expired.length === 0) this.#series.addTime("oldestDrift", by?.at ?? firstSeenAt);
		}
	}

	#addExpiries({ plan, ...found }: FoundOrganization): void {
		for (const { state, until } of plan?.expiries ?? []) {
			if (state !== "expired") continue;
			this.#series.add("expired", 1);
			this.#series.addTime("oldestExpired", until ?? null);
		}
		const endsSoon = found.endsSoon ?? (plan && findSoonEnding(plan)) ?? null;
		if (endsSoon === null) return;
		this.#series.add("endsSoon", endsSoon.members);
		this.#series.addTime("nextEnd", endsSoon.firstAt);
	}

	/** Returns the values of the metric's label that come first, and have a series also with 0. */
	#usual(name: MetricName): readonly string[] {
		if (name === "requests") return this.#series.has(name) ? requestTypes : [];
		if (name === "organizations") return this.#series.has(name) ? usualStates[this.#command] : [];
		return this.#hasRead ? (usualLabels[name] ?? []) : [];
	}
}

export function renderOpenMetrics(result: CommandResult, run: RunFacts): string {
	const stream = new MetricsStream({ command: result.command, run: () => run });
	for (const one of isCompared(result) ? result.organizations : []) stream.add(one);
	return stream.end(result);
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
	return [...states.values()];
}

const openStates: Readonly<Partial<Record<Outcome, PendingActivity["state"]>>> = {
	"awaiting-approval": "pending",
	"awaiting-authenticator": "pending",
	unknown: "in-doubt",
};

/** The values of all metrics, by the value of the metric's own label; `""` where it has none. */
class Series {
	readonly #values = new Map<MetricName, Map<string, number>>();

	has(metric: MetricName, label?: string): boolean {
		const values = this.#values.get(metric);
		return label === undefined ? values !== undefined : values?.has(label) === true;
	}

	add(metric: MetricName, value: number, label = ""): void {
		const values = this.#of(metric);
		values.set(label, (values.get(label) ?? 0) + value);
	}

	/** Adds a time in ISO 8601, of which the earliest counts; it is unknown once one of them is. */
	addTime(metric: MetricName, time: string | null): void {
		const seconds = time === null ? Number.NaN : Date.parse(time) / 1000;
		this.#of(metric).set("", Math.min(this.#of(metric).get("") ?? Number.POSITIVE_INFINITY, seconds));
	}

	/** Returns what is known: the values of `usual` labels first, also if they are 0. */
	all(metric: MetricName, usual: readonly string[]): readonly (readonly [label: string, value: number])[] {
		const values = this.#values.get(metric) ?? new Map<string, number>();
		const labels = new Set([...usual, ...[...values.keys()].sort()]);
		return [...labels]
			.map((label) => [label, values.get(label) ?? 0] as const)
			.filter(([, value]) => Number.isFinite(value));
	}

	#of(metric: MetricName): Map<string, number> {
		const values = this.#values.get(metric) ?? new Map<string, number>();
		this.#values.set(metric, values);
		return values;
	}
}

/** Returns a metric family: what it is, and its series. */
function linesOf(
	metric: MetricName,
	values: ReturnType<Series["all"]>,
	shared: Readonly<Record<string, string>>,
): readonly string[] {
	const { name, help, label } = metricOf(metric);
	if (values.length === 0) return [];
	const unit = name.endsWith("_seconds") ? [`# UNIT ${name} seconds`] : [];
	const samples = values.map(([own, value]) => {
		const all = Object.entries({ ...shared, ...(label === undefined ? {} : { [label]: own }) });
		return `${name}{${all.map(([key, text]) => `${key}="${escapeLabel(text)}"`).join(",")}} ${value}`;
	});
	return [`# TYPE ${name} gauge`, ...unit, `# HELP ${name} ${help}`, ...samples];
}

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", '"': '\\"', "\n": "\\n" };

function escapeLabel(value: string): string {
	return value.toWellFormed().replaceAll(/[\\"\n]/g, (character) => escapes[character] ?? character);
}
