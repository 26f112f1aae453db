/** Parsers of flag values. Each returns the value, or throws the error that commander prints for the flag. */

import { InvalidArgumentError } from "commander";
import { ConfigurationError } from "../../common/errors.ts";
import { isVisible } from "../../common/invisible.ts";
import { isCredential, isVariableName } from "../../document/read/variables.ts";
import { reservedLabels } from "../../render/metrics/metric-table.ts";
import { isRunId } from "../../sync/journal/run-id.ts";
import { privateKeyPattern } from "./hide-keys.ts";

export function parseText(value: string): string {
	if (value === "") throw new InvalidArgumentError("It must not be empty.");
	return value;
}

/** Returns the name of a file. `-` is refused. */
export function parseFileName(value: string): string {
	if (value === "-") throw new InvalidArgumentError("It must be the name of a file, not -.");
	return parseFileOrStream(value);
}

/** Returns the name of a file, or `-`. An empty one is an unset shell variable, and one with `-` before it a flag. */
export function parseFileOrStream(value: string): string {
	if (value === "") throw new InvalidArgumentError("It must be the name of a file.");
	if (value === "-" || !value.startsWith("-")) return value;
	throw new InvalidArgumentError(`It must be the name of a file; write ./${value} for a file of that name.`);
}

export function parseKeyFile(value: string): string {
	if (!privateKeyPattern.test(value)) return parseFileName(value);
	throw new InvalidArgumentError("It must be the name of a file that holds the key, not the key.");
}

/** Returns a parser of whole numbers between these limits, both included. */
export function wholeNumber(min: number, max: number): (text: string) => number {
	return (text) => {
		const number = Number(text);
		if (/^\d+$/.test(text) && number >= min && number <= max) return number;
		throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
	};
}

/** Returns the id of a run, which `apply` prints when the run begins. */
export function parseRunId(text: string): string {
	if (isRunId(text)) return text;
	throw new InvalidArgumentError("It must be the id of a run, as apply prints it: 20260131-093000-3f9c1a.");
}

const dayMs = 24 * 60 * 60_000;

/** Longer durations are typing errors. */
const maxDurationMs = 3650 * dayMs;

/** Returns the milliseconds of a duration such as `90m`, `24h`, `1h30m` or `7d`. A plain number is seconds. */
export function parseDuration(text: string): number {
	const [, days, hours, minutes, seconds] =
		/^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(/^\d+$/.test(text) ? `${text}s` : text) ?? [];
	const ms =
		((Number(days ?? 0) * 24 + Number(hours ?? 0)) * 60 + Number(minutes ?? 0)) * 60_000 + Number(seconds ?? 0) * 1000;
	if (ms > 0 && ms <= maxDurationMs) return ms;
	throw new InvalidArgumentError("It must be a duration such as 90m, 24h or 7d; a plain number is seconds.");
}

/** Returns the milliseconds of a duration, as parseDuration; `0` is none. */
export function parseHorizon(text: string): number {
	return text === "0" ? 0 : parseDuration(text);
}

/** Returns the milliseconds since 1970 of an ISO 8601 time such as `2026-08-01T09:00:00Z`; a date is its midnight in UTC. */
export function parseTime(text: string): number {
	const [, date, time = "T00:00", zone = "Z"] =
		/^(\d{4}-\d\d-\d\d)(?:(T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d))?$/i.exec(text) ?? [];
	const ms = Date.parse(`${date}${time}${zone}`.toUpperCase());
	const day = Date.parse(`${date}T00:00Z`);
	// Date.parse takes 30 February as 2 March.
	const isDay = date !== undefined && !Number.isNaN(day) && new Date(day).toISOString().startsWith(date);
	if (isDay && !Number.isNaN(ms)) return ms;
	throw new InvalidArgumentError("It must be a time such as 2026-08-01T09:00:00Z, or a date.");
}

/** Returns the digest of a saved plan as orgsync writes it. It may be given without its prefix, and in any case. */
export function parsePlanDigest(text: string): string {
	const [, hex] = /^(?:sha256:)?([0-9a-f]{64})$/i.exec(text) ?? [];
	if (hex !== undefined) return `sha256:${hex.toLowerCase()}`;
	throw new InvalidArgumentError("It must be the SHA-256 digest that plan --out and show print.");
}

/** Returns the label that `NAME=VALUE` writes for the metrics. */
export function parseMetricLabel(text: string): readonly [name: string, value: string] {
	const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(.+)$/.exec(text) ?? [];
	if (name === undefined || value === undefined || name.startsWith("__") || !isVisible(value)) {
		throw new InvalidArgumentError("It must be a label such as fleet=payments.");
	}
	if (!reservedLabels.has(name)) return [name, value];
	throw new InvalidArgumentError(`${name} is a label of the metrics; choose another name.`);
}

/** A timer holds at most 2^31 ms. With a slower rate it would not wait at all. */
const minRequestRate = 0.001;
const maxRequestRate = 1_000_000;

export function parseRequestRate(text: string): number {
	const number = Number(text);
	if (/^\d+(\.\d+)?$/.test(text) && number >= minRequestRate && number <= maxRequestRate) return number;
	throw new InvalidArgumentError(`It must be a number from ${minRequestRate} to ${maxRequestRate}.`);
}

/** Returns the name of a variable for documents. Throws ConfigurationError, which repeats no value: it can be a secret. */
export function parseVariableName(text: string): string {
	const [name = "", ...value] = text.split("=");
	if (!isVariableName(name)) {
		throw new ConfigurationError("--env: it takes the name of an environment variable", {
			hint: "for example --env STAGE",
		});
	}
	if (value.length > 0) {
		throw new ConfigurationError("--env: it takes a name without a value", {
			hint: "export the variable, then allow it by its name: --env NAME",
		});
	}
	if (!isCredential(name)) return name;
	throw new ConfigurationError(`--env ${name}: this variable is a credential, which documents cannot use`, {
		hint: "a plan shows the values of variables; use a separate variable, such as ORGSYNC_VAR_STAGE",
	});
}
