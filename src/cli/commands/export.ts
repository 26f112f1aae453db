/**
 * `export`: the live organization as a document. It submits nothing, and the same organization gives the same bytes.
 */
import { resolve } from "node:path";
import { exportDocument as makeDocument } from "../../document/export.ts";
import type { Missing } from "../../document/export-text.ts";
import { exitCodes } from "../../errors.ts";
import { showText } from "../../escape.ts";
import type { Reads } from "../../plan/plan.ts";
import { connect, type ServiceFlags } from "../connect.ts";
import { schemaAddress } from "../schema-address.ts";
import { defaultDocument } from "../sources.ts";
import type { Result, Terminal, Voice } from "../voice.ts";
import { findOrganization, type NamingFlags } from "./query.ts";

export interface ExportFlags extends NamingFlags, ServiceFlags {
	readonly reads: Reads;
	readonly output?: string;
}

/** The document as the result; what is not in it is said on standard error. */
export async function exportDocument(flags: ExportFlags, terminal: Terminal, voice: Voice): Promise<Result> {
	const { readWholeOrganization } = await import("../../sync/read-whole.ts");
	const organizationId = await findOrganization(flags, terminal);
	const connection = await connect(flags, terminal, voice);
	try {
		voice.progress(`reading organization ${organizationId}`);
		const whole = await readWholeOrganization(organizationId, connection.client.reader, flags.reads);
		const schema = schemaAddress(resolve(terminal.directory, flags.output ?? defaultDocument));
		const { text, unread, leftOut } = makeDocument(whole, schema);
		voice.clear();
		tell("because", unread, voice);
		tell("which a document cannot say:", leftOut, voice);
		return {
			exitCode: exitCodes.converged,
			text: () => text,
			json: { organizationId, document: text, unread, leftOut },
		};
	} finally {
		await connection.close();
	}
}

function tell(why: string, missing: readonly Missing[], voice: Voice): void {
	for (const { what, because } of missing) voice.note(`not exported: ${showText(what)}, ${why} ${showText(because)}`);
}
