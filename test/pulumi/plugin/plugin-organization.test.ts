/**
 * An Organization and getPlan of a YAML program under the real engine, and what a bot reads of it in `preview --json`: which
 * properties of which resources change, how, and what the plan says.
 */
import { describe, expect, it } from "vitest";
import { type Answer, expectSuccess } from "../../engine/answer.ts";
import type { Stack } from "../../engine/harness.ts";
import { alice, apps, carol, document, keys, organizationId, policies, tags } from "../../world.ts";
import { leakingLines } from "../checks.ts";
import { makeYamlWorld } from "../world.ts";

interface Digest {
	readonly steps: readonly {
		readonly op: string;
		readonly urn: string;
		readonly detailedDiff: Readonly<Record<string, { readonly kind: string }>> | null;
		readonly newState?: { readonly provider?: string; readonly outputs?: Readonly<Record<string, unknown>> };
	}[];
	readonly diagnostics: readonly { readonly urn?: string; readonly message?: string; readonly severity: string }[];
}

/** What a bot reads: each step as `op name`, and the plan beside the component. */
function readDigest(answer: Answer) {
	const { steps, diagnostics } = JSON.parse(answer.stdout) as Digest;
	const ours = steps.filter(({ urn }) => urn.includes("::orgsync:index:"));
	const nameOf = (urn: string) => urn.split("::").at(-1) ?? "";
	const kindsOf = (details: Digest["steps"][number]["detailedDiff"]) =>
		Object.fromEntries(Object.entries(details ?? {}).map(([path, { kind }]) => [path, kind]));
	return {
		operations: ours.map(({ op, urn }) => `${op} ${nameOf(urn)}`).sort(),
		details: Object.fromEntries(
			ours.filter(({ op }) => op === "update").map((step) => [nameOf(step.urn), kindsOf(step.detailedDiff)]),
		),
		plan: diagnostics.find(({ urn, severity }) => severity === "info" && urn?.includes(":Organization::"))?.message,
	};
}

const partsIn = async (stack: Stack): Promise<readonly string[]> =>
	((await stack.state()).deployment.resources ?? [])
		.filter(({ type }) => /^orgsync:index:(UserTag|.*Removal)$/.test(type))
		.map(({ urn }) => urn.split("::").at(-1) ?? "")
		.sort();

/** Its Provider has a key of its own, a secret of the configuration. */
const program = (name: string, options = "") => `config:
  ownKey: { type: string, secret: true }
resources:
  own:
    type: pulumi:providers:orgsync
    properties: { organizationId: ${organizationId}, apiPrivateKey: "\${ownKey}" }
  ${name}:
    type: orgsync:index:Organization
    properties: { document: orgsync.yaml }
    options: { provider: "\${own}"${options} }
variables:
  plan:
    fn::invoke:
      function: orgsync:index:getPlan
      arguments: { document: orgsync.yaml }
      options: { provider: "\${own}" }
outputs:
  summary: \${${name}.summary}
  impact: \${${name}.impact}
  approvals: \${${name}.approvals}
  isInSync: \${plan.inSync}
  comment: \${plan.markdown}`;

describe("an Organization in YAML", { timeout: 120_000 }, () => {
	it("comes in sync, has its outputs, and is renamed in place, and no log has the key of its Provider; a bot reads what an up repairs", async () => {
		const { world, stack } = await makeYamlWorld(program("acme"), {
			config: { ownKey: { secret: keys.alice.privateKey } },
			env: { ORGSYNC_API_PRIVATE_KEY: undefined },
		});
		const desired = document(
			`userTags: [{ name: signers, id: ${tags.signers}, members: { exactly: [alice, bob] } }, { name: oncall }]`,
			`absent: { policies: [${policies[0]}], tvcApps: [${apps.old}] }`,
		);
		stack.write({ "orgsync.yaml": desired });
		const parts = ["acme-oncall", "acme-policies", "acme-signers", `acme-tvc-app-${apps.old}`];
		expectSuccess(await stack.up(["--logtostderr", "-v=9"]));
		expect([...world.submits()].sort()).toEqual([
			"delete_policies",
			"delete_tvc_app_and_deployments",
			"update_user_tag",
		]);
		expect(await partsIn(stack)).toEqual(parts);
		const { provider } = await stack.resource("acme-signers");
		expect(provider).toMatch(/:providers:orgsync::own::/);
		const outputs = await stack.outputs();
		expect(outputs.summary).toEqual({ organizationId, differences: [], unmanaged: ["userTag:auditors"] });
		expect(outputs.impact).toEqual([]);
		expect(outputs.approvals).toContainEqual({ step: "remove a policy", verdict: "runs", sentence: "runs at once" });
		expect(outputs.isInSync).toBe(false);
		expect(outputs.comment).toMatch(/^<!-- orgsync: plan -->\n\n### Plan: 3 activities; they run at once\./);

		// A component with another name: the engine finds its parts by the names that they had.
		stack.write({
			"Pulumi.yaml": `name: probe\nruntime: yaml\n${program("beta", ", aliases: [{ name: acme }]")}\n`,
		});
		await world.change({
			userTags: [{ tagId: tags.signers, tagName: "signatories", userIds: [alice, carol] }],
			policies: [{ policyId: policies[0], policyName: "policy 1" }],
		});
		const drifted = readDigest(await stack.preview(["--json"]));
		expect(drifted.operations).toEqual(["update beta-policies", "update beta-signers"]);
		expect(drifted.details).toEqual({
			"beta-policies": { "policyIds[0]": "add" },
			"beta-signers": { name: "update", "members.exactly[1]": "add", "members.exactly[2]": "delete" },
		});
		expect(drifted.plan).toMatch(/name: signatories -> signers\n\s*\+ member bob\n\s*- member carol\n/);
		expect(leakingLines(stack)).toEqual([]);
	});
});
