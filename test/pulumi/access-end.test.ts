/** Access with an end under the real engine: what a later `up --refresh` does. Everything else of it is in windows.test.ts. */
import { describe, expect, it } from "vitest";
import { expectSuccess, shown } from "../engine/answer.ts";
import { alice, bob, carol, organizationId, tags } from "../world.ts";
import { adapters } from "./in-process/adapters.ts";
import { type ProgramResource, unknown } from "./program.ts";

const hourMs = 3_600_000;

describe.each(adapters)("access with an end, with $title", { timeout: 240_000 }, (adapter) => {
	it("is taken away by a later `up --refresh`, which its preview forecasts with the time and the reason", async () => {
		const until = new Date(Math.floor(Date.now() / 60_000) * 60_000 + hourMs).toISOString();
		const window = { user: carol, until, reason: "audit" };
		const tag = (name: string, more: object = {}): ProgramResource => ({
			type: "UserTag",
			properties: { name, members: { exactly: [alice, { ...window, until: unknown(until) }] } },
			...more,
		});
		const { world, stack } = await adapter.makeWorld({
			round: 1,
			resources: {
				signers: tag("signers"),
				ignoring: tag("auditors", { options: { ignoreChanges: ["members"] } }),
				acme: {
					type: "Organization",
					properties: {
						document: {
							organizationId,
							users: { bob },
							userTags: [{ name: "oncall", members: { atLeast: [{ ...window, user: "bob" }] } }],
						},
					},
				},
			},
		});
		const membersOf = (tagId: string): readonly string[] =>
			world.organization().userTags.find((one: { tagId: string }) => one.tagId === tagId).userIds;
		expectSuccess(await stack.up());
		const managed = { exactly: [alice, window] };
		const state = { inputs: { members: managed }, outputs: { members: managed } };
		expect(await stack.resource("signers")).toMatchObject(state);
		expect(membersOf(tags.auditors)).toEqual([alice, carol]);

		await world.moveClock(2 * hourMs);
		const preview = await stack.preview(["--refresh", "--expect-no-changes"]);
		expect(preview.exitCode).toBe(7);
		const why = `access expired ${until.slice(0, 16).replace("T", " ")} UTC, reason "audit"`;
		expect(shown(preview)).toContain(`signers: removes the member ${carol}: ${why}`);
		expect(shown(preview)).toContain(`- member bob  (${why})\n`);
		expect(shown(preview)).toContain("~ 2 to update");
		world.clearRequests();
		const up = expectSuccess(await stack.up(["--refresh"]));
		expect(up).toContain(`signers: removes the member ${carol}: ${why}`);
		expect(up).toMatch(new RegExp(`Members to remove:\n\\s+userTag:oncall  bob: ${why}\n`));
		expect(world.submits()).toEqual(["update_user_tag", "update_user_tag"]);
		expect([membersOf(tags.signers), membersOf(tags.oncall)]).toEqual([[alice], []]);
		// A refresh takes over the live members of a resource that ignores the program's.
		expect(membersOf(tags.auditors)).toEqual([alice, carol]);
		expect(await stack.resource("signers")).toMatchObject(state);
		expectSuccess(await stack.preview(["--refresh", "--expect-no-changes"]));
	});
});
