import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { normalize, readOutput } from "../../run.ts";
import { alice, apps, bob, document, makeWorld, organizationId, policies, profile, tags } from "../../world.ts";

const consented = { effect: "EFFECT_ALLOW", consensus: "approvers.count() > 1", condition: "" };

const golden = (name: string): string => `../../golden/cli/${name}.txt`;

test("export writes a document whose plan has no changes, and the same bytes each time", async () => {
	const world = await makeWorld();
	await world.change({
		policies: policies.map((policyId, index) => ({ ...consented, policyId, policyName: `policy ${index + 1}` })),
	});
	const words = ["export", "--organization", organizationId];
	const { code, stdout, stderr } = await world.run(words);
	expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
	await expect(normalize(stdout).replace(/\$schema=.*/, "$schema=SCHEMA")).toMatchFileSnapshot(golden("export"));
	expect([...world.requests()].sort()).toEqual([
		"get_session_profiles",
		"list_policies",
		"list_tvc_apps",
		"list_user_tags",
		"list_users",
	]);

	const written = await world.run([...words, "--output", "orgsync.yaml"]);
	expect(written).toEqual({ code: 0, stdout: "", stderr: "" });
	expect(readFileSync(join(world.folder, "orgsync.yaml"), "utf8")).toBe(stdout);
	const [, address = ""] = /\$schema=(.*)/.exec(stdout) ?? [];
	const schema = readFileSync(new URL(address, `file://${world.folder}/orgsync.yaml`), "utf8");
	expect(JSON.parse(schema)).toMatchObject({ title: "orgsync document" });
	const plan = readOutput(await world.run(["plan", "--detailed-exitcode", "--format", "json"]));
	expect(plan.plans).toMatchObject([{ changes: [], problems: [], steps: [], unread: [], unmanaged: [] }]);
	expect(world.submits()).toEqual([]);
});

test("export reports what the service does not show and does not treat it as empty", async () => {
	const world = await makeWorld(undefined, { reads: "documented" });
	const { code, stdout, stderr } = await world.run(["export", "--organization", organizationId]);
	expect(code).toBe(0);
	await expect(normalize(stderr)).toMatchFileSnapshot(golden("export-unread"));
	expect(stdout).toContain("name: signers");
	expect(stdout).not.toMatch(/^\s*(?:members|users|expect):/m);
	writeFileSync(join(world.folder, "orgsync.yaml"), stdout);
	expect((await world.run(["plan", "--detailed-exitcode", "--reads", "documented"])).code).toBe(0);
});

test("export --reads documented sends only the documented query that needs no id", async () => {
	const world = await makeWorld();
	const words = ["export", "--organization", organizationId, "--reads", "documented", "--format", "json", "--quiet"];
	const answer = await world.run(words);
	expect(answer.stderr).toBe("");
	expect(readOutput(answer)).toMatchObject({
		organizationId,
		unread: [{}, { what: "session profiles" }, { what: "policies" }, { what: "TVC apps" }],
		leftOut: [],
	});
	expect(world.requests()).toEqual(["list_user_tags"]);
});

test("export fails if a part fails for another reason", async () => {
	const world = await makeWorld(document());
	await world.addFault({ operation: "list_users", fault: "5xx", count: 1000 });
	const { code, stdout, stderr } = await world.run(["export", "--timeout", "1"]);
	expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
	expect(stderr).toContain("list_users");
});

test("export preserves names that have a meaning in YAML, a terminal or the environment", async () => {
	const name = `\${HOME}: "it's" #1`;
	const world = await makeWorld();
	await world.change({
		userTags: [{ tagId: tags.signers, tagName: name, userIds: [alice] }],
		policies: [{ policyId: policies[0], policyName: "a\n\u001b[31mabsent:" }],
		tvcApps: [{ id: apps.old, name: "::error::" }],
		sessionProfiles: [{ sessionProfileId: profile, sessionProfileName: "two\nlines", scope: "\u202e" }],
	});
	const exported = await world.run(["export", "--organization", organizationId]);
	expect(exported.stdout).not.toMatch(/[^\n -~]/);
	world.write("orgsync.yaml", exported.stdout);
	const env = { HOME: "/nowhere" };
	const plan = readOutput(await world.run(["plan", "--format", "json"], { env }));
	expect(plan.plans).toMatchObject([{ changes: [], problems: [] }]);
});

test("export writes a Pulumi program in place of the document, with the same notes and the same reads", async () => {
	const world = await makeWorld(undefined, { reads: "documented" });
	const words = ["export", "--organization", organizationId, "--format"];
	const asDocument = await world.run([...words, "text"]);
	const requests = [...world.requests()].sort();
	for (const [format, start] of [
		["pulumi-yaml", "\nname: orgsync-00000000\nruntime: yaml\n"],
		["pulumi-typescript", '\nimport * as orgsync from "@orgsync/pulumi";\n'],
	] as const) {
		world.clearRequests();
		const { code, stdout, stderr } = await world.run([...words, format]);
		expect({ code, stderr }).toEqual({ code: 0, stderr: asDocument.stderr });
		expect(stdout).toContain(start);
		expect(stdout).toContain(tags.signers);
		expect(stdout).not.toContain("members:");
		expect([...world.requests()].sort()).toEqual(requests);
	}
	world.write("Pulumi.yaml", "kept");
	await world.addFault({ operation: "list_user_tags", fault: "5xx", count: 1000 });
	const failed = await world.run([...words, "pulumi-yaml", "--output", "Pulumi.yaml", "--timeout", "1"]);
	expect({ code: failed.code, stdout: failed.stdout }).toEqual({ code: 1, stdout: "" });
	expect(failed.stderr).toContain("list_user_tags");
	expect(readFileSync(join(world.folder, "Pulumi.yaml"), "utf8")).toBe("kept");
	expect(world.submits()).toEqual([]);
});

test("export keeps the windows of the organization's document, and warns of expired access that would become permanent", async () => {
	const window = "{ user: bob, until: 2999-01-01 Europe/Berlin, reason: desk }";
	const tagsOf = (oncall: string): string =>
		document(`userTags: [{ name: oncall, members: { atLeast: [${oncall}] } }]`);
	const world = await makeWorld(tagsOf(window));
	await world.change({ userTags: [{ tagId: tags.oncall, tagName: "oncall", userIds: [bob] }] });
	const { stdout, stderr } = await world.run(["export"]);
	expect(stderr).not.toContain("warning");
	expect(stdout).toContain(`members: { exactly: [${window}] }`);
	world.write("orgsync.yaml", tagsOf("{ user: bob, until: 2020-01-01T00:00:00Z }"));
	const expired = await world.run(["export"]);
	expect(expired.stderr).toContain(
		"warning: exported without an end: bob still has userTag:oncall, and the access expired (2020-01-01T00:00:00Z)\n",
	);
	expect(expired.stdout).toContain("members: { exactly: [bob] }");
	world.write("orgsync.yaml", "x: [");
	const unreadable = await world.run(["export", "--organization", organizationId]);
	expect({ code: unreadable.code, stderr: unreadable.stderr }).toEqual({
		code: 0,
		stderr: expect.stringContaining(
			"warning: orgsync.yaml cannot be read, so the export keeps no windows of it: the document has a problem\n",
		),
	});
	expect((await world.run(["export", "-f", "orgsync.yaml"])).code).toBe(3);
});
