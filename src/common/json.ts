/** JSON that others wrote. Its depth is bounded before a value is built: deep nesting exhausts the stack. Pure. */

/** The deepest nesting that is read. Real answers, plans and reports have less than 20 levels. */
export const maxJsonDepth = 200;

/** Words for a text or a value with more levels than that. */
export const tooDeepMessage = `nested more than ${maxJsonDepth} levels deep`;

/** A value, or why there is none: `it is ${mistake}`. */
type JsonResult = { readonly value: unknown } | { readonly mistake: string };

/** The value that a JSON text holds. Never throws. */
export function readJson(text: string): JsonResult {
	if (isTextTooDeep(text)) return { mistake: tooDeepMessage };
	try {
		return { value: JSON.parse(text) };
	} catch {
		return { mistake: "no JSON" };
	}
}

/** Returns true for an object with members: neither null nor a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isTexts(value: unknown): value is readonly string[] {
	return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Returns a text that is not empty; null for anything else. */
export function textOrNull(value: unknown): string | null {
	return typeof value === "string" && value !== "" ? value : null;
}

const [quote, comma, backslash, openList, closeList, openObject, closeObject] = [34, 44, 92, 91, 93, 123, 125];

/** Whether a JSON text is nested more than `maxJsonDepth` levels deep; false for a text that cannot be JSON. */
export function isTextTooDeep(text: string): boolean {
	if (!/^\s*[[{]/.test(text)) return false;
	let depth = 0;
	for (let at = 0; at < text.length; at += 1) {
		const code = text.charCodeAt(at);
		if (code === quote) at = endOfString(text, at);
		else if (code === openList || code === openObject) {
			depth += 1;
			if (depth > maxJsonDepth) return true;
		} else if (code === closeList || code === closeObject) depth -= 1;
	}
	return false;
}

/** Whether a JSON text holds more than about `max` values: a text of empty objects takes a hundred times its size in memory. */
export function hasMoreValues(text: string, max: number): boolean {
	if (text.length <= max) return false;
	let values = 0;
	for (let at = 0; at < text.length && values <= max; at += 1) {
		const code = text.charCodeAt(at);
		if (code === quote) at = endOfString(text, at);
		else if (code === comma || code === openList || code === openObject) values += 1;
	}
	return values > max;
}

/** Where the string that begins at `start` ends; the end of the text when its closing quote is missing. */
export function endOfString(text: string, start: number): number {
	let end = text.indexOf('"', start + 1);
	while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
	return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
	let before = at - 1;
	while (text.charCodeAt(before) === backslash) before -= 1;
	return (at - before) % 2 === 0;
}

/** Returns a key that one object of a JSON text has twice, escapes resolved: readers disagree about which value counts. */
export function findRepeatedKey(text: string): string | undefined {
	const colon = /\s*:/y;
	const objects: (Set<string> | null)[] = [];
	for (let at = 0; at < text.length; at += 1) {
		const code = text.charCodeAt(at);
		if (code === openObject) objects.push(new Set());
		else if (code === openList) objects.push(null);
		else if (code === closeObject || code === closeList) objects.pop();
		if (code !== quote) continue;
		const end = endOfString(text, at);
		const keys = objects.at(-1);
		colon.lastIndex = end + 1;
		const isKey = colon.test(text);
		if (isKey && keys !== null && keys !== undefined) {
			const key = String(JSON.parse(text.slice(at, end + 1)));
			if (keys.has(key)) return key;
			keys.add(key);
		}
		at = end;
	}
	return undefined;
}

/** Whether a value is nested more than `maxJsonDepth` levels deep; a value that contains itself is. */
export function isValueTooDeep(value: unknown): boolean {
	let level: Iterable<object> = objectsAmong([value]);
	for (let depth = 1; ; depth += 1) {
		const next: object[] = [];
		for (const item of level) for (const inner of objectsAmong(Object.values(item))) next.push(inner);
		if (next.length === 0) return false;
		if (depth === maxJsonDepth) return true;
		// An object that many others share would be visited once for each of them.
		level = next.length > maxSmallLevel ? new Set(next) : next;
	}
}

/** Objects of one level among which none is looked for twice. */
const maxSmallLevel = 100;

function objectsAmong(values: readonly unknown[]): readonly object[] {
	return values.filter((value): value is object => typeof value === "object" && value !== null);
}
