/**
 * Many tags in many organizations: reads are made once per organization and phase, however many resources need them.
 */
import { describe, expect, it } from "vitest";
import { expectSuccess } from "../engine/harness.ts";
import { keys } from "../world.ts";
import { makePulumiWorld } from "./world.ts";

/** Fewer organizations give the same counts; all of them take half a minute. */
const count = process.env.CI === undefined ? 5 : 20;
const organizations = Array.from({ length: count }, (_, number) => id("e", number));
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

/** How often each operation was asked for. */
function countByName(requests: readonly string[]): Record<string, number> {
	return Object.fromEntries([...Map.groupBy(requests, (name) => name)].map(([name, all]) => [name, all.length]));
}

describe(`a program of ${count * tagsEach} tags in ${count} organizations`, () => {
	it("reads the tags once per organization and phase, and submits what differs", { timeout: 240_000 }, async () => {
		// The file backend writes the whole state at every step; what is measured here is not that.
		const { world, stack } = await makePulumiWorld(program, { env: { PULUMI_SKIP_CHECKPOINTS: "true" } });
		for (const [number, organizationId] of organizations.entries()) {
			await world.addOrganization(seedOf(organizationId, number));
		}
		expectSuccess(await stack.preview());
		expect(countByName(world.requests())).toEqual({ list_user_tags: count, list_users: count });

		world.clearRequests();
		expectSuccess(await stack.up());
		expect(countByName(world.requests())).toEqual({
			list_user_tags: count,
			list_users: count,
			list_activities: count,
			update_user_tag: count,
		});

		world.clearRequests();
		expectSuccess(await stack.refresh(["--expect-no-changes"]));
		expect(countByName(world.requests())).toEqual({ list_user_tags: count, list_users: count });

		world.clearRequests();
		expectSuccess(await stack.preview(["--expect-no-changes"]));
		expect(world.requests()).toEqual([]);
	});
});
