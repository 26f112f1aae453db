/**
 * Many tags in many organizations: reads are made once per organization and phase, however many resources need them.
 */
import { describe, expect, it } from "vitest";
import { expectSuccess } from "../engine/harness.ts";
import { keys, makeWorld, type World } from "../world.ts";
import { startProvider } from "./providers.ts";
import { makePulumiWorld } from "./world.ts";

/** With the engine, fewer organizations give the same counts; all of them take half a minute. */
const count = process.env.CI === undefined ? 5 : 20;
const allOrganizations = Array.from({ length: 20 }, (_, number) => id("e", number));
const organizations = allOrganizations.slice(0, count);
const tagsEach = 50;

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

const program = `
for (const [number, organizationId] of ${JSON.stringify(organizations)}.entries()) {
	for (let tag = 0; tag < ${tagsEach}; tag += 1) {
		const changed = tag === 0 ? { members: { exactly: [\`b0000000-0000-4000-8000-\${String(number).padStart(12, "0")}\`] } } : {};
		new orgsync.UserTag(\`\${number}-\${tag}\`, { organizationId, name: \`tag \${tag}\`, ...changed });
	}
}`;

/** The inputs of every tag of all organizations; the first tag of each lacks its member. */
const allInputs = allOrganizations.flatMap((organizationId, number) =>
	Array.from({ length: tagsEach }, (_, tag) => ({
		resource: `${number}-${tag}`,
		organizationId,
		name: `tag ${tag}`,
		...(tag === 0 ? { members: { exactly: [id("b", number)] } } : {}),
	})),
);

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
		const checked = await Promise.all(allInputs.map((inputs) => provider.check({}, inputs)));
		expect(checked.flatMap(({ failures }) => failures)).toEqual([]);
		expect(countByName(world.requests())).toEqual({ ...reads, ...access });

		world.clearRequests();
		const made = await Promise.all(checked.map(({ inputs }) => provider.create(inputs)));
		expect(countByName(world.requests())).toEqual({ list_activities: 20, update_user_tag: 20 });

		const next = await startProvider("UserTag", world, { timeout: "31" });
		world.clearRequests();
		const seen = await Promise.all(made.map(({ id, outs }) => next.read(id, outs)));
		expect(seen.map(({ id }) => id)).toEqual(made.map(({ id }) => id));
		expect(countByName(world.requests())).toEqual(reads);
	});
});

describe(`a program of ${count * tagsEach} tags in ${count} organizations`, () => {
	it("reads the tags once per organization and phase, and submits what differs", { timeout: 240_000 }, async () => {
		// The file backend writes the whole state at every step; what is measured here is not that.
		const { world, stack } = await makePulumiWorld(program, { env: { PULUMI_SKIP_CHECKPOINTS: "true" } });
		await addAll(world, organizations);
		const reads = { list_user_tags: count, list_users: count };
		const access = { list_policies: count, get_organization_configs: count, whoami: count };
		expectSuccess(await stack.preview());
		expect(countByName(world.requests())).toEqual({ ...reads, ...access });

		world.clearRequests();
		expectSuccess(await stack.up());
		expect(countByName(world.requests())).toEqual({
			...reads,
			...access,
			list_activities: count,
			update_user_tag: count,
		});

		world.clearRequests();
		expectSuccess(await stack.refresh(["--expect-no-changes"]));
		expect(countByName(world.requests())).toEqual(reads);

		world.clearRequests();
		expectSuccess(await stack.preview(["--expect-no-changes"]));
		expect(world.requests()).toEqual([]);
	});
});
