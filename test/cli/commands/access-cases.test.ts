/** `orgsync test`: access cases, in each state in which they can be judged. */
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkSchema } from "../../check-schema.ts";
import { readOutput } from "../../run.ts";
import { agreeing, alice, bob, document, makeWorld, organizationId, policies, tags, type World } from "../../world.ts";

const signing = "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'";
const twoSigners = {
	policyId: policies[0],
	policyName: "two signers",
	effect: "EFFECT_ALLOW",
	consensus: `approvers.filter(user, user.tags.contains('${tags.signers}')).count() >= 2`,
	condition: signing,
};

const holds = `rootQuorum: aside
tests:
  - name: no one signs alone
    power: sign
    alone: { exactly: [] }
    together: { exactly: [2 of signers] }
`;

async function makeOrganization(text = document()): Promise<World> {
	const world = await makeWorld(text, { reads: "all" });
	const others = policies.slice(1).map((policyId) => ({ policyId, policyName: policyId, condition: "false" }));
	await world.change({ policies: [twoSigners, ...others], rootQuorum: { threshold: 2, userIds: [alice, bob] } });
	return world;
}

describe("orgsync test", () => {
	test("exits with 0 where all cases beside the document hold", async () => {
		const world = await makeOrganization();
		world.write("signing.access.yaml", holds);
		const { code, stdout, stderr } = await world.run(["test"]);
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		expect(stdout).toMatch(/after the plan\n[\s\S]*no one signs alone[\s\S]*\n1 access case: 1 passed\.\n$/);
	});

	test("exits with 10 where one fails, and says which policy and clause decide", async () => {
		const world = await makeOrganization();
		world.write("signing.access.yaml", `${holds}  - { name: bob signs, power: sign, alone: { atLeast: [bob] } }\n`);
		const { code, stdout } = await world.run(["test", "--live"]);
		expect(code).toBe(10);
		expect(stdout).toContain(
			"signing.access.yaml:7:13: bob signs\n    `alone.atLeast`: bob cannot sign with any wallet or key alone\n",
		);
		expect(stdout).toContain("allow policy `two signers` does not apply, its consensus is not met: `approvers.filter(");
		expect(stdout).toContain("2 access cases: 1 failed, 1 passed.");
	});

	test("names the tags and users of a clause as documents write them", async () => {
		const world = await makeOrganization();
		const consensus = `approvers.any(user, user.tags.contains('${tags.signers}') || user.id == '${alice}' || user.id == 'x')`;
		await world.change({ policies: [{ ...twoSigners, consensus }] });
		world.write("signing.access.yaml", holds);
		const written =
			"`approvers.any(user, user.tags.contains('${userTags.signers}') || user.id == '${users.alice}' || user.id == 'x')`";
		expect((await world.run(["test", "--live"])).stdout).toContain(`allows it, by its consensus: ${written}\n`);
		expect((await world.run(["plan"])).stdout).toContain(`allows it, by its consensus: ${written}\n`);
		// A name that could pass for a part of the clause does not stand in for an id.
		const other = {
			organizationId,
			users: [{ userId: alice, userName: "a') || true" }],
			rootQuorum: { threshold: 1, userIds: [alice] },
		};
		const userTags = [{ tagId: tags.signers, tagName: "t') || true", userIds: [alice] }];
		world.write(
			"seed.json",
			JSON.stringify({ organizations: [{ ...other, userTags, policies: [{ ...twoSigners, consensus }] }] }),
		);
		world.write("b.access.yaml", "rootQuorum: aside\ntests: [{ name: no, power: sign, alone: { exactly: [] } }]\n");
		expect((await world.run(["test", "b.access.yaml", "--offline", "seed.json"])).stdout).toContain(
			`user.tags.contains('${tags.signers}')`,
		);
	});

	test("exits with 11 where one cannot be judged, and names the read", async () => {
		const world = await makeWorld(document(), { reads: "documented" });
		world.write("signing.access.yaml", holds);
		const { code, stdout } = await world.run(["test", "--live"]);
		expect(code).toBe(11);
		expect(stdout).toMatch(/Could not be judged:\n.*no one signs alone\n.*`?list_users/);
	});

	test("says once what it assumes without a source, folded", async () => {
		const world = await makeOrganization();
		const wallets = { policyId: policies[1], policyName: "one wallet", effect: "EFFECT_DENY", consensus: "" };
		await world.change({ policies: [twoSigners, { ...wallets, condition: "wallet.id == 'x'" }] });
		const never = "power: policies, alone: { never: [bob] }";
		world.write("a.access.yaml", `rootQuorum: aside\ntests: [{ name: a, ${never} }, { name: b, ${never} }]\n`);
		const assumed = "policy `one wallet`: a condition that errs neither allows nor denies";
		const { code, stdout } = await world.run(["test"]);
		expect(code).toBe(0);
		expect(stdout).toContain(`  b\n\n1 assumption, not documented: ${assumed}\n\n2 access cases: 2 passed.\n`);
		const markdown = await world.run(["test", "--format", "markdown"]);
		expect(markdown.stdout).toContain("<summary>Assumed, not documented (1)</summary>");
		const json = readOutput(await world.run(["test", "--format", "json"]));
		expect(json.organizations[0].assumptions).toEqual([expect.stringContaining("errs neither allows nor denies")]);
		expect(checkSchema("output.json", json)).toEqual([]);
	});

	test("judges the state after the plan of the document, and with --live the state before", async () => {
		const gains = "userTags: [{ name: signers, members: { atLeast: [bob] } }]";
		const world = await makeOrganization(document(gains));
		world.write(
			"signing.access.yaml",
			"tests: [{ name: bob has no part, power: sign, never: [bob] }]\nrootQuorum: aside\n",
		);
		expect((await world.run(["test", "--live"])).code).toBe(0);
		const after = await world.run(["test"]);
		expect(after.code).toBe(10);
		expect(after.stdout).toContain("`never`: bob can sign with any wallet or key, alone or with others");
		expect((await world.run(["plan", "--out", "plan.json"])).code).toBe(10);
		const planned = await world.run(["test", "--plan", "plan.json", "--format", "json"]);
		expect(planned.code).toBe(10);
		expect(readOutput(planned)).toMatchObject({
			state: "plan",
			organizations: [{ cases: [{ verdict: "failed", findings: [{ key: "never", userIds: [bob] }] }] }],
		});
	});

	test("refuses a stale plan with exit code 6, as apply does, and one that was already applied", async () => {
		const world = await makeOrganization(document("userTags: [{ name: signers, members: { atLeast: [bob] } }]"));
		await world.change({ rootQuorum: { threshold: 1, userIds: [alice] } });
		world.write("a.access.yaml", "tests: [{ name: bob has no part, power: sign, never: [bob] }]\n");
		expect((await world.run(["plan", "--out", "plan.json"])).code).toBe(10);
		expect((await world.run(["apply", "--plan", "plan.json"])).code).toBe(0);
		const applied = await world.run(["test", "--plan", "plan.json"]);
		expect(applied).toMatchObject({ code: 6, stdout: "" });
		expect(applied.stderr).toContain("the saved plan was already applied");
		await world.change({ userTags: [{ tagId: tags.signers, tagName: "signers", userIds: [] }] });
		const elsewhere = ["--plan", "plan.json", "--journal", "other.db"];
		const stale = await world.run(["test", ...elsewhere]);
		expect(stale).toMatchObject({ code: 6, stdout: "" });
		expect(stale.stderr).toContain(
			"userTag:signers: the plan file states that alice, carol had it, now no user has it",
		);
		expect((await world.run(["apply", ...elsewhere])).stderr.endsWith(stale.stderr)).toBe(true);
		const { error } = readOutput(await world.run(["test", ...elsewhere, "--format", "json"]));
		expect(error).toMatchObject({ code: "stale-plan" });
	});

	test("judges a seed file without any network", async () => {
		const world = await makeOrganization();
		const users = [alice, bob].map((userId, index) => ({ userId, userName: ["alice", "bob"][index] }));
		const userTags = [{ tagId: tags.signers, tagName: "signers", userIds: [alice, bob] }];
		const organizationId = "00000000-0000-4000-8000-000000000001";
		const whole = {
			organizationId,
			users,
			userTags,
			policies: [twoSigners],
			rootQuorum: { threshold: 1, userIds: [bob] },
		};
		world.write("seed.json", JSON.stringify({ organizations: [whole] }));
		world.write("a.access.yaml", holds);
		const offline = ["test", "a.access.yaml", "--offline", "seed.json", "--url", "http://127.0.0.1:1"];
		expect(await world.run(offline)).toMatchObject({ code: 0, stderr: "" });
		const local = await world.run(["test", "a.access.yaml", "--offline", "seed.json", "--local"]);
		expect(local).toMatchObject({ code: 3, stderr: "error: --offline and --local cannot be used together\n" });
		world.write("b.json", JSON.stringify({ organizationId: whole.organizationId, users: {} }));
		for (const file of ["orgsync.yaml", "b.json"]) {
			const wrong = await world.run(["test", "a.access.yaml", "--offline", file]);
			expect(wrong.code).toBe(3);
			expect(wrong.stderr).toContain("unknown key `organizationId`; known here: organizations");
			expect(wrong.stderr).toContain(
				"hint: export --as seed writes a seed; a document or a saved plan has no live state\n",
			);
		}
		const other = await world.run([...offline, "--organization", "00000000-0000-4000-8000-000000000002"]);
		expect(other.code).toBe(3);
		expect(other.stderr).toContain("no access case was judged: the run has no organization");
		const { policies: _, ...without } = whole;
		world.write("seed.json", JSON.stringify({ organizations: [without] }));
		const lacking = await world.run(offline);
		expect(lacking.code).toBe(11);
		expect(lacking.stdout).toContain("the seed has no `policies`");
		const { userTags: __, ...untagged } = whole;
		world.write("seed.json", JSON.stringify({ organizations: [untagged] }));
		world.write("a.access.yaml", "rootQuorum: aside\ntests: [{ name: bob never signs, power: sign, never: [bob] }]\n");
		const open = await world.run(offline);
		expect(open.code).toBe(11);
		expect(open.stdout).toContain("the seed has no `userTags`");
	});

	test("judges by what export --as seed wrote as it judges live", async () => {
		const world = await makeOrganization();
		const cases = `${holds}  - { name: bob signs, power: sign, alone: { atLeast: [bob] }, by: [two signers] }\n`;
		world.write("a.access.yaml", cases);
		expect(await world.run(["export", "--as", "seed", "--output", "seed.yaml"])).toMatchObject({ code: 0, stderr: "" });
		const [live, offline] = [await world.run(["test", "--live"]), await world.run(["test", "--offline", "seed.yaml"])];
		expect(live.code).toBe(10);
		expect(offline.stdout).toBe(live.stdout.replace("as it is live", "of the seed"));
		expect((await world.run(["export", "--as", "seed", "--output", "seed.yaml"])).code).toBe(0);
		const over = await world.run(["export", "--as", "seed", "--output", "orgsync.yaml"]);
		expect(over).toMatchObject({ code: 3 });
		expect(over.stderr).toContain("the export would lose all of it, which is no seed of orgsync");
	});

	test("leaves unknown in a seed what the service does not show", async () => {
		const world = await makeWorld(document(), { reads: "documented" });
		const { stdout, stderr, code } = await world.run(["export", "--as", "seed"]);
		expect(code).toBe(0);
		expect(stdout).not.toMatch(/users:|policies:|rootQuorum:/);
		expect(stderr).toMatch(
			/^not exported: users and userTags, because .*\nnot exported: policies, .*\nnot exported: rootQuorum, /,
		);
	});

	test("names a user, tag or policy that does not exist by file, line and column", async () => {
		const world = await makeOrganization();
		world.write("a.access.yaml", "tests:\n  - { name: it, power: sign, never: [bobb], by: [two singers] }\n");
		const { code, stderr } = await world.run(["test"]);
		expect(code).toBe(3);
		expect(stderr).toContain("a.access.yaml:2:38: no user is called `bobb`; did you mean `bob`?");
		expect(stderr).toContain("a.access.yaml:2:50: no policy is called `two singers`; did you mean `two signers`?");
	});

	test("fails where no case is found, or none is selected", async () => {
		const world = await makeOrganization();
		expect(await world.run(["test"])).toMatchObject({ code: 3 });
		world.write("a.access.yaml", holds);
		expect(await world.run(["test", "--case", "no one s*"])).toMatchObject({ code: 0 });
		expect((await world.run(["test", "--case", "nobody"])).stderr).toContain("no case has this name");
	});

	test("follows no link beside the documents to a file elsewhere, and shows nothing of one that is named", async () => {
		const world = await makeOrganization();
		const elsewhere = await makeWorld("secret: [the text of another file");
		symlinkSync(join(elsewhere.folder, "orgsync.yaml"), join(world.folder, "a.access.yaml"));
		const found = await world.run(["test"]);
		expect(found).toMatchObject({ code: 3 });
		expect(found.stderr).toContain("a.access.yaml is a link that points outside its folder");
		const named = await world.run(["test", "a.access.yaml"]);
		expect(named).toMatchObject({ code: 3 });
		expect(named.stderr).toContain("a.access.yaml:1:");
		expect(named.stderr).not.toContain("secret");
	});

	test("reads requests in the folder of the cases alone", async () => {
		const world = await makeOrganization();
		world.write("a.access.yaml", "tests: [{ name: it, activity: { body: ../body.json }, never: [bob] }]");
		const { code, stderr } = await world.run(["test"]);
		expect(code).toBe(3);
		expect(stderr).toMatch(/^a\.access\.yaml:1:\d+: `body` `\.\.\/body\.json` cannot be read: /);
		world.write("body.json", '{ "type": "ACTIVITY_TYPE_CREATE_WALLET" }');
		world.write(
			"a.access.yaml",
			"tests: [{ name: it, activity: { body: body.json }, never: [bob] }]\nrootQuorum: aside",
		);
		expect((await world.run(["test"])).code).toBe(0);
	});

	test("is about the organization that the file names", async () => {
		const world = await makeOrganization();
		world.write("a.access.yaml", `organizationId: 00000000-0000-4000-8000-00000000000f\n${holds}`);
		const { code, stderr } = await world.run(["test"]);
		expect(code).toBe(3);
		expect(stderr).toContain("a.access.yaml: no organization of this run is 00000000-0000-4000-8000-00000000000f");
	});
});

describe("orgsync test --coverage", () => {
	test("shows policies and clauses whose removal no case would notice", async () => {
		const world = await makeOrganization();
		world.write(
			"a.access.yaml",
			"rootQuorum: aside\ntests: [{ name: it, power: sign, together: { exactly: [2 of signers] } }]\n",
		);
		const { code, stdout } = await world.run(["test", "--live", "--coverage"]);
		expect(code).toBe(0);
		expect(stdout).toMatch(
			/No case would notice without:\n {2}the condition of policy `two signers`\n {2}policy `9000/,
		);
		const json = readOutput(await world.run(["test", "--live", "--coverage", "--format", "json"]));
		expect(json.organizations[0].uncovered).toContainEqual({ policyId: policies[0], clause: "condition" });
	});
});

describe("orgsync test --write", () => {
	test("begins a file that holds now", async () => {
		const world = await makeOrganization();
		const { code, stdout } = await world.run(["test", "--live", "--write", "new.access.yaml"]);
		expect(code).toBe(0);
		expect(stdout).toMatch(/\d+ access cases: \d+ passed\.\n$/);
		const written = readFileSync(join(world.folder, "new.access.yaml"), "utf8");
		expect(written).toContain("  - name: sign as it is today\n    power: sign\n    alone: { exactly: [] }\n");
		expect(written).toContain(`organizationId: ${organizationId}`);
		const unread = await makeWorld(document(), { reads: "documented" });
		const unknown = await unread.run(["test", "--live", "--write", "new.access.yaml"]);
		expect(unknown.code).toBe(11);
		expect(unknown.stderr).toContain("--write new.access.yaml: who can do what is unknown: ");
		expect(existsSync(join(unread.folder, "new.access.yaml"))).toBe(false);
		const again = await world.run(["test", "--live", "--write", "new.access.yaml"]);
		expect(again).toMatchObject({ code: 3 });
		expect(again.stderr).toContain("the file exists");
		expect((await world.run(["test", "--live", "--write", "new.yaml"])).stderr).toContain(
			"files of cases end with .access.yaml",
		);
	});
});

describe("orgsync test --format junit", () => {
	test("has a test for each case, with why it failed, or an error where it could not be judged", async () => {
		const world = await makeOrganization();
		world.write("a.access.yaml", `${holds}  - { name: bob <signs>, power: sign, alone: { atLeast: [bob] } }\n`);
		const { stdout } = await world.run(["test", "--live", "--format", "junit"]);
		expect(stdout).toContain('tests="2" failures="1" errors="0" skipped="0">');
		expect(stdout).toContain(
			'<testcase name="no one signs alone" classname="a.access.yaml" file="a.access.yaml" line="3"/>',
		);
		expect(stdout).toMatch(
			/name="bob &#60;signs&#62;" .* line="7"><failure message="`alone.atLeast`: bob cannot sign with any wallet or key alone">/,
		);
		const stopped = await world.run(["test", "--offline", "none.yaml", "--format", "junit"]);
		expect(stopped.code).toBe(3);
		expect(stopped.stdout).toMatch(/errors="1".*\n.*<error message="none.yaml cannot be read/);
	});
});

describe("a folder of documents", () => {
	test("has no file of access cases among its documents", async () => {
		const world = await makeOrganization();
		mkdirSync(join(world.folder, "documents"));
		world.write("documents/acme.yaml", document(agreeing.userTags));
		world.write("documents/acme.access.yaml", holds);
		const { code, stdout } = await world.run(["validate", "-f", "documents"]);
		expect(code).toBe(0);
		expect(stdout).not.toContain("access");
		expect((await world.run(["test", "-f", "documents"])).code).toBe(0);
		const named = await world.run(["validate", "-f", "documents/acme.access.yaml"]);
		expect(named.code).toBe(3);
		expect(named.stderr).toContain("orgsync test documents/acme.access.yaml");
	});
});
