/**
 * Inputs and outputs of the user tag resource, as its check completes them and its state keeps them.
 */

import type { DesiredOrganization, LastAppliedTag } from "../plan/organization.ts";
import { tagsOf } from "../plan/organization.ts";
import { ResourceFailure } from "./failure.ts";
import {
	type CheckFailure,
	type Members,
	type MetaInputs,
	type Properties,
	readDocument,
	withoutMeta,
	withoutUndefined,
	writeMembers,
} from "./inputs.ts";
import { type Kept, keepTag } from "./kept.ts";
import { type KeptActivity, readKeptActivities, readKeptTag } from "./kept-read.ts";
import type { Session } from "./session.ts";
import type { InputShapes } from "./shapes.ts";

/** Inputs after `check`: complete, ids in lower case, lists sorted. */
export interface TagInputs extends MetaInputs {
	readonly organizationId: string;
	readonly name: string;
	readonly tagId?: string;
	readonly previously?: readonly string[];
	readonly members?: Members;
	readonly limits?: Properties;
	readonly onDestroy?: "keep" | "removeMembers";
}

export interface TagOutputs extends TagInputs {
	readonly tagId: string;
	/** The members as the program wrote them; `members` is what of them is so. */
	readonly managed?: Members;
	/** What orgsync last applied, as its journal keeps it. */
	readonly lastApplied?: LastAppliedTag;
	/** Activities that have not ended. */
	readonly activities?: readonly KeptActivity[];
}

export const places = [
	["userTags[0].id", "tagId"],
	["userTags[0].previously", "previously"],
	["userTags[0].members", "members"],
	["userTags[0].name", "name"],
	["userTags[0]", "name"],
	["limits", "limits"],
	["organizationId", "organizationId"],
] as const;

export const shapes: InputShapes = {
	required: ["name"],
	fields: {
		name: "text",
		organizationId: "id",
		tagId: "id",
		previously: { listOf: "text" },
		members: { fields: { exactly: { listOf: "id" }, atLeast: { listOf: "id" }, never: { listOf: "id" } } },
		limits: { fields: { memberRemovals: "any" } },
		onDestroy: { oneOf: ["keep", "removeMembers"] },
	},
};

export const nothingKept: Kept = { activities: [], applied: [] };

/** What the state of a tag keeps. Throws StorageError if it cannot be used. */
export function keptOf(olds: TagOutputs | undefined, session: Session): Kept {
	if (olds === undefined) return nothingKept;
	const by = session.keptBy(olds.resource, olds.organizationId, "update_user_tag");
	const applied = keepTag(olds.tagId, readKeptTag(olds.lastApplied, by));
	return { activities: readKeptActivities(olds.activities, by), applied };
}

/** Said wherever no organization is named. */
export const noOrganization: CheckFailure = {
	property: "organizationId",
	reason:
		"which organization? Give organizationId to the resource or to its Provider, run `pulumi config set orgsync:organizationId ID`, or set ORGSYNC_ORGANIZATION_ID",
};

export function documentOf({
	organizationId,
	name,
	tagId,
	previously,
	members,
	limits,
}: Partial<TagInputs>): Properties {
	return {
		organizationId,
		userTags: [withoutUndefined({ name, id: tagId, previously, members })],
		...withoutUndefined({ limits }),
	};
}

/** The inputs as what they want. Throws ResourceFailure if they cannot be read. */
export function mustRead(inputs: Partial<TagInputs>): DesiredOrganization {
	const read = readDocument(documentOf(inputs), places);
	if ("desired" in read) return read.desired;
	throw new ResourceFailure(read.failures.map(({ reason }) => reason).join("; "));
}

/** What is wanted, as inputs. */
export function writeInputs(desired: DesiredOrganization): Omit<TagInputs, keyof MetaInputs> {
	const [tag] = tagsOf(desired);
	return withoutUndefined({
		organizationId: desired.organizationId,
		name: tag?.name ?? "",
		tagId: tag?.id,
		previously: tag?.previously.length === 0 ? undefined : tag?.previously,
		members: writeMembers(tag?.members),
	});
}

/** The inputs without what means nothing to the service: whose they are, and how much an update may take away. */
export function withoutResource(inputs: Partial<TagInputs>): Properties {
	const { limits: _limits, __provider: _provider, ...rest } = withoutMeta({ ...inputs });
	return rest;
}
