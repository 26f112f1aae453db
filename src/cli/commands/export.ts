/** `export`: the live organization as a document or a Pulumi program, always in the same bytes. It submits nothing. */

import { resolve } from "node:path";
import { ConfigurationError, exitCodes } from "../../common/errors.ts";
import { showAddress, showName, showText } from "../../common/escape.ts";
import { readRegularFile } from "../../common/files.ts";
import type { Exported } from "../../document/export/export.ts";
import type { KeptWindows, LostWindow } from "../../document/export/windows.ts";
import { windowsOf } from "../../plan/access-window.ts";
import type { DesiredOrganization, WholeOrganization } from "../../plan/organization.ts";
import { type ExportResult, resultHead } from "../../render/result/result.ts";
import { type ServiceFlags, withConnection } from "../connect.ts";
import { orNothing } from "../files/document-files.ts";
import { defaultDocument, schemaComment } from "../files/sources.ts";
import { type Format, isProgramLanguage } from "../flags/formats.ts";
import type { Flags } from "../flags/given-flags.ts";
import type { Call } from "../output/output.ts";
import { findOrganization, type NamingFlags, readNamedFleet, readOrElse } from "./selection.ts";

type ExportFlags = NamingFlags & ServiceFlags & Flags<"reads" | "output" | "force" | "as">;

/** Returns the document or program. Notes what it leaves out. */
export async function exportDocument(call: Call<ExportFlags>): Promise<ExportResult> {
	const { flags, output } = call;
	if (flags.as === "seed") {
		if (isProgramLanguage(output.format))
			throw new ConfigurationError(`--as seed and --format ${output.format} cannot be used together`);
		return (await import("./export-seed.ts")).exportAsSeed(call);
	}
	const { readWholeOrganization } = await import("../../sync/read/read-whole.ts");
	const { refuseUncertainTime, whyUncertainTime, withServiceClock } = await import("../../sync/read/service-clock.ts");
	const organizationId = await findOrganization(call);
	const desired = await readOwnDocument(call, organizationId);
	const { whole, timeMs } = await withConnection(call, async ({ client }) => {
		output.progress(`reading organization ${organizationId}`);
		const reader = withServiceClock(client.reader, call.terminal.now);
		const read = await readWholeOrganization(organizationId, reader, flags.reads);
		if (desired !== undefined && windowsOf(desired).length > 0) {
			refuseUncertainTime("which windows of the document are kept depends on the time", whyUncertainTime(reader));
		}
		return { whole: read, timeMs: reader.serviceTimeMs() ?? call.terminal.now() };
	});
	const kept = desired === undefined ? undefined : await findWindows(desired, whole, timeMs);
	const { text, unread, leftOut } = await write(call, whole, kept);
	const isProgram = isProgramLanguage(output.format);
	output.clear();
	await refuseLosses(call, text, kept?.lost ?? []);
	output.replaceOutput();
	for (const one of kept?.lost ?? []) output.warn(describeLost(one));
	const note = (what: string, why: string): void => output.note(`not exported: ${showText(what)}, ${why}`);
	for (const { what, because } of unread) note(what, `because ${showText(because)}`);
	for (const { what, because } of leftOut)
		note(what, `which ${isProgram ? "a program" : "a document"} cannot have: ${showText(because)}`);
	return { ...resultHead("export", exitCodes.inSync, null), organizationId, document: text, unread, leftOut };
}

/** Returns what the documents say of the organization, if they have it. An invalid default document is only a warning. */
function readOwnDocument(call: Call<ExportFlags>, organizationId: string): Promise<DesiredOrganization | undefined> {
	const read = async (): Promise<DesiredOrganization | undefined> => {
		const fleet = await readNamedFleet(call);
		return fleet?.organizationIds.includes(organizationId) === true ? fleet.load(organizationId) : undefined;
	};
	return readOrElse(call, read, ({ message }) => {
		call.output.warn(`${defaultDocument} cannot be read, so the export keeps no windows of it: ${message}`);
		return undefined;
	});
}

async function findWindows(
	desired: DesiredOrganization,
	{ live }: WholeOrganization,
	timeMs: number,
): Promise<KeptWindows> {
	const { keepWindows } = await import("../../document/export/windows.ts");
	return keepWindows(desired, live, timeMs);
}

function describeLost({ address, user, window, isExpired }: LostWindow): string {
	const when = isExpired ? `expired (${window.until})` : `begins later (${window.from})`;
	return `exported without an end: ${showName(user)} still has ${showAddress(address)}, and the access ${when}`;
}

/** The text in the format of the call: a document, or a Pulumi program. */
async function write(
	{ flags, terminal, output }: Call<ExportFlags>,
	whole: WholeOrganization,
	kept: KeptWindows | undefined,
): Promise<Exported> {
	if (isProgramLanguage(output.format)) {
		const { exportProgram } = await import("../../document/export/export-program.ts");
		return exportProgram(whole, output.format, kept);
	}
	const { exportDocument } = await import("../../document/export/export.ts");
	return exportDocument(whole, schemaComment(resolve(terminal.directory, flags.output ?? defaultDocument)), kept);
}

/** A document has no more. */
const maxBytes = 8 * 1024 * 1024;

/** Throws ConfigurationError if the file of `--output` has what the export lacks; with `--force` it is a warning. */
async function refuseLosses(
	{ flags, terminal, output }: Call<ExportFlags>,
	text: string,
	windows: readonly LostWindow[],
): Promise<void> {
	const { output: file, force } = flags;
	if (file === undefined || output.format === "json") return;
	const path = resolve(terminal.directory, file);
	const bytes = orNothing(() => readRegularFile(path, maxBytes).bytes);
	if (bytes === undefined) return;
	const before = Buffer.from(bytes).toString("utf8");
	const losses = bytes.length > maxBytes ? ["all of it"] : await lossesOf(before, text, output.format, windows);
	if (losses.length === 0) return;
	const what = losses.map(showText).join(", ");
	if (force === true) {
		output.warn(`--output ${showText(file)}: the export replaces ${what}`);
		return;
	}
	throw new ConfigurationError(`--output ${showText(file)}: the export would lose ${what}`, {
		hint: "name another file; to take live state into a document and keep the rest, use drift --accept; to override: --force",
	});
}

async function lossesOf(
	before: string,
	after: string,
	format: Format,
	windows: readonly LostWindow[],
): Promise<readonly string[]> {
	const { lossesOfDocument, lossesOfProgram } = await import("../../document/export/losses.ts");
	if (format === "text") return lossesOfDocument(before, after, windows);
	if (format === "pulumi-yaml") return lossesOfProgram(before, after);
	// Nothing shows what people changed in a program of TypeScript.
	return before.trim() === "" || before === after ? [] : ["the program in it"];
}
