/** Commands that a reader copies. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { makeCommandTable } from "../../src/cli/flags/command-table.ts";
import {
	type CommandContext,
	commandText,
	helpText,
	inOrganization,
	repeatedFlags,
} from "../../src/plan/suggested-command.ts";
import { id } from "./support-organizations.ts";

const rows = makeCommandTable().flatMap(({ commands }) => commands);
const whole: CommandContext = {
	...{ file: ["a b.yaml", "c.yaml"], env: ["STAGE"], journal: "j.sqlite" },
	...{ url: "https://api.test/", organization: id("org", 1) },
};

describe("A suggested command", () => {
	it("repeats the flags of the call that the command takes, quoted for a shell, before its own arguments", () => {
		expect(commandText({ command: "apply", arguments: ["--abandon", "a'b"] }, whole)).toBe(
			`orgsync apply --url https://api.test -f 'a b.yaml' -f c.yaml --env STAGE --organization ${whole.organization} --journal j.sqlite --abandon 'a'\\''b'`,
		);
		expect(commandText({ command: "explain", arguments: ["x"] }, { local: true, journal: "j" })).toBe(
			"orgsync explain --local x",
		);
		expect(commandText({ command: "validate" }, { ...whole, local: true, shard: "1/2" })).toBe(
			"orgsync validate -f 'a b.yaml' -f c.yaml --env STAGE --shard 1/2",
		);
		expect(commandText({ command: "show", arguments: ["plan.json"] }, whole)).toBe("orgsync show plan.json");
		expect(helpText("plan")).toBe("orgsync plan --help");
	});

	it.each([
		["https://api.test/TOKEN/v1", "https://api.test/PATH"],
		["http://127.0.0.1:80", "http://127.0.0.1"],
		["api.test/TOKEN", "URL"],
	])("shows no path of %s, because it can hold a token", (url, shown) => {
		expect(commandText({ command: "status" }, { url })).toBe(`orgsync status --url ${shown}`);
	});

	it("names the organization in place of a share, where the documents have several", () => {
		const fleet = { file: ["fleet"], shard: "1/2" };
		const named = id("org", 7);
		expect(commandText({ command: "plan" }, inOrganization({ ...fleet, hasSeveral: true }, named))).toBe(
			`orgsync plan -f fleet --organization ${named}`,
		);
		expect(commandText({ command: "plan" }, inOrganization(fleet, named))).toBe("orgsync plan -f fleet --shard 1/2");
	});

	it.each(Object.entries(repeatedFlags))("%s repeats all flags of the context that it takes", (name, repeated) => {
		const flags = rows.find((row) => row.name === name)?.flags.map((flag) => flag.attributeName()) ?? [];
		const known = ["local", "url", "file", "env", "organization", "shard", "journal"];
		expect(repeated).toEqual(known.filter((one) => flags.includes(one)));
	});
});

describe("The sources", () => {
	const root = fileURLToPath(new URL("../../src/", import.meta.url));
	const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
	const names = rows.map(({ name }) => name).join("|");
	/** A command in a text, or one that is put together. */
	const written = new RegExp(`[\`"' ]orgsync (?:(?:${names})\\b(?!:)|--|\\$\\{)`);
	/** What is no suggestion, by file: help, scripts, titles, names, and the schema of the emulator, which imports no plan. */
	const others: readonly (readonly [file: string, text: string])[] = [
		["cli/flags/command-row.ts", "firstCalls"],
		["cli/commands/completion.ts", "| source"],
		["document/export/text.ts", "written by orgsync export."],
		["document/export/seed.ts", "written by orgsync export --as seed."],
		["say/stale.ts", "was not made by orgsync plan"],
		["emulator/control/schema.ts", "orgsync schema seed"],
		["render/result/summary.ts", "could not start"],
		["render/result/summary.ts", "stopped: "],
		["cli/output/output.ts", "metrics.version"],
		["cli/output/traces.ts", "this.start("],
		["action/command.ts", "generatedBy"],
		["action/command.ts", "ended with exit code"],
	];

	it("write no command of orgsync by hand but the examples of the help", () => {
		const found = files.flatMap((file) => {
			const lines = readFileSync(join(root, file), "utf8").split("\n");
			return lines
				.filter((line) => written.test(line) && !/^\s*(?:\*|\/\/|\/\*\*|example: )/.test(line))
				.map((line) => ({ file: file.replaceAll("\\", "/"), line: line.trim() }));
		});
		const isOther = (one: (typeof found)[number], among = others): boolean =>
			among.some(([file, text]) => one.file === file && one.line.includes(text));
		expect(found.filter((one) => !isOther(one))).toEqual([]);
		expect(others.filter((one) => !found.some((line) => isOther(line, [one])))).toEqual([]);
	});
});
