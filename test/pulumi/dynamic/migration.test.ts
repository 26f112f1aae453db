/**
 * A stack of the dynamic resources continues with the plugin, and back: the same objects, with nothing submitted and nothing
 * lost (docs/pulumi-node.md#move-to-the-plugin). Secret inputs stay secrets of Pulumi on the way: searched for in the state, in its
 * history, in what each command prints, and in the event logs. secrets.test.ts plays their stories without the engine.
 */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Answer, expectSuccess, shown } from "../../engine/answer.ts";
import type { Stack } from "../../engine/harness.ts";
import { alice, apps, bob, carol, keys, organizationId, policies, tags, type World } from "../../world.ts";
import { dynamicResources, plugin } from "../adapters.ts";
import { expectNoSecretIn } from "../checks.ts";
import { configured, type Program, secret } from "../program.ts";

const beta = "0b000000-0000-4000-8000-000000000001";
const betaTag = "0b000000-0000-4000-8000-000000000002";
const betaUser = "0b000000-0000-4000-8000-000000000003";

/** A user whose id is a secret of the program, as is that of a policy. */
const hidden = "a0000000-0000-4000-8000-000000000009";
const secretValues = [hidden, policies[0]];

/** Runs commands with event logs and records what providers answer; says where any of the values is in plain text. */
function watch(stack: Stack) {
	const seen: { place: string; text: string }[] = [];
	return {
		async run(...words: readonly string[]): Promise<Answer> {
			const log = join(stack.folder, "..", `events-${seen.length}.json`);
			const answer = await stack.pulumi([...words, "--event-log", log]);
			const command = words.join(" ");
			seen.push({ place: `output of ${command}`, text: shown(answer) });
			seen.push({ place: `event log of ${command}`, text: withoutDebug(readFileSync(log, "utf8")) });
			seen.push({ place: `answers of the plugin to ${command}`, text: answersIn(stack.calls()) });
			return answer;
		},
		leaks: () =>
			[...seen, ...stack.stateFiles()].flatMap(({ place, text }) =>
				secretValues.filter((value) => text.includes(value)).map((value) => `${value} in ${place}`),
			),
	};
}

/** An event log without what the SDK logs for its own debugging: it logs every answer of the engine in full. */
function withoutDebug(log: string): string {
	const lines = log.split("\n").filter((line) => !line.includes('"severity":"debug"'));
	expect(lines.length).toBeGreaterThan(5);
	return lines.join("\n");
}

/**
 * All that a plugin answered and logged, without the values that it marks as secrets. The engine does not say in CheckConfig
 * which settings are secrets, and marks them in the answer.
 */
function answersIn(calls: ReturnType<Stack["calls"]>): string {
	const own = calls.filter(({ method }) => /^\/pulumirpc\.ResourceProvider\/(?!CheckConfig$)/.test(method));
	const logged = calls.filter(({ method }) => method === "/pulumirpc.Engine/Log");
	expect(own.length).toBeGreaterThan(2);
	const said = [...own.flatMap(({ response, errors }) => [response, errors]), ...logged.map(({ request }) => request)];
	return JSON.stringify(said, (_name, value) =>
		typeof value === "object" && value !== null && secretMark in value ? "[secret]" : value,
	);
}

/** Marks a value as a secret in the engine's protocol. */
const secretMark = "4dabf18193072939515e22adb298388d";

const up = ["up", "--yes", "--skip-preview", "--diff"] as const;

/** The program for both. `aliases` are types that resources had before, by their type of now. */
function write(aliases: (type: string) => string | undefined = () => undefined): Program {
	const resources: NonNullable<Program["resources"]> = {
		signers: { type: "UserTag", properties: { name: "signers", members: { exactly: [alice, bob] } } },
		oncall: { type: "UserTag", properties: { name: "oncall", members: secret({ atLeast: [hidden] }) } },
		"old-app": { type: "TvcAppRemoval", properties: { appId: apps.old } },
		"old-policies": { type: "PolicyRemoval", properties: { policyIds: secret([policies[0]]) } },
		acme: {
			type: "Organization",
			properties: {
				document: {
					organizationId,
					userTags: [{ name: "auditors", members: { exactly: [carol] } }],
					absent: { policies: [policies[1]], tvcApps: [apps.retired] },
				},
			},
		},
		beta: { type: "Provider", properties: { organizationId: beta, apiPrivateKey: configured("key") } },
		duty: {
			type: "UserTag",
			properties: { name: "duty", members: { exactly: [betaUser] } },
			options: { provider: "beta" },
		},
	};
	const entries = Object.entries(resources).map(([key, { options, ...rest }]) => {
		const type = aliases(rest.type);
		return [key, { ...rest, options: { ...options, ...(type === undefined ? {} : { aliases: [{ type }] }) } }] as const;
	});
	return { config: { key: "secret" }, resources: Object.fromEntries(entries) };
}

const metaInputs = /"(?:__provider|resource|resourceUrn|secretInputs|partOf|outOfSync|secretSettings)":/;

/** Leaves nothing but Pulumi's state, as on another machine. */
function moveToAnotherMachine({ folder }: Stack): void {
	rmSync(join(folder, ".orgsync"), { recursive: true });
}

async function approveTags(world: World): Promise<void> {
	const pending = world.activities().filter(({ status }) => status === "ACTIVITY_STATUS_CONSENSUS_NEEDED");
	expect(pending.map(({ type }) => type)).toEqual(Array(3).fill("ACTIVITY_TYPE_UPDATE_USER_TAG"));
	for (const { fingerprint } of pending) await world.submitAsBob("approve_activity", { fingerprint });
	world.clearRequests();
}

/** What `pulumi preview` prints on the page. */
function shownOnThePage(): readonly string[] {
	const page = readFileSync("docs/pulumi-node.md", "utf8");
	const [, block = ""] = /```text\n([\s\S]*?)\n\s*```/.exec(page) ?? [];
	const lines = block.split("\n").map((line) => line.trim());
	expect(lines.length).toBeGreaterThan(2);
	return lines;
}

function expectNoReplacement(answer: Answer): void {
	expect(shown(answer)).not.toMatch(/replac/);
}

describe("a stack of the dynamic resources", { timeout: 240_000 }, () => {
	it("continues with the plugin and back, with all that it knows, in place and without a submit", async () => {
		const { world, stack } = await dynamicResources.makeWorld(write(), {
			plugin: true,
			config: { key: { secret: keys.bob.privateKey } },
			env: { PULUMI_DEBUG_COMMANDS: "true" },
			recordCalls: true,
		});
		const { run, leaks } = watch(stack);
		await world.change({ users: [{ userId: hidden, userName: "dave" }] });
		await world.addOrganization({
			organizationId: beta,
			users: [{ userId: betaUser, userName: "bob", apiKeys: [{ publicKey: keys.bob.publicKey }] }],
			userTags: [{ tagId: betaTag, tagName: "duty" }],
		});
		await world.setRules({ approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } });
		expect((await stack.up(["--continue-on-error"])).exitCode).toBe(1);
		stack.calls();
		expect(world.submits()).toHaveLength(8);
		const before = {
			duty: (await stack.resource("duty")).outputs?.lastApplied,
			old: (await stack.resource("old-app")).outputs?.removedAt,
			policies: (await stack.resource("acme-policies")).outputs?.removedAt,
		};
		expect(before.duty).toMatchObject({ present: [betaUser] });

		moveToAnotherMachine(stack);
		world.clearRequests();
		stack.write({ "index.mjs": null, "package.json": null });
		plugin.write(stack, write());
		const preview = expectSuccess(await run("preview"));
		for (const line of shownOnThePage()) expect(preview).toContain(line);
		expect(preview).not.toContain("__provider");
		const waiting = await run(...up, "--continue-on-error");
		expect(shown(waiting).match(/pending approval \(it was submitted before/g)).toHaveLength(3);
		expectNoReplacement(waiting);
		// The engine keeps the inputs of a failed update as they were.
		expect(JSON.stringify((await stack.resource("signers")).outputs)).not.toMatch(metaInputs);
		expect(world.submits()).toEqual([]);

		await approveTags(world);
		moveToAnotherMachine(stack);
		expectSuccess(await run(...up));
		expectSuccess(await run("preview", "--expect-no-changes"));
		expect(leaks()).toEqual([]);
		expect(world.submits()).toEqual([]);
		expect(world.organization().userTags[0]).toMatchObject({ tagId: tags.signers, userIds: [alice, bob] });
		const { resources = [] } = (await stack.state()).deployment;
		expect(resources.filter((one) => metaInputs.test(JSON.stringify([one.inputs, one.outputs])))).toEqual([]);
		expect(resources.filter(({ type, provider }) => `${type} ${provider}`.includes("pulumi-nodejs"))).toEqual([]);
		expect((await stack.resource("duty")).outputs?.lastApplied).toEqual(before.duty);
		expect((await stack.resource("old-app")).outputs?.removedAt).toEqual(before.old);
		expect((await stack.resource("acme-policies")).outputs?.removedAt).toEqual(before.policies);
		const signers = await stack.resource("signers");
		expect(signers.outputs).toMatchObject({ members: { exactly: [alice, bob] }, lastApplied: { gone: [carol] } });
		expect(signers.outputs).not.toHaveProperty("activities");
		const { inputs, outputs } = await stack.resource("oncall");
		for (const members of [inputs?.members, outputs?.members, outputs?.managed])
			expect(members).toHaveProperty("ciphertext");

		stack.write({ "Pulumi.yaml": "name: probe\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n" });
		stack.write({ "package.json": JSON.stringify({ name: "probe", private: true, main: "index.mjs" }) });
		dynamicResources.write(
			stack,
			write((type) => (type === "Provider" ? "pulumi:providers:orgsync" : plugin.typeOf(type))),
		);
		const back = await stack.up(["--diff"]);
		expectSuccess(back);
		expectNoReplacement(back);
		// The parts of the component are made again; all others are updated, so that a destroy finds their provider.
		expect(shown(back)).toMatch(/\+ 3 created\n\s+~ 6 updated\n\s+- 3 deleted/);
		expect(world.submits()).toEqual([]);
		expect((await stack.resource("duty")).outputs?.lastApplied).toEqual(before.duty);
		const left = (await stack.state()).deployment.resources ?? [];
		const types = left.filter(({ id, type }) => id !== undefined && !type.startsWith("pulumi:providers:"));
		expect(types.filter(({ outputs: all }) => all?.__provider === undefined)).toEqual([]);
		expectNoSecretIn(stack);
	});
});
