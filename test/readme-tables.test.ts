/**
 * Compares what README.md and the pages of docs/ list with the code: flags, exit codes, operations, keys, messages.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { makeProgram } from "../src/cli/flags/program.ts";
import type { Terminal } from "../src/cli/output/output.ts";
import { exitCodeOrder, exitCodes } from "../src/common/errors.ts";
import { parseDocuments } from "../src/document/read/parse.ts";
import { namedPowers, type PowerName, printGroup } from "../src/policy/powers/groups.ts";
import { activityStatuses, extendedReads, extendedSubmits, operations, queries } from "../src/wire/operations.ts";
import { authenticationTypes, caip2Networks } from "./service-words.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");

describe("README.md", () => {
	it("shows a document that is valid", () => {
		const content = /```yaml\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
		expect(parseDocuments([{ file: "README.md", content }], {}).problems).toEqual([]);
	});

	it("names only variables, commands and flags that exist", () => {
		const block = /```bash\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
		const names = [...block.matchAll(/^export (\w+)=/gm)].map(([, name = ""]) => name);
		expect(names.length).toBeGreaterThan(2);
		const { commands } = makeProgram({} as Terminal, () => {});
		const flags = commands.flatMap((command) => command.options.map(({ long }) => long));
		const commandLine = readFileSync(join(root, "docs/connection.md"), "utf8");
		for (const name of names) expect(commandLine, name).toContain(`\`${name}\``);
		for (const [, name = ""] of block.matchAll(/^npx orgsync (\S+)/gm))
			expect(commands.map((command) => command.name())).toContain(name);
		for (const [flag] of block.matchAll(/--[a-z-]+/g)) expect(flags).toContain(flag);
	});

	it("imports only what the package exports", async () => {
		const [, names = ""] = /import \{ (.*?) \} from "orgsync"/.exec(readme) ?? [];
		expect(Object.keys(await import("../src/index.ts"))).toEqual(expect.arrayContaining(names.split(", ")));
	});

	it("has at most 180 lines", () => {
		expect(readme.split("\n").length).toBeLessThanOrEqual(180);
	});
});

describe("docs/document.md", () => {
	const markdown = readFileSync(join(root, "docs/document.md"), "utf8");
	const blocks = [...markdown.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, content = ""]) => content);
	const documents = blocks.filter((content) =>
		/^(?:organizations|organizationId|# yaml-language-server):/.test(content),
	);

	it("shows documents, whole ones only", () => {
		expect(documents.length).toBeGreaterThan(10);
		expect(documents).toEqual(blocks);
	});

	it.each(documents)("shows a document that is valid: %j", (content) => {
		const id = "3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c001";
		const names = [...content.matchAll(/(?<!\$)\$\{(\w+)\}/g)].map(([, name = ""]) => name);
		const environment = Object.fromEntries(names.map((name) => [name, id]));
		const list = `organizationId,lead,deputy\n${id},${id.replace(/1$/, "2")},${id.replace(/1$/, "3")}\n`;
		const findList = () => ({ file: "list", content: list });
		expect(parseDocuments([{ file: "docs/document.md", content }], environment, { findList }).problems).toEqual([]);
	});

	it("names every property of the schema", () => {
		const schema = JSON.parse(readFileSync(join(root, "schemas/document.json"), "utf8")) as unknown;
		const names = propertyNames(schema);
		expect(names.length).toBeGreaterThan(40);
		expect(names.filter((name) => !markdown.includes(`\`${name}\``))).toEqual([]);
	});
});

describe("docs/policies-as-code.md", () => {
	const markdown = readFileSync(join(root, "docs/policies-as-code.md"), "utf8");
	const blocks = [...markdown.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, content = ""]) => content);
	const file = "docs/policies-as-code.md";

	it.each(blocks)("shows a document that is valid: %j", (content) => {
		expect(parseDocuments([{ file, content }], {}).problems).toEqual([]);
	});

	it("shows ten patterns", () => {
		const numbers = [...markdown.matchAll(/^ {2}- name: .+ # (\d+)\. /gm)].map(([, number]) => Number(number));
		expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
	});

	it("begins with the document that its first command plans", () => {
		const example = readFileSync(join(root, "docs/examples/policies.yaml"), "utf8");
		expect(blocks[0]).toBe(example);
	});
});

/** The keys of every `properties` of a schema, however deep. */
function propertyNames(schema: unknown): readonly string[] {
	if (typeof schema !== "object" || schema === null) return [];
	return Object.entries(schema).flatMap(([key, value]) => [
		...(key === "properties" ? Object.keys(value as object) : []),
		...propertyNames(value),
	]);
}

describe("docs/commands.md", () => {
	const markdown = readFileSync(join(root, "docs/commands.md"), "utf8");
	const { commands } = makeProgram({} as Terminal, () => {});
	/** The text below each heading, by the anchor of the heading. */
	const sections = new Map(
		markdown
			.split(/^#{2,3} /m)
			.slice(1)
			.map((text) => [(text.split("\n", 1)[0] ?? "").toLowerCase().replaceAll(" ", "-"), text]),
	);
	/** Groups of flags that several commands share, by the anchor of their heading. */
	const sharedGroups: Readonly<Record<string, string>> = {
		documents: "Documents",
		connection: "Connection",
		"api-key": "Credentials",
		passkeys: "Credentials",
		scope: "Scope",
		organization: "Scope",
		reads: "Connection",
		journal: "Activities",
		"saved-plan": "Saved plan",
		output: "Output",
		"output-in-markdown": "Output",
		metrics: "Output",
	};
	it("says which commands have which format", () => {
		const row = /^\| `--format FORMAT` \| (.*) \|$/m.exec(markdown)?.[1] ?? "";
		const said = row
			.split("; ")
			.flatMap((part) => {
				const [names = "", formats = ""] = part.split(/ (?:also|or) (?=[`[])/);
				const words = (text: string) => [...text.matchAll(/`([a-z-]+)`/g)].map(([, word]) => word);
				return words(names).flatMap((name) => words(formats).map((format) => `${name} ${format}`));
			})
			.filter((one) => !one.startsWith("text "));
		const had = commands.flatMap((command) =>
			(command.options.find(({ long }) => long === "--format")?.argChoices ?? [])
				.filter((format) => !["text", "json"].includes(format))
				.map((format) => `${command.name()} ${format}`),
		);
		expect(said.sort()).toEqual(had.sort());
	});

	/** Each flag in the tables of a section, with its group: `Output: --format`. */
	const flagsIn = (anchor: string): readonly string[] =>
		[...(sections.get(anchor) ?? "").matchAll(/^\| (?:([A-Z][a-z ]+) \| )?(`-.*?) \|/gm)].flatMap(
			([, group, cell = ""]) =>
				[...cell.matchAll(/(?<=`)--?[a-z-]+/g)].map(([flag]) => `${group ?? sharedGroups[anchor]}: ${flag}`),
		);

	it("has a section for every command", () => {
		expect([...sections.keys()]).toEqual(expect.arrayContaining(commands.map((command) => command.name())));
	});

	it.each(
		commands.map((command) => [command.name(), command] as const),
	)("lists the flags of %s in the groups of its help", (name, command) => {
		const links = [...(sections.get(name) ?? "").matchAll(/\]\(#([a-z-]+)\)/g)].map(([, anchor = ""]) => anchor);
		const shared = links.filter((anchor) => Object.hasOwn(sharedGroups, anchor));
		const listed = [name, ...new Set(shared)].flatMap(flagsIn);
		const flags = command.options.flatMap(({ short, long, helpGroupHeading }) =>
			[short, long].filter((flag) => flag != null).map((flag) => `${helpGroupHeading} ${flag}`),
		);
		expect(listed.sort()).toEqual(flags.sort());
	});

	it("has the order of the exit codes that the code has", () => {
		const [, order = ""] = /the first of these wins: ([\d,\s]+)\./.exec(sections.get("exit-codes") ?? "") ?? [];
		expect(order.split(",").map(Number)).toEqual(exitCodeOrder);
		expect([...exitCodeOrder].sort((left, right) => left - right)).toEqual(Object.values(exitCodes));
	});

	it("lists every exit code", () => {
		const listed = [...(sections.get("exit-codes") ?? "").matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
		expect(listed.sort((left, right) => left - right)).toEqual(Object.values(exitCodes));
	});
});

describe("docs/powers.md", () => {
	it("lists every name of a power, with its groups where it writes groups", () => {
		const markdown = readFileSync(join(root, "docs/powers.md"), "utf8");
		const [, table = ""] = /\n### Names\n([\s\S]*?)\n\n[^|]/.exec(markdown) ?? [];
		const rows = [...table.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, name, groups = ""]) => ({
			name,
			groups: [...groups.matchAll(/`(\w+\/\w+)`/g)].map(([, group]) => group),
		}));
		expect(rows.map(({ name }) => name)).toEqual(Object.keys(namedPowers));
		const written = rows.filter(({ groups }) => groups.length > 0);
		expect(written.length).toBe(9);
		for (const { name, groups } of written)
			expect([name, groups]).toEqual([name, namedPowers[name as PowerName].map(printGroup)]);
	});
});

describe("docs/internals/json.md", () => {
	it("names every member of JSON output and no other", () => {
		const markdown = readFileSync(join(root, "docs/internals/json.md"), "utf8");
		const schema = JSON.parse(readFileSync(join(root, "schemas/output.json"), "utf8")) as { properties: object };
		const members = Object.keys(schema.properties);
		const table = markdown.slice(markdown.indexOf("| member | |")).split("\n\n", 1)[0] ?? "";
		const listed = [...table.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, cell = ""]) => cell.match(/\w+/g) ?? []);
		expect(members).toEqual(expect.arrayContaining(listed));
		expect(members.filter((member) => !table.includes(`\`${member}\``))).toEqual([]);
	});
});

describe("docs/internals/service.md", () => {
	const markdown = readFileSync(join(root, "docs/internals/service.md"), "utf8");
	const all = Object.values({ ...operations, ...extendedReads, ...extendedSubmits });

	it.each(
		all.map((operation) => [operation.name, operation] as const),
	)("lists %s with its fields", (name, operation) => {
		const row = new RegExp(`^\\| \`${name}\` \\|.*$`, "m").exec(markdown)?.[0] ?? "";
		const fields = operation.fields.filter((field) => field !== "organizationId");
		for (const field of fields) expect(row).toContain(field);
		if (operation.family === "submit") expect(row).toContain(`\`${operation.type}\``);
	});

	it("lists every status, network and authentication method", () => {
		for (const status of activityStatuses) expect(markdown).toContain(`\`${status.replace("ACTIVITY_STATUS_", "")}\``);
		for (const network of caip2Networks) expect(markdown).toContain(network.replace("eip155:", ""));
		for (const type of authenticationTypes) expect(markdown).toContain(type.replace("AUTHENTICATION_TYPE_", ""));
	});
});

describe("the extended reads", () => {
	const names = Object.keys(extendedReads).sort();
	const between = (file: string, start: string, end: string): string => {
		const text = readFileSync(join(root, file), "utf8");
		expect(text, `${file} has no "${start}"`).toContain(start);
		return text.slice(text.indexOf(start)).split(end, 1)[0] ?? "";
	};
	const lists = [
		["docs/internals/service.md", "\n## Extended reads", "\nWithout the extended reads"],
		["docs/document.md", "\n## What the service shows", "\nEach is asked only"],
		["docs/commands.md", "The ten extended reads are", "\n\n"],
	] as const;

	it.each(lists)("are listed in %s as in the code", (file, start, end) => {
		const listed = [...between(file, start, end).matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);
		const isRead = (name: string): boolean => /^(list|get)_|^whoami$/.test(name) && !Object.hasOwn(queries, name);
		expect([...new Set(listed.filter(isRead))].sort()).toEqual(names);
	});

	it.each(["SECURITY.md", "docs/document.md", "docs/commands.md"])("are as many in %s as in the code", (file) => {
		const counts = [...readFileSync(join(root, file), "utf8").matchAll(/(\w+)\s+\[?(?:extended reads|reads outside)/g)];
		const words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
		const stated = counts.map(([, word = ""]) => words.indexOf(word) + 1).filter((count) => count > 0);
		expect(new Set(stated)).toEqual(new Set([names.length]));
	});

	it("are each used, get_session_profiles by export and credentials alone", () => {
		const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter(
			(file) => file.endsWith(".ts") && !file.startsWith("emulator"),
		);
		const uses = files.flatMap((file) =>
			[...readFileSync(join(root, "src", file), "utf8").matchAll(/extendedReads\.(\w+)/g)].map(([, name]) => ({
				file,
				name,
			})),
		);
		expect([...new Set(uses.map(({ name }) => name))].sort()).toEqual(names);
		const ofExport = uses.filter(({ name }) => name === "get_session_profiles").map(({ file }) => file);
		expect(ofExport.sort()).toEqual(["read-access.ts", "read-whole.ts"].map((name) => join("sync", "read", name)));
	});
});

describe("docs/troubleshooting.md", () => {
	const rows = readFileSync(join(root, "docs/troubleshooting.md"), "utf8")
		.split("## Symptoms without a message", 1)[0]
		?.matchAll(/^\| `([^`]+)` \|/gm);
	const messages = [...(rows ?? [])].map(([, message = ""]) => message);
	const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
		.filter((file) => file.endsWith(".ts"))
		.map((file) => readFileSync(join(root, "src", file), "utf8").replaceAll("\\`", "`"))
		.join("\n")
		.replaceAll(/\$\{flag\("([\w-]+)"\)\}/g, "--$1");

	it("explains the messages that readers meet", () => expect(messages.length).toBeGreaterThan(25));

	it.each(messages)("quotes a message of the program: %s", (message) => {
		for (const part of message.split("…").map((one) => one.trim())) expect(sources.includes(part), part).toBe(true);
	});
});
