/** A document that a program passes as an object. Its problems name properties of the object, not lines of its text. */
import type { Problem } from "../../common/errors.ts";
import { escapeSequence, replaceHidden } from "../../common/invisible.ts";
import { ResourceFailure } from "../resources/failure.ts";

/** The object as a document of one line. Throws ResourceFailure, with the property, if it cannot be written. */
export function objectToDocument(document: Readonly<Record<string, unknown>>): string {
	const output = findOutput(document, "document", new Set());
	if (output !== undefined) {
		throw new ResourceFailure(
			`${output} is an output or a promise: a document can hold plain values only; use UserTag and the removal resources for outputs`,
		);
	}
	try {
		// In a document, invisible characters are escaped; a program has the character itself.
		return replaceHidden(JSON.stringify(document), escapeSequence);
	} catch (error) {
		// A value that JSON does not have, or a cycle.
		throw new ResourceFailure(`cannot write the document as JSON: ${(error as Error).message.split("\n", 1)[0]}`);
	}
}

function findOutput(value: unknown, path: string, above: Set<unknown>): string | undefined {
	if (typeof value !== "object" || value === null || above.has(value)) return undefined;
	if (isOutput(value) || value instanceof Promise) return path;
	above.add(value);
	const places = Array.isArray(value)
		? value.map((item: unknown, index) => [item, `${path}[${index}]`] as const)
		: Object.entries(value).map(([name, item]) => [item, `${path}.${name}`] as const);
	for (const [item, place] of places) {
		const found = findOutput(item, place, above);
		if (found !== undefined) return found;
	}
	above.delete(value);
	return undefined;
}

/** The problems of a document of one line, each with the path of its property. */
export function listPaths(problems: readonly Problem[]): string {
	return problems
		.map(({ path, message }) => {
			const place = path === "" ? "document" : `document.${path}`;
			return `${place}: ${message.replace(/,? (first )?on this line/, "")}`;
		})
		.join("\n");
}

/** Whether a value is an output of the SDK, which marks them so for copies of itself. A plugin gets none: its inputs are plain. */
function isOutput(value: object): boolean {
	return "__pulumiOutput" in value && value.__pulumiOutput === true;
}
