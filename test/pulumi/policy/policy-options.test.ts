/** What Pulumi's options mean for a policy: `--target`, `--replace`, `up --refresh`, `ignoreChanges` and `protect`. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { clockEnvironment } from "../../clock.ts";
import { expectSuccess, shown } from "../../engine/answer.ts";
import type { World } from "../../world.ts";
import { adapters } from "../in-process/adapters.ts";
import type { Program, ProgramResource } from "../program.ts";

const texts = { effect: "allow", consensus: "approvers.count() >= 2", condition: "activity.kind == 'CREATE_WALLET'" };
const quarterMs = 15 * 60_000;
const wider = "activity.resource == 'WALLET'";

/** A program of policies with these names, all with these properties and options. */
const program = (
	names: readonly string[],
	more: Readonly<Record<string, string | boolean>> = {},
	options: ProgramResource["options"] = {},
): Program => ({
	resources: Object.fromEntries(
		names.map((name) => [name, { type: "Policy", properties: { name, ...texts, ...more }, options }]),
	),
});

// biome-ignore lint/suspicious/noExplicitAny: looked into by the assertions of each test.
const liveOf = (world: World, name: string): any =>
	world.organization().policies.find(({ policyName }: { policyName: string }) => policyName === name);

describe.each(adapters)("a Policy of $title", (adapter) => {
	it("is created, updated and deleted with `--target`, and no other is", async () => {
		const { world, stack } = await adapter.makeWorld(program(["one", "two"]));
		const target = (name: string) => ["--target", adapter.urnOf("Policy", name)];
		expectSuccess(await stack.up(target("two")));
		expect([liveOf(world, "one"), liveOf(world, "two")?.policyName]).toEqual([undefined, "two"]);
		expectSuccess(await stack.up());
		expect(world.submits()).toEqual(["create_policies", "create_policies"]);

		world.clearRequests();
		adapter.write(stack, program(["one", "two"], { condition: wider }));
		expectSuccess(await stack.up(target("one")));
		expect(world.submits()).toEqual(["update_policy"]);
		expect([liveOf(world, "one").condition, liveOf(world, "two").condition]).toEqual([wider, texts.condition]);
		expectSuccess(await stack.destroy(target("one")));
		expect(world.submits()).toEqual(["update_policy", "delete_policies"]);
		expect([liveOf(world, "one"), liveOf(world, "two")?.policyName]).toEqual([undefined, "two"]);
	});

	it("is repaired by `up --refresh` with one activity, and created again where it was deleted", async () => {
		const { world, stack } = await adapter.makeWorld(program(["one"]));
		expectSuccess(await stack.up());
		const { policyId } = liveOf(world, "one");
		await world.change({ policies: [{ policyId, condition: wider }] });
		world.clearRequests();
		// Without a refresh, the state is what counts.
		expectSuccess(await stack.up());
		expect(world.requests()).toEqual([]);
		expectSuccess(await stack.up(["--refresh"]));
		expect(world.submits()).toEqual(["update_policy"]);
		expect(liveOf(world, "one")).toMatchObject({ policyId, condition: texts.condition });

		await world.change({ remove: { policies: [policyId] } });
		// The same request is submitted again only in another quarter of an hour.
		await world.moveClock(quarterMs);
		expectSuccess(await stack.up(["--refresh"], { env: clockEnvironment(quarterMs) }));
		expect(world.submits()).toEqual(["update_policy", "create_policies"]);
		expect(liveOf(world, "one").policyId).not.toBe(policyId);
	});

	it("keeps what `ignoreChanges` names as it is live, also when something else of it changes", async () => {
		const options = { ignoreChanges: ["condition"] };
		const { world, stack } = await adapter.makeWorld(program(["one"], {}, options));
		expectSuccess(await stack.up());
		const { policyId } = liveOf(world, "one");
		await world.change({ policies: [{ policyId, condition: wider }] });
		world.clearRequests();
		adapter.write(stack, program(["one"], { condition: "activity.resource == 'USER'" }, options));
		expectSuccess(await stack.refresh());
		expectSuccess(await stack.preview(["--expect-no-changes"]));
		adapter.write(stack, program(["one"], { notes: "agreed" }, options));
		expectSuccess(await stack.up());
		expect(world.submits()).toEqual(["update_policy"]);
		expect(liveOf(world, "one")).toMatchObject({ policyId, condition: wider, notes: "agreed" });
	});

	it("stays where it is protected, and is updated", async () => {
		const { world, stack } = await adapter.makeWorld(program(["one"], {}, { protect: true }));
		expectSuccess(await stack.up());
		world.clearRequests();
		const destroyed = await stack.destroy();
		adapter.write(stack, program([]));
		for (const answer of [destroyed, await stack.up()]) {
			expect(answer.exitCode).toBe(1);
			expect(shown(answer)).toContain("protected");
		}
		expect(world.requests()).toEqual([]);
		adapter.write(stack, program(["one"], { condition: wider }, { protect: true }));
		expectSuccess(await stack.up());
		expect(world.submits()).toEqual(["update_policy"]);
	});

	it("is deleted by a destroy that follows another name in the program, as is its tag, although nothing has updated them since", async () => {
		const properties = { treasury: { name: "treasury", create: true }, one: { name: "one", ...texts } };
		const named = (prefix: string, isRenamed: boolean): Program => {
			const options = (name: string) => (isRenamed ? { aliases: [{ name }] } : {});
			return {
				resources: {
					[`${prefix}treasury`]: { type: "UserTag", properties: properties.treasury, options: options("treasury") },
					[`${prefix}one`]: { type: "Policy", properties: properties.one, options: options("one") },
				},
			};
		};
		const { world, stack } = await adapter.makeWorld(named("", false));
		expectSuccess(await stack.up());
		adapter.write(stack, named("new-", true));
		expect(expectSuccess(await stack.up(["--refresh"]))).toContain("3 unchanged");
		world.clearRequests();
		expectSuccess(await stack.destroy());
		expect(world.submits()).toEqual(["delete_policies", "delete_user_tags"]);
	});

	it("stays the same policy when `--replace` replaces its resource; without the journal, once the program adopts it", async () => {
		const { world, stack } = await adapter.makeWorld(program(["one"]));
		expectSuccess(await stack.up());
		const { policyId } = liveOf(world, "one");
		const replace = ["--replace", adapter.urnOf("Policy", "one")];
		const stays = "one: the policy stays: the program manages it with the resource `one`";
		world.clearRequests();
		expect(expectSuccess(await stack.up(replace))).toContain(stays);
		rmSync(join(stack.folder, ".orgsync"), { recursive: true });
		// As on another machine: only the state knows who created it, and a replacement gets no old state.
		const refused = await stack.up(replace);
		expect(refused.exitCode).toBe(1);
		expect(shown(refused)).toContain("set `adopt: true`; `--replace` and `pulumi state taint` need it too");
		adapter.write(stack, program(["one"], { adopt: true }));
		expect(expectSuccess(await stack.up(replace))).toContain(stays);
		expect(world.submits()).toEqual([]);
		expect(await stack.resource("one")).toMatchObject({ id: policyId, outputs: { policyId } });
	});

	it("stays where its resource has another name now, and a new resource of the old name has adopted it", async () => {
		const { world, stack } = await adapter.makeWorld(program(["one"]));
		expectSuccess(await stack.up());
		const resource = { type: "Policy", properties: { name: "one", ...texts } } as const;
		adapter.write(stack, { resources: { renamed: { ...resource, options: { aliases: [{ name: "one" }] } } } });
		expectSuccess(await stack.up());
		world.clearRequests();
		adapter.write(stack, { resources: { one: { ...resource, properties: { ...resource.properties, adopt: true } } } });
		expectSuccess(await stack.up(["--target", adapter.urnOf("Policy", "one")]));
		const destroyed = await stack.destroy(["--target", adapter.urnOf("Policy", "renamed")]);
		expect(shown(destroyed)).toMatch(
			/the policy stays: (the resource|another resource called) `one` has managed it since/,
		);
		expect(world.submits()).toEqual([]);
		expectSuccess(await stack.destroy());
		expect(world.submits()).toEqual(["delete_policies"]);
	});
});
