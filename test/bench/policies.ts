/** `pulumi up` of new policies and of the new user tags that they name, from YAML, against a plugin that does nothing. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { id, startManyTags } from "./many-tags.ts";
import { makeIdlePlugin, plugin, times } from "./plugin.ts";
import { type Measured, median } from "./run.ts";

const rounds = 3;
const each = 200;
const organizations = 5;

export async function benchPolicies(): Promise<Measured> {
	const place = mkdtempSync(join(tmpdir(), "orgsync-bench-"));
	const service = await startManyTags();
	try {
		const idlePlugin = await makeIdlePlugin(place);
		const took = { ours: [] as number[], idle: [] as number[] };
		for (let round = 0; round < rounds; round += 1) {
			for (const [name, path] of [["idle", idlePlugin] as const, ["ours", plugin] as const]) {
				const stack = await service.addStack(makeProject(path, round));
				took[name].push(await stack.run("up", "--yes", "--skip-preview", "--suppress-progress"));
			}
		}
		return {
			what: `pulumi up of ${each} new policies and the ${each} new tags that they name, against a plugin that does nothing`,
			measured: times(median(took.ours), median(took.idle), "s"),
			aim: "at most 1.15 times",
		};
	} finally {
		service.close();
		rmSync(place, { recursive: true, force: true });
	}
}

/** Each round has organizations of its own, without policies; the service allows one of them 100 tags, of which 50 are there. */
function makeProject(path: string, round: number): Readonly<Record<string, string>> {
	const resources = Array.from({ length: each }, (_, number) => {
		const organizationId = id("e", round * organizations + (number % organizations));
		const tag = { organizationId, name: `new ${number}`, create: true, members: { exactly: [] } };
		const policy = {
			...{ organizationId, name: `policy ${number}`, effect: "allow" },
			consensus: "approvers.any(user, user.tags.contains('$${userTags.tag}'))",
			condition: `activity.kind == 'SIGN_TRANSACTION' && eth.tx.nonce == ${number}`,
			references: { tag: `\${tag-${number}.tagId}` },
		};
		return [
			[`tag-${number}`, { type: "orgsync:index:UserTag", properties: tag }],
			[`policy-${number}`, { type: "orgsync:index:Policy", properties: policy }],
		] as const;
	});
	const program = {
		...{ name: "bench", runtime: "yaml", plugins: { providers: [{ name: "orgsync", path }] } },
		resources: Object.fromEntries(resources.flat()),
	};
	return { "Pulumi.yaml": JSON.stringify(program) };
}
