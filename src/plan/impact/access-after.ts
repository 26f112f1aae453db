/** What steps do to who can do what: tags of users, and policies. */
import type { AccessState, AccessUser, Known } from "../../policy/access.ts";
import type { StepRequest } from "../step.ts";
import { compareText } from "../value.ts";

/**
 * Returns the access after these steps have completed; the order of the steps does not matter. The same access where nothing
 * changes: a rename does not, since policies hold ids. An OAuth provider stamps nothing, so its removal takes a credential only
 * where one has its id.
 */
export function accessAfter(access: AccessState, steps: readonly StepRequest[]): AccessState {
	return steps.reduce(afterStep, access);
}

function afterStep(access: AccessState, step: StepRequest): AccessState {
	switch (step.operation) {
		case "update_user_tag": {
			const users = afterTagging(access.users, step.parameters);
			return users === access.users ? access : { ...access, users };
		}
		case "delete_policies": {
			const gone = new Set(step.parameters.policyIds);
			if (!access.policies.known || !access.policies.value.some(({ id }) => gone.has(id))) return access;
			return { ...access, policies: mapKnown(access.policies, (all) => all.filter(({ id }) => !gone.has(id))) };
		}
		case "delete_oauth_providers": {
			const { userId, providerIds } = step.parameters;
			const isCredential = (user: AccessUser): boolean =>
				user.id === userId &&
				user.credentials.known &&
				user.credentials.value.some(({ id }) => providerIds.includes(id ?? ""));
			if (!access.users.known || !access.users.value.some(isCredential)) return access;
			const without = (user: AccessUser): AccessUser =>
				user.id === userId ? withoutCredentials(user, providerIds) : user;
			return { ...access, users: mapKnown(access.users, (all) => all.map(without)) };
		}
		case "delete_tvc_app_and_deployments":
			return access;
	}
}

/** Whether the step changes something that is unknown: tags of users, or policies. */
export function changesUnknown({ users, policies }: AccessState, step: StepRequest): boolean {
	if (step.operation === "delete_policies") return !policies.known;
	if (step.operation !== "update_user_tag") return false;
	const { addUserIds, removeUserIds } = step.parameters;
	const changed = new Set([...addUserIds, ...removeUserIds]);
	if (changed.size === 0) return false;
	return !users.known || users.value.some(({ id, tagIds }) => changed.has(id) && !tagIds.known);
}

type Tagging = Extract<StepRequest, { readonly operation: "update_user_tag" }>["parameters"];

/** Users become unknown where one who gets the tag is not listed: what else that user has is not known. */
function afterTagging(
	users: AccessState["users"],
	{ userTagId, addUserIds, removeUserIds }: Tagging,
): AccessState["users"] {
	if (!users.known || addUserIds.length + removeUserIds.length === 0) return users;
	const listed = new Set(users.value.map(({ id }) => id));
	const stranger = addUserIds.find((id) => !listed.has(id));
	if (stranger !== undefined) {
		return { known: false, because: { kind: "user-not-listed", userId: stranger } };
	}
	const [added, removed] = [new Set(addUserIds), new Set(removeUserIds)];
	const value = users.value.map((user): AccessUser => {
		if (!added.has(user.id) && !removed.has(user.id)) return user;
		const others = (tagIds: readonly string[]): readonly string[] => tagIds.filter((id) => id !== userTagId);
		const change = (tagIds: readonly string[]): readonly string[] =>
			added.has(user.id) ? [...others(tagIds), userTagId].sort(compareText) : others(tagIds);
		return { ...user, tagIds: mapKnown(user.tagIds, change) };
	});
	return { known: true, value };
}

function withoutCredentials(user: AccessUser, ids: readonly string[]): AccessUser {
	return { ...user, credentials: mapKnown(user.credentials, (all) => all.filter(({ id }) => !ids.includes(id ?? ""))) };
}

function mapKnown<T>(known: Known<T>, change: (value: T) => T): Known<T> {
	return known.known ? { known: true, value: change(known.value) } : known;
}
