/**
 * Another version of the package is installed: its code does the refresh, the update and the destroy of what the earlier
 * one made, and the state has nothing to migrate.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectSuccess } from "../engine/answer.ts";
import { bob, carol, policies, tags } from "../world.ts";
import { makePulumiWorld } from "./world.ts";

/** Makes the installed package write each call of a provider, with its version, to a file of the project. */
function recordCalls(folder: string): void {
	const file = join(folder, "dist/pulumi/dynamic/provider.js");
	const code = readFileSync(file, "utf8");
	const recording = `
import { appendFileSync } from "node:fs";
import { createRequire } from "node:module";
const { version } = createRequire(import.meta.url)("../../../package.json");
export function providerOf(name) {
	return new Proxy(makeProviderOf(name), {
		get(provider, method) {
			const call = provider[method];
			if (typeof call !== "function") return call;
			return (...words) => { appendFileSync("calls.txt", name + " " + method + " " + version + "\\n"); return call(...words); };
		},
	});
}
`;
	const edited = code.replace("export function providerOf(", "function makeProviderOf(");
	if (edited === code) throw new Error("provider.js does not export the function providerOf");
	writeFileSync(file, recording + edited);
}

describe("another version of the package", { timeout: 180_000 }, () => {
	it("finds no changes, and refreshes, updates and destroys resources of the earlier version with its own code", async () => {
		const { world, stack } = await makePulumiWorld(
			`const members = { exactly: ["${bob}", "${carol}"] };
new orgsync.UserTag("oncall", { name: "oncall", members, onDestroy: "removeMembers" });
new orgsync.PolicyRemoval("old", { policyIds: ["${policies[0]}"] });`,
			{ orgsync: { version: "1.0.0" } },
		);
		expectSuccess(await stack.up());
		const before = await stack.state();
		stack.install({ version: "1.1.0", edit: recordCalls });
		const taken = (): readonly string[] => {
			const file = join(stack.folder, "calls.txt");
			const lines = readFileSync(file, "utf8").trim().split("\n");
			writeFileSync(file, "");
			return [...new Set(lines)].sort();
		};
		const of = (...methods: readonly string[]) =>
			methods.flatMap((method) => [`PolicyRemoval ${method} 1.1.0`, `UserTag ${method} 1.1.0`]).sort();

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
