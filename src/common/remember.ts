interface Store<K, V> {
	get(key: K): V | undefined;
	set(key: K, value: V): unknown;
}

/** Returns what the map has for the key; what is made for it where it has nothing, which it has from then on. */
export function remember<K, V>(store: Store<K, V>, key: K, make: () => V): V {
	const known = store.get(key);
	if (known !== undefined) return known;
	const made = make();
	store.set(key, made);
	return made;
}
