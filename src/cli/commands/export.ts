/** `export`: the live organization as a document or a Pulumi program, always in the same bytes. It submits nothing. */
import { resolve } from "node:path";
import { exitCodes } from "../../common/errors.ts";
import { showAddress, showName, showText } from "../../common/escape.ts";
import type { Exported } from "../../document/export/export.ts";
import type { KeptWindows, LostWindow } from "../../document/export/windows.ts";
import { windowsOf } from "../../plan/access-window.ts";
import type { DesiredOrganization, WholeOrganization } from "../../plan/organization.ts";
import type { Reads } from "../../plan/plan.ts";
import { type ExportResult, resultHead } from "../../render/result/result.ts";
import { type ServiceFlags, withConnection } from "../connect.ts";
import { schemaAddress } from "../files/schema-address.ts";
import { defaultDocument } from "../files/sources.ts";
import { isProgramLanguage } from "../flags/formats.ts";
import type { Call } from "../output/output.ts";
import { findOrganization, type NamingFlags, readNamedFleet, readOrElse } from "./selection.ts";

interface ExportFlags extends NamingFlags, ServiceFlags {
	readonly reads: Reads;
	readonly output?: string;
	readonly force?: boolean;
}

/** Returns the document or program. Notes what it leaves out. */
export async function exportDocument(call: Call<ExportFlags>): Promise<ExportResult> {
	const { flags, output } = call;
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
	const { refuseLosses } = await import("./export-overwrite.ts");
	refuseLosses(call, text, kept?.lost ?? []);
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
	return exportDocument(whole, schemaAddress(resolve(terminal.directory, flags.output ?? defaultDocument)), kept);
}
