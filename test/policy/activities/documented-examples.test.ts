/** The table of docs/internals/policy-examples.md: each documented condition has the answer that its page states. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { findType } from "../../../src/policy/activities/types.ts";
import { evaluate } from "../../../src/policy/language/evaluate.ts";
import { readClause } from "../../../src/policy/language/read-clause.ts";
import { isUnknown } from "../../../src/policy/language/values.ts";
import { type Plain, scopeOf } from "../worlds.ts";

const page = readFileSync(new URL("../../../docs/internals/policy-examples.md", import.meta.url), "utf8");

const rows = page.split("\n").flatMap((line): [condition: string, asked: string, applies: string][] => {
	const [, , condition = "", asked = "", applies = ""] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
	return condition.startsWith("`") ? [[condition.slice(1, -1).replaceAll("\\|", "|"), asked, applies]] : [];
});

type Tree = { [name: string]: Tree | Plain };

/** Returns the activity of a row: its type as the table has it, and values by their paths. */
function scopeFor(asked: string) {
	const [name = "", ...values] = asked.split(", ");
	const found = findType(`ACTIVITY_TYPE_${name.slice(1, -1)}`);
	if (found === undefined) throw new Error(`no type ${name}`);
	const { type, kind, resource, action } = found;
	const names: Tree = { activity: { type, kind, resource: resource ?? "", action: action ?? "", params: {} } };
	for (const one of values) {
		const [, path = "", text, plain = ""] = /^`([\w.]+)` (?:`(.*)`|(\w+))$/.exec(one) ?? [];
		const steps = path.split(".");
		const last = steps.pop() ?? "";
		let at = names;
		for (const step of steps) {
			const next = (at[step] ?? {}) as Tree;
			at[step] = next;
			at = next;
		}
		at[last] = text ?? (plain === "true" || plain === "false" ? plain === "true" : BigInt(plain));
	}
	return scopeOf(names as Record<string, Plain>);
}

/** Returns yes, no, error or unknown. */
function answer(condition: string, asked: string): string {
	const value = evaluate(readClause(condition, "condition").expression, scopeFor(asked));
	if (isUnknown(value)) return value.cause === "error" ? "error" : "unknown";
	return value === true ? "yes" : "no";
}

describe("the vendor's policy examples", () => {
	it("are all in the table", () => {
		expect(rows.length).toBe(30);
	});

	it.each(rows)("%s for %s: %s", (condition, asked, applies) => {
		expect(answer(condition, asked)).toBe(applies);
	});
});
