/** Members that are left out where they have no value: JSON and types of optional members make a difference. */

/** The value, with the members optional that may be undefined. */
type Defined<T> = {
	[K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
	[K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Returns the value without its members that are undefined. */
export function defined<T extends object>(value: T): Defined<T> {
	return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as Defined<T>;
}

/** Returns the list; undefined for an empty one. */
export function nonEmpty<List extends readonly unknown[]>(list: List): List | undefined {
	return list.length === 0 ? undefined : list;
}
