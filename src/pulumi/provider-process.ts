/**
 * The process of a dynamic provider. The engine starts one for each Pulumi provider. It serves all resources of a
 * phase, so they share one session.
 */
import { fstatSync } from "node:fs";
import { openClaimsFolder } from "./claims.ts";
import { isRepeatedFailure } from "./failure.ts";
import { engineAddress, processContext, projectFolder } from "./process-context.ts";
import { SecretValues } from "./secrets.ts";
import { Session } from "./session.ts";
import { type GivenSettings, readSettings } from "./settings.ts";

/** Secret values of all resources of this process. Nothing that is printed shows them. */
export const secrets = new SecretValues();

const sessions = new Map<string, Session>();
const interruption = new AbortController();
/** Calls in flight that may submit something. */
let inFlight = 0;

const engine = engineAddress();
const claimsFolder = engine === undefined ? undefined : openClaimsFolder(engine, projectFolder());

/** How long an answer has to leave the process after an interruption. */
const answerMs = 1000;

export function sessionFor(given: GivenSettings): Session {
	const key = JSON.stringify(given);
	const known = sessions.get(key);
	if (known !== undefined) return known;
	if (sessions.size === 0) endWithEngine();
	const session = new Session(readSettings(given, process.env), {
		...processContext(),
		claimsFolder,
		warn: printLine,
		signal: interruption.signal,
	});
	sessions.set(key, session);
	return session;
}

/** Prints a line, which Pulumi shows as information, without secrets. */
export function printLine(line: string): void {
	console.log(secrets.redact(line));
}

/** Returns the result of `work`, which an interruption does not cut short. */
export async function uninterrupted<T>(work: () => Promise<T>): Promise<T> {
	inFlight += 1;
	try {
		return await work();
	} finally {
		inFlight -= 1;
		if (interruption.signal.aborted) setTimeout(endWhenDone, answerMs);
	}
}

/** Keeps the dynamic provider from printing a failure that the engine shows beside the resource. */
export function hideRepeatedFailures(): void {
	const print = console.error;
	console.error = (...words: unknown[]) => {
		if (!isRepeatedFailure(words[0])) print(...words);
	};
}

/**
 * Ends this process with its engine: at its signal, and when it is gone. The engine holds the other end of our standard
 * input and writes nothing to it, so the input ends when the engine is killed.
 */
function endWithEngine(): void {
	process.on("SIGINT", endWhenDone);
	process.on("exit", () => claimsFolder?.close());
	if (engine === undefined || !isPipe(0)) return;
	process.stdin.on("end", endWhenDone).on("error", endWhenDone).resume();
}

/**
 * Ends the process once nothing is in flight, so that every outcome reaches the state. After every command, the engine
 * sends SIGINT and waits five seconds.
 */
function endWhenDone(): void {
	interruption.abort();
	if (inFlight === 0) process.exit(130);
}

function isPipe(descriptor: number): boolean {
	try {
		return fstatSync(descriptor).isFIFO();
	} catch {
		return false;
	}
}
