/** How many memberships and objects a plan changes: the figures of pages, and of the line that names a danger. */
import type { Plan } from "./plan.ts";

/** How many of something a result has, and how many of these are to be submitted, or were completed. */
export interface Counted {
	readonly all: number;
	readonly counted: number;
}

/** Returns how many memberships and objects change. `isCounted` is whether the change at an address counts as made. */
export function countChanges({ changes }: Pick<Plan, "changes">, isCounted: (address: string) => boolean) {
	const sum = (sizeOf: (change: Plan["changes"][number]) => number): Counted => {
		const sizes = changes.map((change) => [sizeOf(change), isCounted(change.address)] as const);
		const add = (total: number, [size]: readonly [number, boolean]): number => total + size;
		return { all: sizes.reduce(add, 0), counted: sizes.filter(([, counts]) => counts).reduce(add, 0) };
	};
	return {
		gained: sum((change) => (change.kind === "userTag" ? change.addUserIds.length : 0)),
		lost: sum((change) => (change.kind === "userTag" ? change.removeUserIds.length : 0)),
		removals: sum(({ action }) => (action === "remove" ? 1 : 0)),
		reported: changes.filter(({ action }) => action === "report").length,
	};
}
