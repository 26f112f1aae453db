/**
 * What only the real engine shows of a resource: that a dynamic one is not imported, and the end of a provider whose engine is gone.
 */
import { describe, expect, it } from "vitest";
import { expectSuccess, shown } from "../engine/answer.ts";
import { policies, tags } from "../world.ts";
import { adapters, dynamicResources } from "./adapters.ts";
import { makePulumiWorld, withImports } from "./world.ts";

/** The plugin imports resources. */
describe("importing a dynamic resource", { timeout: 240_000 }, () => {
	it("fails with the alternative as an option, and fails as a command before anything changes", async () => {
		const { world, stack } = await makePulumiWorld(
			`new orgsync.UserTag("signers", { name: "signers" }, { import: "${tags.signers}" });`,
		);
		const option = await stack.preview();
		expect(option.exitCode).toBe(1);
		expect(shown(option)).toContain(
			"signers: a UserTag cannot be imported, because it is a dynamic resource; remove the option `import`: creating the resource adopts the live object",
		);
		stack.write({
			"index.mjs": withImports(
				`new orgsync.PolicyRemoval("old", { policyIds: ["${policies[0]}"] }, { id: "${policies[0]}" });`,
			),
		});
		const lookUp = await stack.preview();
		expect(shown(lookUp)).toContain(
			"old: a PolicyRemoval cannot be read by an id, because it lists what must not exist; remove the option `id`",
		);
		for (const answer of [option, lookUp]) expect(shown(answer)).not.toMatch(/\n\s+at |Warning:/);

		// Pulumi's own words: no code of ours runs for a dynamic resource of which there is no state.
		const type = "pulumi-nodejs:dynamic/orgsync:UserTag";
		const command = await stack.pulumi(["import", type, "signers", tags.signers, "--yes"]);
		expect(command.exitCode).not.toBe(0);
		expect(shown(command)).toContain("code must be a string, not undefined");
		expect((await stack.state()).deployment.resources ?? []).not.toContainEqual(expect.objectContaining({ type }));
		expect(world.requests()).toEqual([]);
	});
});

describe.each(adapters)("a provider of $title whose engine was killed", { timeout: 180_000 }, (adapter) => {
	it("finishes requests in flight, starts no others, and ends", async () => {
		const { world, stack } = await adapter.makeWorld({
			resources: {
				first: { type: "PolicyRemoval", properties: { policyIds: [policies[0]] } },
				second: {
					type: "PolicyRemoval",
					properties: { policyIds: [policies[1]] },
					options: { dependsOn: ["first"] },
				},
			},
		});
		await world.addFault({ operation: "delete_policies", fault: "slow", delayMs: 2500 });
		const { child, ended } = stack.start(["up", "--yes", "--skip-preview"]);
		await expect.poll(() => world.submits(), { timeout: 60_000 }).toEqual(["delete_policies"]);
		const providers = () => stack.processes().filter(adapter.isProvider);
		expect(providers().length).toBeGreaterThan(0);
		child.kill("SIGKILL");
		await ended;
		expect(providers().length).toBeGreaterThan(0);
		await expect.poll(providers, { timeout: 60_000 }).toEqual([]);

		// What came of it is in the journal: the next up knows that it completed.
		await stack.pulumi(["cancel", "--yes"]);
		expectSuccess(await stack.up());
		expect(world.activities().length).toBe(2);
	});
});

/** A program in YAML cannot wait for anything that is not a resource. */
describe("a provider of dynamic resources whose engine was killed", { timeout: 180_000 }, () => {
	it("ends at once if nothing is in flight", async () => {
		const { world, stack } = await makePulumiWorld(`
const signers = new orgsync.UserTag("signers", { name: "signers" });
export const later = signers.tagId.apply(() => new Promise((resolve) => setTimeout(resolve, 60_000)));`);
		const { child, ended } = stack.start(["up", "--yes", "--skip-preview"]);
		await expect.poll(() => world.requests(), { timeout: 60_000 }).toContain("list_user_tags");
		child.kill("SIGKILL");
		await ended;
		const providers = () => stack.processes().filter(dynamicResources.isProvider);
		await expect.poll(providers, { timeout: 20_000 }).toEqual([]);
	});
});
