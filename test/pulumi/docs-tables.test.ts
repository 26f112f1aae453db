/** The tables of docs/pulumi.md, compared with the code. */
import { describe, expect, it } from "vitest";
import * as room from "../../src/pulumi/dynamic/index.ts";
import { documentInputs } from "../../src/pulumi/organization/organization-fields.ts";
import { environmentName, settingNames } from "../../src/pulumi/settings/settings.ts";
import { queries } from "../../src/wire/operations.ts";
import { readText } from "./page.ts";

const page = readText("docs/pulumi.md");

/** The text below a heading, up to the next one. */
function sectionOf(heading: string): string {
	const [, text = ""] = page.split(new RegExp(`^#{2,3} ${heading}$`, "m"));
	return text.split(/^#{2,3} /m, 1)[0] ?? "";
}

/** The rows of the tables of a section, without their heads; each cell's words in backticks. */
function rowsOf(heading: string): readonly (readonly (readonly string[])[])[] {
	const lines = sectionOf(heading)
		.split("\n")
		.filter((line) => line.startsWith("| `"));
	return lines.map((line) =>
		line
			.split("|")
			.slice(1, -1)
			.map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word)),
	);
}

const firstCells = (heading: string): readonly string[] => rowsOf(heading).map(([[word = ""] = []]) => word);

describe("the tables of docs/pulumi.md", () => {
	const files = [
		"dynamic/resource-class",
		"dynamic/classes",
		"dynamic/removal-classes",
		"dynamic/organization",
		"organization/component",
		"organization/organization-fields",
	];
	const sources = files.map((name) => readText(`src/pulumi/${name}.ts`)).join("\n");
	/** The body of a class or an interface, after that of the one that it extends. */
	const bodyOf = (name: string): string => {
		const declaration = new RegExp(`(?:class|interface) ${name}\\b[^{]*?(?: extends (\\w+)[^{]*)?{([^]*?)\n}`);
		const [, parent, body = ""] = declaration.exec(sources) ?? [];
		return (parent === undefined ? "" : bodyOf(parent)) + body;
	};
	const namesIn = (text: string, pattern: RegExp): readonly string[] =>
		[...text.matchAll(pattern)].map(([, name = ""]) => name);
	const resources = [
		"UserTag",
		"Policy",
		"OauthProviderRemoval",
		"PolicyRemoval",
		"UserTagRemoval",
		"TvcAppRemoval",
		"Organization",
	];

	it("list every class", () => {
		const classes = Object.keys(room).filter((name) => /^[A-Z]/.test(name));
		expect([...resources, "Provider"].sort()).toEqual(classes.sort());
		expect(firstCells("Resources")).toEqual(resources);
	});

	it.each(resources)("list the inputs and outputs of %s", (name) => {
		const inputs = namesIn(bodyOf(`${name}Args`), /^\treadonly (\w+)\??:/gm);
		expect(inputs.length).toBeGreaterThan(1);
		expect([...firstCells(name)].sort()).toEqual([...inputs].sort());
		const outputs = namesIn(bodyOf(name), /^\tdeclare readonly (\w+):/gm);
		expect(outputs.length).toBeGreaterThan(1);
		const [, told = ""] = /^Outputs: ([^.;]*?)(?:\.| with)/m.exec(sectionOf(name)) ?? [];
		expect(namesIn(told, /`(\w+)`/g)).toEqual(outputs);
	});

	it("list the fields of an Organization's summary", () => {
		const summary = namesIn(bodyOf("OrganizationSummary"), /^\treadonly (\w+):/gm);
		const [, told = ""] = /`summary` with ([^.]*)\./.exec(sectionOf("Organization")) ?? [];
		expect(namesIn(told, /`(\w+)`/g)).toEqual(summary);
	});

	it("list every setting by its three names", () => {
		expect(rowsOf("Provider and settings").map((cells) => cells.slice(0, 3).flat())).toEqual(
			settingNames.map((name) => [name, `orgsync:${name}`, environmentName(name)]),
		);
	});

	it("list every function with its arguments", () => {
		const rows = rowsOf("Functions");
		const functions = Object.keys(room).filter((name) => /^[a-z]/.test(name));
		const named = rows.flatMap(([[name = ""] = []]) => [name, `${name}Output`]);
		expect(named.sort()).toEqual(functions.sort());
		const told = Object.fromEntries(rows.map(([[name = ""] = [], words = []]) => [operationOf(name), words]));
		const fields = Object.values(queries).map(({ name, fields: all }) => [name, all.slice(1)]);
		const ofPlan = Object.keys(documentInputs).filter((name) => name !== "organizationId");
		expect(told).toEqual({ ...Object.fromEntries(fields), get_plan: ofPlan });
	});

	it("name the engine that the tests build", () => {
		const [, version = ""] = /pulumi\/pkg\/v3 (v\S+)/.exec(readText("test/engine/cli/go.mod")) ?? [];
		expect(page).toContain(`the tests use ${version}`);
	});
});

/** The query that a function of this name asks. */
function operationOf(name: string): string {
	return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
