/**
 * The user tag as a Pulumi resource: check, diff, create and update, each a question to plan/ and sync/.
 */

import type { DesiredOrganization, LiveUserTag } from "../plan/organization.ts";
import { tagsOf } from "../plan/organization.ts";
import type { Plan } from "../plan/plan.ts";
import { sameValue } from "../plan/value.ts";
import { announceCreation } from "./announcement.ts";
import { nameOwners } from "./claims.ts";
import { explain, explainReport, failCheck, isDone, ResourceFailure } from "./failure.ts";
import {
	type CheckFailure,
	hasUnknown,
	type Members,
	metaOf,
	observeMembers,
	type Properties,
	readDocument,
	sameMembers,
	withoutUndefined,
} from "./inputs.ts";
import { type Kept, keepActivities } from "./kept.ts";
import { convergeInTurn } from "./renames.ts";
import type { Converged, Session } from "./session.ts";
import { checkShapes } from "./shapes.ts";
import {
	documentOf,
	keptOf,
	mustRead,
	noOrganization,
	nothingKept,
	places,
	shapes,
	type TagInputs,
	type TagOutputs,
	withoutResource,
	writeInputs,
} from "./user-tag-inputs.ts";

/** What `check` answers: the completed inputs or what is wrong with them, and a line for the output. */
export interface Checked {
	readonly inputs: Properties;
	readonly failures: readonly CheckFailure[];
	readonly say?: string;
}

/** The inputs completed, or what is wrong with them: as inputs, and against the live organization where they are new. */
export async function checkTag(olds: Partial<TagInputs>, news: Partial<TagInputs>, session: Session): Promise<Checked> {
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
	// A tag that is found already needs no earlier names, and `ignoreChanges` may give its own name as one of them.
	const isFound = tagId !== undefined && tagId === olds.tagId;
	const read = readDocument(documentOf(isFound ? { ...given, previously: earlierNames(given) } : given), places);
	if ("failures" in read) return { inputs: given, failures: read.failures };
	const inputs = {
		...writeInputs(read.desired),
		...withoutUndefined({ limits: news.limits }),
		onDestroy,
		...metaOf(news),
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
): Promise<Checked> {
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
		session.refuseGuarded(plan, inputs.resource);
	} catch (error) {
		return { inputs: { ...inputs }, failures: [failCheck(error, "members")] };
	}
	const say = isCreated && inputs.partOf === undefined ? announceCreation(inputs, plan) : undefined;
	const tagId = inputs.tagId ?? (await findTag(desired, inputs.resource, session))?.id;
	const found = tagId === undefined ? inputs : { ...inputs, tagId };
	return { inputs: { ...found }, failures: claim(found, session), ...withoutUndefined({ say }) };
}

function claim(inputs: TagInputs, session: Session): readonly CheckFailure[] {
	const { organizationId, tagId, name } = inputs;
	if (tagId === undefined) return [];
	const owner = session.claims.claim(organizationId, `userTag/${tagId}`, inputs);
	if (owner === undefined) return [];
	const [other, own] = nameOwners(owner, inputs);
	const reason = `the tag ${tagId} is managed by the resource \`${other}\` and by \`${own}\` (as \`${name}\`); one tag, one resource`;
	return [{ property: "name", reason }];
}

/** What differs between the state and the program; nothing is asked of the service. */
export function diffTag(olds: TagOutputs, news: Partial<TagInputs>): { changes: boolean; replaces: string[] } {
	const replaces = [
		...(isOther(news.organizationId, olds.organizationId) ? ["organizationId"] : []),
		...(isOther(news.tagId, olds.tagId) ? ["tagId"] : []),
	];
	const compared = ["name", "onDestroy"] as const;
	const changes =
		hasUnknown(news) ||
		!sameMembers(olds.members, news.members) ||
		!sameValue(earlierNames(olds), earlierNames(news)) ||
		compared.some((key) => !sameValue(olds[key], news[key]));
	return { changes: changes || replaces.length > 0, replaces };
}

function earlierNames({ name, previously = [] }: Partial<TagInputs>): readonly string[] {
	return previously.filter((earlier) => earlier !== name);
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
		session.hold(`userTag/${id}`, inputs);
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
	const lastApplied = journal.lastApplied(organizationId).userTags[tagId];
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

async function findTag(
	desired: DesiredOrganization,
	resource: string,
	session: Session,
): Promise<LiveUserTag | undefined> {
	const live = await session.read({ resource, desired, kept: nothingKept });
	const wanted = tagsOf(desired)[0];
	if (!live.userTags.known || wanted === undefined) return undefined;
	const tags = live.userTags.value;
	if (wanted.id !== undefined) return tags.find(({ id }) => id === wanted.id);
	return tags.find(({ name }) => name === wanted.name) ?? tags.find(({ name }) => wanted.previously.includes(name));
}

/** The same wish for the tag that was found: it is looked for by its id from now on. */
function withTag(desired: DesiredOrganization, id: string | undefined): DesiredOrganization {
	return id === undefined ? desired : { ...desired, objects: tagsOf(desired).map((tag) => ({ ...tag, id })) };
}
