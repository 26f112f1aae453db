/**
 * The schemas as their readers have them: printed by `orgsync schema`, compiled with nothing else at hand.
 */
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { schemaNames } from "../../../src/schema/files.ts";
import { checkSchema } from "../../check-schema.ts";
import { makeFolder, run } from "../../run.ts";
import { document, makeWorld, policies } from "../../world.ts";

/** A validator of the printed text alone. Its definitions compile by themselves too: an operation's schema is nothing else. */
async function compilePrinted(name: string) {
	const { code, stdout, stderr } = await run(["schema", name], { cwd: makeFolder() });
	expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
	const ajv = new Ajv2020({
		allErrors: true,
		allowUnionTypes: true,
		strictRequired: false,
		// As in src/schema/compiler.ts: a keyword beside $ref takes its type from there, and optimized code takes twice as long to make.
		strictTypes: false,
		code: { optimize: false },
	});
	addFormats.default(ajv);
	const schema = JSON.parse(stdout);
	ajv.addSchema(schema, "printed");
	for (const part of Object.keys(schema.$defs ?? {})) ajv.compile({ $ref: `printed#/$defs/${part}` });
	return ajv.compile({ $ref: "printed" });
}

const names = schemaNames().map((file) => file.replace(/\.json$/, ""));

describe("orgsync schema", () => {
	test.each(
		names,
	)("%s prints a schema that compiles without any further file, and refuses other values", async (name) => {
		const isValid = await compilePrinted(name);
		if (!name.startsWith("operations/")) expect(isValid("no object")).toBe(false);
	});

	test("output prints a schema that accepts and refuses what the published files do", async () => {
		const world = await makeWorld(document(`absent: { policies: [${policies[0]}] }`));
		const isOutput = await compilePrinted("output");
		for (const words of [["validate"], ["plan"], ["drift"], ["apply", "--yes"], ["status"], ["plan", "--bogus"]]) {
			const { stdout } = await world.run([...words, "--format", "json"]);
			const output = JSON.parse(stdout);
			expect(isOutput(output), `${words.join(" ")}: ${JSON.stringify(isOutput.errors)}`).toBe(true);
			const wrong = { ...output, plans: [{}], reports: [{}], exitCode: 42 };
			const places = (errors: readonly { instancePath: string; keyword: string }[] | null | undefined) =>
				(errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`).sort();
			expect(isOutput(wrong)).toBe(false);
			expect(places(isOutput.errors)).toEqual(places(checkSchema("output.json", wrong)));
		}
	});
});
