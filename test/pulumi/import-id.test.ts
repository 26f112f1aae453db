/** The ids by which tags are imported and read, and what is refused, as the adapters call it; without the engine. */
import { describe, expect, it } from "vitest";
import { findImported, readImportId } from "../../src/pulumi/inputs/import-id.ts";
import { PluginProvider } from "../../src/pulumi/plugin/provider.ts";
import { makeOperations, type ResourceOperations } from "../../src/pulumi/resources/resource-operations.ts";
import { resources } from "../../src/pulumi/resources/resources.ts";
import { ProviderProcess } from "../../src/pulumi/session/provider-process.ts";
import { alice, carol, keys, makeWorld, organizationId, policies, tags, type World } from "../world.ts";
import { configuredPlugin, secret } from "./plugin/plugin-client.ts";

const tagKind = { noun: "user tag", word: "TAG", query: "list_user_tags" } as const;
const other = "0a000000-0000-4000-8000-000000000002";

/** The operations of a resource type in a world, and the lines that they print. */
function operationsOf(world: World, name: string, defaultId: string | undefined = organizationId) {
	const lines: string[] = [];
	const process = new ProviderProcess({ engine: undefined, print: (line) => lines.push(line) });
	const definition = resources.find((one) => one.name === name);
	if (definition === undefined) throw new Error(`no resource is called ${name}`);
	const settings = {
		url: world.url,
		apiPrivateKey: keys.alice.privateKey,
		journal: ":memory:",
		...(defaultId === undefined ? {} : { organizationId: defaultId }),
	};
	return { lines, operations: makeOperations(definition, process, async () => settings) };
}

const importAs = (operations: ResourceOperations, id: string, resource = "imported") =>
	operations.import(id, { resource, resourceUrn: `urn:pulumi:test::probe::orgsync:index:UserTag::${resource}` });

describe("an import of a user tag", () => {
	it("takes an id or a name, with an organization or in the default one, and returns only what the code needs", async () => {
		const world = await makeWorld();
		const { operations, lines } = operationsOf(world, "UserTag");
		const inputs = { organizationId, name: "signers", members: { exactly: [alice, carol] } };
		const ids = ["signers", tags.signers, tags.signers.toUpperCase()];
		for (const id of [...ids, ...ids.map((tag) => `${organizationId.toUpperCase()}/${tag}`)]) {
			const found = await importAs(operations, id);
			expect(found.id).toBe(tags.signers);
			expect(found.inputs).toEqual({ ...inputs, resource: "imported", resourceUrn: expect.any(String) });
			expect(found.props).toMatchObject({ ...inputs, tagId: tags.signers, managed: inputs.members, onDestroy: "keep" });
		}
		expect(lines).toEqual([]);
		expect(world.submits()).toEqual([]);
	});

	it("reads names with slashes, spaces and other scripts, and prefers the id to an equal name", async () => {
		const world = await makeWorld();
		const looksLikeId = "b1000000-0000-4000-8000-000000000001";
		const names = [
			"team/ops",
			`${organizationId}/ops`,
			"a b",
			"ünï ✓",
			looksLikeId,
			tags.signers,
			"${x}",
			'it\'s "#" \\',
		];
		const made = names.map((tagName, index) => ({ tagId: `b0000000-0000-4000-8000-00000000000${index}`, tagName }));
		await world.change({ userTags: made });
		const { operations } = operationsOf(world, "UserTag");
		for (const { tagId, tagName } of made) {
			const found = await importAs(operations, `${organizationId}/${tagName}`, tagId);
			if (tagName === tags.signers) expect(found).toMatchObject({ id: tags.signers, inputs: { name: "signers" } });
			else expect(found).toMatchObject({ id: tagId, inputs: { name: tagName, members: { exactly: [] } } });
		}
		const [first] = made.map(({ tagId }) => tagId);
		expect(await importAs(operations, "team/ops", first)).toMatchObject({ inputs: { name: "team/ops" } });
		expect(await importAs(operations, String(first).toUpperCase(), first)).toMatchObject({ id: first });
		const upper = readImportId(tagKind, `${other.toUpperCase()}/A/b`, organizationId);
		expect(upper).toEqual({ organizationId: other, object: "A/b" });
	});

	it("fails for an id that leads to no tag, with the nearest names or the form of the id", async () => {
		const world = await makeWorld();
		const { operations } = operationsOf(world, "UserTag");
		const refused = (id: string) => expect(importAs(operations, id)).rejects;
		await refused("signrs").toThrow(
			`the organization ${organizationId} does not have the tag: no user tag is called \`signrs\`; the nearest: \`signers\`, `,
		);
		await refused("acme/signers").toThrow(
			/no user tag is called `acme\/signers`; .*; the id is ORGANIZATION\/TAG, and TAG is the tag's id or its name, and `acme` is not an organization id$/,
		);
		await refused(alice).toThrow(`the organization ${organizationId} has no user tag with the id ${alice}`);
		await refused(`${organizationId}/`).toThrow("no user tag is given; the id is ORGANIZATION/TAG");
		await refused("").toThrow("no user tag is given");
		await refused(`${other}/signers`).toThrow(`no organization found with id ${other}`);
		const without = operationsOf(world, "UserTag", "").operations;
		await expect(importAs(without, "signers")).rejects.toThrow("no organization is given; the id is ORGANIZATION/TAG");
		await expect(importAs(without, "acme/signers")).rejects.toThrow(
			"`acme` is not an organization id, which is a UUID",
		);
		expect(await importAs(without, `${organizationId}/signers`)).toMatchObject({ id: tags.signers });
	});

	it("imports no members where the service does not show them, and says so", async () => {
		const world = await makeWorld(undefined, { reads: "documented" });
		const { operations, lines } = operationsOf(world, "UserTag");
		const { inputs } = await importAs(operations, "signers");
		expect(inputs).not.toHaveProperty("members");
		expect(lines).toEqual([
			expect.stringMatching(/^the members of the tag are unknown, because .*: they are not imported$/),
		]);
	});

	it("fails for a name that a program cannot write, for two tags of one name, and for a second resource", async () => {
		const world = await makeWorld();
		const [one, two] = ["b0000000-0000-4000-8000-000000000001", "b0000000-0000-4000-8000-000000000002"] as const;
		const members = { known: false, because: { kind: "stated", text: "" } } as const;
		const twice = [one, two].map((id) => ({ id, name: "twice", type: "TAG_TYPE_USER", updatedAt: "", members }));
		expect(() => findImported(tagKind, { organizationId, object: "twice" }, twice)).toThrow(
			`two user tags are called \`twice\`: ${one} and ${two}; write the id of one of them`,
		);
		expect(findImported(tagKind, { organizationId, object: two }, twice)?.id).toBe(two);
		await world.change({ userTags: [{ tagId: one, tagName: " padded" }] });
		const { operations } = operationsOf(world, "UserTag");
		await world.change({ userTags: [{ tagId: alice, tagName: "keys", tagType: "TAG_TYPE_PRIVATE_KEY" }] });
		await expect(importAs(operations, "keys")).rejects.toThrow("no user tag is called `keys`");
		await expect(importAs(operations, " padded")).rejects.toThrow(
			`the user tag ${one} cannot be imported: the name \` padded\` begins or ends with a space; remove the space; to change it, write the resource with \`tagId: ${one}\` and run \`pulumi up\``,
		);
		await importAs(operations, "oncall", "first");
		await expect(importAs(operations, tags.oncall, "second")).rejects.toThrow(
			`the user tag ${tags.oncall} is managed by two resources, \`first\` and \`second\`; manage each tag with one resource`,
		);
	});
});

describe("an imported user tag", () => {
	it("has a secret organization where that of the Provider is secret, as has a tag that is only read", async () => {
		const plugin = await configuredPlugin(await makeWorld(), { organizationId: secret(organizationId) });
		const resource = plugin.resource("UserTag", "signers");
		const imported = await resource.read("signers", {});
		const found = await resource.read("signers", {}, {});
		for (const shown of [imported.inputs, imported.outputs, found.outputs]) {
			expect(shown).toMatchObject({ name: "signers", organizationId: secret(organizationId) });
		}
	});

	it("is a policy also where its text is not understood, and none that a program could not have", async () => {
		const world = await makeWorld();
		const odd = { effect: "EFFECT_ALLOW", consensus: "user.mood == 'ok'", condition: "magic(" };
		const [first, second] = policies;
		await world.change({
			policies: [
				{ policyId: first, policyName: "odd", ...odd },
				{ policyId: second, policyName: "open", ...odd, consensus: "" },
				{ policyId: policies[2], policyName: " padded", ...odd },
			],
		});
		const { operations } = operationsOf(world, "Policy");
		const { inputs, props } = await importAs(operations, "odd");
		const { effect: _effect, ...texts } = odd;
		expect(inputs).toMatchObject({ name: "odd", effect: "allow", ...texts, unchecked: true });
		expect(props).toMatchObject({ ...inputs, policyId: first });
		await expect(importAs(operations, "open")).rejects.toThrow(
			/cannot be imported: an allow without a consensus .*; to change it, write the resource with `adopt: true` and run `pulumi up`$/,
		);
		await expect(importAs(operations, " padded")).rejects.toThrow(
			/begins or ends with a space; remove the space; rename the policy, then import it$/,
		);
		expect(await operations.lookUp("open", { resource: "x" })).toMatchObject({ id: second, props: { consensus: "" } });
	});

	it("is not replaced by another tag that has its name before the first up: the error says to refresh", async () => {
		const world = await makeWorld();
		const { operations } = operationsOf(world, "UserTag");
		const { id = "", props = {}, inputs = {} } = await importAs(operations, "signers");
		const compare = (tagId: string, oldInputs: object) =>
			operations.diff(id, props, { ...props, tagId }, { oldInputs: { ...oldInputs } });
		expect(compare(tags.signers, inputs)).toMatchObject({ changes: false, replaces: [] });
		expect(() => compare(tags.oncall, inputs)).toThrow(
			`the imported user tag ${tags.signers} is not called \`signers\`, which is the name of ${tags.oncall}; correct the name in the program, and run`,
		);
		expect(compare(tags.oncall, { ...inputs, tagId: id })).toMatchObject({ replaces: ["tagId"] });
	});
});

describe("a removal or an Organization", () => {
	it("is not imported and not read by an id: the error says what to do instead", async () => {
		const world = await makeWorld();
		for (const name of ["PolicyRemoval", "OauthProviderRemoval", "TvcAppRemoval"]) {
			const { operations } = operationsOf(world, name);
			await expect(importAs(operations, "x")).rejects.toThrow(
				`a ${name} cannot be imported, because it lists what must not exist; write the resource and run \`pulumi up\``,
			);
			await expect(operations.lookUp("x", { resource: "x" })).rejects.toThrow(`a ${name} cannot be read by an id`);
		}
		expect(() =>
			new PluginProvider(undefined).resourceOf("urn:pulumi:test::probe::orgsync:index:Organization::x"),
		).toThrow("an Organization cannot be imported, because it is a component; write it with a document");
		expect(world.requests()).toEqual([]);
	});
});
