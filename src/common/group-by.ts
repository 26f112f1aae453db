/** Returns the items in groups of the same key; groups, and the items of each, are in the order in which they come. */
export function groupBy<T>(items: Iterable<T>, keyOf: (item: T) => unknown): readonly (readonly [T, ...T[]])[] {
	// A group is made by its first item.
	return [...Map.groupBy(items, keyOf).values()] as [T, ...T[]][];
}
