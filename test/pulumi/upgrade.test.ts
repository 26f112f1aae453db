/**
 * Another version of the package is installed: its code does the refresh, the update and the destroy of what the earlier
 * one made, and the state has nothing to migrate.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectSuccess } from "../engine/harness.ts";
import { bob, carol, policies, tags } from "../world.ts";
import { makePulumiWorld } from "./world.ts";

/** Makes every provider call of the installed package write its name and version to a file of the project. */
function tellTale(folder: string): void {
	const file = join(folder, "dist/pulumi/provider.js");
	const code = readFileSync(file, "utf8");
	const told = `
import { appendFileSync as tell } from "node:fs";
import { createRequire as requireFrom } from "node:module";
const { version } = requireFrom(import.meta.url)("../../package.json");
function telling(make, name) {
	return () => new Proxy(make(), {
		get(provider, method) {
			const call = provider[method];
			if (typeof call !== "function") return call;
			return (...words) => { tell("calls.txt", name + " " + method + " " + version + "\\n"); return call(...words); };
		},
	});
}
`;
	const exported = /export const (userTag|policyRemoval) = ([\s\S]*?\));\n(?=export|\/\/#|$)/g;
	const edited = code.replace(exported, (_all, name, made) => `export const ${name} = telling(${made}, "${name}");\n`);
	if (edited.split("telling(").length !== 3) throw new Error("provider.js is not of the form that this edits");
	writeFileSync(file, told + edited);
}

describe("another version of the package", { timeout: 180_000 }, () => {
	it("finds nothing to change, refreshes, updates and destroys what the earlier one made, by its own code", async () => {
		const { world, stack } = await makePulumiWorld(
			`const members = { exactly: ["${bob}", "${carol}"] };
new orgsync.UserTag("oncall", { name: "oncall", members, onDestroy: "removeMembers" });
new orgsync.PolicyRemoval("old", { policyIds: ["${policies[0]}"] });`,
			{ orgsync: { version: "1.0.0" } },
		);
		expectSuccess(await stack.up());
		const before = await stack.state();
		stack.install({ version: "1.1.0", edit: tellTale });
		const taken = (): readonly string[] => {
			const file = join(stack.folder, "calls.txt");
			const lines = readFileSync(file, "utf8").trim().split("\n");
			writeFileSync(file, "");
			return [...new Set(lines)].sort();
		};
		const of = (...methods: readonly string[]) =>
			methods.flatMap((method) => [`policyRemoval ${method} 1.1.0`, `userTag ${method} 1.1.0`]).sort();

		world.clearRequests();
		expect((await stack.preview(["--expect-no-changes"])).exitCode).toBe(0);
		expect(taken()).toEqual(of("configure", "check", "diff"));
		expect(world.requests()).toEqual([]);

		await world.change({ userTags: [{ tagId: tags.oncall, userIds: [carol] }] });
		expectSuccess(await stack.refresh());
		expect(taken()).toEqual(of("configure", "diff", "read"));
		expect((await stack.resource("oncall")).outputs?.members).toEqual({ exactly: [carol] });
		const texts = ({ deployment }: typeof before) =>
			deployment.resources?.map(({ urn, inputs }) => [urn, inputs?.__provider]);
		expect(texts(await stack.state())).toEqual(texts(before));

		world.clearRequests();
		expectSuccess(await stack.up());
		expect(world.submits()).toEqual(["update_user_tag"]);
		taken();
		world.clearRequests();
		expectSuccess(await stack.destroy());
		expect(taken()).toEqual(of("configure", "delete"));
		expect(world.submits()).toEqual(["update_user_tag"]);
		expect(world.organization().userTags[1].userIds ?? []).toEqual([]);
	});
});
