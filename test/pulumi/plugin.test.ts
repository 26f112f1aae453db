/** The provider plugin under the real engine, from a YAML program. */
import { describe, expect, it } from "vitest";
import { expectSuccess } from "../engine/harness.ts";
import { alice, bob } from "../world.ts";
import { expectNoSecretIn, makeYamlWorld } from "./world.ts";

describe("the plugin", { timeout: 120_000 }, () => {
	it("previews without a submit, brings a tag in sync with one activity, and finds no change then", async () => {
		const { world, stack } = await makeYamlWorld(`resources:
  signers:
    type: orgsync:index:UserTag
    properties:
      name: signers
      members: { exactly: ["${bob}", "${alice}"] }
outputs:
  tagId: \${signers.tagId}`);
		expectSuccess(await stack.preview(["--diff"]));
		expect(world.submits()).toEqual([]);
		expectSuccess(await stack.up());
		expect(world.submits()).toEqual(["update_user_tag"]);
		expect(expectSuccess(await stack.up())).toContain("2 unchanged");
		expectSuccess(await stack.refresh());
		expectSuccess(await stack.destroy());
		expect(world.submits()).toEqual(["update_user_tag"]);
		expectNoSecretIn(stack);
	});
});
