/**
 * A UserTag with `onDestroy: "removeMembers"` that is deleted because something else has taken its place: replaced,
 * renamed in the program, moved to another Provider. The tag keeps its members, and the output says so.
 */
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { unknownValue } from "../../src/pulumi/inputs/inputs.ts";
import { type Answer, expectSuccess, shown } from "../engine/answer.ts";
import { makeFolder } from "../run.ts";
import { alice, bob, carol, keys, makeWorld, organizationId, tags, type World } from "../world.ts";
import { type Adapter, adapters, dynamicResources, type InProcessWorld } from "./in-process/adapters.ts";
import { configured, type Program, type ProgramResource } from "./program.ts";
import { providers, startProvider } from "./providers.ts";

/** A program whose one resource gives the tag to alice and bob. */
const program = (resource: string, options: ProgramResource["options"] = {}): Program => ({
	resources: {
		[resource]: {
			type: "UserTag",
			properties: { name: "signers", members: { exactly: [alice, bob] }, onDestroy: "removeMembers" },
			options,
		},
	},
});

const members = (world: World): readonly string[] =>
	[...world.organization().userTags.find(({ tagId }: { tagId: string }) => tagId === tags.signers).userIds].sort();

/** A stack whose resource `signers` has given the tag to alice and bob. */
async function makeSigners(adapter: Adapter): Promise<InProcessWorld> {
	const made = await adapter.makeWorld(program("signers"));
	// The one who applies keeps a tag, so that no guard minds.
	await made.world.change({ userTags: [{ tagId: tags.auditors, userIds: [alice] }] });
	expectSuccess(await made.stack.up());
	made.world.clearRequests();
	return made;
}

/** Expects that the command succeeded, removed no members, and printed why. */
function expectLeft(world: World, answer: Answer, resource: string, because: string): void {
	expectSuccess(answer);
	expect(shown(answer)).toContain(
		`${resource}: its 2 members keep the user tag: ${because}; to remove members, list them under \`never\``,
	);
	expect(members(world)).toEqual([alice, bob]);
	expect(world.submits()).toEqual([]);
}

const managedBy = (resource: string) => `the program manages it with the resource \`${resource}\``;

describe("deleting a UserTag of one stack", () => {
	it("keeps the members for a resource of the same name in another stack that applied the tag last", async () => {
		const world = await makeWorld();
		// The one who applies keeps a tag, so that no guard minds.
		await world.change({ userTags: [{ tagId: tags.auditors, userIds: [alice] }] });
		const said = vi.spyOn(console, "log").mockImplementation(() => undefined);
		onTestFinished(() => said.mockRestore());
		const resource = (stack: string) => ({
			organizationId,
			name: "signers",
			tagId: tags.signers,
			members: { exactly: [alice, carol] },
			onDestroy: "removeMembers",
			resource: "signers",
			resourceUrn: dynamicResources.urnOf("UserTag", "signers").replace("test", stack),
		});
		const journal = join(world.folder, "journal.sqlite");
		// Another `wait` makes another session, as in another process.
		const one = await startProvider("UserTag", world, { journal });
		const { outs } = await one.create(resource("one"));
		const two = await startProvider("UserTag", world, { journal, wait: "9" });
		const other = await two.create(resource("two"));

		const later = await startProvider("UserTag", world, { journal, wait: "8" });
		await later.delete(tags.signers, outs);
		expect(said.mock.calls).toEqual([
			[
				expect.stringMatching(
					/^signers: its 2 members keep the user tag: another resource called `signers` has managed it since /,
				),
			],
		]);
		expect(members(world)).toEqual([alice, carol]);
		await later.delete(tags.signers, other.outs);
		expect(members(world)).toEqual([]);
	});
});

describe.each(adapters)("deleting a UserTag of $title with removeMembers", (adapter) => {
	const urnOf = (name: string): string => adapter.urnOf("UserTag", name);

	it("keeps the members for what takes its place: a replacement, another name, another Provider; the last one removes them", async () => {
		const { world, stack } = await makeSigners(adapter);
		expectLeft(world, await stack.up(["--replace", urnOf("signers")]), "signers", managedBy("signers"));
		adapter.write(stack, program("signers", { deleteBeforeReplace: true }));
		expectLeft(world, await stack.up(["--replace", urnOf("signers")]), "signers", managedBy("signers"));

		adapter.write(stack, program("approvers"));
		expectLeft(world, await stack.up(), "signers", managedBy("approvers"));

		// Another Provider is another process.
		await stack.configure({ "probe:key": { secret: keys.alice.privateKey } });
		const other: ProgramResource = { type: "Provider", properties: { apiPrivateKey: configured("key") } };
		const moved: Program = {
			config: { key: "secret" },
			resources: { other, ...program("voters", { provider: "other" }).resources },
		};
		adapter.write(stack, moved);
		expectLeft(world, await stack.up(), "approvers", managedBy("voters"));

		adapter.write(stack, { ...moved, resources: { other } });
		const removed = await stack.up();
		expectSuccess(removed);
		expect(shown(removed)).not.toContain("keep the user tag");
		expect(members(world)).toEqual([]);
	});

	it("keeps the members if a later command deletes only the old resource, or something else has applied the tag since", async () => {
		const { world, stack } = await makeSigners(adapter);
		adapter.write(stack, program("approvers"));
		expectSuccess(await stack.up(["--target", urnOf("approvers")]));
		const later = await stack.up(["--target", urnOf("signers")]);
		const held = /the resource `approvers` has managed it since \d{4}-\d\d-\d\dT[\d:.]+Z/;
		expectLeft(world, later, "signers", held.exec(shown(later))?.[0] ?? "since when");
		expect((await stack.state()).deployment.resources?.map(({ urn }) => urn)).not.toContain(urnOf("signers"));

		await world.change({ userTags: [{ tagId: tags.signers, userIds: [alice] }] });
		const journal = ["--journal", `${stack.folder}/.orgsync/journal.sqlite`];
		world.write(
			"signers.yaml",
			`organizationId: ${organizationId}\nusers: { alice: ${alice}, bob: ${bob} }\nuserTags: [{ name: signers, members: { exactly: [alice, bob] } }]\n`,
		);
		expect(await world.run(["apply", "-f", "signers.yaml", "--yes", ...journal])).toMatchObject({ code: 0 });
		world.clearRequests();
		const destroyed = await stack.destroy();
		const since = /something other than this resource applied it at \S+Z/;
		expectLeft(world, destroyed, "approvers", since.exec(shown(destroyed))?.[0] ?? "when");
	});
});

describe.each(providers)("a policy of $title that is checked and then deleted", ({ start }) => {
	const texts = { name: "one", effect: "allow", consensus: "approvers.any(u, u.tags.contains('${userTags.red}'))" };
	const policy = { organizationId, ...texts, condition: "activity.kind == 'SIGN_TRANSACTION'", resource: "one" };

	it.each([
		["stays for its replacement, whose inputs are known", tags.signers, []],
		[
			"is deleted where an input is unknown: so `--target-dependents` checks what it deletes",
			unknownValue,
			["delete_policies"],
		],
	])("%s", async (_what, red, submits) => {
		const world = await makeWorld();
		const provider = await start("Policy", world);
		const { inputs } = await provider.check({}, { ...policy, references: { red: tags.signers } });
		const { id, outs } = await provider.create({ ...inputs, resource: "one" });
		// As in another command.
		const next = await start("Policy", world, { wait: "9" });
		world.clearRequests();
		const checked = await next.check(inputs, { ...policy, references: { red } });
		expect(checked.failures ?? []).toEqual([]);
		await next.diff(id, outs, { ...policy, ...checked.inputs });
		await next.delete(id, outs);
		expect(world.submits()).toEqual(submits);
	});

	it("stays for its replacement in the same command, and in a later one that begins with the deletion", async () => {
		const world = await makeWorld();
		const settings = { journal: join(makeFolder(), "journal.sqlite") };
		const given = { ...policy, references: { red: tags.signers } };
		const create = async (provider: Awaited<ReturnType<typeof start>>, olds: object) => {
			// As `--target-replace` does, which compares nothing.
			await provider.check(olds, given);
			const { inputs } = await provider.check({}, given);
			return provider.create({ ...inputs, resource: "one" });
		};
		const first = await create(await start("Policy", world, settings), {});
		const replacing = await start("Policy", world, { ...settings, wait: "9" });
		world.clearRequests();
		const second = await create(replacing, given);
		await replacing.delete(first.id, first.outs);
		const later = await start("Policy", world, { ...settings, wait: "8" });
		await later.delete(first.id, first.outs);
		expect(world.submits()).toEqual([]);
		await later.delete(second.id, second.outs);
		expect(world.submits()).toEqual(["delete_policies"]);
	});

	it("is deleted where its replacement has another name, before or after the replacement is created", async () => {
		const given = { ...policy, references: { red: tags.signers } };
		for (const isDeletedFirst of [true, false]) {
			const world = await makeWorld();
			const journal = join(makeFolder(), "journal.sqlite");
			const provider = await start("Policy", world, { journal });
			const { inputs } = await provider.check({}, given);
			const { id, outs } = await provider.create({ ...inputs, resource: "one" });
			const replacing = await start("Policy", world, { journal, wait: "9" });
			world.clearRequests();
			// With `replaceOnChanges`, the engine decides after it has compared.
			const changed = { ...given, name: "two" };
			const compared = await replacing.check(given, changed);
			await replacing.diff(id, outs, { ...changed, ...compared.inputs });
			const { inputs: replacement } = await replacing.check({}, changed);
			const remove = () => replacing.delete(id, outs);
			if (isDeletedFirst) await remove();
			await replacing.create({ ...replacement, resource: "one" });
			if (!isDeletedFirst) await remove();
			expect(world.submits().toSorted()).toEqual(["create_policies", "delete_policies"]);
		}
	});
});
