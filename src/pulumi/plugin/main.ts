#!/usr/bin/env node
/** `pulumi-resource-orgsync`: started by the engine with its address as the last argument; prints the port that it serves. */
import { exitCodes } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import { framesOf, hideSecrets } from "../../common/hide-secrets.ts";
import { version } from "../../common/version.ts";
import { serve } from "./server.ts";

const words = process.argv.slice(2);
const engine = words.findLast((word) => /^[^-].*:\d+$/.test(word));
// An engine that is gone reads nothing. What is in flight still has to reach the journal.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
let redact = (text: string): string => text;
// A defect. Node would print its stack, with all secrets that are in its message.
process.on("uncaughtException", ({ message, stack = "" }) => {
	const text = `error: unexpected error: ${showText(message)}\nhint: please report this\n${framesOf(stack)}\n`;
	process.stderr.write(redact(hideSecrets(text)), () => process.exit(1));
});
if (words.includes("--version")) {
	process.stdout.write(`${version}\n`);
} else if (engine === undefined) {
	process.stderr.write(
		"pulumi-resource-orgsync is the provider plugin of orgsync: Pulumi starts it for programs that use orgsync; --version prints its version\n",
	);
	process.exitCode = 1;
} else {
	const serving = await serve(engine, version);
	redact = serving.redact;
	// Nothing is in flight before that is loaded which ends this process otherwise.
	const end = (): never => process.exit(exitCodes.interrupted);
	process.on("SIGINT", end).on("SIGTERM", end);
	process.stdout.write(`${serving.port}\n`);
	await serving.endWithEngine();
	process.off("SIGINT", end).off("SIGTERM", end);
}
