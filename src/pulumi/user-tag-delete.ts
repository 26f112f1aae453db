/**
 * Deleting a user tag resource: the tag stays, and with `onDestroy: "removeMembers"` it is taken away from the members that
 * the resource manages, unless another resource has taken over the tag. The engine creates a replacement, and a resource
 * that was renamed in the program, before it deletes the old one: the removal would take away what is in use.
 */
import { showText } from "../escape.ts";
import { isSameOwner } from "./claims.ts";
import { explain, explainReport, isDone, ResourceFailure } from "./failure.ts";
import type { Session } from "./session.ts";
import { keptOf, mustRead, type TagOutputs } from "./user-tag-inputs.ts";

/**
 * Keeps the tag, and removes its members where the state says so. Returns a line that says what was left and why, or
 * undefined. Throws ResourceFailure.
 */
export async function deleteTag(props: TagOutputs, session: Session): Promise<string | undefined> {
	const { organizationId, tagId, resource, onDestroy } = props;
	const { exactly, atLeast } = props.managed ?? props.members ?? {};
	const managed = exactly ?? atLeast ?? [];
	const object = `userTag/${tagId}`;
	try {
		if (onDestroy === "removeMembers" && managed.length > 0) {
			const because = await whyLeft(props, managed, session);
			if (because !== undefined) return showText(`${resource}: ${tellLeft(managed.length, because)}`);
			await removeMembers(props, managed, session);
		}
		// A replacement has the same URN, and holds the tag from now on.
		if (session.claims.find(organizationId, object) === undefined) {
			session.holders.release(organizationId, object, props);
		}
		return undefined;
	} catch (error) {
		throw error instanceof ResourceFailure ? error : new ResourceFailure(explain(error));
	}
}

function tellLeft(count: number, because: string): string {
	const who = count === 1 ? "its member keeps" : `its ${count} members keep`;
	return `${who} the user tag: ${because}; to remove members, list them under \`never\``;
}

/**
 * Why the members stay, or undefined: the program still has a resource for the tag, another resource applied it last, or
 * it was applied after this resource did so.
 */
async function whyLeft(props: TagOutputs, managed: readonly string[], session: Session): Promise<string | undefined> {
	const { organizationId, tagId, lastApplied } = props;
	const object = `userTag/${tagId}`;
	const claim = session.claims.find(organizationId, object);
	if (claim !== undefined) return `the program manages it with the resource \`${claim.resource}\``;
	const holder = session.holders.find(organizationId, object);
	if (holder !== undefined && !isSameOwner(holder, props)) {
		return `the resource \`${holder.resource}\` has managed it since ${holder.appliedAt}`;
	}
	// An activity of our own that was pending may be what was applied.
	if (lastApplied === undefined || keptOf(props, session).activities.length > 0) return undefined;
	const remembered = (await session.memory(organizationId)).userTags[tagId];
	const isLater = remembered !== undefined && remembered.appliedAt > lastApplied.appliedAt;
	if (!isLater || !managed.some((userId) => remembered.present.includes(userId))) return undefined;
	return `it was applied at ${remembered.appliedAt} by something else than this resource`;
}

async function removeMembers(props: TagOutputs, managed: readonly string[], session: Session): Promise<void> {
	const { organizationId, tagId, resource, name } = props;
	// `removeMembers` is explicit, so it needs no limit of its own; every other guard applies.
	const limits = { memberRemovals: managed.length };
	const wish = { organizationId, name, tagId, members: { never: managed }, limits };
	const kept = keptOf(props, session);
	const { userTags } = await session.read({ resource, desired: mustRead(wish), kept });
	const tag = userTags.known ? userTags.value.find((one) => one.id === tagId) : undefined;
	// The tag was deleted, and its membership with it.
	if (userTags.known && tag === undefined) return;
	// If the tag was renamed meanwhile, it keeps that name.
	const desired = mustRead({ ...wish, name: tag?.name ?? name });
	const { report } = await session.converge({ resource, desired, kept }, { learnsTime: false });
	if (!isDone(report)) throw new ResourceFailure(explainReport(report));
}
