/** `customTimeouts`: the plugin keeps them; a dynamic resource, which does not get them from the engine, refuses them. */
import type * as pulumi from "@pulumi/pulumi";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Organization, UserTag } from "../../../src/pulumi/dynamic/index.ts";
import { alice, bob, makeWorld, organizationId, type World } from "../../world.ts";
import { configuredPlugin } from "../plugin/plugin-client.ts";
import { keptOf, messageOf, withProperties } from "../providers.ts";

async function startSigners() {
	const world = await makeWorld();
	const plugin = await configuredPlugin(world);
	const signers = plugin.resource("UserTag", "signers");
	const { inputs } = await signers.check({ name: "signers", members: { exactly: [alice, bob] } });
	world.clearRequests();
	return { world, plugin, signers, inputs };
}

/** The next answer to the operation comes so much later: by default after the time of a test, so no one may wait for it. */
const slow = (world: World, operation: string, delayMs = 120_000): Promise<void> =>
	world.addFault({ operation, fault: "slow", delayMs });

describe("customTimeouts of a resource of the plugin", () => {
	it("end a create whose queries take longer, before anything is submitted", async () => {
		const { world, signers, inputs } = await startSigners();
		// Activities were listed by the check, so live state is read again.
		await slow(world, "list_user_tags");
		const message = await messageOf(signers.create(inputs, false, 0.5));
		expect(message).toContain("no answer within the customTimeouts of this create, 0.5 seconds");
		expect(message).toContain("set a longer `customTimeouts.create`");
		expect(world.submits()).toEqual([]);
	});

	it("leave a request in doubt whose answer takes longer, and the next run joins its activity", async () => {
		const { world, plugin, signers, inputs } = await startSigners();
		await slow(world, "update_user_tag");
		// The timer ends when the request is at the service, which may be late; a second attempt would follow after 10 seconds.
		vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
		onTestFinished(() => void vi.useRealTimers());
		const work = withProperties(signers.create(inputs, false, 9));
		const kept = keptOf(work);
		await expect.poll(() => world.submits()).toEqual(["update_user_tag"]);
		await vi.advanceTimersByTimeAsync(9000);
		expect(await messageOf(work)).toContain("no answer within the customTimeouts of this create, 9 seconds");
		vi.useRealTimers();
		const { activities } = await kept;
		expect(activities).toMatchObject([{ outcome: "unknown" }]);
		expect(world.submits()).toEqual(["update_user_tag"]);
		await plugin.resource("UserTag", "signers").update(await kept, inputs);
		expect(world.activities()).toHaveLength(1);
	});

	it("end an update, a refresh and a destroy too", async () => {
		const { world, signers, inputs } = await startSigners();
		const removing = { ...inputs, onDestroy: "removeMembers" };
		const { id, outputs } = await signers.create(removing);
		await slow(world, "list_activities");
		const news = { ...removing, members: { exactly: [alice] } };
		expect(await messageOf(signers.update(outputs, news, false, 0.5))).toContain("of this update, 0.5 seconds");
		await slow(world, "list_user_tags");
		const other = (await configuredPlugin(world)).resource("UserTag", "signers");
		expect(await messageOf(other.read(id, outputs, inputs, 0.5))).toContain("of this read, 0.5 seconds");
		await slow(world, "list_user_tags");
		const third = (await configuredPlugin(world)).resource("UserTag", "signers");
		expect(await messageOf(third.delete(id, outputs, 0.5))).toContain("of this delete, 0.5 seconds");
	});

	it("of one resource do not end the queries that another one shares", async () => {
		const { world, plugin, signers, inputs } = await startSigners();
		await slow(world, "list_user_tags", 3000);
		const oncall = plugin.resource("PolicyRemoval", "none");
		const { inputs: none } = await oncall.check({ policyIds: [] });
		const other = oncall.create(none);
		expect(await messageOf(signers.create(inputs, false, 0.5))).toContain("customTimeouts");
		expect(await other).toMatchObject({ outputs: { policyIds: [] } });
	});
});

describe("customTimeouts of a dynamic resource", () => {
	const options: pulumi.CustomResourceOptions = { customTimeouts: { create: "1s" } };
	const refusal =
		/^signers: customTimeouts have no effect on a dynamic resource, because the engine does not pass them on; remove the option, and use the settings `timeout` and `wait`$/;

	it("are refused, also for a component", () => {
		expect(() => new UserTag("signers", { name: "signers" }, options)).toThrow(refusal);
		const document = { organizationId };
		expect(() => new Organization("signers", { document }, options)).toThrow(refusal);
	});
});
