/**
 * The commands and their flags, as commander knows them. Each command is loaded only when it is called.
 */
import { readFileSync } from "node:fs";
import { Argument, Command, Option } from "commander";
import { type ExitCode, exitCodes } from "../errors.ts";
import type { ApplyFlags } from "./commands/apply.ts";
import {
	journal,
	only,
	reads,
	repeated,
	shard,
	since,
	wholeNumber,
	withConnection,
	withDocuments,
	withFile,
	withOrganization,
	withService,
	withVoice,
	withWaiting,
} from "./flags.ts";
import { type Format, formats } from "./formats.ts";
import { type Result, type Terminal, Voice } from "./voice.ts";

interface VoiceFlags {
	readonly format?: Format;
	readonly output?: string;
	readonly commentKey?: string;
	readonly fullAt?: string;
	readonly color?: boolean;
	readonly quiet?: boolean;
	readonly verbose?: boolean;
}

/** What a command does with its flags; it returns a result to print, or an exit code when it has printed by itself. */
type Action<F> = (
	flags: F,
	terminal: Terminal,
	voice: Voice,
	words: readonly string[],
	/** Whether the flag stands on the command line, by its name in `flags`. */
	isGiven: (flag: string) => boolean,
) => Promise<Result | ExitCode>;

/** The program. `finish` gets the exit code of the command that ran. */
export function makeProgram(terminal: Terminal, finish: (code: ExitCode) => void): Command {
	const program = new Command("orgsync")
		.description("Keeps an organization equal to a YAML document: the fewest activities, each sent exactly once.")
		.version(readVersion(), "-V, --version", "print the version")
		.helpCommand("help [command]", "say more about a command")
		.addHelpText("after", exitCodeHelp)
		.showSuggestionAfterError();
	const define = <F>(words: string, summary: string, action: Action<F>): Command => {
		const command = program.command(words).description(summary);
		return command.action(async (...parameters: unknown[]) => {
			const flags = command.opts() as F & VoiceFlags;
			const voice = makeVoice(command.name(), flags, terminal);
			const positional = parameters
				.slice(0, -2)
				.flat()
				.filter((word) => typeof word === "string");
			const isGiven = (flag: string): boolean => command.getOptionValueSource(flag) === "cli";
			try {
				voice.checkOutput();
				const result = await action(flags, terminal, voice, positional, isGiven);
				finish(typeof result === "number" ? result : await voice.result(result));
			} catch (error) {
				finish(await voice.failure(error));
			}
		});
	};
	documentCommands(define);
	serviceCommands(define);
	withVoice(
		define(
			"completion",
			"print the completion script for a shell",
			async (_flags: never, _terminal, _voice, [shell = ""]) =>
				(await import("./commands/completion.ts")).completion(shell, listCommands(program)),
		).argument("<shell>", "bash, zsh or fish"),
	);
	return program;
}

function listCommands(program: Command): readonly { name: string; summary: string; flags: readonly string[] }[] {
	return program.commands.map((command) => ({
		name: command.name(),
		summary: command.description(),
		flags: command.options.flatMap(({ long }) => (typeof long === "string" ? [long] : [])),
	}));
}

type Define = <F>(words: string, summary: string, action: Action<F>) => Command;

function documentCommands(define: Define): void {
	withVoice(
		withFile(
			define("init", "write a first document", async (flags: never, terminal) =>
				(await import("./commands/init.ts")).init(flags, terminal),
			),
		),
	)
		.option("--local", "write one for the embedded service, to try orgsync with")
		.option("--organization <id>", "the organization it speaks of");
	withVoice(
		withDocuments(
			define("validate", "check documents; asks no service", async (flags: never, terminal, voice) =>
				(await import("./commands/validate.ts")).validate(flags, terminal, voice),
			),
		),
	).addOption(shard());
	withConnection(
		define("plan", "show what would be submitted; submits nothing", async (flags: never, terminal, voice) =>
			(await import("./commands/plan.ts")).plan(flags, terminal, voice),
		),
		formats,
	)
		.option("--detailed-exitcode", "exit 2 when there is something to do or to report")
		.option("--base <revision>", "tell what changed since this git revision from what drifted")
		.option("--base-file <path>", "the same since another file or folder")
		.option("--out <file>", "save the plan, for show and apply --plan")
		.addOption(only())
		.addOption(shard());
	withVoice(
		define("show", "print a saved plan; asks no service", async (_flags: never, terminal, _voice, [file = ""]) =>
			(await import("./commands/show.ts")).show(file, terminal),
		),
		formats,
	).argument("<file>", "what plan --out wrote, or - for standard input");
	withConnection(
		define(
			"drift",
			"find what is not as the document says; exit 2 when there is any",
			async (flags: never, terminal, voice) => (await import("./commands/drift.ts")).drift(flags, terminal, voice),
		),
		formats,
	)
		.addOption(only())
		.addOption(shard())
		.addOption(since())
		.addOption(
			repeated(
				"--accept <address>",
				"write what live has at this address into the document, for example 'userTag:sign*'; repeats",
			),
		);
	withWaiting(
		withConnection(
			define(
				"apply",
				"submit the fewest activities that make it so",
				async (flags: ApplyFlags, terminal, voice, _words, isGiven) =>
					(await import("./commands/apply.ts")).apply({ ...flags, readsGiven: isGiven("reads") }, terminal, voice),
			),
			formats,
		),
	)
		.option("--plan <file>", "run this saved plan and nothing else, or - for standard input; asks nobody")
		.option("-y, --yes", "do not ask")
		.addOption(only())
		.addOption(shard())
		.addOption(
			repeated(
				"--allow <kind=number>",
				"acknowledge what a guard found, for example policies=7; repeats, also for one kind",
			),
		)
		.addOption(repeated("--abandon <activity>", "give up an activity that waits, by id or fingerprint; repeats"))
		.option("--no-verify", "do not read again after the last step");
}

function serviceCommands(define: Define): void {
	withOrganization(
		withService(
			define(
				"query",
				"ask one query and print its answer as JSON",
				async (flags: never, terminal, voice, [name = "", ...pairs]) =>
					(await import("./commands/query.ts")).query(name, pairs, flags, terminal, voice),
			),
		),
	)
		.argument("<operation>", "a query of the interface, for example list_user_tags")
		.argument("[fields...]", "fields as NAME=VALUE; organizationId is filled in")
		.option("--json <body>", "the fields as a JSON object instead");
	withOrganization(
		withService(
			define("export", "write a document of what the organization has", async (flags: never, terminal, voice) =>
				(await import("./commands/export.ts")).exportDocument(flags, terminal, voice),
			),
		).addOption(reads()),
	);
	withOrganization(
		withService(
			define("explain", "say why an activity is not finished", async (flags: never, terminal, voice, [activity = ""]) =>
				(await import("./commands/explain.ts")).explain(activity, flags, terminal, voice),
			),
		).addOption(reads()),
	).argument("<activity>", "the activity's id");
	withOrganization(
		withConnection(
			define(
				"status",
				"say what waits for somebody, and what was never answered",
				async (flags: never, terminal, voice) => (await import("./commands/status.ts")).status(flags, terminal, voice),
			),
		),
	);
	withOrganization(
		withConnection(
			define(
				"wait",
				"stay until what was submitted from here has ended",
				async (flags: never, terminal, voice, activities) =>
					(await import("./commands/status.ts")).wait(activities, flags, terminal, voice),
			),
		),
	)
		.argument("[activities...]", "only these, by id")
		.addOption(new Option("--wait <seconds>", "for how long").default(600).argParser(wholeNumber(0, 604800)));
	withWaiting(
		withOrganization(
			withService(
				define(
					"import-key",
					"get the bundle that a private key is encrypted to for its import",
					async (flags: never, terminal, voice) =>
						(await import("./commands/import-key.ts")).importKey(flags, terminal, voice),
				),
			).addOption(journal()),
		),
	)
		.requiredOption("--user <user>", "the user who imports: an id, or an alias of the document")
		.option("--out <file>", "write the bundle to this file (mode 0600) instead of standard output");
	define("emulator", "run the local service until a signal ends it", async (flags: never, terminal, voice) =>
		(await import("./commands/emulator.ts")).emulator(flags, terminal, voice),
	)
		.addOption(new Option("--port <number>", "0 takes a free one").default(0).argParser(wholeNumber(0, 65535)))
		.option("--host <address>", "address to listen on", "127.0.0.1")
		.option("--data <file>", "keep the state in this SQLite file")
		.option("--seed <file>", "organizations to begin with (orgsync schema seed)")
		.option("--rules <file>", "rules for every organization, in the form of a seed's `rules`")
		.addOption(new Option("--reads <which>", "which reads it answers").choices(["all", "documented"]).default("all"))
		.option("--verbose", "say more");
	withVoice(
		define("schema", "print a JSON Schema", async (_flags: never, _terminal, _voice, [name = "document"]) =>
			(await import("./commands/schema.ts")).schema(name),
		).addArgument(
			new Argument("[name]", "for example document, seed, plan, operations/update_user_tag").default("document"),
		),
	);
}

/** A voice that heeds the flags and `NO_COLOR`. */
export function makeVoice(command: string, flags: VoiceFlags, terminal: Terminal): Voice {
	const noColor = terminal.environment.NO_COLOR;
	return new Voice(terminal, {
		command,
		format: flags.format ?? "text",
		color: flags.color !== false && (noColor === undefined || noColor === "") && terminal.environment.TERM !== "dumb",
		quiet: flags.quiet === true,
		verbose: flags.verbose === true,
		output: flags.output,
		markdown: {
			...(flags.commentKey === undefined ? {} : { key: flags.commentKey }),
			...(flags.fullAt === undefined ? {} : { whole: flags.fullAt }),
		},
		generatedBy: `orgsync ${readVersion()}`,
	});
}

function readVersion(): string {
	const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
	return (JSON.parse(text) as { version: string }).version;
}

const exitCodeHelp = `
Exit codes:
  ${exitCodes.converged}    converged, or nothing to say
  ${exitCodes.error}    error
  ${exitCodes.changes}    changes or drift found (plan --detailed-exitcode, drift)
  ${exitCodes.invalid}    invalid document, flags or configuration
  ${exitCodes.notAuthorized}    not authorized
  ${exitCodes.guard}    refused by a guard
  ${exitCodes.stalePlan}    saved plan is stale
  ${exitCodes.partlyApplied}    partly applied
  ${exitCodes.waiting}    waiting for approval
  ${exitCodes.rejectedOrDenied}    rejected or denied
  ${exitCodes.interrupted}  interrupted

Try it without an account: orgsync init --local, then orgsync plan --local.`;
