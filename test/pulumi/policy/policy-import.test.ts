/** `pulumi import` and `get` of a policy under the real engine: the code that it writes is the policy, and changes nothing. */
import { expect, it } from "vitest";
import { expectSuccess, shown } from "../../engine/answer.ts";
import { organizationId, policies } from "../../world.ts";
import { makeYamlWorld } from "../world.ts";

const live = {
	policyId: policies[0],
	policyName: "two sign",
	effect: "EFFECT_ALLOW",
	consensus: "approvers.count() >= 2",
	condition: "activity.kind == 'SIGN_TRANSACTION'",
	notes: "agreed ${x}",
};

it("an import of a policy writes its code, which changes nothing, and a mistaken name has the nearest one", {
	timeout: 180_000,
}, async () => {
	const { world, stack } = await makeYamlWorld("resources: {}");
	await world.change({ policies: [live] });
	const wrong = await stack.pulumi(["import", "orgsync:index:Policy", "signing", "two sing", "--yes"]);
	expect(shown(wrong)).toContain("no policy is called `two sing`; did you mean `two sign`?");
	const answer = await stack.pulumi([
		"import",
		"orgsync:index:Policy",
		"signing",
		`${organizationId}/two sign`,
		"--yes",
		"--protect=false",
	]);
	const printed = expectSuccess(answer);
	expect(printed).toContain("condition: activity.kind == 'SIGN_TRANSACTION'");
	const code = printed.slice(printed.indexOf("resources:")).trimEnd();
	stack.write({
		"Pulumi.yaml": `name: probe\nruntime: yaml\n${code.replaceAll("orgsync:Policy", "orgsync:index:Policy")}\n`,
	});
	expectSuccess(await stack.preview(["--expect-no-changes"]));
	expectSuccess(await stack.up());
	expect(world.submits()).toEqual([]);
	expect((await stack.resource("signing")).outputs).toMatchObject({ policyId: policies[0], name: "two sign" });
	expectSuccess(await stack.destroy());
	expect(world.submits()).toEqual(["delete_policies"]);
});
