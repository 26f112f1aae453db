/** The documented patterns of docs/policies-as-code.md: the access case of each statement holds, and notices its policy. */
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { CaseJudge } from "../../../src/plan/access-cases/judge.ts";
import { resolveCases } from "../../../src/plan/access-cases/resolve.ts";
import type { AccessPolicy, AccessState } from "../../../src/policy/access.ts";
import { readExample, stateOf } from "./examples.ts";
import { nowMs, readCases, shortly } from "./support.ts";

const [, patterns = ""] = /## Patterns\n([\s\S]*?)\n## /.exec(readExample("docs/policies-as-code.md")) ?? [];
const documents = [...patterns.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, text = ""]) => parse(text));

const id = (number: number): string => `00000000-0000-4000-8000-00000000000${number}`;
const userIds = [1, 2, 3, 4, 5].map(id);
const [one = "", two = "", three = "", four = "", five = ""] = userIds;
const seed = stringify({
	organizations: [
		{
			users: [...userIds, documents[0].users.backend].map((userId) => ({ userId, userName: userId })),
			userTags: [
				{ tagId: "admins", tagName: "admins", userIds: [one, two] },
				{ tagId: "support", tagName: "support", userIds: [two, three] },
				{ tagId: "payers", tagName: "payers", userIds: [four, five] },
			],
		},
	],
});
const { access, names } = stateOf(
	seed,
	stringify({
		users: documents[0].users,
		policies: documents.flatMap(({ policies }) => policies),
	}),
);
const file = readCases(readExample("docs/examples/patterns/patterns.access.yaml"), {
	"raw-payload.json": readExample("docs/examples/raw-payload.json"),
});

function judge(state: AccessState) {
	const { cases, access: own, wrong } = resolveCases(file, access, names);
	expect(wrong).toEqual([]);
	const judging = new CaseJudge({ ...own, policies: state.policies }, nowMs, false);
	return cases.map((each) => judging.judge(each));
}

const policies: readonly AccessPolicy[] = access.policies.known ? access.policies.value : [];
const numbers = [...patterns.matchAll(/# (\d+)\. /g)].map(([, number]) => `${number}.`);

describe("a documented pattern", () => {
	test("has a case of its number, which holds", () => {
		expect(numbers.length).toBe(policies.length);
		const judged = judge(access);
		expect(judged.map((each) => `${each.name}: ${shortly(each)}`).filter((text) => !text.endsWith(": passed"))).toEqual(
			[],
		);
		for (const number of numbers) expect(judged.map(({ name }) => name.split(" ")[0])).toContain(number);
	});

	test.each(policies)("is noticed when it is gone: $name", ({ id: policyId }) => {
		const value = policies.filter((policy) => policy.id !== policyId);
		const failed = judge({ ...access, policies: { known: true, value } }).filter(({ verdict }) => verdict !== "passed");
		expect(failed.length).toBeGreaterThan(0);
	});
});
