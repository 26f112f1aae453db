/** The committed SDKs are what Pulumi's generators make of the committed schema. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { makeSdks, readSdks } from "../../scripts/sdk.ts";
import { orSkip } from "../left-out.ts";
import { nameOf, schema } from "../pulumi/read-schema.ts";

describe("the committed SDKs", () => {
	it("are what the generators make; `npm run sdk` writes them", { timeout: 20 * 60_000 }, async (context) => {
		const made = await orSkip(context, makeSdks);
		const committed = readSdks();
		expect([...committed.keys()].toSorted()).toEqual([...made.keys()].toSorted());
		for (const [path, text] of made) expect(committed.get(path)?.toString(), path).toBe(text.toString());
	});

	it("name no folder of a machine, and no file is larger than 300 KiB", () => {
		const files = readdirSync("sdk", { recursive: true, encoding: "utf8" })
			.map((path) => `sdk/${path}`)
			.filter((path) => !path.includes("/node_modules") && statSync(path).isFile());
		const naming = files.filter((path) => readFileSync(path, "utf8").includes(process.cwd()));
		expect(naming).toEqual([]);
		expect(files.filter((path) => statSync(path).size > 300 * 1024)).toEqual([]);
	});

	it("for Go have no array, map or pointer of a resource, and no pointer to an output that is always set", () => {
		const files = [...readSdks()].filter(([path]) => path.startsWith("go/")).map(([, text]) => text.toString());
		const declared = files.flatMap((text) => [...text.matchAll(/^type (\w+) /gm)].map(([, name = ""]) => name));
		const wrapped = Object.keys(schema.resources).map((token) => new RegExp(`^${nameOf(token)}(Array|Map|Ptr)`));
		expect(declared.filter((name) => wrapped.some((pattern) => pattern.test(name)))).toEqual([]);
		expect(declared).not.toContain("OrganizationSummaryPtrOutput");
		expect(declared).toContain("OrganizationSummaryOutput");
	});
});
