/** What a completed activity adds to the last-applied state: no more than the service confirmed. */
import { describe, expect, it } from "vitest";
import type { AddressText } from "../../src/plan/address.ts";
import type { PolicyChange, TagChange } from "../../src/plan/change.ts";
import type { LastAppliedTag } from "../../src/plan/organization.ts";
import { appliedByEntry, appliedByStep, recordInSync } from "../../src/sync/applied-objects.ts";
import type { AppliedObject, JournalEntry } from "../../src/sync/journal/journal.ts";
import { type WriteName, writes } from "../../src/wire/operations.ts";
import { encodeSubmit } from "../../src/wire/request-body.ts";
import { organizationId } from "../plan/support-organizations.ts";
import { alice, bob, carol, policies, providers, signers } from "./support.ts";

const at = { appliedAt: "2026-01-01T00:00:00.000Z", completedAtMs: 5 };
const earlier: LastAppliedTag = {
	...{ appliedAt: "2025-01-01T00:00:00.000Z", name: "old", present: [alice, bob], gone: [carol], updatedAt: "1.2" },
};

/** What the entry of this request adds, where a tag was applied before as `before`. */
function addedBy(operation: WriteName, parameters: object, before?: LastAppliedTag, createdIds?: readonly string[]) {
	const body = encodeSubmit(writes[operation], organizationId, { ...parameters }, 1);
	const entry = { body, covers: ["userTag:signers"] } as unknown as JournalEntry;
	return appliedByEntry(entry)([], () => before, { ...at, ...(createdIds && { createdIds }) });
}
const update = (parts: object, before?: LastAppliedTag) =>
	addedBy("update_user_tag", { userTagId: signers, addUserIds: [], removeUserIds: [], ...parts }, before);
const tag = (parts: Partial<LastAppliedTag>) => [
	{ kind: "userTag", id: signers, value: { ...at, name: "signers", present: [], gone: [], updatedAt: "", ...parts } },
];

describe("a completed activity of an earlier run", () => {
	it("adds and removes members of what was applied before, each in one list, sorted", () => {
		expect(update({ addUserIds: [carol], removeUserIds: [alice] }, earlier)).toEqual(
			tag({ present: [bob, carol].sort(), gone: [alice] }),
		);
		expect(update({ addUserIds: [bob, bob], removeUserIds: [carol] }, earlier)).toEqual(
			tag({ present: [alice, bob].sort(), gone: [carol] }),
		);
	});

	it("has only its own members where nothing was applied before", () => {
		expect(update({ addUserIds: [bob] })).toEqual(tag({ present: [bob] }));
		expect(update({ removeUserIds: [bob] })).toEqual(tag({ gone: [bob] }));
	});

	it("that only renames keeps the members that were applied, and knows none where none were", () => {
		expect(update({ newUserTagName: "signers" }, earlier)).toEqual(
			tag({ present: [alice, bob].sort(), gone: [carol] }),
		);
		expect(update({ newUserTagName: "signers" })).toEqual([]);
	});

	it("that gives a tag a temporary name adds nothing", () => {
		expect(update({ newUserTagName: "signers (temporary)", addUserIds: [bob] }, earlier)).toEqual([]);
	});

	it("that removes objects has each, with its user if it has one", () => {
		const value = { appliedAt: at.appliedAt };
		expect(addedBy("delete_policies", { policyIds: policies.slice(0, 2) })).toEqual(
			policies.slice(0, 2).map((id) => ({ kind: "policy", id, value })),
		);
		expect(addedBy("delete_oauth_providers", { userId: alice, providerIds: [providers[0]] })).toEqual([
			{ kind: "oauthProvider", id: `${alice}/${providers[0]}`, value },
		]);
	});

	it("that writes policies has the name of each, by the id that the answer has for it", () => {
		const written = (id: string, name: string) => ({
			kind: "policyText",
			id,
			value: { appliedAt: at.appliedAt, name },
		});
		const two = { policies: [{ policyName: "one" }, { policyName: "two" }] };
		expect(addedBy("create_policies", two, undefined, ["a", "b"])).toEqual([written("a", "one"), written("b", "two")]);
		for (const ids of [undefined, [], ["a"], ["a", "b", "c"]])
			expect(addedBy("create_policies", two, undefined, ids)).toEqual([]);
		expect(addedBy("update_policy", { policyId: "a", policyName: "new" })).toEqual([written("a", "new")]);
	});

	it("that creates a tag has its members, where the answer has its id, and one that removes tags has nothing", () => {
		const members = { userTagName: "signers", userIds: [bob, alice] };
		expect(addedBy("create_user_tag", members, undefined, [signers])).toEqual(tag({ present: [alice, bob].sort() }));
		expect(addedBy("create_user_tag", members)).toEqual([]);
		expect(addedBy("delete_user_tags", { userTagIds: [signers] }, earlier)).toEqual([]);
	});

	it("that imports a key adds nothing", () => {
		expect(addedBy("init_import_private_key", { userId: alice })).toEqual([]);
	});
});

describe("a completed step", () => {
	const change: TagChange = {
		...{ address: "userTag:signers", kind: "userTag", action: "update", tagId: signers, reason: "members-differ" },
		...{ before: { name: "signers", members: [bob] }, after: { name: "signers", members: [carol] } },
		...{ addUserIds: [carol], removeUserIds: [bob], basis: "live", lastApplied: null },
	};

	it("of some of the users of a change adds those alone: the others still have to move", () => {
		const part = { userTagId: signers, addUserIds: [carol], removeUserIds: [] };
		const added = appliedByStep(part, [change])(["userTag:signers"], () => undefined, at);
		expect(added).toEqual(tag({ present: [carol] }));
		const whole = appliedByStep({ ...part, removeUserIds: [bob] }, [change])(["userTag:signers"], () => undefined, at);
		expect(whole).toEqual(tag({ present: [carol], gone: [bob] }));
	});

	it.each<
		[what: string, parameters: object, parts: Partial<TagChange>, before: LastAppliedTag | undefined, added: object[]]
	>([
		["of another object adds nothing", {}, { address: "userTag:other" }, undefined, []],
		["that removes a tag adds nothing", {}, { action: "remove" }, earlier, []],
		["that creates a tag adds nothing without its id", {}, { action: "create" }, undefined, []],
		[
			"that gives a temporary name adds nothing",
			{ newUserTagName: "temporary", addUserIds: [carol], removeUserIds: [bob] },
			{},
			earlier,
			[],
		],
		[
			"that moves the users, and not the name, has who moved",
			{ addUserIds: [carol], removeUserIds: [bob] },
			{ before: { name: "old", members: [bob] } },
			earlier,
			tag({ present: [alice, carol], gone: [bob] }),
		],
		[
			"that gives the name, and moves no user yet, has who had the tag",
			{ newUserTagName: "signers", addUserIds: [], removeUserIds: [] },
			{ before: { name: "old", members: [bob] } },
			earlier,
			tag({ present: earlier.present, gone: earlier.gone }),
		],
		[
			"that gives the name, and moves no user yet, adds nothing to nothing",
			{ newUserTagName: "signers", addUserIds: [], removeUserIds: [] },
			{ before: { name: "old", members: [bob] } },
			undefined,
			[],
		],
		[
			"keeps who was removed before",
			{ addUserIds: [carol], removeUserIds: [bob] },
			{},
			{ ...earlier, gone: [alice, carol] },
			tag({ present: [carol], gone: [alice, bob].sort() }),
		],
		[
			"forgets who was removed before where others changed the tag",
			{ addUserIds: [carol], removeUserIds: [bob] },
			{ basis: "unknown" },
			{ ...earlier, gone: [alice] },
			tag({ present: [carol], gone: [bob] }),
		],
		[
			"has the users that it adds where the members are not known",
			{ addUserIds: [carol], removeUserIds: [bob] },
			{ after: { name: "signers", members: null } },
			undefined,
			tag({ present: [carol], gone: [bob] }),
		],
		[
			"that only renames keeps what was applied",
			{ newUserTagName: "signers" },
			{ after: { name: "signers", members: null }, addUserIds: [], removeUserIds: [] },
			earlier,
			[{ kind: "userTag", id: signers, value: { ...earlier, name: "signers" } }],
		],
		[
			"that only renames adds nothing where nothing was applied",
			{ newUserTagName: "signers" },
			{ after: { name: "signers", members: null }, addUserIds: [], removeUserIds: [] },
			undefined,
			[],
		],
		[
			"that only renames has the members of the document",
			{ newUserTagName: "signers" },
			{ after: { name: "signers", members: [carol] }, addUserIds: [], removeUserIds: [] },
			undefined,
			tag({ present: [carol] }),
		],
	])("%s", (_what, parameters, parts, before, added) => {
		const changes = [{ ...change, ...parts } as TagChange];
		expect(appliedByStep({ ...parameters }, changes)(["userTag:signers"], () => before, at)).toEqual(added);
	});

	it("that creates a tag has its members under the id that the answer has, whatever was applied before", () => {
		const created = { ...change, action: "create", tagId: "a stand-in" } as TagChange;
		const answer = { ...at, createdIds: [signers] };
		expect(appliedByStep({}, [created])(["userTag:signers"], () => earlier, answer)).toEqual(
			tag({ present: [carol], gone: [bob] }),
		);
	});

	it("of what can only be read adds nothing", () => {
		const report = { address: "userTag:signers", kind: "bootProof", action: "report" } as never;
		expect(appliedByStep({}, [report])(["userTag:signers"], () => undefined, at)).toEqual([]);
	});

	it("has the policies of its changes, of created ones those of which the answer has the ids", () => {
		const content = { effect: "EFFECT_ALLOW", consensus: "", condition: "", notes: "", time: "" };
		const policy = (name: string, action: "create" | "update"): PolicyChange => ({
			...{
				address: `policy:${name}`,
				kind: "policy",
				action,
				reason: "differs",
				basis: "live",
				id: name,
				userId: null,
			},
			...{ before: null, after: { ...content, name }, written: content, writtenBefore: null, takesOver: false },
		});
		const written = (id: string, name: string) => ({
			kind: "policyText",
			id,
			value: { appliedAt: at.appliedAt, name },
		});
		const changes = [policy("one", "create"), policy("two", "create"), policy("three", "update")];
		const added = (parameters: object, covers: readonly AddressText[], createdIds?: readonly string[]) =>
			appliedByStep({ ...parameters }, changes)(covers, () => undefined, { ...at, ...(createdIds && { createdIds }) });
		const both = { policies: [{ policyName: "one" }, { policyName: "two" }] };
		expect(added(both, ["policy:one", "policy:two"], ["a", "b"])).toEqual([written("a", "one"), written("b", "two")]);
		expect(added(both, ["policy:two"], ["a", "b"])).toEqual([written("b", "two")]);
		for (const ids of [undefined, ["a"]]) expect(added(both, ["policy:one"], ids)).toEqual([]);
		expect(added({ policyId: "three", policyName: "three" }, ["policy:three"])).toEqual([written("three", "three")]);
	});
});

describe("what an apply finds in sync", () => {
	const [pay = "", refund = ""] = policies;
	const members = { known: true, value: [bob] };
	const plan = { organizationId, problems: [], changes: [], readAt: at.appliedAt };
	const live = {
		userTags: {
			known: true,
			value: [{ id: signers, name: "signers", type: "TAG_TYPE_USER", members, updatedAt: "3.4" }],
		},
		policies: { known: true, value: [pay, refund].map((id, index) => ({ id, name: `policy ${index}` })) },
	};
	const entries = [
		{ kind: "userTag", name: "signers", previously: [] },
		...live.policies.value.map(({ name }) => ({ kind: "policy", effect: "EFFECT_ALLOW", name, previously: [] })),
	];
	const recorded = (parts: { plan?: object; live?: object }, applied: object = {}): readonly AppliedObject[] => {
		const all: AppliedObject[] = [];
		recordInSync(
			{ desired: { objects: entries }, live: { ...live, ...parts.live }, plan: { ...plan, ...parts.plan } } as never,
			{
				lastApplied: () => ({ userTags: {}, removed: {}, ...applied }),
				recordApplied: (_organizationId, objects) => all.push(...objects),
			},
		);
		return all;
	};
	const policy = (index: number) => ({
		...{ kind: "policyText", id: policies[index] },
		value: { appliedAt: at.appliedAt, name: `policy ${index}` },
	});
	const seen = { appliedAt: at.appliedAt, name: "signers", present: [bob], gone: [], updatedAt: "3.4" };
	const asTag = (value: object) => ({ kind: "userTag", id: signers, value });

	it("counts as applied: policies by name, and tags with the members that are live", () => {
		expect(recorded({})).toEqual([policy(0), policy(1), asTag(seen)]);
	});

	it("keeps unknown members unknown, also after a rename, and has no tag where none was read", () => {
		const [tagOfAll] = live.userTags.value;
		const unknown = {
			known: true,
			value: [{ ...tagOfAll, members: { known: false, because: { kind: "not-needed" } } }],
		};
		const value = { ...seen, present: [], updatedAt: "unknown" };
		expect(recorded({ live: { userTags: unknown } })).toEqual([policy(0), policy(1), asTag(value)]);
		const rename = { ...plan, kind: "userTag", action: "update", address: "userTag:payers", tagId: signers } as const;
		const names = { before: { name: "signers", members: null }, after: { name: "payers", members: null } };
		const change = { ...rename, ...names, addUserIds: [], removeUserIds: [] } as unknown as TagChange;
		const renamed = appliedByStep({ newUserTagName: "payers" }, [change])(["userTag:payers"], () => value, at);
		expect(renamed).toEqual([asTag({ ...value, name: "payers" })]);
		const unread = { known: false, because: { kind: "no-user-tags-wanted" } };
		expect(recorded({ live: { userTags: unread } })).toEqual([policy(0), policy(1)]);
	});

	it("is nothing that was applied before, or that the plan changes", () => {
		const before = { policies: { [pay]: {} }, userTags: { [signers]: {} } };
		expect(recorded({}, before)).toEqual([policy(1)]);
		const changes = [
			{ kind: "policy", id: refund },
			{ kind: "userTag", tagId: signers },
		];
		expect(recorded({ plan: { changes } })).toEqual([policy(0)]);
	});

	it("is nothing of a plan with problems, or where policies were not read", () => {
		expect(recorded({ plan: { problems: [{}] } })).toEqual([]);
		for (const unread of [undefined, { known: false, because: { kind: "extended-reads-off" } }]) {
			expect(recorded({ live: { policies: unread } })).toEqual([]);
		}
	});
});
