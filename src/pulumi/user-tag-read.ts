/**
 * Reading a user tag: for a refresh, held against what the state manages, and for a program that looks one up by its id.
 */
import type { LastAppliedTag, LiveUserTag } from "../plan/organization.ts";
import { ResourceFailure } from "./failure.ts";
import { type Members, metaOf, observeMembers, type Properties, withoutUndefined } from "./inputs.ts";
import type { Session } from "./session.ts";
import { keptOf, mustRead, noOrganization, nothingKept, type TagInputs, type TagOutputs } from "./user-tag-inputs.ts";

/** What `read` answers: state and inputs as live shows them; without an id when the tag is gone. */
export interface TagRead {
	readonly id?: string;
	readonly props?: Properties;
	readonly inputs?: Properties;
}

/**
 * The properties of a resource that only reads a tag. The program sends `"requested"`; a state has `"found"`, so that a
 * refresh can tell a tag that is gone from one that never was.
 */
export interface LookUp extends Partial<TagInputs> {
	readonly lookUp: "requested" | "found";
}

/** Whether the properties are those of a resource that only reads a tag. */
export function isLookUp(props: object): props is LookUp {
	return "lookUp" in props;
}

/** The tag with this id, as it is live. Throws ResourceFailure if there is none. */
export async function lookUpTag(id: string, props: LookUp, session: Session): Promise<TagRead> {
	const organizationId = props.organizationId ?? session.settings.organizationId;
	if (organizationId === undefined) throw new ResourceFailure(noOrganization.reason);
	const { resource } = metaOf(props);
	const desired = { ...mustRead({ organizationId, name: id, tagId: id }), readsMembers: true };
	const { userTags } = await session.read({ resource, desired, kept: nothingKept });
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

/** The state as live shows it; without an id when the tag is gone. */
export async function readTag(id: string, props: TagOutputs, session: Session): Promise<TagRead> {
	// Whatever it is called meanwhile: nothing is to be found by its name.
	const { organizationId, resource, tagId } = props;
	const managed = props.managed ?? props.members;
	const desired = mustRead({ organizationId, name: tagId, tagId, ...withoutUndefined({ members: managed }) });
	const live = await session.read({ resource, desired, kept: keptOf(props, session) });
	const tag = live.userTags.known ? live.userTags.value.find((one) => one.id === tagId) : undefined;
	if (live.userTags.known && tag === undefined) return {};
	const remembered = live.lastApplied.userTags[tagId];
	const visible = tag?.members.known === true ? tag.members.value : undefined;
	const members = visible === undefined ? standIn(props, tag, remembered) : observeMembers(managed, visible);
	// Only where memory stands in for live does it matter when the tag was changed last.
	const isLearned = visible === undefined && remembered?.updatedAt === "" && tag !== undefined;
	const lastApplied = isLearned ? { ...remembered, updatedAt: tag.updatedAt } : props.lastApplied;
	const seen = { ...props, name: tag?.name ?? props.name, members, lastApplied };
	const { lastApplied: _applied, activities: _activities, managed: _managed, ...inputs } = seen;
	return { id, props: withoutUndefined(seen), inputs: withoutUndefined({ ...inputs, tagId }) };
}

/**
 * Members where the service does not show them: as they were, unless somebody has changed the tag since they were applied;
 * then they are not known, and the state does not pretend.
 */
function standIn(
	props: TagOutputs,
	tag: LiveUserTag | undefined,
	remembered: LastAppliedTag | undefined,
): Members | undefined {
	const times = [remembered?.updatedAt, tag?.updatedAt];
	const changedSince = times.every((time) => time !== undefined && time !== "") && times[0] !== times[1];
	return changedSince ? undefined : props.members;
}
