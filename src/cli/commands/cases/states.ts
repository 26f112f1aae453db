/** The states that access cases are judged in: live, after a plan, or that of a seed file. */

import { DocumentError } from "../../../common/errors.ts";
import { type DesiredFleet, fleetOf } from "../../../document/read/fleet.ts";
import type { CaseNames } from "../../../plan/access-cases/resolve.ts";
import { stateAfter } from "../../../plan/access-cases/state.ts";
import { retriedIn } from "../../../plan/guards/overrides.ts";
import { type NamedOrganization, namedAs } from "../../../plan/organization-name.ts";
import { namesOfUsers } from "../../../plan/plan.ts";
import type { AccessState } from "../../../policy/access.ts";
import type { Comparison } from "../../../sync/converge.ts";
import type { AccessReading } from "../../../sync/read/read-access.ts";
import { type ConnectionFlags, readJournalOf, withConnection } from "../../connect.ts";
import { readTextFile } from "../../files/read-file.ts";
import { readFleet } from "../../files/sources.ts";
import type { Flags } from "../../flags/given-flags.ts";
import type { OrganizationError } from "../../output/failure.ts";
import type { Call } from "../../output/output.ts";
import { describeImpossible, isImpossible } from "../apply/consent.ts";
import { type ComparingOptions, type ComparisonFlags, compareFleet } from "../comparing.ts";
import { readEach } from "../read-each.ts";
import { findNamed, type NamingFlags, readNamedFleet, selectFrom } from "../selection.ts";

export type StateFlags = NamingFlags & Omit<ConnectionFlags, "reads"> & Flags<"live" | "after" | "plan" | "offline">;

/** Which state cases are judged in. */
export type StateKind = "live" | "after" | "plan" | "offline";

/** One organization, as its cases are judged. */
export interface CaseState extends NamedOrganization, CaseNames {
	readonly access: AccessState;
	/** Milliseconds since 1970, by the service's clock. */
	readonly nowMs: number;
}

export type FoundState = CaseState | OrganizationError;

/** Returns the state of each organization that the flags name. Throws what the reading of an only one throws. */
export async function readStates(kind: StateKind, call: Call<StateFlags>): Promise<readonly FoundState[]> {
	switch (kind) {
		case "live":
			return readLive(call);
		case "after":
			return readAfter(call);
		case "plan":
			return readPlanned(call.flags.plan ?? "", call);
		case "offline":
			return readSeed(call.flags.offline ?? "", call);
	}
}

function toState(
	named: NamedOrganization,
	{ access, userNames, tagNames, serverTimeMs, readAtMs }: AccessReading,
	aliases: CaseState["aliases"],
): CaseState {
	const liveNames = userNames.known ? userNames.value : {};
	return { ...namedAs(named), access, aliases, liveNames, tagNames, nowMs: serverTimeMs ?? readAtMs };
}

async function readLive(call: Call<StateFlags>): Promise<readonly FoundState[]> {
	const { readAccessOnly } = await import("../../../sync/read/read-access.ts");
	const read = await readEach(await findNamed(call), call, readAccessOnly);
	return read.map(({ desired, reading, error, ...named }) =>
		error === undefined ? toState(named, reading, namesOfUsers(desired)) : { ...named, error },
	);
}

async function readAfter(call: Call<StateFlags>): Promise<readonly FoundState[]> {
	const { flags, terminal } = call;
	const comparing = { ...call, flags: { ...flags, only: [], reads: "auto" as const } };
	const all = (await readNamedFleet(call)) ?? (await readFleet(flags, terminal));
	return (await compareStates(await selectFrom(all, comparing), comparing)).states;
}

/** Throws StalePlanError where the plan is stale, and what `apply --plan` throws otherwise. */
async function readPlanned(file: string, call: Call<StateFlags>): Promise<readonly FoundState[]> {
	const { readReviewedPlan } = await import("../apply/saved.ts");
	// A test confirms nothing: what was rejected before counts as the plan says.
	const flags = { ...call.flags, only: [], abandon: [], reads: "auto" as const, retryRejected: true };
	const reviewed = await readReviewedPlan(file, { ...call, flags, isGiven: () => false });
	const { organizations, notPlanned, reads, refusal, saved } = reviewed;
	const journal = (await readJournalOf(call)) ?? { completedEntries: () => [], close: () => {} };
	try {
		const refused = refusal ?? reviewed.findApplied(journal);
		if (refused !== null) throw refused;
		const retryRejected = saved.plans.some((plan) => retriedIn(plan).size > 0);
		const comparing = { ...call, flags: { ...flags, reads }, retryRejected };
		const { states, comparisons } = await compareStates(fleetOf(organizations), comparing);
		const stale = reviewed.findStale(comparisons, journal);
		if (stale !== null) throw stale;
		return [...states, ...notPlanned];
	} finally {
		journal.close();
	}
}

type ComparingCall = Call<StateFlags & Pick<ComparisonFlags, "reads">> & Pick<ComparingOptions, "retryRejected">;

/** Returns the state of each organization after its plan. */
async function compareStates(fleet: DesiredFleet, call: ComparingCall) {
	const { readAccessOnly } = await import("../../../sync/read/read-access.ts");
	return withConnection(call, async (connection) => {
		const comparisons: Comparison[] = [];
		const compared = compareFleet(fleet, { ...call, connection }, async ({ comparison, client }) => {
			const { plan, desired } = comparison;
			if (isImpossible(plan)) throw describeImpossible(plan);
			const reading = await readAccessOnly(plan.organizationId, client.reader, call.terminal.now);
			comparisons.push(comparison);
			return stateAfter(toState(plan, reading, namesOfUsers(desired)), plan.steps);
		});
		const states: readonly FoundState[] = await Array.fromAsync(compared);
		return { states, comparisons };
	});
}

/** Returns the seed that `parse` reads. A file that is none may be a document, or a saved plan. */
function parseOrExplain<T>(parse: () => T): T {
	try {
		return parse();
	} catch (error) {
		if (!(error instanceof DocumentError)) throw error;
		const hint = "export --as seed writes a seed; a document or a saved plan has no live state";
		throw new DocumentError(error.problems, "the seed has", { hint });
	}
}

async function readSeed(file: string, call: Call<StateFlags>): Promise<readonly CaseState[]> {
	const { flags, terminal } = call;
	const { parseSeed } = await import("../../../emulator/seed/seed.ts");
	const { accessOfSeed } = await import("./seed-access.ts");
	const text = readTextFile(file, terminal.directory, { maxMebibytes: 128, hint: "export --as seed writes one" });
	const fleet = await readNamedFleet(call);
	const id = flags.organization?.toLowerCase();
	return parseOrExplain(() => parseSeed(text, file))
		.organizations.map((one): CaseState => {
			const organizationId = one.organizationId.toLowerCase();
			const isOwn = fleet?.organizationIds.includes(organizationId) === true;
			const desired = isOwn ? fleet?.load(organizationId) : undefined;
			return {
				organizationId,
				...accessOfSeed(one),
				aliases: namesOfUsers(desired),
				nowMs: terminal.now(),
			};
		})
		.filter(({ organizationId }) => id === undefined || organizationId === id);
}
