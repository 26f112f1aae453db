/**
 * `npm run prove -- up`: `pulumi up` of the real engine with the plugin, which creates a tag and two policies and is killed at a
 * moment of one of its requests or at any other. One case is one kill and the next `up`, or three kills where a person approves each
 * activity in between.
 */
import { join } from "node:path";
import { type Emulator, type Seed, startEmulator } from "../../../src/emulator/server.ts";
import { type Answer, shown } from "../../engine/answer.ts";
import { type FaultProxy, openFaultProxy } from "../faults.ts";
import { makeFolder, removeFolder } from "../leftovers.ts";
import { type Counts, type Proof, randomFrom } from "../proof.ts";
import { drawWorld, isVote, keys, type ListedActivity, organizationId, submitAs, users } from "../small-world.ts";
import { prepareStacks, type UpStack, type Victims } from "./stack.ts";

const up = ["up", "--yes", "--skip-preview"];
const names = ["SIGN_TRANSACTION", "SIGN_RAW_PAYLOAD"];
const resources = {
	treasury: {
		type: "orgsync:UserTag",
		properties: { organizationId, name: "treasury", create: true, members: { exactly: [users.alice, users.bob] } },
	},
	...Object.fromEntries(
		names.map((name) => [
			name,
			{
				type: "orgsync:Policy",
				properties: {
					...{ organizationId, name, effect: "allow", condition: `activity.kind == '${name}'` },
					consensus: "approvers.any(user, user.tags.contains('$${userTags.treasury}'))",
					references: { treasury: "${treasury.tagId}" },
				},
			},
		]),
	),
};

interface World {
	readonly root: string;
	readonly emulator: Emulator;
	readonly proxy: FaultProxy;
	readonly makeStack: (name: string) => UpStack;
	/** What an `up` that is not killed takes. */
	readonly ms: number;
	readonly requests: number;
}

let world: World | undefined;

export const proof: Proof = {
	promise:
		"at whatever moment an `up` of a tag and two policies is killed, approved or not, the next one ends with one object and one activity for each, and a state that says so",
	defaultCases: 40,
	async begin() {
		const root = makeFolder("up");
		const emulator = await startEmulator({ seed: { organizations: [] } });
		const proxy = await openFaultProxy(emulator.url);
		const settings = { ORGSYNC_URL: proxy.url, ORGSYNC_API_PRIVATE_KEY: keys.alice.privateKey };
		const makeStack = await prepareStacks(root, resources, settings);
		world = { root, emulator, proxy, makeStack, ms: 0, requests: 0 };
		await seedOrganization(emulator, 0);
		let requests = 0;
		proxy.use({
			arrived() {
				requests += 1;
				return true;
			},
		});
		const stack = makeStack("whole");
		const startMs = performance.now();
		judgeEnd(await stack.start(up).ended);
		world = { ...world, ms: performance.now() - startMs, requests };
		judge(stack, emulator);
	},
	run: (seed, counts) => kill(seed, counts),
	async end() {
		await world?.proxy.close();
		await world?.emulator.close();
		if (world !== undefined) removeFolder(world.root);
		world = undefined;
	},
};

async function seedOrganization(emulator: Emulator, seed: number, approvals = 1): Promise<void> {
	await emulator.changeState({ organizations: [drawWorld(randomFrom(seed), { approvals }).seed] } as Seed);
	emulator.clearRequests();
}

async function kill(seed: number, counts: Counts): Promise<void> {
	if (world === undefined) throw new Error("the proof has not begun");
	const { emulator, makeStack, root } = world;
	const random = randomFrom(seed);
	// Where each activity needs an approval, the next `up` after it is killed too, and the one after that.
	const isApproved = seed % 2 === 0;
	await seedOrganization(emulator, seed, isApproved ? 2 : 1);
	const stack = makeStack(`case-${seed}`);
	const stories: string[] = [];
	try {
		for (let round = 0; round < (isApproved ? 3 : 1); round += 1) {
			stories.push(await killOnce(stack, random, counts, world));
			await approvePending(emulator, counts);
		}
		counts.add("activities of killed ups", activitiesOf(emulator).length);
		counts.add("operations left pending", stack.state()?.pending_operations?.length ?? 0);
		// The tag and the policies may still wait, one after the other.
		for (let round = 0; isApproved && round < 2; round += 1) {
			await stack.start(up).ended;
			await approvePending(emulator, counts);
		}
		judgeEnd(await stack.start(up).ended);
		judge(stack, emulator, isApproved);
		judgeEnd(await stack.start(["preview", "--refresh", "--expect-no-changes"]).ended);
	} catch (error) {
		throw new Error(`${stories.join("; ")}: ${(error as Error).message}`);
	}
	removeFolder(join(root, `case-${seed}`));
}

/** Kills an `up`, and ends what it left. Returns what was done. */
async function killOnce(
	stack: UpStack,
	random: () => number,
	counts: Counts,
	{ proxy, ms, requests }: World,
): Promise<string> {
	const draw = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
	const victims = draw<Victims>(["all", "the engine", "the plugin"]);
	const at = draw(["a request that is lost", "a request that arrives", "an answer", "any moment"]);
	const [number, share] = [1 + Math.floor(random() * requests), random()];
	const running = stack.start(up);
	let passed = 0;
	let isKilled = false;
	const end = (): void => {
		isKilled = running.kill(victims);
	};
	const timer = at === "any moment" ? setTimeout(end, share * ms) : undefined;
	// A process that was killed gets no answer, and what it sent a moment before may be lost.
	const isLost = (): boolean => isKilled && victims !== "the engine";
	proxy.use({
		arrived() {
			passed += 1;
			if (passed === number && at.startsWith("a request")) end();
			return !isLost() || at === "a request that arrives";
		},
		answered() {
			if (passed === number && at === "an answer") end();
			return !isLost();
		},
	});
	const { exitCode } = await running.ended;
	clearTimeout(timer);
	await stack.recover();
	proxy.use({});
	await proxy.settle();
	counts.add(isKilled && exitCode !== 0 ? `kills of ${victims}` : "ups that ended before");
	return `${victims} killed at ${at}, ${at === "any moment" ? `${Math.round(share * 100)} % of an up` : `${number} of ${requests}`}`;
}

async function approvePending(emulator: Emulator, counts: Counts): Promise<void> {
	const pending = activitiesOf(emulator).filter(({ status }) => status === "ACTIVITY_STATUS_CONSENSUS_NEEDED");
	for (const { fingerprint } of pending)
		await submitAs(emulator.url, keys.bob, "approve_activity", { fingerprint }, Date.now());
	counts.add("approvals", pending.length);
}

function judgeEnd(answer: Answer): void {
	if (answer.exitCode !== 0) throw new Error(`pulumi ended with ${answer.exitCode}\n${shown(answer)}`);
}

const activitiesOf = (emulator: Emulator): readonly ListedActivity[] =>
	(emulator.state(organizationId).activities as unknown as readonly ListedActivity[]).filter((one) => !isVote(one));

/**
 * Fails unless there is one object and one activity of each resource, and the state has its id and what refers to it. `isApproved`: a
 * creation was pending, so that the resource may still have an id of ours.
 */
function judge(stack: UpStack, emulator: Emulator, isApproved = false): void {
	const { userTags, policies } = emulator.state(organizationId).organization as unknown as {
		userTags: readonly { tagId: string; tagName: string; userIds: readonly string[] }[];
		policies: readonly { policyId: string; policyName: string; consensus: string }[];
	};
	const types = activitiesOf(emulator).map(({ type, status }) => `${type} ${status}`.replaceAll("ACTIVITY_TYPE_", ""));
	const expected = ["CREATE_POLICIES", "CREATE_POLICIES", "CREATE_USER_TAG"].map(
		(type) => `${type} ACTIVITY_STATUS_COMPLETED`,
	);
	if (types.sort().join() !== expected.join()) throw new Error(`the activities are ${types.join(", ")}`);
	const tags = userTags.filter(({ tagName }) => tagName === "treasury");
	const found = policies.filter(({ policyName }) => names.includes(policyName));
	const tagId = tags[0]?.tagId ?? "";
	if (tags.length !== 1 || found.length !== 2) throw new Error(`${tags.length} tags and ${found.length} policies`);
	if (tags[0]?.userIds.toSorted().join() !== [users.alice, users.bob].join())
		throw new Error("the tag has other members");
	if (found.some(({ consensus }) => !consensus.includes(tagId))) throw new Error("a policy refers to another tag");
	const live = [["treasury", tagId, tagId], ...found.map((one) => [one.policyName, one.policyId, one.policyId])];
	const kept = (stack.state().resources ?? [])
		.filter(({ urn }) => live.some(([name]) => urn.endsWith(`::${name}`)))
		.map(({ urn, id, outputs }) => {
			const own = outputs?.tagId ?? outputs?.policyId;
			return [urn.split("::").at(-1), isApproved ? own : id, own];
		});
	const text = (rows: readonly unknown[]): string =>
		rows
			.map((row) => JSON.stringify(row))
			.sort()
			.join("\n");
	if (text(kept) !== text(live)) throw new Error(`the state has\n${text(kept)}\nand the service\n${text(live)}`);
}
