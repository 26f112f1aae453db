/** The version of a document's format: 1 may be written, and a newer one is refused before anything else is read. */
import { describe, expect, it } from "vitest";
import { parseDocuments, parsePlain } from "../../src/document/read/parse.ts";

const organizationId = "0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a11";

function read(content: string) {
	const { organizations, problems } = parseDocuments([{ file: "org.yaml", content }], {});
	const shown = problems.map(({ line, column, code, message }) => `${line}:${column} ${code}: ${message}`);
	return { digests: organizations.map(({ digest }) => digest), shown };
}

const newer = (place: string, version: string): string =>
	`${place} newer-format: the document needs a newer orgsync: it has formatVersion ${version}, and this one reads 1; upgrade orgsync`;

describe("formatVersion in a document", () => {
	it("1 means what a document without it means", () => {
		const plain = read(`organizationId: ${organizationId}\nabsent: { policies: [] }\n`);
		const versioned = read(`formatVersion: 1\norganizationId: ${organizationId}\nabsent: { policies: [] }\n`);
		expect(plain.shown).toEqual([]);
		expect(versioned).toEqual(plain);
	});

	it.each([
		["with keys that this orgsync does not know", `formatVersion: 2\ntargets: [{ arn: x }]\n`, newer("1:16", "2")],
		["with values of other types", `organizationId: {}\nformatVersion: 3\nusers: 1\n`, newer("2:16", "3")],
		["with a list of another form", `organizations: 5\nformatVersion: 2.5\n`, newer("2:16", "2.5")],
		["with a variable that is not set", "formatVersion: 2\norganizationId: ${ORGSYNC_VAR_NONE}\n", newer("1:16", "2")],
	])("that is newer is the only problem of a document %s", (_what, content, problem) => {
		expect(read(content)).toEqual({ digests: [], shown: [problem] });
	});

	it("that is newer does not hide the problems of the other documents", () => {
		const { shown } = read(`formatVersion: 2\n---\norganizationId: ${organizationId}\nuserTag: []\n`);
		expect(shown).toEqual([newer("1:16", "2"), expect.stringContaining("4:1 unknown-key")]);
	});

	it.each([
		["0", "unknown value `0` of `formatVersion`; allowed: 1"],
		['"2"', "`formatVersion` must be a whole number, but is the text `2`; remove the quotes"],
		["null", "`formatVersion` has no value"],
		["[2]", "`formatVersion` must be a whole number, such as `1`, but is a list"],
	])("cannot be %s", (value, message) => {
		const { digests, shown } = read(`formatVersion: ${value}\norganizationId: ${organizationId}\n`);
		expect(digests).toEqual([]);
		expect(shown).toEqual([expect.stringContaining(message)]);
	});

	it("that is newer is refused in a value of a program too", () => {
		expect(parsePlain("document", { formatVersion: 1, organizationId })).toMatchObject({ organizationId });
		expect(parsePlain("document", { formatVersion: 2, organizationId })).toBeUndefined();
	});
});
