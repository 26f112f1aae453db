/**
 * Engine and provider killed (SIGKILL) in the middle of `up`, at random moments: the next `up` converges, and nothing was
 * submitted twice.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectSuccess } from "../engine/harness.ts";
import { alice, bob, carol, tags } from "../world.ts";
import { makePulumiWorld, type PulumiWorld, shown } from "./world.ts";

/** Each takes some seconds, so all of them run in CI only. */
const rounds = process.env.CI === undefined ? 3 : 10;
const killsEach = 2;
const policyId = (number: number) => `f0000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

const program = `
import { readFileSync } from "node:fs";
const { signers, oncall, policies } = JSON.parse(readFileSync("wish.json", "utf8"));
new orgsync.UserTag("signers", { name: "signers", members: { exactly: signers } });
new orgsync.UserTag("oncall", { name: "oncall", members: { exactly: oncall } });
for (const [number, policyId] of policies.entries()) new orgsync.PolicyRemoval(\`policy-\${number}\`, { policyIds: [policyId] });
`;

/** Alice applies all this and keeps her tags; the others come and go. */
function membersOf(variant: number): readonly string[] {
	return [alice, ...(variant & 1 ? [bob] : []), ...(variant & 2 ? [carol] : [])];
}

/** The desired state of a round: two tags change and one more policy is removed, so three activities are needed. */
function wishOf(round: number) {
	return {
		signers: membersOf(round % 4),
		oncall: membersOf((round + 2) % 4),
		policies: Array.from({ length: round }, (_, number) => policyId(number + 1)),
	};
}

type Victim = "engine" | "provider" | "everybody";

/** When to kill: after so many requests of the run, and then so much later. */
interface Moment {
	readonly victim: Victim;
	readonly requests: number;
	readonly laterMs: number;
}

/** Kills processes of a running up, and waits until the command has ended; orphans go on, as they would. */
async function killDuring({ world, stack }: PulumiWorld, { victim, requests, laterMs }: Moment): Promise<void> {
	world.clearRequests();
	const { child, ended } = stack.start(["up", "--yes", "--skip-preview"]);
	let over = false;
	const end = ended.then(() => {
		over = true;
	});
	while (!over && world.requests().length < requests) await new Promise((resolve) => setTimeout(resolve, 2));
	await new Promise((resolve) => setTimeout(resolve, laterMs));
	const provider = stack.processes().filter(({ command }) => command.includes("dynamic-provider"));
	if (victim === "everybody") stack.kill();
	else if (victim === "provider" && provider.length > 0) for (const { pid } of provider) process.kill(pid, "SIGKILL");
	else child.kill("SIGKILL");
	await end;
}

describe("pulumi up that is killed", () => {
	it("is finished by the next up, and no activity is created twice", { timeout: 480_000 }, async () => {
		const { world, stack } = await makePulumiWorld(program);
		await world.change({
			policies: Array.from({ length: rounds }, (_, number) => ({
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
		stack.write({ "wish.json": JSON.stringify(wishOf(0)) });
		expectSuccess(await stack.up(["--refresh"]));
		// Activities act at once and answer late: that is when a kill hurts most.
		for (const operation of ["update_user_tag", "delete_policies"]) {
			await world.addFault({ operation, fault: "slow", delayMs: 200, count: 1_000 });
		}

		const moment = fc.record<Moment>({
			victim: fc.constantFrom<Victim>("engine", "provider", "everybody"),
			requests: fc.integer({ min: 0, max: 8 }),
			laterMs: fc.integer({ min: 0, max: 250 }),
		});
		const plans = fc.sample(fc.array(moment, { minLength: killsEach, maxLength: killsEach }), rounds);
		for (const [index, moments] of plans.entries()) {
			const round = index + 1;
			const before = world.activities().length;
			const wish = wishOf(round);
			stack.write({ "wish.json": JSON.stringify(wish) });
			const story = `round ${round}: ${JSON.stringify(moments)}`;
			for (const one of moments) {
				await killDuring({ world, stack }, one);
				// A killed engine leaves its lock, which options.test.ts removes with `pulumi cancel`.
				stack.recover();
			}
			const up = await stack.up();
			expect(up.exitCode, `${story}\n${shown(up)}`).toBe(0);
			const { userTags, policies } = world.organization();
			expect(
				policies.filter(({ policyId: id }: { policyId: string }) => wish.policies.includes(id)),
				story,
			).toEqual([]);
			for (const [tagId, wanted] of [
				[tags.signers, wish.signers],
				[tags.oncall, wish.oncall],
			] as const) {
				const tag = userTags.find((one: { tagId: string }) => one.tagId === tagId);
				expect([...tag.userIds].sort(), story).toEqual(wanted);
			}
			expect(world.activities().length - before, story).toBe(3);
		}
	});
});
