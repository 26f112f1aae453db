/** The engine in this process against the real one: the same story gives the same exit codes, requests, steps and state. */
import { describe, expect, it } from "vitest";
import type { Answer } from "../../engine/answer.ts";
import { alice, bob, carol, policies, tags, type World } from "../../world.ts";
import * as real from "../adapters.ts";
import { outputOf, type Program, type ProgramResource } from "../program.ts";
import * as here from "./adapters.ts";

const program = (members: readonly string[], more: Readonly<Record<string, ProgramResource>> = {}): Program => ({
	resources: {
		signers: { type: "UserTag", properties: { name: "signers", members: { exactly: members } } },
		old: { type: "PolicyRemoval", properties: { policyIds: [policies[0]] }, options: { dependsOn: ["signers"] } },
		...more,
	},
	outputs: { members: outputOf("signers", "members") },
});

const wrong: ProgramResource = {
	type: "UserTag",
	properties: { name: "singers" },
	options: { dependsOn: ["signers"] },
};

/** What a stack of either engine can do. */
interface Player {
	readonly world: World;
	readonly stack: Pick<here.InProcessWorld["stack"], "preview" | "up" | "refresh" | "destroy" | "state" | "outputs">;
	write(program: Program): void;
}

interface Scene {
	readonly exitCode: number | null;
	readonly requests: readonly string[];
	readonly summary: readonly string[];
	readonly said: readonly string[];
	readonly resources: readonly object[];
	readonly outputs: unknown;
}

/** Plays one command, and returns everything that a later command or a person has of it. */
async function play({ world, stack }: Player, run: () => Promise<Answer>): Promise<Scene> {
	world.clearRequests();
	const { exitCode, stdout } = await run();
	const [, after = ""] = stdout.split("\nResources:\n");
	const { deployment } = await stack.state();
	const resources = (deployment.resources ?? [])
		.filter(({ type }) => !type.startsWith("pulumi:"))
		.map(({ urn, id, inputs, outputs, initErrors }) => ({ urn, id, inputs, outputs, failed: initErrors?.length ?? 0 }))
		.toSorted((one, other) => one.urn.localeCompare(other.urn));
	// What else was under way when a resource failed, and what a program says at its end, is a race in both.
	const isWhole = exitCode !== 1;
	return {
		exitCode,
		requests: world.requests().toSorted(),
		summary: (isWhole ? after : "")
			.split("\n")
			.map((line) => line.trim().replace(/^\d+ changes\. /, ""))
			.filter((line) => /^[-+~\d].*(created?|updated?|deleted?|unchanged)$/.test(line)),
		said: [...new Set(stdout.match(/(?:signers|old): (?:adopts|adds|removes)[^\n]*/g))].toSorted(),
		resources,
		outputs: isWhole ? await stack.outputs() : undefined,
	};
}

/** Ids and times that differ from run to run. */
const normal = (scenes: readonly Scene[]): unknown =>
	JSON.parse(
		JSON.stringify(scenes)
			.replaceAll(/0[0-9a-f]{7}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f-]{17}/g, "ACTIVITY")
			.replaceAll(/sha256:[0-9a-f]{64}/g, "sha256:HEX")
			.replaceAll(/\b\d{13}\b/g, "0")
			.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME"),
	);

async function playStory(player: Player): Promise<readonly Scene[]> {
	const { world, stack } = player;
	// The one who applies keeps a tag, so that no guard minds.
	await world.change({ userTags: [{ tagId: tags.auditors, userIds: [alice] }] });
	const scenes = [await play(player, () => stack.preview()), await play(player, () => stack.up())];
	scenes.push(await play(player, () => stack.preview(["--expect-no-changes"])));
	await world.change({ userTags: [{ tagId: tags.signers, userIds: [alice, carol] }] });
	scenes.push(await play(player, () => stack.refresh()));
	scenes.push(await play(player, () => stack.preview(["--expect-no-changes"])));
	player.write(program([alice, bob, carol], { wrong }));
	scenes.push(await play(player, () => stack.up()));
	player.write({ resources: { signers: program([alice, bob]).resources?.signers as ProgramResource } });
	scenes.push(await play(player, () => stack.up()), await play(player, () => stack.destroy()));
	return scenes;
}

describe.each([
	[real.dynamicResources, here.dynamicResources],
	[real.plugin, here.plugin],
] as const)("the engine in this process", (engine, inProcess) => {
	it(`plays a story of ${engine.title} as the real engine does`, { timeout: 240_000 }, async () => {
		const first = program([alice, bob]);
		const made = await engine.makeWorld(first);
		const own = await inProcess.makeWorld(first);
		const expected = await playStory({ ...made, write: (next) => engine.write(made.stack, next) });
		const played = await playStory({ ...own, write: (next) => inProcess.write(own.stack, next) });
		expect(normal(played)).toEqual(normal(expected));
	});
});
