/** Rules of a document, from reading to the exit code: what plan, drift and apply do about them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { normalize, readOutput } from "../run.ts";
import { alice, bob, carol, document, makeWorld, policies, tags, type World } from "../world.ts";

const golden = (name: string): string => fileURLToPath(new URL(`../golden/cli/${name}.txt`, import.meta.url));

const signing = "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'";
const ofSigners = (count: number): string =>
	`approvers.filter(user, user.tags.contains('${tags.signers}')).count() >= ${count}`;

/** Two of `signers` can sign and create wallets; for all else alice needs bob, as the root quorum. */
async function givePolicies(world: World): Promise<void> {
	const creating = "activity.resource == 'WALLET' && activity.action == 'CREATE'";
	await world.change({
		policies: policies.map((policyId, index) => ({
			...{ policyId, policyName: `policy ${index + 1}`, effect: "EFFECT_ALLOW", consensus: ofSigners(2) },
			condition: index === 0 ? signing : creating,
		})),
		rootQuorum: { threshold: 2, userIds: [alice, bob] },
	});
	world.clearRequests();
}

async function worldWith(...sections: readonly string[]): Promise<World> {
	const world = await makeWorld(document(...sections));
	await givePolicies(world);
	return world;
}

const brokenRules = `rules:
  exclusive: [signers, oncall]
  members: { signers: { min: 3 }, auditors: { max: 0 }, nobody: { min: 1 } }
  powers: { sign: { minApprovers: 3 }, export: { onlyBy: [signers] } }
  noNewAccess: true`;

describe("a document with rules alone", () => {
	test("is planned: what live state breaks is shown, and --detailed-exitcode is 2", async () => {
		const world = await worldWith(brokenRules);
		const plan = await world.run(["plan"]);
		expect({ code: plan.code, stderr: plan.stderr }).toEqual({ code: 0, stderr: "" });
		await expect(normalize(plan.stdout)).toMatchFileSnapshot(golden("rules-plan"));
		expect((await world.run(["plan", "--detailed-exitcode"])).code).toBe(2);
	});

	test("is in sync while it is kept", async () => {
		const world = await worldWith("rules: { exclusive: [signers, oncall], powers: { sign: { minApprovers: 2 } } }");
		const plan = await world.run(["plan", "--detailed-exitcode"]);
		expect(plan.code).toBe(0);
		expect(plan.stdout).toContain("No changes. The organization is in sync.");
		expect((await world.run(["drift"])).code).toBe(0);
	});

	test("with --reads documented has rules that could not be checked", async () => {
		const world = await worldWith(brokenRules);
		const drift = await world.run(["drift", "--reads", "documented", "--format", "json"]);
		expect(drift.code).toBe(1);
		const [{ verdict, unread, findings }] = readOutput(drift).drift;
		expect({ verdict, findings }).toEqual({ verdict: "could-not-look", findings: [] });
		expect(unread.map(({ address }: { address: string }) => address)).toEqual([
			"rule:exclusive.oncall+signers",
			"rule:members.auditors",
			"rule:members.nobody",
			"rule:members.signers",
			"rule:powers.export.onlyBy",
			"rule:powers.sign.minApprovers",
		]);
	});
});

describe("drift of rules", () => {
	test.each(["text", "markdown", "github"])("is shown in %s", async (format) => {
		const world = await worldWith(brokenRules);
		await world.change({ userTags: [{ tagId: tags.oncall, tagName: "oncall", userIds: [bob, carol] }] });
		const drift = await world.run(["drift", "--format", format]);
		expect({ code: drift.code, stderr: drift.stderr }).toEqual({ code: 2, stderr: "" });
		await expect(normalize(drift.stdout)).toMatchFileSnapshot(golden(`rules-drift-${format}`));
	});

	test("is on the page", async () => {
		const world = await worldWith(brokenRules);
		const { stdout } = await world.run(["drift", "--format", "html"]);
		expect(stdout).toContain("rule:members.signers");
		expect(stdout).toContain("has 2 members, where the rule asks for at least 3");
	});

	test("--since keeps when it began", async () => {
		const world = await worldWith(brokenRules);
		const report = ["drift", "--since", "drift.json", "--format", "json", "--output", "drift.json"];
		await world.run(report);
		await world.run(report);
		const [{ findings }] = JSON.parse(readFileSync(join(world.folder, "drift.json"), "utf8")).drift;
		expect(findings.map(({ address, state }: Record<string, string>) => [address, state])).toEqual([
			["rule:members.signers", "still-there"],
			["rule:powers.sign.minApprovers", "still-there"],
		]);
	});

	test.each(["rule:members.signers", "rule:*"])("--accept %s says that a rule cannot be accepted", async (address) => {
		const world = await worldWith(brokenRules);
		const { code, stderr } = await world.run(["drift", "--accept", address]);
		expect(code).toBe(3);
		expect(stderr).toBe(
			`error: cannot accept ${address}: a rule says what must hold; change \`rules\`\nhint: nothing was written to any document\n`,
		);
	});

	test("is judged for all of the organization with --only", async () => {
		const world = await worldWith("userTags: [{ name: signers }, { name: oncall }]", brokenRules);
		const { code, stdout } = await world.run(["drift", "--only", "userTag/oncall"]);
		expect(code).toBe(2);
		expect(stdout).toContain("rule:members.signers");
	});
});

describe("a plan that would break a rule", () => {
	const breaking = [
		"userTags: [{ name: signers, members: { atLeast: [bob] } }]",
		"rules: { exclusive: [signers, oncall], noNewAccess: true }",
	];

	test("is blocked, and applied with both numbers", async () => {
		const world = await worldWith(...breaking);
		const refused = await world.run(["apply", "--yes"]);
		expect({ code: refused.code, submits: world.submits() }).toEqual({ code: 5, submits: [] });
		expect(refused.stderr).toContain("would break rule:exclusive.oncall+signers: bob has `oncall` and `signers`");
		expect(refused.stderr).toContain("hint: to override: --allow rules=1 --allow newAccess=2\n");
		expect((await world.run(["apply", "--yes", "--allow", "rules=1"])).code).toBe(5);
		expect((await world.run(["apply", "--yes", "--allow", "rules=1", "--allow", "newAccess=3"])).code).toBe(5);
		const applied = await world.run(["apply", "--yes", "--allow", "rules=1", "--allow", "newAccess=2"]);
		expect(world.submits()).toEqual(["update_user_tag"]);
		expect(applied.stderr + applied.stdout).toContain("--allow newAccess=2");
	});

	test("is blocked with --only too", async () => {
		const world = await worldWith(
			"userTags: [{ name: oncall, members: { atLeast: [carol] } }, { name: signers }]",
			breaking[1] ?? "",
		);
		const { code, stderr } = await world.run(["apply", "--yes", "--only", "userTag/oncall"]);
		expect(code).toBe(5);
		expect(stderr).toContain("carol has `oncall` and `signers`");
	});

	test("is blocked when it is applied from a saved plan, by what is live then", async () => {
		const world = await worldWith(
			"userTags: [{ name: auditors, members: { atLeast: [bob] } }]",
			"rules: { exclusive: [auditors, signers] }",
		);
		expect((await world.run(["plan", "--out", "plan.json"])).code).toBe(0);
		expect((await world.run(["show", "plan.json"])).code).toBe(0);
		await world.change({ userTags: [{ tagId: tags.signers, tagName: "signers", userIds: [alice, bob, carol] }] });
		const { code, stderr } = await world.run(["apply", "--plan", "plan.json", "--yes"]);
		expect({ code, submits: world.submits() }).toEqual({ code: 5, submits: [] });
		expect(stderr).toContain("would break rule:exclusive.auditors+signers: bob has `auditors` and `signers`");
	});

	test("is shown and applied from a saved plan with the numbers", async () => {
		const world = await worldWith(...breaking);
		expect((await world.run(["plan", "--out", "plan.json"])).code).toBe(0);
		expect((await world.run(["show", "plan.json"])).stdout).toContain("rule:exclusive.oncall+signers");
		expect((await world.run(["apply", "--plan", "plan.json", "--yes"])).code).toBe(5);
		await world.run(["apply", "--plan", "plan.json", "--yes", "--allow", "rules=1", "--allow", "newAccess=2"]);
		expect(world.submits()).toEqual(["update_user_tag"]);
	});
});

describe("export", () => {
	test("writes no rules", async () => {
		const world = await worldWith(brokenRules);
		const { code, stdout } = await world.run(["export"]);
		expect(code).toBe(0);
		expect(stdout).not.toMatch(/^rules/m);
	});
});
