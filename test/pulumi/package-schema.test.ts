/** The Pulumi package schema: what is committed, and its structure. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { packageSchemaText, schemaFiles } from "../../scripts/package-schema.ts";

describe("the package schema", () => {
	it.each(schemaFiles)("%s is what the definitions say; `npm run sdk` writes it", (file) => {
		expect(readFileSync(file, "utf8")).toBe(packageSchemaText());
	});
});
