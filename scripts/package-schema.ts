/**
 * Writes the Pulumi package schema: `schemas/pulumi.json`, which the plugin answers with, and the same bytes as
 * `sdk/schema.json`, from which the SDKs are generated.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, parse } from "node:path";
import { fileURLToPath } from "node:url";
import { makePackageSchema } from "./package-schema/package.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string };

export const schemaFiles = ["schemas/pulumi.json", "sdk/schema.json"];

/** The whole text of the package schema of this version. */
export function packageSchemaText(): string {
	return `${JSON.stringify(makePackageSchema(version, readExamples()), null, "\t")}\n`;
}

/** The programs of each resource and function by its name. */
function readExamples(): Readonly<Record<string, string>> {
	const folder = join(root, "scripts/package-schema/examples");
	const files = readdirSync(folder).sort();
	return Object.fromEntries(files.map((file) => [parse(file).name, readFileSync(join(folder, file), "utf8")]));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const text = packageSchemaText();
	for (const file of schemaFiles) {
		const path = join(root, file);
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, text);
	}
}
