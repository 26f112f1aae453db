/** The access cases of examples: they hold, and notice what is removed, widened or narrowed. */
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { localSeed } from "../../../src/cli/local-seed.ts";
import { CaseJudge } from "../../../src/plan/access-cases/judge.ts";
import { resolveCases } from "../../../src/plan/access-cases/resolve.ts";
import type { AccessPolicy, AccessState } from "../../../src/policy/access.ts";
import { compareAccess } from "../../../src/policy/powers/impact.ts";
import { type ExampleState, readExample, stateOf } from "./examples.ts";
import { mutantsOf } from "./mutants.ts";
import { nowMs, readCases } from "./support.ts";

const folders = ["break-glass", "consensus", "policies", "powers", "quickstart"] as const;

const stateIn = (folder: string): ExampleState => {
	const seed = folder === "quickstart" ? localSeed("02") : readExample(`examples/${folder}/seed.yaml`);
	return stateOf(seed, readExample(`examples/${folder}/document.yaml`));
};

const filesOf = (folder: string): readonly string[] =>
	readdirSync(fileURLToPath(new URL(`../../../examples/${folder}`, import.meta.url)))
		.filter((name) => name.endsWith(".access.yaml"))
		.map((name) => `examples/${folder}/${name}`);

/** Returns the names of cases that do not hold. */
function failing(files: readonly string[], { access, names }: ExampleState): readonly string[] {
	return files.flatMap((path) => {
		const file = readCases(readExample(path));
		const resolved = resolveCases(file, access, names);
		expect(resolved.wrong).toEqual([]);
		const judge = new CaseJudge(resolved.access, nowMs, !file.isRootQuorumAside);
		return resolved.cases
			.map((one) => judge.judge(one))
			.flatMap(({ name, verdict }) => (verdict === "passed" ? [] : name));
	});
}

/** Returns which changes of a policy no case notices, and how many there are. */
function unnoticed(files: readonly string[], state: ExampleState) {
	const { access } = state;
	const policies = access.policies.known ? access.policies.value : [];
	const mutants = policies.flatMap((policy) =>
		mutantsOf(policy).map(({ what, policy: changed }) => {
			const value = policies.flatMap((one) => (one === policy ? (changed ?? []) : one));
			return { what, access: withPolicies(access, value, policy, changed) };
		}),
	);
	// A change after which everyone can do what they could before is none.
	const isChange = (changed: AccessState): boolean => compareAccess(access, changed, nowMs).verdict !== "equivalent";
	const missed = mutants.filter(
		(one) => failing(files, { ...state, access: one.access }).length === 0 && isChange(one.access),
	);
	return { count: mutants.length, missed: missed.map(({ what }) => what) };
}

/** A policy that is gone stays by name, without any effect, so that cases can name it. */
function withPolicies(
	access: AccessState,
	value: readonly AccessPolicy[],
	policy: AccessPolicy,
	changed: AccessPolicy | null,
): AccessState {
	const gone = changed === null ? [{ ...policy, condition: "false" }] : [];
	return {
		...access,
		policies: { known: true, value: [...value, ...gone].sort((one, other) => (one.id < other.id ? -1 : 1)) },
	};
}

describe.each(folders)("the access cases of examples/%s", (folder) => {
	const state = stateIn(folder);
	const files = filesOf(folder);

	test("hold after its plan", () => {
		expect(files.length).toBeGreaterThan(0);
		expect(failing(files, state)).toEqual([]);
	});
});

test("at least 95 % of removed, widened and narrowed clauses are noticed", () => {
	const found = folders.map((folder) => unnoticed(filesOf(folder), stateIn(folder)));
	const count = found.reduce((sum, one) => sum + one.count, 0);
	const missed = found.flatMap((one) => one.missed);
	expect(count).toBeGreaterThan(80);
	expect(missed).toEqual([]);
});
