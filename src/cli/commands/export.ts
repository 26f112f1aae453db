/**
 * `export`: the live organization as a document. It submits nothing, and the same organization gives the same bytes.
 */
import { resolve } from "node:path";
import { exportDocument as makeDocument } from "../../document/export.ts";
import type { Omission } from "../../document/export-text.ts";
import { exitCodes } from "../../errors.ts";
import { showText } from "../../escape.ts";
import type { Reads } from "../../plan/plan.ts";
import { type ExportResult, resultHead } from "../../render/result.ts";
import { connect, type ServiceFlags } from "../connect.ts";
import type { Output, Terminal } from "../output.ts";
import { schemaAddress } from "../schema-address.ts";
import { defaultDocument } from "../sources.ts";
import { findOrganization, type NamingFlags } from "./query.ts";

export interface ExportFlags extends NamingFlags, ServiceFlags {
	readonly reads: Reads;
	readonly output?: string;
}

/** The document as the result; what is not in it is said on standard error. */
export async function exportDocument(flags: ExportFlags, terminal: Terminal, output: Output): Promise<ExportResult> {
	const { readWholeOrganization } = await import("../../sync/read-whole.ts");
	const organizationId = await findOrganization(flags, terminal);
	const connection = await connect(flags, terminal, output);
	try {
		output.progress(`reading organization ${organizationId}`);
		const whole = await readWholeOrganization(organizationId, connection.client.reader, flags.reads);
		const schema = schemaAddress(resolve(terminal.directory, flags.output ?? defaultDocument));
		const { text, unread, leftOut } = makeDocument(whole, schema);
		output.clear();
		tell("because", unread, output);
		tell("which a document cannot say:", leftOut, output);
		const head = resultHead("export", exitCodes.inSync, null);
		return { ...head, organizationId, document: text, unread, leftOut };
	} finally {
		await connection.close();
	}
}

function tell(why: string, missing: readonly Omission[], output: Output): void {
	for (const { what, because } of missing) output.note(`not exported: ${showText(what)}, ${why} ${showText(because)}`);
}
