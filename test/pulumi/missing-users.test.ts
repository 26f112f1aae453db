/** A user id that the organization does not have, at the provider's protocol: without an engine. */
import { describe, expect, it } from "vitest";
import { alice, bob, makeWorld, organizationId } from "../world.ts";
import { configuredPlugin } from "./plugin/plugin-client.ts";
import { constructAcme, startMonitor } from "./plugin/plugin-monitor.ts";

const gone = "a0000000-0000-4000-8000-0000000000f9";

describe("a member whom the organization does not have", () => {
	it("fails the check of a UserTag at its members, with the user who is probably meant", async () => {
		const world = await makeWorld();
		const signers = (await configuredPlugin(world)).resource("UserTag", "signers");
		for (const members of [{ exactly: [alice, gone] }, { atLeast: [{ user: gone, until: "2999-01-01T00:00:00Z" }] }]) {
			const { failures } = await signers.check({ name: "signers", members });
			expect(failures).toEqual([
				`members: the organization has no user ${gone}; did you mean \`alice\`, whose id is ${alice}?`,
			]);
		}
		expect((await signers.check({ name: "signers", members: { never: [gone] } })).failures).toEqual([]);
		expect(world.submits()).toEqual([]);
	});

	it("is looked for in a new answer, because another resource of the program may have made the user", async () => {
		const world = await makeWorld();
		const plugin = await configuredPlugin(world);
		const [signers, oncall] = ["signers", "oncall"].map((name) => plugin.resource("UserTag", name));
		const missed = await signers?.check({ name: "signers", members: { exactly: [alice, gone] } });
		expect(missed?.failures).toHaveLength(1);
		await new Promise((resolve) => setTimeout(resolve, 5));
		await world.change({ users: [{ userId: "a0000000-0000-4000-8000-000000000ff1", userName: "dave" }] });
		world.clearRequests();
		const made = await oncall?.check({
			name: "oncall",
			members: { exactly: [bob, "a0000000-0000-4000-8000-000000000ff1"] },
		});
		expect(made?.failures).toEqual([]);
		expect(world.requests().filter((name) => name === "list_users")).toHaveLength(1);
		for (const count of [2, 2]) {
			const again = await signers?.check({ name: "signers", members: { exactly: [bob, gone] } });
			expect(again?.failures).toHaveLength(1);
			expect(world.requests().filter((name) => name === "list_users")).toHaveLength(count);
		}
	});

	it("fails an update, and submits nothing", async () => {
		const world = await makeWorld();
		const signers = (await configuredPlugin(world)).resource("UserTag", "signers");
		const { inputs } = await signers.check({ name: "signers", members: { exactly: [alice] } });
		const news = { ...inputs, members: { exactly: [alice, gone] } };
		await expect(signers.update(inputs, news)).rejects.toThrow(`the organization has no user ${gone}`);
		expect(world.submits()).toEqual([]);
	});

	it("fails an Organization, with its place in the document", async () => {
		const [world, monitor] = [await makeWorld(), await startMonitor()];
		const document = {
			organizationId,
			users: { alice, bob: gone },
			userTags: [{ name: "signers", members: { exactly: ["bob"] } }],
		};
		await expect(constructAcme(await configuredPlugin(world), monitor, { document })).rejects.toThrow(
			`the organization has no user ${gone} (\`bob\`); did you mean \`bob\`, whose id is ${bob}?`,
		);
		expect(monitor.registered.filter(({ type }) => type === "orgsync:index:UserTag")).toEqual([]);
	});
});
