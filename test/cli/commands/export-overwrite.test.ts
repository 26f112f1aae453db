/** What `--output` of export, and the files of other commands, do to a document that is there already. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agreeing, alice, bob, carol, document, makeWorld, organizationId, tags, type World } from "../../world.ts";

const own = `${document(
	"userTags: # who may what",
	"  - { name: signers, previously: [approvers], members: { exactly: [alice, carol] } }",
	"  - { name: oncall, members: { atLeast: [bob], never: [alice] } }",
	"protect: { userTags: [auditors] }",
	"limits: { policies: 1 }",
	"rules: { noNewAccess: true }",
)
	.replace("alice:", "ann:")
	.replaceAll("alice", "ann")}# ask bob before you change this\n`;

const read = (world: World, name: string): string => readFileSync(join(world.folder, name), "utf8");

describe("export over a document", () => {
	test("names what would be lost, and writes nothing", async () => {
		const world = await makeWorld(own);
		const answer = await world.run(["export", "--output", "orgsync.yaml"]);
		expect(answer).toEqual({
			code: 3,
			stdout: "",
			stderr:
				"error: --output orgsync.yaml: the export would lose `protect`, `limits`, `rules`, the alias `ann`, `previously` of `signers`, `atLeast` of `oncall`, `never` of `oncall`, 2 comments\n" +
				"hint: name another file; to take live state into a document and keep the rest, use drift --accept; to override: --force\n",
		});
		expect(read(world, "orgsync.yaml")).toBe(own);
	});

	test("replaces it with --force, and says what it replaced", async () => {
		const world = await makeWorld(own);
		const answer = await world.run(["export", "--output", "orgsync.yaml", "--force"]);
		expect(answer).toMatchObject({ code: 0, stdout: "" });
		expect(answer.stderr).toMatch(/^warning: --output orgsync.yaml: the export replaces `protect`, .*, 2 comments\n/);
		expect(read(world, "orgsync.yaml")).toContain("written by orgsync export");
	});

	test("replaces an earlier export, whatever is live, and a document that says no more than live state", async () => {
		const world = await makeWorld();
		const words = ["export", "--organization", organizationId, "--output", "live.yaml"];
		expect((await world.run(words)).code).toBe(0);
		const first = read(world, "live.yaml");
		expect(first).toContain("#absent:");
		await world.change({
			userTags: [{ tagId: tags.oncall, tagName: "duty", userIds: [carol] }],
			remove: { users: [bob] },
		});
		expect(await world.run(words)).toMatchObject({ code: 0, stdout: "" });
		expect(read(world, "live.yaml")).not.toBe(first);
		world.write("live.yaml", first.replace("#absent:\n#  policies:\n", "absent:\n  policies: []\n#  policies:\n"));
		expect((await world.run(words)).stderr).toContain("would lose `absent`");
		world.write("live.yaml", "");
		expect((await world.run(words)).code).toBe(0);
	});

	test("refuses what is no document of the organization, more documents, variables and windows that it cannot keep", async () => {
		const world = await makeWorld();
		const words = ["export", "--organization", organizationId, "--output", "live.yaml"];
		const [other, second] = [document().replace(organizationId, alice), "---\nname: Acme\n"];
		for (const [content, said] of [
			["# Notes\n\nkeep: me\n", "all of it, which is no document of this organization"],
			["x: [", "all of it, which is no document of this organization"],
			[other, "all of it, which is no document of this organization"],
			['organizationId: "${ORGSYNC_ORGANIZATION_ID}"\nusers: {}\n', "the variables"],
			[`${document()}${second}`, "1 more document"],
			[document("name: Acme"), "`name`"],
			[document(agreeing.bootProofs), "`expect.bootProofs`"],
			[`organizationId: ${organizationId}\nusers: { bob: "\${ORGSYNC_VAR_BOB}" }\n`, "the variables"],
		] as const) {
			world.write("live.yaml", content);
			const answer = await world.run(words);
			expect([answer.code, answer.stderr], content).toEqual([3, expect.stringContaining(`would lose ${said}\n`)]);
			expect(read(world, "live.yaml")).toBe(content);
		}
		const window = "{ user: alice, until: 2020-01-01T00:00:00Z }";
		world.write("orgsync.yaml", document(`userTags: [{ name: signers, members: { exactly: [${window}, carol] } }]`));
		const expired = await world.run(["export", "--output", "orgsync.yaml"]);
		expect(expired).toMatchObject({ code: 3, stderr: expect.stringContaining("would lose the window of `alice`\n") });
	});

	test("refuses a program that has more than live state", async () => {
		const world = await makeWorld();
		const words = ["export", "--organization", organizationId, "--format"];
		const yaml = [...words, "pulumi-yaml", "--output", "Pulumi.yaml"];
		world.write("Pulumi.yaml", "name: team\nruntime: yaml\n");
		expect((await world.run(yaml)).code).toBe(0);
		expect(await world.run(yaml)).toEqual({ code: 0, stdout: "", stderr: "" });
		const made = read(world, "Pulumi.yaml");
		const edited = `${made.replace("      tagId", "      limits: { memberRemovals: 1 }\n      tagId")}outputs: {}\n`;
		world.write("Pulumi.yaml", edited);
		expect((await world.run(yaml)).stderr).toContain("would lose `outputs`, the resource `auditors`\n");
		expect(read(world, "Pulumi.yaml")).toBe(edited);
		const typescript = [...words, "pulumi-typescript", "--output", "index.ts"];
		for (const code of [0, 0]) expect((await world.run(typescript)).code).toBe(code);
		world.write("index.ts", `${read(world, "index.ts")}// mine\n`);
		expect((await world.run(typescript)).stderr).toContain("would lose the program in it");
		expect((await world.run([...typescript, "--force"])).code).toBe(0);
	});
});

describe("a file of another command over a document", () => {
	test.each([
		["plan", "--out", "other.yaml"],
		["plan", "--output", "other.yaml", "--format", "html"],
		["drift", "--metrics", "other.yaml"],
		["drift", "--output", "other.yaml", "--format", "json"],
		["export", "--format", "json", "--output", "other.yaml"],
		["export", "--format", "json", "--output", "orgsync.yaml"],
		["query", "list_user_tags", "--output", "other.yaml"],
		["schema", "document", "--output", "other.yaml"],
	])("is refused before any request, although the command does not read it: %s %s %s", async (...words) => {
		const world = await makeWorld(document(agreeing.userTags));
		world.write("other.yaml", document("protect: { userTags: [signers] }"));
		const answer = await world.run(words);
		expect([answer.code, answer.stderr]).toEqual([
			3,
			expect.stringMatching(/: that is (?:a|the) document\nhint: name another file\n$/),
		]);
		expect(read(world, "other.yaml")).toContain("protect");
		expect(world.requests()).toEqual([]);
	});
});

test.each([
	["in JSON", JSON.stringify({ organizationId, protect: { userTags: ["signers"] } }, null, 2)],
	["with a byte order mark", `\u{feff}${document("protect: { userTags: [signers] }")}`],
])("no result replaces a document %s that the command does not read, but one replaces a result", async (_form, text) => {
	const world = await makeWorld(document());
	for (const words of [
		["export", "--organization", organizationId, "--format", "json", "--output"],
		["plan", "--format", "json", "--output"],
		["plan", "--format", "jsonl", "--output"],
		["plan", "--out"],
	]) {
		world.write("other.yaml", text);
		const { code, stderr } = await world.run([...words, "other.yaml"]);
		expect({ code, stderr }, words.join(" ")).toMatchObject({ code: 3, stderr: expect.stringContaining("a document") });
		expect(readFileSync(join(world.folder, "other.yaml"), "utf8")).toBe(text);
		for (let time = 1; time <= 2; time += 1) expect((await world.run([...words, "result.yaml"])).code).toBe(0);
	}
});
