/** The rules of `lint`, in random policies: each is found where an evaluator written apart says so, and nowhere else. */
import { lintRules } from "../../../src/policy/lint/lint.ts";
import { Population } from "../../../src/policy/lint/population.ts";
import { expectedFindings, knownNames } from "../../policy/lint/lint-oracle.ts";
import { knownTag, type LintWorld, randomLintWorld } from "../../policy/lint/lint-worlds.ts";
import { uuid } from "../../policy/lint/support-lint.ts";
import { Random } from "../../policy/model.ts";
import type { Counts, Proof } from "../proof.ts";

const atMs = Date.parse("2026-06-01T00:00:00Z");

/** Returns the findings in the form of the evaluator. */
function findingsIn({ policies }: LintWorld): readonly string[] {
	const tagNames = { [knownTag]: "admins", [uuid("3")]: "others" };
	const input = {
		policies: policies.map(({ policy }) => policy),
		tagNames,
		...knownNames,
		atMs,
		population: new Population(),
	};
	const found = lintRules.flatMap(({ code, find }) =>
		find(input).map(({ id, clause, others = [] }) =>
			[code, id, ...(code === "never-applies" ? [clause] : []), ...others].join(" "),
		),
	);
	return [...new Set(found)].sort();
}

export const proof: Proof = {
	promise: "each rule of lint is found where an evaluator written apart says so, and nowhere else",
	defaultCases: 10_000,
	run(seed: number, counts: Counts) {
		const world = randomLintWorld(new Random(seed));
		const [expected, found] = [[...expectedFindings(world)].sort(), findingsIn(world)];
		for (const one of expected) counts.add(one.split(" ")[0] ?? "");
		const missed = expected.filter((one) => !found.includes(one));
		const invented = found.filter((one) => !expected.includes(one));
		if (missed.length + invented.length === 0) return;
		const policies = world.policies.map(({ policy }) => JSON.stringify(policy)).join("\n");
		throw new Error(`missed: ${missed.join("; ")}\ninvented: ${invented.join("; ")}\n${policies}`);
	},
};
