/** What lint finds in random policies, word for word. */
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { LintInput } from "../../../src/policy/lint/finding.ts";
import { lintRules } from "../../../src/policy/lint/lint.ts";
import { Population } from "../../../src/policy/lint/population.ts";
import { brief } from "../brief.ts";
import { atMs, Random } from "../model.ts";
import { knownTag, knownUser, randomLintWorld, tagName } from "./lint-worlds.ts";

describe("Of random policies", () => {
	it("what lint finds is the same as before", async () => {
		const lines: string[] = [];
		for (let seed = 1; seed <= 40; seed += 1) {
			const { policies, tags } = randomLintWorld(new Random(seed));
			const input: LintInput = {
				policies: policies.map(({ policy }) => policy),
				tagNames: { [knownTag]: tagName },
				userNames: { [knownUser]: "alice" },
				tagIds: tags,
				atMs,
				population: new Population(),
			};
			const found = lintRules.flatMap(({ code, find }) => find(input).map((one) => `${code} ${brief(one)}`));
			lines.push(`${seed}: ${policies.length} policies, unjudged ${brief(input.population.unjudged)}`);
			lines.push(...found.map((line) => `  ${line}`));
		}
		const file = new URL("../../golden/policy/lint.txt", import.meta.url);
		await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(fileURLToPath(file));
	});
});
