/** The file of `--since`: an earlier report. A schedule reads and writes the same file, so a failed run keeps the findings. */

import { resolve } from "node:path";
import { ConfigurationError } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import { isSameFile } from "../../common/files.ts";
import { isRecord, readJson } from "../../common/json.ts";
import type { DesiredFleet } from "../../document/read/fleet.ts";
import { keepDrift, type OrganizationDrift } from "../../plan/drift/drift.ts";
import type { FailureResult } from "../../render/result/result.ts";
import { checkSchema } from "../../schema/schema.ts";
import { validators } from "../../schema/validators/drift.ts";
import { readTextFile } from "../files/read-file.ts";
import type { Flags } from "../flags/given-flags.ts";
import { describeError, failureResult } from "../output/failure.ts";
import type { Call, Terminal } from "../output/output.ts";
import { readShare, type ShareFlags } from "./selection.ts";

export type SinceFlags = Flags<"since" | "output">;

/** The last report, by organization; empty when there is none yet. */
export type LastReport = ReadonlyMap<string, OrganizationDrift>;

/** Returns the last report; empty if the file does not exist yet. Throws ConfigurationError for a file without findings. */
export function readSince({ flags, terminal, output }: Call<SinceFlags>): LastReport | undefined {
	const { since } = flags;
	if (since === undefined) return undefined;
	const isOutput = isAlsoOutput(flags, terminal);
	try {
		if (isOutput && output.format !== "json") {
			throw new ConfigurationError("--since and --output name the same file, which needs --format json", {
				hint: "the next run reads the findings of this run from it",
			});
		}
		const text = readText(since, terminal);
		if (isOutput) output.replaceOutput();
		if (text !== undefined) return readReport(since, text);
		output.note(`${showText(since)} does not exist yet: all findings count as new`);
		return new Map();
	} catch (error) {
		if (isOutput) output.spareOutput();
		throw error;
	}
}

/** Whether the report is written to the file that the last one is read from. */
function isAlsoOutput({ since, output }: SinceFlags, { directory }: Terminal): boolean {
	return (
		since !== undefined && output !== undefined && isSameFile(resolve(directory, since), resolve(directory, output))
	);
}

/** The last report has organizations outside `--shard` or `--organization`: a report of this run would lose their findings. */
export class OtherShareError extends ConfigurationError {}

/** Throws OtherShareError if the last report has an organization of the documents that this run leaves out. */
export function refuseOtherShare(
	last: LastReport | undefined,
	{ organizationIds }: DesiredFleet,
	{ flags, terminal, output }: Call<SinceFlags & ShareFlags & { readonly organization?: string }>,
): void {
	if (last === undefined || last.size === 0) return;
	const { organization: named } = flags;
	const isOwn = readShare(flags);
	const other = organizationIds.find((organizationId) => last.has(organizationId) && !isOwn(organizationId));
	if (other === undefined) return;
	if (isAlsoOutput(flags, terminal)) output.spareOutput();
	throw new OtherShareError(
		`--since ${showText(flags.since ?? "")} is of ${named === undefined ? "another share" : "other organizations too"}: it has organization ${other}`,
		{ hint: named === undefined ? "use one file for each share" : "leave out --since, or --organization" },
	);
}

/** Undefined where there is no such file. */
function readText(file: string, { directory }: Terminal): string | undefined {
	try {
		return readTextFile(file, directory, { maxMebibytes: 128 });
	} catch (error) {
		if (error instanceof ConfigurationError && (error.cause as { code?: unknown })?.code === "ENOENT") return undefined;
		throw error;
	}
}

const hint =
	"--since reads a report that drift wrote with --format json and --output; if there is no such file, all findings count as new";

function readReport(file: string, text: string): LastReport {
	const read = readJson(text);
	const report = "value" in read ? read.value : undefined;
	const wrong =
		text.trim() === "" ? "the file is empty" : "value" in read ? whyNoReport(report) : `it is ${read.mistake}`;
	if (wrong !== undefined) throw new ConfigurationError(`--since ${file}: ${wrong}`, { hint });
	const { drift } = report as { readonly drift: readonly OrganizationDrift[] };
	return new Map(drift.map((one) => [one.organizationId, one]));
}

function whyNoReport(report: unknown): string | undefined {
	if (!isRecord(report) || typeof report.command !== "string") return "it is not a drift report";
	const { command, formatVersion, drift, error } = report;
	// A text that cannot be the name of a command is not repeated.
	if (!/^[a-z-]{2,12}$/.test(command as string)) return "it is not a drift report";
	if (command !== "drift") return `it is the output of ${command}, not of drift`;
	if (typeof formatVersion !== "number") return "it has no formatVersion";
	const versions = `it has formatVersion ${formatVersion}, and this orgsync reads 1`;
	if (formatVersion > 1) return `a newer orgsync wrote it: ${versions}; upgrade orgsync`;
	if (formatVersion !== 1) return versions;
	if (!Array.isArray(drift))
		return isRecord(error) ? `it ended with an error and has no findings: ${error.message}` : "it has no findings";
	const mistake = drift.flatMap((one) => checkSchema(validators, "drift.json", one))[0];
	return mistake && `its findings cannot be read: ${mistake.instancePath} ${mistake.message}`;
}

/** Returns the result of a `drift` that this error ended: it keeps all findings of the last report, marked as kept. */
export function keepFindings(last: LastReport, error: unknown): FailureResult {
	const because = describeError(error);
	return {
		...failureResult("drift", error),
		drift: [...last.values()].map((one) => keepDrift(one.organizationId, one, because)),
	};
}
