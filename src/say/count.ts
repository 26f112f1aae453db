/** Returns the number with its noun: `1 tag`, `2 tags`. */
export function count(number: number, one: string, many: string): string {
	return `${number} ${number === 1 ? one : many}`;
}

/** Returns the number with its noun as a list of one text; an empty list for 0. */
export function counted(number: number, one: string, many: string): readonly string[] {
	return number === 0 ? [] : [count(number, one, many)];
}

export function capitalize(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}
