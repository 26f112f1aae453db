import { exitCodes } from "../../common/errors.ts";
import { type CommandSpecs, localExitCodes, queryExitCodes } from "./command-row.ts";
import { parseTime, wholeNumber } from "./flag-values.ts";
import {
	activityCommandFlags,
	activityFlags,
	allowFlag,
	argument,
	concurrencyFlag,
	documentFlags,
	type Flag,
	fileFlag,
	flag,
	flagGroup,
	inputFileFlag,
	organizationFlags,
	outputFileFlag,
	outputFlags,
	passkeyFlags,
	passkeyPortFlag,
	readsFlag,
	repeatableFlag,
	retryRejectedFlag,
	savedPlanFlags,
	serviceFlags,
	waitFlag,
} from "./flags.ts";
import { caseFormats, formats } from "./formats.ts";

function votingFlags(...safety: readonly Flag[]): readonly Flag[] {
	return [
		...flagGroup("Safety", [flag("-y, --yes", "vote without asking for confirmation"), ...safety]),
		...activityFlags(waitFlag()),
		...serviceFlags(),
		...passkeyFlags(),
		...outputFlags(["text", "json", "markdown"]),
	];
}

export const activityCommands: CommandSpecs = {
	status: {
		summary: "list pending activities and requests in doubt",
		flags: () => activityCommandFlags(),
		example: "orgsync status -f orgsync.yaml",
		exitCodes: {
			...queryExitCodes,
			[exitCodes.inSync]: "nothing is pending",
			[exitCodes.pendingApproval]: "an activity is pending",
		},
		run: async (call) => (await import("../commands/status.ts")).status(call),
	},
	approve: {
		summary: "approve pending activities that were reviewed",
		arguments: () => [argument("[activities...]", "activity ids or fingerprints (default: all that agree)")],
		flags: () => [
			...organizationFlags(),
			...savedPlanFlags("approve only what equals this saved plan"),
			...votingFlags(allowFlag()),
		],
		example: "orgsync approve --plan plan.json",
		exitCodes: {
			...queryExitCodes,
			[exitCodes.inSync]: "all that was to be approved completed",
			[exitCodes.error]: "error, or an activity failed",
			[exitCodes.blockedByGuard]: "blocked by a guard, or a named activity was refused",
			[exitCodes.stalePlan]: "saved plan is stale; nothing was submitted",
			[exitCodes.pendingApproval]: "an activity is pending, or a step has none yet",
			[exitCodes.rejectedOrDenied]: "an activity was rejected, or the vote denied",
			[exitCodes.interrupted]: true,
		},
		run: async (call) => (await import("../commands/vote/approve.ts")).voteOn("approve", call.words, call),
	},
	reject: {
		summary: "reject pending activities",
		arguments: () => [argument("<activities...>", "activity ids or fingerprints")],
		flags: () => [...organizationFlags(), ...votingFlags()],
		example: "orgsync reject 01a1fe02-1455-712e-be80-c4ad5d3e1bce",
		exitCodes: {
			...queryExitCodes,
			[exitCodes.inSync]: "all activities were rejected",
			[exitCodes.error]: "error, or an activity completed before",
			[exitCodes.blockedByGuard]: "a named activity was refused",
			[exitCodes.pendingApproval]: "an activity is still pending",
			[exitCodes.rejectedOrDenied]: "the service denied a query or the vote",
			[exitCodes.interrupted]: true,
		},
		run: async (call) => (await import("../commands/vote/approve.ts")).voteOn("reject", call.words, call),
	},
	wait: {
		summary: "wait for pending activities to finish",
		arguments: () => [argument("[activities...]", "activity ids (default: all pending activities)")],
		flags: () =>
			activityCommandFlags(flag("--wait <seconds>", "max time to wait", wholeNumber(0, 604800)).default(600)),
		example: "orgsync wait --wait 3600",
		exitCodes: {
			...queryExitCodes,
			[exitCodes.inSync]: "all activities completed",
			[exitCodes.error]: "error, or an activity failed",
			[exitCodes.pendingApproval]: "an activity is still pending",
			[exitCodes.rejectedOrDenied]: "an activity was rejected or denied",
		},
		run: async (call) => (await import("../commands/wait.ts")).wait(call.words, call),
	},
	explain: {
		summary: "explain why an activity is not finished, or a policy's history",
		arguments: () => [argument("<subject>", "activity id, or policy:NAME")],
		flags: () => [...organizationFlags(), ...serviceFlags(readsFlag()), ...outputFlags()],
		example: "orgsync explain 01a1fe02-1455-712e-be80-c4ad5d3e1bce",
		exitCodes: queryExitCodes,
		run: async (call) => (await import("../commands/explain.ts")).explain(call.words[0] ?? "", call),
	},
};

export const serviceCommands: CommandSpecs = {
	organizations: {
		summary: "list sub-organizations, and which no document manages",
		flags: () => [
			...organizationFlags(),
			...serviceFlags(),
			...outputFlags(
				["text", "json", "markdown"],
				flag("--detailed-exitcode", "exit with 2 when no document manages one of them"),
			),
		],
		example: "orgsync organizations -f fleet/ --detailed-exitcode",
		exitCodes: {
			...queryExitCodes,
			[exitCodes.inSync]: "organizations listed, managed or not",
			[exitCodes.error]: "error, or the service does not list all of them",
			[exitCodes.changes]: "unmanaged organizations found, with --detailed-exitcode",
		},
		run: async (call) => (await import("../commands/organizations.ts")).organizations(call),
	},
	powers: {
		summary: "show who can do what, and why",
		arguments: () => [
			argument("[user]", "with --why: alias, id or live name of a user"),
			argument("[group]", "with --why: group of activities, as for --group"),
		],
		flags: () => [
			...flagGroup("Powers", [
				flag("--group <group>", "limit to a group: sign, WALLET/EXPORT, WALLET, 'kind X'"),
				flag("--user <user>", "limit to what a user can do: alias, id or live name"),
				flag("--tag <tag>", "limit to powers through a user tag: name or id"),
				flag("--at <time>", "judge time windows at this time (default: now)", parseTime),
				flag("--why", "explain whether USER can do GROUP, by the policies"),
				inputFileFlag("--activity <file>", "ask about one activity: its request"),
			]),
			...organizationFlags(),
			...serviceFlags(concurrencyFlag()),
			...outputFlags(formats),
		],
		example: "orgsync powers --why alice sign",
		exitCodes: queryExitCodes,
		run: async (call) => (await import("../commands/powers.ts")).powers(call.words, call),
	},
	can: {
		summary: "answer by the exit code whether a user can do an activity",
		arguments: () => [
			argument("<user>", "alias, id or live name of a user"),
			argument("<activity>", "a power or group, or a request: FILE.json or -"),
		],
		flags: () => [
			...flagGroup("Powers", [
				flag("--at <time>", "judge time windows at this time (default: now)", parseTime),
				flag("--because", "show the policies too, each with its clauses"),
			]),
			...organizationFlags(),
			...serviceFlags(concurrencyFlag()),
			...outputFlags(),
		],
		example: "orgsync can alice transfer.json --because",
		exitCodes: {
			...queryExitCodes,
			[exitCodes.inSync]: "yes, alone",
			[exitCodes.pendingApproval]: "yes, with the approval of others",
			[exitCodes.rejectedOrDenied]: "no",
			[exitCodes.undecided]: "unknown, or it depends on what is not said",
		},
		run: async (call) => (await import("../commands/can.ts")).can(call.words, call),
	},
	test: {
		summary: "check that access cases hold: who can do what",
		arguments: () => [argument("[files...]", "files or folders (default: *.access.yaml beside the documents)")],
		flags: () => [
			...flagGroup("Cases", [
				repeatableFlag("--case <name>", "limit to cases of this name; * is any text").default([], "all"),
				flag("--live", "judge live state"),
				flag("--after", "judge the state after the plan (default with a document)"),
				inputFileFlag("--plan <file>", "judge the state after this saved plan"),
				fileFlag("--offline <file>", "judge a seed file, without any network"),
				flag("--coverage", "show policies and clauses that no case is about"),
				fileFlag("--write <file>", "begin a new file with cases that hold now"),
			]),
			...organizationFlags(),
			...activityFlags(),
			...serviceFlags(concurrencyFlag()),
			...outputFlags(caseFormats),
		],
		example: "orgsync test --after -f orgsync.yaml",
		exitCodes: {
			...queryExitCodes,
			[exitCodes.inSync]: "all cases hold",
			[exitCodes.stalePlan]: true,
			[exitCodes.failedCase]: "a case failed",
			[exitCodes.undecided]: "a case could not be judged",
		},
		run: async (call) => (await import("../commands/cases/test.ts")).test(call.words, call),
	},
	credentials: {
		summary: "show who has which API keys, authenticators and providers",
		flags: () => [
			...flagGroup("Privacy", [flag("--personal", "show e-mails, phone numbers and subjects, not digests")]),
			...organizationFlags(),
			...serviceFlags(concurrencyFlag()),
			...outputFlags(),
		],
		example: "orgsync credentials -f orgsync.yaml",
		exitCodes: {
			...queryExitCodes,
			[exitCodes.error]: "error, users cannot be read, or a rule is unknown",
			[exitCodes.changes]: "a rule of the document about credentials is broken",
		},
		run: async (call) => (await import("../commands/credentials.ts")).credentials(call),
	},
	query: {
		summary: "run one query and print the response as JSON",
		arguments: () => [
			argument("<operation>", "query to run, for example list_user_tags"),
			argument("[fields...]", "fields as NAME=VALUE; organizationId is filled in"),
		],
		flags: () => [
			...flagGroup("Query", [flag("--json <body>", "fields as one JSON object")]),
			...organizationFlags(),
			...serviceFlags(),
			...outputFlags(),
		],
		example: "orgsync query list_supported_assets caip2=eip155:1",
		exitCodes: queryExitCodes,
		run: async (call) => (await import("../commands/query.ts")).query(call.words, call),
	},
	"import-key": {
		summary: "get the bundle for importing a private key",
		flags: () => [
			...flagGroup("Import", [
				flag("--user <user>", "user who imports the key: alias or id").makeOptionMandatory(),
				outputFileFlag("--out <file>", "bundle file (mode 0600), or - for standard output"),
			]),
			...organizationFlags(),
			...activityFlags(retryRejectedFlag(), waitFlag()),
			...serviceFlags(),
			...passkeyFlags(),
			...outputFlags(),
		],
		example: "orgsync import-key --user alice --out bundle.txt",
		exitCodes: {
			...queryExitCodes,
			[exitCodes.inSync]: "bundle written",
			[exitCodes.pendingApproval]: true,
			[exitCodes.rejectedOrDenied]: true,
			[exitCodes.interrupted]: true,
		},
		run: async (call) => (await import("../commands/import-key.ts")).importKey(call),
	},
	passkey: {
		summary: "create a passkey for signing, and print how to register it",
		flags: () => [
			...flagGroup("Passkey", [
				flag("--user <user>", "user who signs with it: alias or id").makeOptionMandatory(),
				flag("--name <name>", "name of the passkey at the service").default("orgsync"),
				passkeyPortFlag(),
			]),
			...documentFlags(),
			...outputFlags(),
		],
		example: "orgsync passkey --user alice",
		exitCodes: { ...localExitCodes, [exitCodes.inSync]: "passkey created", [exitCodes.interrupted]: true },
		run: async (call) => (await import("../commands/passkey.ts")).passkey(call),
	},
	emulator: {
		summary: "run a local emulator of the service",
		flags: () => [
			...flagGroup("Server", [
				flag("--port <number>", "port; 0 picks a free one", wholeNumber(0, 65535)).default(0),
				flag("--host <address>", "address to listen on").default("127.0.0.1"),
				repeatableFlag("--allow-host <name>", "additional host name for /emulator/"),
				flag("--reads <which>", "queries to answer").choices(["all", "documented"]).default("all"),
			]),
			...flagGroup("State", [
				fileFlag("--data <file>", "SQLite file for the state (default: in memory)"),
				inputFileFlag("--seed <file>", "initial organizations"),
				inputFileFlag("--rules <file>", "rules for every organization"),
			]),
			...flagGroup("Output", [flag("--verbose", "log the signal that stops it, and stack traces")]),
		],
		example: "orgsync emulator --seed seed.yaml --port 8080",
		exitCodes: { ...localExitCodes, [exitCodes.inSync]: "stopped by a signal" },
		run: async (call) => (await import("../commands/emulator.ts")).emulator(call),
	},
};
