import { existsSync } from "node:fs";
import { dirname, isAbsolute, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Where schemas/ of the package is, seen from the sources as from a chunk of the bundle. */
const place = "../../../schemas/document.json";

/**
 * Returns the path of the schema relative to the document, or a file: URL if the package is in another directory tree;
 * empty for a single-file executable, which has no such file.
 */
export function schemaAddress(document: string): string {
	const schema = fileURLToPath(new URL(place, import.meta.url));
	if (!existsSync(schema)) return "";
	const path = relative(dirname(document), schema).replaceAll("\\", "/");
	return isAbsolute(path) || path.startsWith("../../..") ? pathToFileURL(schema).href : path;
}
