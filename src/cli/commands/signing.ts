import { combineExitCodes, type ExitCode, exitCodes, OrgsyncError } from "../../common/errors.ts";
import type { SignedRequest } from "../../passkey/words.ts";
import { groupSteps } from "../../plan/step-groups.ts";
import { sameValue } from "../../plan/value.ts";
import { fingerprintOf } from "../../wire/request-body.ts";
import type { PasskeySigner } from "../passkey.ts";
import type { ComparedOrganization } from "./comparing.ts";
import type { VoteReading } from "./vote/vote-readings.ts";

const notSent = "so what you signed was not sent: run the command again";

/** Gives the page of `--passkey` the words of all steps. Does nothing without a page. */
export async function describeSigning(
	compared: readonly ComparedOrganization[],
	signer: PasskeySigner | undefined,
	now: () => number,
): Promise<void> {
	if (signer === undefined) return;
	const { describeSteps } = await import("../signed-words.ts");
	const comparisons = compared.map(({ comparison }) => comparison);
	const steps = comparisons.flatMap(({ plan }) => groupSteps(plan.steps).sent);
	signer.describeWith(
		(request) => describeSteps(request, comparisons, now),
		steps.length,
		(request) => whyStepChanged(request, compared),
	);
}

/** Returns why a signed step is not submitted: a new plan lacks it, a guard blocks it, or another activity makes the change. */
export async function whyStepChanged(
	request: SignedRequest,
	compared: readonly ComparedOrganization[],
): Promise<string | undefined> {
	const one = compared.find(({ comparison }) => comparison.plan.organizationId === request.organizationId);
	if (one === undefined) return undefined;
	const { planLater } = await import("../../sync/submit/later-steps.ts");
	const { findSignedStep } = await import("../signed-words.ts");
	const later = await planLater(one.comparison.plan, one.compareAgain);
	if (later.plan === null) return `${later.because}, ${notSent}`;
	const step = findSignedStep(request, later.plan);
	const isFree = step?.earlierActivity === null || step?.earlierActivity.fingerprint === fingerprintOf(request.body);
	if (step !== undefined && isFree && step.dependsOn.length === 0) return undefined;
	return `live state changed before you signed, ${notSent}`;
}

/** Gives the page of `--passkey` the words of all votes. Does nothing without a page. */
export async function describeVoteSigning(
	readings: readonly VoteReading[],
	signer: PasskeySigner | undefined,
	options: {
		readonly isPast: (reading: VoteReading) => boolean;
		/** Reads the same again. Throws OrgsyncError, a GuardError among them. */
		readonly readAgain: (reading: VoteReading) => Promise<VoteReading>;
	},
): Promise<void> {
	if (signer === undefined) return;
	const { voteWords } = await import("../signed-words.ts");
	const organizations = readings.map(({ votes }) => votes);
	const count = organizations
		.flatMap(({ activities }) => activities)
		.filter(({ decision }) => decision === "vote").length;
	const isPastOf = (one: (typeof organizations)[number]): boolean =>
		readings.some((reading) => reading.votes === one && options.isPast(reading));
	signer.describeWith(
		(request) => voteWords(request, organizations, isPastOf),
		count,
		(request) => whyVoteChanged(request, readings, options.readAgain),
	);
}

/** Returns why a signed vote is not cast: read again, its activity would get none, or a guard blocks it. */
export async function whyVoteChanged(
	{ organizationId, parameters }: SignedRequest,
	readings: readonly VoteReading[],
	readAgain: (reading: VoteReading) => Promise<VoteReading>,
): Promise<string | undefined> {
	const before = readings.find(({ votes }) => votes.organizationId === organizationId);
	if (before === undefined) return undefined;
	const find = ({ votes }: VoteReading) =>
		votes.activities.find(({ activity }) => activity.fingerprint === parameters.fingerprint);
	try {
		const [one, other] = [find(before), find(await readAgain(before))];
		const isSame = other?.decision === "vote" && sameValue(one?.disagreements, other.disagreements);
		return isSame ? undefined : `the activity changed before you signed, ${notSent}`;
	} catch (error) {
		if (error instanceof OrgsyncError) return `${error.message}, ${notSent}`;
		throw error;
	}
}

/** Returns the exit code of a command whose page Ctrl-C may have ended. */
export function withInterruption(exitCode: ExitCode, signer: PasskeySigner | undefined): ExitCode {
	return signer?.isInterrupted() === true ? combineExitCodes([exitCode, exitCodes.interrupted]) : exitCode;
}
