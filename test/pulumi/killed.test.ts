/**
 * A running `up` of the real engine that is killed or interrupted while an activity is in flight: the next `up` finishes it, and
 * nothing is submitted twice. killed-process.test.ts kills a provider at random moments.
 */
import { describe, expect, it } from "vitest";
import { type Answer, expectSuccess, shown } from "../engine/answer.ts";
import { alice, bob, carol, policies, tags } from "../world.ts";
import { adapters, dynamicResources, plugin } from "./adapters.ts";
import { keptPolicy } from "./checks.ts";
import { readText } from "./page.ts";
import type { Program } from "./program.ts";

const fourth = "f0000000-0000-4000-8000-000000000001";
const allPolicies = [...policies, fourth];

/** The tag waits for the removal, so one activity is in flight at a time. */
const programOf = (removals: number, members: readonly string[]): Program => ({
	resources: {
		old: { type: "PolicyRemoval", properties: { policyIds: allPolicies.slice(0, removals) } },
		signers: {
			type: "UserTag",
			properties: { name: "signers", members: { exactly: members } },
			options: { dependsOn: ["old"] },
		},
	},
});

describe.each(adapters)("pulumi up with $title in the middle of an activity", { timeout: 480_000 }, (adapter) => {
	it("is killed or interrupted, and the next up finishes what is left, without a second activity", async () => {
		const { world, stack } = await adapter.makeWorld(programOf(1, [alice, bob]));
		await world.change({ policies: [{ policyId: fourth, policyName: "fourth" }, keptPolicy] });
		// The caller keeps a tag, so no guard blocks what follows.
		await world.change({ userTags: [{ tagId: tags.auditors, userIds: [alice] }] });
		const urn = adapter.urnOf("PolicyRemoval", "old");
		const providers = () => stack.processes().filter(adapter.isProvider);
		const pending = async () =>
			((await stack.state()).deployment.pending_operations ?? []).map(({ type, resource }) => [type, resource.urn]);

		/** Ends an up once its first activity is at the service, which acts at once and answers late. */
		const upUntilSubmitted = async (end: (child: { kill(signal: "SIGKILL"): void }) => void): Promise<Answer> => {
			world.clearRequests();
			await world.addFault({ operation: "delete_policies", fault: "slow", delayMs: 2500 });
			const { child, ended } = stack.start(["up", "--yes", "--skip-preview"]);
			await expect.poll(() => world.submits(), { timeout: 60_000 }).toEqual(["delete_policies"]);
			expect(providers().length).toBeGreaterThan(0);
			end(child);
			const answer = await ended;
			expect(world.submits()).toEqual(["delete_policies"]);
			return answer;
		};
		/** The next up, which submits no more than these. */
		const finish = async (...submits: readonly string[]): Promise<string> => {
			world.clearRequests();
			const answer = await stack.up();
			expectSuccess(answer);
			expect(world.submits()).toEqual(submits);
			return shown(answer);
		};

		// The engine alone: its provider finishes the request in flight, starts no other, and ends.
		await upUntilSubmitted((child) => child.kill("SIGKILL"));
		expect(providers().length).toBeGreaterThan(0);
		await expect.poll(providers, { timeout: 60_000 }).toEqual([]);
		expect(world.submits()).toEqual(["delete_policies"]);
		if (adapter === plugin) {
			expect(shown(await stack.up())).toContain("the stack is currently locked");
			expectSuccess(await stack.pulumi(["cancel", "--yes"]));
			expect(await pending()).toEqual([["creating", urn]]);
		} else stack.recover();
		// What came of it is in the journal.
		const created = await finish("update_user_tag");
		expect(created).toContain("Attempting to deploy or update resources with 1 pending operations");
		expect(created).toContain(`${urn}, interrupted while creating`);
		expect(world.activities()).toHaveLength(2);
		if (adapter === plugin) {
			// The resource is in the state; the engine keeps the operation until someone says what became of it.
			expectSuccess(await stack.refresh());
			expect(await pending()).toEqual([["creating", urn]]);
			expectSuccess(await stack.refresh(["--clear-pending-creates"]));
			expect(await pending()).toEqual([]);
		}

		// Everything: nobody has recorded what came of the request.
		adapter.write(stack, programOf(2, [alice]));
		await upUntilSubmitted(() => stack.kill());
		stack.recover();
		expect(await pending()).toContainEqual(["updating", urn]);
		expect(await finish("update_user_tag")).toContain(`${urn}, interrupted while updating`);
		expect(world.activities()).toHaveLength(4);

		// The provider alone: the engine reports its end.
		adapter.write(stack, programOf(3, [alice, carol]));
		const lost = await upUntilSubmitted(() => {
			for (const { pid } of providers()) process.kill(pid, "SIGKILL");
		});
		expect(lost.exitCode).toBe(1);
		await finish("update_user_tag");
		expect(world.activities()).toHaveLength(6);

		// Ctrl-C: all get the signal. The request in flight is recorded.
		adapter.write(stack, programOf(4, [carol]));
		const interrupted = await upUntilSubmitted(() => {
			for (const { pid } of stack.processes()) process.kill(pid, "SIGINT");
		});
		// The engine reports its own end or that of the program, which got the signal too; either may come first.
		expect(interrupted).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("^C received; cancelling") });
		expect((await stack.resource("old")).outputs?.policyIds).toEqual(allPolicies);
		await finish("update_user_tag");
		expect(world.activities()).toHaveLength(8);
		expect(world.organization().userTags[0].userIds).toEqual([carol]);
		if (adapter === plugin) {
			expectSuccess(await stack.refresh());
			expect(await pending()).toEqual([]);
		}
		expect(stack.processes()).toEqual([]);

		if (adapter !== dynamicResources) return;
		// Pulumi's own words: no code of ours runs for a dynamic resource of which there is no state.
		const type = adapter.typeOf("UserTag");
		const imported = await stack.pulumi(["import", type, "more", tags.oncall, "--yes"]);
		expect(imported.exitCode).not.toBe(0);
		expect(shown(imported)).toContain("code must be a string, not undefined");
		await expect(stack.resource("more")).rejects.toThrow("0 resources");
	});
});

describe("docs/pulumi.md", () => {
	it("says what the engine says after a run that was killed", () => {
		const page = readText("docs/pulumi.md");
		for (const words of [
			"the stack is currently locked",
			"Attempting to deploy or update resources with 1 pending operations",
			"interrupted while creating",
			"interrupted while updating",
			"refresh --yes --clear-pending-creates",
		]) {
			expect(page).toContain(words);
		}
	});
});
