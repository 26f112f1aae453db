/** Writes what was found of random cases in few words, for the golden files of test/golden/policy. */
import { vi } from "vitest";
import { Work } from "../../src/policy/sets/work.ts";

/** Returns the value without what is null, false or empty, and without quotes. */
export function brief(value: unknown): string {
	if (value instanceof Map) return brief(Object.fromEntries(value));
	if (value instanceof Set) return brief([...value]);
	if (Array.isArray(value)) return `[${value.map(brief).join(", ")}]`;
	if (typeof value !== "object" || value === null) return String(value);
	const members = Object.entries(value).filter(
		([, member]) => member !== null && member !== false && !(Array.isArray(member) && member.length === 0),
	);
	return `{${members.map(([name, member]) => (member === true ? name : `${name} ${brief(member)}`)).join(", ")}}`;
}

/** Returns the lines, equal ones once with how many there are. */
export function counted(lines: readonly string[]): readonly string[] {
	const counts = Map.groupBy(lines, (line) => line);
	return [...counts].map(([line, same]) => (same.length === 1 ? line : `${same.length} x ${line}`));
}

/** Returns how many steps the searches of a call take, and what it returns. */
export function withSteps<T>(call: () => T): readonly [result: T, steps: number] {
	const spend = vi.spyOn(Work.prototype, "spend");
	try {
		const result = call();
		return [result, spend.mock.calls.reduce((sum, [steps]) => sum + steps, 0)];
	} finally {
		spend.mockRestore();
	}
}
