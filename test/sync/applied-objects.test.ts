/** What a completed activity adds to the last-applied state: no more than the service confirmed. */
import { describe, expect, it } from "vitest";
import type { TagChange } from "../../src/plan/change.ts";
import type { LastAppliedTag } from "../../src/plan/organization.ts";
import { appliedByEntry, appliedByStep } from "../../src/sync/applied-objects.ts";
import type { JournalEntry } from "../../src/sync/journal/journal.ts";
import { type SubmitName, submits } from "../../src/wire/operations.ts";
import { encodeSubmit } from "../../src/wire/request-body.ts";
import { organizationId } from "../plan/support-organizations.ts";
import { alice, bob, carol, policies, providers, signers } from "./support.ts";

const at = { appliedAt: "2026-01-01T00:00:00.000Z", completedAtMs: 5 };
const earlier: LastAppliedTag = {
	...{ appliedAt: "2025-01-01T00:00:00.000Z", name: "old", present: [alice, bob], gone: [carol], updatedAt: "1.2" },
};

/** What the entry of this request adds, where a tag was applied before as `before`. */
function addedBy(operation: SubmitName, parameters: object, before?: LastAppliedTag) {
	const body = encodeSubmit(submits[operation], organizationId, { ...parameters }, 1);
	const entry = { body, covers: ["userTag:signers"] } as unknown as JournalEntry;
	return appliedByEntry(entry)([], () => before, at);
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
});
