/** Returns functions for disjoint groups (union-find): `topOf` returns the same item for all of a group, `join` unites two groups. */
export function joinable<T>() {
	const parents = new Map<T, T>();
	const topOf = (one: T): T => {
		let top = one;
		for (let next = parents.get(top); next !== undefined; next = parents.get(top)) top = next;
		if (top !== one) parents.set(one, top);
		return top;
	};
	const join = (one: T, other: T): void => {
		const [top, otherTop] = [topOf(one), topOf(other)];
		if (top !== otherTop) parents.set(top, otherTop);
	};
	return { topOf, join };
}
