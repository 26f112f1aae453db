/** Random access cases of random organizations have the verdict that every set of approvers gives them. */
import { expect, test } from "vitest";
import type { CaseList } from "../../../src/plan/access-cases/case.ts";
import { CaseJudge } from "../../../src/plan/access-cases/judge.ts";
import type { ResolvedCase, UserSet } from "../../../src/plan/access-cases/resolve.ts";
import { forEachSeed } from "../../case-count.ts";
import { atMs, Random, writeAccess } from "../../policy/model.ts";
import { assignmentsOf, Oracle, type Pair, type Sets, smallestOf, under, withMore } from "../../policy/oracle.ts";
import { randomOrganization } from "../../policy/random-model.ts";

const at = { file: "a.access.yaml", line: 1, column: 1 };

/** Own credentials are apart: cases ask about them by a power of their own. */
const pairs: readonly Pair[] = [
	{ resource: "PRIVATE_KEY", action: "SIGN" },
	{ resource: "WALLET", action: "EXPORT" },
	{ resource: "POLICY", action: "DELETE" },
];

type Verdict = "passed" | "failed" | "unknown";

/** What surely can be done for some activities, and what possibly can. */
interface Truth {
	readonly sure: Sets;
	readonly possible: Sets;
	/** The sets for each way in which what is unknown of the parts may be. */
	readonly readings: () => readonly Sets[];
	readonly isRootOpen: boolean;
}

function truthsOf(oracle: Oracle, hasRoot: boolean, isRootKnown: boolean): readonly Truth[] {
	const open = oracle.parts.map((part) => part.open);
	return assignmentsOf(open, oracle.pair).map((holds): Truth => {
		const read = (allow: "sure" | "possible", deny: "sure" | "possible") =>
			withMore(
				oracle.setsOf(
					(part) => (under(holds)(part) === "off" ? "off" : part.effect === "ALLOW" ? allow : deny),
					hasRoot,
				),
			);
		const possible = read("possible", "sure");
		const readings = (): readonly Sets[] =>
			Array.from({ length: 2 ** oracle.parts.length }, (_, applying) =>
				oracle.setsOf((part) => {
					const isPossible = ((applying >> oracle.parts.indexOf(part)) & 1) === 1;
					return under(holds)(part) === "off" ? "off" : isPossible ? "possible" : "sure";
				}, hasRoot),
			);
		return {
			...{ readings, isRootOpen: hasRoot && !isRootKnown },
			sure: read("sure", "possible"),
			possible: hasRoot && !isRootKnown ? possible.map((_, set) => set !== 0) : possible,
		};
	});
}

/** `isSure`: what must hold does in every reading; `isPossible`: in some. */
const decide = (isSure: boolean, isPossible: boolean): Verdict =>
	isSure ? "passed" : isPossible ? "unknown" : "failed";

const worst = (all: readonly Verdict[]): Verdict =>
	(["failed", "unknown"] as const).find((verdict) => all.includes(verdict)) ?? "passed";

function verdictOf(
	list: CaseList<UserSet>,
	alone: number,
	{ sure, possible, readings, isRootOpen }: Truth,
	userIds: readonly string[],
): Verdict {
	const bitsOf = (of: readonly string[]): number => of.reduce((all, id) => all | (1 << userIds.indexOf(id)), 0);
	const sets = list.sets.map(({ of }) => bitsOf(of));
	const can = (set: number): Verdict => decide(sure[set] === true, possible[set] === true);
	const cannot = (set: number): Verdict => decide(possible[set] !== true, sure[set] !== true);
	const users = userIds.map((_, index) => 1 << index);
	if (list.about === "takesPart") {
		const takes = (of: Sets, user: number): boolean => smallestOf(of).some((set) => (set & user) !== 0);
		const all = sets.length === 0 ? [] : readings();
		const mayTake = (user: number): boolean => isRootOpen || all.some((one) => takes(one, user));
		const isNeeded = (set: number, user: number): boolean =>
			(set & user) !== 0 && (set === user || !(isRootOpen || possible[set & ~user] === true));
		const surelyTakes = (user: number): boolean => smallestOf(sure).some((set) => isNeeded(set, user));
		return worst(sets.map((user) => decide(!mayTake(user), !surelyTakes(user))));
	}
	if (list.mode === "never") return worst(sets.map(cannot));
	if (list.mode === "atLeast") return worst(sets.map(can));
	if (list.about === "alone") return worst(users.map((user) => (sets.includes(user) ? can(user) : cannot(user))));
	const isExpected = (set: number): boolean => (set & alone) !== 0 || sets.some((one) => (one & set) === one);
	const others = sure.flatMap((_, set) => (set === 0 || isExpected(set) ? [] : [cannot(set)]));
	return worst([...sets.map(can), ...others]);
}

function randomLists(random: Random, userIds: readonly string[]): readonly CaseList<UserSet>[] {
	const single = (): readonly UserSet[] => random.some(userIds, 0.4).map((id) => ({ count: 1, of: [id], tagId: null }));
	const some = (): readonly UserSet[] =>
		Array.from({ length: random.below(3) }, () => random.some(userIds, 0.5))
			.filter((of) => of.length > 0)
			.map((of) => ({ count: of.length, of, tagId: null }));
	const mode = () => random.pick(["exactly", "atLeast", "never"] as const);
	return [
		...(random.chance(0.6) ? [{ about: "alone", mode: mode(), sets: single() } as const] : []),
		...(random.chance(0.6) ? [{ about: "together", mode: mode(), sets: some() } as const] : []),
		...(random.chance(0.4) ? [{ about: "takesPart", mode: "never", sets: single() } as const] : []),
	];
}

/** Lists what holds now, so that cases pass too. */
function trueLists([truth]: readonly Truth[], userIds: readonly string[]): readonly CaseList<UserSet>[] {
	const smallest = smallestOf(truth?.sure ?? []).map((set) => userIds.filter((_, index) => (set & (1 << index)) !== 0));
	const sets = smallest.map((of) => ({ count: of.length, of, tagId: null }));
	return [
		{ about: "alone", mode: "exactly", sets: sets.filter(({ count }) => count === 1) },
		{ about: "together", mode: "exactly", sets: sets.filter(({ count }) => count > 1) },
	];
}

function check(random: Random, seen: Map<Verdict, number>): void {
	const organization = randomOrganization(random);
	const access = writeAccess(organization);
	const userIds = [
		...new Set([...organization.users.map(({ id }) => id), ...(organization.root?.userIds ?? [])]),
	].sort();
	for (const hasRoot of [true, false]) {
		const judge = new CaseJudge(access, atMs, hasRoot);
		for (const pair of pairs) {
			const truths = truthsOf(new Oracle(organization, pair, userIds), hasRoot, organization.root !== null);
			for (const lists of [randomLists(random, userIds), trueLists(truths, userIds)]) {
				const asked = { groups: [pair], isOwn: false, text: `${pair.resource}/${pair.action}` };
				const one: ResolvedCase = { name: "it", at, asked, atMs, lists, by: null };
				const expectedAlone = lists.filter(({ about, mode }) => about === "alone" && mode !== "never");
				const ids = expectedAlone.flatMap(({ sets }) => sets.flatMap(({ of }) => of));
				const alone = ids.reduce((all, id) => all | (1 << userIds.indexOf(id)), 0);
				const expected = worst(truths.flatMap((truth) => lists.map((list) => verdictOf(list, alone, truth, userIds))));
				const { verdict, findings } = judge.judge(one);
				expect({ verdict, pair, hasRoot, lists, findings }).toEqual({
					verdict: expected,
					pair,
					hasRoot,
					lists,
					findings,
				});
				seen.set(verdict, (seen.get(verdict) ?? 0) + 1);
			}
		}
	}
}

test("the verdict of a case is that of every set of approvers", () => {
	const seen = new Map<Verdict, number>();
	const cases = forEachSeed(200, (seed) => check(new Random(seed), seen));
	for (const verdict of ["passed", "failed", "unknown"] as const) expect(seen.get(verdict)).toBeGreaterThan(cases / 10);
});
