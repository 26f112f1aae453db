/** Returns things as the groups into which they are joined: each thing is alone at first, and the top of a group stands for it. */
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
