/** Returns a member of the record itself, not of its prototype. */
export function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
	return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Returns the ids that have the name. `names`: by id. */
export const idsNamed = (name: string, names: Readonly<Record<string, string>>): readonly string[] =>
	Object.keys(names).filter((id) => names[id] === name);
