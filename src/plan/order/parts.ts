/** The parts of a step that can be activities of their own: what matters to other steps in different ways. */
import type { AccessState } from "../../policy/access.ts";
import type { PendingActivity } from "../activities/pending.ts";
import { commonObjects, idsIn, narrowToPieces, objectsOf, piecesOf } from "../activities/requests.ts";
import type { Step } from "../step.ts";

interface PartsContext {
	/** Ids of the objects that may be activities of their own; of a tag, its users may be. */
	readonly deciding: ReadonlySet<string>;
	readonly activities: readonly PendingActivity[];
	/** All steps of the plan. */
	readonly steps: readonly Step[];
}

/**
 * Returns the parts of the step, itself where it has only one. What changes nothing for other steps is in the first part.
 * What one activity does stays together, so that the step still equals it.
 */
export function findParts(step: Step, access: AccessState, context: PartsContext): readonly Step[] {
	const { deciding, activities } = context;
	const isTag = step.operation === "update_user_tag";
	const mayBeSplit = !isTag || objectsOf(step).some((id) => deciding.has(id));
	const pieces = mayBeSplit ? piecesOf(step).filter((id) => isTag || deciding.has(id)) : [];
	const effectOf = isTag ? movesOf(context.steps, access) : (id: string) => decisionOf(id, access);
	const alike = [...Map.groupBy(pieces, effectOf).values()];
	const [first = [], ...others] = activities.reduce((all: readonly (readonly string[])[], activity) => {
		const common = commonPieces(step, activity);
		const isTouched = (some: readonly string[]): boolean => some.some((id) => common.includes(id));
		const touched = all.filter(isTouched);
		return touched.length < 2 ? all : [touched.flat(), ...all.filter((some) => !isTouched(some))];
	}, alike);
	if (others.length === 0) return [step];
	const rest = piecesOf(step).filter((id) => !pieces.includes(id));
	return [[...first, ...rest], ...others].map((some, index) => ({
		...narrowToPieces(step, some),
		id: `${step.id}.${index + 1}`,
	}));
}

function commonPieces(step: Step, activity: PendingActivity): readonly string[] {
	const common = commonObjects(step, activity);
	if (step.operation !== "update_user_tag" || common.length === 0) return common;
	return [...idsIn(activity.parameters.addUserIds), ...idsIn(activity.parameters.removeUserIds)];
}

/** Returns the same text for policies that decide alike: while one of them is left, the others change nothing. */
function decisionOf(id: string, { policies }: AccessState): string {
	const policy = policies.known ? policies.value.find((one) => one.id === id) : undefined;
	return policy === undefined ? id : JSON.stringify([policy.effect, policy.consensus, policy.condition, policy.time]);
}

/** Max users who move of whom each is a part of its own. Unverified, chosen: each more doubles the states. */
const maxMoves = 10;

/** Returns what gives the same text for users who move together: those with the same tags who get and lose the same ones, if they are many. */
function movesOf(steps: readonly Step[], { users }: AccessState): (userId: string) => string {
	const count = steps.reduce(
		(sum, step) => sum + (step.operation === "update_user_tag" ? piecesOf(step).length : 0),
		0,
	);
	if (count <= maxMoves) return (userId) => userId;
	const tags = new Map(users.known ? users.value.map(({ id, tagIds }) => [id, tagIds]) : []);
	return (userId) => {
		const moves = steps.flatMap(({ operation, parameters }) => {
			if (operation !== "update_user_tag") return [];
			const { userTagId, addUserIds, removeUserIds } = parameters;
			return [userTagId, addUserIds.includes(userId), removeUserIds.includes(userId)];
		});
		return JSON.stringify([tags.get(userId) ?? null, moves]);
	};
}
