/**
 * What a completed activity adds to the last-applied state. That state replaces live state that cannot be read, so it holds
 * only what the service confirmed.
 */
import type { Change, TagChange } from "../plan/change.ts";
import type { LiveUserTag, RememberedTag } from "../plan/organization.ts";
import { compareText } from "../plan/value.ts";
import type { ActivityRequest, CompletionTime } from "./activity-request.ts";
import type { AppliedObject, JournalEntry } from "./journal.ts";

type AppliedObjects = NonNullable<ActivityRequest["appliedObjects"]>;

/**
 * Returns what a completed step with these parameters applied of these changes. A tag that took a temporary name keeps its
 * last-applied members.
 */
export function appliedByStep(
	parameters: Readonly<Record<string, unknown>>,
	changes: readonly Change[],
): AppliedObjects {
	return (covers, memory, at) =>
		changes
			.filter(({ address }) => covers.includes(address))
			.flatMap((change): readonly AppliedObject[] => {
				if (change.kind === "userTag") {
					const name = String(parameters.newUserTagName ?? change.before.name);
					if (name !== change.after.name) return [];
					return appliedTag(change, memory.userTags[change.tagId], at);
				}
				if (change.action !== "remove") return [];
				const id = change.kind === "oauthProvider" ? `${change.userId}/${change.id}` : change.id;
				return [{ kind: change.kind, id, appliedAt: at.appliedAt }];
			});
}

/**
 * Returns what an activity applied that completed after the run that submitted it. Only its body is known: the plan of that
 * run is gone.
 */
export function appliedByEntry({ body, covers }: JournalEntry): AppliedObjects {
	const { parameters } = JSON.parse(body.bytes) as { parameters: Record<string, string & readonly string[]> };
	const { userTagId = "", newUserTagName, addUserIds = [], removeUserIds = [], userId, appId } = parameters;
	return (_covers, memory, at) => {
		const { appliedAt } = at;
		switch (body.operation.name) {
			case "update_user_tag": {
				const name = covers[0]?.replace(/^userTag:/, "") ?? "";
				const steppedAside = newUserTagName !== undefined && newUserTagName !== name;
				const earlier = memory.userTags[userTagId];
				if (steppedAside || (earlier === undefined && addUserIds.length + removeUserIds.length === 0)) return [];
				const less = (list: readonly string[], others: readonly string[]): readonly string[] =>
					list.filter((user) => !others.includes(user));
				const present = [...new Set([...less(earlier?.present ?? [], removeUserIds), ...addUserIds])].sort(compareText);
				const gone = [...new Set([...less(earlier?.gone ?? [], addUserIds), ...removeUserIds])].sort(compareText);
				return [{ kind: "userTag", id: userTagId, tag: { ...at, name, present, gone, updatedAt: "" } }];
			}
			case "delete_oauth_providers":
				return (parameters.providerIds ?? []).map((id) => ({
					kind: "oauthProvider",
					id: `${userId}/${id}`,
					appliedAt,
				}));
			case "delete_policies":
				return (parameters.policyIds ?? []).map((id) => ({ kind: "policy", id, appliedAt }));
			case "delete_tvc_app_and_deployments":
				return [{ kind: "tvcApp", id: String(appId), appliedAt }];
			default:
				return [];
		}
	};
}

/** Returns the last-applied tag with the `updatedAt` of the live one; nothing if it has one already. */
export function withUpdateTime(tag: LiveUserTag, tagBefore: RememberedTag | undefined): readonly AppliedObject[] {
	return tagBefore === undefined || tagBefore.updatedAt !== ""
		? []
		: [{ kind: "userTag", id: tag.id, tag: { ...tagBefore, updatedAt: tag.updatedAt } }];
}

function appliedTag(
	change: TagChange,
	earlier: RememberedTag | undefined,
	at: CompletionTime,
): readonly AppliedObject[] {
	const { tagId: id, addUserIds, removeUserIds, after } = change;
	if (after.members === null && addUserIds.length + removeUserIds.length === 0) {
		// Only the name was changed and the members are not known: the last-applied members and their time stay.
		return earlier === undefined ? [] : [{ kind: "userTag", id, tag: { ...earlier, name: after.name } }];
	}
	// The earlier state does not count if others changed the tag since, or if there was none.
	const kept = change.basis === "unknown" ? undefined : earlier;
	const present = after.members ?? addUserIds;
	const gone = [...(kept?.gone ?? []), ...removeUserIds].filter((user) => !present.includes(user));
	const tag: RememberedTag = {
		...at,
		name: after.name,
		present: [...present],
		gone: [...new Set(gone)].sort(compareText),
		updatedAt: "",
	};
	return [{ kind: "userTag", id, tag }];
}
