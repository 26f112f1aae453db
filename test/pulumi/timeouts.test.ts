/** `customTimeouts`: the plugin keeps them; a dynamic resource, which does not get them from the engine, refuses them. */
import type * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { Organization, UserTag } from "../../src/pulumi/dynamic/index.ts";
import { alice, bob, makeWorld, organizationId, type World } from "../world.ts";
import { configuredPlugin } from "./plugin-client.ts";
import { keptOf, messageOf, withProperties } from "./providers.ts";

const slowMs = 3000;
/** Less than what is slow, by far more than what the machine takes. */
const soonMs = 2000;

async function startSigners() {
	const world = await makeWorld();
	const plugin = await configuredPlugin(world);
	const signers = plugin.resource("UserTag", "signers");
	const { inputs } = await signers.check({ name: "signers", members: { exactly: [alice, bob] } });
	world.clearRequests();
	return { world, plugin, signers, inputs };
}

const slow = (world: World, operation: string): Promise<void> =>
	world.addFault({ operation, fault: "slow", delayMs: slowMs });

/** The result of `work`, which ends before what is slow does. */
async function soon<T>(work: Promise<T>): Promise<T> {
	const startMs = performance.now();
	const [result] = await Promise.allSettled([work]);
	expect(performance.now() - startMs).toBeLessThan(soonMs);
	return result.status === "fulfilled" ? result.value : Promise.reject(result.reason);
}

describe("customTimeouts of a resource of the plugin", () => {
	it("end a create whose queries take longer, before anything is submitted", async () => {
		const { world, signers, inputs } = await startSigners();
		// Activities were listed by the check, so live state is read again.
		await slow(world, "list_user_tags");
		const message = await messageOf(soon(signers.create(inputs, false, 0.5)));
		expect(message).toContain("no answer within the customTimeouts of this create, 0.5 seconds");
		expect(message).toContain("set a longer `customTimeouts.create`");
		expect(world.submits()).toEqual([]);
	});

	it("leave a request in doubt whose answer takes longer, and the next run joins its activity", async () => {
		const { world, plugin, signers, inputs } = await startSigners();
		await slow(world, "update_user_tag");
		const work = soon(withProperties(signers.create(inputs, false, 0.5)));
		const kept = await keptOf(work);
		expect(await messageOf(work)).toContain("no answer within the customTimeouts of this create, 0.5 seconds");
		expect(kept.activities).toMatchObject([{ outcome: "unknown" }]);
		expect(world.submits()).toEqual(["update_user_tag"]);
		await plugin.resource("UserTag", "signers").update(kept, inputs);
		expect(world.activities()).toHaveLength(1);
	});

	it("end an update, a refresh and a destroy too", async () => {
		const { world, signers, inputs } = await startSigners();
		const removing = { ...inputs, onDestroy: "removeMembers" };
		const { id, outputs } = await signers.create(removing);
		await slow(world, "list_activities");
		const news = { ...removing, members: { exactly: [alice] } };
		expect(await messageOf(soon(signers.update(outputs, news, false, 0.5)))).toContain("of this update, 0.5 seconds");
		await slow(world, "list_user_tags");
		const other = (await configuredPlugin(world)).resource("UserTag", "signers");
		expect(await messageOf(soon(other.read(id, outputs, inputs, 0.5)))).toContain("of this read, 0.5 seconds");
		await slow(world, "list_user_tags");
		const third = (await configuredPlugin(world)).resource("UserTag", "signers");
		expect(await messageOf(soon(third.delete(id, outputs, 0.5)))).toContain("of this delete, 0.5 seconds");
	});

	it("of one resource do not end the queries that another one shares", async () => {
		const { world, plugin, signers, inputs } = await startSigners();
		await slow(world, "list_user_tags");
		const oncall = plugin.resource("PolicyRemoval", "none");
		const { inputs: none } = await oncall.check({ policyIds: [] });
		const other = oncall.create(none);
		expect(await messageOf(soon(signers.create(inputs, false, 0.5)))).toContain("customTimeouts");
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
