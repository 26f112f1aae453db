/** Expressions of a policy as programs write them: `${userTags.NAME}` is the id that the program has under `references`. */
import { checkTemplate, templateOf } from "../../policy/language/check-template.ts";
import { suggest } from "../../policy/language/checker.ts";
import { resolveTemplate } from "../../policy/language/resolve-template.ts";
import { expressionKey } from "../../policy/language/same-expression.ts";
import type { Clause } from "../../policy/language/syntax.ts";
import { parseTemplate, type Reference } from "../../policy/language/template.ts";
import { hasUnknown } from "../inputs/inputs.ts";

export const clauses = ["consensus", "condition", "time"] as const satisfies readonly Clause[];

/** Ids of tags by the names under which expressions refer to them. */
export type References = Readonly<Record<string, string>>;

const noVariable = { code: "unknown-variable", message: "a program has no such variable" } as const;

/** The text with ids in place of its references; as it is where one of them has no id, or it is not understood. */
export function resolveReferences(text: string, references: References = {}): string {
	const userTags = new Map(Object.entries(references).filter(([, id]) => !hasUnknown(id)));
	const resolved = resolveTemplate(parseTemplate(text), { userTags, users: new Map(), variable: () => noVariable });
	return "text" in resolved ? resolved.text : text;
}

/** A text that only the same expressions have, whatever their references are called. */
export function keyOfText(text: unknown, references: References | undefined, isUnchecked: boolean): unknown {
	if (typeof text !== "string") return text;
	const resolved = resolveReferences(text, references);
	return isUnchecked ? resolved : expressionKey(resolved);
}

/** The live text as the program would write it: as it did if that is the same, otherwise with its names for ids. */
export function writeAsProgram(live: string, written: string | undefined, references: References = {}): string {
	if (written !== undefined && keyOfText(written, references, false) === expressionKey(live)) return written;
	const tagNames = new Map(Object.entries(references).map(([name, id]) => [id, name]));
	return templateOf(live, { tagNames, aliases: new Map() });
}

/** What is wrong with an expression, each with its place; `isUnchecked`: only what is wrong with its references. */
export function findTextMistakes(
	text: string,
	clause: Clause,
	references: References = {},
	isUnchecked = false,
): readonly string[] {
	if (text === "") return [];
	const template = parseTemplate(text);
	if (isUnchecked && template.expression === null) return [];
	const problems = [
		...(isUnchecked ? template.problems : checkTemplate(template, clause)),
		...template.references.flatMap((one) => {
			const message = explainReference(one, references);
			return message === undefined ? [] : [{ message, span: one.span }];
		}),
	];
	return problems.map(({ message, span }) => `at character ${span.start + 1}: ${message}`);
}

function explainReference({ kind, name }: Reference, references: References): string | undefined {
	if (kind !== "userTag") return "a program has no users and variables; write the value itself";
	if (Object.hasOwn(references, name)) return undefined;
	const names = Object.keys(references);
	return `\`references\` has no \`${name}\`${names.length === 0 ? "" : suggest(name, names)}`;
}
