/** `emulator`: the local service as a process. It announces its address as a line of JSON and stops on SIGTERM and SIGINT. */

import { resolve } from "node:path";
import { defined } from "../../common/defined.ts";
import { ConfigurationError, exitCodes } from "../../common/errors.ts";
import { showText, writeJson } from "../../common/escape.ts";
import { type EmulatorResult, resultHead } from "../../render/result/result.ts";
import { readInputText } from "../files/sources.ts";
import type { Call } from "../output/output.ts";
import { failureOf } from "../output/streams.ts";

interface EmulatorFlags {
	readonly port: number;
	readonly host: string;
	/** Additional host names for /emulator/. */
	readonly allowHost: readonly string[];
	readonly data?: string;
	readonly seed?: string;
	readonly rules?: string;
	readonly reads: "all" | "documented";
}

/** Runs until a signal, or until its address cannot be written. Throws ConfigurationError for a bad file, or a port in use. */
export async function emulator({ flags, terminal, output }: Call<EmulatorFlags>): Promise<EmulatorResult> {
	const { startEmulator } = await import("../../emulator/server.ts");
	const { parseRules, parseSeed } = await import("../../emulator/seed/seed.ts");
	if (flags.seed === "-" && flags.rules === "-") {
		throw new ConfigurationError("--seed and --rules cannot both be standard input");
	}
	const read = (file: string): Promise<string> => readInputText(file, terminal, { maxMebibytes: 128 });
	const rules = flags.rules === undefined ? undefined : parseRules(await read(flags.rules), flags.rules);
	const seed = flags.seed === undefined ? undefined : parseSeed(await read(flags.seed), flags.seed);
	const service = await startEmulator({
		port: flags.port,
		host: flags.host,
		allowHosts: flags.allowHost,
		notice: (text) => output.note(showText(text)),
		reads: flags.reads,
		...(flags.data === undefined ? {} : { dataFile: resolve(terminal.directory, flags.data) }),
		...defined({ seed }),
	});
	const organizations = service.organizations.map(({ organizationId, users }) => ({ organizationId, users }));
	if (rules !== undefined) {
		for (const { organizationId } of organizations) await service.setRules(organizationId, rules);
	}
	// Installed before the line below, because its reader may stop the emulator at once.
	const signalled = new Promise<string>((resolveSignal) => {
		for (const name of ["SIGTERM", "SIGINT"] as const) process.once(name, () => resolveSignal(name));
	});
	terminal.stdout.write(`${writeJson({ ready: true, url: service.url, organizations })}\n`);
	const lost = await failureOf(terminal.stdout);
	if (lost === undefined || lost.code === "EPIPE") output.detail(`${await signalled}: closing`);
	await service.close();
	return resultHead("emulator", exitCodes.inSync, null);
}
