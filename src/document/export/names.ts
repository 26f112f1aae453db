/** Unique names for exported objects that the service may give equal names. They do not depend on the order of the objects. */

/** Characters of an id that distinguish objects with the same name. */
export const shortId = 8;

/** Returns a unique name of each object, by id; `named` has ids in a fixed order. An object with a unique name gets exactly that name. */
export function makeUnique(named: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
	const times = new Map<string, number>();
	for (const name of named.values()) times.set(name, (times.get(name) ?? 0) + 1);
	const taken = new Set([...times].filter(([, count]) => count === 1).map(([name]) => name));
	const unique = new Map<string, string>();
	for (const [id, name] of named) {
		let chosen = name;
		if (times.get(name) !== 1) {
			chosen = `${name}-${id.slice(0, shortId)}`;
			while (taken.has(chosen)) chosen = `${chosen === `${name}-${id}` ? chosen : name}-${id}`;
			taken.add(chosen);
		}
		unique.set(id, chosen);
	}
	return unique;
}
