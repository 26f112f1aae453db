/**
 * Secret inputs under the real engine: wherever they flow, in any form, they are a secret of Pulumi. Searched for in the state, in
 * its history, in what each command prints, and in the event logs.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Answer, shown } from "../engine/answer.ts";
import type { Stack } from "../engine/harness.ts";
import { plugin } from "./adapters.ts";
import type { Program } from "./program.ts";
import { playSecretCommands, type Watched } from "./secret-story.ts";

/** A stack whose commands write event logs, and all that can be seen of it outside the program. */
async function watch(program: Program): Promise<Watched> {
	const { world, stack } = await plugin.makeWorld(program, {
		env: { PULUMI_DEBUG_COMMANDS: "true" },
		recordCalls: true,
	});
	const seen: { place: string; text: string }[] = [];
	const run = async (...words: readonly string[]): Promise<Answer> => {
		const log = join(stack.folder, "..", `events-${seen.length}.json`);
		const answer = await stack.pulumi([...words, "--event-log", log]);
		const command = words.join(" ");
		seen.push({ place: `output of ${command}`, text: shown(answer) });
		seen.push({ place: `event log of ${command}`, text: withoutDebug(readFileSync(log, "utf8")) });
		seen.push({ place: `state after ${command}`, text: JSON.stringify(await stack.state()) });
		seen.push({ place: `answers of the plugin to ${command}`, text: answersIn(stack.calls()) });
		return answer;
	};
	/** Where any of the values is in plain text. */
	const leaks = (values: readonly string[]): readonly string[] =>
		[...seen, ...stack.stateFiles()].flatMap(({ place, text }) =>
			values.filter((value) => text.includes(value)).map((value) => `${value} in ${place}`),
		);
	return { world, stack, run, write: (next) => plugin.write(stack, next), leaks };
}

/** An event log without what the SDK logs for its own debugging: it logs every answer of the engine in full. */
function withoutDebug(log: string): string {
	const lines = log.split("\n").filter((line) => !line.includes('"severity":"debug"'));
	expect(lines.length).toBeGreaterThan(5);
	return lines.join("\n");
}

/**
 * All that a plugin answered and logged, without the values that it marks as secrets. The engine does not say in CheckConfig
 * which settings are secrets, and marks them in the answer.
 */
function answersIn(calls: ReturnType<Stack["calls"]>): string {
	const own = calls.filter(({ method }) => /^\/pulumirpc\.ResourceProvider\/(?!CheckConfig$)/.test(method));
	const logged = calls.filter(({ method }) => method === "/pulumirpc.Engine/Log");
	expect(own.length).toBeGreaterThan(2);
	const said = [...own.flatMap(({ response, errors }) => [response, errors]), ...logged.map(({ request }) => request)];
	return JSON.stringify(said, (_name, value) =>
		typeof value === "object" && value !== null && secretMark in value ? "[secret]" : value,
	);
}

/** Marks a value as a secret in the engine's protocol. */
const secretMark = "4dabf18193072939515e22adb298388d";

describe("secret inputs of the plugin under the engine", { timeout: 300_000 }, () => {
	it("are never in plain text, also in ids: pending, drifted, replaced or deleted", () =>
		playSecretCommands(watch, plugin.urnOf));
});
