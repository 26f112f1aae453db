/** `pulumi import`, the option `import` and `.get` of the plugin's resources. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectSuccess } from "../engine/harness.ts";
import { alice, bob, carol, organizationId, tags } from "../world.ts";
import { makeYamlWorld, shown } from "./world.ts";

describe("pulumi import", { timeout: 240_000 }, () => {
	it("writes code", async () => {
		const { world, stack } = await makeYamlWorld("", { recordCalls: true });
		const odd = ["team/ops", "with spaces", "ünïcødé ✓", "b0000000-0000-4000-8000-000000000009", "${x} \"q\" \\ #"];
		await world.change({ userTags: odd.map((tagName, index) => ({ tagId: `b0000000-0000-4000-8000-00000000000${index + 1}`, tagName, userIds: [alice, bob] })) });
		const answer = await stack.pulumi(["import", "orgsync:index:UserTag", "signers", `${organizationId}/signers`, "--yes", "--out", "generated.yaml"]);
		console.log(shown(answer), answer.exitCode);
		console.log(readFileSync(join(stack.folder, "generated.yaml"), "utf8"));
		console.log(JSON.stringify(await stack.resource("signers"), null, 1));
		for (const [type, id] of [["UserTag", "signrs"], ["UserTag", tags.oncall.replace("7", "e")], ["UserTag", `${alice}/signers`],["UserTag", `xx/signers`], ["UserTag", `${organizationId}/`], ["PolicyRemoval", "x"], ["Organization", "x"]]) {
			const answer = await stack.pulumi(["import", `orgsync:index:${type}`, "other", id, "--yes"]);
			console.log(type, id, shown(answer), answer.exitCode);
		}
		const resources = odd.map((name, index) => ({ type: "orgsync:index:UserTag", name: `odd-${index}`, id: index % 2 ? name : `${organizationId.toUpperCase()}/${name}` }));
		stack.write({ "import.json": JSON.stringify({ resources }) });
		const many = await stack.pulumi(["import", "--file", "import.json", "--yes", "--out", "many.yaml"]);
		console.log(shown(many), many.exitCode);
		const text = readFileSync(join(stack.folder, "generated.yaml"), "utf8").trimEnd() + readFileSync(join(stack.folder, "many.yaml"), "utf8").replace(/^resources:/, "");
		console.log(text);
		stack.write({ "Pulumi.yaml": `name: probe\nruntime: yaml\n${text}` });
		console.log(shown(await stack.preview(["--diff"])));
		console.log(shown(await stack.up()));
		expect(world.submits()).toEqual([]);
	});
});
