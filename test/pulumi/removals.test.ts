/** What must not exist: removed once, left alone, removed again when it is back. */
import { describe, expect, it } from "vitest";
import { expectSuccess, shown } from "../engine/answer.ts";
import { alice, apps, bob, keys, organizationId, policies, provider, providers, type World } from "../world.ts";
import { adapters } from "./in-process/adapters.ts";
import type { InProcessStack } from "./in-process/stack.ts";
import type { Program } from "./program.ts";

interface Listed {
	readonly policyIds: readonly string[];
	readonly providerIds: readonly string[];
	readonly organizationId?: string;
	readonly userId?: string;
}

function program({ policyIds, providerIds, userId = bob, ...rest }: Listed): Program {
	return {
		resources: {
			policies: { type: "PolicyRemoval", properties: { policyIds, ...rest } },
			providers: { type: "OauthProviderRemoval", properties: { userId, providerIds } },
			app: { type: "TvcAppRemoval", properties: { appId: apps.old } },
		},
	};
}

/** What each activity since the last time was about, by its type. */
function intentsOf(world: World, count: number): object {
	const intents = count === 0 ? [] : world.activities().slice(-count);
	return Object.assign({}, ...intents.map(({ intent }) => intent));
}

async function keptIds(stack: InProcessStack, name: string): Promise<unknown> {
	const { outputs = {} } = await stack.resource(name);
	return outputs.policyIds ?? outputs.providerIds;
}

const otherOrganization = "00000000-0000-4000-8000-000000000002";

describe.each(adapters)("removals of $title", { timeout: 240_000 }, (adapter) => {
	it("submit one activity for live objects, one for newly listed ones, and one for objects that are back", async () => {
		const { world, stack } = await adapter.makeWorld(
			program({ policyIds: [policies[0]], providerIds: [providers.bob[0]], userId: bob.toUpperCase() }),
		);
		expectSuccess(await stack.up());
		expect(world.submits()).toHaveLength(3);
		expect(intentsOf(world, 3)).toEqual({
			deletePoliciesIntent: { policyIds: [policies[0]] },
			deleteOauthProvidersIntent: { userId: bob, providerIds: [providers.bob[0]] },
			deleteTvcAppAndDeploymentsIntent: { appId: apps.old },
		});

		const listed = { policyIds: [policies[1].toUpperCase(), policies[0]], providerIds: [...providers.bob] };
		adapter.write(stack, program(listed));
		world.clearRequests();
		expectSuccess(await stack.up());
		expect(world.submits()).toHaveLength(2);
		expect(intentsOf(world, 2)).toEqual({
			deletePoliciesIntent: { policyIds: [policies[1]] },
			deleteOauthProvidersIntent: { userId: bob, providerIds: [providers.bob[1]] },
		});
		world.clearRequests();
		expect(shown(await stack.up())).toContain("4 unchanged");
		expect(world.requests()).toEqual([]);

		await world.change({
			policies: [{ policyId: policies[0], policyName: "policy 1" }],
			users: [{ userId: bob, oauthProviders: [provider(providers.bob[0], "bob-one")] }],
			tvcApps: [{ id: apps.old, name: "old" }],
		});
		expect(shown(await stack.refresh())).toMatch(/TvcAppRemoval app deleted/);
		expect(await keptIds(stack, "policies")).toEqual([policies[1]]);
		expect(await keptIds(stack, "providers")).toEqual([providers.bob[1]]);
		await expect(stack.resource("app")).rejects.toThrow("0 resources");
		expect([...world.requests()].sort()).toEqual(["list_policies", "list_tvc_apps", "list_users"]);

		world.clearRequests();
		expectSuccess(await stack.up());
		expect(world.submits()).toHaveLength(3);
		expect(intentsOf(world, 3)).toEqual({
			deletePoliciesIntent: { policyIds: [policies[0]] },
			deleteOauthProvidersIntent: { userId: bob, providerIds: [providers.bob[0]] },
			deleteTvcAppAndDeploymentsIntent: { appId: apps.old },
		});

		await world.addOrganization({
			organizationId: otherOrganization,
			organizationName: "Other",
			users: [{ userId: alice, userName: "alice", apiKeys: [{ publicKey: keys.alice.publicKey }] }],
		});
		world.clearRequests();
		adapter.write(stack, program({ ...listed, organizationId: otherOrganization, userId: alice }));
		const replaced = expectSuccess(await stack.preview(["--diff"]));
		expect(replaced).toMatch(/PolicyRemoval: \(replace\)/);
		expect(replaced).toContain(`~ organizationId: "${organizationId}" => "${otherOrganization}"`);
		expect(replaced).toMatch(/OauthProviderRemoval: \(replace\)/);
		expect(replaced).not.toMatch(/TvcAppRemoval: \((?!same)/);
		expect(world.submits()).toEqual([]);

		world.clearRequests();
		expectSuccess(await stack.destroy());
		expect(world.requests()).toEqual([]);
	});
});
