/**
 * When orgsync last changed what the document speaks of: what it applied after a difference was seen may have ended it;
 * what it applied before cannot have.
 */
import { findTags } from "./kind-user-tag.ts";
import { nameOfUser } from "./kinds.ts";
import type { DesiredOrganization, LiveOrganization, Remembered } from "./organization.ts";

/** Times, ISO 8601 in UTC, by address; without objects that orgsync never changed, or that somebody changed since. */
export function lastAppliedTimes(desired: DesiredOrganization, live: LiveOrganization): ReadonlyMap<string, string> {
	const { userTags, removedPolicies, removedOauthProviders, removedTvcApps } = live.memory;
	const times = new Map<string, string>();
	const remember = (address: string, remembered: Remembered | undefined): void => {
		if (remembered !== undefined) times.set(address, remembered.appliedAt);
	};
	const { found } = findTags(desired.userTags, live.userTags.known ? live.userTags.value : [], live);
	for (const { wanted, tag } of found) {
		const remembered = userTags[tag.id];
		if (remembered?.updatedAt === tag.updatedAt) remember(`userTag:${wanted.name}`, remembered);
	}
	for (const id of desired.absent.policyIds) remember(`policy:${id}`, removedPolicies[id]);
	for (const id of desired.absent.tvcAppIds) remember(`tvcApp:${id}`, removedTvcApps[id]);
	for (const { userId, providerIds } of desired.absent.oauthProviders) {
		for (const id of providerIds) {
			remember(`oauthProvider:${nameOfUser(desired, userId)}/${id}`, removedOauthProviders[`${userId}/${id}`]);
		}
	}
	return times;
}
