/** What others do to the organization, with other tools. */
import { type Change, hasChange, keys, type SmallWorld } from "../small-world.ts";
import type { Service } from "./service.ts";

interface Seed {
	readonly userTags: readonly {
		readonly tagId: string;
		readonly tagName: string;
		readonly userIds: readonly string[];
	}[];
	readonly users: readonly { readonly userId: string; readonly oauthProviders?: readonly object[] }[];
}

/**
 * Changes a tag. Returns what was done, for people. Only tags: a policy, a provider or an app that is removed has an id that never
 * comes again.
 */
export async function changeOutside(service: Service, world: SmallWorld, which: number): Promise<string> {
	const first = (world.seed as unknown as Seed).userTags[which % 3];
	const now = (service.look().organization as Seed).userTags.find(({ tagId }) => tagId === first?.tagId);
	if (first === undefined || now === undefined) throw new Error("the world has too few tags");
	if (which % 5 === 4) {
		await service.change({ userTags: [{ tagId: now.tagId, tagName: `renamed-${which}` }] });
		return `someone renames the tag ${now.tagId}`;
	}
	// Its name of the beginning may be taken: only the members. Without the time of its last change: the service notes a new one.
	await service.change({ userTags: [{ tagId: now.tagId, userIds: first.userIds }] });
	return `someone puts the members of the beginning into the tag ${now.tagId}`;
}

/** Bob submits one of the changes that the document asks for, if it is still to be made. Returns what was done, for people. */
export function submitOutside(service: Service, wanted: readonly Change[], which: number, number: number): string {
	const { organization } = service.look();
	const missing = wanted.filter((change) => !change.startsWith("name ") && !hasChange(organization, change));
	const change = missing[which % Math.max(1, missing.length)];
	if (change === undefined) return "bob has nothing to submit";
	const [name, parameters] = requestOf(change, organization as Seed);
	// Bytes of his own.
	service.submitAs(keys.bob, name, parameters, service.nowMs - 7 * number);
	return `bob submits: ${change}`;
}

function requestOf(change: Change, { users }: Seed): readonly [string, object] {
	const [verb = "", first = "", second = ""] = change.split(" ");
	if (verb === "add") return ["update_user_tag", { userTagId: first, addUserIds: [second], removeUserIds: [] }];
	if (verb === "remove") return ["update_user_tag", { userTagId: first, addUserIds: [], removeUserIds: [second] }];
	if (first === "policy") return ["delete_policies", { policyIds: [second] }];
	if (first === "app") return ["delete_tvc_app_and_deployments", { appId: second }];
	const owner = users.find(({ oauthProviders = [] }) => JSON.stringify(oauthProviders).includes(second));
	return ["delete_oauth_providers", { userId: owner?.userId, providerIds: [second] }];
}
