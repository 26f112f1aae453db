import type { PendingActivity } from "../../plan/activities/pending.ts";
import type { Change } from "../../plan/change.ts";
import type { IdsOfReferences } from "../../plan/kinds/references.ts";
import type { DesiredOrganization, LiveOrganization } from "../../plan/organization.ts";
import type { Plan } from "../../plan/plan.ts";
import { standInsIn } from "../../plan/stand-in.ts";
import type { StepRequest } from "../../plan/step.ts";
import type { AppliedObject } from "../../sync/journal/journal.ts";
import type { WriteName } from "../../wire/operations.ts";
import type { ImportedKind, ImportId } from "../inputs/import-id.ts";
import type { InputSchema } from "../inputs/input-schema.ts";
import {
	type CheckFailure,
	hasUnknown,
	type MetaInputs,
	type Properties,
	type PropertyPlaces,
	readDocument,
} from "../inputs/inputs.ts";
import { compareValues, type PropertyChange } from "../inputs/property-changes.ts";
import type { ConvergeResult, Session } from "../session/session.ts";
import { nothingStored, type StoredState } from "../state/stored-state.ts";
import { readStoredActivities, type StateContext, type StoredActivity } from "../state/stored-state-check.ts";
import { ResourceFailure } from "./failure.ts";

/** Inputs after `check`: complete, ids in lower case, lists sorted. */
export interface ResourceInputs extends MetaInputs {
	readonly organizationId: string;
	readonly limits?: Properties;
}

export interface ResourceOutputs {
	/** Activities that have not ended. Until they have, the resource does not match its inputs. */
	readonly activities?: readonly StoredActivity[];
	/** Set for an object that this resource created. */
	readonly created?: true;
	/**
	 * What the journal has of the last apply. An alias or a rename in the state changes the URN of a resource, and a new one of
	 * the old name may have applied the object since, at another time.
	 */
	readonly appliedAs?: { readonly urn: string; readonly atMs: number };
}

/** State and inputs as live state shows them; without an id, the object is gone. */
export interface ReadResult {
	readonly id?: string;
	readonly props?: Properties;
	readonly inputs?: Properties;
	/** Lines to print. */
	readonly notices?: readonly string[];
}

/** A live object that no state has. */
export interface FoundObject {
	readonly id: string;
	/** As a program writes them, without the organization. */
	readonly inputs: Properties;
	/** What the state has besides. */
	readonly outputs: Properties;
	/** Lines to print when it is imported. */
	readonly notices?: readonly string[];
}

export interface Finder {
	readonly kind: ImportedKind;
	/** Returns the object, or why there is none. Throws ResourceFailure if that is not known. */
	find(named: ImportId, resource: string, session: Session): Promise<FoundObject | string>;
}

interface ClaimedObject {
	/** For example `userTag/ID`. */
	readonly object: string;
	/** How a message begins: `the user tag ID is managed`. */
	readonly subject: string;
}

/** How a resource creates its object. */
export interface Creation<Inputs> {
	readonly kind: "userTag" | "policy";
	readonly noun: string;
	/** The property that has the object's id. */
	readonly idName: "tagId" | "policyId";
	/** Whether the inputs ask for it; otherwise the resource adopts what is there. */
	isAsked(inputs: Partial<Inputs>): boolean;
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
	/** Finds a live object to import or to read. Left out: both are refused. */
	readonly finder?: Finder;
	/** The operations by which it changes its objects. */
	readonly operations: readonly WriteName[];
	readonly schema: InputSchema;
	readonly places: PropertyPlaces;
	/** Inputs that replace the resource when they change. */
	readonly identity: readonly string[];
	/** The input that a check names when a guard blocks the plan. */
	readonly guardedInput: string;
	/** The input that a check names when another resource claims the object, and what to do about it. */
	readonly claimedInput: string;
	readonly claimAdvice: string;

	/** How it creates its object. Left out: it creates none. */
	readonly creation?: Creation<Inputs>;
	/** Outputs that are no inputs: the service makes them. Left out: there is none. */
	readonly computed?: readonly string[];
	/** The program's inputs with defaults and with what the state knows; any of them may be unknown. Left out: no defaults. */
	complete?(news: Partial<Inputs>, olds: Partial<Inputs>): Partial<Inputs>;
	/** What is wrong with the inputs that the document does not show, unknown ones aside. Left out: nothing. */
	findMistakes?(inputs: Partial<Inputs>): readonly CheckFailure[];
	/**
	 * Known inputs in place of unknown ones, so that a preview can judge the others, and a line about what it cannot judge. Left
	 * out: it judges nothing.
	 */
	assume?(inputs: Partial<Inputs>): { readonly inputs: Partial<Inputs>; readonly unjudged: string };
	toDocument(inputs: Partial<Inputs>, olds?: Partial<Inputs>): Properties;
	/** The inputs in the form that the document was read in, without limits and meta inputs. */
	fromDocument(desired: DesiredOrganization, given: Partial<Inputs>): Properties;
	/** The objects that the inputs name; none while their ids are not known. */
	claims(inputs: Inputs): readonly ClaimedObject[];
	/** Why live state cannot become what the inputs say. Left out: only applying it finds out. */
	explainProblems?(plan: Plan, inputs: Inputs, news: Partial<Inputs>): readonly CheckFailure[];
	/** The inputs with what live state has of the object, such as its id. Left out: the inputs as they are. */
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
	/** Requests that name the objects of these inputs: an activity about the same objects can change them. */
	requestsFor(inputs: Inputs): readonly StepRequest[];
	/** Inputs and outputs after an apply, without activities. */
	outputsOf(target: Target<Inputs>, result: ConvergeResult): Properties;
	/** What the state says was last applied. Throws StorageError if it cannot be used. */
	readApplied(olds: Outputs, context: StateContext): readonly AppliedObject[];
	read(id: string, props: Outputs, session: Session): Promise<ReadResult>;
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
	/** The parts of a document, with the changes that its plan makes. */
	partsOf(desired: DesiredOrganization, planned: PlannedParts): readonly DocumentPart[];
}

/** What the plan of a document says for its parts. */
export interface PlannedParts {
	readonly changes: readonly Change[];
	/** The ids of tags that the plan creates are stand-ins. */
	readonly ids: IdsOfReferences;
}

/** A resource that a component registers for one part of its document. */
export interface DocumentPart {
	/** What follows the component's name in the name of the resource; earlier ones become aliases. */
	readonly suffix: string;
	readonly earlierSuffixes?: readonly string[];
	/** An id that stands in for one of an object that another part creates is that part's output. */
	readonly args: Properties;
	readonly covers: (address: string) => boolean;
	/** Whether its object stays when the document drops it. Left out: the resource says so. */
	readonly isKept?: true;
	/** The limit that allows as many removals as the component's plan has for the part. */
	readonly limit?: string;
}

/** The names of a resource's outputs: its inputs without the limits, which say nothing about the object. */
export function outputNames({
	schema,
	computed = [],
}: Pick<ResourceDefinition, "schema" | "computed">): readonly string[] {
	return [...Object.keys(schema.fields).filter((name) => name !== "limits"), ...computed];
}

type AnyOutputs = ResourceInputs & ResourceOutputs;
type AnyInputs = Partial<ResourceInputs>;

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
	return [hasUnknown(after) || standInsIn(String(before)).length > 0 ? change : { ...change, replaces: true }];
}

/** What the state of a resource stores besides inputs. Throws StorageError if it cannot be used. */
export function storedStateOf(
	definition: Pick<ResourceDefinition, "operations" | "readApplied">,
	olds: AnyOutputs | undefined,
	session: Session,
): StoredState {
	if (olds === undefined) return nothingStored;
	const context = session.stateContext(olds.resource, olds.organizationId, definition.operations);
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
