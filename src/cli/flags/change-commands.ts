import { exitCodes } from "../../common/errors.ts";
import { type CommandSpecs, localExitCodes, queryExitCodes } from "./command-row.ts";
import { parseDuration, parseFileOrStream, parseRunId, parseText } from "./flag-values.ts";
import {
	type Argument,
	activityCommandFlags,
	activityFlags,
	allowFlag,
	argument,
	concurrencyFlag,
	fileFlag,
	flag,
	flagGroup,
	horizonFlag,
	outputFlags,
	passkeyFlags,
	readsFlag,
	repeatableFlag,
	retryRejectedFlag,
	savedPlanFlags,
	scopeFlags,
	serviceFlags,
	uncheckedFlag,
	waitFlag,
} from "./flags.ts";
import { meteredFormats, showFormats, streamFormats } from "./formats.ts";

/** Exit codes of a command that edits a document and prints its plan. */
const editExitCodes = {
	...queryExitCodes,
	[exitCodes.inSync]: "document edited, or unchanged; plan printed",
	[exitCodes.error]: "error, or the organization cannot converge",
};

function namedArguments(): readonly Argument[] {
	return [
		argument("<user>", "alias, id or live name of a user"),
		argument("<tag>", "name, id or address of a user tag of the document"),
	];
}

export const changeCommands: CommandSpecs = {
	plan: {
		summary: "show the changes that apply would submit",
		flags: () => [
			...scopeFlags(),
			...flagGroup("Comparison", [
				uncheckedFlag("--base <revision>", "git revision of earlier documents to compare with"),
				fileFlag("--base-file <path>", "file or folder of earlier documents to compare with"),
			]),
			...flagGroup("Saved plan", [
				flag("--out <file>", "save the plan to this file, for show and apply --plan").argParser(parseFileOrStream),
			]),
			...flagGroup("Safety", [allowFlag()]),
			...activityFlags(
				retryRejectedFlag(),
				flag("--submitter <user>", "user who will submit it: alias or id (default: the key's user)"),
			),
			...serviceFlags(readsFlag(), concurrencyFlag()),
			...outputFlags(
				streamFormats,
				flag("--detailed-exitcode", "exit with 2 for changes, and with 5 if a guard blocks them"),
				horizonFlag(),
			),
		],
		example: "orgsync plan -f orgsync.yaml --out plan.json",
		exitCodes: {
			...queryExitCodes,
			[exitCodes.inSync]: "plan printed, with or without changes",
			[exitCodes.error]: "error, or the organization cannot converge",
			[exitCodes.changes]: "changes found, with --detailed-exitcode",
			[exitCodes.blockedByGuard]: "a guard blocks apply, with --detailed-exitcode",
			[exitCodes.failedCase]: "an access case that held, is new or changed does not hold",
			[exitCodes.undecided]: "such a case cannot be judged",
		},
		run: async (call) => (await import("../commands/plan.ts")).plan(call),
	},
	show: {
		summary: "print a saved plan without calling the service",
		arguments: () => [argument("<file>", "saved plan, or - for standard input", parseFileOrStream)],
		flags: () => outputFlags(showFormats),
		example: "orgsync show plan.json --format markdown",
		exitCodes: { ...localExitCodes, [exitCodes.inSync]: "plan printed" },
		run: async ({ terminal, words: [saved = ""] }) => (await import("../commands/show.ts")).show(saved, terminal),
	},
	apply: {
		summary: "submit the activities that bring the organization in sync",
		flags: () => [
			...scopeFlags(),
			...savedPlanFlags("apply only this saved plan"),
			...flagGroup("Fleet", [
				flag("--resume <run>", "go on with this run: skip organizations that it left in sync", parseRunId),
			]),
			...flagGroup("Safety", [
				flag("-y, --yes", "submit without asking for confirmation"),
				allowFlag(),
				flag("--no-verify", "skip reading live state again after the last step"),
			]),
			...activityFlags(
				repeatableFlag("--abandon <activity>", "abandon a pending activity, by id or fingerprint"),
				retryRejectedFlag(),
				waitFlag(),
				flag(
					"--wait-for-approval <duration>",
					"wait for pending activities to end: 90m, 8h, or seconds",
					parseDuration,
				),
			),
			...serviceFlags(readsFlag(), concurrencyFlag()),
			...passkeyFlags(),
			...outputFlags(meteredFormats, horizonFlag()),
		],
		example: "orgsync apply -f orgsync.yaml --yes",
		exitCodes: {
			[exitCodes.inSync]: "in sync",
			[exitCodes.error]: "error, or a step failed",
			[exitCodes.invalid]: true,
			[exitCodes.notAuthorized]: true,
			[exitCodes.blockedByGuard]: "blocked by a guard; nothing was submitted",
			[exitCodes.stalePlan]: "saved plan is stale; nothing was submitted",
			[exitCodes.partlyApplied]: "partly applied: a step completed, another did not",
			[exitCodes.pendingApproval]: true,
			[exitCodes.rejectedOrDenied]: true,
			[exitCodes.interrupted]: true,
		},
		run: async (call) => (await import("../commands/apply/apply.ts")).apply(call),
	},
	drift: {
		summary: "report live state that differs from the document",
		flags: () => [
			...scopeFlags(),
			...flagGroup("Drift", [
				fileFlag("--since <file>", "earlier report, made with --format json --output FILE"),
				repeatableFlag("--accept <address>", "write live values at this address to the document"),
			]),
			...activityFlags(),
			...serviceFlags(readsFlag(), concurrencyFlag()),
			...outputFlags(meteredFormats, horizonFlag()),
		],
		example: "orgsync drift --since last.json --format json --output last.json",
		exitCodes: {
			...queryExitCodes,
			[exitCodes.inSync]: "no drift",
			[exitCodes.changes]: "drift found",
			[exitCodes.pendingApproval]: "no drift, but an activity is pending approval",
		},
		run: async (call) => (await import("../commands/drift.ts")).drift(call),
	},
	grant: {
		summary: "give a user a tag for a while, in the document",
		arguments: namedArguments,
		flags: () => [
			...flagGroup("Access", [
				flag("--for <duration>", "how long, by the service's clock: 30m, 4h, 7d", parseDuration),
				flag("--until <time>", "end instead: 2026-12-01T09:00:00Z, '2026-12-01 Europe/Berlin'", parseText),
				flag("--reason <text>", "why, for reviewers", parseText).makeOptionMandatory(),
			]),
			...activityCommandFlags(),
		],
		example: "orgsync grant bob signers --for 4h --reason 'incident 4711'",
		exitCodes: editExitCodes,
		run: async (call) => (await import("../commands/access.ts")).grant(call.words, call),
	},
	revoke: {
		summary: "end a user's access to a tag, in the document",
		arguments: namedArguments,
		flags: () => activityCommandFlags(),
		example: "orgsync revoke bob signers",
		exitCodes: editExitCodes,
		run: async (call) => (await import("../commands/access.ts")).revoke(call.words, call),
	},
};
