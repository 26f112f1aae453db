/** What tests of both kinds of stack check: of the real engine, and in this process. */
import { expect } from "vitest";
import type { Written } from "../engine/stack-files.ts";
import { keys } from "../world.ts";

/** A policy that keeps everyone's powers where a test removes all of the seed: without one, only a root quorum could act. */
export const keptPolicy = { policyId: "90000000-0000-4000-8000-000000000009", policyName: "kept" };

/** What is said of a private key in the stack configuration that is no secret there. */
export const plainKeyRefusal =
	"orgsync:apiPrivateKey is in the stack configuration as plain text: remove it, create a new key, and set that one with `pulumi config set --secret orgsync:apiPrivateKey`";

/** Everything that the stack wrote, searched for the private keys of the tests. */
export function expectNoSecretIn(stack: { written(): readonly Written[] }): void {
	const secrets = Object.values(keys).map(({ privateKey }) => privateKey);
	const leaks = stack.written().filter(({ text }) => secrets.some((secret) => text.includes(secret)));
	expect(leaks.map(({ place }) => place)).toEqual([]);
}

/** The lines that show a private key and that the engine did not write. */
export function leakingLines(stack: { written(): readonly Written[] }): readonly string[] {
	const secrets = [keys.alice.privateKey, keys.bob.privateKey];
	const lines = stack.written().flatMap(({ text }) => text.split("\n"));
	// At this level the engine itself logs every property that it passes on, secret or not; see docs/pulumi.md.
	const isOfEngine = (line: string) => line.includes("arshaling property for RPC[");
	return lines.filter((line) => secrets.some((secret) => line.includes(secret)) && !isOfEngine(line));
}
