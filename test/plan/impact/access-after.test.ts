/** What steps do to who can do what. */
import { describe, expect, it } from "vitest";
import { accessAfter, changesUnknown, taggedUsers } from "../../../src/plan/impact/access-after.ts";
import type { StepRequest } from "../../../src/plan/step.ts";
import type { AccessState } from "../../../src/policy/access.ts";
import { accessOf, alice, approvers, bob, policyOf, signers } from "../support-access.ts";
import { id, known, unknown } from "../support-organizations.ts";

const tagging = (
	addUserIds: readonly string[],
	removeUserIds: readonly string[],
	newUserTagName?: string,
): StepRequest => ({
	operation: "update_user_tag",
	parameters: {
		userTagId: signers,
		addUserIds,
		removeUserIds,
		...(newUserTagName === undefined ? {} : { newUserTagName }),
	},
});
const removing = (...policyIds: readonly string[]): StepRequest => ({
	operation: "delete_policies",
	parameters: { policyIds },
});

const before = accessOf({ signers: ["bob"], approvers: ["alice"] }, [policyOf(1), policyOf(2)]);

function tagsOf({ users }: AccessState, userId: string): readonly string[] {
	const user = users.known ? users.value.find((one) => one.id === userId) : undefined;
	return user?.tagIds.known === true ? user.tagIds.value : ["unknown"];
}

describe("access after steps", () => {
	it("has the tags that users get, sorted and once, and not those that they lose", () => {
		const after = accessAfter(before, [tagging([alice], [bob])]);
		expect([tagsOf(after, alice), tagsOf(after, bob)]).toEqual([[signers, approvers].sort(), []]);
		expect(tagsOf(accessAfter(before, [tagging([bob], [])]), bob)).toEqual([signers]);
	});

	it("has no policies that were removed", () => {
		const { policies } = accessAfter(before, [removing(id("policy", 1)), removing(id("policy", 2))]);
		expect(policies).toEqual(known([]));
	});

	it("is the very same where nothing changes in it, and the given one is never changed", () => {
		const copy = structuredClone(before);
		const app: StepRequest = { operation: "delete_tvc_app_and_deployments", parameters: { appId: id("app", 1) } };
		const provider: StepRequest = {
			operation: "delete_oauth_providers",
			parameters: { userId: alice, providerIds: [id("provider", 1)] },
		};
		expect(accessAfter(before, [tagging([], [], "renamed"), app, provider, removing(id("policy", 9))])).toBe(before);
		accessAfter(before, [tagging([alice], [bob]), removing(id("policy", 1))]);
		expect(before).toEqual(copy);
	});

	it("has no users where one who gets a tag is not listed: what else that user has is not known", () => {
		const stranger = id("user", 9);
		const after = accessAfter(before, [tagging([stranger], [])]);
		expect(after.users).toEqual({
			known: false,
			because: { kind: "user-not-listed", userId: stranger },
		});
		expect(accessAfter(before, [tagging([], [stranger])])).toMatchObject({ users: { known: true } });
	});

	it("stays unknown where it was", () => {
		const without = { ...before, users: unknown, policies: unknown };
		expect(accessAfter(without, [tagging([alice], []), removing(id("policy", 1))])).toEqual(without);
		const hidden = { id: alice, tagIds: unknown, email: known(null), credentials: unknown };
		const after = accessAfter({ ...before, users: known([hidden]) }, [tagging([alice], [])]);
		expect(after.users).toEqual(known([hidden]));
	});

	it("has no credential with the id of a removed OAuth provider, and all others", () => {
		const credential = (of: string) => ({ id: of, type: null, credentialId: null, publicKey: null });
		const [kept, gone] = [credential(id("other", 1)), credential(id("provider", 1))];
		const user = (userId: string) => ({
			...{ id: userId, tagIds: known([]), email: known(null) },
			credentials: known([kept, gone]),
		});
		const step: StepRequest = {
			operation: "delete_oauth_providers",
			parameters: { userId: alice, providerIds: [id("provider", 1), id("provider", 2)] },
		};
		const { users } = accessAfter({ ...before, users: known([user(alice), user(bob)]) }, [step]);
		expect(users).toEqual(known([{ ...user(alice), credentials: known([kept]) }, user(bob)]));
	});
});

describe("a step", () => {
	const creating: StepRequest = {
		operation: "create_user_tag",
		parameters: { userTagName: "new", userIds: [alice, bob] },
	};
	const untagging: StepRequest = { operation: "delete_user_tags", parameters: { userTagIds: [signers] } };
	const provider: StepRequest = {
		operation: "delete_oauth_providers",
		parameters: { userId: alice, providerIds: [id("provider", 1)] },
	};

	it.each<[what: string, step: StepRequest, users: readonly string[], changes: string]>([
		["creates a tag", creating, [alice, bob], "users and tags"],
		["changes members", tagging([alice], [bob]), [alice, bob], "users and tags"],
		["changes other members", tagging([bob], []), [bob], "users"],
		["renames a tag", tagging([], [], "new"), [], ""],
		["removes a tag", untagging, [], "users and tags"],
		["removes policies", removing(id("policy", 1)), [], "policies"],
		["removes a provider", provider, [], ""],
	])("that %s names the users who get or lose a tag, and whether it changes what is unknown", (_, step, users, changes) => {
		expect(taggedUsers(step)).toEqual(users);
		const hidden = { id: alice, tagIds: unknown, email: known(null), credentials: unknown };
		const [other] = before.users.known ? before.users.value.filter((user) => user.id === bob) : [];
		const unread = {
			users: { users: unknown },
			tags: { users: known([hidden, other as typeof hidden]) },
			policies: { policies: unknown },
		};
		const changed = Object.entries(unread).filter(([, parts]) => changesUnknown({ ...before, ...parts }, step));
		expect(changed.map(([name]) => name).join(" and ")).toBe(changes);
		expect(changesUnknown(before, step)).toBe(false);
	});
});
