/**
 * A document with `organizations`: which lists are read, what `${each.NAME}` becomes, and where each problem is.
 */
import { describe, expect, test } from "vitest";
import { checkFleet } from "../../src/document/read/fleet.ts";
import { type ListFile, parseDocuments } from "../../src/document/read/parse.ts";
import { checkSchema } from "../check-schema.ts";

const id = (index: number): string => `f0000000-0000-4000-8000-${index.toString(16).padStart(12, "0")}`;
const each = (name: string): string => `\${each.${name}}`;

const from = (file: string): string => `organizations: { from: ${file} }\n`;
const rest = `users: { owner: "${each("owner")}" }
userTags:
  - name: signers
    members: { exactly: [owner, "${each("second")}"] }
`;

interface Read {
	readonly list?: string | Uint8Array;
	readonly file?: string;
	readonly others?: string;
	readonly environment?: Record<string, string>;
}

/** Reads a document and its list; problems are `line:column code`, those of the list after its name. */
function read(content: string, { list = "", file = "fleet.csv", others = "", environment = {} }: Read = {}) {
	const sources = [{ file: "fleet.yaml", content: content + others }];
	const findList = (): ListFile => ({ file, content: list });
	const { organizations, problems } = parseDocuments(sources, environment, { findList });
	const places = problems.map(({ file: place, line, column, code }) => {
		return `${place === "fleet.yaml" ? "" : "list "}${line}:${column} ${code}`;
	});
	return { organizations, problems, places, messages: problems.map(({ message }) => message) };
}

const ofCsv = (list: string | Uint8Array) => read(from("fleet.csv") + rest, { list });
const ofJson = (list: string) => read(from("fleet.json") + rest, { list, file: "fleet.json" });

const header = "organizationId,owner,second\n";
const row = (index: number): string => `${id(index)},${id(index + 100)},${id(index + 200)}\n`;

describe("a document with organizations", () => {
	test("describes the same organization from CSV, from JSON, from its own list, and written out", () => {
		const values = { organizationId: id(1), owner: id(101), second: id(201) };
		const plain = rest.replace(each("owner"), id(101)).replace(each("second"), id(201));
		const found = [
			ofCsv(header + row(1)),
			ofJson(JSON.stringify([values])),
			read(`organizations: [${JSON.stringify(values)}]\n${rest}`),
			read(`organizationId: "${each("Org ID")}"\n${from("x.csv")}${rest}`, {
				list: `Org ID;owner;second\r\n${row(1).replaceAll(",", ";")}`,
			}),
			read(`organizationId: ${id(1)}\n${plain}`),
		];
		expect(found.map(({ places }) => places)).toEqual(found.map(() => []));
		const digests = found.map(({ organizations }) => organizations.map(({ digest }) => digest));
		expect(new Set(digests.flat()).size).toBe(1);
		expect(found[0]?.organizations[0]).toMatchObject({
			files: ["fleet.csv", "fleet.yaml"],
			row: { file: "fleet.csv", line: 2, column: 1, document: "fleet.yaml" },
		});
		expect(found.at(-1)?.organizations[0]).not.toHaveProperty("row");
	});

	test.each([
		["no value", "", "null-value"],
		["a text that is no UUID", "desk", "not-an-id"],
		["a number", "12", "wrong-type"],
		["a list", "[1]", "wrong-type"],
		["a variable that is not set", `"\${ORGSYNC_VAR_ID}"`, "unset-variable"],
	])("is refused, once, with %s as its own organizationId: it would be a fleet of none", (_what, own, code) => {
		const { places, organizations } = read(`organizationId: ${own}\n${from("x.csv")}`, { list: "desk\none\ntwo\n" });
		expect(organizations).toEqual([]);
		expect(places).toEqual([expect.stringMatching(new RegExp(`^1:\\d+ ${code}$`))]);
	});

	test("never parses a value: YAML, variables and other values in it are text", () => {
		const name = `[a, {b: *c}] # ${each("owner")} \${HOME} "x", y`;
		const list = `organizationId,name\n${id(1)},"${name.replaceAll('"', '""')}"\n`;
		const { organizations, places } = read(`${from("x.csv")}userTags: [{ name: "<${each("name")}>" }]\n`, { list });
		expect(places).toEqual([]);
		expect(organizations[0]?.objects[0]).toMatchObject({ name: `<${name}>` });
	});

	test("keeps a number of JSON as a number where it is the whole value", () => {
		const list = JSON.stringify([{ organizationId: id(1), max: 3 }]);
		const content = `${from("x.json")}limits: { policies: "${each("max")}" }\nuserTags: [{ name: "v${each("max")}" }]\n`;
		const [found] = read(content, { list }).organizations;
		expect(found).toMatchObject({ limits: { policies: 3 }, objects: [{ name: "v3" }] });
	});

	test("is merged with the documents of one of its organizations", () => {
		const others = `---\norganizationId: ${id(2)}\nuserTags: [{ name: oncall, members: { atLeast: [owner] } }]\n`;
		const { organizations, places } = read(from("x.csv") + rest, { list: header + row(1) + row(2), others });
		expect(places).toEqual([]);
		expect(organizations.map(({ objects }) => objects.length)).toEqual([1, 2]);
	});

	test("has a schema that accepts it in an editor, and needs an organization otherwise", () => {
		const problemsOf = (value: object) => checkSchema("document.json", value).map(({ keyword }) => keyword);
		expect(problemsOf({ organizations: { from: "a.csv" }, users: { owner: each("Owner id") } })).toEqual([]);
		expect(problemsOf({ organizations: [{ organizationId: id(1), max: 3 }] })).toEqual([]);
		expect(problemsOf({ users: {} })).toContain("required");
	});
});

describe("a problem", () => {
	test("of a value is at its place in the list, and names the place that uses it", () => {
		const list = `${header}${id(1)},"${id(101)}",é\r\n"${id(2)}","two\nlines", ${id(202)}\n${id(3)},"=A1",#N/A\n`;
		const { places, messages } = ofCsv(list);
		expect(places).toEqual([
			"list 2:77 unknown-user",
			"list 3:40 not-an-id",
			"list 4:8 outer-space",
			"list 5:38 formula",
			"list 5:44 formula",
		]);
		expect(messages[0]).toMatch(/^unknown user `é`; .* \(`\$\{each\.second\}` at fleet\.yaml:5:33\)$/);
	});

	test("of the template is at its line, once for all rows", () => {
		const content = `${from("x.csv")}${rest}protect: { userTags: [signers] }\nnonsense: 1\n`;
		const { places } = read(content, { list: header + row(1) + row(2) + row(3) });
		expect(places).toEqual(["4:11 protected", "7:1 unknown-key"]);
	});

	test("of a name that no row has is the template's, and of one that some lack is the row's", () => {
		expect(ofCsv(`organizationId,ownr,second\n${row(1)}${row(2)}`)).toMatchObject({
			places: ["2:17 unknown-list-value"],
			messages: ["no row of the list has `owner`; did you mean `ownr`?"],
		});
		const items = [
			{ organizationId: id(1), owner: id(2), second: id(3) },
			{ organizationId: id(4), owner: id(5) },
		];
		expect(ofJson(JSON.stringify(items, null, 1)).places).toEqual(["list 7:2 missing-list-value"]);
	});

	test("of one organization in two rows names both", () => {
		expect(ofCsv(header + row(1) + row(2) + row(1))).toMatchObject({ places: ["list 4:1 duplicate-organization"] });
		const fixed = read(`organizationId: ${id(9)}\n${from("x.csv")}`, { list: header + row(1) + row(2) });
		expect(fixed.messages).toEqual([
			`every row of the list has this organization; write \`${each("NAME")}\`, or omit \`organizationId\``,
		]);
		const two = `${from("x.csv")}---\n${from("x.csv")}`;
		expect(read(two, { list: header + row(1) }).places).toEqual(["list 2:1 duplicate-organization"]);
	});

	test("shows no environment variable, and nothing of a file that is no list of organizations", () => {
		const environment = { ORGSYNC_VAR_X: "hunter2" };
		const content = `${from("x.csv")}users: { owner: "\${ORGSYNC_VAR_X}${each("owner")}" }\n`;
		const shown = read(content, { list: header + row(1), environment });
		expect(shown.places).toEqual(["list 2:38 not-an-id"]);
		expect(shown.messages.join()).not.toContain("hunter2");
		for (const list of ["organizationId,owner,second\nAKIA,s3cret,s3cret\n", "AKIA,s3cret,s3cret\ns3cret,1,2\n"]) {
			const { messages } = ofCsv(list);
			expect(messages.length).toBeGreaterThan(0);
			expect(messages.join()).not.toMatch(/AKIA|s3cret/);
		}
		expect(ofJson('{ "private_key": "s3cret" }').messages).toEqual(["the list must be a JSON list: [{ … }, { … }]"]);
	});

	test("of a document without a list is that of a value that does not exist", () => {
		expect(read(`organizationId: ${id(1)}\nusers: { owner: "${each("owner")}" }\n`).places).toEqual([
			"2:17 each-without-list",
		]);
	});
});

describe("a CSV list", () => {
	test("can come from a spreadsheet: a mark, semicolons, CR LF, quotes, empty rows and columns", () => {
		const text = `\uFEFForganizationId;owner;note;second;;\r\n${id(1)};${id(2)};"a ""b""; c\r\nd";${id(3)};;\r\n;;;;;\r\n\r\n`;
		const { organizations, places } = ofCsv(Buffer.from(text));
		expect(places).toEqual([]);
		expect(organizations.map(({ organizationId }) => organizationId)).toEqual([id(1)]);
	});

	test.each([
		["nothing", "", "1:1 empty-list"],
		["a header only", header, "1:1 empty-list"],
		["an empty first row", `,,\n${row(1)}`, "1:1 empty-list"],
		["two columns of one name", `organizationId,owner,owner\n${row(1)}`, "1:22 duplicate-column"],
		["a quote that is not closed", `${header}${row(1)}"${row(2)}${row(3)}`, "3:1 csv-syntax"],
		["text after a quote", `${header}"${id(1)}"x,a,b\n`, "2:1 csv-syntax"],
		["a quote inside a value", `${header}${id(1)},a"b,c\n`, "2:1 csv-syntax"],
		["a short row", `${header}${row(1)}${id(2)},${id(3)}\n`, "3:1 wrong-row-length"],
		["a long row", `${header}${id(1)},${id(2)},${id(3)},x\n`, "2:112 wrong-row-length"],
		[
			"too many columns",
			`${Array.from({ length: 201 }, (_, index) => `c${index}`).join(",")}\n`,
			"1:891 too-many-columns",
		],
		["a row of delimiters", `${header}${row(1)}${",".repeat(20_000)}\n`, "3:1 too-many-columns"],
		["UTF-16", Buffer.from(header, "utf16le").toString("latin1"), "1:2 not-text"],
		["a hidden character", `${header}${id(1)},${id(2)}\u200b,${id(3)}\n`, "2:38 invisible-character"],
		["an empty value that is used", `${header}${id(1)},,${id(3)}\n`, "2:38 empty-value"],
	])("with %s is refused at its place", (_what, list, place) => {
		expect(ofCsv(list).places).toEqual([`list ${place}`]);
	});
});

describe("a JSON list", () => {
	test.each([
		["an item that is no object", "[1]", "1:2 json-syntax"],
		["a mistake in an item", `[\n { "a": 1,\n "b" 2 }]`, "3:6 json-syntax"],
		["an item that does not end", '[{"a": "x}]', "1:2 json-syntax"],
		[
			"a missing comma",
			`[{"organizationId": "${id(1)}", "owner": "${id(2)}", "second": "${id(3)}"} {}]`,
			"1:160 json-syntax",
		],
		["text after its end", "[] []", "1:4 json-syntax"],
		["a huge item", `[{"a": ${"[".repeat(600_000)}${"]".repeat(600_000)}}]`, "1:2 json-syntax"],
		["no items", " [ ] ", "1:1 empty-list"],
	])("with %s is refused at its place", (_what, list, place) => {
		expect(ofJson(list).places).toEqual([`list ${place}`]);
	});

	test("reports values that are no scalars, numbers that are not exact, and keys that occur twice", () => {
		const list = `[{"organizationId": "${id(1)}", "owner": null, "second": {"a": []}, "n": 1.0, "n": 2}]`;
		expect(ofJson(list).places).toEqual([
			"list 1:70 wrong-type",
			"list 1:86 wrong-type",
			"list 1:102 inexact-number",
			"list 1:107 duplicate-key",
		]);
	});
});

test.each([
	["../../etc/passwd", "ends in .csv or .json"],
	["/lists/a.csv", "relative to the document"],
	["C:/a.csv", "relative to the document"],
	[".git/a.json", "hidden"],
	["a/node_modules/b.json", "hidden"],
])("a document cannot name %s as its list", (file, why) => {
	const { messages } = read(`${from(file)}users: { owner: "${each("owner")}" }\n`);
	expect(messages).toEqual([expect.stringContaining(why)]);
});

test("a document cannot name a list by more than 1,000 characters, and the message does not repeat them", () => {
	const { messages } = read(`${from(`${"a".repeat(996)}.json`)}users: { owner: "${each("owner")}" }\n`);
	expect(messages).toEqual([expect.stringMatching(/^`a{60}…` is longer than 1000 characters/)]);
});

test("a fleet of a list stores each organization before the next is read, and none if there is a problem", () => {
	const check = (list: string) => {
		const stored: unknown[] = [];
		const store = { put: (value: unknown) => stored.push(value) - 1, get: (place: number) => stored[place] };
		const findList = (): ListFile => ({ file: "fleet.csv", content: list });
		return checkFleet([{ file: "fleet.yaml", content: from("x.csv") + rest }], { environment: {}, findList }, store);
	};
	const { fleet } = check(header + row(3) + row(1) + row(2));
	expect(fleet.organizationIds).toEqual([id(1), id(2), id(3)]);
	expect(fleet.load(id(2)).users).toEqual({ owner: id(102) });
	expect(check(`${header}${row(1)}x,y,z\n`).fleet.organizationIds).toEqual([]);
});
