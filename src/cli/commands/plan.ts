/**
 * `plan`: compares documents with live state and shows what `apply` would submit. It has a Reader, so it cannot submit.
 */
import { fleetOf } from "../../document/fleet.ts";
import { ConfigurationError, type ExitCode, exitCodes } from "../../errors.ts";
import { showText } from "../../escape.ts";
import { type DesiredOrganization, uuid } from "../../plan/organization.ts";
import { blockingGuards, withoutAllowed } from "../../plan/overrides.ts";
import { findsDifference, type Plan, type SavedPlanFacts } from "../../plan/plan.ts";
import { positionsOf } from "../../render/positions.ts";
import type { PlanResult } from "../../render/result.ts";
import { emptyJournal } from "../../sync/journal.ts";
import type { BaseFlags } from "../base.ts";
import { withConnection } from "../connect.ts";
import { organizationsHead } from "../failure.ts";
import type { Call } from "../output.ts";
import type { LocatedResult } from "../result-stream.ts";
import { didYouMean } from "../suggest.ts";
import { isImpossible, readOverrides, recordOverrides } from "./apply-consent.ts";
import { type ComparisonFlags, compareEach } from "./comparing.ts";
import { readSelected } from "./selection.ts";

export interface PlanFlags extends ComparisonFlags, BaseFlags {
	/** `KIND=N` of guards, as for `apply`. */
	readonly allow: readonly string[];
	readonly detailedExitcode?: boolean;
	/** Whether the plan submits rejected activities again. */
	readonly retryRejected?: boolean;
	/** The file of the saved plan. */
	readonly out?: string;
	readonly output?: string;
	/** Who will submit the plan: an alias or an id. */
	readonly submitter?: string;
}

/** Returns the plan of every organization. Exit 0; with `--detailed-exitcode`, 5 when a guard blocks, and 2 when something differs. */
export async function plan(call: Call<PlanFlags>): Promise<LocatedResult> {
	const { flags } = call;
	const given = readOverrides({ allow: flags.allow, abandon: [] });
	const save = flags.out === undefined ? null : await prepareToSave(flags.out, call);
	const hasBase = flags.base !== undefined || flags.baseFile !== undefined;
	const bases = hasBase ? await (await import("./three-way.ts")).readBases(call) : undefined;
	const organizations = await readSelected(call);
	const submitters = flags.submitter === undefined ? undefined : findSubmitters(flags.submitter, organizations, flags);
	const { compared, failed } = await withConnection(call, (connection) =>
		compareEach(fleetOf(organizations), {
			...call,
			connection,
			...(bases === undefined ? {} : { bases: bases.documents }),
			...(submitters === undefined ? {} : { submitters }),
			...(flags.retryRejected === true ? { retryRejected: true } : {}),
		}),
	);
	const comparisons = compared.map((one) => recordOverrides(one, given, emptyJournal).comparison);
	const plans = comparisons.map((one) => one.plan);
	const threeWay = [...comparisons.flatMap((one) => one.threeWay ?? []), ...(bases?.dropped ?? [])];
	const codes = plans.map((one) => codeOf(one, flags));
	const result: PlanResult = {
		...organizationsHead("plan", plans, failed, codes),
		...(threeWay.length === 0 ? {} : { threeWay }),
	};
	const positionOf = positionsOf(comparisons.map(({ desired }) => desired));
	return { result: save === null ? result : { ...result, savedPlan: save(result) }, positionOf };
}

/**
 * Returns the user id of the submitter in each organization. Throws ConfigurationError where its document has no such alias,
 * and with documented reads, which show no policies.
 */
function findSubmitters(
	user: string,
	organizations: readonly DesiredOrganization[],
	{ reads }: PlanFlags,
): ReadonlyMap<string, string> {
	if (reads === "documented") {
		throw new ConfigurationError("--submitter and --reads documented cannot be used together", {
			hint: "the documented queries do not show policies, so orgsync cannot predict approvals",
		});
	}
	return new Map(organizations.map((desired) => [desired.organizationId, findSubmitter(user, desired)]));
}

function findSubmitter(user: string, { organizationId, users }: DesiredOrganization): string {
	if (uuid.test(user)) return user.toLowerCase();
	const found = Object.hasOwn(users, user) ? users[user] : undefined;
	if (found !== undefined) return found;
	const near = didYouMean(user, Object.keys(users).map(showText));
	throw new ConfigurationError(
		`--submitter ${showText(user)}: no such user in the document of ${organizationId}${near}`,
		{ hint: "use an alias of the document, or a user id" },
	);
}

function codeOf(plan: Plan, { detailedExitcode }: PlanFlags): ExitCode {
	if (isImpossible(plan)) return exitCodes.error;
	if (detailedExitcode !== true) return exitCodes.inSync;
	if (blockingGuards(plan).length > 0) return exitCodes.blockedByGuard;
	return findsDifference(plan) ? exitCodes.changes : exitCodes.inSync;
}

/** Returns the overrides of guards that the plans use, as `--allow` takes them: `apply --plan` takes none from the file. */
function allowedIn(plans: readonly Plan[]): readonly string[] {
	const used = plans.flatMap(({ overrides = [] }) => overrides);
	return [...new Set(used.flatMap((one) => (one.flag === "allow" ? [`${one.kind}=${one.number}`] : [])))];
}

/** Returns the function that saves the plans of a result. Throws ConfigurationError when the file cannot be written. */
async function prepareToSave(
	out: string,
	{ flags, terminal, output }: Call<PlanFlags>,
): Promise<(result: PlanResult) => SavedPlanFacts> {
	const { prepareSavedPlanFile } = await import("../saved-plan-file.ts");
	const write = prepareSavedPlanFile(out, flags.output, terminal);
	const { factsOf, makeSavedPlan } = await import("../../document/saved-plan.ts");
	return ({ plans, threeWay, failed }) => {
		const unread = (failed ?? []).map(({ organizationId }) => organizationId);
		const { overrides } = output;
		const content = {
			// A file allows nothing: its reviewers see the guards that apply judges again.
			plans: plans.map(withoutAllowed),
			...(threeWay === undefined ? {} : { threeWay }),
			...(unread.length === 0 ? {} : { unread }),
			...(overrides.length === 0 ? {} : { overrides }),
		};
		const saved = makeSavedPlan(content, output.generatedBy);
		write(saved);
		const file = showText(out);
		const allow = allowedIn(plans).map((text) => ` --allow ${text}`);
		output.note(
			`Saved plan ${saved.digest} to ${file}. To run exactly this plan: orgsync apply --plan ${file}${allow.join("")}`,
		);
		return factsOf(saved);
	};
}
