/** Separates the known differences of a plan from objects whose live state is unknown. */
import { defined, nonEmpty } from "../../common/defined.ts";
import type { Problem } from "../../common/errors.ts";
import {
	type AddressText,
	includesObject,
	parseAddress,
	printAddress,
	printScope,
	type RuleAddress,
	type Scope,
} from "../address.ts";
import type { Change, Unread } from "../change.ts";
import { completing } from "../impact/access-after.ts";
import type { KindName } from "../kinds/names.ts";
import type { Plan } from "../plan.ts";
import { brokenRules, type JudgedRule } from "../rules/judge.ts";
import { type EarlierActivity, isCovered, type Step } from "../step.ts";
import { digestOf } from "../value.ts";

export interface Difference {
	readonly address: AddressText | RuleAddress;
	readonly kind: KindName | "rule";
	/** The reason of its change, or the code of its problem; `rule-broken` of a rule. */
	readonly what: string;
	/** Null unless it is a broken rule. */
	readonly rule: JudgedRule | null;
	/** Null where there is only a problem. */
	readonly change: Change | null;
	readonly problem: Problem | null;
	/** The activity that makes it so; null when there is none. */
	readonly earlierActivity: EarlierActivity | null;
}

/** An object of the document whose live state is unknown. */
export type UnreadObject = Scope & Pick<Unread, "because">;

/** What is known to differ: one entry an object or rule. Changes that are only not known to be needless are left out. */
export function knownDifferences(plan: Plan): readonly Difference[] {
	const problems = new Map<string, Problem>(plan.problems.map((problem) => [problem.path, problem]));
	const changes = plan.changes.flatMap((change) => knownPart(change) ?? []);
	const changed = new Set<string>(changes.map(({ address }) => address));
	return [
		...changes.map((change): Difference => {
			const { address, kind } = change;
			const problem = problems.get(address) ?? null;
			return {
				address,
				kind,
				what: problem?.code ?? (isExpiry(change, plan) ? accessExpired : change.reason),
				rule: null,
				change,
				problem,
				earlierActivity: findEarlier(address, plan),
			};
		}),
		// The path of a problem of the live organization is the address of its object.
		...[...problems.values()].flatMap((problem): Difference[] => {
			const { path, code: what } = problem;
			const address = parseAddress(path);
			if (address === undefined || changed.has(printAddress(address.kind, address.label))) return [];
			const { kind, label } = address;
			return [
				{ address: printAddress(kind, label), kind, what, rule: null, change: null, problem, earlierActivity: null },
			];
		}),
		...brokenRules(plan).map((rule): Difference => {
			const earlierActivity = findRepair(rule, plan);
			const { address } = rule;
			return { address, kind: "rule", what: "rule-broken", rule, change: null, problem: null, earlierActivity };
		}),
	];
}

/** The code of a tag that differs in nothing but members whose access expired. */
export const accessExpired = "access-expired";

function isExpiry(change: Change, { expiries = [] }: Pick<Plan, "expiries">): boolean {
	if (change.kind !== "userTag" || change.reason !== "members-differ" || change.addUserIds.length > 0) return false;
	const expired = expiries.filter(({ state, address }) => state === "expired" && address === change.address);
	return change.removeUserIds.every((userId) => expired.some((one) => one.userId === userId));
}

/** The change without what is not known to be needed; undefined when nothing is left. */
function knownPart(change: Change): Change | undefined {
	if (change.basis !== "unknown") return change;
	if (change.kind !== "userTag" || change.before.name === change.after.name) return undefined;
	return { ...change, reason: "name-differs", addUserIds: [], removeUserIds: [] };
}

/** The activity that joins the steps of the object; where one step of several would still be sent, it does not make it so. */
function findEarlier(address: string, { steps }: Plan): EarlierActivity | null {
	const covering = steps.filter((step) => isCovered(address, step));
	return covering.every(joinsPending) ? (covering[0]?.earlierActivity ?? null) : null;
}

/** Returns the first pending activity where pending ones alone repair the rule. */
function findRepair({ effect }: JudgedRule, { steps }: Plan): EarlierActivity | null {
	const submitted = completing(steps);
	return effect === "repairs" && submitted.every(joinsPending) ? (submitted[0]?.earlierActivity ?? null) : null;
}

function joinsPending({ earlierActivity }: Step): boolean {
	return earlierActivity?.relation === "same";
}

/** Without what may move while the difference stays: other members of the tag, the nearest names in a problem's message. */
export function digestDifference({ address, what, rule, change }: Difference): string {
	if (rule?.before.state === "broken") {
		const { userIds, breach } = rule.before;
		const found = breach.kind === "breaches" ? breach.breaches : [];
		const credentials = found.flatMap((one) => (one.what === "credential" ? [[one.credential, one.detail]] : []));
		return digestOf({ address, what, userIds, ...defined({ credentials: nonEmpty(credentials) }) });
	}
	if (change === null) return digestOf({ address, what });
	if (change.kind !== "userTag") return digestOf({ address, what, before: change.before, after: change.after });
	const { before, after, addUserIds, removeUserIds } = change;
	return digestOf({ address, what, name: before.name, wanted: after.name, addUserIds, removeUserIds });
}

/** Returns the objects of the document that could not be read, and those whose change is not known to be needed. */
export function unreadObjects(plan: Plan): readonly UnreadObject[] {
	const doubted = plan.changes.filter(({ basis }) => basis === "unknown");
	const unknown = plan.unread.filter((one) => one.standsIn === "nothing" && isOfDrift(one, plan));
	const named = doubted.map(({ address }): UnreadObject => {
		return { scope: "object", address, because: whyUnread(address, plan) ?? { kind: "not-asked" } };
	});
	const others = unknown
		.filter((one) => !doubted.some(({ address }) => includesObject(one, address)))
		.map(({ standsIn: _standsIn, ...one }): UnreadObject => one);
	return [...new Map([...named, ...others].map((one) => [printScope(one), one])).values()];
}

/** Why the object could not be read, whether or not what was last applied is used instead; undefined when it was read. */
export function whyUnread(address: string, { unread }: Pick<Plan, "unread">): Unread["because"] | undefined {
	return unread.find((one) => includesObject(one, address))?.because;
}

/** Whether the scope is of objects of the document, or of a rule in live state; what guards and activities depend on is not. */
function isOfDrift(one: Scope, { rules = [] }: Plan): boolean {
	if (one.scope !== "rule") return one.scope === "object" || one.scope === "kind";
	return rules.some(({ address, before }) => address === one.address && before.state === "unknown");
}
