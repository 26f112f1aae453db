/** `orgsync powers --activity`: who can do one activity, given as its request. */
import { describe, expect, test } from "vitest";
import { readOutput } from "../../run.ts";
import { alice, bob, carol, document, makeWorld, organizationId, policies, tags, type World } from "../../world.ts";

const by = (tag: string): string => `approvers.any(user, user.tags.contains('${tag}'))`;
const isSigning = "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'";
const seeded = [
	{
		policyId: policies[0],
		policyName: "signers move little",
		effect: "EFFECT_ALLOW",
		consensus: by(tags.signers),
		condition: `${isSigning} && eth.tx.value < 1000000000000000000`,
	},
	{
		policyId: policies[1],
		policyName: "two signers",
		effect: "EFFECT_ALLOW",
		consensus: `approvers.filter(user, user.tags.contains('${tags.signers}')).count() >= 2`,
		condition: isSigning,
	},
	{
		policyId: policies[2],
		policyName: "never hash with nothing",
		effect: "EFFECT_DENY",
		consensus: "",
		condition: "activity.params.hash_function == 'HASH_FUNCTION_NO_OP'",
	},
];

const transaction = (where?: string): string =>
	JSON.stringify(
		{
			type: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2",
			timestampMs: "1790000000000",
			organizationId,
			parameters: { signWith: "0xabc", type: "TRANSACTION_TYPE_ETHEREUM", unsignedTransaction: "02f0" },
			...(where === undefined ? {} : { where }),
		},
		null,
		"\t",
	);

async function makeOrganization(): Promise<World> {
	const world = await makeWorld(document(), { reads: "all" });
	await world.change({ policies: seeded, rootQuorum: { threshold: 2, userIds: [alice, bob] } });
	return world;
}

const explained = async (body: string, ...words: readonly string[]): Promise<string> => {
	const world = await makeOrganization();
	world.write("activity.json", body);
	const { code, stdout, stderr } = await world.run(["powers", ...words, "--activity", "activity.json"]);
	expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
	return stdout;
};

describe("orgsync powers --activity", () => {
	test("shows who can do it surely, and under which condition where the request does not say all", async () => {
		const text = await explained(transaction());
		expect(text).toMatch(/together: 2 of signers \(alice, carol\)$/m);
		expect(text).toMatch(/^ +where .*: alice and carol each alone$/m);
		expect(text).not.toMatch(/^.* alone: /m);
		expect(text).toContain("The request does not say `eth.tx.value`, which policies read.");
		expect(text).toMatch(
			/allow policy `signers move little` may or may not apply\n.*\n +condition depends on the activity: /,
		);
	});

	test("decides by what `where` adds to the request", async () => {
		const little = await explained(transaction("eth.tx.value == 5"));
		expect(little).toMatch(/alone: alice and carol$/m);
		expect(little).not.toContain("does not say");
		expect(little).toMatch(/allow policy `signers move little` allows it\n.*\n +condition is true: /);
		const much = await explained(transaction("eth.tx.value == 1000000000000000000"));
		expect(much).toMatch(/together: 2 of signers \(alice, carol\)$/m);
		expect(much).not.toMatch(/alone/);
		expect(much).toMatch(/allow policy `signers move little` does not apply\n.*\n +condition is never true: /);
	});

	test("shows the policy that denies it, by a parameter of the request", async () => {
		const type = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2";
		const text = await explained(JSON.stringify({ type, parameters: { hashFunction: "HASH_FUNCTION_NO_OP" } }));
		expect(text).toMatch(/only the root quorum\n +denied: alice, bob and carol$/m);
		expect(text).toContain("deny policy `never hash with nothing` denies it");
	});

	test("says which policy errs for it, and that this is assumed", async () => {
		const text = await explained(transaction());
		expect(text).toContain("condition errs (there is no `activity.params.hash_function`)");
		expect(text).toContain(
			"assumption, not documented: policy `never hash with nothing`: a condition that errs neither allows nor denies",
		);
	});

	test("answers for one user with --why", async () => {
		const text = await explained(transaction("eth.tx.value == 5"), "--why", "carol");
		expect(text).toContain("yes: carol can submit activities of type `ACTIVITY_TYPE_SIGN_TRANSACTION_V2` alone");
		expect(text).toContain("eth.tx.value == 5");
	});

	test("has in JSON what is known, what is not said and all policies", async () => {
		const world = await makeOrganization();
		const stdin = transaction();
		const answer = await world.run(["powers", "--activity", "-", "--format", "json"], { stdin });
		const [{ powers, activity }] = readOutput(answer).organizations;
		expect(powers).toMatchObject([{ group: { type: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2" }, alone: [], unknown: null }]);
		expect(activity).toMatchObject({
			where: "activity.params.type == 'TRANSACTION_TYPE_ETHEREUM'",
			notSaid: ["eth.tx.value"],
			policies: [
				{ policyId: policies[0], applies: "partly" },
				{ policyId: policies[1], applies: "others" },
				{ policyId: policies[2], applies: "never" },
			],
		});
		expect(carol).toBe(powers[0].conditional[0].alone[1]);
	});

	test("is asked about by --why with the example that powers shows, and has its answer", async () => {
		const world = await makeOrganization();
		const all = await world.run(["powers", "--group", "sign", "--format", "json"]);
		const [{ conditional }] = readOutput(all).organizations[0].powers;
		const { example, condition, alone } = conditional.find((one: { holds: boolean }) => one.holds);
		expect(condition).toContain("eth.tx.value < 1000000000000000000");
		expect(example.where).toMatch(/eth\.tx\.value == \d+/);
		const asked = await world.run(["powers", "--why", "carol", `type ${example.type} where ${example.where}`]);
		expect(asked.stdout).toMatch(/^ {2}yes: carol can .* alone /m);
		expect(asked.stdout).not.toContain("for example");
		const ofGroup = await world.run(["powers", "--why", "carol", "sign"]);
		expect(ofGroup.stdout).toContain(`each alone, for example \`type ${example.type} where ${example.where}\``);
		world.write("activity.json", JSON.stringify(example));
		const answer = await world.run(["powers", "--activity", "activity.json", "--format", "json"]);
		expect(readOutput(answer).organizations[0].powers[0].alone).toEqual(alone);
	});

	test.each(["eth.tx.value < 5", "walet.id == 'A'"])("--why refuses what is not known: %s", async (where) => {
		const world = await makeOrganization();
		const { code, stderr } = await world.run(["powers", "--why", "carol", `sign where ${where}`]);
		expect(code).toBe(3);
		expect(stderr).toMatch(
			/^error: GROUP sign where .*: (expected FIELD == VALUE|`walet` is not a name).*\nhint: write fields/,
		);
	});

	test("is unknown where the service shows no policies", async () => {
		const world = await makeWorld(document(), { reads: "documented" });
		world.write("activity.json", transaction());
		const { code, stdout } = await world.run(["powers", "--activity", "activity.json"]);
		expect(code).toBe(0);
		expect(stdout).toMatch(/unknown: /);
		expect(stdout).not.toMatch(/alone|no one/);
	});

	test.each([
		["", "1:1: expected the request of one activity"],
		["[]", "1:1: expected the request of one activity"],
		["{", "1:2: invalid YAML"],
		['{\n  "parameters": {}\n}', "1:1: missing key `type`"],
		['{\n  "tpye": "ACTIVITY_TYPE_CREATE_WALLET"\n}', "2:3: unknown key `tpye`; did you mean `type`?"],
		['{\n  "type": 5\n}', "2:11: `type` must be text, in quotes"],
		[
			'{ "type": "CREATE_WALLET" }',
			"1:11: unknown type of activities `CREATE_WALLET`; did you mean `ACTIVITY_TYPE_CREATE_WALLET`?",
		],
		[
			'{ "type": "ACTIVITY_TYPE_CREATE_WALET" }',
			"1:11: unknown type of activities `ACTIVITY_TYPE_CREATE_WALET`; did you mean `ACTIVITY_TYPE_CREATE_WALLET`?",
		],
		['{ "type": "ACTIVITY_TYPE_CREATE_WALLET", "parameters": [] }', "1:56: `parameters` must be a map: { … }"],
		[
			'{ "type": "ACTIVITY_TYPE_SIGN_TRANSACTION_V2",\n "where": "eth.tx.valu == 5" }',
			"2:12: `EthereumTransaction` has no field `valu`; did you mean `value`?",
		],
		[
			'{ "type": "ACTIVITY_TYPE_SIGN_TRANSACTION_V2",\n "where": "eth.tx.value < 5" }',
			"2:12: expected FIELD == VALUE, such as `wallet.id == 'WALLET_ID'` or `wallet == null`",
		],
	])("refuses %j at its place", async (body, message) => {
		const world = await makeOrganization();
		world.write("activity.json", body);
		const { code, stdout, stderr } = await world.run(["powers", "--activity", "activity.json"]);
		expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
		expect(stderr).toContain(`activity.json:${message}`);
	});

	test("is about the credentials of the user whom it names: no other user may change them without a policy", async () => {
		const world = await makeOrganization();
		await world.change({ remove: { policies }, rootQuorum: { threshold: 2, userIds: [alice, bob] } });
		const removal = (userId?: string) =>
			JSON.stringify({ type: "ACTIVITY_TYPE_DELETE_API_KEYS", parameters: { userId, apiKeyIds: [alice] } });
		const aloneIn = async (body: string) => {
			world.write("activity.json", body);
			const { stdout } = await world.run(["powers", "--activity", "activity.json", "--format", "json"]);
			const [power] = JSON.parse(stdout).organizations[0].powers;
			return [power.alone, power.conditional.map(({ alone }: { alone: readonly string[] }) => alone.length)];
		};
		expect(await aloneIn(removal(carol.toUpperCase()))).toEqual([[carol], []]);
		expect(await aloneIn(removal("90000000-0000-4000-8000-000000000009"))).toEqual([[], []]);
		expect(await aloneIn(removal())).toEqual([[], [3]]);
	});

	test.each([
		[["--activity", "a.json", "--user", "alice"], "--activity cannot be used with --group, --user, --tag or GROUP"],
		[["--why", "alice", "sign", "--activity", "a.json"], "--activity cannot be used with"],
		[["--activity", "none.json"], "none.json cannot be read"],
		[["--activity", "a.json"], "the request: no document is of the organization"],
	])("%j is refused", async (words, message) => {
		const world = await makeOrganization();
		world.write("a.json", transaction().replace(organizationId, alice));
		const { code, stderr } = await world.run(["powers", ...words]);
		expect(code).toBe(3);
		expect(stderr).toContain(`error: ${message}`);
	});
});
