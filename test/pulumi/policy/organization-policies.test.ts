/** A whole document with policies, new tags, complete lists and absent names as one component: its parts in the order of its plan. */
import { describe, expect, it } from "vitest";
import { expectSuccess, shown } from "../../engine/answer.ts";
import { document, type World } from "../../world.ts";
import { type Adapter, adapters } from "../in-process/adapters.ts";
import type { Program } from "../program.ts";

const program: Program = { resources: { acme: { type: "Organization", properties: { document: "orgsync.yaml" } } } };

const makeOrganization = (adapter: Adapter, text: string) =>
	adapter.makeWorld(program, { files: { "orgsync.yaml": text } });

const treasury = `userTags:
  - { name: treasury, create: true, members: { exactly: [alice, bob] } }
  - { name: signers }`;
const written = `policies:
  - name: treasury signs
    effect: allow
    consensus: "approvers.filter(user, user.tags.contains('\${userTags.treasury}')).count() >= 2"
    condition: "activity.kind == 'SIGN_TRANSACTION'"
  - name: not alice
    effect: deny
    consensus: "approvers.any(user, user.id == '\${users.alice}')"
    condition: "activity.kind == 'DELETE_POLICY'"`;

const namesOf = (world: World): readonly string[] =>
	world.organization().policies.map(({ policyName }: { policyName: string }) => policyName);

describe.each(adapters)("an Organization with policies of $title", (adapter) => {
	it("creates tags before the policies that name them, removes what is absent or not listed, and changes nothing again", async () => {
		const text = document(
			treasury,
			written,
			'exactly: { policies: { except: ["policy 1"] } }',
			"absent: { userTags: [oncall] }",
			"limits: { policies: 2 }",
		);
		const { world, stack } = await makeOrganization(adapter, text);
		const preview = await stack.preview();
		expectSuccess(preview);
		expect(shown(preview)).toContain("+ policy:treasury signs");
		expect(world.submits()).toEqual([]);
		expectSuccess(await stack.up());
		expect(world.submits().toSorted()).toEqual([
			"create_policies",
			"create_policies",
			"create_user_tag",
			"delete_policies",
			"delete_user_tags",
		]);
		expect(world.submits().indexOf("create_user_tag")).toBeLessThan(world.submits().lastIndexOf("create_policies"));
		expect(namesOf(world).toSorted()).toEqual(["not alice", "policy 1", "treasury signs"]);
		const [created] = world
			.organization()
			.userTags.filter(({ tagName }: { tagName: string }) => tagName === "treasury");
		expect(JSON.stringify(world.organization().policies)).toContain(created.tagId);

		world.clearRequests();
		const again = await stack.pulumi(["preview", "--expect-no-changes"]);
		expectSuccess(again);
		expectSuccess(await stack.up());
		expect(world.submits()).toEqual([]);
	});

	it("repairs a policy that someone changed or deleted, and leaves one that the document drops", async () => {
		const { world, stack } = await makeOrganization(adapter, document(treasury, written));
		expectSuccess(await stack.up());
		const { policyId } = world
			.organization()
			.policies.find(({ policyName }: { policyName: string }) => policyName === "treasury signs");
		world.clearRequests();
		await world.change({ policies: [{ policyId, condition: "false" }] });
		expectSuccess(await stack.up());
		expect(world.submits()).toEqual(["update_policy"]);
		await world.submitAsBob("delete_policies", { policyIds: [policyId] });
		// In the second in which it was created, the service would answer with the activity of that time.
		await world.moveClock(2_000);
		const before = world.activities().length;
		expectSuccess(await stack.up());
		expect(world.activities().slice(before)).toMatchObject([{ type: "ACTIVITY_TYPE_CREATE_POLICIES" }]);
		world.clearRequests();
		stack.write({ "orgsync.yaml": document(treasury) });
		expectSuccess(await stack.up());
		expect(world.submits()).toEqual([]);
		expect(namesOf(world)).toContain("treasury signs");
	});

	it("never says that a policy is there which was deleted in the second in which it was created", async () => {
		const { world, stack } = await makeOrganization(adapter, document(treasury, written));
		expectSuccess(await stack.up());
		const find = () =>
			world.organization().policies.find(({ policyName }: { policyName: string }) => policyName === "treasury signs");
		for (let round = 0; round < 3; round += 1) {
			const policyId = find()?.policyId;
			if (policyId !== undefined) await world.submitAsBob("delete_policies", { policyIds: [policyId] });
			const answer = await stack.up();
			if (answer.exitCode === 0) expect(find()).toBeDefined();
			// On a busy machine the second is over.
			else
				expect(shown(answer)).toMatch(
					/`treasury signs` has completed, but no such policy is there|it was deleted since/,
				);
		}
		await world.moveClock(2_000);
		expectSuccess(await stack.up());
		expect(find()).toBeDefined();
	});
});
