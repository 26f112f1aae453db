/** What a key sees of tags and policies whose lists the service denies to it: an error that says so, never a guess. */
import { describe, expect, it } from "vitest";
import { expectSuccess, shown } from "../engine/answer.ts";
import { alice, bob, policies, tags } from "../world.ts";
import { adapters } from "./in-process/adapters.ts";
import { outputOf, type Program, type ProgramResource, type Value } from "./program.ts";

const signing = {
	name: "signing",
	effect: "allow",
	consensus: "approvers.filter(user, user.tags.contains('${userTags.signers}')).count() >= 2",
	condition: "activity.kind == 'SIGN_TRANSACTION'",
	references: { signers: tags.signers },
} as const;
const tag = (properties: Readonly<Record<string, Value>>): ProgramResource => ({ type: "UserTag", properties });
const program = (...resources: readonly ProgramResource[]): Program => ({
	resources: Object.fromEntries(resources.map((resource, index) => [`resource-${index}`, resource])),
});

describe.each(adapters)("reads that the service denies to the key of $title", (adapter) => {
	it("of user tags are an error of each resource that has to find a tag, and of none that has its id", async () => {
		const { world, stack } = await adapter.makeWorld(program());
		await world.setRules({ denyReads: ["list_user_tags"] });
		const finding = [
			tag({ name: "signers", members: { atLeast: [bob] } }),
			tag({ name: "treasury", create: true }),
			tag({ name: "signers", create: true, adopt: true }),
			{ type: "UserTag", get: "signers" },
		] as const;
		for (const resource of finding) {
			adapter.write(stack, program(resource));
			const answer = await stack.up();
			expect(answer.exitCode).toBe(1);
			expect(shown(answer)).toContain("list_user_tags: the service denies this");
		}
		const none = { effect: "EFFECT_ALLOW", consensus: "false", condition: "false" };
		await world.change({
			policies: policies.map((policyId) => ({ policyId, ...none })),
			rootQuorum: { threshold: 2, userIds: [alice, bob] },
		});
		adapter.write(stack, program({ type: "Policy", properties: signing }));
		expect(expectSuccess(await stack.preview())).toContain("activities: 2 of signers (alice, carol)");
		expect(world.submits()).toEqual([]);
	});

	it("of policies are an error of a refresh, which would hide drift, and change no state", async () => {
		const { world, stack } = await adapter.makeWorld({
			...program({ type: "Policy", properties: signing }),
			outputs: { policyId: outputOf("resource-0", "policyId") },
		});
		expectSuccess(await stack.up());
		const { policyId } = await stack.outputs();
		await world.change({ policies: [{ policyId, condition: "true" }] });
		await world.setRules({ denyReads: ["list_policies"] });
		const before = stack.stateFile();
		for (const words of [
			["refresh", "--yes"],
			["preview", "--refresh", "--expect-no-changes"],
		]) {
			const answer = await stack.pulumi(words);
			expect(answer.exitCode).toBe(1);
			expect(shown(answer)).toContain("policies cannot be read, because the service denies list_policies to this key");
		}
		expect(stack.stateFile()).toBe(before);
	});
});
