/** Members with a window, asked of the plugin as an engine asks it, on an emulator whose clock is moved. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { alice, bob, carol, makeWorld, tags, type World } from "../world.ts";
import { configuredPlugin, type PluginResource, secret, unknown } from "./plugin-client.ts";

type Values = Readonly<Record<string, unknown>>;

const hourMs = 3_600_000;
const inHours = (hours: number): string => new Date(Date.now() + hours * hourMs).toISOString();

const membersIn = (world: World): readonly string[] =>
	world.organization().userTags.find(({ tagId }: { tagId: string }) => tagId === tags.signers).userIds;

/** The state of a resource, and the commands of an engine, each of which starts a plugin. */
function makeStack(world: World, settings: Values = {}) {
	const state = { id: "", outputs: {} as Values, inputs: {} as Values };
	const start = async (): Promise<PluginResource> =>
		(await configuredPlugin(world, settings)).resource("UserTag", "signers");
	const check = async (resource: PluginResource, program: Values): Promise<Values> => {
		const { inputs, failures } = await resource.check(program, state.inputs);
		expect(failures).toEqual([]);
		return inputs;
	};
	return {
		state,
		/** Returns the diff of a preview. */
		async preview(program: Values) {
			const resource = await start();
			return (await resource.diff(state.id, state.outputs, await check(resource, program), state.inputs)).details;
		},
		/** Returns the diff; of a create, an empty one. */
		async up(program: Values) {
			const resource = await start();
			const inputs = await check(resource, program);
			if (state.id === "") {
				Object.assign(state, await resource.create(inputs), { inputs });
				return {};
			}
			const { changes, details } = await resource.diff(state.id, state.outputs, inputs, state.inputs);
			if (changes) state.outputs = await resource.update(state.outputs, inputs);
			state.inputs = inputs;
			return details;
		},
		async refresh() {
			Object.assign(state, await (await start()).read(state.id, state.outputs, state.inputs));
		},
	};
}

/** What the plugin prints, line by line. */
function watchNotices(): readonly string[] {
	const lines: string[] = [];
	vi.spyOn(process.stderr, "write").mockImplementation((text) => {
		lines.push(...String(text).split("\n"));
		return true;
	});
	return lines;
}

afterEach(() => vi.restoreAllMocks());

describe("a member with a window", () => {
	it.each([
		["exactly", "documented"],
		["exactly", "auto"],
		["atLeast", "documented"],
		["atLeast", "auto"],
	])("of `%s` is in the tag in that window only, as a refresh finds out (reads: %s)", async (list, reads) => {
		const world = await makeWorld();
		const stack = makeStack(world, { reads });
		const [from, until] = [inHours(2), inHours(4)];
		const program = { name: "signers", members: { [list]: [alice, { user: bob, from, until, reason: "on call" }] } };
		await stack.up(program);
		expect(membersIn(world)).not.toContain(bob);
		expect(stack.state.outputs).toMatchObject({ members: program.members, validUntil: from });
		await stack.refresh();
		expect(await stack.up(program)).toEqual({});

		await world.moveClock(3 * hourMs);
		expect(await stack.preview(program)).toEqual({});
		await stack.refresh();
		const begun = await stack.preview(program);
		expect(begun).toEqual({ [`members.${list}[1]`]: "ADD" });
		expect(await stack.up(program)).toEqual(begun);
		expect(membersIn(world)).toContain(bob);
		expect(stack.state.outputs).toMatchObject({ members: program.members, validUntil: until });
		await stack.refresh();
		expect(await stack.up(program)).toEqual({});

		await world.moveClock(3 * hourMs);
		await stack.refresh();
		expect(stack.state.outputs).toMatchObject({ members: { [list]: [alice, bob] } });
		expect(await stack.up(program)).toEqual({ [`members.${list}[1]`]: "UPDATE" });
		expect(membersIn(world)).not.toContain(bob);
		expect(stack.state.outputs).toMatchObject({ members: program.members });
		expect(stack.state.outputs).not.toHaveProperty("validUntil");
		await stack.refresh();
		expect(await stack.up(program)).toEqual({});
	});
});
