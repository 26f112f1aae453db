/** The files of schemas/. Bundles have their texts in the code, in the place of this module (scripts/bundle.ts). */
import { readdirSync, readFileSync } from "node:fs";

const folder = new URL("../../schemas/", import.meta.url);

/** The package schema of the Pulumi plugin, in a form of Pulumi's own, which is no JSON Schema. */
export const pulumiSchemaFile = "pulumi.json";

/** The text of schemas/NAME. Throws when there is no such file: a defect of the package. */
export function readSchemaText(name: string): string {
	return readFileSync(new URL(name, folder), "utf8");
}

/** The names of all JSON Schemas in schemas/, sorted: `document.json`, `operations/update_user_tag.json`. */
export function schemaNames(): readonly string[] {
	return readdirSync(folder, { recursive: true, encoding: "utf8" })
		.map((name) => name.replaceAll("\\", "/"))
		.filter((name) => name.endsWith(".json") && name !== pulumiSchemaFile)
		.sort();
}
