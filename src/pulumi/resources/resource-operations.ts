/**
 * What an engine asks of a resource, for the dynamic provider and the plugin: the skeleton in resource.ts with settings,
 * secrets and failures. Properties are plain JSON with `secretInputs`; secret values of a result are wrapped (secrets.ts).
 */

import { defined } from "../../common/defined.ts";
import { OrgsyncError } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import { refuseOtherTag } from "../inputs/import-id.ts";
import { type CheckFailure, explainFailure, hasUnknown, type MetaInputs, type Properties } from "../inputs/inputs.ts";
import { asWhole, compareValues, including, type PropertyChange, replacesOf } from "../inputs/property-changes.ts";
import { inputInId, namesOfSecrets, seal, sealId } from "../inputs/secrets.ts";
import { describePending, describeStored } from "../notices/notices.ts";
import type { ProviderProcess } from "../session/provider-process.ts";
import type { Session } from "../session/session.ts";
import type { GivenSettings } from "../settings/settings.ts";
import { check, review } from "./check.ts";
import { converge } from "./converge.ts";
import { explain, ResourceFailure } from "./failure.ts";
import { importObject, isLookUp, lookUp } from "./found-object.ts";
import { remove } from "./pending-delete.ts";
import {
	diff,
	mustRead,
	type ReadResult,
	type ResourceDefinition,
	type ResourceInputs,
	type ResourceOutputs,
	storedStateOf,
} from "./resource.ts";

type Outputs = ResourceInputs & ResourceOutputs;
type SealedProperties = Record<string, unknown>;

/** What an adapter knows besides outputs and new inputs. */
interface DiffContext {
	/** The inputs in the state; by default, its outputs, which repeat them. */
	readonly oldInputs?: Properties;
	/** What differs for another reason: live state has drifted, or another adapter wrote the state. */
	readonly due?: readonly PropertyChange[];
}

export interface ResourceDiff {
	readonly changes: boolean;
	/** The names of the properties that replace the resource. */
	readonly replaces: readonly string[];
	/** Empty if nothing changes. */
	readonly details: readonly PropertyChange[];
}

export type ResourceOperations = ReturnType<typeof makeOperations>;

/** The operations of one resource. `settings` are awaited by each: the engine may call one before it has configured them. */
export function makeOperations(
	definition: ResourceDefinition,
	process: ProviderProcess,
	settings: () => Promise<GivenSettings>,
) {
	const { secrets } = process;
	const { sessionOf, read } = hidingSecrets(process, settings);
	const { keep, replacedBy } = keepingUnfinished(definition);
	const say = printOnce(process);
	const apply = async (inputs: Properties, olds: Outputs | undefined) => {
		const { notices, ...applied } = await converge(definition, read(inputs), olds, await sessionOf(inputs));
		say(notices, inputs);
		return applied;
	};
	const safely = <T>(work: () => Promise<T>): Promise<T> => withoutSecrets(process, work);
	const submitting = <T>(work: () => Promise<T>): Promise<T> => process.uninterrupted(() => safely(work));
	const readIn = (id: string, properties: Properties) =>
		safely(async () => {
			const [props, session] = [read<Outputs>(properties), await sessionOf(properties)];
			return sealRead(
				await (isLookUp(props) ? lookUp(definition, id, props, session) : definition.read(id, props, session)),
			);
		});
	return {
		/** Returns the completed inputs, or what is wrong with them. Rejects only with a defect. */
		async check(olds: Properties, news: Properties) {
			try {
				const checked = await check(definition, read(olds), read(news), await sessionOf(news));
				say(checked.notices ?? [], news);
				// A resource that is created cannot be out of sync.
				const inputs = Object.keys(olds).length === 0 ? stateOf(checked.inputs) : seal(checked.inputs);
				return { inputs, failures: checked.failures.map((failure) => hideFailure(process, failure, news, definition)) };
			} catch (error) {
				return { inputs: { ...news }, failures: [{ property: "", reason: hide(process, error).message }] };
			}
		},
		diff(id: string, olds: Properties, news: Properties, more: DiffContext = {}): ResourceDiff {
			const compared = { olds: read<Outputs>(olds), news: read<Partial<ResourceInputs>>(news), ...more };
			const refusal = refuseOtherTag(olds, more.oldInputs ?? olds, news);
			if (refusal !== undefined) throw new ResourceFailure(secrets.redact(refusal));
			keep(news, olds);
			return diffSafely(definition, id, compared, process.now());
		},
		/** Judges what `check` could not, and prints what became of activities in the state. Makes no request if nothing changes. */
		review: (olds: Properties, news: Properties, changes: boolean) =>
			safely(async () => {
				const [before, after, session] = [read<Outputs>(olds), read<ResourceInputs>(news), await sessionOf(news)];
				say(await review(definition, before, after, changes, session), news);
				say(await describeUnfinished(definition, before, after, session), news);
			}),
		/** Rejects with ResourceFailure, as all below. */
		create: (inputs: Properties) =>
			submitting(async () => {
				const olds = replacedBy(inputs);
				const { id, outs } = await apply(inputs, olds && read<Outputs>(olds));
				return { id: sealId(id, outs), outs: stateOf(outs) };
			}),
		update: (olds: Properties, news: Properties) =>
			submitting(async () => ({ outs: stateOf((await apply(news, read<Outputs>(olds))).outs) })),
		read: readIn,
		/** Reads a live object without managing it; `properties` are what the program knows of it. */
		lookUp: (id: string, properties: Properties) => readIn(id, { ...properties, lookUp: "requested" }),
		/** Reads a live object as one to manage; `properties` are meta inputs. */
		import: (id: string, properties: Properties) =>
			safely(async () => {
				const found = await importObject(definition, id, read(properties), await sessionOf(properties));
				say(found.notices ?? [], properties);
				return sealRead(found);
			}),
		delete: (properties: Properties) =>
			submitting(async () => {
				// The engine may delete what it replaces before it creates the replacement.
				keep(properties, properties);
				say(await remove(definition, read(properties), await sessionOf(properties)), properties);
			}),
	};
}

function sealRead({ id, props, inputs }: ReadResult): ReadResult {
	return defined({ id, props: props && seal(props), inputs: inputs && seal(inputs) });
}

/** What the operations begin with: settings and properties, of which what is secret is hidden from now on. */
function hidingSecrets(process: ProviderProcess, settings: () => Promise<GivenSettings>) {
	const { secrets } = process;
	return {
		async sessionOf(properties: object): Promise<Session> {
			const session = process.sessionFor(await settings());
			// The default organization is not in the properties yet.
			const { organizationId } = session.settings;
			if (namesOfSecrets(properties).includes("organizationId")) secrets.add(organizationId ? [organizationId] : []);
			return session;
		},
		read<T>(properties: Properties): T {
			secrets.addFrom(properties);
			return properties as T;
		},
	};
}

/** Keeps states with activities that have not ended: the create of a replacement has to continue them, and gets no old state. */
function keepingUnfinished({ identity }: Pick<ResourceDefinition, "identity">) {
	const unfinished = new Map<unknown, Properties>();
	return {
		/** Keeps the old state of a resource, which its program may have renamed. */
		keep(news: Properties, olds: Properties): void {
			if (olds.activities !== undefined) unfinished.set(keyOf(news), olds);
		},
		replacedBy(inputs: Properties): Properties | undefined {
			const olds = unfinished.get(keyOf(inputs));
			return olds !== undefined && identity.every((name) => olds[name] === inputs[name]) ? olds : undefined;
		},
	};
}

/** Prints lines about a resource, each once: its check and its diff can find the same. */
function printOnce(process: ProviderProcess): (notices: readonly string[], properties: Properties) => void {
	const printed = new Set<string>();
	return (notices, properties) => {
		for (const notice of notices) {
			const key = JSON.stringify([keyOf(properties), notice]);
			if (!printed.has(key)) process.print(notice, urnOf(properties));
			printed.add(key);
		}
	};
}

function keyOf({ resourceUrn, resource }: Properties): unknown {
	return resourceUrn ?? resource;
}

function urnOf({ resourceUrn }: Properties): string | undefined {
	return typeof resourceUrn === "string" ? resourceUrn : undefined;
}

interface Compared extends DiffContext {
	readonly olds: Outputs;
	readonly news: Partial<ResourceInputs>;
}

/** What differs: what the resource finds, and what concerns every resource. */
function diffSafely(
	definition: ResourceDefinition,
	id: string,
	{ olds, news, oldInputs = { ...olds }, due = [] }: Compared,
	nowMs: number,
): ResourceDiff {
	const [before, after] = [namesOfSecrets(oldInputs), namesOfSecrets(news)];
	const secrets = [...new Set([...before, ...after])];
	const found = asWhole(diff(definition, olds, news), secrets);
	const more: readonly PropertyChange[] = [
		...secrets
			.filter((name) => before.includes(name) !== after.includes(name))
			.map((name): PropertyChange => ({ path: [name], kind: "update", isOfInputs: true })),
		// A refresh forgets that a resource failed, but its activities have to be settled.
		...((olds.activities ?? []).length > 0 ? [{ path: ["activities"], kind: "delete" } as const] : []),
		...(news.outOfSync === true ? [{ path: ["outOfSync"], kind: "add", isOfInputs: true } as const] : []),
		...due,
		...(definition.due?.(olds, news, nowMs) ?? []),
	];
	const changed = including(found, asWhole(more, secrets));
	// Pulumi stores ids in plain text and never changes them, so a secret in an id replaces the resource.
	const exposed = inputInId(id, news);
	const all =
		exposed === undefined
			? changed
			: including(changed, [{ path: [exposed], kind: "update" }]).map((change) =>
					change.path[0] === exposed ? { ...change, replaces: true as const } : change,
				);
	// Limits alone change nothing: they apply from the next update, in which they are shown.
	const limits = compareLimits(oldInputs, news, secrets);
	const changes = all.length > 0 || hasUnknown(news);
	return { changes, replaces: replacesOf(all), details: changes ? including(all, limits) : [] };
}

function compareLimits(
	oldInputs: Properties,
	{ limits }: Partial<ResourceInputs>,
	secrets: readonly string[],
): readonly PropertyChange[] {
	const changes = compareValues(["limits"], oldInputs.limits, limits);
	return asWhole(changes, secrets).map((change) => ({ ...change, isOfInputs: true }));
}

/** The failure without secrets. The engine prints the value of a property that a failure names, so secret ones are not named. */
function hideFailure(
	{ secrets }: ProviderProcess,
	{ property, reason }: CheckFailure,
	inputs: object,
	{ schema }: Pick<ResourceDefinition, "schema">,
): CheckFailure {
	const isSecret = namesOfSecrets(inputs).includes(property);
	// What is wrong with an expression quotes parts of it.
	const isHidden = isSecret && schema.fields[property] === "expression";
	const text = isHidden ? "not valid; its text is a secret, so the reason is not shown" : secrets.redact(reason);
	return isSecret ? { property: "", reason: explainFailure({ property, reason: text }) } : { property, reason: text };
}

/** Outputs as the state stores them: sealed, and without `outOfSync`, which was true before the update. */
function stateOf(outputs: object): SealedProperties {
	const { outOfSync: _outOfSync, ...stored } = outputs as Properties & MetaInputs;
	return seal(stored);
}

/** Returns the result of `work`; what it throws shows no secret, in its message and in the state that it stores. */
export async function withoutSecrets<T>(process: ProviderProcess, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		throw hide(process, error);
	}
}

/** The error as one that the engine shows, without secrets. Throws one that is not thrown on purpose. */
function hide(process: ProviderProcess, error: unknown): ResourceFailure {
	const { secrets } = process;
	const failure = error instanceof ResourceFailure ? error : new ResourceFailure(explainHidden(process, error));
	return failure.with(secrets.redact(failure.message), (id, properties) => ({
		id: sealId(id, properties),
		properties: stateOf(properties),
	}));
}

function explainHidden({ secrets }: ProviderProcess, error: unknown): string {
	try {
		return explain(error);
	} catch (unexpected) {
		if (unexpected instanceof Error) {
			unexpected.message = secrets.redact(unexpected.message);
			unexpected.stack = secrets.redact(unexpected.stack ?? "");
		}
		throw unexpected;
	}
}

/** Lines about pending activities of the state, and what the update does about them; none for a component's part, or if unknown. */
async function describeUnfinished(
	definition: ResourceDefinition,
	olds: ResourceInputs & ResourceOutputs,
	news: Partial<ResourceInputs>,
	session: Session,
): Promise<readonly string[]> {
	if (olds.activities === undefined || news.partOf !== undefined || hasUnknown(news)) return [];
	const inputs = news as ResourceInputs;
	try {
		const stored = storedStateOf(definition, olds, session);
		const target = await definition.findTarget?.(inputs, olds, session);
		const desired = target?.desired ?? mustRead(definition, inputs);
		const { plan } = await session.compare({ resource: inputs.resource, desired, stored });
		return [...describePending(inputs, plan), ...describeStored(inputs, stored.activities, plan)];
	} catch (error) {
		if (!(error instanceof OrgsyncError)) throw error;
		const activity = showText(`warning: ${inputs.resource}: it has a pending activity, which cannot be read: `);
		return [`${activity}${explain(error)}`];
	}
}
