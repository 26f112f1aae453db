/**
 * Overrides in Pulumi's output: each that a resource uses is shown beside its name, and none that was set and not needed. A
 * rejected part of a document is shown as that in the preview of its component.
 */
import { describe, expect, it } from "vitest";
import { expectSuccess, shown } from "../engine/answer.ts";
import { organizationId, policies } from "../world.ts";
import { adapters, plugin } from "./in-process/adapters.ts";
import type { Program } from "./program.ts";

const [first] = policies;
const removal: Program = {
	resources: { old: { type: "PolicyRemoval", properties: { policyIds: [first], limits: { policies: 0 } } } },
};
const needsTwo = { approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } };
const allowed = "override used: orgsync:allow policies=1: 1 policy would be removed (allowed: at most 0)";
const inYaml = `organizationId: ${organizationId}\nabsent: { policies: [${first}] }\nlimits: { policies: 0 }\n`;

/** How often the engine's summary of what was said has this line; beside it the engine shows each line as it comes. */
const count = (text: string, line: string): number => text.split(`\n    ${line}`).length - 1;

describe.each(adapters)("overrides of a resource of $title", { timeout: 180_000 }, (adapter) => {
	it("are shown with their numbers once in a preview and once in an up, and only if they are needed", async () => {
		const { world, stack } = await adapter.makeWorld(removal, { config: { "orgsync:allow": "policies=1 tvcApps=3" } });
		await world.setRules(needsTwo);
		const preview = await stack.preview();
		expectSuccess(preview);
		expect(count(shown(preview), `old: ${allowed}`)).toBe(1);
		const pending = await stack.up([], { env: { ORGSYNC_ABANDON: organizationId, ORGSYNC_RETRY_REJECTED: "true" } });
		expect(pending.exitCode).toBe(1);
		expect(count(shown(pending), `old: ${allowed}`)).toBe(1);
		expect(shown(pending).match(/override used: \S+/g)).toEqual(shown(pending).match(/override used: orgsync:allow/g));

		const [{ id, fingerprint }] = world.activities();
		await world.submitAsBob("reject_activity", { fingerprint });
		expect(shown(await stack.up())).not.toContain("ORGSYNC_RETRY_REJECTED:");
		await world.setRules(needsTwo);
		const retried = await stack.up([], { env: { ORGSYNC_RETRY_REJECTED: "true" } });
		expect(count(shown(retried), "old: override used: ORGSYNC_RETRY_REJECTED: 1 rejected step submitted again: ")).toBe(
			1,
		);

		await world.setRules({});
		const again = world.activities().find((one) => one.id !== id && one.type === "ACTIVITY_TYPE_DELETE_POLICIES");
		const abandoned = await stack.up([], { env: { ORGSYNC_ABANDON: again.id } });
		expectSuccess(abandoned);
		const line = `old: override used: orgsync:abandon ${again.id}: this activity can still be approved, and apply ignores it`;
		expect(count(shown(abandoned), line)).toBe(1);
	});
});

/** The plan that it shows is rendered by the same code for both adapters. */
describe("the preview of an Organization of the plugin, as of the dynamic resources,", { timeout: 180_000 }, () => {
	it("names rejected activities, the override that submits them, and the overrides that it uses", async () => {
		const { world, stack } = await plugin.makeWorld(
			{ resources: { acme: { type: "Organization", properties: { document: "document.yaml" } } } },
			{ files: { "document.yaml": inYaml }, config: { "orgsync:allow": "policies=1" } },
		);
		await world.setRules(needsTwo);
		expect((await stack.up()).exitCode).toBe(1);
		await world.submitAsBob("reject_activity", { fingerprint: world.activities()[0].fingerprint });
		const held = shown(await stack.preview());
		expect(held).toMatch(/Rejected activities:\n[\s\S]*apply submits it again only with `ORGSYNC_RETRY_REJECTED=true`/);
		expect(held).toContain("Nothing to submit. 1 step was rejected before, and is not submitted again.");
		expect(held).toContain("orgsync:allow policies=1: 1 policy would be removed (allowed: at most 0)");
		expect(held).not.toContain("Guards that block apply");
		expect(held).not.toContain("--retry-rejected");
		const retried = shown(await stack.preview([], { env: { ORGSYNC_RETRY_REJECTED: "true" } }));
		expect(retried).toContain("Plan: 1 activity;");
		expect(retried).toContain("ORGSYNC_RETRY_REJECTED: 1 rejected step submitted again: policy:");
	});
});
