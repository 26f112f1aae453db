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
	readonly policies: readonly object[];
	readonly tvcApps: readonly object[];
}

/** Puts a part of the organization back as it was at the beginning. Returns what was done, for people. */
export async function changeOutside(service: Service, world: SmallWorld, which: number): Promise<string> {
	const seed = world.seed as unknown as Seed;
	const tag = seed.userTags[which % seed.userTags.length];
	const kind = which % 5;
	if (kind === 1) {
		await service.change({ policies: seed.policies });
		return "someone makes the policies of the beginning again";
	}
	if (kind === 2) {
		await service.change({ users: seed.users.filter(({ oauthProviders }) => (oauthProviders ?? []).length > 0) });
		return "someone adds the OAuth providers of the beginning again";
	}
	if (tag === undefined) throw new Error("the world has no tags");
	const now = (service.look().organization as Seed).userTags.find(({ tagId }) => tagId === tag.tagId);
	// The names of others may be taken: only the members.
	await service.change({ userTags: [{ ...tag, tagName: now?.tagName ?? tag.tagName }] });
	return `someone puts the members of the beginning into the tag ${tag.tagId}`;
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
