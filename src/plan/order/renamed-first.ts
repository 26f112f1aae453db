/** Splits the new name from what else changes of a tag or a policy, where only that leads to no state to avoid. */
import { isSameRequest, objectsOf } from "../activities/requests.ts";
import type { Change, PolicyChange, TagChange } from "../change.ts";
import { contentOf, updatedContent } from "../kinds/policy-content.ts";
import type { Step } from "../step.ts";
import { sameValue } from "../value.ts";
import { type OrderContext, orderForSubmitter, type PlannedOrder } from "./for-submitter.ts";
import { canReach } from "./moments.ts";

/**
 * Returns the steps in their order. Names say which step comes before another, and who can do what does not depend on them: with
 * its name first, the rest of a change can come at any time. `makeSteps` returns the steps where objects with these ids do so.
 */
export function orderChanges(
	changes: readonly Change[],
	makeSteps: (renamedFirst: ReadonlySet<string>) => readonly Step[],
	context: OrderContext,
): PlannedOrder {
	const order = (ids: ReadonlySet<string>): PlannedOrder => orderForSubmitter(makeSteps(ids), context);
	const whole = order(new Set());
	const ids = countWrong(whole) > 0 ? idsToSplit(changes, whole.steps, context) : [];
	if (ids.length === 0) return whole;
	let [best, first] = [order(new Set(ids)), ids];
	// Each order is a search: most changes stay whole, so halves of them are tried before single ones.
	const keepWhole = (some: readonly string[]): void => {
		const fewer = first.filter((id) => !some.includes(id));
		const found = fewer.length === 0 ? whole : order(new Set(fewer));
		if (countWrong(found) <= countWrong(best)) [best, first] = [found, fewer];
		else if (some.length > 1) [some.slice(0, some.length / 2), some.slice(some.length / 2)].forEach(keepWhole);
	};
	keepWhole(ids);
	return best;
}

/** Returns how many steps are denied, and how many states to avoid can be reached, also where not every order was tried. */
function countWrong({ steps, unsafe, wrong }: PlannedOrder): number {
	return Math.max(wrong, unsafe.filter((one) => canReach(one, steps)).length);
}

/** Returns the ids of what can be split. A step that an activity equals stays whole, so that it still does. */
function idsToSplit(
	changes: readonly Change[],
	steps: readonly Step[],
	{ waiting = [], rejected = [] }: OrderContext,
): readonly string[] {
	const equal = steps.filter((step) =>
		[...waiting, ...rejected].some((one) => one.operation === step.operation && isSameRequest(step, one.parameters)),
	);
	const kept = new Set(equal.flatMap(objectsOf));
	return [...renamedAndChanged(changes)].filter((id) => !kept.has(id));
}

/** Returns the ids of what takes a new name and changes besides. */
export function renamedAndChanged(changes: readonly Change[]): ReadonlySet<string> {
	return new Set(changes.filter(isRenamedAndChanged).map(idOf));
}

function isRenamedAndChanged(change: Change): change is TagChange | PolicyChange {
	if (change.action !== "update" || change.before === null || change.before.name === change.after.name) return false;
	if (change.kind === "userTag") return change.addUserIds.length + change.removeUserIds.length > 0;
	return !sameValue(contentOf({ ...change.before, name: change.after.name }), contentOf(change.after));
}

const idOf = (change: TagChange | PolicyChange): string => (change.kind === "userTag" ? change.tagId : change.id);

/** Returns the ids of tags and policies whose new name is a step of its own, before the one that changes them. */
export function renamedFirstIn(changes: readonly Change[], steps: readonly Step[]): ReadonlySet<string> {
	const split = changes.filter(isRenamedAndChanged).filter((change) => steps.some((step) => isOnlyName(step, change)));
	return new Set(split.map(idOf));
}

/** Whether the step gives its object the name of the change, and changes nothing else of it. */
export function isOnlyName({ operation, parameters }: Step, change: TagChange | PolicyChange): boolean {
	if (change.kind === "userTag" && operation === "update_user_tag") {
		const { userTagId, newUserTagName: name, addUserIds, removeUserIds } = parameters;
		return userTagId === change.tagId && name === change.after.name && addUserIds.length + removeUserIds.length === 0;
	}
	if (change.kind !== "policy" || operation !== "update_policy") return false;
	const { before, after } = change;
	const isOwn = before !== null && parameters.policyId === change.id;
	return isOwn && sameValue(updatedContent(parameters, before), { ...contentOf(before), name: after.name });
}
