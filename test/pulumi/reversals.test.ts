/** Two stacks that want opposite things of one user tag: the third activity of the exchange is not submitted. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { alice, bob, carol, makeWorld, organizationId, tags, type World } from "../world.ts";
import { configuredPlugin } from "./plugin/plugin-client.ts";

const inputsOf = (members: readonly string[]) => ({
	...{ organizationId, name: "signers", tagId: tags.signers, onDestroy: "keep" },
	members: { exactly: members },
});

/** A stack whose program has the tag with these members. Each `up` is a runner of its own: a new journal, and no shared answers. */
async function makeStack(world: World, name: string, members: readonly string[]) {
	let ups = 0;
	let state: Readonly<Record<string, unknown>> | undefined;
	return async (settings: Readonly<Record<string, unknown>> = {}): Promise<string> => {
		ups += 1;
		const plugin = await configuredPlugin(world, { journal: join(world.folder, `${name}-${ups}.sqlite`), ...settings });
		const resource = plugin.resource("UserTag", name);
		const { inputs } = await resource.check(inputsOf(members));
		try {
			if (state === undefined) state = (await resource.create(inputs)).outputs;
			else state = await resource.update((await resource.read(tags.signers, state, inputs)).outputs, inputs);
			return "done";
		} catch (error) {
			return (error as Error).message;
		} finally {
			await world.moveClock(1000);
		}
	};
}

test("an up that would make a change for the second time names both activities and the resource, and submits nothing", async () => {
	const world = await makeWorld();
	const withBob = await makeStack(world, "with-bob", [alice, bob, carol]);
	const withoutBob = await makeStack(world, "without-bob", [alice, carol]);
	expect([await withBob(), await withoutBob()]).toEqual(["done", "done"]);
	const [made, undone] = world.activities();
	const refusal = await withBob();
	expect(refusal).toMatch(
		new RegExp(
			`blocked by a guard, nothing was submitted: userTag:signers was changed and changed back: activity ${made.id} \\(of alice, .*\\) made this change, activity ${undone.id} .* undid it, and resource with-bob would make the change again`,
		),
	);
	expect(refusal).toContain('pulumi config set orgsync:allow "reversals=1"');
	expect(world.activities().length).toBe(2);
	expect(await withBob({ allow: "reversals=1" })).toBe("done");
	expect(world.activities().length).toBe(3);
});
