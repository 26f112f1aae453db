import { combineExitCodes, type ExitCode, exitCodes } from "../../errors.ts";
import type { PasskeySigner } from "../passkey.ts";
import type { VoteReading } from "./vote-readings.ts";

/** Gives the page of `--passkey` the words of all votes. Does nothing without a page. */
export async function describeVoteSigning(
	readings: readonly VoteReading[],
	signer: PasskeySigner | undefined,
	isPast: (reading: VoteReading) => boolean,
): Promise<void> {
	if (signer === undefined) return;
	const { voteWords } = await import("../signed-words.ts");
	const organizations = readings.map(({ votes }) => votes);
	const count = organizations
		.flatMap(({ activities }) => activities)
		.filter(({ decision }) => decision === "vote").length;
	const isPastOf = (one: (typeof organizations)[number]): boolean =>
		readings.some((reading) => reading.votes === one && isPast(reading));
	signer.describeWith((request) => voteWords(request, organizations, isPastOf), count);
}

/** Returns the exit code of a command whose page Ctrl-C may have ended. */
export function withInterruption(exitCode: ExitCode, signer: PasskeySigner | undefined): ExitCode {
	return signer?.isInterrupted() === true ? combineExitCodes([exitCode, exitCodes.interrupted]) : exitCode;
}
