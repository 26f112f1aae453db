/** Objects that a document or a flag names and that do not exist: warnings in every format, and usage errors. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readOutput } from "../run.ts";
import { agreeing, document, makeWorld } from "../world.ts";

const said =
	"orgsync.yaml:6:24: no user tag is called `signer`, so `protect` protects nothing by this name; did you mean `signers`?";
const text = document(agreeing.userTags, "protect: { userTags: [ signer ] }");

describe("protect of a tag that does not exist", () => {
	test("is a warning of plan and drift in every format, and no difference", async () => {
		const world = await makeWorld(text);
		const plan = await world.run(["plan", "--detailed-exitcode"]);
		expect(plan.code).toBe(0);
		expect(plan.stdout).toContain(`Warnings:\n  ${said}\n\nNo changes.`);
		const drift = await world.run(["drift"]);
		expect(drift).toMatchObject({ code: 0, stdout: expect.stringContaining(`Warnings:\n  ${said}\n`) });
		const markdown = await world.run(["plan", "--format", "markdown"]);
		const [place = "", message = ""] = said.split(/: (.*)/);
		expect(markdown.stdout).toContain(`**Warnings**\n\n- \`${place}\`: \`\`${message}\`\`\n`);
		const html = await world.run(["plan", "--format", "html"]);
		for (const part of [">Warnings", "protects nothing by this name"]) expect(html.stdout).toContain(part);
		const github = await world.run(["plan", "--format", "github"]);
		expect(github.stdout).toContain(
			"::warning file=orgsync.yaml,line=6,col=24,title=orgsync%3A tag-not-there::no user tag is",
		);
		const json = readOutput(await world.run(["plan", "--format", "json"]));
		expect(json.plans[0].warnings).toMatchObject([{ line: 6, column: 24, path: "protect.userTags" }]);
	});

	test("is in a saved plan, and does not keep it from running", async () => {
		const world = await makeWorld(text.replace("[alice, carol]", "[alice, bob, carol]"));
		expect((await world.run(["plan", "--out", "saved.json"])).code).toBe(0);
		expect((await world.run(["show", "saved.json"])).stdout).toContain(`Warnings:\n  ${said}\n`);
		expect((await world.run(["apply", "--plan", "saved.json"])).code).toBe(0);
		expect(world.submits()).toEqual(["update_user_tag"]);
		expect(readFileSync(join(world.folder, "saved.json"), "utf8")).toContain('"warnings"');
	});
});

describe("a flag that names what does not exist", () => {
	test.each<[string, readonly string[], string]>([
		[
			"an address",
			["plan", "--only", "userTag:signer"],
			"no object of the documents matches; did you mean userTag:signers?",
		],
		[
			"a pattern",
			["plan", "--only", "userTag/oncal"],
			"no object of the documents matches; did you mean userTag/oncall?",
		],
		["a kind", ["plan", "--only", "usertag/sign*"], "--only usertag/sign*: unknown kind; did you mean userTag?"],
		["a guard", ["apply", "--allow", "memberRemoval=2"], "overrides no guard; did you mean memberRemovals?"],
		["a guard of plan", ["plan", "--allow", "lockouts=1"], "overrides no guard; did you mean lockout?"],
	])("is a usage error with the nearest name: %s", async (_what, words, error) => {
		const world = await makeWorld(text);
		const answer = await world.run(words);
		expect(answer).toMatchObject({ code: 3, stdout: "", stderr: expect.stringContaining(error) });
		expect(world.requests()).toEqual([]);
	});
});
