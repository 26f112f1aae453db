/**
 * A running `up` of the real engine that is killed or interrupted while an activity is in flight: the next `up` finishes it, and
 * nothing is submitted twice. killed-process.test.ts kills and interrupts each provider, also at random moments.
 */
import { describe, expect, it } from "vitest";
import { type Answer, expectSuccess, shown } from "../../engine/answer.ts";
import { alice, bob, policies, tags } from "../../world.ts";
import { type Adapter, dynamicResources, plugin } from "../adapters.ts";
import { keptPolicy } from "../checks.ts";
import { readText } from "../page.ts";
import type { Program } from "../program.ts";

const fourth = "f0000000-0000-4000-8000-000000000001";
const allPolicies = [...policies, fourth];

/** The members that the tag has beside so many removals. */
const membersOf = (removals: number): readonly string[] => (removals === 1 ? [alice, bob] : [alice]);

/** The tag waits for the removal, so one activity is in flight at a time. */
const programOf = (removals: number): Program => ({
	resources: {
		old: { type: "PolicyRemoval", properties: { policyIds: allPolicies.slice(0, removals) } },
		signers: {
			type: "UserTag",
			properties: { name: "signers", members: { exactly: membersOf(removals) } },
			options: { dependsOn: ["old"] },
		},
	},
});

/** A stack of the program, with what its commands do. */
async function startKilled(adapter: Adapter) {
	const { world, stack } = await adapter.makeWorld(programOf(1));
	await world.change({ policies: [{ policyId: fourth, policyName: "fourth" }, keptPolicy] });
	// The caller keeps a tag, so no guard blocks what follows.
	await world.change({ userTags: [{ tagId: tags.auditors, userIds: [alice] }] });
	let activities = 0;
	const providers = () => stack.processes().filter(adapter.isProvider);
	return {
		world,
		stack,
		providers,
		urn: adapter.urnOf("PolicyRemoval", "old"),
		pending: async () =>
			((await stack.state()).deployment.pending_operations ?? []).map(({ type, resource }) => [type, resource.urn]),

		/** Ends an up with these removals once its activity is at the service, which acts at once and answers late. */
		async upUntilSubmitted(removals: number, end: (child: { kill(signal: "SIGKILL"): void }) => void): Promise<Answer> {
			adapter.write(stack, programOf(removals));
			world.clearRequests();
			await world.addFault({ operation: "delete_policies", fault: "slow", delayMs: 1500 });
			const { child, ended } = stack.start(["up", "--yes", "--skip-preview"]);
			await expect.poll(() => world.submits(), { timeout: 60_000 }).toEqual(["delete_policies"]);
			expect(providers().length).toBeGreaterThan(0);
			end(child);
			const answer = await ended;
			expect(world.submits()).toEqual(["delete_policies"]);
			activities += 1;
			expect(world.activities()).toHaveLength(activities);
			return answer;
		},
		/** The next up, which finds what came of these removals and submits only the tag. */
		async finish(removals: number): Promise<string> {
			world.clearRequests();
			const answer = await stack.up();
			expectSuccess(answer);
			expect(world.submits()).toEqual(["update_user_tag"]);
			activities += 1;
			expect(world.activities()).toHaveLength(activities);
			expect((await stack.resource("old")).outputs?.policyIds).toEqual(allPolicies.slice(0, removals));
			expect(world.organization().userTags[0].userIds).toEqual(membersOf(removals));
			return shown(answer);
		},
	};
}

describe("pulumi up in the middle of an activity", { timeout: 480_000 }, () => {
	it("with the plugin is killed, first the engine and then everything, and the next up finishes without a second activity", async () => {
		const killed = await startKilled(plugin);
		const { world, stack, providers, urn, pending } = killed;
		// The engine alone: its provider finishes the request in flight, starts no other, and ends.
		await killed.upUntilSubmitted(1, (child) => child.kill("SIGKILL"));
		expect(providers().length).toBeGreaterThan(0);
		await expect.poll(providers, { timeout: 60_000 }).toEqual([]);
		expect(world.submits()).toEqual(["delete_policies"]);
		expect(shown(await stack.up())).toContain("the stack is currently locked");
		expectSuccess(await stack.pulumi(["cancel", "--yes"]));
		expect(await pending()).toEqual([["creating", urn]]);

		// What came of it is in the journal.
		const created = await killed.finish(1);
		expect(created).toContain("Attempting to deploy or update resources with 1 pending operations");
		expect(created).toContain(`${urn}, interrupted while creating`);

		// No one has recorded what came of this one.
		await killed.upUntilSubmitted(2, () => stack.kill());
		stack.recover();
		expect(await pending()).toContainEqual(["updating", urn]);
		expect(await killed.finish(2)).toContain(`${urn}, interrupted while updating`);
		// The resource is in the state; the engine keeps the operation until someone says what became of it.
		expectSuccess(await stack.refresh());
		expect(await pending()).toEqual([["creating", urn]]);
		expectSuccess(await stack.refresh(["--clear-pending-creates"]));
		expect(await pending()).toEqual([]);
		expect(stack.processes()).toEqual([]);
	});

	it("with dynamic resources is interrupted, and the next up finishes without a second activity", async () => {
		const killed = await startKilled(dynamicResources);
		const { stack } = killed;
		// Ctrl-C: all get the signal. The request in flight is recorded.
		const interrupted = await killed.upUntilSubmitted(1, () => {
			for (const { pid } of stack.processes()) process.kill(pid, "SIGINT");
		});
		// The engine reports its own end or that of the program, which got the signal too; either may come first.
		expect(interrupted).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("^C received; cancelling") });
		expect((await stack.resource("old")).outputs?.policyIds).toEqual(allPolicies.slice(0, 1));
		await killed.finish(1);
		expect(stack.processes()).toEqual([]);
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
