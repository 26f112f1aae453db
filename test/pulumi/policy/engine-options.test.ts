/**
 * What the real engine makes of its options and commands for policies and created tags, in one stack: an import file, `--target`,
 * `up --refresh`, `ignoreChanges`, `preview --diff`, `replaceOnChanges`, `state rename`, `aliases`, `protect` and `deletedWith`.
 */
import { expect, it } from "vitest";
import { expectSuccess, shown } from "../../engine/answer.ts";
import { alice, bob, carol, organizationId, policies, tags } from "../../world.ts";
import { type ProgramResource, writeYaml } from "../program.ts";
import { makeYamlWorld } from "../world.ts";

const texts = { effect: "allow", consensus: "approvers.count() >= 2", condition: "activity.kind == 'CREATE_WALLET'" };
const wider = "activity.resource == 'WALLET'";
const urnOf = (type: string, name: string) => `urn:pulumi:test::probe::orgsync:index:${type}::${name}`;
const policy = (
	name: string,
	options: NonNullable<ProgramResource["options"]>,
	more: ProgramResource["properties"] = {},
): ProgramResource => ({ type: "Policy", properties: { name, ...texts, ...more }, options });

/** The program; `isRenamed`: its tag and its policy have other names, one in the state and the other by an alias. */
function write(members: readonly string[], one: Readonly<Record<string, string>>, isRenamed = false): string {
	const [tag, replaced] = isRenamed ? (["vault", "renamed"] as const) : (["treasury", "one"] as const);
	const aliases = isRenamed ? [{ name: "one" }] : [];
	const resources: Readonly<Record<string, ProgramResource>> = {
		[tag]: { type: "UserTag", properties: { name: "treasury", create: true, members: { exactly: members } } },
		[replaced]: policy("one", { replaceOnChanges: ["notes"], aliases }, one),
		tied: policy("tied", { deletedWith: tag }),
		imported: policy("two sign", { protect: true, ignoreChanges: ["condition"] }, { organizationId }),
		signers: { type: "UserTag", properties: { organizationId, name: "signers", members: { exactly: [alice, carol] } } },
	};
	return writeYaml({ resources });
}

it("the options and commands of the engine do to tags and policies what their page says", {
	timeout: 180_000,
}, async () => {
	const imports = [
		{ type: "orgsync:index:Policy", name: "imported", id: "two sign" },
		{ type: "orgsync:index:UserTag", name: "signers", id: tags.signers },
	];
	const files = { "import.json": JSON.stringify({ resources: imports }) };
	const { world, stack } = await makeYamlWorld("resources: {}", { files });
	// biome-ignore lint/suspicious/noExplicitAny: looked into by the assertions below.
	const live = (): any => world.organization();
	const names = (): readonly string[] => live().policies.map((one: { policyName: string }) => one.policyName);
	const created = () => live().userTags.find((one: { tagName: string }) => one.tagName === "treasury");
	await world.change({
		policies: [{ policyId: policies[0], policyName: "two sign", ...texts, effect: "EFFECT_ALLOW" }],
	});
	expectSuccess(await stack.pulumi(["import", "--file", "import.json", "--yes", "--skip-preview"]));

	const treasury: ProgramResource = { type: "UserTag", properties: { name: "treasury", create: true } };
	const later = { tied: policy("tied", { deletedWith: "treasury" }), treasury };
	stack.write({ "Pulumi.yaml": writeYaml({ resources: later }) });
	expect(shown(await stack.preview())).toContain('resource or variable named "treasury" could not be found');

	stack.write({ "Pulumi.yaml": write([alice, bob], {}) });
	expectSuccess(await stack.up(["--target", urnOf("UserTag", "treasury")]));
	expect(world.submits()).toEqual(["create_user_tag"]);
	expectSuccess(await stack.up());
	expect(world.submits().slice(1)).toEqual(["create_policies", "create_policies"]);

	const { tagId } = created();
	await world.change({
		policies: [{ policyId: policies[0], condition: wider }],
		userTags: [{ tagId, tagName: "treasury", userIds: [alice] }],
	});
	world.clearRequests();
	expectSuccess(await stack.up(["--refresh"]));
	expect(world.submits()).toEqual(["update_user_tag"]);
	expect([created().userIds.toSorted(), live().policies[0].condition]).toEqual([[alice, bob], wider]);

	stack.write({ "Pulumi.yaml": write([alice, carol], { condition: wider, notes: "agreed" }) });
	const preview = shown(await stack.preview(["--diff"]));
	expect(preview).toContain(`~ [1]: "${bob}" => "${carol}"`);
	expect(preview).toContain(`~ condition: "${texts.condition}" => "${wider}"`);
	expect(preview).toContain("+-orgsync:index:Policy: (replace)");
	const [before, id] = [names(), (await stack.resource("one")).id];
	world.clearRequests();
	expect(shown(await stack.up())).toContain("one: the policy stays: the program manages it with the resource `one`");
	expect(world.submits().toSorted()).toEqual(["update_policy", "update_user_tag"]);
	expect([names(), (await stack.resource("one")).id]).toEqual([before, id]);

	expectSuccess(await stack.pulumi(["state", "rename", urnOf("UserTag", "treasury"), "vault", "--yes"]));
	stack.write({ "Pulumi.yaml": write([alice, carol], { condition: wider, notes: "agreed" }, true) });
	world.clearRequests();
	expectSuccess(await stack.up(["--expect-no-changes"]));
	expect(world.requests()).toEqual([]);

	const destroyed = await stack.destroy();
	expect(destroyed.exitCode).toBe(1);
	expect(shown(destroyed)).toContain(`"${urnOf("Policy", "imported")}" cannot be deleted`);
	expect(world.submits().toSorted()).toEqual(["delete_policies", "delete_user_tags"]);
	expect([created(), names()]).toEqual([undefined, ["two sign", "policy 2", "policy 3", "tied"]]);
});
