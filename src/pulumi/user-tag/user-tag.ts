/** The user tag as a Pulumi resource: what differs from other resources. */
import { defined } from "../../common/defined.ts";
import { showText } from "../../common/escape.ts";
import type { PendingActivity } from "../../plan/activities/pending.ts";
import { idsIn } from "../../plan/activities/requests.ts";
import { tagsOf } from "../../plan/organization.ts";
import type { Plan } from "../../plan/plan.ts";
import type { StepRequest } from "../../plan/step.ts";
import { hasUnknown, type Properties } from "../inputs/inputs.ts";
import { knownId } from "../resources/created-object.ts";
import { deleteObject, findOtherOwner } from "../resources/delete-object.ts";
import { explainReport, isDone, ResourceFailure } from "../resources/failure.ts";
import { refusePending } from "../resources/pending-delete.ts";
import { type ResourceDefinition, storedStateOf, type Target } from "../resources/resource.ts";
import { isNameTaken } from "../session/plan-checks.ts";
import type { Session } from "../session/session.ts";
import { nothingStored } from "../state/stored-state.ts";
import { tagFinder } from "./finder.ts";
import {
	findEndedWindows,
	findTag,
	readManagedTag,
	readTagInputs,
	type TagInputs,
	type TagOutputs,
	tagDocument,
} from "./inputs.ts";
import { comparableMembers, observeMembers, userOf, writeMembers } from "./members.ts";

export const userTag: ResourceDefinition<TagInputs, TagOutputs> = {
	...tagDocument,
	name: "UserTag",
	finder: tagFinder,
	identity: ["organizationId", "tagId"],
	guardedInput: "members",
	claimedInput: "name",
	claimAdvice: "manage each tag with one resource",
	complete(news, olds) {
		// Once found, it is the same tag whatever its name is.
		const mayBeSame = hasUnknown(news.organizationId) || olds.organizationId === news.organizationId?.toLowerCase();
		const tagId = news.tagId ?? (mayBeSame ? knownId("tagId", olds) : undefined);
		// What destroying does to a created tag depends on the state: it may be one that was adopted.
		const onDestroy = news.onDestroy ?? (news.create === true ? undefined : "keep");
		return { ...news, ...defined({ onDestroy, tagId }) };
	},
	creation: { kind: "userTag", noun: "user tag", idName: "tagId", isAsked: ({ create }) => create === true },
	claims: ({ tagId, name, create }) => {
		const id = knownId("tagId", { tagId });
		if (id !== undefined) return [{ object: `userTag/${id}`, subject: `the user tag ${id} is managed` }];
		return create === true ? [{ object: `userTagName/${name}`, subject: `the user tag \`${name}\` is created` }] : [];
	},
	explainProblems,
	locate({ inputs, desired }, live) {
		const tagId = inputs.tagId ?? findTag(desired, live)?.id;
		return tagId === undefined ? inputs : { ...inputs, tagId };
	},
	comparable({ name, previously, members, onDestroy }) {
		return {
			name,
			previously: comparablePreviously(name, previously),
			members: comparableMembers(members),
			onDestroy,
		};
	},
	due: findEndedWindows,
	async findTarget(inputs, olds, session) {
		// Read as `check` did, which did not know the id.
		const { tagId: _tagId, ...written } = inputs;
		// A part is the tag of its name, as the document has it: it is created again where the one of the state is gone.
		const isNamed = inputs.partOf !== undefined && inputs.create === true;
		const known = (isNamed ? undefined : knownId("tagId", olds)) ?? knownId("tagId", inputs);
		const finds = known === undefined && inputs.create !== true;
		const desired = readTagInputs(written);
		const read = () => session.read({ resource: inputs.resource, desired, stored: nothingStored });
		const tagId = finds ? findTag(desired, await read())?.id : known;
		if (tagId === undefined) return { inputs: written, desired };
		const objects = tagsOf(desired).map((tag) => ({ ...tag, id: tagId }));
		return { inputs: { ...inputs, tagId }, desired: { ...desired, objects } };
	},
	idOf({ tagId, name }) {
		if (tagId === undefined) throw new ResourceFailure(`no user tag is called \`${name}\``);
		return tagId;
	},
	writtenIn: ({ managed, ...inputs }) => ({ ...inputs, ...defined({ members: managed ?? inputs.members }) }),
	requestsFor,
	outputsOf({ inputs, desired }, { plan, report, journal, timeMs }) {
		const { tagId = "", organizationId, members: managed } = inputs;
		const lastApplied = journal.lastApplied(organizationId).userTags[tagId];
		const before = isDone(report) ? {} : observeBefore({ inputs, desired }, plan, timeMs);
		return defined({ ...inputs, ...before, managed, lastApplied, validUntil: plan.validUntil });
	},
	read: readManagedTag,
	remove: deleteTag,
	submitsAtDelete: (props) => deletesTag(props) || membersToRemove(props).length > 0,
	isContinuedByDelete,
	partsOf: (desired) =>
		tagsOf(desired).map(({ name, id, previously, members, create }) => ({
			suffix: name,
			earlierSuffixes: previously,
			args: defined({
				name,
				tagId: id,
				previously: previously.length === 0 ? undefined : [...previously],
				members: writeMembers(members),
				...(create === true ? { create, adopt: true, onDestroy: "keep" as const } : {}),
			}),
			covers: (address) => address === `userTag:${name}`,
			limit: "memberRemovals",
		})),
};

/** The earlier names with `undefined` for the tag's own. What is no list is unknown or from an edited state: it is as it is. */
function comparablePreviously(name: string | undefined, previously: TagInputs["previously"]): unknown {
	if (!Array.isArray(previously)) return previously;
	const earlier = previously.map((one: unknown) => (one === name ? undefined : one));
	return earlier.every((one) => one === undefined) ? undefined : earlier;
}

/** Problems of the plan. A name that is taken is none yet: another resource of the program may release it. */
function explainProblems(plan: Plan, inputs: TagInputs, news: Partial<TagInputs>) {
	const isFromState = inputs.tagId !== undefined && news.tagId === undefined;
	const property = news.tagId === undefined ? "name" : "tagId";
	const hint = isFromState
		? "; the state still has this tag: `pulumi refresh` removes it, and then the tag is looked up by name"
		: "";
	return plan.problems
		.filter((one) => !isNameTaken(one))
		.map(({ code, message }) =>
			code === "user-not-there" ? { property: "members", reason: message } : { property, reason: message + hint },
		);
}

/** Name and members before a change that did not complete. */
function observeBefore({ inputs, desired }: Target<TagInputs>, plan: Plan, timeMs: number): Properties {
	const change = plan.changes.find((one) => one.kind === "userTag" && one.tagId === inputs.tagId);
	if (change?.kind !== "userTag") return { name: inputs.name, members: inputs.members };
	const live = change.before.members;
	const members = live === null ? undefined : observeMembers(tagsOf(desired)[0]?.members, live, timeMs);
	return { name: change.before.name, members };
}

/**
 * Removes the tag's members where the state says so, unless another resource has taken over the tag; the tag stays. The engine
 * creates a replacement, and a resource that was renamed in the program, before it deletes the old one: removing the members then
 * would undo what was just applied. Returns a line about those that stay. Throws ResourceFailure.
 */
async function deleteTag(
	props: TagOutputs,
	session: Session,
	others: readonly PendingActivity[],
): Promise<string | undefined> {
	const { organizationId, tagId, resource } = props;
	if (deletesTag(props)) {
		const kept = await deleteObject(userTag as ResourceDefinition, props, session);
		return kept === undefined ? undefined : showText(`${resource}: the user tag stays: ${kept}`);
	}
	const managed = membersToRemove(props);
	const object = `userTag/${tagId}`;
	if (managed.length > 0) {
		const reason = await findReasonToKeep(props, managed, session);
		if (reason !== undefined) return showText(`${resource}: ${describeKept(managed.length, reason)}`);
		refusePending(others.filter(({ parameters }) => idsIn(parameters.addUserIds).some((id) => managed.includes(id))));
		await removeMembers(props, managed, session);
	}
	// A replacement has the same URN and owns the tag from now on.
	if (session.claims.find(organizationId, object, props) === undefined) {
		await session.lastOwners.forget(organizationId, object, props);
	}
	return undefined;
}

function membersToRemove({ onDestroy, managed, members }: TagOutputs): readonly string[] {
	const { exactly, atLeast } = managed ?? members ?? {};
	return onDestroy === "removeMembers" ? (exactly ?? atLeast ?? []).map(userOf) : [];
}

/** Whether destroying deletes the tag: by default, only one that this resource created. */
function deletesTag({ onDestroy, create, created }: TagOutputs): boolean {
	return (onDestroy ?? (create === true && created === true ? "delete" : "keep")) === "delete";
}

function requestsFor({ tagId = "", name, create, onDestroy }: TagInputs): readonly StepRequest[] {
	return [
		{ operation: "update_user_tag", parameters: { userTagId: tagId, addUserIds: [], removeUserIds: [] } },
		...(create === true
			? [{ operation: "create_user_tag", parameters: { userTagName: name, userIds: [] } } as const]
			: []),
		...(create === true || onDestroy === "delete"
			? [{ operation: "delete_user_tags", parameters: { userTagIds: [tagId] } } as const]
			: []),
	];
}

function isContinuedByDelete(props: TagOutputs, { operation, parameters }: PendingActivity): boolean {
	if (operation === "delete_user_tags")
		return deletesTag(props) && idsIn(parameters.userTagIds).every((id) => id === props.tagId);
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
	const owner = await findOtherOwner(props, object, session);
	if (owner !== undefined) return owner;
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
	const { report } = await session.converge({ resource, desired, stored }, { isDelete: true });
	if (!isDone(report)) throw new ResourceFailure(explainReport(report));
}
