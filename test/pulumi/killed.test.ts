/**
 * Engine and provider killed (SIGKILL) in the middle of `up`, at random moments: the next `up` converges, and nothing was
 * submitted twice.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectSuccess, shown } from "../engine/answer.ts";
import { alice, bob, carol, tags, type World } from "../world.ts";
import { type Adapter, dynamicResources, plugin } from "./adapters.ts";
import { readText } from "./page.ts";
import type { Program } from "./program.ts";
import type { PulumiWorld } from "./world.ts";

type Victim = "engine" | "provider" | "everybody";

/** Each kill takes some seconds. One whose victim has ended before does not count. */
const stories: readonly { adapter: Adapter; kills: number; victims: readonly Victim[] }[] = [
	{ adapter: dynamicResources, kills: 3, victims: ["engine", "provider", "everybody"] },
	{ adapter: plugin, kills: 6, victims: ["engine", "provider", "provider", "engine"] },
];
/** Kills before the next `up` has to finish the round: each such up costs more than a kill. */
const killsEach = 3;
const maxRounds = 24;
const policyId = (number: number) => `f0000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

/** Alice applies all this and keeps her tags; the others come and go. */
function membersOf(variant: number): readonly string[] {
	return [alice, ...(variant & 1 ? [bob] : []), ...(variant & 2 ? [carol] : [])];
}

/** What a round asks for: two tags change and one more policy is removed, so three activities are needed. */
function wishOf(round: number) {
	return {
		signers: membersOf(round % 4),
		oncall: membersOf((round + 2) % 4),
		policies: Array.from({ length: round }, (_, number) => policyId(number + 1)),
	};
}

function programOf({ signers, oncall, policies: gone }: ReturnType<typeof wishOf>): Program {
	const tag = (name: string, exactly: readonly string[]) =>
		({ type: "UserTag", properties: { name, members: { exactly } } }) as const;
	const removals = gone.map(
		(id, number) => [`policy-${number}`, { type: "PolicyRemoval", properties: { policyIds: [id] } }] as const,
	);
	return {
		resources: { signers: tag("signers", signers), oncall: tag("oncall", oncall), ...Object.fromEntries(removals) },
	};
}

function expectWish(world: World, wish: ReturnType<typeof wishOf>, story: string): void {
	const { userTags, policies: left } = world.organization();
	expect(
		left.filter(({ policyId: id }: { policyId: string }) => wish.policies.includes(id)),
		story,
	).toEqual([]);
	for (const [tagId, wanted] of [
		[tags.signers, wish.signers],
		[tags.oncall, wish.oncall],
	] as const) {
		const tag = userTags.find((one: { tagId: string }) => one.tagId === tagId);
		expect([...tag.userIds].sort(), story).toEqual(wanted);
	}
}

/** When to kill: after so many requests of the run, and then so much later. */
const moment = fc.record({ requests: fc.integer({ min: 0, max: 8 }), laterMs: fc.integer({ min: 0, max: 250 }) });

interface Kill {
	readonly victim: Victim;
	readonly requests: number;
	readonly laterMs: number;
}

/**
 * Kills processes of a running up, and waits until the command has ended; orphans go on, as they would. Returns whether
 * there was a process to kill.
 */
async function killDuring({ world, stack }: PulumiWorld, adapter: Adapter, kill: Kill): Promise<boolean> {
	world.clearRequests();
	const { child, ended } = stack.start(["up", "--yes", "--skip-preview"]);
	let over = false;
	const end = ended.then(() => {
		over = true;
	});
	const providers = () => stack.processes().filter(adapter.isProvider);
	const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
	while (!over && world.requests().length < kill.requests) await pause(2);
	// Looking for a process reads those of the whole machine.
	while (!over && kill.victim === "provider" && providers().length === 0) await pause(25);
	await pause(kill.laterMs);
	const victims = kill.victim === "provider" ? providers() : [];
	const found = !over && (kill.victim !== "provider" || victims.length > 0);
	if (kill.victim === "everybody") stack.kill();
	else if (kill.victim === "provider") for (const { pid } of victims) process.kill(pid, "SIGKILL");
	else child.kill("SIGKILL");
	await end;
	return found;
}

describe.each(stories)("pulumi up with $adapter.title that is killed", ({ adapter, kills, victims }) => {
	it(`is finished by the next up, and no activity is created twice, in ${kills} kills`, {
		timeout: 480_000,
	}, async () => {
		const made = await adapter.makeWorld(programOf(wishOf(0)));
		const { world, stack } = made;
		await world.change({
			policies: Array.from({ length: maxRounds }, (_, number) => ({
				policyId: policyId(number + 1),
				policyName: `short-lived ${number + 1}`,
			})),
		});
		await world.change({
			userTags: [
				{ tagId: tags.signers, userIds: [alice] },
				{ tagId: tags.oncall, userIds: [alice] },
			],
		});
		expectSuccess(await stack.up(["--refresh"]));
		// Activities act at once and answer late: that is when a kill hurts most.
		for (const operation of ["update_user_tag", "delete_policies"]) {
			await world.addFault({ operation, fault: "slow", delayMs: 200, count: 1_000 });
		}

		let killed = 0;
		for (let round = 1; killed < kills; round += 1) {
			expect(round).toBeLessThanOrEqual(maxRounds);
			const before = world.activities().length;
			const wish = wishOf(round);
			adapter.write(stack, programOf(wish));
			let story = `round ${round}:`;
			for (const one of fc.sample(moment, killsEach)) {
				const kill = { ...one, victim: victims[killed % victims.length] ?? "engine" };
				if (await killDuring(made, adapter, kill)) killed += 1;
				story += ` ${JSON.stringify(kill)}`;
				// A killed engine leaves its lock, which options.test.ts removes with `pulumi cancel`.
				stack.recover();
			}
			const up = await stack.up();
			expect(up.exitCode, `${story}\n${shown(up)}`).toBe(0);
			expectWish(world, wish, story);
			expect(world.activities().length - before, story).toBe(3);
		}
		// A provider ends with its engine, also when that was killed.
		await expect.poll(() => stack.processes().filter(adapter.isProvider)).toEqual([]);
	});
});

/** The engine keeps what it had begun, and what it says about it is the same for both adapters. */
describe("pulumi up that is killed while it creates or updates a resource", { timeout: 240_000 }, () => {
	it("leaves a pending operation, which the next up finishes without a second activity and a refresh clears", async () => {
		const wish = (...exactly: readonly string[]) =>
			({ resources: { signers: { type: "UserTag", properties: { name: "signers", members: { exactly } } } } }) as const;
		const { world, stack } = await plugin.makeWorld(wish(alice, bob));
		const pending = async () =>
			((await stack.state()).deployment.pending_operations ?? []).map(({ type, resource }) => [type, resource.urn]);
		const urn = "urn:pulumi:test::probe::orgsync:index:UserTag::signers";
		const killWhileSubmitting = async (): Promise<void> => {
			world.clearRequests();
			await world.addFault({ operation: "update_user_tag", fault: "slow", delayMs: 2500 });
			const { ended } = stack.start(["up", "--yes", "--skip-preview"]);
			await expect.poll(() => world.submits(), { timeout: 60_000 }).toEqual(["update_user_tag"]);
			stack.kill();
			await ended;
			expect(shown(await stack.up())).toContain("the stack is currently locked");
			expectSuccess(await stack.pulumi(["cancel", "--yes"]));
		};

		const page = readText("docs/pulumi.md");
		await killWhileSubmitting();
		expect(await pending()).toEqual([["creating", urn]]);
		const created = expectSuccess(await stack.up());
		expect(created).toContain("Attempting to deploy or update resources with 1 pending operations");
		expect(created).toContain(`${urn}, interrupted while creating`);
		expect(world.activities()).toHaveLength(1);
		// The resource is in the state; the engine keeps the operation until someone says what became of it.
		expectSuccess(await stack.refresh());
		expect(await pending()).toEqual([["creating", urn]]);
		expectSuccess(await stack.refresh(["--clear-pending-creates"]));
		expect(await pending()).toEqual([]);

		plugin.write(stack, wish(alice));
		await killWhileSubmitting();
		expect(await pending()).toEqual([["updating", urn]]);
		expect(expectSuccess(await stack.up())).toContain(`${urn}, interrupted while updating`);
		expectSuccess(await stack.refresh());
		expect(await pending()).toEqual([]);
		expect(world.activities()).toHaveLength(2);
		expectSuccess(await stack.preview(["--expect-no-changes"]));
		for (const words of ["interrupted while creating", "refresh --yes --clear-pending-creates"]) {
			expect(page).toContain(words);
		}
	});
});
