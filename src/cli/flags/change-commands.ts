import { exitCodes } from "../../common/errors.ts";
import { type CommandRow, localExitCodes, queryExitCodes } from "./command-row.ts";
import { parseFileOrStream } from "./flag-values.ts";
import {
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
	resumeFlag,
	retryRejectedFlag,
	safetyFlags,
	savedPlanFlags,
	scopeFlags,
	serviceFlags,
	uncheckedFlag,
	waitFlag,
	waitForApprovalFlag,
} from "./flags.ts";
import { formats, meteredFormats, streamFormats } from "./formats.ts";

export function plan(): CommandRow {
	return {
		name: "plan",
		summary: "show the changes that apply would submit",
		flags: [
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
		},
		run: async (call) => (await import("../commands/plan.ts")).plan(call),
	};
}

export function show(): CommandRow {
	return {
		name: "show",
		summary: "print a saved plan without calling the service",
		arguments: [argument("<file>", "saved plan, or - for standard input", parseFileOrStream)],
		flags: outputFlags(formats),
		example: "orgsync show plan.json --format markdown",
		exitCodes: { ...localExitCodes, [exitCodes.inSync]: "plan printed" },
		run: async ({ terminal, words: [saved = ""] }) => (await import("../commands/show.ts")).show(saved, terminal),
	};
}

export function apply(): CommandRow {
	return {
		name: "apply",
		summary: "submit the activities that bring the organization in sync",
		flags: [
			...scopeFlags(),
			...savedPlanFlags("apply only this saved plan"),
			...flagGroup("Fleet", [resumeFlag()]),
			...safetyFlags(),
			...activityFlags(
				repeatableFlag("--abandon <activity>", "abandon a pending activity, by id or fingerprint"),
				retryRejectedFlag(),
				waitFlag(),
				waitForApprovalFlag(),
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
	};
}

export function drift(): CommandRow {
	return {
		name: "drift",
		summary: "report live state that differs from the document",
		flags: [
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
	};
}
