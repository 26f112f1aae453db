/**
 * Reads a user tag: for a refresh, compared with what the state manages, and for a program that looks one up by its id.
 */
import type { LastAppliedTag, LiveUserTag } from "../plan/organization.ts";
import { ResourceFailure } from "./failure.ts";
import { type Members, metaOf, observeMembers, withoutUndefined } from "./inputs.ts";
import { noOrganization, type ReadResult } from "./resource.ts";
import type { Session } from "./session.ts";
import { nothingStored } from "./stored-state.ts";
import { readTagInputs, type TagInputs, type TagOutputs, tagStoredState } from "./user-tag-inputs.ts";

/** State and inputs of a tag, looked up by its id or managed by a resource. */
export function readTag(id: string, props: TagOutputs, session: Session): Promise<ReadResult> {
	return isLookUp(props) ? lookUpTag(id, props, session) : readManagedTag(id, props, session);
}

/**
 * The properties of a resource that only reads a tag. The program sends `"requested"`; a state has `"found"`, so that a
 * refresh can distinguish a deleted tag from one that never existed.
 */
interface LookUp extends Partial<TagInputs> {
	readonly lookUp: "requested" | "found";
}

function isLookUp(props: object): props is LookUp {
	return "lookUp" in props;
}

/** The live tag with this id. Throws ResourceFailure if there is none. */
async function lookUpTag(id: string, props: LookUp, session: Session): Promise<ReadResult> {
	const organizationId = props.organizationId ?? session.settings.organizationId;
	if (organizationId === undefined) throw new ResourceFailure(noOrganization.reason);
	const { resource } = metaOf(props);
	const desired = { ...readTagInputs({ organizationId, name: id, tagId: id }), readsMembers: true };
	const { userTags } = await session.read({ resource, desired, stored: nothingStored });
	const tagId = id.toLowerCase();
	const tag = userTags.known ? userTags.value.find((one) => one.id === tagId) : undefined;
	if (tag === undefined) {
		if (props.lookUp === "found") return {};
		throw new ResourceFailure(
			`the organization ${desired.organizationId} has no user tag with the id ${id}; \`orgsync query list_user_tags\` lists them`,
		);
	}
	const members = tag.members.known ? { exactly: tag.members.value } : undefined;
	const { name } = tag;
	const found = { name, organizationId: desired.organizationId, tagId, onDestroy: "keep", lookUp: "found" };
	return { id, props: withoutUndefined({ ...found, members, ...metaOf(props) }) };
}

/** The state of a managed tag as live state shows it; without an id when the tag is gone. */
async function readManagedTag(id: string, props: TagOutputs, session: Session): Promise<ReadResult> {
	// Its name may have changed, so only the id finds it.
	const { organizationId, resource, tagId } = props;
	const managed = props.managed ?? props.members;
	const desired = readTagInputs({ organizationId, name: tagId, tagId, ...withoutUndefined({ members: managed }) });
	const live = await session.read({ resource, desired, stored: tagStoredState(props, session) });
	const tag = live.userTags.known ? live.userTags.value.find((one) => one.id === tagId) : undefined;
	if (live.userTags.known && tag === undefined) return {};
	const known = live.lastApplied.userTags[tagId];
	const visible = tag?.members.known === true ? tag.members.value : undefined;
	const members = visible === undefined ? assumeMembers(props, tag, known) : observeMembers(managed, visible);
	// The time of the last change matters only where last-applied state replaces live members.
	const isLearned = visible === undefined && known?.updatedAt === "" && tag !== undefined;
	const lastApplied = isLearned ? { ...known, updatedAt: tag.updatedAt } : props.lastApplied;
	const seen = { ...props, name: tag?.name ?? props.name, members, lastApplied };
	const { lastApplied: _applied, activities: _activities, managed: _managed, ...inputs } = seen;
	return { id, props: withoutUndefined(seen), inputs: withoutUndefined({ ...inputs, tagId }) };
}

/**
 * The members where the service does not show them: as last applied, or undefined if the tag was changed since then.
 */
function assumeMembers(
	props: TagOutputs,
	tag: LiveUserTag | undefined,
	lastApplied: LastAppliedTag | undefined,
): Members | undefined {
	const times = [lastApplied?.updatedAt, tag?.updatedAt];
	const changedSince = times.every((time) => time !== undefined && time !== "") && times[0] !== times[1];
	return changedSince ? undefined : props.members;
}
