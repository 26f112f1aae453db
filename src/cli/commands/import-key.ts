/**
 * `import-key`: the bundle that a private key is encrypted to before it is imported. A command with an answer, not state:
 * it never enters a diff. The bundle goes to the file or to standard output, and nowhere else.
 */
import { resolve } from "node:path";
import {
	ConfigurationError,
	type ExitCode,
	exitCodes,
	explainFileError,
	OutputError,
	ServiceError,
} from "../../errors.ts";
import { showText } from "../../escape.ts";
import { type ImportKeyResult, resultHead } from "../../render/result.ts";
import { checkSchema } from "../../schema.ts";
import type { SubmitResult } from "../../sync/outcomes.ts";
import { connect, type JournalFlags, openJournalOf, type ServiceFlags } from "../connect.ts";
import type { Output, Terminal } from "../output.ts";
import { readDesired } from "../sources.ts";
import { checkWritable, replaceFile } from "../write-file.ts";
import { documentsOf, findOrganization, type NamingFlags } from "./query.ts";

export interface ImportKeyFlags extends NamingFlags, ServiceFlags, JournalFlags {
	readonly user: string;
	readonly out?: string;
	readonly wait: number;
	readonly retryRejected?: boolean;
}

/** The bundle, or why there is none yet. A run again within the quarter of an hour joins an activity that waits. */
export async function importKey(flags: ImportKeyFlags, terminal: Terminal, output: Output): Promise<ImportKeyResult> {
	const organizationId = await findOrganization(flags, terminal);
	const userId = await findUser(flags, terminal);
	if (flags.out !== undefined) prepareFile(flags.out, terminal);
	const connection = await connect(flags, terminal, output);
	const journal = await openJournalOf(flags, terminal, output);
	try {
		const { submitOnce } = await import("../../sync/submit-once.ts");
		const { withServiceClock } = await import("../../sync/service-clock.ts");
		const timed = withServiceClock(connection.client.reader, terminal.now);
		await timed.ensureAnswered(organizationId);
		const sent = await submitOnce(
			{ organizationId, operation: "init_import_private_key", parameters: { userId }, covers: [], needsResult: true },
			{
				submitter: connection.client.submitter,
				journal,
				now: terminal.now,
				sleep: terminal.sleep,
				waitMs: flags.wait * 1000,
				serverTimeMs: undefined,
				clockOffsetMs: timed.clockOffsetMs(),
				...(flags.retryRejected === true ? { retryRejected: true } : {}),
			},
		);
		if (sent.isRetry === true) output.recordOverride({ flag: "retry-rejected", steps: 1, covers: [] });
		return sent.outcome === "completed" ? deliver(sent, flags, terminal, output) : notYet(sent);
	} finally {
		journal.close();
		await connection.close();
	}
}

/** Makes sure, before anything is submitted, that the bundle can be written. */
function prepareFile(out: string, { directory }: Terminal): void {
	try {
		checkWritable(resolve(directory, out), { directory, isSecret: true });
	} catch (error) {
		throw new ConfigurationError(`the bundle cannot be written to ${showText(out)}: ${explainFileError(error)}`, {
			cause: error,
		});
	}
}

/** An alias of the document, or an id as it is. */
async function findUser(flags: ImportKeyFlags, terminal: Terminal): Promise<string> {
	const isId =
		checkSchema("operations/init_import_private_key.json", { userId: flags.user }, "#/$defs/parameters").length === 0;
	if (isId) return flags.user.toLowerCase();
	const files = documentsOf(flags, terminal);
	const organizations = files.length === 0 ? [] : await readDesired({ file: files, env: flags.env }, terminal);
	const found = organizations.map(({ users }) => users[flags.user]).find((id) => id !== undefined);
	if (found !== undefined) return found;
	const aliases = organizations.flatMap(({ users }) => Object.keys(users)).map(showText);
	throw new ConfigurationError(`\`${showText(flags.user)}\` is no user id`, {
		hint:
			aliases.length === 0
				? "give a UUID, or an alias together with the document that has it: -f FILE"
				: `give a UUID, or one of the document's aliases: ${aliases.join(", ")}`,
	});
}

function deliver(sent: SubmitResult, flags: ImportKeyFlags, { directory }: Terminal, output: Output): ImportKeyResult {
	const bundle = sent.activity?.result?.importBundle;
	if (typeof bundle !== "string") {
		throw new ServiceError("the activity completed, but the service's answer holds no importBundle", 200, undefined);
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
				hint: "run the command again with another --out: within a quarter of an hour it gets the same bundle, later a new one",
				cause: error,
			},
		);
	}
	return { ...delivered, out: flags.out };
}

/**
 * Throws ServiceError for a bundle that standard output cannot take: printed as it is, it could act on a terminal or a log,
 * and printed with escapes it would be another bundle.
 *
 * Unverified, chosen: a bundle is JSON text in printable ASCII, so that no real one is refused.
 */
function refuseUnprintable(bundle: string, { activityId }: SubmitResult): void {
	if (bundle.split("\n").every((line) => /^[ -~]*$/.test(line) && showText(line) === line)) return;
	throw new ServiceError(
		`activity ${showText(activityId ?? "")} completed, but its import bundle is not plain text, so it is not printed`,
		200,
		undefined,
		{ hint: "to get one all the same: --out FILE writes it byte for byte, --format json prints it with escapes" },
	);
}

const exitCodeByOutcome: Partial<Record<SubmitResult["outcome"], ExitCode>> = {
	"awaiting-approval": exitCodes.pendingApproval,
	"awaiting-authenticator": exitCodes.pendingApproval,
	rejected: exitCodes.rejectedOrDenied,
	denied: exitCodes.rejectedOrDenied,
};

function notYet(sent: SubmitResult): ImportKeyResult {
	const { outcome, activityId, fingerprint, message, policyEvaluations } = sent;
	const exitCode = sent.keyNotAccepted ? exitCodes.notAuthorized : (exitCodeByOutcome[outcome] ?? exitCodes.error);
	const head = resultHead("import-key", exitCode, null);
	return { ...head, outcome, activityId, fingerprint, message, policyEvaluations };
}
