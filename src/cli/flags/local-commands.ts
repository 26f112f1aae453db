import { exitCodes } from "../../common/errors.ts";
import { type CommandRow, localExitCodes } from "./command-row.ts";
import { wholeNumber } from "./flag-values.ts";
import {
	argument,
	documentFlags,
	fileFlag,
	flag,
	flagGroup,
	inputFileFlag,
	outputFlags,
	repeatableFlag,
	shardFlag,
} from "./flags.ts";

const { inSync } = exitCodes;

export const init = (): CommandRow => ({
	name: "init",
	summary: "write a starter document",
	flags: [
		...flagGroup("Documents", [
			fileFlag("-f, --file <path>", "file to write; must not exist (default: orgsync.yaml)"),
			flag("--local", "write a document for the local emulator"),
			flag("--organization <id>", "id of the document's organization (ORGSYNC_ORGANIZATION_ID)"),
		]),
		...outputFlags(),
	],
	example: "orgsync init --local",
	exitCodes: { ...localExitCodes, [inSync]: "document written" },
	run: async (call) => (await import("../commands/init.ts")).init(call),
});

export const validate = (): CommandRow => ({
	name: "validate",
	summary: "check documents without calling the service",
	flags: [...documentFlags(), ...flagGroup("Scope", [shardFlag()]), ...outputFlags()],
	example: "orgsync validate -f documents/",
	exitCodes: { ...localExitCodes, [inSync]: "all documents are valid" },
	run: async (call) => (await import("../commands/validate.ts")).validate(call),
});

export const emulator = (): CommandRow => ({
	name: "emulator",
	summary: "run a local emulator of the service",
	flags: [
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
	exitCodes: { ...localExitCodes, [inSync]: "stopped by a signal" },
	run: async (call) => (await import("../commands/emulator.ts")).emulator(call),
});

export const schema = (): CommandRow => ({
	name: "schema",
	summary: "print a JSON Schema",
	arguments: [argument("[name]", "for example plan, seed or operations/update_user_tag").default("document")],
	flags: outputFlags(),
	example: "orgsync schema output",
	exitCodes: localExitCodes,
	run: async ({ words: [name = "document"] }) => (await import("../commands/schema.ts")).schema(name),
});

export const completion = (): CommandRow => ({
	name: "completion",
	summary: "print a shell completion script",
	arguments: [argument("<shell>", "bash, zsh or fish")],
	flags: outputFlags(),
	example: "source <(orgsync completion bash)",
	exitCodes: localExitCodes,
	run: async ({ words: [shell = ""] }) => (await import("../commands/completion.ts")).completion(shell),
});
