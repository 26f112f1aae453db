/**
 * Names of organizations: `name` of the document beside the id, in every format, and never in place of it.
 */
import { describe, expect, test } from "vitest";
import { writeJson } from "../../src/common/escape.ts";
import { readOrganizationName } from "../../src/sync/read/read-access.ts";
import { readOutput } from "../run.ts";
import { document, makeWorld, organizationId, policies } from "../world.ts";

const missing = "f0000000-0000-4000-8000-000000000009";
const named = (name: string): string =>
	`name: ${writeJson(name)}\n${document(`absent: { policies: [${policies[0]}] }`)}`;
const inJson = ["--format", "json"];

describe("the name of an organization", () => {
	test("is shown with the id by every command and format", async () => {
		const world = await makeWorld(named("Acme Europe"));
		const both = `Acme Europe (${organizationId})`;
		for (const words of [["validate"], ["plan"], ["drift"], ["status"], ["powers"]]) {
			expect((await world.run(words)).stdout, words[0]).toContain(both);
			const json = JSON.stringify(readOutput(await world.run([...words, ...inJson])));
			expect(json, words[0]).toContain(`"organizationName":"Acme Europe"`);
		}
		expect((await world.run(["plan", "--format", "markdown"])).stdout).toContain(
			`Organization \`Acme Europe\` (\`${organizationId}\`), read`,
		);
		expect((await world.run(["plan", "--format", "html"])).stdout).toContain(
			`Organization <bdi>Acme Europe</bdi> (<code>${organizationId}</code>), read`,
		);
		expect((await world.run(["apply", "--yes"])).stderr).toContain(`Organization ${both}\n`);
	});

	test("is shown for an organization of several, and for one that cannot be read", async () => {
		const world = await makeWorld(
			`${named("Acme")}---\norganizationId: ${missing}\nname: Lost\nuserTags: [{ name: x }]\n`,
		);
		for (const command of ["plan", "drift"]) {
			const { stdout, stderr } = await world.run([command]);
			expect(stdout).toContain(`Organization Acme (${organizationId})\n`);
			expect(stdout).toContain(`Organization Lost (${missing}): could not be read: `);
			expect(stderr).toContain(`error: organization Lost (${missing}): `);
		}
		expect((await world.run(["plan", "--format", "github"])).stdout).toContain(`::Lost (${missing}): `);
		expect((await world.run(["plan", "--format", "markdown"])).stdout).toContain(`\`Lost\` (\`${missing}\`): `);
	});

	test("cannot be taken for an id, act on a terminal or a page, or be longer than a line", async () => {
		for (const [name, shown] of [
			[missing, `"${missing}" (${organizationId})`],
			["a\u202eb", `a\\u{202e}b (${organizationId})`],
			[`x (${missing})`, `"x (${missing})" (${organizationId})`],
			["n".repeat(500), `${"n".repeat(59)}… (${organizationId})`],
		]) {
			const world = await makeWorld(named(name ?? ""));
			expect((await world.run(["plan"])).stdout).toContain(`Organization ${shown}\n`);
		}
		const world = await makeWorld(named("<script>alert(1)</script>"));
		expect((await world.run(["plan", "--format", "html"])).stdout).not.toContain("<script>alert(1)");
	});

	test("is the live one where the document has none and the caller is read anyway, and a note where they differ", async () => {
		const unnamed = document(`absent: { policies: [${policies[0]}] }`);
		const world = await makeWorld(unnamed);
		for (const command of ["plan", "drift"]) {
			const { stdout } = await world.run([command]);
			expect(stdout).toContain(`Organization Acme (${organizationId})\n`);
			expect(stdout).not.toContain("Name at the service");
		}
		expect((await world.run(["plan", "--reads", "documented"])).stdout).toContain(`Organization ${organizationId}\n`);
		const other = await makeWorld(named("Acme Europe"));
		await other.run(["plan", "--out", "plan.json"]);
		for (const words of [["plan"], ["drift"], ["show", "plan.json"]]) {
			const { stdout } = await other.run(words);
			expect(stdout).toContain(`Organization Acme Europe (${organizationId})\nName at the service: Acme\n`);
			const markdown = (await other.run([...words, "--format", "markdown"])).stdout;
			expect(markdown.split(" Name at the service: `Acme`.")).toHaveLength(2);
			const page = (await other.run([...words, "--format", "html"])).stdout;
			expect(page.split("<br>Name at the service: <bdi>Acme</bdi>")).toHaveLength(2);
		}
		const json = readOutput(await other.run(["plan", ...inJson]));
		expect(json.plans[0]).toMatchObject({ organizationName: "Acme Europe", liveOrganizationName: "Acme" });
	});

	test("is no name that the service says of another organization, and none that is no text", async () => {
		const answer = { organizationId, organizationName: "Acme", userId: "u" };
		const nameIn = (value: object) => readOrganizationName(async () => ({ ...answer, ...value }), organizationId);
		expect(await nameIn({})).toBe("Acme");
		for (const value of [{ organizationId: missing }, { organizationName: "" }, { organizationName: 7 }]) {
			expect(await nameIn(value)).toBeUndefined();
		}
	});

	test("is part of what a saved plan is bound to", async () => {
		const world = await makeWorld(named("Acme"));
		await world.run(["plan", "--out", "plan.json"]);
		expect((await world.run(["show", "plan.json"])).stdout).toContain(`Organization Acme (${organizationId})\n`);
		world.write("orgsync.yaml", named("Production"));
		const other = await world.run(["apply", "--plan", "plan.json"]);
		expect(other.code).toBe(3);
		expect(other.stderr).toContain(`organization Production (${organizationId}) was planned from another document`);
		world.write("orgsync.yaml", named("Acme").replaceAll(organizationId, missing));
		expect((await world.run(["apply", "--plan", "plan.json"])).stderr).toContain(
			`the saved plan is of organization ${organizationId}, which the documents do not have; the documents have organization Acme (${missing}), which`,
		);
		expect(world.submits()).toEqual([]);
	});

	test("is the same in all documents of the organization", async () => {
		const world = await makeWorld(`${named("Acme")}---\norganizationId: ${organizationId}\nname: Other\n`);
		const { code, stderr } = await world.run(["validate"]);
		expect(code).toBe(3);
		expect(stderr).toContain("`name` is `Other` here and `Acme` on line 1; documents of one organization must agree");
	});
});
