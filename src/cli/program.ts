/**
 * The commands and their flags, as commander knows them. Each command is loaded only when it is called.
 */
import { Argument, Command, Option } from "commander";
import type { ExitCode } from "../errors.ts";
import type { ApplyFlags } from "./commands/apply.ts";
import {
	allow,
	checkedLater,
	duration,
	file,
	fileOrStream,
	journal,
	only,
	outputFile,
	planDigest,
	readFlags,
	reads,
	refuseSlips,
	repeated,
	retryRejected,
	shard,
	since,
	wholeNumber,
	withConnection,
	withDocuments,
	withOrganization,
	withOutput,
	withService,
	withWaiting,
} from "./flags.ts";
import { formats } from "./formats.ts";
import { programHelp } from "./help.ts";
import type { Output, Result, Terminal } from "./output.ts";
import { makeOutput, type OutputFlags, readVersion } from "./output-flags.ts";
import type { FileFlags } from "./overwrite-checks.ts";

/** What a command does with its flags; it returns a result to print, or an exit code when it has printed by itself. */
type Action<F> = (
	flags: F,
	terminal: Terminal,
	output: Output,
	words: readonly string[],
	/** Whether the flag stands on the command line, by its name in `flags`. */
	isGiven: (flag: string) => boolean,
) => Promise<Result | ExitCode>;

/** The program. `finish` gets the exit code of the command that ran; errors show none of `keys`. */
export function makeProgram(
	terminal: Terminal,
	finish: (code: ExitCode) => void,
	keys: readonly string[] = [],
): Command {
	const program = new Command("orgsync")
		.description("keep an organization in sync with a YAML document")
		.version(readVersion(), "-V, --version", "print the version")
		.helpOption("-h, --help", "print this help")
		.helpCommand("help [command]", "print the help of a command")
		.addHelpText("after", programHelp)
		.enablePositionalOptions()
		.showSuggestionAfterError();
	const define = <F>(words: string, summary: string, example: string, action: Action<F>): Command => {
		const command = program.command(words).description(summary).addHelpText("after", `\nExample:\n  ${example}`);
		return command.action(async (...parameters: unknown[]) => {
			const flags = readFlags<F & OutputFlags & FileFlags>(command);
			const output = makeOutput(command.name(), flags, terminal, keys);
			const positional = parameters
				.slice(0, -2)
				.flat()
				.filter((word) => typeof word === "string");
			const isGiven = (flag: string): boolean => command.getOptionValueSource(flag) === "cli";
			try {
				if (flags.output !== undefined || flags.out !== undefined || flags.journal !== undefined) {
					const { refuseLocalFiles, refuseOverwriting } = await import("./overwrite-checks.ts");
					const refuse = (flag: "output" | "out"): void =>
						refuseOverwriting(flag, command.name(), flags, positional, terminal);
					output.checkOutput(() => refuse("output"));
					refuse("out");
					refuseLocalFiles(flags, terminal);
				}
				const result = await action(flags, terminal, output, positional, isGiven);
				finish(typeof result === "number" ? result : await output.result(result));
			} catch (error) {
				finish(await output.failure(error));
			}
		});
	};
	documentCommands(define);
	comparingCommands(define);
	serviceCommands(define);
	activityCommands(define);
	localCommands(define, program);
	for (const command of program.commands) refuseSlips(command);
	return program;
}

function listCommands(program: Command): readonly { name: string; summary: string; flags: readonly string[] }[] {
	return program.commands.map((command) => ({
		name: command.name(),
		summary: command.description(),
		flags: command.options.flatMap(({ long }) => (typeof long === "string" ? [long] : [])),
	}));
}

type Define = <F>(words: string, summary: string, example: string, action: Action<F>) => Command;

function documentCommands(define: Define): void {
	withOutput(
		define("init", "write a first document", "orgsync init --local", async (flags: never, terminal) =>
			(await import("./commands/init.ts")).init(flags, terminal),
		).addOption(file("-f, --file <path>", "file to write; must not exist (default: orgsync.yaml)")),
	)
		.option("--local", "write a document for the embedded service")
		.option("--organization <id>", "id of the document's organization (ORGSYNC_ORGANIZATION_ID)");
	withOutput(
		withDocuments(
			define(
				"validate",
				"check documents without calling a service",
				"orgsync validate -f documents/",
				async (flags: never, terminal, output) =>
					(await import("./commands/validate.ts")).validate(flags, terminal, output),
			),
		),
	).addOption(shard());
	withConnection(
		define(
			"plan",
			"show what apply would submit",
			"orgsync plan -f orgsync.yaml --out plan.json",
			async (flags: never, terminal, output) => (await import("./commands/plan.ts")).plan(flags, terminal, output),
		),
		formats,
	)
		.option("--detailed-exitcode", "exit with 2 when something differs")
		.addOption(checkedLater("--base <revision>", "git revision of earlier documents to compare with"))
		.addOption(file("--base-file <path>", "file or folder of earlier documents to compare with"))
		.addOption(
			new Option("--out <file>", "save the plan in this file, for show and apply --plan").argParser(fileOrStream),
		)
		.addOption(retryRejected())
		.addOption(only())
		.addOption(shard());
	withOutput(
		define(
			"show",
			"print a saved plan without calling a service",
			"orgsync show plan.json --format markdown",
			async (_flags: never, terminal, _voice, [saved = ""]) =>
				(await import("./commands/show.ts")).show(saved, terminal),
		),
		formats,
	).addArgument(new Argument("<file>", "saved plan, or - for standard input").argParser(fileOrStream));
}

function comparingCommands(define: Define): void {
	withConnection(
		define(
			"drift",
			"report what differs from the document; exit with 2 for drift",
			"orgsync drift --since last.json --format json --output last.json",
			async (flags: never, terminal, output) => (await import("./commands/drift.ts")).drift(flags, terminal, output),
		),
		formats,
	)
		.addOption(only())
		.addOption(shard())
		.addOption(since())
		.addOption(repeated("--accept <address>", "write the live values at this address into the document; repeatable"));
	withWaiting(
		withConnection(
			define(
				"apply",
				"submit the activities that bring the organization in sync",
				"orgsync apply -f orgsync.yaml --yes",
				async (flags: ApplyFlags, terminal, output, _words, isGiven) =>
					(await import("./commands/apply.ts")).apply({ ...flags, readsGiven: isGiven("reads") }, terminal, output),
			),
			formats,
		),
	)
		.addOption(
			new Option("--plan <file>", "run only this saved plan, or - for standard input; does not ask").argParser(
				fileOrStream,
			),
		)
		.addOption(
			new Option("--digest <sha256>", "refuse another saved plan than the one with this digest").argParser(planDigest),
		)
		.addOption(
			new Option("--max-age <duration>", "refuse a saved plan that is older: 90m, 24h, 7d, or seconds").argParser(
				duration,
			),
		)
		.option("-y, --yes", "submit without asking")
		.addOption(only())
		.addOption(shard())
		.addOption(allow())
		.addOption(repeated("--abandon <activity>", "abandon a pending activity, by id or fingerprint; repeatable"))
		.option("--no-verify", "skip reading the result after the last step");
}

function serviceCommands(define: Define): void {
	withOrganization(
		withService(
			define(
				"query",
				"run one query and print its answer as JSON",
				"orgsync query list_supported_assets caip2=eip155:1",
				async (flags: never, terminal, output, [name = "", ...pairs]) =>
					(await import("./commands/query.ts")).query(name, pairs, flags, terminal, output),
			),
		),
	)
		.argument("<operation>", "query to run, for example list_user_tags")
		.argument("[fields...]", "fields as NAME=VALUE; organizationId is filled in")
		.option("--json <body>", "fields as one JSON object");
	withOrganization(
		withService(
			define(
				"export",
				"write a document of the live organization",
				"orgsync export --output live.yaml",
				async (flags: never, terminal, output) =>
					(await import("./commands/export.ts")).exportDocument(flags, terminal, output),
			),
		).addOption(reads()),
	);
	withOrganization(
		withService(
			define(
				"explain",
				"explain why an activity is not finished",
				"orgsync explain 01a1fe02-1455-712e-be80-c4ad5d3e1bce",
				async (flags: never, terminal, output, [activity = ""]) =>
					(await import("./commands/explain.ts")).explain(activity, flags, terminal, output),
			),
		).addOption(reads()),
	).argument("<activity>", "activity id");
}

function activityCommands(define: Define): void {
	withOrganization(
		withConnection(
			define(
				"status",
				"list pending activities and requests without an answer",
				"orgsync status -f orgsync.yaml",
				async (flags: never, terminal, output) =>
					(await import("./commands/status.ts")).status(flags, terminal, output),
			),
		),
	);
	withOrganization(
		withConnection(
			define(
				"wait",
				"wait for pending activities to finish",
				"orgsync wait --wait 3600",
				async (flags: never, terminal, output, activities) =>
					(await import("./commands/wait.ts")).wait(activities, flags, terminal, output),
			),
		),
	)
		.argument("[activities...]", "ids of activities (default: all that are open)")
		.addOption(new Option("--wait <seconds>", "max time to wait").default(600).argParser(wholeNumber(0, 604800)));
	withWaiting(
		withOrganization(
			withService(
				define(
					"import-key",
					"get the bundle to encrypt a private key to, for its import",
					"orgsync import-key --user alice --out bundle.txt",
					async (flags: never, terminal, output) =>
						(await import("./commands/import-key.ts")).importKey(flags, terminal, output),
				),
			).addOption(journal()),
		),
	)
		.requiredOption("--user <user>", "user who imports: an id, or an alias of the document")
		.addOption(outputFile("--out <file>", "file for the bundle (mode 0600)"));
}

function localCommands(define: Define, program: Command): void {
	define(
		"emulator",
		"run the local service until a signal ends it",
		"orgsync emulator --seed seed.yaml --port 8080",
		async (flags: never, terminal, output) =>
			(await import("./commands/emulator.ts")).emulator(flags, terminal, output),
	)
		.addOption(new Option("--port <number>", "port; 0 is any free one").default(0).argParser(wholeNumber(0, 65535)))
		.option("--host <address>", "address to listen on", "127.0.0.1")
		.addOption(repeated("--allow-host <name>", "host name at which /emulator/ answers too; repeats"))
		.addOption(file("--data <file>", "SQLite file that keeps the state (default: in memory)"))
		.addOption(new Option("--seed <file>", "initial organizations, or - for standard input").argParser(fileOrStream))
		.addOption(
			new Option("--rules <file>", "a seed's rules for every organization, or - for standard input").argParser(
				fileOrStream,
			),
		)
		.addOption(new Option("--reads <which>", "reads that it answers").choices(["all", "documented"]).default("all"))
		.option("--verbose", "print which signal ends it, and where a defect occurred");
	withOutput(
		define(
			"schema",
			"print a JSON Schema",
			"orgsync schema output",
			async (_flags: never, _terminal, _voice, [name = "document"]) =>
				(await import("./commands/schema.ts")).schema(name),
		).addArgument(new Argument("[name]", "for example plan, seed or operations/update_user_tag").default("document")),
	);
	withOutput(
		define(
			"completion",
			"print the completion script for a shell",
			"source <(orgsync completion bash)",
			async (_flags: never, _terminal, _voice, [shell = ""]) =>
				(await import("./commands/completion.ts")).completion(shell, listCommands(program)),
		).argument("<shell>", "bash, zsh or fish"),
	);
}
