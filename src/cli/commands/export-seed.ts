/** `export --as seed`: who can do what in the live organization, as a seed. */

import { resolve } from "node:path";
import { ConfigurationError, exitCodes } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import { readRegularFile } from "../../common/files.ts";
import { type ExportResult, resultHead } from "../../render/result/result.ts";
import { type ServiceFlags, withConnection } from "../connect.ts";
import { orNothing } from "../files/document-files.ts";
import type { Flags } from "../flags/given-flags.ts";
import type { Call } from "../output/output.ts";
import { findOrganization, type NamingFlags } from "./selection.ts";

type SeedFlags = NamingFlags & ServiceFlags & Flags<"output" | "force">;

/** Returns the seed. Notes what it leaves out. Throws ConfigurationError for a file that is no seed of orgsync. */
export async function exportAsSeed(call: Call<SeedFlags>): Promise<ExportResult> {
	const { flags, terminal, output } = call;
	const { exportSeed, seedHead } = await import("../../document/export/seed.ts");
	const { readAccessOnly } = await import("../../sync/read/read-access.ts");
	const path = flags.output === undefined ? undefined : resolve(terminal.directory, flags.output);
	const before = path === undefined ? undefined : orNothing(() => readRegularFile(path, seedHead.length).bytes);
	const isOwn = before === undefined || before.length === 0 || before.toString("utf8").startsWith(seedHead);
	if (!isOwn && flags.force !== true && output.format !== "json") {
		throw new ConfigurationError(
			`--output ${showText(flags.output ?? "")}: the export would lose all of it, which is no seed of orgsync`,
			{ hint: "name another file; to override: --force" },
		);
	}
	const organizationId = await findOrganization(call);
	const reading = await withConnection(call, ({ client }) => {
		output.progress(`reading organization ${organizationId}`);
		return readAccessOnly(organizationId, client.reader, terminal.now, true);
	});
	output.clear();
	output.replaceOutput();
	const { access, userNames, tagNames } = reading;
	const names = userNames.known ? userNames.value : {};
	const { text, unread, leftOut } = exportSeed({ organizationId, access, userNames: names, tagNames });
	for (const { what, because } of unread) output.note(`not exported: ${what}, because ${showText(because)}`);
	return { ...resultHead("export", exitCodes.inSync, null), organizationId, document: text, unread, leftOut };
}
