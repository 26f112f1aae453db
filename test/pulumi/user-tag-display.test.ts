/** How the real engine shows the changes of a user tag: a create with the ids that it adopts, and drift as an update of what drifted. */
import { describe, expect, it } from "vitest";
import { expectSuccess, shown } from "../engine/answer.ts";
import { alice, bob, carol, tags } from "../world.ts";
import { adapters } from "./adapters.ts";
import { expectNoSecretIn } from "./checks.ts";
import type { Program } from "./program.ts";

const signers: Program = {
	resources: { signers: { type: "UserTag", properties: { name: "signers", members: { exactly: [bob, alice] } } } },
};

describe.each(adapters)("a UserTag of $title under the engine", { timeout: 240_000 }, (adapter) => {
	it("is shown as created with what it adopts, and its drift as an update of the name and the member that differ", async () => {
		const { world, stack } = await adapter.makeWorld(signers);
		// The caller keeps a tag, so no guard blocks what follows.
		await world.change({ userTags: [{ tagId: tags.auditors, userIds: [alice] }] });

		const first = await stack.preview(["--diff"]);
		const preview = expectSuccess(first);
		expect(preview).toContain(`+ ${adapter.typeOf("UserTag")}: (create)`);
		expect(preview).toMatch(new RegExp(`exactly: \\[\\s+\\[0\\]: "${alice}"\\s+\\[1\\]: "${bob}"`));
		expect(preview).toMatch(new RegExp(`tagId +: "${tags.signers}"`));
		// The engine shows what is created; a notice shows what adopting the live tag removes.
		expect(shown(first)).toContain(
			`signers: adopts the user tag signers, adds the member ${bob}, removes the member ${carol}`,
		);
		expectSuccess(await stack.up());
		await world.change({ userTags: [{ tagId: tags.signers, tagName: "signatories", userIds: [alice, carol] }] });
		const pipeline = await stack.preview(["--refresh", "--expect-no-changes", "--diff"]);
		expect(pipeline.exitCode).toBe(7);
		expect(pipeline.stdout).toMatch(/~ name +: "signers" => "signatories"/);
		expect(pipeline.stdout).toContain(`"${bob}" => "${carol}"`);
		expectNoSecretIn(stack);
	});
});
