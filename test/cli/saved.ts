/**
 * Saved plans for tests: made in a world of their own, read, and forged with a digest that fits.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { digestOf } from "../../src/plan/value.ts";
import { document, makeWorld, policies, type World } from "../world.ts";

export const text = document(
	"userTags: [{ name: signers, members: { exactly: [alice, bob] } }, { name: oncall }]",
	`absent: { policies: [${policies[0]}] }`,
);
export const inJson = ["--format", "json"];
export const applying = ["apply", "--plan", "plan.json"];

/** A world with a plan saved in `plan.json`, its request log empty. */
export async function makeReviewed(content = text, words: readonly string[] = []): Promise<World> {
	const world = await makeWorld(content);
	const answer = await world.run(["plan", "--out", "plan.json", ...words]);
	expect(answer.stderr).toMatch(
		/^Saved plan sha256:[0-9a-f]{64} to plan\.json\. To run exactly this plan: orgsync apply --plan plan\.json\n/,
	);
	world.clearRequests();
	return world;
}

export function read(
	world: World,
	name = "plan.json",
): Record<string, unknown> & { digest: string; plans: { readAt: string }[] } {
	return JSON.parse(readFileSync(join(world.folder, name), "utf8"));
}

/** The changed file with a matching digest. */
export function forge(world: World, change: object): string {
	const { digest: _digest, ...content } = { ...read(world), ...change } as Record<string, unknown>;
	return JSON.stringify({ ...content, digest: digestOf(content) });
}
