/** What the removal resources share: each lists ids of objects that must not exist, and removes those that do. */
import { defined } from "../../common/defined.ts";
import { uuid } from "../../common/uuid.ts";
import { printAddress } from "../../plan/address.ts";
import type { Change } from "../../plan/change.ts";
import type { RemovalKind } from "../../plan/kinds/kind.ts";
import { type RemovalKindName, removalLists } from "../../plan/kinds/names.ts";
import { oauthProvider } from "../../plan/kinds/oauth-provider.ts";
import { policy } from "../../plan/kinds/policy.ts";
import { tvcApp } from "../../plan/kinds/tvc-app.ts";
import { labelOfObject, nameOfUser } from "../../plan/objects.ts";
import {
	absentTagsOf,
	type DesiredOrganization,
	type DesiredRemoval,
	type Known,
	type LiveOrganization,
	removalsOf,
} from "../../plan/organization.ts";
import type { StepRequest } from "../../plan/step.ts";
import type { PropertySchema } from "../inputs/input-schema.ts";
import type { Properties } from "../inputs/inputs.ts";
import type { PropertyChange } from "../inputs/property-changes.ts";
import type { ConvergeResult, Session } from "../session/session.ts";
import { readRemovalTimes } from "../state/stored-state-check.ts";
import { isDone } from "./failure.ts";
import {
	type DocumentPart,
	mustRead,
	type ReadResult,
	type ResourceDefinition,
	type ResourceInputs,
	type ResourceOutputs,
	storedStateOf,
	type Target,
} from "./resource.ts";

interface RemovalInputs extends ResourceInputs {
	readonly userId?: string;
	/** The input that lists ids, or is the one id. */
	readonly [idsInput: string]: unknown;
}

interface RemovalOutputs extends RemovalInputs, ResourceOutputs {
	/** The ids as the program wrote them; the input holds those that are gone. */
	readonly managed?: readonly string[];
	/** When orgsync removed each object, by its key in the last-applied state; ISO 8601 in UTC. */
	readonly removedAt?: Readonly<Record<string, string>>;
}

interface Removal {
	readonly name: string;
	readonly kind: Pick<RemovalKind, "words" | "isOfUser" | "operation"> & {
		readonly name: RemovalKindName | "userTag";
	};
	/** The parameter of its operation that lists ids, where it is not called as the input. */
	readonly parameter?: string;
	/** Whether a document can state its objects other than by ids, so that a component resolves them by its plan. */
	readonly isResolved?: boolean;
	/** The input that lists ids, or is the one id of a resource for a single object. */
	readonly idsInput: string;
	readonly isSingle?: boolean;
	idOf(inputs: RemovalInputs): string;
	/** What follows a component's name in the name of the resource that removes the object. */
	suffixOf(object: DesiredRemoval, desired: DesiredOrganization): string;
}

type RemovalDefinition = ResourceDefinition<RemovalInputs, RemovalOutputs>;

function defineRemoval(removal: Removal): ResourceDefinition {
	const { name, kind, idsInput, isSingle, idOf } = removal;
	const collection = collectionOf(kind.name);
	const userInput = kind.isOfUser ? ["userId"] : [];
	const ids: PropertySchema = isSingle ? "id" : { listOf: "id" };
	const definition: RemovalDefinition = {
		name,
		operations: [kind.operation],
		schema: {
			required: [...userInput, idsInput],
			fields: {
				...(kind.isOfUser ? { userId: "id" } : {}),
				[idsInput]: ids,
				organizationId: "id",
				limits: { fields: { [collection]: "any" } },
			},
		},
		places: [
			[`absent.${collection}`, idsInput],
			["limits", "limits"],
		],
		identity: ["organizationId", ...userInput, ...(isSingle ? [idsInput] : [])],
		guardedInput: idsInput,
		claimedInput: idsInput,
		claimAdvice: "list them in one resource",
		toDocument(inputs) {
			const { organizationId, userId, limits } = inputs;
			const listed = idsOf(removal, inputs);
			const absent = { [collection]: kind.isOfUser ? { [String(userId)]: listed } : listed };
			return { organizationId, absent, ...defined({ limits }) };
		},
		fromDocument(desired, { userId }) {
			const user = defined({ userId: userId?.toLowerCase() });
			return { organizationId: desired.organizationId, ...user, ...withIds(removal, idsIn(removal, desired)) };
		},
		// The OAuth providers of a user belong in one resource: its guard decides whether the last one may be removed.
		claims: (inputs) =>
			kind.isOfUser
				? [
						{
							object: `${kind.name}/${inputs.userId}`,
							subject: `${kind.words[1]} of the user ${inputs.userId} are removed`,
						},
					]
				: idsOf(removal, inputs).map((id) => ({ object: `${kind.name}/${id}`, subject: `${id} is removed` })),
		// The one id of a resource for a single object is its identity.
		comparable: (properties) =>
			isSingle || (removal.isResolved && properties.partOf !== undefined) ? {} : { [idsInput]: properties[idsInput] },
		due: (olds, news) => (removal.isResolved && news.partOf !== undefined ? addedIds(removal, olds, news) : []),
		idOf,
		writtenIn: ({ managed, ...inputs }) =>
			Array.isArray(managed) ? { ...inputs, ...withIds(removal, managed) } : inputs,
		requestsFor: (inputs) => {
			const ids = { [removal.parameter ?? idsInput]: inputs[idsInput] };
			const parameters = { ...(kind.isOfUser ? { userId: inputs.userId } : {}), ...ids };
			return [{ operation: kind.operation, parameters } as unknown as StepRequest];
		},
		outputsOf: (target, result) => outputsOf(removal, target, result),
		readApplied: ({ removedAt }, context) =>
			Object.entries(readRemovalTimes(removedAt, context)).flatMap(([id, appliedAt]) =>
				kind.name === "userTag" ? [] : [{ kind: kind.name, id, value: { appliedAt } }],
			),
		read: (id, props, session) => read(removal, definition, id, props, session),
		partsOf: (desired, { changes }) => partsOf(removal, desired, changes),
	};
	return definition;
}

function outputsOf(
	removal: Removal,
	{ inputs }: Target<RemovalInputs>,
	{ report, journal }: ConvergeResult,
): Properties {
	const { name } = removal.kind;
	const ids = idsOf(removal, inputs);
	if (name === "userTag") return { ...inputs, ...(isDone(report) ? {} : withIds(removal, [])), managed: ids };
	const lastApplied = journal.lastApplied(inputs.organizationId).removed[name] ?? {};
	const keyOf = (id: string): string => (inputs.userId === undefined ? id : `${inputs.userId}/${id}`);
	const gone = ids.filter((id) => lastApplied[keyOf(id)] !== undefined);
	const removedAt = Object.fromEntries(gone.map((id) => [keyOf(id), lastApplied[keyOf(id)]?.appliedAt]));
	return {
		...inputs,
		...(removal.isSingle || isDone(report) ? {} : withIds(removal, gone)),
		managed: ids,
		...(gone.length === 0 ? {} : { removedAt }),
	};
}

/** The state as live state shows it: an id that is back is not listed, and a single object that is back is gone. */
async function read(
	removal: Removal,
	definition: RemovalDefinition,
	id: string,
	props: RemovalOutputs,
	session: Session,
): Promise<ReadResult> {
	const { removedAt, activities, managed, ...inputs } = props;
	const desired = mustRead(definition, definition.writtenIn(props));
	const ids = idsIn(removal, desired);
	const stored = storedStateOf(definition, props, session);
	const live = ids.length === 0 ? undefined : await session.read({ resource: props.resource, desired, stored });
	const found =
		live && (removal.kind.name === "userTag" ? withoutUsers(live.userTags) : live.removables[removal.kind.name]);
	// A pending removal stays in the state: the next up joins its activity.
	const stays = removal.isSingle !== true || (activities ?? []).length > 0;
	// A single object that cannot be read and was never removed must not look as if it were gone.
	if (found?.known !== true) return stays || removedAt !== undefined ? { id, props: { ...props }, inputs } : {};
	const liveIds = found.value.filter(({ userId }) => userId === (props.userId ?? null)).map((one) => one.id);
	const left = ids.filter((one) => !liveIds.includes(one));
	if (left.length === 0 && !stays) return {};
	const seen = removal.isSingle ? inputs : { ...inputs, ...withIds(removal, left) };
	return { id, props: defined({ ...seen, removedAt, activities, managed }), inputs: seen };
}

function withoutUsers(tags: LiveOrganization["userTags"]): Known<readonly { id: string; userId: null }[]> {
	return tags.known ? { known: true, value: tags.value.map(({ id }) => ({ id, userId: null })) } : tags;
}

/** The ids that a part removes besides those of its state: one that is gone is no difference. */
function addedIds(removal: Removal, olds: RemovalOutputs, news: Partial<RemovalInputs>): readonly PropertyChange[] {
	const known = Array.isArray(olds.managed) ? olds.managed : idsOf(removal, olds);
	return idsOf(removal, news).flatMap((id, index): PropertyChange[] =>
		known.includes(id) ? [] : [{ path: [removal.idsInput, index], kind: "add" }],
	);
}

/** The objects that the document states by ids, and those that the plan removes: found by names, or not on a complete list. */
function resolvedPart(
	removal: Removal,
	desired: DesiredOrganization,
	changes: readonly Change[],
): readonly DocumentPart[] {
	const { name } = removal.kind;
	const collection = name === "userTag" ? "userTags" : "policies";
	const stated = idsIn(removal, desired);
	if (stated.length === 0 && desired.exactly?.[collection] === undefined) return [];
	const removed = changes.filter((change) => change.kind === name && change.action === "remove");
	const found = removed.map((change) => (change.kind === "userTag" ? change.tagId : "id" in change ? change.id : ""));
	const ids = [...new Set([...stated.filter((id) => uuid.test(id)), ...found])];
	const addresses = new Set(removed.map(({ address }) => address));
	const suffix = name === "userTag" ? "user-tags" : "policies";
	return [
		{ suffix, args: withIds(removal, ids), covers: (address) => addresses.has(address as never), limit: collection },
	];
}

function partsOf(removal: Removal, desired: DesiredOrganization, changes: readonly Change[]): readonly DocumentPart[] {
	const { kind, isSingle, suffixOf } = removal;
	const { name } = kind;
	if (removal.isResolved || name === "userTag") return resolvedPart(removal, desired, changes);
	const groups = Map.groupBy(removalsOf(desired, name), (object) => suffixOf(object, desired));
	return [...groups].map(([suffix, objects]): DocumentPart => {
		const ids = objects.map(({ id }) => id);
		const addresses: readonly string[] = objects.map((object) => printAddress(name, labelOfObject(object, desired)));
		return {
			suffix,
			args: { ...(kind.isOfUser ? { userId: objects[0]?.userId } : {}), ...withIds(removal, ids) },
			covers: (address) => addresses.includes(address),
			...(isSingle ? {} : { limit: removalLists[name] }),
		};
	});
}

function idsIn({ kind }: Removal, desired: DesiredOrganization): readonly string[] {
	return kind.name === "userTag"
		? absentTagsOf(desired).map(({ name }) => name)
		: removalsOf(desired, kind.name).map(({ id }) => id);
}

function collectionOf(kind: Removal["kind"]["name"]): string {
	return kind === "userTag" ? "userTags" : removalLists[kind];
}

function idsOf({ idsInput, isSingle }: Removal, inputs: Partial<RemovalInputs>): readonly string[] {
	const value = inputs[idsInput];
	// A state that was edited may have something else.
	return (isSingle ? [value] : Array.isArray(value) ? value : []) as readonly string[];
}

function withIds({ idsInput, isSingle }: Removal, ids: readonly string[]): Properties {
	return { [idsInput]: isSingle ? ids[0] : ids };
}

export const policyRemoval = defineRemoval({
	name: "PolicyRemoval",
	kind: policy,
	isResolved: true,
	idsInput: "policyIds",
	idOf: ({ organizationId }) => `${organizationId}/policies`,
	suffixOf: () => "policies",
});

export const userTagRemoval = defineRemoval({
	name: "UserTagRemoval",
	kind: { name: "userTag", words: ["user tag", "user tags"], isOfUser: false, operation: "delete_user_tags" },
	isResolved: true,
	idsInput: "tagIds",
	parameter: "userTagIds",
	idOf: ({ organizationId }) => `${organizationId}/user-tags`,
	suffixOf: () => "user-tags",
});

export const oauthProviderRemoval = defineRemoval({
	name: "OauthProviderRemoval",
	kind: oauthProvider,
	idsInput: "providerIds",
	idOf: ({ organizationId, userId }) => `${organizationId}/${userId}`,
	suffixOf: ({ userId }, desired) => `oauth-providers-${nameOfUser(desired, userId ?? "")}`,
});

export const tvcAppRemoval = defineRemoval({
	name: "TvcAppRemoval",
	kind: tvcApp,
	idsInput: "appId",
	isSingle: true,
	idOf: ({ appId }) => String(appId),
	suffixOf: ({ id }) => `tvc-app-${id}`,
});
