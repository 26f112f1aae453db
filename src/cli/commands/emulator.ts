/**
 * `emulator`: the local service as a program of its own. One line of JSON on standard output says that it listens; it
 * ends cleanly on SIGTERM and SIGINT.
 */
import { resolve } from "node:path";
import { ConfigurationError, exitCodes } from "../../errors.ts";
import { showText, writeJson } from "../../escape.ts";
import { type EmulatorResult, resultHead } from "../../render/result.ts";
import type { Output, Terminal } from "../output.ts";
import { readTextFile } from "../read-file.ts";
import { fileLimitBytes, readInput } from "../sources.ts";
import { failureOf } from "../streams.ts";

export interface EmulatorFlags {
	readonly port: number;
	readonly host: string;
	/** Names at which /emulator/ answers too. */
	readonly allowHost: readonly string[];
	readonly data?: string;
	readonly seed?: string;
	readonly rules?: string;
	readonly reads: "all" | "documented";
}

/**
 * Runs until a signal ends it. Ends immediately when its first line cannot be written: no one could know its address.
 * Throws ConfigurationError when a file cannot be read or the port is taken.
 */
export async function emulator(flags: EmulatorFlags, terminal: Terminal, output: Output): Promise<EmulatorResult> {
	const { startEmulator } = await import("../../emulator/server.ts");
	const { parseRules, parseSeed } = await import("../../emulator/seed.ts");
	if (flags.seed === "-" && flags.rules === "-") {
		throw new ConfigurationError("--seed and --rules cannot both be standard input");
	}
	const rules = flags.rules === undefined ? undefined : parseRules(await readText(flags.rules, terminal), flags.rules);
	const seed = flags.seed === undefined ? undefined : parseSeed(await readText(flags.seed, terminal), flags.seed);
	const service = await startEmulator({
		port: flags.port,
		host: flags.host,
		allowHosts: flags.allowHost,
		notice: (text) => output.note(showText(text)),
		reads: flags.reads,
		...(flags.data === undefined ? {} : { dataFile: resolve(terminal.directory, flags.data) }),
		...(seed === undefined ? {} : { seed }),
	});
	const organizations = service.organizations.map(({ organizationId, users }) => ({ organizationId, users }));
	if (rules !== undefined) {
		for (const { organizationId } of organizations) await service.setRules(organizationId, rules);
	}
	// Heard before it says that it is ready: whoever waits for that line may end it at once.
	const signalled = new Promise<string>((resolveSignal) => {
		for (const name of ["SIGTERM", "SIGINT"] as const) process.once(name, () => resolveSignal(name));
	});
	terminal.stdout.write(`${writeJson({ ready: true, url: service.url, organizations })}\n`);
	const lost = await failureOf(terminal.stdout);
	if (lost === undefined || lost.code === "EPIPE") output.detail(`${await signalled}: closing`);
	await service.close();
	return resultHead("emulator", exitCodes.inSync, null);
}

/** The text of the file, or of standard input for `-`. */
async function readText(file: string, terminal: Terminal): Promise<string> {
	if (file !== "-") return readTextFile(file, terminal.directory, { maxMebibytes: 128 });
	const bytes = await readInput(terminal);
	if (bytes.length > fileLimitBytes) throw new ConfigurationError("standard input is larger than 8 MiB");
	return new TextDecoder().decode(bytes);
}
