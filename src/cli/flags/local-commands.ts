import { exitCodes } from "../../common/errors.ts";
import { type CommandSpecs, localExitCodes, queryExitCodes } from "./command-row.ts";
import { parseText } from "./flag-values.ts";
import {
	argument,
	concurrencyFlag,
	documentFlags,
	fileFlag,
	flag,
	flagGroup,
	organizationFlags,
	outputFlags,
	readsFlag,
	serviceFlags,
	shardFlag,
} from "./flags.ts";
import { exportFormats, lintFormats } from "./formats.ts";

const { inSync } = exitCodes;

export const documentCommands: CommandSpecs = {
	init: {
		summary: "write a starter document",
		flags: () => [
			...flagGroup("Documents", [
				fileFlag("-f, --file <path>", "file to write; must not exist (default: orgsync.yaml)"),
				flag("--organization <id>", "id of the document's organization (ORGSYNC_ORGANIZATION_ID)"),
				flag("--fence-credentials <tag>", "write policies: users of TAG give themselves no key", parseText),
			]),
			...serviceFlags(),
			...outputFlags(),
		],
		example: "orgsync init --local",
		exitCodes: { ...queryExitCodes, [inSync]: "document written" },
		run: async (call) => (await import("../commands/init.ts")).init(call),
	},
	validate: {
		summary: "check documents without calling the service",
		flags: () => [...documentFlags(), ...flagGroup("Scope", [shardFlag()]), ...outputFlags()],
		example: "orgsync validate -f documents/",
		exitCodes: { ...localExitCodes, [inSync]: "all documents are valid" },
		run: async (call) => (await import("../commands/validate.ts")).validate(call),
	},
	lint: {
		summary: "find what is probably wrong in policies",
		flags: () => [
			...documentFlags(),
			...flagGroup("Scope", [
				shardFlag(),
				flag("--organization <id>", "limit to this organization of the documents"),
				flag("--live", "judge the live organization too; --local does so as well"),
			]),
			...serviceFlags(concurrencyFlag()),
			...outputFlags(lintFormats),
		],
		example: "orgsync lint -f documents/ --live",
		exitCodes: {
			...queryExitCodes,
			[inSync]: "no finding is an error",
			[exitCodes.error]: "error, or something could not be read",
			[exitCodes.changes]: "an error was found",
		},
		run: async (call) => (await import("../commands/lint.ts")).lint(call),
	},
	export: {
		summary: "write the live organization as a document or a Pulumi program",
		flags: () => [
			...flagGroup("Export", [
				flag("--as <form>", "a document, or a seed: who can do what, for test --offline")
					.choices(["document", "seed"])
					.default("document"),
			]),
			...organizationFlags(),
			...serviceFlags(readsFlag()),
			...outputFlags(exportFormats, flag("--force", "replace the file of --output, whatever is lost")),
		],
		example: "orgsync export --output live.yaml",
		exitCodes: queryExitCodes,
		run: async (call) => (await import("../commands/export.ts")).exportDocument(call),
	},
};

export const otherCommands: CommandSpecs = {
	schema: {
		summary: "print a JSON Schema",
		arguments: () => [argument("[name]", "for example plan, seed or operations/update_user_tag").default("document")],
		flags: () => outputFlags(),
		example: "orgsync schema output",
		exitCodes: localExitCodes,
		run: async ({ words: [name = "document"] }) => (await import("../commands/schema.ts")).schema(name),
	},
	completion: {
		summary: "print a shell completion script",
		arguments: () => [argument("<shell>", "bash, zsh or fish")],
		flags: () => outputFlags(),
		example: "source <(orgsync completion bash)",
		exitCodes: localExitCodes,
		run: async ({ words: [shell = ""] }) => (await import("../commands/completion.ts")).completion(shell),
	},
};
