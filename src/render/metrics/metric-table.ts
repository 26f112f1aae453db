/**
 * The metrics of `--format openmetrics`: names, units, meanings and labels. docs/metrics.md lists them, and the dashboard and
 * the alert rules of the examples name no others.
 *
 * All are gauges. One run is a snapshot and not a process that counts on. The parser of Prometheus' text format, which reads
 * textfiles, knows no other type of OpenMetrics that would fit. No label holds an organization, an object or a person: the
 * number of series does not grow with a fleet.
 */
import { expectationLists, type KindName, removalKindNames } from "../../plan/kinds/names.ts";
import { outcomeWords } from "../../say/outcomes.ts";
import type { State } from "../result/organizations.ts";

interface Metric {
	/** Ends with the unit, if it has one: `_seconds`. */
	readonly name: string;
	readonly help: string;
	/** The label of its series besides `command` and those of `--metric-label`. */
	readonly label?: string;
	/** The only command that has it. */
	readonly command?: MeteredCommand;
}

export type MeteredCommand = "drift" | "apply";

export const metricTable = {
	build: { name: "orgsync_build_info", label: "version", help: "Version of orgsync; the value is always 1." },
	ended: { name: "orgsync_run_timestamp_seconds", help: "When the run ended." },
	duration: { name: "orgsync_run_duration_seconds", help: "How long the run took." },
	exitCode: { name: "orgsync_run_exit_code", help: "Exit code of the run." },
	errors: {
		name: "orgsync_run_errors",
		label: "code",
		help: "Errors of the run and of its organizations, by error code. No series without an error.",
	},
	organizations: {
		name: "orgsync_organizations",
		label: "state",
		help: "Organizations by state. No series if the run ended before it looked at one.",
	},
	read: {
		name: "orgsync_last_read_timestamp_seconds",
		help: "When the organization that was not read for the longest time was last read. No series if one was never read.",
	},
	drifted: {
		name: "orgsync_drifted_objects",
		label: "kind",
		command: "drift",
		help: "Drifted objects and broken rules, by kind.",
	},
	oldestDrift: {
		name: "orgsync_oldest_drift_timestamp_seconds",
		command: "drift",
		help: "When the oldest drift was made or, if that is unknown, first seen. No series without drift.",
	},
	expired: {
		name: "orgsync_access_expired",
		command: "drift",
		help: "Members of user tags whose access expired and who still have the tag.",
	},
	oldestExpired: {
		name: "orgsync_access_expired_timestamp_seconds",
		command: "drift",
		help: "When the first of these expired. No series without one.",
	},
	endsSoon: {
		name: "orgsync_access_expires",
		help: "Members of user tags whose access ends within --horizon.",
	},
	nextEnd: {
		name: "orgsync_access_expires_timestamp_seconds",
		help: "When the first of these ends. No series without one.",
	},
	pending: {
		name: "orgsync_pending_activities",
		help: "Activities that are pending approval or an authenticator and touch an object to change.",
	},
	oldestPending: {
		name: "orgsync_oldest_pending_activity_timestamp_seconds",
		help: "When the oldest of these activities was submitted. No series if that is unknown.",
	},
	inDoubt: { name: "orgsync_requests_in_doubt", help: "Requests in doubt." },
	steps: { name: "orgsync_steps", label: "outcome", command: "apply", help: "Steps of the run, by outcome." },
	requests: {
		name: "orgsync_requests",
		label: "type",
		help: "Requests of the run, by type. A retry is one more request.",
	},
	throttled: { name: "orgsync_requests_throttled", help: "Requests of the run that the service answered with 429." },
	waited: {
		name: "orgsync_throttled_seconds",
		help: "How long requests of the run waited because of rate limits.",
	},
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricName = keyof typeof metricTable;

/** Returns the row with all fields of its type. */
export function metricOf(name: MetricName): Metric {
	return metricTable[name];
}

/** States that a command always reports, with 0 if no organization has them. */
export const usualStates: Readonly<Record<MeteredCommand, readonly State[]>> = {
	drift: ["inSync", "drifted", "reported", "pending", "unknown", "unread", "impossible"],
	apply: [
		...(["inSync", "applied", "reported", "pending", "notApplied", "rejected", "partlyApplied", "failed"] as const),
		...(["stopped", "interrupted", "blocked", "unread", "impossible"] as const),
	],
};

export const driftKinds: readonly (KindName | "rule")[] = [
	"userTag",
	...removalKindNames,
	...(Object.keys(expectationLists) as (keyof typeof expectationLists)[]),
	"rule",
];

export const stepOutcomes = Object.keys(outcomeWords);

export const requestTypes = ["query", "submit", "retry"];

/** Values of labels that have a series also with 0 once an organization was read; `""` of a metric without a label. */
export const usualLabels: Readonly<Partial<Record<MetricName, readonly string[]>>> = {
	...{ drifted: driftKinds, steps: stepOutcomes },
	...{ expired: [""], endsSoon: [""], pending: [""], inDoubt: [""] },
};

/** Names that `--metric-label` must not use: the labels of the metrics, and those of histograms and summaries. */
export const reservedLabels: ReadonlySet<string> = new Set([
	...["command", "shard", "le", "quantile"],
	...(Object.keys(metricTable) as MetricName[]).flatMap((name) => metricOf(name).label ?? []),
]);
