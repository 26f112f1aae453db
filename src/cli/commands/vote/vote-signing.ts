import { combineExitCodes, type ExitCode, exitCodes, OrgsyncError } from "../../../common/errors.ts";
import type { SignedRequest } from "../../../passkey/words.ts";
import { sameValue } from "../../../plan/value.ts";
import type { PasskeySigner } from "../../passkey.ts";
import type { VoteReading } from "./vote-readings.ts";

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
	const { voteWords } = await import("../../signed-words.ts");
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
	const notSent = "so what you signed was not sent: run the command again";
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
