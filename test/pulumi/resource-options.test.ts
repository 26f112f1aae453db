/** Pulumi's options on our resources that need no engine: `ignoreChanges` and `id`. */
import { describe, expect, it } from "vitest";
import { expectSuccess, shown } from "../engine/answer.ts";
import { alice, bob, carol, organizationId, tags } from "../world.ts";
import { adapters } from "./in-process/adapters.ts";
import { outputOf, type ProgramResource } from "./program.ts";

const tag = (properties: NonNullable<ProgramResource["properties"]>): ProgramResource => ({
	type: "UserTag",
	properties,
});

describe.each(adapters)("ignoreChanges with $title", (adapter) => {
	it("causes no update after a refresh for drifted members, in each form of members, and for a name that is an earlier name again", async () => {
		const options = { ignoreChanges: ["members"] };
		const voters = "70000000-0000-4000-8000-000000000004";
		const { world, stack } = await adapter.makeWorld({
			resources: {
				named: { ...tag({ name: "signers", members: { atLeast: [bob], never: [carol] } }), options },
				"one-list": { ...tag({ name: "oncall", members: { never: [carol] } }), options },
				exactly: { ...tag({ name: "auditors", members: { exactly: [alice, bob] } }), options },
				renamed: { ...tag({ name: "approvers", previously: ["voters"] }), options: { ignoreChanges: ["name"] } },
			},
		});
		await world.change({ userTags: [{ tagId: voters, tagName: "voters" }] });
		expectSuccess(await stack.up());
		expect(world.submits()).toEqual(["update_user_tag", "update_user_tag", "update_user_tag"]);
		const drifted = [tags.signers, tags.oncall, tags.auditors].map((tagId) => ({ tagId, userIds: [carol] }));
		await world.change({ userTags: [...drifted, { tagId: voters, tagName: "voters" }] });
		world.clearRequests();
		expectSuccess(await stack.refresh());
		expectSuccess(await stack.preview(["--expect-no-changes"]));
		expect(world.submits()).toEqual([]);
	});
});

describe.each(adapters)("a UserTag of $title with an id", (adapter) => {
	it("reads the live tag, also in a preview, and submits nothing", async () => {
		const { world, stack } = await adapter.makeWorld({
			resources: {
				signers: { type: "UserTag", get: tags.signers.toUpperCase() },
				oncall: { type: "UserTag", get: tags.oncall },
				auditors: tag({ name: "auditors", members: outputOf("signers", "members") }),
			},
			outputs: {
				name: outputOf("signers", "name"),
				members: outputOf("signers", "members"),
				tagId: outputOf("signers", "tagId"),
				oncall: outputOf("oncall", "name"),
			},
		});
		expect(shown(await stack.preview())).toContain(`adds the members ${alice}, ${carol}`);
		expectSuccess(await stack.up());
		const outputs = { name: "signers", members: { exactly: [alice, carol] }, tagId: tags.signers, oncall: "oncall" };
		expect(await stack.outputs()).toEqual(outputs);

		await world.change({ userTags: [{ tagId: tags.signers, tagName: "signatories", userIds: [alice, bob] }] });
		expectSuccess(await stack.up());
		expect(await stack.outputs()).toMatchObject({ name: "signatories", members: { exactly: [alice, bob] } });
		expect(world.organization().userTags[0]).toMatchObject({ tagName: "signatories", userIds: [alice, bob] });

		await world.change({ remove: { userTags: [tags.oncall] } });
		const gone = await stack.up();
		expect(gone.exitCode).toBe(1);
		expect(shown(gone)).toContain(
			`has no user tag with the id ${tags.oncall}; \`orgsync query --organization ${organizationId} list_user_tags\` lists them`,
		);
		await world.change({ userTags: [{ tagId: tags.signers, tagName: "signatories", userIds: [bob] }] });
		world.clearRequests();
		expectSuccess(await stack.refresh());
		expect((await stack.resource("signers")).outputs?.members).toEqual({ exactly: [bob] });
		await expect(stack.resource("oncall")).rejects.toThrow("0 resources");
		expect((await stack.resource("auditors")).inputs?.name).toBe("auditors");
		expect(world.submits()).toEqual([]);
	});
});
