/** Inputs and outputs of a user tag resource, the document of one tag that they stand for, and its live tag. */

import { defined } from "../../common/defined.ts";
import { nextChangeAfter } from "../../plan/access-window.ts";
import type {
	DesiredMembers,
	DesiredOrganization,
	LastAppliedTag,
	LiveOrganization,
	LiveUserTag,
} from "../../plan/organization.ts";
import { tagsOf } from "../../plan/organization.ts";
import type { IdOr } from "../inputs/input-schema.ts";
import { hasUnknown } from "../inputs/inputs.ts";
import type { PropertyChange } from "../inputs/property-changes.ts";
import { knownId } from "../resources/created-object.ts";
import {
	mustRead,
	type ReadResult,
	type ResourceDefinition,
	type ResourceInputs,
	type ResourceOutputs,
	storedStateOf,
} from "../resources/resource.ts";
import type { Session } from "../session/session.ts";
import { readLastAppliedTag } from "../state/stored-state-check.ts";
import { assumeMembers, findPlace, type Members, observeMembers, writeMembers } from "./members.ts";

/** What destroying a user tag does. */
export type OnDestroy = "keep" | "removeMembers" | "delete";

export interface TagInputs extends ResourceInputs {
	readonly name: string;
	readonly tagId?: string;
	readonly previously?: readonly string[];
	readonly members?: Members;
	readonly create?: boolean;
	readonly adopt?: boolean;
	readonly onDestroy?: OnDestroy;
}

export interface TagOutputs extends TagInputs, ResourceOutputs {
	readonly tagId: string;
	/** The members as the program wrote them; `members` is the part of them that is in sync. */
	readonly managed?: Members;
	/** What orgsync last applied, as its journal has it. */
	readonly lastApplied?: LastAppliedTag;
	/** The next moment at which other members are desired, ISO 8601 in UTC; left out if there is none. */
	readonly validUntil?: string;
}

/** A user who is a member always, or in a window. */
const member: IdOr = {
	idOr: "MemberWindow",
	fields: { user: "id", from: "text", until: "text", reason: "text" },
	required: ["user"],
};

export const tagDocument: Pick<
	ResourceDefinition<TagInputs, TagOutputs>,
	"operations" | "schema" | "places" | "toDocument" | "fromDocument" | "readApplied"
> = {
	operations: ["update_user_tag", "create_user_tag", "delete_user_tags"],
	schema: {
		required: ["name"],
		fields: {
			name: "text",
			organizationId: "id",
			tagId: "id",
			previously: { listOf: "text" },
			members: { fields: { exactly: { listOf: member }, atLeast: { listOf: member }, never: { listOf: "id" } } },
			limits: { fields: { memberRemovals: "any", expiries: "text" } },
			create: "boolean",
			adopt: "boolean",
			onDestroy: { oneOf: ["keep", "removeMembers", "delete"] },
		},
	},
	places: [
		["userTags[0].id", "tagId"],
		["userTags[0].previously", "previously"],
		["userTags[0].members", "members"],
		["userTags[0].name", "name"],
		["userTags[0]", "name"],
		["limits", "limits"],
		["organizationId", "organizationId"],
	],
	toDocument(inputs, olds) {
		const { organizationId, name, members, limits, create } = inputs;
		const tagId = knownId("tagId", inputs);
		// Once the tag is found it needs no earlier names, and `ignoreChanges` may set its own name as one of them.
		const isFound = tagId !== undefined && tagId === olds?.tagId;
		const previously = isFound ? earlierNames(inputs) : inputs.previously;
		return {
			organizationId,
			userTags: [defined({ name, id: tagId, previously, members, create })],
			...defined({ limits }),
		};
	},
	fromDocument(desired, { create, adopt, onDestroy }) {
		const [tag] = tagsOf(desired);
		return defined({
			organizationId: desired.organizationId,
			name: tag?.name ?? "",
			tagId: tag?.id,
			previously: tag?.previously.length === 0 ? undefined : tag?.previously,
			members: writeMembers(tag?.members),
			...{ create, adopt, onDestroy },
		});
	},
	readApplied({ tagId, lastApplied }, context) {
		const tag = readLastAppliedTag(lastApplied, context);
		return tag === undefined ? [] : [{ kind: "userTag", id: tagId, value: tag }];
	},
};

/** The earlier names without the tag's own. */
function earlierNames({ name, previously = [] }: Partial<TagInputs>): readonly string[] {
	return previously.filter((earlier) => earlier !== name);
}

/** The desired state of a tag. Throws ResourceFailure if the inputs cannot be read. */
export function readTagInputs(inputs: Partial<TagInputs>): DesiredOrganization {
	return mustRead(tagDocument, inputs);
}

/** The live tag that a desired state of one tag is about: by id if it has one, else by name or an earlier name. */
export function findTag(desired: DesiredOrganization, live: LiveOrganization): LiveUserTag | undefined {
	const tag = tagsOf(desired)[0];
	if (!live.userTags.known || tag === undefined) return undefined;
	const tags = live.userTags.value;
	if (tag.id !== undefined) return tags.find(({ id }) => id === tag.id);
	return tags.find(({ name }) => name === tag.name) ?? tags.find(({ name }) => tag.previously.includes(name));
}

/** The state of a managed tag as live state shows it; without an id when the tag is gone. */
export async function readManagedTag(id: string, props: TagOutputs, session: Session): Promise<ReadResult> {
	// Its name may have changed, so only the id finds it.
	const { organizationId, resource, tagId } = props;
	const managed = props.managed ?? props.members;
	if (knownId("tagId", props) === undefined) {
		// While its creation is pending it is not gone: the next up joins its activity.
		const { lastApplied: _1, activities: _2, managed: _3, tagId: _4, appliedAs: _5, ...rest } = props;
		return { id, props: { ...props }, inputs: defined({ ...rest, members: managed }) };
	}
	const desired = readTagInputs({ organizationId, name: tagId, tagId, ...defined({ members: managed }) });
	const { live, timeMs } = await session.readWithTime({
		resource,
		desired,
		stored: storedStateOf(tagDocument, props, session),
	});
	const tag = live.userTags.known ? live.userTags.value.find((one) => one.id === tagId) : undefined;
	if (live.userTags.known && tag === undefined) return {};
	const known = live.lastApplied.userTags[tagId];
	const visible = tag?.members.known === true ? tag.members.value : undefined;
	const wanted = tagsOf(desired)[0]?.members;
	const members =
		visible === undefined
			? membersAsApplied(props, wanted, { tag, known, timeMs })
			: observeMembers(wanted, visible, timeMs);
	// The time of the last change matters only where last-applied state replaces live members.
	const isLearned = visible === undefined && known?.updatedAt === "" && tag !== undefined;
	const lastApplied = isLearned ? { ...known, updatedAt: tag.updatedAt } : props.lastApplied;
	const nextMs = nextChangeAfter(desired, timeMs);
	const validUntil = nextMs === undefined ? undefined : new Date(nextMs).toISOString();
	const seen = { ...props, name: tag?.name ?? props.name, members, lastApplied, validUntil };
	const { lastApplied: _1, activities: _2, managed: _3, validUntil: _4, created: _5, appliedAs: _6, ...inputs } = seen;
	return { id, props: defined(seen), inputs: defined({ ...inputs, tagId }) };
}

/** The members where the service does not show them: as last applied, or undefined if the tag was changed since then. */
function membersAsApplied(
	{ members }: TagOutputs,
	wanted: DesiredMembers | undefined,
	{ tag, known, timeMs }: { tag: LiveUserTag | undefined; known: LastAppliedTag | undefined; timeMs: number },
): Members | undefined {
	const times = [known?.updatedAt, tag?.updatedAt];
	const changedSince = times.every((time) => time !== undefined && time !== "") && times[0] !== times[1];
	return changedSince ? undefined : assumeMembers(members, wanted, known ?? { present: [], gone: [] }, timeMs);
}

/** The members whose window began or ended since the state was written, by our clock: the update asks for the service's time. */
export function findEndedWindows(
	{ validUntil }: TagOutputs,
	news: Partial<TagInputs>,
	nowMs: number,
): readonly PropertyChange[] {
	const sinceMs = typeof validUntil === "string" ? Date.parse(validUntil) : Number.NaN;
	if (!(sinceMs <= nowMs) || hasUnknown(news)) return [];
	const isBetween = (moment = Number.NaN): boolean => moment >= sinceMs && moment <= nowMs;
	const windows = tagsOf(readTagInputs(news))[0]?.members?.windows ?? [];
	const due = windows.filter(({ fromMs, untilMs }) => isBetween(fromMs) || isBetween(untilMs));
	return due.flatMap(({ userId }) => {
		const path = findPlace(news.members ?? {}, userId)?.path;
		return path === undefined ? [] : [{ path, kind: "update" }];
	});
}
