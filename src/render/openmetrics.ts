/**
 * A run of `drift` or `apply` as OpenMetrics. A fold: it takes one organization after the other, keeps counts, and holds nothing
 * of an organization. What the run does not know gets no series: an error never looks like a zero.
 *
 * The text is also Prometheus' text format, which textfiles are read as: `# UNIT` and `# EOF` are comments there.
 */
import type { OrganizationDrift } from "../plan/drift.ts";
import type { PendingActivity } from "../plan/pending.ts";
import type { Plan } from "../plan/plan.ts";
import { type Outcome, outcomesOf, type Report, type StepResult } from "../plan/report.ts";
import {
	driftKinds,
	type MetricName,
	metricOf,
	stepOutcomes,
	usualVerdicts,
	type Verdict,
	verdicts,
} from "./metric-table.ts";
import { stateOfOrganization } from "./organizations.ts";
import { type CommandResult, errorOfCall, type FailedOrganization } from "./result.ts";

type MeteredCommand = "drift" | "apply";

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

export interface RequestCounts {
	readonly queries: number;
	readonly submits: number;
	readonly retries: number;
	/** Answers with 429. */
	readonly throttled: number;
	readonly throttledMs: number;
}

/** What the run found out about one organization. */
interface OrganizationPiece {
	/** Null where it could not be read. */
	readonly plan: Plan | null;
	readonly drift?: OrganizationDrift | null;
	readonly report?: Report | null;
	readonly failed?: FailedOrganization | null;
}

/** How the run ended; `code` is that of the error of the call, null if there is none. */
interface RunEnd {
	readonly exitCode: number;
	readonly code: string | null;
}

interface MetricsFold {
	add(piece: OrganizationPiece): void;
	/** Returns the metrics, ending with `# EOF` and a newline. */
	render(end: RunEnd, run: RunFacts): string;
}

/** Returns a fold over the organizations of one run. */
export function foldMetrics(command: MeteredCommand): MetricsFold {
	const counts = {
		organizations: new Counter<Verdict>(),
		drifted: new Counter<string>(),
		steps: new Counter<string>(),
		errors: new Counter<string>(),
	};
	let pending = 0;
	let inDoubt = 0;
	let plans = 0;
	const read = new Earliest();
	const oldestDrift = new Earliest();
	const oldestPending = new Earliest();
	const add = (piece: OrganizationPiece): void => {
		const { plan, drift, report, failed } = piece;
		if (plan !== null) plans += 1;
		counts.organizations.add(verdictOf(command, piece));
		read.add(plan?.readAt ?? drift?.readAt ?? null);
		for (const { kind, by, firstSeenAt } of drift?.findings ?? []) {
			counts.drifted.add(kind);
			oldestDrift.add(by?.at ?? firstSeenAt);
		}
		if (failed != null) counts.errors.add(failed.error.code);
		const results = (report ?? failed)?.steps ?? [];
		for (const outcome of outcomesOf(results)) counts.steps.add(outcome);
		const open = openActivities(plan, results, report?.finishedAt ?? null);
		pending += open.pending.length;
		inDoubt += open.inDoubt;
		for (const { createdAt } of open.pending) if (createdAt !== null) oldestPending.add(createdAt);
	};
	const render = ({ exitCode, code }: RunEnd, run: RunFacts): string => {
		const writer = new MetricsWriter(command, run.labels);
		if (code !== null) counts.errors.add(code);
		writer.add("build", 1, run.version);
		writer.add("ended", run.endedAtMs / 1000);
		writer.add("duration", run.durationMs / 1000);
		writer.add("exitCode", exitCode);
		writer.addAll("errors", counts.errors.all([]));
		writer.addAll(
			"organizations",
			counts.organizations.all(counts.organizations.isEmpty ? [] : usualVerdicts[command]),
		);
		writer.addTime("read", read);
		const hasRead = plans > 0;
		if (command === "drift") {
			writer.addAll("drifted", counts.drifted.all(hasRead ? driftKinds : []));
			writer.addTime("oldestDrift", oldestDrift);
		}
		if (hasRead) {
			writer.add("pending", pending);
			writer.addTime("oldestPending", oldestPending);
			writer.add("inDoubt", inDoubt);
		}
		if (command === "apply") writer.addAll("steps", counts.steps.all(hasRead ? stepOutcomes : []));
		if (run.requests !== null) addRequests(writer, run.requests);
		return writer.finish();
	};
	return { add, render };
}

function addRequests(writer: MetricsWriter, requests: RequestCounts): void {
	const { queries, submits, retries } = requests;
	writer.addAll("requests", [
		["query", queries],
		["submit", submits],
		["retry", retries],
	]);
	writer.add("throttled", requests.throttled);
	writer.add("waited", requests.throttledMs / 1000);
}

function verdictOf(command: MeteredCommand, { plan, drift, report, failed }: OrganizationPiece): Verdict {
	if (plan === null) return failed?.error.code === "live-problem" ? "cannot-converge" : "unreadable";
	const found = { command, plan, report: report ?? null, failed: failed ?? null, threeWay: null, drift: drift ?? null };
	return verdicts[stateOfOrganization(found)];
}

/** Returns what is open after these steps: of the activities that the plan found, and of those that the steps submitted. */
function openActivities(plan: Plan | null, results: readonly StepResult[], endedAt: string | null) {
	const reached = results
		.flatMap((result): readonly Pick<StepResult, "outcome" | "fingerprint">[] =>
			result.parts.length === 0 ? [result] : result.parts,
		)
		.filter(({ outcome }) => outcome !== "not-attempted");
	const states = new Map<string | null, { readonly state: string; readonly createdAt: string | null }>();
	for (const { fingerprint, state, createdAt } of plan?.waiting ?? []) states.set(fingerprint, { state, createdAt });
	for (const { fingerprint, outcome } of reached) {
		const createdAt = states.has(fingerprint) ? (states.get(fingerprint)?.createdAt ?? null) : endedAt;
		states.set(fingerprint, { state: openStates[outcome] ?? "ended", createdAt });
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

/** Returns the whole result of `drift` or `apply` as metrics. */
export function renderOpenMetrics(result: CommandResult, run: RunFacts): string {
	const fold = foldMetrics(result.command === "apply" ? "apply" : "drift");
	const plans = "plans" in result ? new Map(result.plans.map((plan) => [plan.organizationId, plan])) : new Map();
	const index = <T extends { readonly organizationId: string }>(all: readonly T[] = []) =>
		new Map(all.map((one) => [one.organizationId, one]));
	const drifts = index("drift" in result ? result.drift : []);
	const reports = index("reports" in result ? result.reports : []);
	const failures = index("failed" in result ? result.failed : []);
	for (const id of new Set([...plans.keys(), ...drifts.keys(), ...failures.keys()])) {
		fold.add({
			plan: plans.get(id) ?? null,
			drift: drifts.get(id) ?? null,
			report: reports.get(id) ?? null,
			failed: failures.get(id) ?? null,
		});
	}
	return fold.render({ exitCode: result.exitCode, code: errorOfCall(result)?.code ?? null }, run);
}

/** Counts by label value. */
class Counter<Value extends string> {
	readonly #counts = new Map<Value, number>();

	get isEmpty(): boolean {
		return this.#counts.size === 0;
	}

	add(value: Value): void {
		this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
	}

	/** Returns the counts: those of `usual` first and also if they are 0. */
	all(usual: readonly Value[]): readonly (readonly [Value, number])[] {
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
	addAll(metric: MetricName, values: readonly (readonly [string, number])[]): void {
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
		const { name, unit, help } = metricOf(metric);
		this.#lines.push(`# TYPE ${name} gauge`);
		if (unit !== undefined) this.#lines.push(`# UNIT ${name} ${unit}`);
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
