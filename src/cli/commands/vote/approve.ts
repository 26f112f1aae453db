/**
 * `approve` and `reject`: votes on pending activities that were reviewed, and on no others. Only what their submitters signed is
 * shown and matched.
 */

import {
	ConfigurationError,
	combineExitCodes,
	type ExitCode,
	exitCodes,
	LiveProblemError,
	OrgsyncError,
	StorageError,
} from "../../../common/errors.ts";
import { showText } from "../../../common/escape.ts";
import type { Allowed } from "../../../plan/guards/guards.ts";
import { allowsOf, withOverrides } from "../../../plan/guards/overrides.ts";
import { showOrganization } from "../../../plan/organization-name.ts";
import type { Plan } from "../../../plan/plan.ts";
import type { Outcome } from "../../../plan/report.ts";
import { isSamePlan } from "../../../plan/same-plan.ts";
import { commandText } from "../../../plan/suggested-command.ts";
import { sameValue } from "../../../plan/value.ts";
import { resultHead } from "../../../render/result/result.ts";
import type { OrganizationVotes, VotedActivity, VoteResult } from "../../../render/result/votes.ts";
import { renderVoteReview } from "../../../render/result-text.ts";
import type { Journal } from "../../../sync/journal/journal.ts";
import { outcomeOfStatus } from "../../../sync/submit/outcomes.ts";
import { readReturnedActivity } from "../../../sync/submit/returned-activity.ts";
import { voteOnce } from "../../../sync/submit/vote-once.ts";
import type { VoteName } from "../../../wire/operations.ts";
import { type ConnectionFlags, withConnection, withJournal } from "../../connect.ts";
import type { Flags } from "../../flags/given-flags.ts";
import { describeError, exitCodeOfError, outcomeExitCodes } from "../../output/failure.ts";
import type { Call } from "../../output/output.ts";
import { askOnTerminal, readOverrides, refuseBlockedPlans, whyNotAsk } from "../apply/consent.ts";
import { describeVoteSigning, withInterruption } from "../signing.ts";
import { findVoteOrders, type VoteOrderFlags } from "./vote-orders.ts";
import { plansToJudge, readForVotes, refusePastWindows, type VoteReading } from "./vote-readings.ts";

type VoteFlags = VoteOrderFlags & ConnectionFlags & Flags<"yes" | "wait"> & Partial<Flags<"allow">>;

type VoteCommand = VoteResult["command"];

interface VoteRun extends Call<VoteFlags> {
	readonly command: VoteCommand;
	readonly journal: Journal;
	/** Whether a passkey signs the votes. */
	readonly hasPasskey: boolean;
}

const operations: Readonly<Record<VoteCommand, VoteName>> = { approve: "approve_activity", reject: "reject_activity" };

/** What was read for a vote, with the plans that the guards judge. */
interface VoteReview {
	readonly shown: readonly VoteReading[];
	/** By organization. */
	readonly judged: readonly (readonly Plan[])[];
}

/** Votes on the activities with these ids; without any, `approve` does on those of `--plan`, or all that agree with the document. */
export async function voteOn(
	command: VoteCommand,
	names: readonly string[],
	call: Call<VoteFlags>,
): Promise<VoteResult> {
	const { allowed } = readOverrides({ allow: call.flags.allow ?? [], abandon: [] });
	const { organizations: orders, savedPlan } = await findVoteOrders(command, names, call);
	return withConnection(call, (connection) =>
		withJournal(call, async (journal) => {
			const run: VoteRun = { ...call, command, journal, hasPasskey: connection.signer !== undefined };
			const read = async (): Promise<VoteReview> => {
				const readings: VoteReading[] = [];
				for (const order of orders) {
					const client = connection.client.forOrganization();
					readings.push(await readForVotes(order, operations[command], client, call.terminal));
				}
				refuseUnknown(names, readings, call.flags);
				const named = readings.filter(({ votes }) => names.length === 0 || votes.activities.length > 0);
				const judged = named.map((one) => (command === "approve" ? plansToJudge(one) : []));
				return { judged, shown: named.map((one, index) => recordAllowed(one, judged[index] ?? [], allowed)) };
			};
			const end = async (first: VoteReview): Promise<Pick<VoteResult, "votes" | "exitCode" | "error">> => {
				let review = first;
				try {
					for (;;) {
						refusePast(review.shown, run);
						showReview(review.shown, run);
						refuseBlockedPlans(review.judged.flat(), allowed);
						const answer = await confirm(review.shown, run);
						if (answer === "declined") return { ...votesOf(review), exitCode: exitCodes.error, error: null };
						if (answer === "not asked") break;
						// The world goes on while a person thinks.
						const confirmed = review;
						review = await read();
						if (isSameReview(confirmed, review)) break;
						call.output.note("Live state changed while orgsync waited for the answer. This is what is pending now:");
					}
					refusePast(review.shown, run);
				} catch (error) {
					call.output.showStack(error);
					return { ...votesOf(review), exitCode: exitCodeOfError(error), error: describeError(error) };
				}
				await describeVoteSigning(review.shown, connection.signer, {
					isPast: (reading) => isPast(reading, run),
					readAgain: async ({ order, client }) => {
						const again = await readForVotes(order, operations[command], client, call.terminal);
						if (command === "approve") refuseBlockedPlans(plansToJudge(again), allowed);
						return again;
					},
				});
				const ended = await castVotes(review.shown, run);
				return { ...ended, exitCode: withInterruption(ended.exitCode, connection.signer) };
			};
			const facts = savedPlan === undefined ? {} : { savedPlan };
			return { ...resultHead(command, exitCodes.inSync, null), ...(await end(await read())), ...facts };
		}),
	);
}

function votesOf({ shown }: VoteReview): Pick<VoteResult, "votes"> {
	return { votes: shown.map(({ votes }) => votes) };
}

/** Whether the same activities would get the same votes, with the same effect and by the same guards. */
function isSameReview(one: VoteReview, other: VoteReview): boolean {
	const decided = ({ shown }: VoteReview) =>
		shown.map(({ votes }) =>
			votes.activities.map(({ activity: { activityId, fingerprint, status }, decision, disagreements }) => {
				return { activityId, fingerprint, status, decision, disagreements };
			}),
		);
	const [plans, others] = [one.judged.flat(), other.judged.flat()];
	const haveSamePlans =
		plans.length === others.length && plans.every((plan, index) => isSamePlan(plan, others[index] ?? plan));
	return haveSamePlans && sameValue(decided(one), decided(other));
}

/** Throws ConfigurationError for a name that no organization has. */
function refuseUnknown(names: readonly string[], readings: readonly VoteReading[], flags: VoteFlags): void {
	const found = new Set(
		readings.flatMap(({ votes }) =>
			votes.activities.flatMap(({ activity }) => [
				activity.activityId.toLowerCase(),
				activity.fingerprint.toLowerCase(),
			]),
		),
	);
	const unknown = names.find((name) => !found.has(name.toLowerCase()));
	if (unknown === undefined) return;
	throw new ConfigurationError(`activity ${showText(unknown)} not found: the service does not show it to this key`, {
		hint: `\`${commandText({ command: "status" }, flags)}\` lists pending activities`,
	});
}

/** Throws StalePlanError if time has made wrong what is to be approved. A rejection is right at any time. */
function refusePast(readings: readonly VoteReading[], { command, terminal }: VoteRun): void {
	if (command === "approve") for (const reading of readings) refusePastWindows(reading, terminal.now());
}

function isPast(reading: VoteReading, run: VoteRun): boolean {
	try {
		refusePast([reading], run);
		return false;
	} catch {
		return true;
	}
}

/** Returns the reading with the overrides that its plans use. */
function recordAllowed(reading: VoteReading, plans: readonly Plan[], allowed: Allowed): VoteReading {
	const { effect } = reading.votes;
	const used = plans.flatMap(({ guards }) => allowsOf(guards, allowed));
	return effect === null ? reading : { ...reading, votes: { ...reading.votes, effect: withOverrides(effect, used) } };
}

function isToVote({ decision }: VotedActivity): boolean {
	return decision === "vote";
}

/** Shows the activities if there is one to vote on; if not, the result has all there is. */
function showReview(readings: readonly VoteReading[], { command, output }: VoteRun): void {
	const organizations = readings.map(({ votes }) => votes);
	if (organizations.some(({ activities }) => activities.some(isToVote))) {
		output.note(renderVoteReview(organizations, command, output.style));
	}
}

/** Asks if there is something to vote on. Throws ConfigurationError if no one can be asked. */
async function confirm(
	readings: readonly VoteReading[],
	run: VoteRun,
): Promise<"confirmed" | "declined" | "not asked"> {
	const { command, flags, output, terminal } = run;
	const organizations = readings.map(({ votes }) => votes);
	const voting = organizations.filter(({ activities }) => activities.some(isToVote));
	const count = voting.reduce((sum, { activities }) => sum + activities.filter(isToVote).length, 0);
	if (count === 0 || flags.yes === true || flags.plan !== undefined) return "not asked";
	const obstacle = whyNotAsk(terminal, output);
	if (obstacle !== null) {
		throw new ConfigurationError(`${command} asks before it votes, but ${obstacle}`, {
			hint: "review the activities above, then use --yes",
		});
	}
	const [only, ...others] = voting;
	const where = only !== undefined && others.length === 0 ? showOrganization(only) : `${voting.length} organizations`;
	const verb = command === "approve" ? "Approve" : "Reject";
	const question = `${verb} ${count === 1 ? "this activity" : `these ${count} activities`} of ${where}?`;
	return (await askOnTerminal(question, terminal)) ? "confirmed" : "declined";
}

/** After this long, an activity is read again before the vote: others may have ended it meanwhile. */
const maxReadingAgeMs = 30_000;

async function castVotes(readings: readonly VoteReading[], run: VoteRun) {
	const organizations: OrganizationVotes[] = [];
	let hasFailed = false;
	let keyNotAccepted = false;
	for (const reading of readings) {
		const activities: VotedActivity[] = [];
		for (const one of reading.votes.activities) {
			if (!isToVote(one)) {
				activities.push(one);
				continue;
			}
			if (hasFailed) {
				activities.push({ ...one, outcome: "not-attempted", message: "an earlier vote could not be sent" });
				continue;
			}
			const { voted, isFatal, isKeyRefused } = await castVote(one, reading, run).catch((error) =>
				stopVoting(one, error),
			);
			hasFailed ||= isFatal;
			keyNotAccepted ||= isKeyRefused;
			activities.push(voted);
		}
		organizations.push({ ...reading.votes, activities });
	}
	const codes = organizations.flatMap((one) => exitCodesOf(run.command, one));
	const exitCode = combineExitCodes([...codes, ...(keyNotAccepted ? [exitCodes.notAuthorized] : [])]);
	return { votes: organizations, exitCode, error: null };
}

/** Returns a vote that was not cast. Throws what is no error of orgsync's own, and StorageError: the journal has to record votes. */
function stopVoting(one: VotedActivity, error: unknown) {
	if (!(error instanceof OrgsyncError) || error instanceof StorageError) throw error;
	const outcome: Outcome = "not-attempted";
	return { voted: { ...one, outcome, message: error.message }, isFatal: true, isKeyRefused: false };
}

async function castVote(
	one: VotedActivity,
	reading: VoteReading,
	{ command, flags, journal, hasPasskey, terminal, output }: VoteRun,
) {
	const { review, client, clocked, returned, readAtMs } = reading;
	const { activityId, organizationId } = one.activity;
	output.progress(`voting on activity ${activityId}`);
	const isOld = terminal.now() - readAtMs > maxReadingAgeMs;
	const again = isOld ? await readReturnedActivity(organizationId, activityId, clocked) : undefined;
	const target = again?.activity ?? returned.get(activityId);
	if (target === undefined || target.fingerprint !== one.activity.fingerprint) {
		throw new LiveProblemError("the service shows another fingerprint of it than the one that was reviewed", {
			hint: "run the command again",
		});
	}
	if (command === "approve") refusePastWindows(reading, terminal.now());
	const clockOffsetMs = clocked.clockOffsetMs();
	const result = await voteOnce(operations[command], target, {
		...{
			voter: client.voter,
			reader: client.reader,
			journal,
			identity: review.identity,
			clockOffsetMs,
			stampsApart: hasPasskey,
		},
		...{ now: terminal.now, sleep: terminal.sleep, waitMs: flags.wait * 1000 },
	});
	const { outcome, isSent, message, isFatal, keyNotAccepted } = result;
	const activity = review.reviewAgain(result.activity, terminal.now() + clockOffsetMs);
	return { voted: { ...one, activity, outcome, isSent, message }, isFatal, isKeyRefused: keyNotAccepted };
}

const exitCodesByOutcome: Readonly<Record<VoteCommand, typeof outcomeExitCodes>> = {
	approve: outcomeExitCodes,
	reject: { ...outcomeExitCodes, completed: exitCodes.error, rejected: exitCodes.inSync },
};

/** Returns the exit codes that apply. What was refused counts only where it was named. */
function exitCodesOf(command: VoteCommand, { activities, missing }: OrganizationVotes): readonly ExitCode[] {
	const codes = activities.flatMap(({ decision, isNamed, outcome, activity }) => {
		if (decision === "refused") return isNamed ? [exitCodes.blockedByGuard] : [];
		return [exitCodesByOutcome[command][outcome ?? outcomeOfStatus(activity.status)]];
	});
	return missing.length === 0 ? codes : [...codes, exitCodes.pendingApproval];
}
