/**
 * The engine in this process against the real one: the same story gives the same exit codes, requests, steps and state. What the
 * real one shows, and that another version of the package serves what an earlier one made, is looked at on the way.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Answer, shown } from "../../engine/answer.ts";
import { alice, bob, carol, policies, tags, type World } from "../../world.ts";
import * as real from "../adapters.ts";
import { expectNoSecretIn } from "../checks.ts";
import { outputOf, type Program, type ProgramResource } from "../program.ts";
import * as here from "./adapters.ts";

/** The tag is taken from its members when the resource is destroyed, and not when it is replaced. */
const signersOf = (exactly: readonly string[], options: ProgramResource["options"] = {}): ProgramResource => ({
	type: "UserTag",
	properties: { name: "signers", members: { exactly }, onDestroy: "removeMembers" },
	options,
});

const program = (members: readonly string[], more: Readonly<Record<string, ProgramResource>> = {}): Program => ({
	resources: {
		signers: signersOf(members),
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
	/** Installs another version of the package. */
	upgrade(): void;
	/** Replaces the resource without a difference. */
	replace(): Promise<Answer>;
}

interface Scene {
	readonly exitCode: number | null;
	readonly requests: readonly string[];
	readonly summary: readonly string[];
	readonly said: readonly string[];
	readonly resources: readonly object[];
	readonly outputs: unknown;
	/** What was printed, which only the real engine prints as it does. */
	readonly printed?: string;
}

/** Plays one command, and returns everything that a later command or a person has of it. */
async function play({ world, stack }: Player, run: () => Promise<Answer>): Promise<Scene> {
	world.clearRequests();
	const answer = await run();
	const { exitCode, stdout } = answer;
	const [, after = ""] = stdout.split("\nResources:\n");
	const { deployment } = await stack.state();
	const resources = (deployment.resources ?? [])
		.filter(({ type }) => !type.startsWith("pulumi:"))
		.map(({ urn, id, inputs, outputs, initErrors }) => ({ urn, id, inputs, outputs, failed: initErrors?.length ?? 0 }))
		.toSorted((one, other) => one.urn.localeCompare(other.urn));
	// What else was under way when a resource failed, which of it shared a query, and what a program says at its end, is a race in both.
	const isWhole = exitCode !== 1;
	const queries = world.requests().filter((name) => !world.submits().includes(name));
	return {
		exitCode,
		requests: [...world.submits(), ...(isWhole ? queries : new Set(queries))].toSorted(),
		summary: (isWhole ? after : "")
			.split("\n")
			.map((line) => line.trim().replace(/^\d+ changes\. /, ""))
			.filter((line) => /^[-+~\d].*(created?|updated?|deleted?|unchanged)$/.test(line)),
		said: [...new Set(shown(answer).match(/(?:signers|old): (?:adopts|adds|removes|its)[^\n]*/g))].toSorted(),
		resources,
		outputs: isWhole ? await stack.outputs() : undefined,
		printed: shown(answer),
	};
}

/** Ids and times that differ from run to run. */
const normal = (scenes: readonly Scene[]): unknown =>
	JSON.parse(
		JSON.stringify(scenes.map(({ printed: _printed, ...scene }) => scene))
			.replaceAll(/0[0-9a-f]{7}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f-]{17}/g, "ACTIVITY")
			.replaceAll(/sha256:[0-9a-f]{64}/g, "sha256:HEX")
			.replaceAll(/\b\d{13}\b/g, "0")
			.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME"),
	);

async function playStory(player: Player): Promise<readonly Scene[]> {
	const { world, stack } = player;
	// The one who applies keeps a tag, so that no guard minds.
	await world.change({ userTags: [{ tagId: tags.auditors, userIds: [alice] }] });
	const scenes = [await play(player, () => stack.up(["--diff"]))];
	player.upgrade();
	await world.change({ userTags: [{ tagId: tags.signers, tagName: "signatories", userIds: [alice, carol] }] });
	scenes.push(await play(player, () => stack.preview(["--refresh", "--diff", "--expect-no-changes"])));
	player.write(program([alice, bob, carol], { wrong }));
	scenes.push(await play(player, () => stack.up(["--refresh"])));
	player.write({ resources: { signers: signersOf([alice, bob, carol], { deleteBeforeReplace: true }) } });
	scenes.push(await play(player, player.replace), await play(player, () => stack.destroy()));
	return scenes;
}

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

/** How the real engine shows what a tag adopts, drift, and a replacement. */
function expectDisplay(scenes: readonly Scene[], type: string): void {
	const [first = "", refresh = "", , replaced = ""] = scenes.map(({ printed }) => printed);
	expect(first).toContain(`+ ${type}: (create)`);
	expect(first).toMatch(new RegExp(`exactly: \\[\\s+\\[0\\]: "${alice}"\\s+\\[1\\]: "${bob}"`));
	expect(first).toMatch(new RegExp(`tagId +: "${tags.signers}"`));
	// The engine shows what is created; a notice shows what adopting the live tag removes.
	expect(first).toContain(`signers: adopts the user tag signers, adds the member ${bob}, removes the member ${carol}`);
	expect(refresh).toMatch(/~ name +: "signers" => "signatories"/);
	expect(refresh).toContain(`"${bob}" => "${carol}"`);
	expect(replaced).toContain(
		"signers: its 3 members keep the user tag: the program manages it with the resource `signers`; to remove members, list them under `never`",
	);
}

describe.each([
	[real.dynamicResources, here.dynamicResources],
	[real.plugin, here.plugin],
] as const)("the engine in this process", (engine, inProcess) => {
	it(`plays a story of ${engine.title} as the real engine does`, { timeout: 240_000 }, async () => {
		const isDynamic = engine === real.dynamicResources;
		const first = program([bob, alice]);
		const made = await engine.makeWorld(first, isDynamic ? { orgsync: { version: "1.0.0" } } : {});
		const own = await inProcess.makeWorld(first);
		const urn = engine.urnOf("UserTag", "signers");
		const expected = await playStory({
			...made,
			write: (next) => engine.write(made.stack, next),
			upgrade: () => isDynamic && made.stack.install({ version: "1.1.0", edit: recordCalls }),
			replace: () => made.stack.up(["--replace", urn]),
		});
		const played = await playStory({
			...own,
			write: (next) => inProcess.write(own.stack, next),
			upgrade: () => undefined,
			replace: () => own.stack.up(["--replace", urn]),
		});
		expect(normal(played)).toEqual(normal(expected));
		expect(expected.map(({ exitCode }) => exitCode)).toEqual([0, 7, 1, 0, 0]);
		expectDisplay(expected, engine.typeOf("UserTag"));
		expectNoSecretIn(made.stack);
		if (!isDynamic) return;
		// All that follows the upgrade is done by the code of the new version.
		const calls = [...new Set(readFileSync(join(made.stack.folder, "calls.txt"), "utf8").trim().split("\n"))];
		const methods = ["check", "configure", "create", "delete", "diff", "read", "update"];
		expect(calls.filter((line) => line.startsWith("UserTag ")).toSorted()).toEqual(
			methods.map((method) => `UserTag ${method} 1.1.0`),
		);
	});
});
