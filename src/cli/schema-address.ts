/**
 * Where editors find the schema of a document that orgsync writes.
 */
import { dirname, isAbsolute, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** The schema's place as seen from the document; where the package lies elsewhere, its absolute place as a file: address. */
export function schemaAddress(document: string): string {
	const schema = fileURLToPath(new URL("../../schemas/document.json", import.meta.url));
	const path = relative(dirname(document), schema).replaceAll("\\", "/");
	return isAbsolute(path) || path.startsWith("../../..") ? new URL(`file://${schema}`).href : path;
}
