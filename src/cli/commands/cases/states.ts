/** The states that access cases are judged in: live, after a plan, or that of a seed file. */
import type { OrgsyncError } from "../../../common/errors.ts";
import { stateAfter } from "../../../plan/access-cases/state.ts";
import { type NamedOrganization, namedAs } from "../../../plan/organization-name.ts";
import { namesOfUsers } from "../../../plan/plan.ts";
import type { Step } from "../../../plan/step.ts";
import type { AccessState } from "../../../policy/access.ts";
import type { ErrorDescription } from "../../../render/result/result.ts";
import type { AccessReading } from "../../../sync/read/read-access.ts";
import { type ConnectionFlags, withConnection } from "../../connect.ts";
import { readTextFile } from "../../files/read-file.ts";
import { readSavedPlan } from "../../files/saved-plan-file.ts";
import { readFleet } from "../../files/sources.ts";
import { describeError, exitCodeOfError, type OrganizationError } from "../../output/failure.ts";
import type { Call } from "../../output/output.ts";
import { describeImpossible, isImpossible } from "../apply/consent.ts";
import { compareFleet } from "../comparing.ts";
import { readEach } from "../read-each.ts";
import { findNamed, type NamingFlags, readNamedFleet, selectFrom } from "../selection.ts";

export interface StateFlags extends NamingFlags, Omit<ConnectionFlags, "reads"> {
	readonly live?: boolean;
	readonly after?: boolean;
	/** The file of a saved plan. */
	readonly plan?: string;
	/** The file of a seed. */
	readonly offline?: string;
}

/** Which state cases are judged in. */
export type StateKind = "live" | "after" | "plan" | "offline";

/** One organization, as its cases are judged. */
export interface CaseState extends NamedOrganization {
	readonly access: AccessState;
	/** User id to the alias of the document. */
	readonly aliases: Readonly<Record<string, string>>;
	readonly liveNames: Readonly<Record<string, string>>;
	readonly tagNames: Readonly<Record<string, string>>;
	/** Milliseconds since 1970, by the service's clock. */
	readonly nowMs: number;
}

/** An organization that could not be read. */
export interface FailedState extends NamedOrganization {
	readonly error: ErrorDescription;
	readonly exitCode: OrgsyncError["exitCode"];
}

export type FoundState = CaseState | FailedState;

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

interface Named extends NamedOrganization {
	readonly aliases: CaseState["aliases"];
	readonly steps: readonly Step[];
}

async function readAll(organizations: readonly Named[], call: Call<StateFlags>): Promise<readonly FoundState[]> {
	const { readAccessOnly } = await import("../../../sync/read/read-access.ts");
	const read = await readEach(organizations, call, (id, reader, now) => readAccessOnly(id, reader, now));
	return read.map(({ aliases, steps, reading, error, ...named }) =>
		error === undefined ? stateAfter(toState(named, reading, aliases), steps) : failedState({ ...named, error }),
	);
}

const failedState = ({ error, ...named }: OrganizationError): FailedState => ({
	...namedAs(named),
	...{ error: describeError(error), exitCode: exitCodeOfError(error) },
});

async function readLive(call: Call<StateFlags>): Promise<readonly FoundState[]> {
	const found = (await findNamed(call)).map(({ desired, ...named }): Named => {
		return { ...named, aliases: desired === undefined ? {} : namesOfUsers(desired), steps: [] };
	});
	return readAll(found, call);
}

async function readPlanned(file: string, call: Call<StateFlags>): Promise<readonly FoundState[]> {
	const { plans } = await readSavedPlan(file, call.terminal);
	const planned = plans.map((plan) => ({ ...namedAs(plan), aliases: plan.userNames, steps: plan.steps }));
	return readAll(planned, call);
}

async function readAfter(call: Call<StateFlags>): Promise<readonly FoundState[]> {
	const { flags, terminal } = call;
	const { readAccessOnly } = await import("../../../sync/read/read-access.ts");
	const all = (await readNamedFleet(call)) ?? (await readFleet(flags, terminal));
	const comparing = { ...call, flags: { ...flags, only: [], reads: "auto" as const } };
	const fleet = await selectFrom(all, comparing);
	return withConnection(call, async (connection) => {
		const states: FoundState[] = [];
		const compared = compareFleet(fleet, { ...comparing, connection }, async ({ comparison, client }) => {
			const { plan, desired } = comparison;
			if (isImpossible(plan)) throw describeImpossible(plan);
			const reading = await readAccessOnly(plan.organizationId, client.reader, terminal.now);
			return stateAfter(toState(plan, reading, namesOfUsers(desired)), plan.steps);
		});
		for await (const one of compared) {
			states.push("error" in one ? failedState(one as OrganizationError) : one);
		}
		return states;
	});
}

async function readSeed(file: string, call: Call<StateFlags>): Promise<readonly CaseState[]> {
	const { flags, terminal } = call;
	const { parseSeed } = await import("../../../emulator/seed/seed.ts");
	const { accessOfSeed } = await import("./seed-access.ts");
	const text = readTextFile(file, terminal.directory, { maxMebibytes: 128, hint: "export --as seed writes one" });
	const fleet = await readNamedFleet(call);
	const id = flags.organization?.toLowerCase();
	return parseSeed(text, file)
		.organizations.map((one): CaseState => {
			const organizationId = one.organizationId.toLowerCase();
			const isOwn = fleet?.organizationIds.includes(organizationId) === true;
			const desired = isOwn ? fleet?.load(organizationId) : undefined;
			return {
				organizationId,
				...accessOfSeed(one),
				aliases: desired === undefined ? {} : namesOfUsers(desired),
				nowMs: terminal.now(),
			};
		})
		.filter(({ organizationId }) => id === undefined || organizationId === id);
}
