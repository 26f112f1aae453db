/** `lint`: what is probably wrong in policies of documents, with `--live` also in those that are live. It has a Reader, so it cannot submit. */

import { type ExitCode, exitCodes } from "../../common/errors.ts";
import { type DesiredFleet, organizationsIn } from "../../document/read/fleet.ts";
import { LintPlaces } from "../../document/read/lint.ts";
import { type LintReading, lintOrganization, type OrganizationLint } from "../../plan/lint.ts";
import { namedIn, showOrganization } from "../../plan/organization-name.ts";
import type { LintResult } from "../../render/result/lint.ts";
import { resultHead } from "../../render/result/result.ts";
import { type ServiceFlags, withConnection } from "../connect.ts";
import { readFleet } from "../files/sources.ts";
import { mapInOrder } from "../map-in-order.ts";
import type { Call } from "../output/output.ts";
import { type SelectionFlags, selectFrom } from "./selection.ts";

interface LintFlags extends Omit<SelectionFlags, "only">, ServiceFlags {
	readonly live?: boolean;
	readonly concurrency: number;
}

/** Returns what is found in every organization: exit 2 for an error, 1 if something could not be read. */
export async function lint(call: Call<LintFlags>): Promise<LintResult> {
	const { flags, terminal } = call;
	const places = new LintPlaces();
	const all = await readFleet(flags, terminal, (root) => places.note(root));
	const fleet = await selectFrom(all, { ...call, flags: { ...flags, only: [] } });
	const isLive = flags.live === true || flags.local === true;
	const organizations = isLive
		? await readAll(fleet, places, call)
		: [...organizationsIn(fleet)].map((desired) => lintOrganization(desired, null, places, terminal.now()));
	return { ...resultHead("lint", exitCodeOf(organizations), null), organizations };
}

/** Reads the organizations, a few at once. */
function readAll(fleet: DesiredFleet, places: LintPlaces, call: Call<LintFlags>): Promise<readonly OrganizationLint[]> {
	const { flags, terminal, output } = call;
	const limits = { maxConcurrency: flags.concurrency, maxAhead: Number.POSITIVE_INFINITY };
	return withConnection(call, async ({ client }) => {
		const { readAccessOnly } = await import("../../sync/read/read-access.ts");
		const found = await Array.fromAsync(
			mapInOrder(fleet.organizationIds, limits, async (organizationId) => {
				const desired = fleet.load(organizationId);
				output.progress(`reading organization ${showOrganization(namedIn(desired))}`);
				const { reader } = client.forOrganization();
				// A window is judged for all times to come: that the time is not certain now does not matter.
				const read = await readAccessOnly(organizationId, reader, terminal.now, true);
				const reading: LintReading = read;
				return lintOrganization(desired, reading, places, read.serverTimeMs ?? read.readAtMs);
			}),
		);
		output.clear();
		return found;
	});
}

function exitCodeOf(organizations: readonly OrganizationLint[]): ExitCode {
	const findings = organizations.flatMap((one) => one.findings);
	if (findings.some(({ severity }) => severity === "error")) return exitCodes.changes;
	return organizations.some(({ unread }) => unread.length > 0) ? exitCodes.error : exitCodes.inSync;
}
