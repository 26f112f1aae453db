/**
 * Which environment variables a document can use, and how much they can add to it.
 */
import { describe, expect, test } from "vitest";
import { parseDocuments } from "../../src/document/read/parse.ts";
import { isCredential } from "../../src/document/read/variables.ts";
import { environmentName } from "../../src/pulumi/settings/settings.ts";
import { findStamper } from "../../src/wire/credentials.ts";
import { readProxies } from "../../src/wire/proxy.ts";

const organizationId = "0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a11";
const head = `organizationId: ${organizationId}\n`;
const reference = (name: string) => `\${${name}}`;
const naming = (name: string) => `${head}protect: { userTags: ["${reference(name)}"] }\n`;

function problemsOf(content: string, environment = {}, env: readonly string[] = []) {
	return parseDocuments([{ file: "d.yaml", content }], environment, { env }).problems;
}

describe("a document", () => {
	test.each([
		"CI_JOB_TOKEN",
		"HOME",
		"ORGSYNC_URL",
		"orgsync_var_stage",
		"ORGSYNC_VAR_",
		"MY_ORGSYNC_VAR_X",
	])("cannot use %s, set or not, and the problem names the variable and the flag", (name) => {
		const [problem, ...others] = problemsOf(naming(name), { [name]: "hunter2" });
		expect(others).toEqual([]);
		expect(problem?.code).toBe("variable-not-allowed");
		expect(problem?.message).toContain(`\`${name}\``);
		expect(problem?.message).toContain(`\`--env ${name}\``);
		expect(JSON.stringify(problem)).not.toContain("hunter2");
		expect(problemsOf(naming(name), {})).toEqual([problem]);
	});

	test("can use a variable that the operator names", () => {
		const { organizations } = parseDocuments(
			[{ file: "d.yaml", content: naming("STAGE") }],
			{ STAGE: "prod" },
			{
				env: ["STAGE"],
			},
		);
		expect(organizations[0]?.protect.userTags).toEqual(["prod"]);
	});

	test("uses no credential, not even one that the operator names", () => {
		for (const name of ["ORGSYNC_API_PRIVATE_KEY", "API_PRIVATE_KEY", "https_proxy", "ORGSYNC_KEY_FILE"]) {
			expect(problemsOf(naming(name), { [name]: "hunter2" }, [name])).toMatchObject([{ code: "credential-variable" }]);
		}
	});
});

test("every variable that orgsync reads for a key, a stamp or a proxy is a credential", () => {
	const read = new Set<string>();
	const environment = new Proxy({} as Record<string, string>, {
		get: (_target, name) => {
			read.add(String(name));
			return undefined;
		},
	});
	findStamper({}, environment);
	readProxies(environment);
	// The public half is read once the private one is there.
	for (const name of read) if (name.endsWith("_PRIVATE_KEY")) read.add(name.replace("PRIVATE", "PUBLIC"));
	for (const name of ["apiPrivateKey", "apiPublicKey", "keyFile", "stampCommand"] as const) {
		read.add(environmentName(name));
	}
	expect(read.size).toBeGreaterThan(12);
	expect([...read].filter((name) => !isCredential(name))).toEqual(["HOME"]);
});

describe("the size that a document gains", () => {
	const long = "x".repeat(1000);
	const environment = { ORGSYNC_VAR_LONG: long };
	const items = (count: number) => `    - "${reference("ORGSYNC_VAR_LONG")}"\n`.repeat(count);
	const tags = (lines: string) => `${head}protect:\n  userTags:\n${lines}`;

	test("from variables is at most 1 MiB, and the problem is at the value that exceeds it", () => {
		const crossed = problemsOf(tags(items(2000)), environment).filter(({ code }) => code === "expansion");
		// 1,048,576 bytes are 1,048 times the value and a part of it; the list begins on line 4.
		expect(crossed).toMatchObject([{ line: 4 + 1048, column: 7 }]);
		expect(crossed[0]?.message).toContain("1 MiB");
		expect(problemsOf(tags(items(1000)), environment).filter(({ code }) => code === "expansion")).toEqual([]);
	});

	test("from a text that repeats a variable is limited before the text is built", () => {
		const value = "y".repeat(100_000);
		const text = `${head}protect: { userTags: ["${reference("ORGSYNC_VAR_LONG").repeat(40_000)}"] }\n`;
		expect(Buffer.byteLength(text)).toBeLessThan(1_000_000);
		const before = process.memoryUsage().rss;
		expect(problemsOf(text, { ORGSYNC_VAR_LONG: value })).toMatchObject([{ line: 2, code: "expansion" }]);
		// The whole would be 4 GB.
		expect(process.memoryUsage().rss - before).toBeLessThan(256 * 1024 * 1024);
	});

	test("from aliases counts too, and the problem is at the alias that exceeds the limit", () => {
		const anchor = `    - &long "${"z".repeat(100_000)}"\n`;
		const crossed = problemsOf(tags(`${anchor}${"    - *long\n".repeat(20)}`)).filter(
			({ code }) => code === "expansion",
		);
		expect(crossed).toMatchObject([{ line: 4 + 11 }]);
	});
});
