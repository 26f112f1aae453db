/** `lint`: what is probably wrong in policies of documents, with `--live` also in those that are live. It has a Reader, so it cannot submit. */

import { type ExitCode, exitCodes } from "../../common/errors.ts";
import { organizationsIn } from "../../document/read/fleet.ts";
import { LintPlaces } from "../../document/read/lint.ts";
import { type LintReading, lintOrganization, type OrganizationLint } from "../../plan/lint.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import { namedIn } from "../../plan/organization-name.ts";
import type { LintResult } from "../../render/result/lint.ts";
import { resultHead } from "../../render/result/result.ts";
import type { ServiceFlags } from "../connect.ts";
import { readFleet } from "../files/sources.ts";
import type { Flags } from "../flags/given-flags.ts";
import type { Call } from "../output/output.ts";
import { readEach } from "./read-each.ts";
import { type SelectionFlags, selectFrom } from "./selection.ts";

type LintFlags = Omit<SelectionFlags, "only"> & ServiceFlags & Flags<"live" | "concurrency">;

/** Returns what is found in every organization: exit 2 for an error, 1 if something could not be read. */
export async function lint(call: Call<LintFlags>): Promise<LintResult> {
	const { flags, terminal } = call;
	const places = new LintPlaces();
	const all = await readFleet(flags, terminal, (root) => places.note(root));
	const fleet = await selectFrom(all, { ...call, flags: { ...flags, only: [] } });
	const isLive = flags.live === true || flags.local === true;
	const judge = (desired: DesiredOrganization, reading: LintReading | null, atMs = terminal.now()): OrganizationLint =>
		lintOrganization(desired, reading, places, atMs);
	const documents = [...organizationsIn(fleet)];
	// A window is judged for all times to come: that the time is not certain now does not matter.
	const { readAccessOnly } = await import("../../sync/read/read-access.ts");
	const readAny: typeof readAccessOnly = (id, reader, now) => readAccessOnly(id, reader, now, true);
	const organizations = isLive
		? (
				await readEach(
					documents.map((desired) => ({ ...namedIn(desired), desired })),
					call,
					readAny,
				)
			).map(({ desired, reading, error }) => ({
				...judge(desired, reading, reading.serverTimeMs ?? reading.readAtMs),
				isLive: error === undefined,
			}))
		: documents.map((desired) => judge(desired, null));
	return { ...resultHead("lint", exitCodeOf(organizations), null), organizations };
}

function exitCodeOf(organizations: readonly OrganizationLint[]): ExitCode {
	const findings = organizations.flatMap((one) => one.findings);
	if (findings.some(({ severity }) => severity === "error")) return exitCodes.changes;
	return organizations.some(({ unread }) => unread.length > 0) ? exitCodes.error : exitCodes.inSync;
}
