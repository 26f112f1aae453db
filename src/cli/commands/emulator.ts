/**
 * `emulator`: the local service as a program of its own. One line of JSON on standard output says that it listens; it
 * ends cleanly on SIGTERM and SIGINT.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { ConfigurationError, type ExitCode, exitCodes, explainFileError } from "../../errors.ts";
import { writeJson } from "../../plan/render/escape.ts";
import type { Terminal, Voice } from "../voice.ts";

export interface EmulatorFlags {
	readonly port: number;
	readonly host: string;
	readonly data?: string;
	readonly seed?: string;
	readonly rules?: string;
	readonly reads: "all" | "documented";
}

/** Runs until a signal ends it. Throws ConfigurationError when a file cannot be read or the port is taken. */
export async function emulator(flags: EmulatorFlags, terminal: Terminal, voice: Voice): Promise<ExitCode> {
	const { startEmulator } = await import("../../emulator/server.ts");
	const { parseRules, parseSeed } = await import("../../emulator/seed.ts");
	const rules = flags.rules === undefined ? undefined : parseRules(readText(flags.rules, terminal), flags.rules);
	const service = await startEmulator({
		port: flags.port,
		host: flags.host,
		reads: flags.reads,
		...(flags.data === undefined ? {} : { dataFile: resolve(terminal.directory, flags.data) }),
		...(flags.seed === undefined ? {} : { seed: parseSeed(readText(flags.seed, terminal), flags.seed) }),
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
	const signal = await signalled;
	voice.detail(`${signal}: closing`);
	await service.close();
	return exitCodes.converged;
}

function readText(file: string, terminal: Terminal): string {
	try {
		return readFileSync(resolve(terminal.directory, file), "utf8");
	} catch (error) {
		throw new ConfigurationError(`${file} cannot be read: ${explainFileError(error)}`, { cause: error });
	}
}
