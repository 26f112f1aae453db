import { existsSync } from "node:fs";
import { dirname, isAbsolute, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Where schemas/ of the package is, seen from the sources as from a chunk of the bundle. */
const place = "../../../schemas/document.json";

/** Returns the schema's path from the document, or a file: URL in another tree; empty in a single-file executable. */
export function schemaAddress(document: string): string {
	const schema = fileURLToPath(new URL(place, import.meta.url));
	if (!existsSync(schema)) return "";
	const path = relative(dirname(document), schema).replaceAll("\\", "/");
	return isAbsolute(path) || path.startsWith("../../..") ? pathToFileURL(schema).href : path;
}
