/**
 * What the removal resources share: each lists ids of objects that must not exist, and removes those that do.
 */
import { type RemovalKindName, removalLists } from "../plan/kinds/names.ts";
import { nameOfUser } from "../plan/objects.ts";
import {
	type DesiredOrganization,
	type DesiredRemoval,
	type Known,
	type LiveRemovable,
	removalsOf,
} from "../plan/organization.ts";
import { sameValue } from "../plan/value.ts";
import type { AppliedObject } from "../sync/journal.ts";
import type { SubmitName } from "../wire/operations.ts";
import { isDone } from "./failure.ts";
import type { InputSchema, PropertySchema } from "./input-schema.ts";
import { type Properties, type PropertyPlaces, withoutUndefined } from "./inputs.ts";
import {
	type ClaimedObject,
	mustRead,
	type Part,
	type ReadResult,
	type ResourceDefinition,
	type ResourceInputs,
	type ResourceOutputs,
	storedStateOf,
	type Target,
} from "./resource.ts";
import type { ConvergeResult, Session } from "./session.ts";
import { readRemovalTimes, type StateContext } from "./stored-state-check.ts";

export interface RemovalInputs extends ResourceInputs {
	readonly userId?: string;
	/** The input that lists ids, or is the one id. */
	readonly [idsInput: string]: unknown;
}

export interface RemovalOutputs extends RemovalInputs, ResourceOutputs {
	/** The ids as the program wrote them; the input holds those that are gone. */
	readonly managed?: readonly string[];
	/** When orgsync removed each object, by its key in the last-applied state; ISO 8601 in UTC. */
	readonly removedAt?: Readonly<Record<string, string>>;
}

/** What differs between removal resources. */
export interface Removal {
	readonly name: string;
	readonly kind: RemovalKindName;
	readonly operation: SubmitName;
	/** The input that lists ids, or is the one id of a resource for a single object. */
	readonly idsInput: string;
	readonly isSingle?: boolean;
	/** Whether the objects belong to a user, the input `userId`. */
	readonly hasUser?: boolean;
	idOf(inputs: RemovalInputs): string;
	/** See ResourceDefinition. */
	partsOf(removals: readonly DesiredRemoval[], aliasOf: (userId: string) => string): readonly Part[];
}

/** The definition of a removal resource. */
export class RemovalDefinition implements ResourceDefinition<RemovalInputs, RemovalOutputs> {
	readonly name: string;
	readonly isReadable = false;
	readonly operation: SubmitName;
	readonly schema: InputSchema;
	readonly places: PropertyPlaces;
	readonly identity: readonly string[];
	readonly guardedInput: string;
	readonly claimedInput: string;
	readonly claimAdvice = "list them in one resource";
	readonly recordsOwner = false;
	readonly #removal: Removal;

	constructor(removal: Removal) {
		const { idsInput, isSingle = false, hasUser = false } = removal;
		const collection = removalLists[removal.kind];
		this.#removal = removal;
		this.name = removal.name;
		this.operation = removal.operation;
		const own: Record<string, PropertySchema> = {
			...(hasUser ? { userId: "id" } : {}),
			[idsInput]: isSingle ? "id" : { listOf: "id" },
		};
		const limits: PropertySchema = { fields: { [collection]: "any" } };
		this.schema = { required: Object.keys(own), fields: { ...own, organizationId: "id", limits } };
		this.places = [
			[`absent.${collection}`, idsInput],
			["limits", "limits"],
		];
		this.identity = ["organizationId", ...(hasUser ? ["userId"] : []), ...(isSingle ? [idsInput] : [])];
		this.guardedInput = idsInput;
		this.claimedInput = idsInput;
	}

	complete(news: Partial<RemovalInputs>): Partial<RemovalInputs> {
		return news;
	}

	toDocument(inputs: Partial<RemovalInputs>): Properties {
		const { organizationId, userId, limits } = inputs;
		const { kind, hasUser } = this.#removal;
		const ids = this.#idsOf(inputs);
		const absent = { [removalLists[kind]]: hasUser ? { [String(userId)]: ids } : ids };
		return { organizationId, absent, ...withoutUndefined({ limits }) };
	}

	fromDocument(desired: DesiredOrganization, { userId }: Partial<RemovalInputs>): Properties {
		const user = withoutUndefined({ userId: userId?.toLowerCase() });
		return { organizationId: desired.organizationId, ...user, ...this.#withIds(this.#idsIn(desired)) };
	}

	/** The OAuth providers of a user belong in one resource: its guard decides whether the last one may be removed. */
	claims(inputs: RemovalInputs): readonly ClaimedObject[] {
		const { kind, hasUser } = this.#removal;
		const { userId } = inputs;
		if (!hasUser) return this.#idsOf(inputs).map((id) => ({ object: `${kind}/${id}`, subject: `${id} is removed` }));
		return [{ object: `${kind}/${userId}`, subject: `OAuth providers of the user ${userId} are removed` }];
	}

	isSame(olds: RemovalOutputs, news: Partial<RemovalInputs>): boolean {
		const { idsInput } = this.#removal;
		return sameValue(olds[idsInput], news[idsInput]);
	}

	idOf(inputs: RemovalInputs): string {
		return this.#removal.idOf(inputs);
	}

	outputsOf({ inputs }: Target<RemovalInputs>, { report, journal }: ConvergeResult): Properties {
		const lastApplied = journal.lastApplied(inputs.organizationId).removed[this.#removal.kind] ?? {};
		const ids = this.#idsOf(inputs);
		const removedAt: Record<string, string> = {};
		for (const id of ids) {
			const key = keyOf(inputs, id);
			const applied = lastApplied[key];
			if (applied !== undefined) removedAt[key] = applied.appliedAt;
		}
		const gone = ids.filter((id) => removedAt[keyOf(inputs, id)] !== undefined);
		return {
			...inputs,
			...(this.#removal.isSingle || isDone(report) ? {} : this.#withIds(gone)),
			managed: ids,
			...(Object.keys(removedAt).length === 0 ? {} : { removedAt }),
		};
	}

	readApplied({ removedAt }: RemovalOutputs, context: StateContext): readonly AppliedObject[] {
		const { kind } = this.#removal;
		return Object.entries(readRemovalTimes(removedAt, context)).map(([id, appliedAt]) => ({
			kind,
			id,
			value: { appliedAt },
		}));
	}

	/** The state as live state shows it: an id that is back is not listed, and a single object that is back is gone. */
	async read(id: string, props: RemovalOutputs, session: Session): Promise<ReadResult> {
		const { kind, isSingle = false } = this.#removal;
		const { removedAt, activities, managed, ...inputs } = props;
		const desired = mustRead(this, managed === undefined ? props : { ...props, ...this.#withIds(managed) });
		const ids = this.#idsIn(desired);
		const stored = storedStateOf(this, props, session);
		const live = ids.length === 0 ? undefined : await session.read({ resource: props.resource, desired, stored });
		const there = live === undefined ? undefined : liveIds(live.removables[kind], props.userId);
		// A pending removal stays in the state: the next up joins its activity.
		const stays = !isSingle || (activities ?? []).length > 0;
		// A single object that cannot be read and was never removed must not look as if it were gone.
		if (there === undefined) return stays || removedAt !== undefined ? { id, props: { ...props }, inputs } : {};
		const left = ids.filter((one) => !there.includes(one));
		if (left.length === 0 && !stays) return {};
		const seen = isSingle ? inputs : { ...inputs, ...this.#withIds(left) };
		return { id, props: withoutUndefined({ ...seen, removedAt, activities, managed }), inputs: seen };
	}

	partsOf(desired: DesiredOrganization): readonly Part[] {
		return this.#removal.partsOf(removalsOf(desired, this.#removal.kind), (userId) => nameOfUser(desired, userId));
	}

	#idsIn(desired: DesiredOrganization): readonly string[] {
		return removalsOf(desired, this.#removal.kind).map(({ id }) => id);
	}

	#idsOf(inputs: Partial<RemovalInputs>): readonly string[] {
		const value = inputs[this.#removal.idsInput];
		return (this.#removal.isSingle ? [value] : value) as readonly string[];
	}

	#withIds(ids: readonly string[]): Properties {
		return { [this.#removal.idsInput]: this.#removal.isSingle ? ids[0] : ids };
	}
}

/** The key of an object in the last-applied state. */
function keyOf({ userId }: RemovalInputs, id: string): string {
	return userId === undefined ? id : `${userId}/${id}`;
}

/** The ids of live objects, of a user if one is given; undefined if they cannot be read. */
function liveIds(live: Known<readonly LiveRemovable[]>, userId: string | undefined): readonly string[] | undefined {
	if (!live.known) return undefined;
	return live.value.filter((one) => userId === undefined || one.userId === userId).map(({ id }) => id);
}
