import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import { checkSchema } from "../check-schema.ts";
import { havePrograms } from "../needs.ts";
import { makeFolder, normalize, readOutput, run, runOnTerminal, type Started, start } from "../run.ts";
import {
	agreeing,
	alice,
	bob,
	carol,
	document,
	keys,
	makeWorld,
	organizationId,
	policies,
	tags,
	type World,
} from "../world.ts";

/** `script` of util-linux runs a command on a terminal of its own. */
const hasTerminal = havePrograms("the tests on a terminal", "script");

const golden = (name: string): string => `../golden/cli/${name}.txt`;
const renaming = document("userTags: [{ name: signatories, previously: [signers] }]");

describe("init", () => {
	test("writes a valid document and names the next command", async () => {
		const cwd = makeFolder();
		const written = await run(["init", "--organization", organizationId], { cwd });
		expect(written).toMatchObject({ code: 0, stderr: "", stdout: "Wrote orgsync.yaml.\nNext: orgsync plan\n" });
		expect(await run(["validate"], { cwd })).toMatchObject({
			code: 0,
			stdout: `orgsync.yaml: valid, organization ${organizationId}\n`,
		});
	});

	test("writes a document that takes its organization from the environment if none is given", async () => {
		const cwd = makeFolder();
		expect((await run(["init"], { cwd })).stdout).toContain("Set ORGSYNC_ORGANIZATION_ID");
		expect((await run(["validate"], { cwd })).code).toBe(3);
		const env = { ORGSYNC_ORGANIZATION_ID: organizationId };
		expect((await run(["validate"], { cwd, env })).stdout).toContain(organizationId);
	});

	test("never overwrites a file", async () => {
		const world = await makeWorld("# mine\n");
		expect((await world.run(["init"])).code).toBe(3);
		expect((await world.run(["init", "--local", "-f", "orgsync.yaml"])).code).toBe(3);
		symlinkSync("nowhere.yaml", join(world.folder, "link.yaml"));
		expect((await world.run(["init", "-f", "link.yaml"])).code).toBe(3);
		expect(readFileSync(join(world.folder, "orgsync.yaml"), "utf8")).toBe("# mine\n");
		expect(readdirSync(world.folder).sort()).toEqual(["link.yaml", "orgsync.yaml"]);
	});

	test("with --local writes a document that plan and apply accept without account or key, after which no changes remain", async () => {
		const cwd = makeFolder();
		expect((await run(["init", "--local"], { cwd })).stdout).toContain("Next: orgsync plan --local");
		const plan = await run(["plan", "--local"], { cwd });
		expect(plan).toMatchObject({ code: 0, stderr: "" });
		await expect(normalize(plan.stdout)).toMatchFileSnapshot(golden("local-plan"));
		const applied = await run(["apply", "--local", "--yes"], { cwd });
		expect(applied.code).toBe(0);
		await expect(normalize(applied.stdout)).toMatchFileSnapshot(golden("local-apply"));
		expect((await run(["drift", "--local"], { cwd })).code).toBe(0);
		expect(statSync(join(cwd, ".orgsync/local.private")).mode & 0o777).toBe(0o600);
		expect(readFileSync(join(cwd, ".orgsync/.gitignore"), "utf8")).toBe("*\n");
		const key = readFileSync(join(cwd, ".orgsync/local.private"), "utf8").trim();
		for (const file of readdirSync(join(cwd, ".orgsync")).filter((name) => name !== "local.private")) {
			expect(readFileSync(join(cwd, ".orgsync", file)).includes(key), file).toBe(false);
		}
	});
});

describe("schema", () => {
	test("prints the schema of the document by default", async () => {
		const { code, stdout } = await run(["schema"]);
		expect(code).toBe(0);
		expect(JSON.parse(stdout)).toMatchObject({
			title: "orgsync document",
			$schema: expect.stringContaining("2020-12"),
		});
	});
});

describe("query", () => {
	test("prints the response of the service unchanged", async () => {
		const world = await makeWorld();
		const { code, stdout, stderr } = await world.run([
			"query",
			"get_mfa_policies",
			`userId=${alice}`,
			"--organization",
			organizationId,
		]);
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		expect(JSON.parse(stdout)).toMatchObject({ mfaPolicies: [{ mfaPolicyName: "passkey-first", order: 1 }] });
	});

	test("accepts its fields as JSON and prints the same", async () => {
		const world = await makeWorld(document());
		const pairs = await world.run(["query", "list_supported_assets", "caip2=eip155:1"]);
		const json = await world.run(["query", "list_supported_assets", "--json", '{"caip2": "eip155:1"}']);
		expect(json).toEqual(pairs);
		expect(JSON.parse(json.stdout)).toMatchObject({ assets: [{ symbol: "ETH" }] });
	});

	test("finds its organization by flag, then environment, then document", async () => {
		const world = await makeWorld(document());
		const unknown = "f0000000-0000-4000-8000-000000000009";
		const elsewhere = { env: { ORGSYNC_ORGANIZATION_ID: unknown } };
		expect((await world.run(["query", "list_user_tags"])).code).toBe(0);
		const byEnvironment = await world.run(["query", "list_user_tags"], elsewhere);
		expect(byEnvironment.code).toBe(1);
		expect(byEnvironment.stderr).toContain(unknown);
		expect((await world.run(["query", "list_user_tags", "--organization", organizationId], elsewhere)).code).toBe(0);
	});

	test("puts the response into the one JSON object", async () => {
		const world = await makeWorld(document());
		const answer = await world.run(["query", "list_user_tags", "--format", "json"]);
		expect(readOutput(answer)).toMatchObject({
			operation: "list_user_tags",
			answer: { userTags: [{ tagName: "signers" }, { tagName: "oncall" }, { tagName: "auditors" }] },
		});
	});
});

describe("query of an extended read", () => {
	test("reports that the service may not offer it", async () => {
		const world = await makeWorld(document(), { reads: "documented" });
		const { code, stdout, stderr } = await world.run(["query", "whoami"]);
		expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
		await expect(normalize(stderr)).toMatchFileSnapshot(golden("query-extended-missing"));
	});

	test("does not report that for a documented query", async () => {
		const world = await makeWorld(document());
		const { stderr } = await world.run(["query", "get_policy_evaluations", `activityId=${tags.signers}`]);
		expect(stderr).toContain("answered 404");
		expect(stderr).not.toContain("extended read");
	});
});

describe("explain", () => {
	async function waiting(rules: object): Promise<{ world: World; activityId: string }> {
		const world = await makeWorld(document(`absent: { policies: [${policies[0]}] }`));
		await world.setRules(rules);
		const answer = await world.run(["apply", "--yes", "--format", "json"]);
		expect(answer.code).toBe(8);
		return { world, activityId: readOutput(answer).reports[0].steps[0].activityId };
	}

	test("names the policy that needs more approvals", async () => {
		const { world, activityId } = await waiting({ approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } });
		const { code, stdout, stderr } = await world.run(["explain", activityId]);
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		await expect(normalizeRule(stdout)).toMatchFileSnapshot(golden("explain-approval"));
	});

	test("names the authenticators that are missing", async () => {
		const { world, activityId } = await waiting({ authenticators: ["ACTIVITY_TYPE_DELETE_POLICIES"] });
		const { code, stdout, stderr } = await world.run(["explain", activityId]);
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		await expect(normalizeRule(stdout)).toMatchFileSnapshot(golden("explain-authenticator"));
		const json = readOutput(await world.run(["explain", activityId, "--format", "json"]));
		expect(json).toMatchObject({
			activityId,
			policyEvaluations: [
				{
					policyEvaluations: [
						{ outcome: "OUTCOME_REQUIRES_AUTHENTICATORS" },
						...policies.map((policyId) => ({ policyId, outcome: "OUTCOME_ALLOW" })),
					],
				},
			],
			mfaStatuses: [{ userId: alice, satisfied: false }],
		});
	});

	/** Gives the policy that the emulator's rule stands for, which no seed can know the id of, a place in the list. */
	async function listPolicyOfRule(world: World, activityId: string): Promise<string> {
		const { policyEvaluations } = readOutput(await world.run(["explain", activityId, "--format", "json"]));
		const { policyId } = policyEvaluations[0].policyEvaluations[0];
		await world.change({
			policies: [{ policyId, policyName: "two signers", consensus: "approvers.count() >= 2" }],
		});
		return policyId;
	}

	test("shows the consensus that a pending policy requires if policies can be read", async () => {
		const { world, activityId } = await waiting({ approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } });
		const policyId = await listPolicyOfRule(world, activityId);
		const { stdout } = await world.run(["explain", activityId]);
		await expect(normalizeRule(stdout)).toMatchFileSnapshot(golden("explain-consensus"));
		const json = readOutput(await world.run(["explain", activityId, "--format", "json"]));
		expect(json).toMatchObject({
			policies: [
				...policies.map((other) => ({ policyId: other })),
				{ policyId, policyName: "two signers", consensus: "approvers.count() >= 2" },
			],
			activity: {
				status: "ACTIVITY_STATUS_CONSENSUS_NEEDED",
				type: "ACTIVITY_TYPE_DELETE_POLICIES",
				fingerprint: world.activities()[0].fingerprint,
				approvedBy: [alice],
				rejectedBy: [],
				canApprove: false,
			},
		});
	});

	test("reports that it sends documented queries only, and sends no other", async () => {
		const { world, activityId } = await waiting({ approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } });
		await listPolicyOfRule(world, activityId);
		world.clearRequests();
		const { code, stdout } = await world.run(["explain", activityId, "--reads", "documented"]);
		expect(code).toBe(0);
		await expect(normalizeRule(stdout)).toMatchFileSnapshot(golden("explain-documented"));
		expect([...world.requests()].sort()).toEqual(["get_mfa_status", "get_policy_evaluations"]);
	});

	test("continues without the extended reads that are denied", async () => {
		const { world, activityId } = await waiting({ approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } });
		await world.setRules({ denyReads: ["get_activity", "list_policies"] });
		const { code, stdout } = await world.run(["explain", activityId]);
		expect(code).toBe(0);
		expect(stdout).toContain("  the service does not say who can approve it\n");
		expect(readOutput(await world.run(["explain", activityId, "--format", "json"]))).toMatchObject({
			activity: null,
			policies: [],
		});
	});

	test("shows another user that its key can approve the activity", async () => {
		const { world, activityId } = await waiting({ approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } });
		const { stdout } = await world.run(["explain", activityId], {
			env: { ORGSYNC_API_PRIVATE_KEY: keys.bob.privateKey },
		});
		expect(stdout).toContain(`  this key can approve it: \`orgsync approve ${activityId}\`\n`);
	});

	test("names users by their aliases and ids, and users without an alias by their live names and ids", async () => {
		const { world, activityId } = await waiting({ authenticators: ["ACTIVITY_TYPE_DELETE_POLICIES"] });
		const named = `  user alice (${alice}), MFA policy `;
		expect((await world.run(["explain", activityId])).stdout).toContain(named);
		const piped = { stdin: document("userTags: [{ name: signers }]") };
		expect((await world.run(["explain", activityId, "-f", "-"], piped)).stdout).toContain(named);
		world.write("orgsync.yaml", "organizationId: 7\n");
		const organization = ["--organization", organizationId];
		const alone = await world.run(["explain", activityId, ...organization]);
		expect(alone).toMatchObject({ code: 0, stderr: "" });
		expect(alone.stdout).toContain(`  user alice (${alice}), MFA policy `);
		expect((await world.run(["explain", activityId, ...organization, "-f", "orgsync.yaml"])).code).toBe(3);
	});

	/** The emulator's rules stand for policies with ids of their own. */
	function normalizeRule(text: string): string {
		return normalize(text).replace(/policy [0-9a-f]{8}-[0-9a-f-]{27}/, "policy RULE_ID");
	}
});

describe("apply on a terminal", () => {
	test.runIf(hasTerminal)("asks, and submits after yes", async () => {
		const world = await makeWorld(renaming);
		const { code, shown } = await runOnTerminal(world, ["apply"], "yes");
		expect(code).toBe(0);
		expect(shown).toContain(`Submit this activity to Acme (${organizationId})? Only "yes" is accepted: `);
		expect(shown).toContain("Applied: 1 completed");
		expect(world.submits()).toEqual(["update_user_tag"]);
	});

	test.runIf(hasTerminal)("submits nothing after any other answer", async () => {
		const world = await makeWorld(renaming);
		const { code, shown } = await runOnTerminal(world, ["apply"], "y");
		expect(code).toBe(1);
		expect(shown).toContain("Not applied: nothing was submitted.");
		expect(world.submits()).toEqual([]);
	});

	test.runIf(hasTerminal)("exits with 130 at Ctrl-C, treats Ctrl-D as no, and submits nothing", async () => {
		const world = await makeWorld(renaming);
		for (const [key, code, said] of [
			["\u0003", 130, "interrupted at the question; nothing was submitted"],
			["\u0004", 1, "Not applied: nothing was submitted."],
		] as const) {
			const answer = await runOnTerminal(world, ["apply"], key);
			expect(answer.code).toBe(code);
			expect(answer.shown).toContain(said);
			expect(answer.shown).not.toContain("unexpected error");
		}
		expect(world.submits()).toEqual([]);
	});

	test.runIf(hasTerminal)("asks nothing when there is nothing to submit", async () => {
		const world = await makeWorld(document("userTags: [{ name: signers }]"));
		const { code, shown } = await runOnTerminal(world, ["apply"]);
		expect(code).toBe(0);
		expect(shown).not.toContain("Submit");
	});

	test.runIf(hasTerminal)("shows colors, except with NO_COLOR, --no-color or a dumb terminal", async () => {
		const world = await makeWorld(renaming);
		const colour = "\u001b[33m";
		expect((await runOnTerminal(world, ["plan"])).shown).toContain(colour);
		expect((await runOnTerminal(world, ["plan", "--no-color"])).shown).not.toContain(colour);
		expect((await runOnTerminal(world, ["plan"], undefined, { NO_COLOR: "1" })).shown).not.toContain(colour);
		expect((await runOnTerminal(world, ["plan"], undefined, { TERM: "dumb" })).shown).not.toContain(colour);
	});
});

describe("import-key", () => {
	test("with --out writes the bundle to a file for its owner alone and nowhere else", async () => {
		const world = await makeWorld(document());
		const answer = await world.run([
			"import-key",
			"--user",
			"bob",
			"--out",
			"bundle.json",
			"--format",
			"json",
			"--verbose",
		]);
		expect(readOutput(answer)).toMatchObject({ exitCode: 0, out: "bundle.json", outcome: "completed" });
		const file = join(world.folder, "bundle.json");
		const bundle = readFileSync(file, "utf8");
		expect(statSync(file).mode & 0o777).toBe(0o600);
		expect(bundle).toBe(world.activities()[0].result.initImportPrivateKeyResult.importBundle);
		const { targetPublic } = JSON.parse(Buffer.from(JSON.parse(bundle).data, "hex").toString("utf8"));
		for (const part of [bundle, JSON.stringify(bundle).slice(1, -1), targetPublic, JSON.parse(bundle).data]) {
			expect(part.length).toBeGreaterThan(60);
			expect(answer.stdout + answer.stderr).not.toContain(part);
			for (const name of readdirSync(join(world.folder, ".orgsync"))) {
				expect(readFileSync(join(world.folder, ".orgsync", name)).includes(part), name).toBe(false);
			}
		}
	});

	test("without --out prints the bundle alone on standard output", async () => {
		const world = await makeWorld();
		const answer = await world.run(["import-key", "--user", bob, "--organization", organizationId]);
		expect(answer).toMatchObject({ code: 0, stderr: "" });
		expect(answer.stdout).toBe(`${world.activities()[0].result.initImportPrivateKeyResult.importBundle}\n`);
	});

	test("asks for nothing if the file cannot be written", async () => {
		const world = await makeWorld(document());
		const answer = await world.run(["import-key", "--user", "bob", "--out", "nowhere/bundle.json"]);
		expect(answer.code).toBe(3);
		expect(answer.stdout).toBe("");
		expect(answer.stderr).toContain("cannot be written to nowhere/bundle.json: there is no such file or folder");
		expect(world.requests()).toEqual([]);
	});
});

describe("emulator", () => {
	const seed = stringify({
		organizations: [
			{
				organizationId,
				users: [{ userId: alice, userName: "alice", apiKeys: [{ publicKey: keys.alice.publicKey }] }],
				userTags: [{ tagId: tags.signers, tagName: "signers", userIds: [alice] }],
			},
		],
	});

	async function ready(world: World, words: readonly string[]): Promise<Started & { url: string }> {
		const started = start(["emulator", ...words], { cwd: world.folder });
		onTestFinished(() => void started.child.kill("SIGKILL"));
		await expect.poll(started.stdout, { timeout: 20_000 }).toContain("\n");
		return { ...started, url: JSON.parse(started.stdout()).url };
	}

	test.each([
		"SIGTERM",
		"SIGINT",
	] as const)("prints one line of JSON when it listens, and ends with 0 on %s", async (signal) => {
		const world = await makeWorld();
		world.write("seed.yaml", seed);
		const emulator = await ready(world, ["--seed", "seed.yaml"]);
		expect(JSON.parse(emulator.stdout())).toEqual({
			ready: true,
			url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
			organizations: [{ organizationId, users: [{ userId: alice, userName: "alice" }] }],
		});
		emulator.child.kill(signal);
		const { code, stdout, stderr } = await emulator.ended;
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		expect(stdout).toMatch(/^[^\n]+\n$/);
	});

	test("with --data keeps applied changes after kill -9", async () => {
		const world = await makeWorld(renaming);
		world.write("seed.yaml", seed);
		const words = ["--seed", "seed.yaml", "--data", "state.sqlite"];
		const first = await ready(world, words);
		expect((await world.run(["apply", "--yes"], { env: { ORGSYNC_URL: first.url } })).code).toBe(0);
		first.child.kill("SIGKILL");
		expect((await first.ended).code).toBe(null);
		const second = await ready(world, words);
		const { stdout } = await world.run(["query", "list_user_tags"], { env: { ORGSYNC_URL: second.url } });
		expect(JSON.parse(stdout).userTags).toMatchObject([{ tagName: "signatories" }]);
		second.child.kill("SIGTERM");
		expect((await second.ended).code).toBe(0);
	});

	test("with --reads documented offers no extended reads", async () => {
		const world = await makeWorld(document());
		world.write("seed.yaml", seed);
		const emulator = await ready(world, ["--seed", "seed.yaml", "--reads", "documented"]);
		const { code, stderr } = await world.run(["query", "list_users"], { env: { ORGSYNC_URL: emulator.url } });
		expect(code).toBe(1);
		expect(stderr).toContain("404");
	});

	test("refuses a seed with mistakes with file:line:column and does not listen", async () => {
		const world = await makeWorld();
		world.write("seed.yaml", "organizations:\n  - organizationID: 1\n");
		const { code, stdout, stderr } = await world.run(["emulator", "--seed", "seed.yaml"]);
		expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
		await expect(stderr).toMatchFileSnapshot(golden("emulator-seed-mistakes"));
	});
});

describe("the documents of a command", () => {
	test("are every .yaml and .yml file of -f FOLDER, without hidden folders and node_modules", async () => {
		const world = await makeWorld();
		for (const folder of ["documents", "documents/deep", "documents/.hidden", "documents/node_modules"]) {
			mkdirSync(join(world.folder, folder));
		}
		world.write("documents/one.yaml", document("userTags: [{ name: signers }]"));
		world.write("documents/deep/two.yml", document("userTags: [{ name: oncall }]"));
		for (const name of ["documents/.hidden/a.yaml", "documents/node_modules/b.yaml", "documents/c.txt"]) {
			world.write(name, "this is no document");
		}
		expect(await world.run(["validate", "-f", "documents"])).toMatchObject({
			code: 0,
			stdout: `documents/deep/two.yml, documents/one.yaml: valid, organization ${organizationId}\n`,
		});
	});

	test("are read from standard input with -f -, and named so", async () => {
		const world = await makeWorld();
		expect((await world.run(["plan", "-f", "-"], { stdin: renaming })).stdout).toContain("signers -> signatories");
		const { code, stderr } = await world.run(["validate", "-f", "-"], { stdin: "organizationId: 7\n" });
		expect(code).toBe(3);
		expect(stderr).toMatch(/^-:1:17: /);
	});
});

describe("every command", () => {
	test("writes its result to the file of --output and nothing to standard output", async () => {
		const world = await makeWorld(renaming);
		const { stdout } = await world.run(["plan"]);
		expect(await world.run(["plan", "--output", "plan.txt"])).toMatchObject({ code: 0, stdout: "", stderr: "" });
		expect(readFileSync(join(world.folder, "plan.txt"), "utf8")).toBe(stdout);
		expect(await world.run(["plan", "--output", "plan.json", "--format", "json"])).toMatchObject({
			code: 0,
			stdout: "",
		});
		expect(checkSchema("output.json", JSON.parse(readFileSync(join(world.folder, "plan.json"), "utf8")))).toEqual([]);
	});

	test("prints no colors without a terminal, with NO_COLOR or with --no-color", async () => {
		const world = await makeWorld(document("userTags: [{ name: singers }]"));
		for (const [words, env] of [
			[["plan"], {}],
			[["plan", "--no-color"], {}],
			[["plan"], { NO_COLOR: "1" }],
			[["apply", "--yes"], { FORCE_COLOR: "1" }],
		] as const) {
			const { stdout, stderr } = await world.run(words, { env });
			expect(stdout + stderr).not.toContain("\u001b");
		}
	});

	test("prints only its result and errors with --quiet", async () => {
		const world = await makeWorld(renaming);
		const { code, stdout, stderr } = await world.run(["apply", "--yes", "--quiet"]);
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		expect(stdout).toContain("Applied: 1 completed");
		const failed = await world.run(["plan", "--quiet", "-f", "nowhere.yaml"]);
		expect(failed.stderr).toContain("file not found: nowhere.yaml");
	});

	test("prints every request and no stamp with --verbose", async () => {
		const world = await makeWorld(renaming);
		const { code, stderr } = await world.run(["apply", "--yes", "--verbose"]);
		expect(code).toBe(0);
		const said = [...stderr.matchAll(/^(\w+): 200, \d+ ms$/gm)].map(([, operation]) => operation);
		expect(said).toEqual(world.requests());
		expect(stderr).not.toMatch(/stamp/i);
	});

	test("prints every retry with --verbose", async () => {
		const world = await makeWorld(renaming);
		await world.addFault({ operation: "list_user_tags", fault: "5xx", count: 1 });
		const { stderr } = await world.run(["plan", "--verbose"]);
		const [failed, retried, ...others] = normalize(stderr).trimEnd().split("\n");
		expect([failed, retried]).toEqual(["list_user_tags: 503, N ms", "list_user_tags: 200, N ms, attempt 2"]);
		expect(others.sort()).toEqual([
			"get_organization_configs: 200, N ms",
			"list_activities: 200, N ms",
			"list_policies: 200, N ms",
			"list_users: 200, N ms",
			"whoami: 200, N ms",
		]);
	});

	test("finds keys in key files and in the variables of the vendor's tools", async () => {
		const world = await makeWorld(renaming);
		world.write("alice.private", `${keys.alice.privateKey}\n`);
		world.write("alice.public", `${keys.alice.publicKey}\n`);
		const none = { ORGSYNC_API_PRIVATE_KEY: "" };
		expect((await world.run(["plan", "--key-file", "alice"], { env: none })).code).toBe(0);
		expect((await world.run(["plan", "--key-file", "alice.private"], { env: none })).code).toBe(0);
		const vendor = { TURNKEY_API_PRIVATE_KEY: keys.alice.privateKey, TURNKEY_BASE_URL: world.url };
		expect((await world.run(["plan"], { env: { ...none, ORGSYNC_URL: "", ...vendor } })).code).toBe(0);
	});
});

describe("help", () => {
	test("lists the exit codes, also of `orgsync` and `orgsync help`", async () => {
		const { code, stdout, stderr } = await run(["--help"]);
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		for (const number of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 130])
			expect(stdout).toMatch(new RegExp(`^  ${number} +\\w`, "m"));
		expect((await run([])).stdout).toBe(stdout);
		expect((await run(["help"])).stdout).toBe(stdout);
	});

	test("prints the version of the package with --version", async () => {
		const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
		for (const words of [["--version"], ["-V"]])
			expect(await run(words)).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
	});
});

test("orgsync creates nothing but the folder .orgsync beside the document", async () => {
	const world = await makeWorld(document(agreeing.userTags.replace("carol", "bob")));
	expect((await world.run(["apply", "--yes"])).code).toBe(0);
	expect(world.organization().userTags[0].userIds).not.toContain(carol);
	expect(readdirSync(world.folder).sort()).toEqual([".orgsync", "orgsync.yaml"]);
	expect(existsSync(join(world.folder, ".orgsync/journal.sqlite"))).toBe(true);
});
