/**
 * The user tag as a Pulumi resource: check, diff, create, read, update and delete, each a question to plan/ and sync/.
 */
import type { DesiredOrganization, LiveUserTag, RememberedTag } from "../plan/organization.ts";
import type { Plan } from "../plan/plan.ts";
import { sameValue } from "../plan/value.ts";
import { explain, explainReport, failCheck, isDone, ResourceFailure } from "./failure.ts";
import {
	type CheckFailure,
	hasUnknown,
	type Members,
	observeMembers,
	type Properties,
	readDocument,
	withoutUndefined,
	writeMembers,
} from "./inputs.ts";
import { type Kept, keepActivities, keepTag } from "./kept.ts";
import { type KeptActivity, readKeptActivities, readKeptTag } from "./kept-read.ts";
import { convergeInTurn } from "./renames.ts";
import type { Converged, Session } from "./session.ts";
import { checkShapes, type InputShapes } from "./shapes.ts";

/** Inputs after `check`: complete, ids in lower case, lists sorted. */
export interface TagInputs {
	readonly organizationId: string;
	readonly name: string;
	readonly tagId?: string;
	readonly previously?: readonly string[];
	readonly members?: Members;
	readonly limits?: Properties;
	readonly onDestroy?: "keep" | "removeMembers";
	/** The resource's name in the program. */
	readonly resource: string;
	/** The component that it is a part of, which shows its plan. */
	readonly partOf?: string;
}

export interface TagOutputs extends TagInputs {
	readonly tagId: string;
	/** The members as the program wrote them; `members` is what of them is so. */
	readonly managed?: Members;
	/** What orgsync last applied, as its journal keeps it. */
	readonly lastApplied?: RememberedTag;
	/** Activities that have not ended. */
	readonly activities?: readonly KeptActivity[];
}

const places = [
	["userTags[0].id", "tagId"],
	["userTags[0].previously", "previously"],
	["userTags[0].members", "members"],
	["userTags[0].name", "name"],
	["userTags[0]", "name"],
	["limits", "limits"],
	["organizationId", "organizationId"],
] as const;

const shapes: InputShapes = {
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

/** The inputs completed, or what is wrong with them: as inputs, and against the live organization where they are new. */
export async function checkTag(
	olds: Partial<TagInputs>,
	news: Partial<TagInputs>,
	session: Session,
): Promise<{ readonly inputs: Properties; readonly failures: readonly CheckFailure[] }> {
	const organizationId = news.organizationId ?? session.settings.organizationId;
	const misshapen = checkShapes({ ...news }, shapes);
	if (misshapen.length > 0) return { inputs: { ...news }, failures: misshapen };
	if (organizationId === undefined) return { inputs: { ...news }, failures: [noOrganization] };
	// Found once, the tag is the same one whatever it is called: a rename must not lose it.
	const mayBeSame = hasUnknown(organizationId) || olds.organizationId === organizationId.toLowerCase();
	const tagId = news.tagId ?? (mayBeSame ? olds.tagId : undefined);
	const onDestroy = news.onDestroy ?? "keep";
	const given = { ...news, organizationId, onDestroy, ...withoutUndefined({ tagId }) };
	if (hasUnknown(given)) return { inputs: given, failures: [] };
	const read = readDocument(documentOf(given), places);
	if ("failures" in read) return { inputs: given, failures: read.failures };
	const inputs = {
		...writeInputs(read.desired),
		...withoutUndefined({ limits: news.limits, partOf: news.partOf }),
		onDestroy,
		resource: String(news.resource),
	};
	const isNew = !sameValue(withoutResource(olds), withoutResource(inputs));
	try {
		return isNew
			? await checkLive(inputs, read.desired, session, {
					remembered: news.tagId === undefined,
					isCreated: olds.name === undefined,
				})
			: { inputs: { ...inputs }, failures: claim(inputs, session) };
	} catch (error) {
		return { inputs: { ...inputs }, failures: [failCheck(error)] };
	}
}

/**
 * What `check` can see of the live organization already: that the tag is there, and that no guard refuses. The id is
 * `remembered` when the state has it and the program does not.
 */
async function checkLive(
	inputs: TagInputs,
	desired: DesiredOrganization,
	session: Session,
	{ remembered, isCreated }: { readonly remembered: boolean; readonly isCreated: boolean },
) {
	const { plan } = await session.judge({ resource: inputs.resource, desired, kept: nothingKept });
	// That a name is taken may pass: another resource of the program may give it up.
	const problems = plan.problems.filter(({ code }) => code !== "tag-name-taken");
	if (problems.length > 0) {
		const property = inputs.tagId === undefined || remembered ? "name" : "tagId";
		const isForgotten = inputs.tagId !== undefined && remembered;
		const hint = isForgotten
			? "; the state still has it: `pulumi refresh` takes it out, and it is looked for by name"
			: "";
		const failures = problems.map(({ message }) => ({ property, reason: message + hint }));
		return { inputs: { ...inputs }, failures };
	}
	try {
		session.refuseGuarded(plan);
	} catch (error) {
		return { inputs: { ...inputs }, failures: [failCheck(error, "members")] };
	}
	if (isCreated && inputs.partOf === undefined) session.announce(inputs.resource, plan);
	const tagId = inputs.tagId ?? (await findTag(desired, inputs.resource, session))?.id;
	const found = tagId === undefined ? inputs : { ...inputs, tagId };
	return { inputs: { ...found }, failures: claim(found, session) };
}

function claim({ organizationId, tagId, name, resource }: TagInputs, session: Session): readonly CheckFailure[] {
	if (tagId === undefined) return [];
	const owner = session.claims.claim(organizationId, `userTag/${tagId}`, resource);
	if (owner === undefined) return [];
	const reason = `the tag ${tagId} is managed by the resource \`${owner}\` and by \`${resource}\` (as \`${name}\`); one tag, one resource`;
	return [{ property: "name", reason }];
}

/** What differs between the state and the program; nothing is asked of the service. */
export function diffTag(
	id: string,
	olds: TagOutputs,
	news: Partial<TagInputs>,
): { changes: boolean; replaces: string[] } {
	const replaces = [
		...(isOther(news.organizationId, olds.organizationId) ? ["organizationId"] : []),
		...(isOther(news.tagId, id) ? ["tagId"] : []),
	];
	const compared = ["name", "members", "onDestroy", "previously"] as const;
	const changes = hasUnknown(news) || compared.some((key) => !sameValue(olds[key] ?? [], news[key] ?? []));
	return { changes: changes || replaces.length > 0, replaces };
}

/** Whether a value is known and not the same; one that is not known yet replaces nothing. */
function isOther(value: string | undefined, other: string): boolean {
	return value !== undefined && !hasUnknown(value) && value.toLowerCase() !== other;
}

/** Finds the tag and makes it so: submits one activity, or none. Throws ResourceFailure. */
export async function convergeTag(
	inputs: TagInputs,
	olds: TagOutputs | undefined,
	session: Session,
): Promise<{ readonly id: string; readonly outs: TagOutputs }> {
	try {
		const known = olds?.tagId ?? inputs.tagId;
		const found = known === undefined ? await findTag(mustRead(inputs), inputs.resource, session) : undefined;
		const id = known ?? found?.id;
		const wish = { ...inputs, ...(id === undefined ? {} : { tagId: id }) };
		// Read as `check` has read it, which did not know the id then.
		const { tagId: _tagId, ...written } = inputs;
		const desired = withTag(mustRead(written), id);
		const kept = keptOf(olds, session);
		const converged = await convergeInTurn({ resource: inputs.resource, desired, kept }, session);
		// A tag that is not there has not come this far: it is a problem of the plan.
		if (id === undefined) throw new ResourceFailure(`no user tag is called \`${inputs.name}\``);
		const outs = outputsOf({ ...wish, tagId: id }, converged, kept);
		const { report } = converged;
		if (isDone(report)) return { id, outs };
		throw new ResourceFailure(explainReport(report), { id, properties: { ...outs } });
	} catch (error) {
		throw error instanceof ResourceFailure ? error : new ResourceFailure(explain(error));
	}
}

/** What a resource of this state shows after what became of its wish. */
function outputsOf(
	inputs: TagInputs & { tagId: string },
	{ plan, report, journal }: Converged,
	earlier: Kept,
): TagOutputs {
	const { tagId, organizationId, members: managed } = inputs;
	const lastApplied = journal.memory(organizationId).userTags[tagId];
	const activities = keepActivities(report, journal, earlier.activities);
	const before = isDone(report) ? {} : observe(inputs, plan);
	const kept = activities.length === 0 ? {} : { activities };
	return { ...withoutUndefined({ ...inputs, ...before, managed, lastApplied }), ...kept };
}

/** Name and members as they were before a change that did not complete. */
function observe(inputs: TagInputs, plan: Plan): Pick<TagInputs, "name"> & { members?: Members | undefined } {
	const change = plan.changes.find((one) => one.kind === "userTag" && one.tagId === inputs.tagId);
	if (change?.kind !== "userTag") return { name: inputs.name, members: inputs.members };
	const live = change.before.members;
	return { name: change.before.name, members: live === null ? undefined : observeMembers(inputs.members, live) };
}

/** The state as live shows it; without an id when the tag is gone. */
export async function readTag(
	id: string,
	props: TagOutputs,
	session: Session,
): Promise<{ readonly id?: string; readonly props?: Properties; readonly inputs?: Properties }> {
	// Whatever it is called meanwhile: nothing is to be found by its name.
	const { organizationId, resource } = props;
	const managed = props.managed ?? props.members;
	const desired = mustRead({ organizationId, name: id, tagId: id, ...withoutUndefined({ members: managed }) });
	const live = await session.read({ resource, desired, kept: keptOf(props, session) });
	const tag = live.userTags.known ? live.userTags.value.find((one) => one.id === id) : undefined;
	if (live.userTags.known && tag === undefined) return {};
	const remembered = live.memory.userTags[id];
	const visible = tag?.members.known === true ? tag.members.value : undefined;
	const members = visible === undefined ? standIn(props, tag, remembered) : observeMembers(managed, visible);
	// Only where memory stands in for live does it matter when the tag was changed last.
	const isLearned = visible === undefined && remembered?.updatedAt === "" && tag !== undefined;
	const lastApplied = isLearned ? { ...remembered, updatedAt: tag.updatedAt } : props.lastApplied;
	const seen = { ...props, name: tag?.name ?? props.name, members, lastApplied };
	const { lastApplied: _applied, activities: _activities, managed: _managed, ...inputs } = seen;
	return { id, props: withoutUndefined(seen), inputs: withoutUndefined({ ...inputs, tagId: id }) };
}

/**
 * Members where the service does not show them: as they were, unless somebody has changed the tag since they were applied;
 * then they are not known, and the state does not pretend.
 */
function standIn(
	props: TagOutputs,
	tag: LiveUserTag | undefined,
	remembered: RememberedTag | undefined,
): Members | undefined {
	const times = [remembered?.updatedAt, tag?.updatedAt];
	const changedSince = times.every((time) => time !== undefined && time !== "") && times[0] !== times[1];
	return changedSince ? undefined : props.members;
}

/** Keeps the tag; with `removeMembers` takes it away from the members that the resource manages. */
export async function deleteTag(id: string, props: TagOutputs, session: Session): Promise<void> {
	const { exactly, atLeast } = props.managed ?? props.members ?? {};
	const managed = exactly ?? atLeast ?? [];
	if (props.onDestroy !== "removeMembers" || managed.length === 0) return;
	try {
		const { organizationId, resource, name } = props;
		// Written by name and by hand, the removal is meant; what else guards, guards on.
		const limits = { memberRemovals: managed.length };
		const wish = { organizationId, name, tagId: id, members: { never: managed }, limits };
		const kept = keptOf(props, session);
		const { userTags } = await session.read({ resource, desired: mustRead(wish), kept });
		const tag = userTags.known ? userTags.value.find((one) => one.id === id) : undefined;
		// Somebody has deleted the tag, and nobody has it any more.
		if (userTags.known && tag === undefined) return;
		// Somebody may have renamed it, and it is not renamed again on the way out.
		const desired = mustRead({ ...wish, name: tag?.name ?? name });
		const { report } = await session.converge({ resource, desired, kept }, { learnsTime: false });
		if (isDone(report)) return;
		throw new ResourceFailure(explainReport(report));
	} catch (error) {
		throw error instanceof ResourceFailure ? error : new ResourceFailure(explain(error));
	}
}

async function findTag(
	desired: DesiredOrganization,
	resource: string,
	session: Session,
): Promise<LiveUserTag | undefined> {
	const live = await session.read({ resource, desired, kept: nothingKept });
	const wanted = desired.userTags[0];
	if (!live.userTags.known || wanted === undefined) return undefined;
	const tags = live.userTags.value;
	if (wanted.id !== undefined) return tags.find(({ id }) => id === wanted.id);
	return tags.find(({ name }) => name === wanted.name) ?? tags.find(({ name }) => wanted.previously.includes(name));
}

const nothingKept: Kept = { activities: [], applied: [] };

/** What the state of a tag keeps. Throws StorageError if it cannot be used. */
function keptOf(olds: TagOutputs | undefined, session: Session): Kept {
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

function documentOf({ organizationId, name, tagId, previously, members, limits }: Partial<TagInputs>): Properties {
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

/** The same wish for the tag that was found: it is looked for by its id from now on. */
function withTag(desired: DesiredOrganization, id: string | undefined): DesiredOrganization {
	return id === undefined ? desired : { ...desired, userTags: desired.userTags.map((tag) => ({ ...tag, id })) };
}

function writeInputs({ organizationId, userTags }: DesiredOrganization): Omit<TagInputs, "resource"> {
	const [tag] = userTags;
	return withoutUndefined({
		organizationId,
		name: tag?.name ?? "",
		tagId: tag?.id,
		previously: tag?.previously.length === 0 ? undefined : tag?.previously,
		members: writeMembers(tag?.members),
	});
}

/** Inputs without what means nothing to the service: whose resource it is, and how much an update may take away. */
function withoutResource(inputs: Partial<TagInputs>): Properties {
	const { resource: _resource, partOf: _partOf, limits: _limits, ...rest } = inputs;
	const { __provider: _provider, ...plain } = rest as Properties;
	return plain;
}
