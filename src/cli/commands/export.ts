/**
 * `export`: the live organization as a document, or as a Pulumi program. It submits nothing, and the same organization gives the same bytes.
 */
import { resolve } from "node:path";
import type { Exported } from "../../document/export.ts";
import { exitCodes } from "../../errors.ts";
import { showText } from "../../escape.ts";
import type { WholeOrganization } from "../../plan/organization.ts";
import type { Reads } from "../../plan/plan.ts";
import { type ExportResult, resultHead } from "../../render/result.ts";
import { type ServiceFlags, withConnection } from "../connect.ts";
import { isProgramLanguage } from "../formats.ts";
import type { Call } from "../output.ts";
import { schemaAddress } from "../schema-address.ts";
import { defaultDocument } from "../sources.ts";
import { findOrganization, type NamingFlags } from "./selection.ts";

export interface ExportFlags extends NamingFlags, ServiceFlags {
	readonly reads: Reads;
	readonly output?: string;
}

/** Returns the document or program. Notes what it leaves out. */
export async function exportDocument(call: Call<ExportFlags>): Promise<ExportResult> {
	const { flags, output } = call;
	const { readWholeOrganization } = await import("../../sync/read-whole.ts");
	const organizationId = await findOrganization(call);
	const whole = await withConnection(call, ({ client }) => {
		output.progress(`reading organization ${organizationId}`);
		return readWholeOrganization(organizationId, client.reader, flags.reads);
	});
	const { text, unread, leftOut } = await write(call, whole);
	const isProgram = isProgramLanguage(output.format);
	output.clear();
	const note = (what: string, why: string): void => output.note(`not exported: ${showText(what)}, ${why}`);
	for (const { what, because } of unread) note(what, `because ${showText(because)}`);
	for (const { what, because } of leftOut)
		note(what, `which ${isProgram ? "a program" : "a document"} cannot have: ${showText(because)}`);
	return { ...resultHead("export", exitCodes.inSync, null), organizationId, document: text, unread, leftOut };
}

/** The text in the format of the call: a document, or a Pulumi program. */
async function write({ flags, terminal, output }: Call<ExportFlags>, whole: WholeOrganization): Promise<Exported> {
	if (isProgramLanguage(output.format)) {
		const { exportProgram } = await import("../../document/export-program.ts");
		return exportProgram(whole, output.format);
	}
	const { exportDocument } = await import("../../document/export.ts");
	return exportDocument(whole, schemaAddress(resolve(terminal.directory, flags.output ?? defaultDocument)));
}
