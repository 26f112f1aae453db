/** The life of a policy under `pulumi`: created, left alone, changed by its tree, drifted, repaired, renamed, deleted. */
import { describe, expect, it } from "vitest";
import { expectSuccess, shown } from "../../engine/answer.ts";
import { alice, bob, organizationId, policies, tags, type World } from "../../world.ts";
import { adapters } from "../in-process/adapters.ts";
import { outputOf, type Program, secret, unknown, type Value } from "../program.ts";

const signing = {
	name: "signing",
	effect: "allow",
	consensus: "approvers.any(user, user.tags.contains('${userTags.signers}'))",
	condition: "activity.kind == 'SIGN_TRANSACTION'",
	references: { signers: tags.signers },
	notes: "agreed 2026-11",
} as const;

const program = (properties: Readonly<Record<string, Value>> = signing): Program => ({
	resources: { signing: { type: "Policy", properties } },
	outputs: { policyId: outputOf("signing", "policyId"), createdAt: outputOf("signing", "createdAt") },
});

// biome-ignore lint/suspicious/noExplicitAny: looked into by the assertions of each test.
const liveOf = (world: World, name: string): any =>
	world.organization().policies.find(({ policyName }: { policyName: string }) => policyName === name);

describe.each(adapters)("a Policy of $title", (adapter) => {
	it("is created, left alone, changed in place, repaired, renamed and deleted with one activity each", async () => {
		const { world, stack } = await adapter.makeWorld(program());
		expectSuccess(await stack.preview());
		expect(world.requests().filter((name) => name === "list_policies")).toHaveLength(1);
		expectSuccess(await stack.up());
		expect(world.submits()).toEqual(["create_policies"]);
		const { policyId, createdAt, consensus } = liveOf(world, "signing");
		expect(consensus).toBe(`approvers.any(user, user.tags.contains('${tags.signers}'))`);
		const { id, outputs } = await stack.resource("signing");
		expect({ id, outputs }).toMatchObject({ id: policyId, outputs: { policyId, consensus: signing.consensus } });
		expect(outputs?.createdAt).toBe(new Date(Number(createdAt.seconds) * 1000 + createdAt.nanos / 1e6).toISOString());

		world.clearRequests();
		// Another text of the same expression, and the id itself in place of its reference, are no difference.
		const same = `approvers.any(user,\n  (user.tags.contains('${tags.signers}')))`;
		adapter.write(stack, program({ ...signing, consensus: same, references: {}, previously: ["sign"] }));
		expect(expectSuccess(await stack.up())).toContain("2 unchanged");
		expect(world.requests()).toEqual([]);

		adapter.write(stack, program({ ...signing, condition: "activity.kind == 'SIGN_RAW_PAYLOAD'", notes: "wider" }));
		expect(shown(await stack.preview())).toContain("update");
		expectSuccess(await stack.up());
		expect(world.submits()).toEqual(["update_policy"]);
		expect(liveOf(world, "signing")).toMatchObject({ policyId, condition: "activity.kind == 'SIGN_RAW_PAYLOAD'" });

		world.clearRequests();
		await world.change({ policies: [{ policyId, condition: "true" }] });
		expect(expectSuccess(await stack.pulumi(["refresh", "--yes"]))).toContain("1 updated");
		expect((await stack.resource("signing")).outputs).toMatchObject({
			condition: "true",
			consensus: signing.consensus,
		});
		expectSuccess(await stack.up());
		expect(liveOf(world, "signing").condition).toBe("activity.kind == 'SIGN_RAW_PAYLOAD'");

		world.clearRequests();
		adapter.write(stack, program({ ...signing, name: "sign" }));
		expectSuccess(await stack.up());
		expect(world.submits()).toEqual(["update_policy"]);
		expect(liveOf(world, "sign")).toMatchObject({ policyId });
		expect(await stack.resource("signing")).toMatchObject({ id: policyId, outputs: { name: "sign", policyId } });

		world.clearRequests();
		expectSuccess(await stack.destroy());
		expect(world.submits()).toEqual(["delete_policies"]);
		expect(liveOf(world, "sign")).toBeUndefined();
	});

	it("of an existing name is refused in the preview with its id and what to do, and adopted if the program says so", async () => {
		const properties = { ...signing, name: "policy 1" };
		const { world, stack } = await adapter.makeWorld(program(properties));
		const command =
			adapter.title === "the plugin"
				? `run \`pulumi import orgsync:index:Policy signing ${organizationId}/${policies[0]}\`, or `
				: "";
		const message = `a policy called \`policy 1\` exists, which this resource did not create: ${policies[0]}; to manage it, ${command}set \`adopt: true\`; \`--replace\` and \`pulumi state taint\` need it too`;
		expect(shown(await stack.preview())).toContain(message);
		expect(shown(await stack.up())).toContain(message);
		expect(world.submits()).toEqual([]);

		adapter.write(stack, program({ ...properties, adopt: true }));
		expect(shown(await stack.preview())).toContain("signing: adopts the policy policy 1, changes its consensus");
		expectSuccess(await stack.up());
		expect(world.submits()).toEqual(["update_policy"]);
		expect(liveOf(world, "policy 1")).toMatchObject({ policyId: policies[0], notes: signing.notes });
		adapter.write(stack, program(properties));
		expect(expectSuccess(await stack.up())).toContain("2 unchanged");
	});

	it("shows in the preview as a warning who can do what afterwards, with tags by the names under references", async () => {
		const two = signing.consensus.replace("any(", "filter(").concat(".count() >= 2");
		const { world, stack } = await adapter.makeWorld(program({ ...signing, consensus: two }));
		const none = { effect: "EFFECT_ALLOW", consensus: "false", condition: "false" };
		const quorum = { threshold: 2, userIds: [alice, bob] };
		await world.change({ policies: policies.map((policyId) => ({ policyId, ...none })), rootQuorum: quorum });
		const text = shown(await stack.preview());
		expect(text).toContain(
			"warning: signing: + carol can now approve submitting `SIGN_TRANSACTION` activities: 2 of signers",
		);
		expect(text).toContain("warning: signing: will be pending approval by the root quorum (bob)");

		// A tag that the program knows by its id alone has its live name, where the service lists tags.
		const consensus = two.replace("${userTags.signers}", tags.signers);
		adapter.write(stack, program({ ...signing, consensus, references: {} }));
		await world.change({ userTags: [{ tagId: tags.signers, tagName: "signatories" }] });
		world.clearRequests();
		expect(shown(await stack.preview())).toContain("activities: 2 of signatories (alice, carol)");
		expect(world.requests().filter((name) => name === "list_user_tags")).toHaveLength(1);
	});

	it("keeps secret texts out of the state, of messages and of what it prints", async () => {
		const condition = "activity.kind == 'SIGN_TRANSACTION' && activity.type != 'hush-hush'";
		const { stack } = await adapter.makeWorld(program({ ...signing, condition: secret(condition) }));
		expectSuccess(await stack.up());
		adapter.write(stack, program({ ...signing, condition: secret("activity.hush == 'hush-hush'") }));
		expect(shown(await stack.preview())).toContain("condition: not valid; its text is a secret");
		const shownAnywhere = stack
			.written()
			.filter(({ text, place }) => text.includes("hush") && !place.includes("journal"));
		expect(shownAnywhere.map(({ place }) => place)).toEqual([]);
	});

	it("leaves the state after a refresh when someone deleted it, and is created again", async () => {
		const { world, stack } = await adapter.makeWorld(program());
		expectSuccess(await stack.up());
		await world.submitAsBob("delete_policies", { policyIds: [liveOf(world, "signing").policyId] });
		adapter.write(stack, program({ ...signing, notes: "other" }));
		expect(shown(await stack.up())).toContain("run `pulumi refresh`");
		expectSuccess(await stack.pulumi(["refresh", "--yes"]));
		expectSuccess(await stack.up());
		expect(liveOf(world, "signing").notes).toBe("other");
	});

	it("takes a name that another policy of the program frees in the same run, also where they exchange theirs", async () => {
		const texts = {
			effect: "allow",
			consensus: "approvers.count() >= 2",
			condition: "activity.kind == 'CREATE_WALLET'",
		};
		const named = (names: readonly string[]): Program => ({
			resources: Object.fromEntries(
				names.map((name, index) => [`policy-${index}`, { type: "Policy", properties: { name, ...texts } }]),
			),
		});
		const { world, stack } = await adapter.makeWorld(named(["one", "two"]));
		expectSuccess(await stack.up());
		const ids = ["one", "two"].map((name) => liveOf(world, name).policyId);
		for (const [names, updates] of [
			[["two", "one"], 3],
			[["three", "two"], 2],
		] as const) {
			adapter.write(stack, named(names));
			expect(expectSuccess(await stack.preview())).toContain("another policy is called two: `pulumi up` waits");
			world.clearRequests();
			expectSuccess(await stack.up());
			expect(world.submits()).toEqual(Array.from({ length: updates }, () => "update_policy"));
			expect(names.map((name) => liveOf(world, name).policyId)).toEqual(ids);
		}
		expectSuccess(await stack.preview(["--expect-no-changes"]));
	});

	it("is previewed with a line about its inputs that are unknown, also where all references are one of them", async () => {
		const { stack } = await adapter.makeWorld(program());
		const unknowns = [
			["name", { name: unknown("signing") }],
			["references", { references: unknown("an object in another program") }],
			[
				"previously, references.signers",
				{ previously: [unknown("sign")], references: { signers: unknown(tags.signers) } },
			],
		] as const;
		for (const [names, properties] of unknowns) {
			adapter.write(stack, { round: 1, ...program({ ...signing, ...properties }) });
			expect(expectSuccess(await stack.preview())).toContain(
				`signing: who can do what is not judged in this preview, because not known yet: ${names}; \`pulumi up\` judges it`,
			);
		}
	});

	it("says what is wrong with an expression, with the property and the place in it", async () => {
		const { world, stack } = await adapter.makeWorld(
			program({ ...signing, consensus: "approvers.any(user, user.tags.contains('${userTags.signer}'))" }),
		);
		expect(shown(await stack.preview())).toContain(
			"at character 40: `references` has no `signer`; did you mean `signers`?",
		);
		adapter.write(stack, program({ ...signing, condition: "activity.kin == 'SIGN_TRANSACTION'" }));
		expect(shown(await stack.preview())).toContain("has a problem: at character 1");
		adapter.write(stack, program({ ...signing, consensus: "" }));
		expect(shown(await stack.preview())).toContain("an allow without a consensus");
		adapter.write(stack, program({ ...signing, consensus: "approvers.any(user, user.id == '${users.alice}')" }));
		expect(shown(await stack.preview())).toContain("a program has no users and variables");
		adapter.write(stack, program({ ...signing, effect: "permit", references: { signers: "x" } }));
		expect(shown(await stack.preview())).toContain(`must be allow or deny, got "permit"`);
		expect(world.submits()).toEqual([]);
	});
});
