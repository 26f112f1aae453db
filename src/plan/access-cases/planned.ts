/** The access cases of a plan: each as it is live and after the plan, those of the base too, and the guard `accessCases`. */
import { remember } from "../../common/remember.ts";
import { type AccessState, type Known, policyNamesIn } from "../../policy/access.ts";
import type { BaseLimits } from "../base/stricter.ts";
import type { Change } from "../change.ts";
import { changesAccess } from "../guards/access.ts";
import { type Guard, guardOf } from "../guards/guards.ts";
import type { DesiredOrganization, LiveOrganization } from "../organization.ts";
import type { Step } from "../step.ts";
import { compareText, digestOf, textsIn } from "../value.ts";
import type { AccessCase, CaseFile } from "./case.ts";
import type { JudgedCase, PlanCases, PlannedCase } from "./finding.ts";
import { CaseJudge, unjudged } from "./judge.ts";
import { type CaseNames, resolveCases } from "./resolve.ts";
import { stateAfter } from "./state.ts";

type Names = Readonly<Record<string, string>>;

/** What is known of a plan when its cases are judged. */
interface PlanSoFar {
	readonly access?: AccessState;
	/** Live name by user id. */
	readonly userNames?: Known<Names>;
	readonly base?: BaseLimits;
	readonly changes: readonly Change[];
	readonly steps: readonly Step[];
	/** Milliseconds since 1970. */
	readonly timeMs: number;
}

interface FoundCase {
	readonly file: CaseFile;
	readonly one: AccessCase;
	/** Equal for cases that mean the same. */
	readonly content: string;
}

type Cases = Pick<DesiredOrganization, "organizationId" | "users" | "cases">;

/** Returns the cases of the documents and of the base, and the guard `accessCases`; no cases where neither has one. */
export function judgeCases(
	desired: DesiredOrganization,
	{ users, userTags }: Pick<LiveOrganization, "users" | "userTags">,
	plan: PlanSoFar,
): { readonly accessCases: PlanCases | undefined; readonly guards: readonly Guard[] } {
	const names = users.known ? users : plan.userNames;
	const live = {
		access: plan.access ?? notRead,
		liveNames: names?.known === true ? names.value : {},
		tagNames: Object.fromEntries((userTags.known ? userTags.value : []).map(({ id, name }) => [id, name])),
	};
	const accessCases = areJudged(desired, plan.base) ? judgeEach(desired, plan, live) : undefined;
	return { accessCases, guards: judgeRequired(desired, accessCases, plan) };
}

/** Whether a plan for the document has cases. One for a part of it (`--only`) does not end where they hold, unless they are required. */
export function areJudged({ cases, accessTests, narrowed }: DesiredOrganization, base: PlanSoFar["base"]): boolean {
	const isRequired = accessTests !== undefined || base?.accessTests !== undefined;
	return (cases !== undefined || base?.cases !== undefined) && (narrowed !== true || isRequired);
}

type LiveState = Omit<CaseNames, "aliases"> & { readonly access: AccessState };

function judgeEach(
	desired: DesiredOrganization,
	{ base, steps, timeMs }: PlanSoFar,
	live: LiveState,
): PlanCases | undefined {
	const own = casesOf(desired);
	const earlier = base === undefined ? own : casesOf({ ...desired, users: {}, cases: [], ...base });
	const contentsIn = (all: readonly FoundCase[]) => new Set(all.map(({ content }) => content));
	const namesOf = (all: readonly FoundCase[]) => new Set(all.map(({ one }) => one.name));
	const [contents, before] = [contentsIn(own), contentsIn(earlier)];
	const [namesNow, namesBefore] = [namesOf(own), namesOf(earlier)];
	const gone = earlier.filter(({ content }) => !contents.has(content));
	if (own.length + gone.length === 0) return undefined;
	const after = stateAfter(live, steps);
	const names = { live: namesAs(live), after: namesAs(after) };
	const either = [names.live, names.after];
	const judge = (users: DesiredOrganization["users"]) => {
		const people = { aliases: byId(users), liveNames: live.liveNames };
		return { was: judgeIn(live.access, timeMs, people), is: judgeIn(after.access, timeMs, people) };
	};
	const ofHead = judge(desired.users);
	const ofOwn = own.map((found): PlannedCase => {
		const change = before.has(found.content) ? null : namesBefore.has(found.one.name) ? "changed" : "added";
		const named = ofHead.is(found, [names.after]);
		// What gets the name of another must not stand in for it.
		const judged = change === null && named.verdict === "passed" ? ofHead.is(found, either) : named;
		return { judged, before: ofHead.was(found, either).verdict, change };
	});
	const ofEarlier = judge(base?.users ?? {});
	const ofBase = gone.map((found): PlannedCase => {
		const change = namesNow.has(found.one.name) ? "replaced" : "deleted";
		return { judged: ofEarlier.is(found, either), before: ofEarlier.was(found, either).verdict, change };
	});
	const cases = [...ofOwn, ...ofBase];
	const given = [...own, ...gone].flatMap(({ file }) => file.given.map(({ name }) => [name, name] as const));
	const users = { ...live.liveNames, ...byId(desired.users), ...Object.fromEntries(given) };
	const digest = digestOf(own.map(({ content }) => content));
	return {
		digest,
		cases,
		...namesIn(cases, users, {
			tagNames: { ...live.tagNames, ...after.tagNames },
			policyNames: { ...names.live.policyNames, ...names.after.policyNames },
		}),
	};
}

function namesAs({ access, tagNames }: Pick<LiveState, "access" | "tagNames">): ObjectNames {
	return { tagNames, policyNames: policyNamesIn(access) };
}

const byId = (users: DesiredOrganization["users"]): Names =>
	Object.fromEntries(Object.entries(users).map(([alias, id]) => [id, alias]));

/** Returns the digest that a plan for this document has for its cases. */
export function digestOfCases(desired: Cases): string {
	return digestOf(casesOf(desired).map(({ content }) => content));
}

const unread: Known<never> = { known: false, because: { kind: "policies-not-read" } };

const notRead: AccessState = { users: unread, policies: unread, rootQuorum: unread };

function casesOf({ cases: files = [], organizationId, users }: Cases): readonly FoundCase[] {
	const own = files.filter((file) => file.organizationId === null || file.organizationId === organizationId);
	return own.flatMap((file) => file.cases.map((one) => ({ file, one, content: contentOf(file, one, users) })));
}

/** An alias that means another user makes another case. */
function contentOf({ isRootQuorumAside, given }: CaseFile, one: AccessCase, users: Cases["users"]): string {
	const people = one.lists.flatMap(({ sets }) => sets).flatMap((set) => ("users" in set ? set.users : []));
	const ids = people.map(({ text }) => (Object.hasOwn(users, text) ? users[text] : null));
	return JSON.stringify([isRootQuorumAside, given, one, ids], (key, value: unknown) => {
		if (key === "at" || key === "path") return undefined;
		if (typeof value === "bigint") return `${value}n`;
		return value instanceof Map ? [...value] : value;
	});
}

type ObjectNames = Required<Pick<CaseNames, "tagNames" | "policyNames">>;

/** Returns what judges a case in this state. Its tags and policies are found by the first names that have all of them. */
function judgeIn(access: AccessState, nowMs: number, people: Omit<CaseNames, keyof ObjectNames>) {
	const judges = new Map<CaseFile, CaseJudge>();
	return ({ file, one }: FoundCase, names: readonly ObjectNames[]): JudgedCase => {
		const tried = names.map((own) => resolveCases({ ...file, cases: [one] }, access, { ...people, ...own }));
		const found = tried.find(({ wrong }) => wrong.length === 0);
		const [resolved] = found?.cases ?? [];
		if (found === undefined || resolved === undefined) {
			const [wrong] = tried.flatMap((other) => other.wrong);
			const because = { kind: "wrong-name", of: wrong?.of ?? "user", name: wrong?.text ?? "" } as const;
			const { name, at, asked } = one;
			return { name, at, asked: asked.text, verdict: "unknown", findings: [unjudged(because)] };
		}
		const make = (): CaseJudge => new CaseJudge(found.access, nowMs, !file.isRootQuorumAside);
		return remember(judges, file, make).judge(resolved);
	};
}

function namesIn(cases: readonly PlannedCase[], users: Names, { tagNames: tags, policyNames: policies }: ObjectNames) {
	const findings = cases.flatMap(({ judged }) => judged.findings);
	const clauses = findings.flatMap((finding) => finding.clauses);
	const written = clauses.flatMap(({ text }) => [...text.matchAll(/'([^']+)'/g)].map(([, id = ""]) => id));
	const ids = [...new Set([...textsIn(findings), ...written])].sort(compareText);
	const pick = (names: Names): Names =>
		Object.fromEntries(ids.flatMap((id) => (Object.hasOwn(names, id) ? [[id, names[id] ?? id]] : [])));
	return { userNames: pick(users), tagNames: pick(tags), policyNames: pick(policies) };
}

/** Whether the plan makes the case no longer hold, or, where nothing is known of it before, does not show that it does. */
export function isBroken({ judged: { verdict }, before }: PlannedCase): boolean {
	return verdict !== "passed" && before === "passed";
}

/** Whether only the base has it. */
export const isOfBase = ({ change }: PlannedCase): boolean => change === "replaced" || change === "deleted";

/** Returns the cases of the documents that the plan breaks, and the new and changed ones that do not hold. */
export function failingCases({ accessCases }: { readonly accessCases?: PlanCases }): readonly PlannedCase[] {
	return (accessCases?.cases ?? []).filter(
		(one) => !isOfBase(one) && (isBroken(one) || (one.change !== null && one.judged.verdict !== "passed")),
	);
}

/**
 * Returns the guard of cases that hold and that the plan breaks, where the document or its base requires them. Without a base, `apply`
 * takes what a reviewed plan found with one.
 */
function judgeRequired(
	{ accessTests, reviewedCases }: DesiredOrganization,
	found: PlanCases | undefined,
	{ base, changes }: PlanSoFar,
): readonly Guard[] {
	const changing = changes.filter(changesAccess);
	const broken = (found?.cases ?? []).filter((one) => {
		const isAsked = base?.accessTests !== undefined && (isOfBase(one) || one.change === null);
		const isRequired = isAsked || (accessTests !== undefined && !isOfBase(one));
		// Of an unknown one nothing shows that it did not hold.
		const isUnknown = one.judged.verdict !== "passed" && one.before === "unknown";
		return isRequired && (isBroken(one) || (isUnknown && changing.length > 0));
	});
	if (reviewedCases !== undefined && reviewedCases.found >= broken.length) {
		const { found: number, where, message, limit } = reviewedCases;
		return [{ kind: "accessCases", refuses: true, found: number, where, finding: { what: "stated", message, limit } }];
	}
	const where = changing.map(({ address }) => address).sort(compareText);
	const cases = broken.map(({ judged: { name, at, verdict }, change }) => ({ name, at, change, verdict }));
	return guardOf("accessCases", broken.length, where, { what: "access-cases", cases });
}
