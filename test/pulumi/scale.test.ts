/**
 * Many tags in many organizations: reads are made once per organization and phase, however many resources need them.
 */
import { describe, expect, it } from "vitest";
import { expectSuccess } from "../engine/answer.ts";
import { keys, makeWorld, type World } from "../world.ts";
import { adapters } from "./in-process/adapters.ts";
import type { Program } from "./program.ts";
import { startProvider } from "./providers.ts";

const allOrganizations = Array.from({ length: 20 }, (_, number) => id("e", number));
const tagsEach = 50;
/** Fewer give the same counts: what a program asks for is counted by organization and phase, not by tag. */
const programOrganizations = 3;
const programTagsEach = 10;

function id(kind: string, number: number): string {
	return `${kind}0000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

/** Each has the first user with alice's key, and its tags without members. */
function seedOf(organizationId: string, number: number) {
	return {
		organizationId,
		organizationName: `organization ${number}`,
		users: [{ userId: id("b", number), userName: "alice", apiKeys: [{ publicKey: keys.alice.publicKey }] }],
		userTags: Array.from({ length: tagsEach }, (_, tag) => ({
			tagId: id("d", number * tagsEach + tag),
			tagName: `tag ${tag}`,
		})),
	};
}

/** The inputs of every tag of all organizations, by the name of its resource; the first tag of each lacks its member. */
const allInputs = allOrganizations.flatMap((organizationId, number) =>
	Array.from({ length: tagsEach }, (_, tag) => {
		const members = tag === 0 ? { members: { exactly: [id("b", number)] } } : {};
		return [`tag-${number}-${tag}`, { organizationId, name: `tag ${tag}`, ...members }] as const;
	}),
);

const program: Program = {
	resources: Object.fromEntries(
		allInputs
			.filter((_, index) => index < programOrganizations * tagsEach && index % tagsEach < programTagsEach)
			.map(([name, properties]) => [name, { type: "UserTag", properties } as const]),
	),
};

async function addAll(world: World, ids: readonly string[]): Promise<void> {
	for (const [number, organizationId] of ids.entries()) await world.addOrganization(seedOf(organizationId, number));
}

/** How often each operation was asked for. */
function countByName(requests: readonly string[]): Record<string, number> {
	return Object.fromEntries([...Map.groupBy(requests, (name) => name)].map(([name, all]) => [name, all.length]));
}

describe("a provider that is asked for 1000 tags in 20 organizations", () => {
	it("reads the tags once per organization and phase, and submits what differs", { timeout: 120_000 }, async () => {
		const world = await makeWorld();
		await addAll(world, allOrganizations);
		const provider = await startProvider("UserTag", world);
		expect(allInputs).toHaveLength(1000);
		const reads = { list_user_tags: 20, list_users: 20 };
		const access = { list_policies: 20, get_organization_configs: 20, whoami: 20 };

		world.clearRequests();
		const checked = await Promise.all(
			allInputs.map(([resource, inputs]) => provider.check({}, { resource, ...inputs })),
		);
		expect(checked.flatMap(({ failures }) => failures)).toEqual([]);
		// The check says which changes a pending activity makes: one list of an organization, which the create shares.
		expect(countByName(world.requests())).toEqual({ ...reads, ...access, list_activities: 20 });

		world.clearRequests();
		const made = await Promise.all(checked.map(({ inputs }) => provider.create(inputs)));
		// What was read before activities were listed is read again.
		expect(countByName(world.requests())).toEqual({ ...reads, update_user_tag: 20 });

		const next = await startProvider("UserTag", world, { timeout: "31" });
		world.clearRequests();
		const seen = await Promise.all(made.map(({ id, outs }) => next.read(id, outs)));
		expect(seen.map(({ id }) => id)).toEqual(made.map(({ id }) => id));
		expect(countByName(world.requests())).toEqual(reads);
	});
});

describe.each(
	adapters,
)(`a program for $title of ${programTagsEach} tags in each of ${programOrganizations} organizations`, (adapter) => {
	it("reads the tags once per organization and phase, and submits what differs", { timeout: 240_000 }, async () => {
		const { world, stack } = await adapter.makeWorld(program);
		await addAll(world, allOrganizations.slice(0, programOrganizations));
		const count = programOrganizations;
		const reads = { list_user_tags: count, list_users: count };
		const access = { list_policies: count, get_organization_configs: count, whoami: count };
		expectSuccess(await stack.preview());
		expect(countByName(world.requests())).toEqual({ ...reads, ...access, list_activities: count });

		world.clearRequests();
		expectSuccess(await stack.up());
		expect(countByName(world.requests())).toEqual({
			// Before activities are listed, and after.
			...{ list_user_tags: 2 * count, list_users: 2 * count },
			...access,
			list_activities: count,
			update_user_tag: count,
		});

		world.clearRequests();
		expectSuccess(await stack.refresh());
		expect(countByName(world.requests())).toEqual(reads);

		world.clearRequests();
		expectSuccess(await stack.preview(["--expect-no-changes"]));
		expect(world.requests()).toEqual([]);
	});
});
