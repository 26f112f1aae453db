/**
 * A UserTag with `onDestroy: "removeMembers"` that is deleted because something else has taken its place: replaced, tainted,
 * renamed in the program, moved to another Provider. The tag keeps its members, and the output says so.
 */
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Answer, expectSuccess, type Stack } from "../engine/harness.ts";
import { alice, bob, carol, keys, makeWorld, organizationId, tags, type World } from "../world.ts";
import { startProvider } from "./providers.ts";
import { makePulumiWorld, shown, withImports } from "./world.ts";

const type = "pulumi-nodejs:dynamic/orgsync:UserTag";
const urnOf = (name: string) => `urn:pulumi:test::probe::${type}::${name}`;

function program(resource: string, options = "{}", name = "signers"): string {
	const args = `{ name: "${name}", members: { exactly: ["${alice}", "${bob}"] }, onDestroy: "removeMembers" }`;
	return `new orgsync.UserTag("${resource}", ${args}, ${options});`;
}

/** A stack whose resource `signers` has given the tag to alice and bob. */
async function makeSigners(options = "{}"): Promise<{ world: World; stack: Stack }> {
	const { world, stack } = await makePulumiWorld(program("signers", options));
	// The one who applies keeps a tag, so that no guard minds.
	await world.change({ userTags: [{ tagId: tags.auditors, userIds: [alice] }] });
	expectSuccess(await stack.up());
	world.clearRequests();
	return { world, stack };
}

const members = (world: World): readonly string[] =>
	[...world.organization().userTags.find(({ tagId }: { tagId: string }) => tagId === tags.signers).userIds].sort();

/** Expects that the command succeeded, removed no members, and printed why. */
function expectLeft(world: World, answer: Answer, because: string): void {
	expectSuccess(answer);
	expect(shown(answer)).toContain(
		`signers: its 2 members keep the user tag: ${because}; to remove members, list them under \`never\``,
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
			resourceUrn: urnOf("signers").replace("test", stack),
		});
		const journal = join(world.folder, "journal.sqlite");
		// Another `wait` makes another session, as in another process.
		const one = await startProvider("UserTag", world, { journal });
		const { outs } = await one.create(resource("one"));
		const two = await startProvider("UserTag", world, { journal, wait: "9" });
		const other = await two.create(resource("two"));

		await one.delete(tags.signers, outs);
		expect(said.mock.calls).toEqual([
			[
				expect.stringMatching(
					/^signers: its 2 members keep the user tag: the resource `signers` has managed it since /,
				),
			],
		]);
		expect(members(world)).toEqual([alice, carol]);
		await two.delete(tags.signers, other.outs);
		expect(members(world)).toEqual([]);
	});
});

describe("deleting a UserTag with removeMembers", { timeout: 240_000 }, () => {
	it("keeps the members for the replacement of a tainted resource, created before or after it", async () => {
		const { world, stack } = await makeSigners();
		expectSuccess(await stack.pulumi(["state", "taint", urnOf("signers"), "--yes"]));
		expectLeft(world, await stack.up(), managedBy("signers"));

		stack.write({ "index.mjs": withImports(program("signers", "{ deleteBeforeReplace: true }")) });
		expectLeft(world, await stack.up(["--replace", urnOf("signers"), "--parallel", "1"]), managedBy("signers"));
		expectSuccess(await stack.preview(["--refresh", "--expect-no-changes"]));
	});

	it("keeps the members for a resource of another name, and removes them with the last resource", async () => {
		const { world, stack } = await makeSigners();
		stack.write({ "index.mjs": withImports(program("approvers")) });
		expectLeft(world, await stack.up(["--parallel", "1"]), managedBy("approvers"));

		stack.write({ "index.mjs": withImports("") });
		const removed = await stack.up();
		expectSuccess(removed);
		expect(shown(removed)).not.toContain("keep the user tag");
		expect(members(world)).toEqual([]);
	});

	it("keeps the members for a resource of another Provider, in another process", async () => {
		const { world, stack } = await makeSigners();
		await stack.configure({ "probe:key": { secret: keys.alice.privateKey } });
		const other = `const apiPrivateKey = new pulumi.Config().requireSecret("key");
const provider = new orgsync.Provider("other", { apiPrivateKey });\n`;
		stack.write({ "index.mjs": withImports(other + program("approvers", "{ provider }")) });
		expectLeft(world, await stack.up(), managedBy("approvers"));
	});

	it("keeps the members if a later command deletes only the old resource", async () => {
		const { world, stack } = await makeSigners();
		stack.write({ "index.mjs": withImports(program("approvers")) });
		expectSuccess(await stack.up(["--target", urnOf("approvers")]));
		const held = /the resource `approvers` has managed it since \d{4}-\d\d-\d\dT[\d:.]+Z/;
		const answer = await stack.up(["--target", urnOf("signers")]);
		expectLeft(world, answer, held.exec(shown(answer))?.[0] ?? "since when");
		expect((await stack.state()).deployment.resources?.map(({ urn }) => urn)).not.toContain(urnOf("signers"));

		expectSuccess(await stack.destroy());
		expect(members(world)).toEqual([]);
	});

	it("keeps the members if something else has applied the tag since", async () => {
		const { world, stack } = await makeSigners();
		await world.change({ userTags: [{ tagId: tags.signers, userIds: [alice] }] });
		const journal = ["--journal", `${stack.folder}/.orgsync/journal.sqlite`];
		world.write(
			"signers.yaml",
			`organizationId: ${world.organization().organizationId}\nusers: { alice: ${alice}, bob: ${bob} }\nuserTags: [{ name: signers, members: { exactly: [alice, bob] } }]\n`,
		);
		expect(await world.run(["apply", "-f", "signers.yaml", "--yes", ...journal])).toMatchObject({ code: 0 });
		world.clearRequests();
		const answer = await stack.destroy();
		const since = /something other than this resource applied it at \S+Z/;
		expectLeft(world, answer, since.exec(shown(answer))?.[0] ?? "when");
	});
});
