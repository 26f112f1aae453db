/**
 * A document that a program gives as an object: written as the text that documents are read from. Its problems name
 * properties of the object, not lines of that text.
 */
import * as pulumi from "@pulumi/pulumi";
import type { Problem } from "../errors.ts";
import { escapeSequence, replaceHidden } from "../invisible.ts";

/** The object as a document of one line. Throws RunError if it cannot be written, and names the property. */
export function objectToDocument(document: Readonly<Record<string, unknown>>): string {
	const later = findLater(document, "document", new Set());
	if (later !== undefined) {
		throw new pulumi.RunError(
			`${later} is an output or a promise: a document holds values that are known when the program runs; use UserTag and the removals for values that come later`,
		);
	}
	try {
		// A document writes an invisible character as an escape; a program has no other way than the character.
		return replaceHidden(JSON.stringify(document), escapeSequence);
	} catch (error) {
		// A value that JSON does not have, or a circle.
		throw new pulumi.RunError(`the document cannot be written as JSON: ${(error as Error).message.split("\n", 1)[0]}`);
	}
}

/** The path of the first value that is not known yet. */
function findLater(value: unknown, path: string, above: Set<unknown>): string | undefined {
	if (typeof value !== "object" || value === null || above.has(value)) return undefined;
	if (pulumi.Output.isInstance(value) || value instanceof Promise) return path;
	above.add(value);
	const places = Array.isArray(value)
		? value.map((item: unknown, index) => [item, `${path}[${index}]`] as const)
		: Object.entries(value).map(([name, item]) => [item, `${path}.${name}`] as const);
	for (const [item, place] of places) {
		const found = findLater(item, place, above);
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
