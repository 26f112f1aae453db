/**
 * What each of the five submits does to an organization (docs/service.md#submits). `check` refuses what cannot be done;
 * `execute` returns the changes and the result. Neither touches the state.
 */
import { type SubmitName, submits } from "../wire/operations.ts";
import { duplicateTagNameMessage, movesUpdatedAt, unknownInSubmit, userInBothListsMessage } from "./choices.ts";
import { laterTime } from "./identifiers.ts";
import { invalid, Refusal } from "./refusals.ts";
import type { Change, Organization, User, UserTag, World } from "./state.ts";

type Parameters = Readonly<Record<string, unknown>>;

export interface Effect {
	/** Throws a refusal when the parameters do not fit the organization as it is now. */
	check(organization: Organization, parameters: Parameters): void;
	/** Changes and result; call it only after `check`. */
	execute(world: World, parameters: Parameters): { readonly changes: readonly Change[]; readonly result: object };
}

// Ids are compared in lower case and kept as they were sent in the intent (docs/service.md#activity-object: it echoes).
function idOf(parameters: Parameters, name: string): string {
	return String(parameters[name]).toLowerCase();
}

function idsOf(parameters: Parameters, name: string): readonly string[] {
	return (parameters[name] as readonly string[]).map((id) => id.toLowerCase());
}

/** The entity `id`, or the refusal for something that is not there. */
function find<Entity>(entities: ReadonlyMap<string, Entity>, id: string, what: string): Entity {
	const entity = entities.get(id);
	if (entity === undefined) {
		throw new Refusal(unknownInSubmit.status, unknownInSubmit.code, `no ${what} found with id ${id}`);
	}
	return entity;
}

function newNameOf(parameters: Parameters): string | undefined {
	const name = parameters.newUserTagName;
	return typeof name === "string" ? name : undefined;
}

function checkUserTagUpdate(organization: Organization, parameters: Parameters): void {
	const tag = find(organization.userTags, idOf(parameters, "userTagId"), "user tag");
	const added = new Set(idsOf(parameters, "addUserIds"));
	const removed = idsOf(parameters, "removeUserIds");
	for (const userId of [...added, ...removed]) find(organization.users, userId, "user");
	if (removed.some((userId) => added.has(userId))) throw invalid(userInBothListsMessage);
	const name = newNameOf(parameters);
	if (name === undefined || name === tag.tagName) return;
	for (const other of organization.userTags.values()) {
		if (other.tagName === name) throw invalid(duplicateTagNameMessage);
	}
}

function updateUserTag({ organization, nowMs }: World, parameters: Parameters) {
	const tag = find(organization.userTags, idOf(parameters, "userTagId"), "user tag");
	const members = new Set(tag.userIds);
	for (const userId of idsOf(parameters, "addUserIds")) members.add(userId);
	for (const userId of idsOf(parameters, "removeUserIds")) members.delete(userId);
	const tagName = newNameOf(parameters) ?? tag.tagName;
	const membersChanged = members.size !== tag.userIds.length || tag.userIds.some((userId) => !members.has(userId));
	const moves = movesUpdatedAt(tagName !== tag.tagName, membersChanged);
	const updatedAt = moves ? laterTime(nowMs, tag.updatedAt) : tag.updatedAt;
	const value: UserTag = { ...tag, tagName, userIds: [...members], updatedAt };
	const changes: readonly Change[] = [{ change: "put", kind: "userTags", id: tag.tagId, value }];
	return { changes, result: { userTagId: tag.tagId } };
}

function checkProviderRemoval(organization: Organization, parameters: Parameters): void {
	const user = find(organization.users, idOf(parameters, "userId"), "user");
	const providers = new Map(user.oauthProviders.map((provider) => [provider.providerId, provider]));
	for (const providerId of idsOf(parameters, "providerIds")) find(providers, providerId, "OAuth provider");
}

function deleteOauthProviders({ organization, nowMs }: World, parameters: Parameters) {
	const user = find(organization.users, idOf(parameters, "userId"), "user");
	const removed = new Set(idsOf(parameters, "providerIds"));
	const oauthProviders = user.oauthProviders.filter((provider) => !removed.has(provider.providerId));
	const updatedAt = removed.size === 0 ? user.updatedAt : laterTime(nowMs, user.updatedAt);
	const value: User = { ...user, oauthProviders, updatedAt };
	const changes: readonly Change[] = [{ change: "put", kind: "users", id: user.userId, value }];
	return { changes, result: { providerIds: [...removed] } };
}

/** One row per submit of the interface. */
export const effects: Readonly<Record<SubmitName, Effect>> = {
	[submits.update_user_tag.name]: { check: checkUserTagUpdate, execute: updateUserTag },
	[submits.delete_oauth_providers.name]: { check: checkProviderRemoval, execute: deleteOauthProviders },
	[submits.delete_policies.name]: {
		check(organization, parameters) {
			for (const policyId of idsOf(parameters, "policyIds")) find(organization.policies, policyId, "policy");
		},
		execute(_world, parameters) {
			const policyIds = [...new Set(idsOf(parameters, "policyIds"))];
			const changes = policyIds.map((id): Change => ({ change: "remove", kind: "policies", id }));
			return { changes, result: { policyIds } };
		},
	},
	[submits.delete_tvc_app_and_deployments.name]: {
		check(organization, parameters) {
			find(organization.tvcApps, idOf(parameters, "appId"), "TVC app");
		},
		execute(_world, parameters) {
			const appId = idOf(parameters, "appId");
			return { changes: [{ change: "remove", kind: "tvcApps", id: appId }], result: { appId } };
		},
	},
	[submits.init_import_private_key.name]: {
		check(organization, parameters) {
			find(organization.users, idOf(parameters, "userId"), "user");
		},
		execute(world, parameters) {
			const { organizationId } = world.organization;
			const importBundle = world.makeImportBundle(organizationId, idOf(parameters, "userId"));
			return { changes: [], result: { importBundle } };
		},
	},
};
