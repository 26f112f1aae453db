/** The skeleton that all resources share. What differs between them is a `ResourceDefinition`, one file each. */
import { defined, nonEmpty } from "../../common/defined.ts";
import { GuardError } from "../../common/errors.ts";
import type { PendingActivity } from "../../plan/activities/pending.ts";
import type { AnyParameters } from "../../plan/activities/requests.ts";
import type { DesiredOrganization, LiveOrganization } from "../../plan/organization.ts";
import type { Plan } from "../../plan/plan.ts";
import { sameValue } from "../../plan/value.ts";
import type { AppliedObject } from "../../sync/journal/journal.ts";
import type { WriteName } from "../../wire/operations.ts";
import { checkInputSchema, type InputSchema } from "../inputs/input-schema.ts";
import {
	type CheckFailure,
	hasUnknown,
	type MetaInputs,
	metaOf,
	type Properties,
	type PropertyPlaces,
	readDocument,
	withoutMeta,
} from "../inputs/inputs.ts";
import { compareValues, type PropertyChange } from "../inputs/property-changes.ts";
import {
	describeConsequences,
	describeCreate,
	describeLeft,
	describePending,
	describeWarnings,
	describeWindows,
} from "../notices/notices.ts";
import { explainSecond } from "../session/claims.ts";
import { convergeWhenNameIsFree } from "../session/name-order.ts";
import { type ConvergeResult, type Session, timeOf } from "../session/session.ts";
import { nothingStored, type StoredState, storeActivities } from "../state/stored-state.ts";
import { readStoredActivities, type StateContext, type StoredActivity } from "../state/stored-state-check.ts";
import { explainReport, failCheck, isDone, ResourceFailure } from "./failure.ts";

/** Inputs after `check`: complete, ids in lower case, lists sorted. */
export interface ResourceInputs extends MetaInputs {
	readonly organizationId: string;
	readonly limits?: Properties;
}

export interface ResourceOutputs {
	/** Activities that have not ended. Until they have, the resource does not match its inputs. */
	readonly activities?: readonly StoredActivity[];
}

/** The completed inputs, or what is wrong with them, and lines to print. */
interface CheckResult {
	readonly inputs: object;
	readonly failures: readonly CheckFailure[];
	readonly notices?: readonly string[];
}

/** State and inputs as live state shows them; without an id, the object is gone. */
export interface ReadResult {
	readonly id?: string;
	readonly props?: Properties;
	readonly inputs?: Properties;
	/** Lines to print. */
	readonly notices?: readonly string[];
}

interface ClaimedObject {
	/** For example `userTag/ID`. */
	readonly object: string;
	/** How a message begins: `the user tag ID is managed`. */
	readonly subject: string;
}

/** What a resource applies: its inputs and the document of one object that they stand for. */
export interface Target<Inputs> {
	readonly inputs: Inputs;
	readonly desired: DesiredOrganization;
}

export interface ResourceDefinition<
	Inputs extends ResourceInputs = ResourceInputs,
	Outputs extends Inputs & ResourceOutputs = Inputs & ResourceOutputs,
> {
	/** The name of its class, for messages and for the engine, for example `UserTag`. */
	readonly name: string;
	/** Whether its id is that of a live object, so that a program can read it without managing it. */
	readonly isReadable: boolean;
	readonly operation: WriteName;
	readonly schema: InputSchema;
	readonly places: PropertyPlaces;
	/** Inputs that replace the resource when they change. */
	readonly identity: readonly string[];
	/** The input that a check names when a guard blocks the plan. */
	readonly guardedInput: string;
	/** The input that a check names when another resource claims the object, and what to do about it. */
	readonly claimedInput: string;
	readonly claimAdvice: string;

	/** The program's inputs with defaults and with what the state knows; any of them may be unknown. Left out: no defaults. */
	complete?(news: Partial<Inputs>, olds: Partial<Inputs>): Partial<Inputs>;
	toDocument(inputs: Partial<Inputs>, olds?: Partial<Inputs>): Properties;
	/** The inputs in the form that the document was read in, without limits and meta inputs. */
	fromDocument(desired: DesiredOrganization, given: Partial<Inputs>): Properties;
	/** The objects that the inputs name; none while their ids are not known. */
	claims(inputs: Inputs): readonly ClaimedObject[];
	/** Why live state cannot become what the inputs say. Left out: only applying it finds out. */
	explainProblems?(plan: Plan, inputs: Inputs, news: Partial<Inputs>): readonly CheckFailure[];
	/** The inputs with the id of the live object, if live state has it. Left out: the inputs as they are. */
	locate?(target: Target<Inputs>, live: LiveOrganization): Inputs;
	/** What updates the resource when it changes, in one form for inputs and outputs. An item that does not matter is undefined. */
	comparable(properties: Partial<Inputs>): Properties;
	/** What may differ because of the time, milliseconds since 1970. Makes no request. Left out: nothing. */
	due?(olds: Outputs, news: Partial<Inputs>, nowMs: number): readonly PropertyChange[];
	/** What to apply. Left out: the inputs as they are. */
	findTarget?(inputs: Inputs, olds: Outputs | undefined, session: Session): Promise<Target<Inputs>>;
	/** The resource's id. Throws ResourceFailure if there is no object. */
	idOf(inputs: Inputs): string;
	/** The inputs of a state as the program wrote them: an output can be the part that is in sync. */
	writtenIn(olds: Outputs): Inputs;
	/** The parameters of a request for all objects of these inputs that name the objects. */
	objectsIn(inputs: Inputs): AnyParameters;
	/** Inputs and outputs after an apply, without activities. */
	outputsOf(target: Target<Inputs>, result: ConvergeResult): Properties;
	/** What the state says was last applied. Throws StorageError if it cannot be used. */
	readApplied(olds: Outputs, context: StateContext): readonly AppliedObject[];
	read(id: string, props: Outputs, session: Session): Promise<ReadResult>;
	/** State and inputs of a live object that no state has, by the id that a person writes. Left out: refused. */
	import?(id: string, meta: MetaInputs, session: Session): Promise<ReadResult>;
	/**
	 * Deletes the resource, none of whose own activities is pending but those that this continues. `others` are pending too, and
	 * known only to the service. Returns a line to print, or undefined. Left out: deleting submits nothing, so the resource is
	 * not recorded as the last owner of its objects.
	 */
	remove?(props: Outputs, session: Session, others: readonly PendingActivity[]): Promise<string | undefined>;
	/** Whether deleting submits something. Left out: no. */
	submitsAtDelete?(props: Outputs): boolean;
	/** Whether deleting submits what this activity does, and so continues with it. Left out: no. */
	isContinuedByDelete?(props: Outputs, activity: PendingActivity): boolean;
	partsOf(desired: DesiredOrganization): readonly DocumentPart[];
}

/** A resource that a component registers for one part of its document. */
export interface DocumentPart {
	/** What follows the component's name in the name of the resource; earlier ones become aliases. */
	readonly suffix: string;
	readonly earlierSuffixes?: readonly string[];
	readonly args: Properties;
	readonly covers: (address: string) => boolean;
	/** The limit that allows as many removals as the component's plan has for the part. */
	readonly limit?: string;
}

/** The names of a resource's outputs: its inputs without the limits, which say nothing about the object. */
export function outputNames({ schema }: Pick<ResourceDefinition, "schema">): readonly string[] {
	return Object.keys(schema.fields).filter((name) => name !== "limits");
}

type AnyOutputs = ResourceInputs & ResourceOutputs;
type AnyInputs = Partial<ResourceInputs>;

export const noOrganization: CheckFailure = {
	property: "organizationId",
	reason:
		"no organization is given: set organizationId on the resource or its Provider, run `pulumi config set orgsync:organizationId ID`, or set ORGSYNC_ORGANIZATION_ID",
};

/** Completes the inputs, or returns what is wrong with them. New ones are also planned against the live organization. */
export async function check(
	definition: ResourceDefinition,
	olds: AnyInputs,
	news: AnyInputs,
	session: Session,
): Promise<CheckResult> {
	const organizationId = news.organizationId ?? session.settings.organizationId;
	const mistakes = checkInputSchema({ ...news }, definition.schema);
	if (mistakes.length > 0) return { inputs: news, failures: mistakes };
	if (organizationId === undefined) return { inputs: news, failures: [noOrganization] };
	const named = { ...news, organizationId };
	const given = definition.complete?.(named, olds) ?? named;
	if (hasUnknown(given)) return { inputs: given, failures: [] };
	const read = readDocument(definition.toDocument(given, olds), definition.places);
	if ("failures" in read) return { inputs: given, failures: read.failures };
	const inputs = {
		...definition.fromDocument(read.desired, given),
		...defined({ limits: news.limits }),
		...metaOf(news),
	} as unknown as ResourceInputs;
	try {
		const target = { inputs, desired: read.desired };
		const isNew = !sameValue(withoutResource(olds), withoutResource(inputs));
		const checked = isNew ? await checkLive(definition, target, { olds, news }, session) : { inputs, failures: [] };
		const failures = checked.failures.length > 0 ? checked.failures : claim(definition, checked.inputs, session);
		return { ...checked, failures };
	} catch (error) {
		const property = error instanceof GuardError ? definition.guardedInput : "";
		return { inputs, failures: [failCheck(error, property)] };
	}
}

/** Plans new inputs against the live organization. Throws GuardError when a guard blocks the plan. */
async function checkLive(
	definition: ResourceDefinition,
	target: Target<ResourceInputs>,
	{ olds, news }: { readonly olds: AnyInputs; readonly news: AnyInputs },
	session: Session,
): Promise<CheckResult & { readonly inputs: ResourceInputs }> {
	const { inputs, desired } = target;
	const compared = { resource: inputs.resource, desired, stored: nothingStored };
	const comparison = await session.compare(compared);
	const { plan } = comparison;
	const failures = definition.explainProblems?.(plan, inputs, news) ?? [];
	if (failures.length > 0) return { inputs, failures };
	session.assertGuardsAllowed(plan, inputs);
	session.oldNames.addPlan(inputs, plan);
	const isCreated = olds.organizationId === undefined;
	const created = isCreated ? describeCreate(inputs, plan) : undefined;
	// A part of a component is in the plan that the component shows.
	const notices =
		inputs.partOf === undefined
			? [
					...(created === undefined ? [] : [created]),
					...describeWindows(inputs, desired, plan, timeOf(comparison)),
					...describeConsequences(inputs, plan),
					...describePending(inputs, plan),
					...describeWarnings(inputs, plan),
				]
			: [];
	const located = definition.locate?.(target, comparison.live) ?? inputs;
	return { inputs: located, failures: [], notices };
}

function claim(definition: ResourceDefinition, inputs: ResourceInputs, session: Session): readonly CheckFailure[] {
	const { claimedInput, claimAdvice } = definition;
	return definition.claims(inputs).flatMap(({ object, subject }) => {
		const owner = session.claims.claim(inputs.organizationId, object, inputs);
		if (owner === undefined) return [];
		return [{ property: claimedInput, reason: explainSecond(subject, owner, inputs, claimAdvice) }];
	});
}

/** The inputs without those that do not change what is desired: the meta inputs and the limits. */
function withoutResource(inputs: object): Properties {
	const { limits: _limits, __provider: _provider, ...rest } = withoutMeta({ ...inputs });
	return rest;
}

/** What differs between the state and the program. Makes no request. */
export function diff(definition: ResourceDefinition, olds: AnyOutputs, news: AnyInputs): readonly PropertyChange[] {
	const [before, after] = [olds, news] as readonly object[] as readonly [Properties, Properties];
	const identity = definition.identity.flatMap((name) => compareIds(name, before[name], after[name]));
	return [...identity, ...compareValues([], definition.comparable(olds), definition.comparable(news))];
}

/** The change of an id. One that is left out is the same, and an unknown one replaces nothing. */
function compareIds(name: string, before: unknown, after: unknown): readonly PropertyChange[] {
	if (typeof after !== "string" || after.toLowerCase() === before) return [];
	const change = { path: [name], kind: before === undefined ? "add" : "update" } as const;
	return [hasUnknown(after) ? change : { ...change, replaces: true }];
}

/** Brings the object in sync: submits one activity, or none. Returns lines to print. Throws ResourceFailure when that does not complete. */
export async function converge(
	definition: ResourceDefinition,
	inputs: ResourceInputs,
	olds: AnyOutputs | undefined,
	session: Session,
): Promise<{ readonly id: string; readonly outs: Properties; readonly notices: readonly string[] }> {
	const target = (await definition.findTarget?.(inputs, olds, session)) ?? {
		inputs,
		desired: mustRead(definition, inputs),
	};
	const stored = storedStateOf(definition, olds, session);
	const request = { resource: inputs.resource, partOf: inputs.partOf, desired: target.desired, stored };
	const result = await convergeWhenNameIsFree(request, session);
	const id = definition.idOf(target.inputs);
	if (definition.remove !== undefined) {
		for (const { object } of definition.claims(target.inputs))
			await session.lastOwners.record(target.inputs.organizationId, object, target.inputs);
	}
	const activities = storeActivities(result.report, result.journal, stored.activities);
	const outs = { ...definition.outputsOf(target, result), ...defined({ activities: nonEmpty(activities) }) };
	if (isDone(result.report)) return { id, outs, notices: describeLeft(inputs, activities) };
	throw new ResourceFailure(explainReport(result.report), { id, properties: outs });
}

/** What the state of a resource stores besides inputs. Throws StorageError if it cannot be used. */
export function storedStateOf(
	definition: Pick<ResourceDefinition, "operation" | "readApplied">,
	olds: AnyOutputs | undefined,
	session: Session,
): StoredState {
	if (olds === undefined) return nothingStored;
	const context = session.stateContext(olds.resource, olds.organizationId, definition.operation);
	const applied = definition.readApplied(olds, context);
	return { activities: readStoredActivities(olds.activities, context), applied };
}

/** The desired state of inputs. Throws ResourceFailure if they cannot be read. */
export function mustRead(
	definition: Pick<ResourceDefinition, "toDocument" | "places">,
	inputs: AnyInputs,
): DesiredOrganization {
	const read = readDocument(definition.toDocument(inputs), definition.places);
	if ("desired" in read) return read.desired;
	throw new ResourceFailure(read.failures.map(({ reason }) => reason).join("; "));
}
