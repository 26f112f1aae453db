import { chmodSync, mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { onPosix } from "../../needs.ts";
import { normalize, readOutput } from "../../run.ts";
import { document, makeWorld, policies } from "../../world.ts";

const golden = (name: string): string => `../../golden/cli/${name}.txt`;

const drifted = document(
	"userTags: # who may what",
	"  - name: signers # two of them",
	"    members:",
	"      exactly:",
	"        - alice # the boss",
	"        - bob   # her deputy",
	"  - { name: nobody }",
	`absent: { policies: [${policies[0]}] }`,
);

test("drift --accept writes the live state into the document in place and submits nothing", async () => {
	const world = await makeWorld(drifted.replaceAll("\n", "\r\n"));
	const path = join(world.folder, "orgsync.yaml");
	chmodSync(path, 0o640);
	const { code, stdout, stderr } = await world.run([
		"drift",
		"--accept",
		"userTag:sign*",
		"--accept",
		"userTag:nobody",
	]);
	expect(code).toBe(2);
	await expect(normalize(stdout)).toMatchFileSnapshot(golden("drift-accept"));
	expect(stderr).toBe("accepted userTag:nobody: orgsync.yaml:9\naccepted userTag:signers: orgsync.yaml:6\n");
	const accepted = drifted
		.replace("        - bob   # her deputy\n", "        - carol\n")
		.replace("  - { name: nobody }\n", "");
	expect(readFileSync(path, "utf8")).toBe(accepted.replaceAll("\n", "\r\n"));
	if (onPosix) expect(statSync(path).mode & 0o777).toBe(0o640);
	expect(readdirSync(world.folder)).toEqual(["orgsync.yaml"]);
	expect(world.submits()).toEqual([]);
	expect((await world.run(["drift", "--only", "userTag"])).code).toBe(0);
});

test("drift --accept changes several files and a linked file together, or none of them", async () => {
	const world = await makeWorld();
	mkdirSync(join(world.folder, "kept"));
	world.write("kept/tags.yaml", drifted);
	symlinkSync("kept/tags.yaml", join(world.folder, "a.yaml"));
	world.write("b.yaml", document(`absent: { policies: ["\${ORGSYNC_VAR_POLICY}"] }`));
	const files = ["-f", "a.yaml", "-f", "b.yaml"];
	const env = { ORGSYNC_VAR_POLICY: policies[1] };
	const read = (): readonly string[] =>
		["kept/tags.yaml", "b.yaml"].map((name) => readFileSync(join(world.folder, name), "utf8"));
	const before = read();

	const refused = await world.run(["drift", ...files, "--accept", "userTag:signers", "--accept", "policy:*"], { env });
	expect(refused).toEqual({
		code: 3,
		stdout: "",
		stderr: `error: cannot accept policy:${policies[1]}: absent.policies[0] comes from an environment variable
hint: nothing was written to any document
`,
	});
	expect(read()).toEqual(before);

	const words = ["drift", ...files, "--accept", "userTag:*", "--accept", `policy:${policies[0]}`, "--format", "json"];
	const { accepted, plans, drift } = readOutput(await world.run(words, { env }));
	expect(accepted.map(({ address, file }: { address: string; file: string }) => [address, file])).toEqual([
		[`policy:${policies[0]}`, "a.yaml"],
		["userTag:nobody", "a.yaml"],
		["userTag:signers", "a.yaml"],
	]);
	expect(plans).toMatchObject([{ changes: [{ address: `policy:${policies[1]}` }] }]);
	// A copied command is about the same documents.
	const { todo } = drift[0].findings[0];
	expect(todo).toContain("`orgsync apply -f a.yaml -f b.yaml`");
	expect(todo).toContain(`\`orgsync drift -f a.yaml -f b.yaml --accept policy:${policies[1]}\``);
	expect(read()[1]).toBe(before[1]);
	expect(read()[0]).toContain("- carol");
	expect(readlinkSync(join(world.folder, "a.yaml"))).toBe("kept/tags.yaml");
});

test("drift --accept refuses a difference that a pending activity reverts, and skips it in a pattern that matches more", async () => {
	const text = document(`absent: { policies: [${policies[0]}, ${policies[1]}] }`);
	const world = await makeWorld(text.replace(`, ${policies[1]}`, ""));
	await world.setRules({ approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } });
	await world.submitAsBob("delete_policies", { policyIds: [policies[0]] });
	const refused = await world.run(["drift", "--accept", "policy:*"]);
	expect(refused).toMatchObject({ code: 3, stdout: "" });
	expect(refused.stderr).toMatch(/cannot accept policy:\S+: activity \S+ is pending and would change this: reject/);
	world.write("orgsync.yaml", text);
	const { code, stderr } = await world.run(["drift", "--accept", "policy:*"]);
	expect(code).toBe(8);
	expect(stderr).toContain(`accepted policy:${policies[1]}: orgsync.yaml:3\nskipped policy:${policies[0]}: activity `);
	expect(readFileSync(join(world.folder, "orgsync.yaml"), "utf8")).toBe(text.replace(`, ${policies[1]}`, ""));
});

test.each([
	["f0000000-0000-4000-8000-00000000ffff", "no document is of this organization"],
	["acme", "is not an organization id"],
])("drift --organization %s is refused before a request", async (id, said) => {
	const world = await makeWorld(drifted);
	const { code, stdout, stderr } = await world.run(["drift", "--organization", id]);
	expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
	expect(stderr).toContain(said);
	expect(world.requests()).toEqual([]);
});

test.each<[why: string, words: readonly string[], said: string, stdin?: string]>([
	["an address that is none", ["--accept", "signers"], "--accept signers: it is not an address"],
	[
		"an address that is as it should be",
		["--accept", "userTag:oncall"],
		"nothing to accept at userTag:oncall; differences: ",
	],
	["standard input", ["--accept", "userTag:*", "-f", "-"], "standard input is not a file", drifted],
])("drift --accept refuses %s before it writes anything", async (_why, words, said, stdin) => {
	const world = await makeWorld(drifted);
	const { code, stdout, stderr } = await world.run(["drift", ...words], stdin === undefined ? {} : { stdin });
	expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
	expect(stderr).toContain(said);
	expect(readFileSync(join(world.folder, "orgsync.yaml"), "utf8")).toBe(drifted);
});
