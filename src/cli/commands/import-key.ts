/** `import-key`: the bundle to which a private key is encrypted. It goes to the file or standard output, and nowhere else. */

import { resolve } from "node:path";
import { exitCodes, explainFileError, InterruptedError, OutputError, ServiceError } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import { textOf } from "../../common/said.ts";
import { type ImportKeyResult, resultHead } from "../../render/result/result.ts";
import type { SubmitResult } from "../../sync/submit/outcomes.ts";
import { type JournalFlags, type ServiceFlags, withConnection, withJournal } from "../connect.ts";
import { checkWritable, replaceFile, writeOrRefuse } from "../files/write-file.ts";
import type { Flags } from "../flags/given-flags.ts";
import { outcomeExitCodes } from "../output/failure.ts";
import type { Call, Output, Terminal } from "../output/output.ts";
import { findOrganization, findUser, type NamingFlags } from "./selection.ts";

type ImportKeyFlags = NamingFlags &
	ServiceFlags &
	JournalFlags &
	Required<Flags<"user">> &
	Flags<"out" | "wait" | "retryRejected">;

/** Returns the bundle, or why there is none yet. A second run within 15 minutes joins a pending activity. */
export async function importKey(call: Call<ImportKeyFlags>): Promise<ImportKeyResult> {
	const { flags, terminal, output } = call;
	const organizationId = await findOrganization(call);
	const userId = await findUser(call);
	const { out } = flags;
	// Before anything is submitted.
	if (out !== undefined) {
		writeOrRefuse(`the bundle cannot be written to ${showText(out)}`, () =>
			checkWritable(resolve(terminal.directory, out), { directory: terminal.directory, isSecret: true }),
		);
	}
	const sent = await withConnection(call, ({ client, signer }) =>
		withJournal(call, async (journal) => {
			if (signer !== undefined) {
				const { importWords } = await import("../signed-words.ts");
				signer.describeWith((request) => importWords(request, { userNames: { [userId]: flags.user } }), 1);
			}
			const { submitOnce } = await import("../../sync/submit/submit-once.ts");
			const { withServiceClock } = await import("../../sync/read/service-clock.ts");
			const timed = withServiceClock(client.reader, terminal.now);
			await timed.ensureAnswered(organizationId);
			const result = await submitOnce(
				{ organizationId, operation: "init_import_private_key", parameters: { userId }, covers: [], needsResult: true },
				{
					submitter: client.submitter,
					journal,
					now: terminal.now,
					sleep: terminal.sleep,
					waitMs: flags.wait * 1000,
					serverTimeMs: undefined,
					clockOffsetMs: timed.clockOffsetMs(),
					...(flags.retryRejected === true ? { retryRejected: true } : {}),
				},
			);
			if (signer?.isInterrupted() === true && result.activity === null) {
				throw new InterruptedError("orgsync was interrupted: nothing was signed");
			}
			return result;
		}),
	);
	if (sent.isRetry) output.recordOverride({ flag: "retry-rejected", steps: 1, covers: [] });
	return sent.outcome === "completed" ? deliver(sent, flags, terminal, output) : explainMissing(sent);
}

function deliver(sent: SubmitResult, flags: ImportKeyFlags, { directory }: Terminal, output: Output): ImportKeyResult {
	const bundle = sent.activity?.result?.importBundle;
	if (typeof bundle !== "string") {
		throw new ServiceError("the activity completed, but the service's answer has no importBundle", 200, undefined);
	}
	const { outcome, activityId, fingerprint } = sent;
	const delivered = { ...resultHead("import-key", exitCodes.inSync, null), outcome, activityId, fingerprint };
	if (flags.out === undefined) {
		if (output.format === "text") refuseUnprintable(bundle, sent);
		return { ...delivered, importBundle: bundle };
	}
	try {
		replaceFile(resolve(directory, flags.out), bundle, { directory, isSecret: true });
	} catch (error) {
		const activity = `activity ${showText(sent.activityId ?? sent.fingerprint ?? "")}`;
		const reason = explainFileError(error);
		throw new OutputError(
			`${activity} completed, but its bundle cannot be written to ${showText(flags.out)}: ${reason}`,
			{
				hint: "run the command again with another --out: within 15 minutes it gets the same bundle, later a new one",
				cause: error,
			},
		);
	}
	return { ...delivered, out: flags.out };
}

/**
 * Throws ServiceError for a bundle that is not safe to print: unchanged, it could control a terminal or forge a log; with
 * escapes, it would be another bundle.
 *
 * Unverified, chosen: a bundle is JSON text in printable ASCII, so that no real one is refused.
 */
function refuseUnprintable(bundle: string, { activityId }: SubmitResult): void {
	if (bundle.split("\n").every((line) => /^[ -~]*$/.test(line) && showText(line) === line)) return;
	throw new ServiceError(
		`activity ${showText(activityId ?? "")} completed, but its import bundle is not plain text, so it is not printed`,
		200,
		undefined,
		{ hint: "--out FILE writes it byte for byte, --format json prints it with escapes" },
	);
}

function explainMissing(sent: SubmitResult): ImportKeyResult {
	const { outcome, activityId, fingerprint, message, policyEvaluations } = sent;
	const exitCode = sent.keyNotAccepted ? exitCodes.notAuthorized : outcomeExitCodes[outcome];
	const head = resultHead("import-key", exitCode, null);
	return {
		...{ ...head, outcome, activityId, fingerprint, policyEvaluations },
		message: message === null ? null : textOf(message),
	};
}
