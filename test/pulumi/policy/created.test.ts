/** User tags and policies that a program creates together: previews, pending approvals, names that others take, destroying. */
import { describe, expect, it } from "vitest";
import { expectSuccess, shown } from "../../engine/answer.ts";
import { alice, bob, policies, tags, type World } from "../../world.ts";
import { adapters } from "../in-process/adapters.ts";
import { outputOf, type Program, unknown, type Value } from "../program.ts";

const treasury = { name: "treasury", create: true, members: { exactly: [alice, bob] } };
const signing = {
	name: "treasury signs",
	effect: "allow",
	consensus: "approvers.any(user, user.tags.contains('${userTags.treasury}'))",
	condition: "activity.kind == 'SIGN_TRANSACTION'",
	references: { treasury: outputOf("treasury", "tagId") },
};

const program = (
	tag: Readonly<Record<string, Value>> = treasury,
	policy: Readonly<Record<string, Value>> | null = signing,
): Program => ({
	resources: {
		treasury: { type: "UserTag", properties: tag },
		...(policy === null ? {} : { signing: { type: "Policy", properties: policy } }),
	},
	outputs: { tagId: outputOf("treasury", "tagId") },
});

const tagsCalled = (world: World, name: string): readonly { tagId: string; userIds: string[] }[] =>
	world.organization().userTags.filter(({ tagName }: { tagName: string }) => tagName === name);
const policiesCalled = (world: World, name: string): readonly { policyId: string; consensus: string }[] =>
	world.organization().policies.filter(({ policyName }: { policyName: string }) => policyName === name);

/** Activities of the program, without votes. */
const submitsOf = (world: World) => world.submits().filter((name) => !name.startsWith("approve"));

describe.each(adapters)("a tag and its policy of $title", (adapter) => {
	it("are created in order with one activity each, though a preview does not know the id, and destroyed in reverse", async () => {
		const { world, stack } = await adapter.makeWorld(program());
		const preview = shown(await stack.preview());
		expect(preview).toContain("3 to create");
		if (adapter.title === "the plugin")
			expect(preview).toContain("signing: who can do what is not judged in this preview");
		expectSuccess(await stack.up());
		expect(world.submits()).toEqual(["create_user_tag", "create_policies"]);
		const [tag] = tagsCalled(world, "treasury");
		expect(tag?.userIds.toSorted()).toEqual([alice, bob]);
		expect(policiesCalled(world, "treasury signs")[0]?.consensus).toContain(String(tag?.tagId));
		expect(await stack.resource("treasury")).toMatchObject({ id: tag?.tagId, outputs: { tagId: tag?.tagId } });
		world.clearRequests();
		expect(expectSuccess(await stack.up())).toContain("3 unchanged");
		expect(world.requests()).toEqual([]);
		expect(expectSuccess(await stack.pulumi(["refresh", "--yes"]))).toContain("3 unchanged");

		world.clearRequests();
		expectSuccess(await stack.destroy());
		expect(world.submits()).toEqual(["delete_policies", "delete_user_tags"]);
		expect(tagsCalled(world, "treasury")).toEqual([]);
	});

	it("are judged together: in `up`, the policy gives its power to the members that the tag was created with", async () => {
		const { world, stack } = await adapter.makeWorld(program());
		const none = { effect: "EFFECT_ALLOW", consensus: "false", condition: "false" };
		const quorum = { threshold: 1, userIds: [alice] };
		await world.change({ policies: policies.map((policyId) => ({ policyId, ...none })), rootQuorum: quorum });
		expect(shown(await stack.up())).toContain("signing: !! bob can now submit `SIGN_TRANSACTION` activities alone");
	});

	it("wait for approvals over three runs under ids of ours, and are joined, also where the journal is gone", async () => {
		const { world, stack } = await adapter.makeWorld(program(), { config: { "orgsync:journal": ":memory:" } });
		const pending = { ACTIVITY_TYPE_CREATE_USER_TAG: 2, ACTIVITY_TYPE_CREATE_POLICIES: 2 };
		await world.setRules({ approvals: pending });
		expect(shown(await stack.up())).toContain("pending approval");
		const kept = await stack.resource("treasury");
		expect(kept.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
		expect(kept.outputs?.tagId).toBe(kept.id);
		expect(shown(await stack.preview())).toContain("joins it and submits nothing");
		expect(shown(await stack.up())).toContain("pending approval");
		expect(shown(await stack.pulumi(["refresh", "--yes"]))).not.toContain("deleted");
		expect(world.submits()).toEqual(["create_user_tag"]);

		const approve = async (): Promise<void> => {
			const { fingerprint } = world.activities().findLast(({ status }) => status.endsWith("CONSENSUS_NEEDED"));
			await world.submitAsBob("approve_activity", { fingerprint });
		};
		await approve();
		expect(shown(await stack.up())).toContain("pending approval");
		const [tag] = tagsCalled(world, "treasury");
		expect(await stack.resource("treasury")).toMatchObject({
			id: kept.id,
			outputs: { tagId: tag?.tagId, created: true },
		});
		await approve();
		expectSuccess(await stack.up());
		expect(submitsOf(world)).toEqual(["create_user_tag", "create_policies"]);
		expect(policiesCalled(world, "treasury signs")).toHaveLength(1);
		expect(expectSuccess(await stack.up())).toContain("3 unchanged");
		expectSuccess(await stack.destroy());
		expect([...tagsCalled(world, "treasury"), ...policiesCalled(world, "treasury signs")]).toEqual([]);
	});

	it("of a name that someone takes while the creation is pending fail with the id, and touch nothing of others", async () => {
		const { world, stack } = await adapter.makeWorld(program(treasury, null));
		await world.setRules({ approvals: { ACTIVITY_TYPE_CREATE_USER_TAG: 2 } });
		expect(shown(await stack.up())).toContain("pending approval");
		const other = "b0000000-0000-4000-8000-000000000001";
		await world.change({ userTags: [{ tagId: other, tagName: "treasury", userIds: [] }] });
		expect(shown(await stack.up())).toContain(
			`a user tag called \`treasury\` exists, which this resource did not create: ${other}`,
		);
		expect(world.submits()).toEqual(["create_user_tag"]);
		expect(shown(await stack.destroy())).toContain("not deleted, and nothing was submitted: a pending activity");
		expect(tagsCalled(world, "treasury")).toMatchObject([{ tagId: other, userIds: [] }]);
	});

	it("that others deleted and made again under their names are not theirs: a preview asks for a refresh, then refuses them", async () => {
		const { world, stack } = await adapter.makeWorld(program());
		expectSuccess(await stack.up());
		const [[tag], [policy]] = [tagsCalled(world, "treasury"), policiesCalled(world, "treasury signs")];
		await world.change({ remove: { userTags: [tag?.tagId], policies: [policy?.policyId] } });
		const [tagId, policyId] = ["72000000-0000-4000-8000-000000000001", "92000000-0000-4000-8000-000000000001"];
		await world.change({
			userTags: [{ tagId, tagName: "treasury" }],
			policies: [{ policyId, policyName: "treasury signs" }],
		});
		world.clearRequests();
		const changed = [
			program({ ...treasury, members: { exactly: [bob] } }),
			program(treasury, { ...signing, notes: "n" }),
		];
		for (const [index, noun] of ["tag", "policy"].entries()) {
			adapter.write(stack, changed[index] ?? program());
			expect(shown(await stack.up())).toContain(`the state still has this ${noun}:`);
		}
		expectSuccess(await stack.refresh());
		expect(shown(await stack.up())).toContain(`which this resource did not create: ${tagId}`);
		adapter.write(stack, program({ ...treasury, adopt: true }, signing));
		expect(shown(await stack.up())).toContain(`which this resource did not create: ${policyId}`);
		expect(submitsOf(world)).toEqual(["update_user_tag"]);
	});

	it("do not replace a tag of that name, unless the program adopts it; destroying keeps what was adopted", async () => {
		const adopted = { name: "signers", create: true, members: { atLeast: [bob] } };
		const { world, stack } = await adapter.makeWorld(program(adopted, null));
		const message = `a user tag called \`signers\` exists, which this resource did not create: ${tags.signers}`;
		expect(shown(await stack.preview())).toContain(message);
		adapter.write(stack, program({ ...adopted, adopt: true }, null));
		expectSuccess(await stack.up());
		expect(world.submits()).toEqual(["update_user_tag"]);
		expect(shown(await stack.destroy())).toContain("deleted");
		expect(tagsCalled(world, "signers")).toMatchObject([{ tagId: tags.signers }]);
		expect(world.submits()).toEqual(["update_user_tag"]);
	});

	it("keep a created tag with `onDestroy: keep`, and stay in the state while a deletion is pending", async () => {
		const { world, stack } = await adapter.makeWorld(program({ ...treasury, onDestroy: "keep" }));
		expectSuccess(await stack.up());
		adapter.write(stack, program());
		expectSuccess(await stack.up());
		expect(world.submits()).toEqual(["create_user_tag", "create_policies"]);
		await world.setRules({ approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } });
		expect(shown(await stack.destroy())).toContain("pending approval");
		expect(shown(await stack.destroy())).toContain("pending approval");
		expect(world.submits()).toEqual(["create_user_tag", "create_policies", "delete_policies"]);
		await world.submitAsBob("approve_activity", { fingerprint: world.activities().at(-1).fingerprint });
		expectSuccess(await stack.destroy());
		expect(tagsCalled(world, "treasury")).toEqual([]);
	});

	it("judge a text that is unknown in the preview before they submit, and say in the preview that it is not judged", async () => {
		const text = (id: string) => unknown(`approvers.any(user, user.tags.contains('${id}'))`);
		const { references: _none, ...rest } = signing;
		const made = (consensus: Value): Program => ({
			round: 1,
			resources: { signing: { type: "Policy", properties: { ...rest, consensus } } },
		});
		const { world, stack } = await adapter.makeWorld(made(text("signers")));
		const preview = shown(await stack.preview());
		expect(preview).toContain(
			"signing: who can do what is not judged in this preview, because not known yet: consensus; `pulumi up` judges it before it submits; with `references`, a preview knows all but the id",
		);
		expect(shown(await stack.up())).toContain("at character 40: ");
		expect(world.submits()).toEqual([]);
		adapter.write(stack, made(text(tags.signers)));
		expectSuccess(await stack.up());
		expect(policiesCalled(world, "treasury signs")).toHaveLength(1);
	});

	it("do not use the id of a tag whose creation is pending", async () => {
		const { world, stack } = await adapter.makeWorld(program(treasury, null));
		await world.setRules({ approvals: { ACTIVITY_TYPE_CREATE_USER_TAG: 2 } });
		await stack.up();
		const { id = "" } = await stack.resource("treasury");
		adapter.write(stack, {
			resources: { signing: { type: "Policy", properties: { ...signing, references: { treasury: id } } } },
		});
		expect(shown(await stack.preview())).toContain("references.treasury: the user tag is not created yet");
	});
});
