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
