/**
 * The differences of a plan that are known, told apart from what is only not known to be as the document says.
 */
import type { Problem } from "../errors.ts";
import type { Change, KindName } from "./change.ts";
import type { Plan } from "./plan.ts";
import type { EarlierActivity, Step } from "./steps.ts";
import { digestOf } from "./value.ts";

/** A difference that is known, as far as it is known. */
export interface Difference {
	readonly address: string;
	readonly kind: KindName;
	readonly what: string;
	/** Null where there is only a problem. */
	readonly change: Change | null;
	readonly problem: Problem | null;
	/** The activity that makes it so; null when there is none. */
	readonly earlierActivity: EarlierActivity | null;
}

/** Something that the document speaks of and nobody knows. */
export interface UnreadObject {
	/** An address, or a kind with `*`. */
	readonly address: string;
	readonly because: string;
}

/** What is known to differ: one entry an object. Changes that are only not known to be needless are left out. */
export function knownDifferences(plan: Plan): readonly Difference[] {
	const problems = new Map(plan.problems.map((problem) => [problem.path, problem]));
	const changes = plan.changes.flatMap((change) => knownPart(change) ?? []);
	const changed = new Set(changes.map(({ address }) => address));
	return [
		...changes.map((change): Difference => {
			const { address, kind } = change;
			const problem = problems.get(address) ?? null;
			return {
				address,
				kind,
				what: problem?.code ?? change.reason,
				change,
				problem,
				earlierActivity: waitOf(address, plan),
			};
		}),
		// Problems of the live organization are about user tags (kind-user-tag.ts), and their path is the tag's address.
		...[...problems.values()]
			.filter(({ path }) => !changed.has(path))
			.map((problem): Difference => {
				const { path: address, code: what } = problem;
				return { address, kind: "userTag", what, change: null, problem, earlierActivity: null };
			}),
	];
}

/** The change without what is not known to be needed; undefined when nothing is left. */
function knownPart(change: Change): Change | undefined {
	if (change.basis !== "unknown") return change;
	if (change.kind !== "userTag" || change.before.name === change.after.name) return undefined;
	return { ...change, reason: "name-differs", addUserIds: [], removeUserIds: [] };
}

/** The activity that joins the steps of the object; where one step of several would still be sent, it does not make it so. */
function waitOf(address: string, { steps }: Plan): EarlierActivity | null {
	const covering = steps.filter(({ covers }) => covers.includes(address));
	return covering.length > 0 && covering.every(joinsWhatWaits) ? (covering[0]?.earlierActivity ?? null) : null;
}

/** With a status of null nobody knows whether there is an activity at all. */
function joinsWhatWaits({ earlierActivity }: Step): boolean {
	return earlierActivity?.relation === "same" && earlierActivity.state !== "in-doubt";
}

/** Without what may move while the difference stays: other members of the tag, the nearest names in a problem's message. */
export function digestDifference({ address, what, change }: Difference): string {
	if (change === null) return digestOf({ address, what });
	if (change.kind !== "userTag") return digestOf({ address, what, before: change.before, after: change.after });
	const { before, after, addUserIds, removeUserIds } = change;
	return digestOf({ address, what, name: before.name, wanted: after.name, addUserIds, removeUserIds });
}

/** What guards and waiting would have needed besides is no object of the document. */
const besides = ["activity:*", "caller"];

/** What the document speaks of and nobody knows: what could not be read, and what is planned without being known to be needed. */
export function unreadObjects(plan: Plan): readonly UnreadObject[] {
	const doubted = plan.changes.filter(({ basis }) => basis === "unknown");
	const told = plan.unread.filter(({ address, standsIn }) => standsIn === "nothing" && !besides.includes(address));
	const because = (address: string): string =>
		plan.unread.find((one) => covers(one.address, address))?.because ?? "it could not be read";
	const named = doubted.map(({ address }) => ({ address, because: because(address) }));
	const others = told
		.filter(({ address }) => !doubted.some((change) => covers(address, change.address)))
		.map(({ address, because: why }) => ({ address, because: why }));
	return [...new Map([...named, ...others].map((one) => [one.address, one])).values()];
}

/** Why the object could not be read, whether or not memory stands in for it; undefined when it was read. */
export function whyUnread(address: string, { unread }: Pick<Plan, "unread">): string | undefined {
	return unread.find((one) => covers(one.address, address))?.because;
}

/** Whether what could not be read, an address or a kind with `*`, is this object. */
export function covers(unread: string, address: string): boolean {
	return unread === address || (unread.endsWith(":*") && address.startsWith(unread.slice(0, -1)));
}
