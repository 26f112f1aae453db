/** A state of release 0.1.0 before policies could be created: this release changes nothing in it. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { expectSuccess } from "../engine/answer.ts";
import { alice, apps, bob, carol, document, policies, tags } from "../world.ts";
import { adapters, plugin } from "./in-process/adapters.ts";
import type { StateResource } from "./in-process/model.ts";
import type { Program } from "./program.ts";

const program: Program = {
	resources: {
		signers: { type: "UserTag", properties: { name: "signers", members: { exactly: [alice, bob] } } },
		oncall: {
			type: "UserTag",
			properties: { name: "oncall", members: { atLeast: [bob], never: [carol] }, onDestroy: "removeMembers" },
		},
		old: { type: "PolicyRemoval", properties: { policyIds: [policies[0]], limits: { policies: 1 } } },
		app: { type: "TvcAppRemoval", properties: { appId: apps.old } },
		acme: { type: "Organization", properties: { document: "orgsync.yaml" } },
	},
};
const text = document(
	`userTags: [{ name: auditors, id: ${tags.auditors}, members: { exactly: [alice] } }]`,
	`absent: { policies: [${policies[1]}] }`,
);

describe.each(adapters)("a recorded state of $title", (adapter) => {
	it("is left as it is by a preview, a refresh and an up", async () => {
		const { world, stack } = await adapter.makeWorld(program, { files: { "orgsync.yaml": text } });
		// The organization becomes what it was when the state was recorded.
		expectSuccess(await stack.up());
		const file = new URL(`recorded/${adapter === plugin ? "plugin" : "dynamic"}-0.1.0.json`, import.meta.url);
		stack.setState(JSON.parse(readFileSync(file, "utf8")) as StateResource[]);
		world.clearRequests();
		expectSuccess(await stack.pulumi(["preview", "--expect-no-changes"]));
		expect(expectSuccess(await stack.refresh())).not.toMatch(/updated|deleted/);
		expect(expectSuccess(await stack.up())).toContain("8 unchanged");
		expect(world.submits()).toEqual([]);
	});
});
