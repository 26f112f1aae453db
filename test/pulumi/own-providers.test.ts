/** Providers of a program's own: each has its service and key, and what is not known yet is asked of none. */
import { describe, expect, it } from "vitest";
import { expectSuccess } from "../engine/answer.ts";
import { alice, bob, keys, makeWorld, organizationId, tags } from "../world.ts";
import { expectNoSecretIn } from "./checks.ts";
import { adapters } from "./in-process/adapters.ts";
import { configured, type Program, type ProgramResource, unknown, type Value } from "./program.ts";

const noSettings = { ORGSYNC_URL: undefined, ORGSYNC_API_PRIVATE_KEY: undefined, ORGSYNC_ORGANIZATION_ID: undefined };

describe.each(adapters)("Providers of $title", (adapter) => {
	it("use their own service each, also if a preview does not know it yet, and another key replaces nothing", async () => {
		const other = { world: await makeWorld() };
		// Not the tag of the first service: both Providers have one journal, and organizations with the same id.
		await other.world.change({ userTags: [{ tagId: tags.oncall, tagName: "inspectors", userIds: [] }] });
		const member = (name: string, userId: string, provider?: string): ProgramResource => ({
			type: "UserTag",
			properties: { name, members: { exactly: [userId] } },
			...(provider === undefined ? {} : { options: { provider } }),
		});
		const program = (url: Value, userId: string, round = {}): Program => ({
			...round,
			config: { otherKey: "secret" },
			resources: {
				other: { type: "Provider", properties: { url, organizationId, apiPrivateKey: configured("otherKey") } },
				here: member("auditors", alice),
				there: member("inspectors", userId, "other"),
			},
		});
		const { world, stack } = await adapter.makeWorld(program(other.world.url, bob), { env: noSettings });
		await stack.configure({
			"orgsync:url": world.url,
			"orgsync:organizationId": organizationId,
			"orgsync:apiPrivateKey": { secret: keys.alice.privateKey },
			otherKey: { secret: keys.bob.privateKey },
		});
		expectSuccess(await stack.up());
		expect(world.submits()).toEqual(["update_user_tag"]);
		expect(other.world.submits()).toEqual(["update_user_tag"]);
		const inspectors = () =>
			other.world.organization().userTags.find(({ tagId }: { tagId: string }) => tagId === tags.oncall).userIds;
		expect(inspectors()).toEqual([bob]);
		expectNoSecretIn(stack);

		// Another key of a Provider is no reason to replace what was made with it.
		await stack.configure({ otherKey: { secret: keys.alice.privateKey } });
		const rotated = expectSuccess(await stack.preview());
		expect(rotated).toContain("~ 1 to update");
		expect(rotated).not.toMatch(/to (create|replace|delete)/);

		world.clearRequests();
		other.world.clearRequests();
		adapter.write(stack, program(unknown(other.world.url), alice, { round: 1 }));
		expectSuccess(await stack.preview());
		expect(other.world.requests()).toEqual([]);
		expectSuccess(await stack.up());
		expect(other.world.submits()).toEqual(["update_user_tag"]);
		expect(inspectors()).toEqual([alice]);
		expect(world.submits()).toEqual([]);
	});
});
