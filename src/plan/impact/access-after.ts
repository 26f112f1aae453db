/** What steps do to who can do what: tags of users, and policies. */
import { defined } from "../../common/defined.ts";
import {
	type AccessCredential,
	type AccessPolicy,
	type AccessState,
	type AccessUser,
	mapKnown,
	withoutTag,
} from "../../policy/access.ts";
import { labelOf } from "../address.ts";
import type { PolicyContent } from "../change.ts";
import { newContent, updatedContent } from "../kinds/policy-content.ts";
import type { CoveredObject, Step, StepRequest } from "../step.ts";
import { compareText } from "../value.ts";

/**
 * Returns the access after these steps have completed; the order of the steps does not matter. The same access where nothing
 * changes: a rename does not, since policies hold ids. An OAuth provider stamps nothing, so its removal takes a credential only
 * where one has its id.
 */
export function accessAfter(access: AccessState, steps: readonly CoveringRequest[]): AccessState {
	return steps.reduce(afterStep, access);
}

/** Returns the steps that are to complete: not those that were rejected before. */
export function completing(steps: readonly Step[]): readonly Step[] {
	return steps.filter(({ earlierActivity }) => earlierActivity?.relation !== "rejected");
}

/** What is created has the ids by which the step covers it. */
export type CoveringRequest = StepRequest & { readonly covers?: readonly CoveredObject[] };

function afterStep(access: AccessState, step: CoveringRequest): AccessState {
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
			const isGone = ({ id }: AccessCredential): boolean => providerIds.includes(id ?? "");
			const { users } = access;
			const owner = users.known ? users.value.find(({ id }) => id === userId)?.credentials : undefined;
			if (owner?.known !== true || !owner.value.some(isGone)) return access;
			const credentials = mapKnown(owner, (all) => all.filter((one) => !isGone(one)));
			const without = (user: AccessUser): AccessUser => (user.id === userId ? { ...user, credentials } : user);
			return { ...access, users: mapKnown(users, (all) => all.map(without)) };
		}
		case "create_user_tag": {
			const { userTagName, userIds } = step.parameters;
			const userTagId = coveredId(step, userTagName);
			const users = afterTagging(access.users, { userTagId, addUserIds: userIds, removeUserIds: [] });
			return users === access.users ? access : { ...access, users };
		}
		case "delete_user_tags":
			return step.parameters.userTagIds.reduce(withoutTag, access);
		case "create_policies": {
			const created = step.parameters.policies.map((one) =>
				policyOf(coveredId(step, one.policyName), newContent({ ...one })),
			);
			return { ...access, policies: mapKnown(access.policies, (all) => sortById([...all, ...created])) };
		}
		case "update_policy": {
			const updated = (one: AccessPolicy): AccessPolicy => {
				if (one.id !== step.parameters.policyId) return one;
				const policy = policyOf(one.id, updatedContent({ ...step.parameters }, one));
				// What the service says of a time is true of the same time.
				return policy.time === one.time ? { ...policy, ...defined({ stated: one.stated }) } : policy;
			};
			return { ...access, policies: mapKnown(access.policies, (all) => all.map(updated)) };
		}
		case "delete_tvc_app_and_deployments":
			return access;
	}
}

/** Returns the id by which the step covers the object that it creates; without one its name. */
export function coveredId({ covers = [] }: CoveringRequest, name: string): string {
	return covers.find(({ address }) => labelOf(address) === name)?.id ?? name;
}

const policyOf = (id: string, { notes: _, ...content }: PolicyContent): AccessPolicy => ({ id, ...content });

function sortById(policies: readonly AccessPolicy[]): readonly AccessPolicy[] {
	return policies.toSorted((left, right) => compareText(left.id, right.id));
}

/** Whether the step changes something that is unknown: tags of users, or policies. */
export function changesUnknown({ users, policies }: AccessState, step: StepRequest): boolean {
	if (["delete_policies", "create_policies", "update_policy"].includes(step.operation)) return !policies.known;
	if (step.operation === "delete_user_tags") return !users.known || users.value.some(({ tagIds }) => !tagIds.known);
	const changed = new Set(taggedUsers(step));
	if (changed.size === 0) return false;
	return !users.known || users.value.some(({ id, tagIds }) => changed.has(id) && !tagIds.known);
}

/** Returns the users who get or lose a tag by the request. */
export function taggedUsers(step: StepRequest): readonly string[] {
	if (step.operation === "create_user_tag") return step.parameters.userIds;
	return step.operation === "update_user_tag" ? [...step.parameters.addUserIds, ...step.parameters.removeUserIds] : [];
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
