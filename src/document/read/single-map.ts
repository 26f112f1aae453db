/** Reads a file that is one map, such as access cases or a request. */
import type { Cell } from "../cell.ts";
import type { Problems } from "../problems.ts";
import { readText } from "./file-text.ts";
import type { DocumentSource } from "./read-documents.ts";
import { readTree } from "./tree.ts";
import type { Substitution } from "./variables.ts";
import { readYaml } from "./yaml.ts";

/** Returns the map; undefined after a problem, which says what was `expected`. `allowsNull`: whether null is a value at this path. */
export function readSingleMap(
	{ file, content }: DocumentSource,
	substitution: Substitution,
	problems: Problems,
	expected: string,
	allowsNull: (path: string) => boolean = () => false,
): Cell | undefined {
	const text = readText(file, content, problems);
	if (text === undefined) return undefined;
	if (text.trim() === "") return problems.add({ file, line: 1, column: 1 }, "", "empty-document", expected);
	const yaml = readYaml(file, text, problems);
	const [first, second] = yaml.documents;
	if (first === undefined) return undefined;
	const root = readTree(first, yaml, substitution, problems, { allowsNull });
	if (root.kind === "map" && second === undefined) return root;
	if (second === undefined) return problems.add(root.at, "", "wrong-type", expected);
	const at = yaml.positionOf(second.contents?.range[0] ?? 0);
	return problems.add(at, "", "wrong-type", `${expected}, and no other document`);
}
