/** What the plugin answers to the engine's questions about differences, without an engine. */
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareValues } from "../../../src/pulumi/inputs/property-changes.ts";
import { alice, apps, bob, carol, makeWorld, organizationId, policies, providers, tags } from "../../world.ts";
import { configuredPlugin, type Diff, secret, startPlugin, unknown } from "./plugin-client.ts";

const other = "0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a11";
const tag = { organizationId, name: "signers", tagId: tags.signers, onDestroy: "keep" };

interface Case {
	readonly what: string;
	readonly type?: string;
	readonly olds: object;
	readonly news: object;
	readonly details: object;
	/** Whether there is an update; by default, if there are details. */
	readonly changes?: boolean;
	readonly replaces?: readonly string[];
	readonly oldInputs?: object;
}

const cases: readonly Case[] = [
	{ what: "a tag that is as it was", olds: {}, news: {}, details: {} },
	{ what: "a new name", olds: {}, news: { name: "keepers" }, details: { name: "UPDATE" } },
	{
		what: "an added, a removed and an exchanged member, each by its index",
		olds: { members: { exactly: [alice, bob] } },
		news: { members: { exactly: [alice, carol, other] } },
		details: { "members.exactly[1]": "UPDATE", "members.exactly[2]": "ADD" },
	},
	{
		what: "a removed member, by its index in the old list",
		olds: { members: { exactly: [alice, bob, carol] } },
		news: { members: { exactly: [alice, carol] } },
		details: { "members.exactly[1]": "DELETE" },
	},
	{
		what: "members in another order, as no change",
		olds: { members: { exactly: [bob, alice] } },
		news: { members: { exactly: [alice, bob] } },
		details: {},
	},
	{
		what: "an empty list that means nothing, as no change",
		olds: { members: { atLeast: [alice], never: [] } },
		news: { members: { atLeast: [alice] } },
		details: {},
	},
	{
		what: "another kind of members",
		olds: { members: { exactly: [alice] } },
		news: { members: { atLeast: [alice], never: [bob] } },
		details: { "members.exactly": "DELETE", "members.atLeast": "ADD", "members.never": "ADD" },
	},
	{ what: "first members", olds: {}, news: { members: { exactly: [] } }, details: { members: "ADD" } },
	{ what: "members no longer managed", olds: { members: { exactly: [] } }, news: {}, details: { members: "DELETE" } },
	{
		what: "an earlier name that is gone, and not the tag's own",
		olds: { previously: ["approvers", "signers", "voters"] },
		news: { previously: ["signers", "voters"] },
		details: { "previously[0]": "DELETE" },
	},
	{
		what: "limits alone, as no change",
		olds: {},
		news: { limits: { memberRemovals: 5 } },
		oldInputs: { limits: { memberRemovals: 1 } },
		details: {},
	},
	{
		what: "limits beside another change, compared with the old inputs",
		olds: {},
		news: { onDestroy: "removeMembers", limits: { memberRemovals: 5 } },
		oldInputs: { limits: { memberRemovals: 1 } },
		details: { onDestroy: "UPDATE", "limits.memberRemovals": "UPDATE of inputs" },
	},
	{
		what: "another organization and tag, which replace it",
		olds: {},
		news: { organizationId: other, tagId: tags.oncall },
		details: { organizationId: "UPDATE_REPLACE", tagId: "UPDATE_REPLACE" },
		replaces: ["organizationId", "tagId"],
	},
	{
		what: "an id in upper case, as no change",
		olds: { organizationId: other },
		news: { organizationId: other.toUpperCase() },
		details: {},
	},
	{
		what: "an unknown id, which replaces nothing",
		olds: {},
		news: { tagId: unknown },
		details: { tagId: "UPDATE" },
	},
	{
		what: "an unknown member",
		olds: { members: { exactly: [alice, bob] } },
		news: { members: { exactly: [alice, unknown] } },
		details: { "members.exactly[1]": "UPDATE" },
	},
	{ what: "unknown members", olds: {}, news: { members: unknown }, details: { members: "ADD" } },
	{ what: "unknown earlier names", olds: {}, news: { previously: unknown }, details: { previously: "ADD" } },
	{
		what: "a state that was edited by hand, where a value has another type",
		olds: { members: null, previously: 5 },
		news: { members: { exactly: [alice] } },
		details: { previously: "DELETE", members: "UPDATE" },
	},
	{
		what: "a window in another spelling, whose fields have another order, as one change",
		olds: { members: { exactly: [alice, { until: "2090-01-01 UTC", user: bob }] } },
		news: { members: { exactly: [alice, { user: bob, until: "2090-01-01T00:00:00Z" }] } },
		details: { "members.exactly[1].until": "UPDATE" },
	},
	{
		what: "a window whose fields have another order, as no change",
		olds: { members: { exactly: [{ until: "2090-01-01 UTC", user: bob }, alice] } },
		news: { members: { exactly: [alice, { user: bob, until: "2090-01-01 UTC" }] } },
		details: {},
	},
	{
		what: "a state with a window that was edited by hand",
		olds: { members: { exactly: [null, 5, { user: 7 }] }, validUntil: 5, managed: null },
		news: { members: { exactly: [{ user: bob, until: "2090-01-01 UTC" }] } },
		details: { "members.exactly[0]": "UPDATE", "members.exactly[1]": "DELETE", "members.exactly[2]": "DELETE" },
	},
	{
		what: "an unknown limit",
		olds: {},
		news: { limits: { memberRemovals: unknown } },
		oldInputs: {},
		details: { limits: "ADD of inputs" },
	},
	{
		what: "open activities, although the program is as it was",
		olds: { activities: [{ activityId: null, fingerprint: "sha256:1", outcome: "unknown" }] },
		news: {},
		details: { activities: "DELETE" },
	},
	{
		what: "a value that becomes a secret, as a whole",
		olds: { members: { exactly: [alice] } },
		news: { members: secret({ exactly: [alice, bob] }) },
		oldInputs: { members: { exactly: [alice] } },
		details: { members: "UPDATE" },
	},
	{
		what: "a secret that is no longer one",
		olds: { name: secret("signers") },
		news: {},
		oldInputs: { name: secret("signers") },
		details: { name: "UPDATE of inputs" },
	},
	{
		what: "an output that only its resource's options make secret, as no change",
		olds: { name: secret("signers") },
		news: {},
		details: {},
	},
	{
		what: "a secret in the id, which replaces it",
		olds: {},
		news: { tagId: secret(tags.signers) },
		details: { tagId: "UPDATE_REPLACE of inputs" },
		oldInputs: {},
		replaces: ["tagId"],
	},
	{
		what: "no internal key of a state of the dynamic resources, which is updated",
		olds: { __provider: "exports.handler=…", resource: "signers", resourceUrn: "urn:…", limits: {} },
		news: {},
		details: {},
		changes: true,
	},
	{
		what: "an added policy",
		type: "PolicyRemoval",
		olds: { policyIds: [policies[0]] },
		news: { policyIds: [policies[0], policies[1]] },
		details: { "policyIds[1]": "ADD" },
	},
	{
		what: "another user",
		type: "OauthProviderRemoval",
		olds: { userId: alice, providerIds: providers.alice },
		news: { userId: bob, providerIds: providers.bob },
		details: {
			userId: "UPDATE_REPLACE",
			"providerIds[0]": "UPDATE",
			"providerIds[1]": "UPDATE",
		},
		replaces: ["userId"],
	},
	{
		what: "another app",
		type: "TvcAppRemoval",
		olds: { appId: apps.old },
		news: { appId: apps.retired },
		details: { appId: "UPDATE_REPLACE" },
		replaces: ["appId"],
	},
];

const identity: Readonly<Record<string, readonly string[]>> = {
	UserTag: ["organizationId", "tagId"],
	PolicyRemoval: ["organizationId"],
	OauthProviderRemoval: ["organizationId", "userId"],
	TvcAppRemoval: ["organizationId", "appId"],
};

describe("a diff of the plugin names", () => {
	it.each(cases)("$what", async ({ type = "UserTag", olds, news, oldInputs, details, changes, replaces = [] }) => {
		const plugin = await startPlugin();
		const base = type === "UserTag" ? tag : { organizationId };
		const inputs = { ...base, ...news };
		const found = await plugin
			.resource(type, "probe")
			.diff(tags.signers, { ...base, ...olds }, inputs, oldInputs === undefined ? inputs : { ...base, ...oldInputs });
		const names = [...new Set(Object.keys(details).map((path) => /^\w+/.exec(path)?.[0]))];
		expect(found).toEqual<Diff>({
			changes: changes ?? names.length > 0,
			replaces,
			stables: replaces.length > 0 ? [] : (identity[type] ?? []),
			names: names as string[],
			details: details as Diff["details"],
		});
	});
});

describe("a detailed diff of members", () => {
	const ids = fc.uniqueArray(fc.constantFrom(alice, bob, carol, other, organizationId), { minLength: 1 });
	const members = fc.option(
		fc.oneof(
			fc.record({ exactly: ids }, { noNullPrototype: true }),
			fc.record(
				{ atLeast: fc.option(ids, { nil: undefined }), never: fc.option(ids, { nil: undefined }) },
				{ noNullPrototype: true },
			),
		),
		{ nil: undefined },
	);

	it("is empty if nothing differs, and otherwise makes the new list of the old one", () => {
		fc.assert(
			fc.property(members, members, (before, after) => {
				const details = compareValues(["members"], before, after);
				const sets = (one: object | undefined) =>
					one && Object.fromEntries(Object.entries(one).map(([list, found]) => [list, found && new Set(found)]));
				expect(details.length === 0).toBe(
					isDeepStrictEqual(withoutUndefined(sets(before)), withoutUndefined(sets(after))),
				);
				for (const list of ["exactly", "atLeast", "never"] as const) {
					const [old, made] = [before, after].map((one) => (one as Record<string, string[]> | undefined)?.[list]);
					if (old === undefined || made === undefined) continue;
					const found = details
						.filter(({ path }) => path[1] === list)
						.map(({ path, kind }) => ({ index: path[2], kind }));
					const gone = found.flatMap(({ index, kind }) => (kind === "add" ? [] : [old[Number(index)]]));
					const come = found.flatMap(({ index, kind }) => (kind === "delete" ? [] : [made[Number(index)]]));
					expect(new Set([...old.filter((id) => !gone.includes(id)), ...come])).toEqual(new Set(made));
				}
			}),
		);
	});
});

function withoutUndefined(value: object | undefined): unknown {
	return value && Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined));
}

describe("a preview of the plugin", () => {
	it("has every output of a new tag, known as far as the check found it, and requests and submits nothing more", async () => {
		const world = await makeWorld();
		const signers = (await configuredPlugin(world)).resource("UserTag", "signers");
		const { inputs, failures } = await signers.check({ name: "signers", members: { exactly: [bob, alice] } });
		expect(failures).toEqual([]);
		const requests = world.requests().length;
		expect(await signers.create(inputs, true)).toEqual({
			id: "",
			outputs: {
				organizationId,
				name: "signers",
				tagId: tags.signers,
				previously: null,
				members: { exactly: [alice, bob] },
				create: null,
				adopt: null,
				onDestroy: "keep",
			},
		});
		expect(await signers.update(tag, inputs, true)).toMatchObject({ tagId: tags.signers });
		expect(world.requests().length).toBe(requests);
	});

	it("leaves unknown what depends on an unknown input", async () => {
		const world = await makeWorld();
		const signers = (await configuredPlugin(world)).resource("UserTag", "signers");
		const news = { name: unknown, members: { atLeast: [alice, unknown] }, organizationId };
		const { inputs } = await signers.check(news);
		expect((await signers.create(inputs, true)).outputs).toEqual({
			...news,
			tagId: unknown,
			previously: null,
			create: null,
			adopt: null,
			onDestroy: "keep",
		});
		expect(world.requests()).toEqual([]);
	});
});
