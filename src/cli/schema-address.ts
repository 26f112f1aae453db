import { dirname, isAbsolute, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** Returns the path of the schema relative to the document, or a file: URL if the package is in another directory tree. */
export function schemaAddress(document: string): string {
	const schema = fileURLToPath(new URL("../../schemas/document.json", import.meta.url));
	const path = relative(dirname(document), schema).replaceAll("\\", "/");
	return isAbsolute(path) || path.startsWith("../../..") ? new URL(`file://${schema}`).href : path;
}
