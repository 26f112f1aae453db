/**
 * Deletes a user tag resource: the tag stays. With `onDestroy: "removeMembers"` it loses the members that the resource
 * manages, unless another resource has taken over the tag. The engine creates a replacement, and a resource that was
 * renamed in the program, before it deletes the old one; removing the members then would undo what was just applied.
 */
import { showText } from "../../common/escape.ts";
import type { PendingActivity } from "../../plan/activities/pending.ts";
import { idsIn } from "../../plan/activities/requests.ts";
import { explainReport, isDone, ResourceFailure } from "../resources/failure.ts";
import { refusePending } from "../resources/pending-delete.ts";
import { storedStateOf } from "../resources/resource.ts";
import { isSameOwner } from "../session/claims.ts";
import type { Session } from "../session/session.ts";
import { readTagInputs, type TagOutputs, tagDocument } from "./inputs.ts";
import { userOf } from "./members.ts";

/** Removes the tag's members where the state says so. Returns a line about those that stay. Throws ResourceFailure. */
export async function deleteTag(
	props: TagOutputs,
	session: Session,
	others: readonly PendingActivity[],
): Promise<string | undefined> {
	const { organizationId, tagId, resource } = props;
	const managed = membersToRemove(props);
	const object = `userTag/${tagId}`;
	if (managed.length > 0) {
		const reason = await findReasonToKeep(props, managed, session);
		if (reason !== undefined) return showText(`${resource}: ${describeKept(managed.length, reason)}`);
		refusePending(others.filter(({ parameters }) => idsIn(parameters.addUserIds).some((id) => managed.includes(id))));
		await removeMembers(props, managed, session);
	}
	// A replacement has the same URN and owns the tag from now on.
	if (session.claims.find(organizationId, object) === undefined) {
		await session.lastOwners.forget(organizationId, object, props);
	}
	return undefined;
}

export function membersToRemove({ onDestroy, managed, members }: TagOutputs): readonly string[] {
	const { exactly, atLeast } = managed ?? members ?? {};
	return onDestroy === "removeMembers" ? (exactly ?? atLeast ?? []).map(userOf) : [];
}

export function isContinuedByDelete(props: TagOutputs, { parameters }: PendingActivity): boolean {
	const managed = membersToRemove(props);
	const { addUserIds, removeUserIds, newUserTagName } = parameters;
	const isOther = idsIn(addUserIds).length > 0 || (newUserTagName ?? "") !== "" || managed.length === 0;
	return !isOther && idsIn(removeUserIds).every((id) => managed.includes(id));
}

function describeKept(count: number, reason: string): string {
	const members = count === 1 ? "its member keeps" : `its ${count} members keep`;
	return `${members} the user tag: ${reason}; to remove members, list them under \`never\``;
}

/** Returns why the members stay, or undefined if they can be removed. */
async function findReasonToKeep(
	props: TagOutputs,
	managed: readonly string[],
	session: Session,
): Promise<string | undefined> {
	const { organizationId, tagId, lastApplied } = props;
	const object = `userTag/${tagId}`;
	const claim = session.claims.find(organizationId, object);
	if (claim !== undefined) return `the program manages it with the resource \`${claim.resource}\``;
	const owner = await session.lastOwners.find(organizationId, object);
	if (owner !== undefined && !isSameOwner(owner, props)) {
		return `the resource \`${owner.resource}\` has managed it since ${new Date(owner.appliedAtMs).toISOString()}`;
	}
	// A pending activity of our own may be what was applied.
	if (lastApplied === undefined || storedStateOf(tagDocument, props, session).activities.length > 0) return undefined;
	const latest = (await session.lastApplied(organizationId)).userTags[tagId];
	const isLater = latest !== undefined && latest.appliedAt > lastApplied.appliedAt;
	if (!isLater || !managed.some((userId) => latest.present.includes(userId))) return undefined;
	return `something other than this resource applied it at ${latest.appliedAt}`;
}

async function removeMembers(props: TagOutputs, managed: readonly string[], session: Session): Promise<void> {
	const { organizationId, tagId, resource, name } = props;
	// `removeMembers` is explicit, so it needs no limit of its own. Every other guard applies.
	const limits = { memberRemovals: managed.length };
	const inputs = { organizationId, name, tagId, members: { never: managed }, limits };
	const stored = storedStateOf(tagDocument, props, session);
	const { userTags } = await session.read({ resource, desired: readTagInputs(inputs), stored });
	const tag = userTags.known ? userTags.value.find((one) => one.id === tagId) : undefined;
	// The tag was deleted, and its membership with it.
	if (userTags.known && tag === undefined) return;
	// A tag that was renamed keeps its new name.
	const desired = readTagInputs({ ...inputs, name: tag?.name ?? name });
	const { report } = await session.converge({ resource, desired, stored }, { learnsTime: false });
	if (!isDone(report)) throw new ResourceFailure(explainReport(report));
}
