/** `plan`: compares documents with live state and shows what `apply` would submit. It has a Reader, so it cannot submit. */

import { defined, nonEmpty } from "../../common/defined.ts";
import { ConfigurationError, combineExitCodes, type ExitCode, exitCodes } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import { uuid } from "../../common/uuid.ts";
import { type DesiredFleet, organizationsIn } from "../../document/read/fleet.ts";
import { failingCases } from "../../plan/access-cases/planned.ts";
import type { ThreeWay } from "../../plan/base/three-way.ts";
import { blockingGuards, withoutAllowed } from "../../plan/guards/overrides.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import { findsDifference, type Plan, type SavedPlanFacts } from "../../plan/plan.ts";
import { commandText } from "../../plan/suggested-command.ts";
import type { FoundOrganization } from "../../render/result/found.ts";
import { emptyJournal } from "../../sync/journal/journal.ts";
import { connect } from "../connect.ts";
import { withCases } from "../files/access-files.ts";
import type { BaseFlags } from "../files/base.ts";
import { readFleet } from "../files/sources.ts";
import type { Flags } from "../flags/given-flags.ts";
import { didYouMean } from "../flags/suggest.ts";
import { failedIn } from "../output/failure.ts";
import type { Call } from "../output/output.ts";
import type { ResultEnd, ResultStream } from "../output/result-stream.ts";
import { type GivenOverrides, isImpossible, readOverrides, recordOverrides } from "./apply/consent.ts";
import { type ComparedOrganization, type ComparingOptions, type ComparisonFlags, compareFleet } from "./comparing.ts";
import { selectFrom } from "./selection.ts";

type PlanFlags = ComparisonFlags &
	BaseFlags &
	Flags<"allow" | "detailedExitcode" | "retryRejected" | "out" | "output" | "submitter">;

/** Returns the plan of every organization. Exit 0, or 10 or 11 by its access cases; with `--detailed-exitcode`, 5 when a guard blocks, and 2 when something differs. */
export async function plan(call: Call<PlanFlags>): Promise<ResultStream> {
	const { flags, terminal } = call;
	const given = readOverrides({ allow: flags.allow, abandon: [] });
	const save = flags.out === undefined ? null : await prepareToSave(flags.out, call);
	const all = withCases(await readFleet(flags, terminal), flags, terminal);
	const hasBase = flags.base !== undefined || flags.baseFile !== undefined;
	const bases = hasBase ? await (await import("./three-way.ts")).readBases(all, call) : undefined;
	const fleet = await selectFrom(all, call);
	const run: PlanRun = {
		...{ ...call, given, save, fleet, dropped: bases?.dropped ?? [], baseOf: bases?.baseOf },
		submitterOf: flags.submitter === undefined ? undefined : findSubmitters(flags.submitter, fleet, flags),
		retryRejected: flags.retryRejected,
	};
	return { command: "plan", size: fleet.organizationIds.length, parts: makePlans(run) };
}

interface PlanRun extends Call<PlanFlags>, ComparingOptions {
	readonly given: GivenOverrides;
	readonly save: SavePlans | null;
	readonly fleet: DesiredFleet;
	/** Organizations that are only in the base. */
	readonly dropped: readonly ThreeWay[];
}

/** Yields the plan of each organization. A saved plan is one document, so `--out` keeps all of them until the end. */
async function* makePlans(run: PlanRun): AsyncGenerator<FoundOrganization, ResultEnd> {
	const { flags, given, save, fleet, dropped } = run;
	const toPart = (compared: ComparedOrganization): FoundOrganization => {
		const { comparison } = recordOverrides(compared, given, emptyJournal);
		const { threeWay, desired } = comparison;
		const one = readByEarlierClock(comparison);
		const exitCode = codeOf(one, flags);
		return { organizationId: one.organizationId, exitCode, plan: one, desired, ...defined({ threeWay }) };
	};
	const kept: FoundOrganization[] = [];
	const connection = await connect(run);
	try {
		for await (const one of compareFleet(fleet, { ...run, connection }, toPart)) {
			const part = "error" in one ? failedIn(one) : one;
			if (save !== null) kept.push(part);
			yield part;
		}
	} finally {
		await connection.close();
	}
	return { dropped, ...(save === null ? {} : { savedPlan: save(kept, dropped) }) };
}

/** A `Date` has whole seconds. */
const datePrecisionMs = 1000;

/** Returns the plan, read by the clock that is behind: `approve` compares the service's times with it. */
function readByEarlierClock({ plan, exactOffsetMs = 0 }: ComparedOrganization["comparison"]): Plan {
	if (exactOffsetMs > -datePrecisionMs) return plan;
	return { ...plan, readAt: new Date(Date.parse(plan.readAt) + exactOffsetMs).toISOString() };
}

type SavePlans = (organizations: readonly FoundOrganization[], dropped: readonly ThreeWay[]) => SavedPlanFacts;

/** Returns what finds the submitter's user id. Throws ConfigurationError for an unknown alias, and with documented reads. */
function findSubmitters(
	user: string,
	fleet: DesiredFleet,
	{ reads }: PlanFlags,
): (desired: DesiredOrganization) => string {
	if (reads === "documented") {
		throw new ConfigurationError("--submitter and --reads documented cannot be used together", {
			hint: "the documented queries do not show policies, so orgsync cannot predict approvals",
		});
	}
	for (const desired of organizationsIn(fleet)) findSubmitter(user, desired);
	return (desired) => findSubmitter(user, desired);
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
	const verdicts = failingCases(plan).map(({ judged }) => judged.verdict);
	return combineExitCodes([
		...(verdicts.includes("failed") ? [exitCodes.failedCase] : []),
		...(verdicts.includes("unknown") ? [exitCodes.undecided] : []),
		...(detailedExitcode === true && blockingGuards(plan).length > 0 ? [exitCodes.blockedByGuard] : []),
		...(detailedExitcode === true && findsDifference(plan) ? [exitCodes.changes] : []),
	]);
}

/** Returns the overrides of guards that the plans use, as `--allow` takes them: `apply --plan` takes none from the file. */
function allowedIn(plans: readonly Plan[]): readonly string[] {
	const used = plans.flatMap(({ overrides = [] }) => overrides);
	return [...new Set(used.flatMap((one) => (one.flag === "allow" ? [`${one.kind}=${one.number}`] : [])))];
}

/** Returns the function that saves the plans of a result. Throws ConfigurationError when the file cannot be written. */
async function prepareToSave(out: string, { flags, terminal, output }: Call<PlanFlags>): Promise<SavePlans> {
	const { prepareSavedPlanFile } = await import("../files/saved-plan-file.ts");
	const write = prepareSavedPlanFile(out, flags.output, terminal);
	const { factsOf, makeSavedPlan } = await import("../../document/saved/saved-plan.ts");
	return (organizations, dropped) => {
		const plans = organizations.flatMap(({ plan }) => plan ?? []);
		const threeWay = nonEmpty([...organizations.flatMap((one) => one.threeWay ?? []), ...dropped]);
		const unread = nonEmpty(organizations.flatMap(({ failed }) => failed?.organizationId ?? []));
		const content = {
			// A file allows nothing: its reviewers see the guards that apply judges again.
			plans: plans.map(withoutAllowed),
			...defined({ threeWay, unread, overrides: nonEmpty(output.overrides) }),
		};
		const saved = makeSavedPlan(content, output.generatedBy);
		write(saved);
		const allow = allowedIn(plans).flatMap((text) => ["--allow", text]);
		const apply = commandText({ command: "apply", arguments: ["--plan", out, ...allow] }, flags);
		output.note(`Saved plan ${saved.digest} to ${showText(out)}. To run exactly this plan: ${showText(apply)}`);
		return factsOf(saved);
	};
}
