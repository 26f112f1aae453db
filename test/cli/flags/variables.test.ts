/**
 * A pull request can write a document, and everyone can read plans and comments: a document can use few variables.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readOutput } from "../../run.ts";
import { document, makeWorld } from "../../world.ts";

const reference = (name: string) => `\${${name}}`;
const naming = (name: string) => document(`protect: { userTags: ["${reference(name)}"] }`);
const value = "glcbt-64_value-of-the-environment";

describe.each(["CI_JOB_TOKEN", "HTTPS_PROXY", "ORGSYNC_API_PRIVATE_KEY"])("a document that names %s", (name) => {
	test.each([
		"text",
		"json",
		"markdown",
		"html",
		"github",
	])("puts nothing of it into %s or a saved plan", async (format) => {
		const world = await makeWorld(naming(name));
		const env = name === "ORGSYNC_API_PRIVATE_KEY" ? {} : { [name]: value };
		const words = ["plan", "--out", "plan.json", "--format", format, "--output", "out.txt", "--verbose"];
		const { code, stdout, stderr } = await world.run(words, { env });
		expect(code).toBe(3);
		expect(stderr).toContain(`\`${name}\``);
		const written = ["out.txt", "plan.json"]
			.map((file) => join(world.folder, file))
			.filter((file) => existsSync(file))
			.map((file) => readFileSync(file, "utf8"));
		expect([stdout, stderr, ...written].join("\n")).not.toContain(value);
		expect(world.requests()).toEqual([]);
	});
});

test.each([
	["validate"],
	["plan"],
	["apply", "--yes"],
	["drift"],
	["query", "list_user_tags"],
	["export"],
	["status"],
	["wait", "--wait", "0"],
	["import-key", "--user", "bob"],
	["explain", "01976a2e-0000-7000-8000-000000000001"],
])("%s lets a document use the variables that --env names, and no others", async (...words) => {
	const world = await makeWorld(naming("STAGE"));
	const options = { env: { STAGE: "prod" } };
	const refused = await world.run([...words, "-f", "orgsync.yaml"], options);
	expect(refused.code).toBe(3);
	expect(refused.stderr).toContain("allow it with `--env STAGE`");
	const allowed = await world.run([...words, "-f", "orgsync.yaml", "--env", "OTHER", "--env", "STAGE"], options);
	expect(allowed.stderr).not.toContain("STAGE");
});

test("the base of a plan accepts the same variables", async () => {
	const world = await makeWorld(document());
	world.write("before.yaml", naming("STAGE"));
	const words = ["plan", "--base-file", "before.yaml"];
	const refused = await world.run(words, { env: { STAGE: "prod" } });
	expect(refused.code).toBe(3);
	expect(refused.stderr).toContain("error: the base has a problem");
	expect((await world.run([...words, "--env", "STAGE"], { env: { STAGE: "prod" } })).code).toBe(0);
});

describe("--env", () => {
	const words = ["validate", "--format", "json"];

	test.each([
		"API_PRIVATE_KEY",
		"ORGSYNC_STAMP_COMMAND",
		"https_proxy",
		"PULUMI_CONFIG",
	])("refuses %s, which is a credential", async (name) => {
		const world = await makeWorld(document());
		const answer = await world.run([...words, "--env", name]);
		expect(readOutput(answer)).toMatchObject({
			exitCode: 3,
			error: { message: `--env ${name}: this variable is a credential, which documents cannot use` },
		});
	});

	test.each([`TOKEN=${value}`, `=${value}`, `a b ${value}`])("does not repeat a given value: %s", async (text) => {
		const world = await makeWorld(document());
		const answer = await world.run([...words, "--env", text]);
		expect(answer.code).toBe(3);
		expect(answer.stdout + answer.stderr).not.toContain(value);
		expect(answer.stderr).toContain("--env: it takes");
	});
});

describe("a variable that is not set", () => {
	const unset = reference("ORGSYNC_VAR_NOT_SET");
	test("in place of an id is not offered as literal text, as in the document that init writes", async () => {
		const world = await makeWorld();
		expect((await world.run(["init"])).code).toBe(0);
		expect((await world.run(["plan"])).stderr).toContain(
			"the environment variable `ORGSYNC_ORGANIZATION_ID` is not set; set it, or write the id\n",
		);
		for (const section of [
			`userTags: [{ name: signers, id: "${unset}" }]`,
			`absent: { policies: ["${unset}"] }`,
			`absent: { oauthProviders: { bob: ["${unset}"] } }`,
			`absent: { tvcApps: ["${unset}"] }`,
			`expect: { bootProofs: [{ app: "${unset}", deploymentLabel: x }] }`,
		]) {
			world.write("orgsync.yaml", document(section));
			expect((await world.run(["validate"])).stderr, section).toContain("is not set; set it, or write the id\n");
		}
		world.write("orgsync.yaml", document().replace(/alice: [^,]+/, `alice: "${unset}"`));
		expect((await world.run(["validate"])).stderr).toContain("is not set; set it, or write the id\n");
	});

	test("in place of any other text is offered as literal text", async () => {
		const world = await makeWorld(naming("ORGSYNC_VAR_NOT_SET"));
		expect((await world.run(["validate"])).stderr).toContain("or write `$${ORGSYNC_VAR_NOT_SET}` for the literal text");
	});
});
