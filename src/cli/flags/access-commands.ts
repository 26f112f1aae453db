import { exitCodes } from "../../common/errors.ts";
import { type CommandRow, queryExitCodes } from "./command-row.ts";
import { parseDuration, parseText } from "./flag-values.ts";
import {
	type Argument,
	activityFlags,
	argument,
	concurrencyFlag,
	type Flag,
	flag,
	flagGroup,
	organizationFlags,
	outputFlags,
	readsFlag,
	serviceFlags,
} from "./flags.ts";

/** Exit codes of a command that edits a document and prints its plan. */
const editExitCodes = {
	...queryExitCodes,
	[exitCodes.inSync]: "document edited, or unchanged; plan printed",
	[exitCodes.error]: "error, or the organization cannot converge",
};

export function grant(): CommandRow {
	return {
		name: "grant",
		summary: "give a user a tag for a while, in the document",
		arguments: namedArguments(),
		flags: [
			...flagGroup("Access", [
				flag("--for <duration>", "how long, by the service's clock: 30m, 4h, 7d", parseDuration),
				flag("--until <time>", "end instead: 2026-12-01T09:00:00Z, '2026-12-01 Europe/Berlin'", parseText),
				flag("--reason <text>", "why, for reviewers", parseText).makeOptionMandatory(),
			]),
			...editFlags(),
		],
		example: "orgsync grant bob signers --for 4h --reason 'incident 4711'",
		exitCodes: editExitCodes,
		run: async (call) => (await import("../commands/access.ts")).grant(call.words, call),
	};
}

export function revoke(): CommandRow {
	return {
		name: "revoke",
		summary: "end a user's access to a tag, in the document",
		arguments: namedArguments(),
		flags: editFlags(),
		example: "orgsync revoke bob signers",
		exitCodes: editExitCodes,
		run: async (call) => (await import("../commands/access.ts")).revoke(call.words, call),
	};
}

function namedArguments(): readonly Argument[] {
	return [
		argument("<user>", "alias, id or live name of a user"),
		argument("<tag>", "name, id or address of a user tag of the document"),
	];
}

function editFlags(): readonly Flag[] {
	return [
		...organizationFlags(),
		...activityFlags(),
		...serviceFlags(readsFlag(), concurrencyFlag()),
		...outputFlags(),
	];
}
