/** `test`: judges access cases. It has a Reader at most, so it cannot submit. */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { defined, nonEmpty } from "../../../common/defined.ts";
import {
	ConfigurationError,
	combineExitCodes,
	DocumentError,
	type ExitCode,
	exitCodes,
	type Problem,
} from "../../../common/errors.ts";
import { showText } from "../../../common/escape.ts";
import type { CaseFile } from "../../../plan/access-cases/case.ts";
import { findUncovered } from "../../../plan/access-cases/coverage.ts";
import { CaseJudge } from "../../../plan/access-cases/judge.ts";
import { resolveCases } from "../../../plan/access-cases/resolve.ts";
import { matchesGlob } from "../../../plan/glob.ts";
import { namedAs } from "../../../plan/organization-name.ts";
import { type AccessState, policyNamesIn } from "../../../policy/access.ts";
import { joinAssumptions } from "../../../policy/powers/reason.ts";
import type { OrganizationCases, TestResult } from "../../../render/result/cases.ts";
import { resultHead } from "../../../render/result/head.ts";
import { wrongNameText } from "../../../say/cases.ts";
import { readCaseFiles } from "../../files/access-files.ts";
import { defaultDocument } from "../../files/sources.ts";
import type { Flags } from "../../flags/given-flags.ts";
import { didYouMean } from "../../flags/suggest.ts";
import { describeError, exitCodeOfError, type OrganizationError } from "../../output/failure.ts";
import type { Call } from "../../output/output.ts";
import { beginFile, checkNewFile } from "./begin.ts";
import { type CaseState, type FoundState, readStates, type StateFlags, type StateKind } from "./states.ts";

type TestFlags = StateFlags & Flags<"coverage" | "write" | "case">;

/** Returns what became of each case. Exit 10 where one failed, 11 where one could not be judged. */
export async function test(words: readonly string[], call: Call<TestFlags>): Promise<TestResult> {
	const kind = stateKindOf(call);
	const { flags, terminal, output } = call;
	if (flags.write !== undefined) checkNewFile(flags.write, words, call);
	const given = flags.write === undefined ? readCaseFiles(words, flags, terminal) : undefined;
	const selected = given && select(given, flags.case);
	const states = await readStates(kind, call);
	output.clear();
	if (flags.write !== undefined) await beginFile(flags.write, states, call);
	const files = selected ?? readCaseFiles([flags.write ?? ""], flags, terminal);
	const judged = judgeAll(files, states, flags.coverage === true);
	const codes = states.flatMap((one) => ("error" in one ? exitCodeOfError(one.error) : []));
	const code = combineExitCodes([...codes, ...judged.map(exitCodeOf)]);
	const [failed] = judged.flatMap(({ error }) => error ?? []);
	return { ...resultHead("test", code, failed ?? null), state: kind, organizations: judged };
}

/** Throws ConfigurationError for flags that exclude each other. */
function stateKindOf({ flags, terminal }: Call<TestFlags>): StateKind {
	const [kind, second] = (["live", "after", "plan", "offline"] as const).filter((name) => flags[name] !== undefined);
	const other = second ?? (kind === "offline" && flags.local === true ? "local" : undefined);
	if (other !== undefined) throw new ConfigurationError(`--${kind} and --${other} cannot be used together`);
	if (kind !== undefined) return kind;
	const hasDocument = flags.file.length > 0 || existsSync(resolve(terminal.directory, defaultDocument));
	return hasDocument && (flags.organization === undefined || flags.file.length > 0) ? "after" : "live";
}

/** Returns the cases with one of the names; all without names. Throws ConfigurationError where none is left. */
function select(files: readonly CaseFile[], globs: readonly string[]): readonly CaseFile[] {
	const names = files.flatMap(({ cases }) => cases.map(({ name }) => name));
	const unused = globs.find((glob) => !names.some((name) => matchesGlob(glob, name)));
	if (unused !== undefined) {
		throw new ConfigurationError(`--case ${showText(unused)}: no case has this name${didYouMean(unused, names)}`, {
			hint: "write the name of a case, with * for any text",
		});
	}
	if (globs.length === 0) return files;
	const isNamed = (name: string): boolean => globs.some((glob) => matchesGlob(glob, name));
	return files.map((file) => ({ ...file, cases: file.cases.filter(({ name }) => isNamed(name)) }));
}

/** Throws DocumentError for names that are of nothing, ConfigurationError for a file of no organization of the run. */
function judgeAll(
	files: readonly CaseFile[],
	states: readonly FoundState[],
	coverage: boolean,
): readonly OrganizationCases[] {
	const wrong: Problem[] = [];
	const judged = states.map((state) => {
		const own = files.filter(
			({ organizationId }) => organizationId === null || organizationId === state.organizationId,
		);
		return "error" in state ? toFailed(state) : judgeState(own, state, wrong, coverage);
	});
	const hint = "name its document with -f, or the organization with --organization";
	const idle = files.find(
		({ organizationId }) => organizationId !== null && states.every((one) => one.organizationId !== organizationId),
	);
	if (idle !== undefined) {
		const id = showText(idle.organizationId ?? "");
		throw new ConfigurationError(`${showText(idle.file)}: no organization of this run is ${id}`, { hint });
	}
	if (wrong.length > 0) throw new DocumentError(wrong, "the access cases have");
	const kept = judged.filter(({ error, cases }) => error !== null || cases.length > 0);
	if (kept.length === 0)
		throw new ConfigurationError("no access case was judged: the run has no organization", { hint });
	return kept;
}

function judgeState(
	files: readonly CaseFile[],
	state: CaseState,
	wrong: Problem[],
	coverage: boolean,
): OrganizationCases {
	const judged = files.map((file) => {
		const resolved = resolveCases(file, state.access, state);
		wrong.push(
			...resolved.wrong.map((one): Problem => {
				const { file: name, line, column } = one.at;
				return { file: name, line, column, path: one.path, code: "unknown-name", message: wrongNameText(one) };
			}),
		);
		const judgeIn = (access: AccessState) => new CaseJudge(access, state.nowMs, !file.isRootQuorumAside);
		const judge = judgeIn(resolved.access);
		const cases = resolved.cases.map((one) => ({ one, judged: judge.judge(one) }));
		return { ...resolved, judgeIn, cases, assumptions: judge.assumptions() };
	});
	/** Whether a case that holds does not hold with these policies. */
	const isNoticed = ({ policies }: AccessState): boolean =>
		judged.some(({ access: own, judgeIn, cases }) => {
			const judge = judgeIn({ ...own, policies });
			return cases.some((each) => each.judged.verdict === "passed" && judge.judge(each.one).verdict !== "passed");
		});
	const given = files.flatMap((file) => file.given.map(({ name }) => [name, name] as const));
	const { access, aliases, liveNames, tagNames } = state;
	const assumptions = nonEmpty(joinAssumptions(judged.flatMap((one) => one.assumptions)));
	return {
		...namedAs(state),
		at: new Date(state.nowMs).toISOString(),
		userNames: { ...liveNames, ...aliases, ...Object.fromEntries(given) },
		tagNames,
		policyNames: policyNamesIn(access),
		cases: judged.flatMap(({ cases }) => cases.map((one) => one.judged)),
		...defined({ assumptions, uncovered: coverage ? findUncovered(access, isNoticed) : undefined }),
		error: null,
	};
}

function toFailed({ error, ...named }: OrganizationError): OrganizationCases {
	const names = { userNames: {}, tagNames: {}, policyNames: {} };
	return { ...namedAs(named), at: null, ...names, cases: [], error: describeError(error) };
}

function exitCodeOf({ cases }: OrganizationCases): ExitCode {
	const verdicts = cases.map(({ verdict }) => verdict);
	if (verdicts.includes("failed")) return exitCodes.failedCase;
	return verdicts.includes("unknown") ? exitCodes.undecided : exitCodes.inSync;
}
