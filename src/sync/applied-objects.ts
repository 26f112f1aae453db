/**
 * What a completed activity adds to the last-applied state. That state replaces live state that cannot be read, so it holds
 * only what the service confirmed.
 */
import { labelOf } from "../plan/address.ts";
import type { Change, TagChange } from "../plan/change.ts";
import { keyOfRemoval } from "../plan/objects.ts";
import type { LastAppliedTag, LiveUserTag } from "../plan/organization.ts";
import { type AnyParameters, idsIn, isStepOperation, targetOf } from "../plan/requests.ts";
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
	return (covers, lastApplied, at) =>
		changes
			.filter(({ address }) => covers.includes(address))
			.flatMap((change): readonly AppliedObject[] => {
				if (change.kind === "userTag") {
					const name = String(parameters.newUserTagName ?? change.before.name);
					if (name !== change.after.name) return [];
					return appliedTag(change, lastApplied.userTags[change.tagId], at);
				}
				if (change.action !== "remove") return [];
				return [{ kind: change.kind, id: keyOfRemoval(change), value: { appliedAt: at.appliedAt } }];
			});
}

/**
 * Returns what an activity applied that completed after the run that submitted it. Only its body is known: the plan of that
 * run is gone.
 */
export function appliedByEntry({ body, covers }: JournalEntry): AppliedObjects {
	const { parameters } = JSON.parse(body.bytes) as { parameters: AnyParameters };
	const operation = body.operation.name;
	return (_covers, lastApplied, at) => {
		if (!isStepOperation(operation)) return [];
		const { kind, userId, ids } = targetOf({ operation, parameters });
		const [tagId = ""] = ids;
		if (kind === "userTag") return appliedToTag(tagId, parameters, covers[0] ?? "", lastApplied.userTags[tagId], at);
		return ids.map((id) => ({ kind, id: keyOfRemoval({ userId, id }), value: { appliedAt: at.appliedAt } }));
	};
}

function appliedToTag(
	id: string,
	parameters: AnyParameters,
	address: string,
	earlier: LastAppliedTag | undefined,
	at: CompletionTime,
): readonly AppliedObject[] {
	const [add, remove] = [idsIn(parameters.addUserIds), idsIn(parameters.removeUserIds)];
	const name = labelOf(address);
	const isTemporary = parameters.newUserTagName !== undefined && parameters.newUserTagName !== name;
	if (isTemporary || (earlier === undefined && add.length + remove.length === 0)) return [];
	const less = (list: readonly string[], others: readonly string[]): readonly string[] =>
		list.filter((user) => !others.includes(user));
	const present = [...new Set([...less(earlier?.present ?? [], remove), ...add])].sort(compareText);
	const gone = [...new Set([...less(earlier?.gone ?? [], add), ...remove])].sort(compareText);
	return [{ kind: "userTag", id, value: { ...at, name, present, gone, updatedAt: "" } }];
}

/** Returns the last-applied tag with the `updatedAt` of the live one; nothing if it has one already. */
export function withUpdateTime(tag: LiveUserTag, tagBefore: LastAppliedTag | undefined): readonly AppliedObject[] {
	return tagBefore === undefined || tagBefore.updatedAt !== ""
		? []
		: [{ kind: "userTag", id: tag.id, value: { ...tagBefore, updatedAt: tag.updatedAt } }];
}

function appliedTag(
	change: TagChange,
	earlier: LastAppliedTag | undefined,
	at: CompletionTime,
): readonly AppliedObject[] {
	const { tagId: id, addUserIds, removeUserIds, after } = change;
	if (after.members === null && addUserIds.length + removeUserIds.length === 0) {
		// Only the name was changed and the members are not known: the last-applied members and their time stay.
		return earlier === undefined ? [] : [{ kind: "userTag", id, value: { ...earlier, name: after.name } }];
	}
	// The earlier state does not count if others changed the tag since, or if there was none.
	const kept = change.basis === "unknown" ? undefined : earlier;
	const present = after.members ?? addUserIds;
	const gone = [...(kept?.gone ?? []), ...removeUserIds].filter((user) => !present.includes(user));
	const tag: LastAppliedTag = {
		...at,
		name: after.name,
		present: [...present],
		gone: [...new Set(gone)].sort(compareText),
		updatedAt: "",
	};
	return [{ kind: "userTag", id, value: tag }];
}
