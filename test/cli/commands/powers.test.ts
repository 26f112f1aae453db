/** `orgsync powers`: who can do what in live organizations, and why, as a user has it. */
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { powersByName } from "../../../src/policy/activities/named-powers.ts";
import { normalize, readOutput } from "../../run.ts";
import { alice, bob, carol, document, makeWorld, policies, tags, type World } from "../../world.ts";

const golden = (name: string): string => fileURLToPath(new URL(`../../golden/cli/${name}`, import.meta.url));

const has = (tag: string): string => `user.tags.contains('${tag}')`;

const seeded = [
	{
		policyId: policies[0],
		policyName: "two signers",
		effect: "EFFECT_ALLOW",
		consensus: `approvers.filter(user, ${has(tags.signers)}).count() >= 2`,
		condition: "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'",
	},
	{
		policyId: policies[1],
		policyName: "on call creates wallets",
		effect: "EFFECT_ALLOW",
		consensus: `approvers.any(user, ${has(tags.oncall)})`,
		condition: "activity.resource == 'WALLET' && activity.action == 'CREATE'",
		time: "time.now < Timestamp('2026-06-01T00:00:00Z')",
	},
	{
		policyId: policies[2],
		policyName: "carol exports nothing",
		effect: "EFFECT_DENY",
		consensus: `approvers.any(user, user.id == '${carol}')`,
		condition: "activity.resource == 'WALLET' && activity.action == 'EXPORT'",
	},
];

/** The organization with these policies and a root quorum of two. */
async function makeOrganization(reads: "all" | "documented" = "all"): Promise<World> {
	const world = await makeWorld(document(), { reads });
	await world.change({ policies: seeded, rootQuorum: { threshold: 2, userIds: [alice, bob] } });
	return world;
}

const before = ["--at", "2026-05-01"];
const after = ["--at", "2026-07-01T00:00:00Z"];

describe("orgsync powers", () => {
	test.each(["text", "markdown", "html", "github"])("shows each power once, in %s", async (format) => {
		const world = await makeOrganization();
		const { code, stdout, stderr } = await world.run(["powers", ...before, "--format", format]);
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		const settled = normalize(stdout)
			.replace(/<style>.*<\/style>|<script>.*<\/script>/gs, "")
			.replace(/orgsync \d+\.\d+\.\d+/g, "orgsync VERSION")
			.replace(/sha256-[\w+/=]+/g, "HASH");
		await expect(settled).toMatchFileSnapshot(golden(`powers-${format}`));
	});

	test("has all sets in JSON, the root quorum among them", async () => {
		const world = await makeOrganization();
		const [organization] = readOutput(await world.run(["powers", ...before, "--format", "json"])).organizations;
		expect(organization).toMatchObject({ rootQuorum: { threshold: 2, userIds: [alice, bob] }, unread: [] });
		const sign = organization.powers.find(
			({ group }: { group: object }) => "action" in group && group.action === "SIGN",
		);
		expect(sign).toMatchObject({
			alone: [],
			together: [
				[alice, bob],
				[alice, carol],
			],
			rootQuorumOnly: [bob],
			unknown: null,
		});
		expect(sign.policyIds).toEqual([policies[0]]);
	});

	test("warns of a policy that asks for a user tag by its name, with the id that is meant", async () => {
		const world = await makeOrganization();
		const named = { ...seeded[0], consensus: "approvers.any(user, user.tags.contains('signers'))" };
		await world.change({ policies: [named] });
		const { stdout } = await world.run(["powers"]);
		expect(stdout).toContain(
			`policy \`two signers\` asks for the user tag \`signers\` by its name, which no user's tags have; did you mean its id ${tags.signers}?`,
		);
		const [organization] = readOutput(await world.run(["powers", "--format", "json"])).organizations;
		expect(organization.namedTags).toEqual([{ policyId: policies[0], name: "signers", tagIds: [tags.signers] }]);
	});

	test("warns where the service says otherwise than orgsync which policies are in force, and counts its word", async () => {
		const world = await makeOrganization();
		await world.change({ policies: [{ ...seeded[0], time: "time.now" }] });
		const { stdout } = await world.run(["powers"]);
		expect(stdout).toContain(
			"the service says that policy `two signers` is not in force now, and by its `time` orgsync finds otherwise: the service's word counts",
		);
		const [organization] = readOutput(await world.run(["powers", "--group", "sign", "--format", "json"])).organizations;
		expect(organization.statedTimes).toEqual([{ policyId: policies[0], isActive: false }]);
		expect(organization.powers).toMatchObject([{ together: [[alice, bob]], unknown: null }]);
	});

	test("judges time windows at --at", async () => {
		const world = await makeOrganization();
		const wallets = async (at: readonly string[]) =>
			readOutput(await world.run(["powers", ...at, "--group", "wallets", "--format", "json"])).organizations[0]
				.powers[0].alone;
		expect([await wallets(before), await wallets(after)]).toEqual([[bob], []]);
	});

	test("is unknown, with its reason, where the service shows no policies", async () => {
		const world = await makeOrganization("documented");
		const { code, stdout } = await world.run(["powers", "--group", "sign"]);
		expect(code).toBe(0);
		expect(stdout).toContain("policies unknown: the service does not answer list_policies (HTTP 404)");
		expect(stdout).toMatch(/sign +unknown: /);
		expect(stdout).not.toMatch(/alone|no one/);
	});
});

describe("powers beside a deny list of addresses", () => {
	const denyList = {
		policyId: policies[1],
		policyName: "deny list",
		effect: "EFFECT_DENY",
		consensus: "",
		condition: "eth.tx.to == '0x1'",
		time: "",
	};
	const small = {
		policyId: policies[2],
		policyName: "small",
		effect: "EFFECT_ALLOW",
		consensus: `approvers.any(user, user.id == '${carol}')`,
		condition: "activity.action == 'SIGN' && eth.tx.value < 10",
	};

	test("are counted as sensitive, and explained as those under a condition", async () => {
		const world = await makeOrganization();
		await world.change({ policies: [seeded[0], denyList, small] });
		const { stdout } = await world.run(["powers", "--format", "markdown"]);
		expect(stdout).toContain("1 user can do something sensitive alone, only under a condition");
		for (const user of ["alice", "carol"]) {
			const why = await world.run(["powers", "--why", user, "sign"]);
			expect(why.stdout).toContain(`under a condition: ${user} can sign with any wallet or key`);
		}
	});
});

describe("a row of powers", () => {
	const rowsWith = async (changes: object): Promise<World> => {
		const world = await makeOrganization();
		await world.change(changes);
		return world;
	};
	const onPolicies = { ...seeded[0], consensus: `approvers.any(user, user.id == '${carol}')` };

	test("names all actions of a resource once, by the name that they have", async () => {
		const world = await rowsWith({ policies: [{ ...onPolicies, condition: "activity.resource == 'POLICY'" }] });
		const { stdout } = await world.run(["powers", ...before]);
		expect(stdout).toMatch(/^ {2}policies {20}alone: carol$/m);
		expect(stdout).not.toContain("POLICY/");
		const why = await world.run(["powers", "--why", "carol", "POLICY", ...before]);
		expect(why.stdout).toContain("yes: carol can do anything with policies alone (`POLICY/*`)");
		const whole = await world.run(["powers", "--group", "POLICY", ...before]);
		expect(whole.stdout).toMatch(/^ {2}POLICY\/\* {20}alone: carol$/m);
		const html = await world.run(["powers", ...before, "--format", "html"]);
		expect(html.stdout).toContain("<code>policies</code>");
	});

	test("leaves it to one line above that the root quorum could not be read", async () => {
		const world = await makeOrganization();
		await world.addFault({ operation: "get_organization_configs", fault: "5xx", status: 501, count: 9 });
		const { stdout } = await world.run(["powers", ...before]);
		expect(stdout.match(/unknown(?!: policy)/g)).toHaveLength(1);
		expect(stdout).toContain("  root quorum unknown: ");
		expect(stdout).toMatch(/^ {2}sign +together: 2 of signers \(alice, carol\)$/m);
		expect(stdout).toContain("only the root quorum");
		const markdown = await world.run(["powers", ...before, "--format", "markdown"]);
		expect(markdown.stdout).toContain(
			"### Powers: no user can do something sensitive alone; the root quorum is unknown.",
		);
	});
});

describe("a limit of powers", () => {
	const shown = async (world: World, ...words: readonly string[]): Promise<readonly string[]> => {
		const { code, stdout, stderr } = await world.run(["powers", ...before, ...words]);
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		return stdout
			.split("\n")
			.slice(3)
			.filter((line) => line !== "");
	};

	test("--group takes names, resources and actions, kinds and types", async () => {
		const world = await makeOrganization();
		expect(await shown(world, "--group", "sign")).toEqual([
			"  sign                        together: 2 of signers (alice, carol)",
		]);
		expect(await shown(world, "--group", "wallet/create")).toEqual(["  wallets                     alone: bob"]);
		expect((await shown(world, "--group", "WALLET")).join("\n")).toContain("denied: carol");
		expect(await shown(world, "--group", "kind CREATE_WALLET")).toEqual(["  kind CREATE_WALLET          alone: bob"]);
		const type = await shown(world, "--group", "type ACTIVITY_TYPE_CREATE_WALLET");
		expect(type.join(" ").replaceAll(/ +/g, " ")).toBe(" type ACTIVITY_TYPE_CREATE_WALLET alone: bob");
	});

	test("--group and can take each name of a power, in any case", async () => {
		const world = await makeOrganization();
		for (const { name } of powersByName) {
			expect(await shown(world, "--group", name), name).not.toEqual([]);
			const { code, stderr } = await world.run(["can", "carol", name.toUpperCase()]);
			expect({ code, stderr }, name).toEqual({ code: expect.toBeOneOf([8, 9, 11]), stderr: "" });
		}
	});

	test("--user shows the part of one user, by alias, id or live name", async () => {
		const world = await makeOrganization();
		const byAlias = await shown(world, "--user", "carol");
		expect(byAlias.join("\n")).toContain("together: 2 of signers (alice, carol)");
		expect(byAlias.join("\n")).toContain("denied: carol");
		expect(byAlias.join("\n")).not.toContain("bob");
		expect(await shown(world, "--user", carol.toUpperCase())).toEqual(byAlias);
		world.write("empty.yaml", document().replace(/users: .*/, "users: {}"));
		expect(await shown(world, "-f", "empty.yaml", "--user", "carol")).toEqual(byAlias);
	});

	test("--tag shows powers that members have through the tag, by name or id", async () => {
		const world = await makeOrganization();
		expect(await shown(world, "--tag", "oncall")).toEqual(["  wallets                     alone: bob"]);
		expect(await shown(world, "--tag", tags.oncall)).toEqual(await shown(world, "--tag", "oncall"));
		expect(await shown(world, "--tag", "auditors")).toEqual(["  No powers to show."]);
		expect((await shown(world, "--tag", "auditors", "--format", "markdown")).join("\n")).toContain(
			"No powers to show.",
		);
	});

	test.each([
		[["--group", "polices"], "--group polices: unknown group; did you mean policies?"],
		[["--group", "WALET/CREATE"], "--group WALET/CREATE: unknown resource; did you mean WALLET?"],
		[["--group", "WALLET/CREAT"], "--group WALLET/CREAT: unknown action; did you mean CREATE?"],
		[["--group", "kind a-b"], "--group kind a-b: not a kind of activities"],
		[["--group", "A/B/C"], "--group A/B/C: not a group of activities"],
		[["--user", "carols"], "--user carols: no such user; did you mean carol?"],
		[["--user", policies[0]], `--user ${policies[0]}: no such user`],
		[["--tag", "signer"], "--tag signer: no such user tag; did you mean signers?"],
		[["alice"], "alice: powers takes no argument without --why"],
		[["--why", "alice"], "--why takes a user and a group"],
		[["--why", "alice", "sign", "--tag", "signers"], "--why cannot be used with --group, --user or --tag"],
		[["--why", "alice", "polices"], "GROUP polices: unknown group; did you mean policies?"],
		[["--why", "carols", "sign"], "USER carols: no such user; did you mean carol?"],
	])("%j is refused with a suggestion", async (words, message) => {
		const world = await makeOrganization();
		const { code, stdout, stderr } = await world.run(["powers", ...words]);
		expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
		expect(stderr.split("\n")[0]).toBe(`error: ${message}`);
		expect(stderr).toMatch(/\nhint: \S/);
	});

	test("by a live name that two users have names their ids", async () => {
		const world = await makeOrganization();
		await world.change({
			users: [
				{ userId: bob, userName: "sam" },
				{ userId: carol, userName: "sam" },
			],
		});
		const { stderr } = await world.run(["powers", "--user", "sam"]);
		expect(stderr).toBe(`error: --user sam: several users have this name\nhint: write the id: ${bob} or ${carol}\n`);
	});

	test("by a name that is an alias means the user of the document, whatever others call themselves", async () => {
		const world = await makeOrganization();
		await world.change({ users: [{ userId: bob, userName: "carol" }] });
		const { organizations } = readOutput(await world.run(["powers", "--why", "carol", "sign", "--format", "json"]));
		expect(organizations[0].why[0].userId).toBe(carol);
	});
});

describe("powers --why", () => {
	const explained = async (who: string, what: string, at: readonly string[] = before): Promise<string> => {
		const world = await makeOrganization();
		const { code, stdout, stderr } = await world.run(["powers", "--why", who, what, ...at]);
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		return stdout;
	};

	test.each([
		["alone", "bob", "wallets", before, "yes: bob can create wallets alone (`WALLET/CREATE`)"],
		[
			"together",
			"carol",
			"sign",
			before,
			"yes, together: carol can sign with any wallet or key, it takes 2 of signers (alice, carol) (`PRIVATE_KEY/SIGN`)",
		],
		[
			"root-quorum",
			"bob",
			"policies",
			before,
			"only with the root quorum: bob can create, change and remove policies, it takes the root quorum (alice and bob)",
		],
		["denied", "carol", "WALLET/EXPORT", before, "denied: carol cannot export wallets"],
		["no", "carol", "users", before, "no: carol cannot create, change and remove users"],
		[
			"expired",
			"bob",
			"wallets",
			after,
			"only with the root quorum: bob can create wallets, it takes the root quorum (alice and bob)",
		],
	] as const)("answers: %s", async (name, who, what, at, answer) => {
		const text = await explained(who, what, at);
		expect(text.split("\n")[1]?.trim().slice(0, answer.length)).toBe(answer);
		await expect(normalize(text)).toMatchFileSnapshot(golden(`powers-why-${name}`));
	});

	test.each(["markdown", "html", "github"])("is in %s too", async (format) => {
		const world = await makeOrganization();
		const { stdout } = await world.run(["powers", "--why", "carol", "sign", "--format", format]);
		expect(stdout).toContain("two signers");
		expect(stdout).toMatch(/consensus needs more approvals/);
		expect(stdout).toContain("Answer: yes, together");
	});

	test("is unknown where a policy cannot be read, with the reason", async () => {
		const world = await makeOrganization();
		await world.change({ policies: [{ ...seeded[0], consensus: "approvers.count == 1" }] });
		const { stdout } = await world.run(["powers", "--why", "carol", "sign"]);
		expect(stdout).toContain("unknown whether carol can sign with any wallet or key");
		expect(stdout).toContain("consensus is unknown");
	});

	test("shows a policy about it whose condition is never true, or errs", async () => {
		const world = await makeOrganization();
		const condition = "wallet.id == 'A' || private_key.id == 'B'";
		await world.change({ policies: [{ ...seeded[0], condition }] });
		const signing = await world.run(["powers", "--why", "carol", "sign"]);
		expect(signing.stdout).toContain(`condition is never true: \`${condition}\``);
		const creating = await world.run(["powers", "--why", "carol", "USER/CREATE"]);
		expect(creating.stdout).toContain("condition errs (the activity has no `wallet`)");
		expect(signing.stdout + creating.stdout).not.toContain("no policy is about this");
	});

	test("has one answer for each group of a name in JSON", async () => {
		const world = await makeOrganization();
		const answer = readOutput(await world.run(["powers", "--why", "carol", "export", ...before, "--format", "json"]));
		const { why, powers } = answer.organizations[0];
		expect(powers).toEqual([]);
		expect(why.map(({ verdict }: { verdict: string }) => verdict)).toEqual(["denied", "no"]);
		expect(why[0].policies).toMatchObject([{ policyId: policies[2], effect: "EFFECT_DENY", applies: "alone" }]);
	});
});
