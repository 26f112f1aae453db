/** Compares what a saved plan states with what its changes imply. */
import { clipMiddle, showText } from "../../common/escape.ts";
import { sameValue } from "../../plan/value.ts";

/** Returns what was found first; undefined where nothing was. */
export function first<T>(
	items: readonly T[],
	find: (item: T, index: number) => string | undefined,
): string | undefined {
	for (const [index, item] of items.entries()) {
		const found = find(item, index);
		if (found !== undefined) return found;
	}
	return undefined;
}

/** The sentence for a member that is not what it has to be. */
export function differs(member: string, stated: unknown, implied: unknown): string {
	const show = (value: unknown): string => showText(clipMiddle(JSON.stringify(value) ?? "nothing", 200));
	return `${member} is ${show(stated)}, but the plan's changes imply ${show(implied)}`;
}

/** Returns the sentence for the first member that is not as expected; undefined where all are. */
export function firstDifference(stated: object, expected: object): string | undefined {
	const all = stated as Readonly<Record<string, unknown>>;
	return first(Object.entries(expected), ([member, value]) =>
		sameValue(all[member], value) ? undefined : differs(member, all[member], value),
	);
}
