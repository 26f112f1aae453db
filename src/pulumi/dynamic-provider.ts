/**
 * Translates between the engine's dynamic provider protocol and the skeleton in resource.ts: settings, secrets, failures.
 *
 * The engine calls `configure` once for each provider and does not await it, so every method does.
 */
import type { dynamic } from "@pulumi/pulumi";
import { sameValue } from "../plan/value.ts";
import { explain, ResourceFailure } from "./failure.ts";
import type { CheckFailure, MetaInputs, Properties } from "./inputs.ts";
import { printLine, secrets, sessionFor, uninterrupted } from "./provider-process.ts";
import {
	check,
	converge,
	diff,
	type ResourceDefinition,
	type ResourceInputs,
	type ResourceOutputs,
} from "./resource.ts";
import { inputInId, namesOfSecrets, seal, sealId } from "./secrets.ts";
import type { Session } from "./session.ts";
import { configurationNamespace, type GivenSettings, givenSettings, secretSettings, settingNames } from "./settings.ts";

type Outputs = ResourceInputs & ResourceOutputs;

export function makeProvider(definition: ResourceDefinition): dynamic.ResourceProvider {
	let given: GivenSettings = {};
	const configured = Promise.withResolvers<void>();
	const sessionOf = async (properties: object): Promise<Session> => {
		await configured.promise;
		const session = sessionFor(given);
		// The default organization is not in the properties yet.
		const { organizationId } = session.settings;
		if (namesOfSecrets(properties).includes("organizationId")) secrets.add(organizationId ? [organizationId] : []);
		return session;
	};
	return {
		async configure({ config }) {
			given = readGiven(config);
			configured.resolve();
		},
		async check(olds, news) {
			try {
				return await checkSafely(definition, read(olds ?? {}), read(news), await sessionOf(news));
			} catch (error) {
				return { inputs: news, failures: [{ property: "", reason: hide(error).message }] };
			}
		},
		diff: async (id, olds, news) => diffSafely(definition, id, read(olds), read(news)),
		create: (inputs) =>
			converging(inputs, async () => {
				const { id, outs } = await converge(definition, read(inputs), undefined, await sessionOf(inputs));
				return { id: sealId(id, outs), outs: stateOf(outs) };
			}),
		update: (_id, olds, news) =>
			converging(news, async () => {
				const { outs } = await converge(definition, read(news), read<Outputs>(olds), await sessionOf(news));
				return { outs: stateOf(outs) };
			}),
		read: (id, props) =>
			withoutSecrets(async () => {
				const { props: seen, inputs, ...found } = await definition.read(id, read(props), await sessionOf(props));
				const sealed = { ...(seen && { props: seal(seen) }), ...(inputs && { inputs: seal(inputs) }) };
				return { ...found, ...sealed } as dynamic.ReadResult;
			}),
		delete: (_id, props) =>
			uninterrupted(() =>
				withoutSecrets(async () => {
					const notice = await definition.remove?.(read(props), await sessionOf(props));
					if (notice !== undefined) printLine(notice);
				}),
			),
	};
}

async function checkSafely(
	definition: ResourceDefinition,
	olds: Partial<ResourceInputs>,
	news: Partial<ResourceInputs>,
	session: Session,
): Promise<dynamic.CheckResult> {
	const { inputs, failures, notices = [] } = await check(definition, olds, news, session);
	for (const notice of notices) printLine(notice);
	// A resource that is created cannot be out of sync.
	const isCreated = Object.keys(olds).length === 0;
	const checked = isCreated ? stateOf(inputs) : seal(inputs);
	return { inputs: checked, failures: failures.map((failure) => hideFailure(failure, news)) };
}

/** What differs: what the resource finds, and what concerns every resource. */
function diffSafely(
	definition: ResourceDefinition,
	id: string,
	olds: Outputs,
	news: Partial<ResourceInputs>,
): dynamic.DiffResult {
	const { changes, replaces } = diff(definition, olds, news);
	// Pulumi stores ids in plain text and never changes them, so a secret in an id replaces the resource.
	const exposed = inputInId(id, news);
	const secretsDiffer = !sameValue(namesOfSecrets(olds), namesOfSecrets(news));
	// A refresh forgets that a resource failed, but its activities have to be settled.
	const isDue = (olds.activities ?? []).length > 0 || news.outOfSync === true || secretsDiffer || exposed !== undefined;
	return { changes: changes || isDue, replaces: exposed === undefined ? replaces : [...replaces, exposed] };
}

function readGiven(config: dynamic.Config): GivenSettings {
	const textOf = (key: string): string | undefined => {
		const value = config.get(key);
		return typeof value === "string" ? value : undefined;
	};
	const given = givenSettings(textOf);
	const names = textOf(`${configurationNamespace}:${secretSettings}`)?.split(" ") ?? [];
	secrets.add(settingNames.flatMap((name) => (names.includes(name) ? (given[name] ?? []) : [])));
	return given;
}

/** The failure without secrets. The engine prints the value of a property that a failure names, so secret ones are not named. */
function hideFailure({ property, reason }: CheckFailure, inputs: object): CheckFailure {
	const text = secrets.redact(reason);
	return namesOfSecrets(inputs).includes(property)
		? { property: "", reason: `${property}: ${text}` }
		: { property, reason: text };
}

/** Outputs as the state stores them: sealed, and without `outOfSync`, which was true before the update. */
function stateOf(outputs: object): Record<string, unknown> {
	const { outOfSync: _outOfSync, ...stored } = outputs as Properties & MetaInputs;
	return seal(stored);
}

/**
 * Returns the result of `work`, which may submit. The properties of a failure have to name the provider as well, or the
 * engine does not find it again.
 */
function converging<T>({ __provider }: Properties, work: () => Promise<T>): Promise<T> {
	return uninterrupted(() => withoutSecrets(work, { __provider }));
}

/** Returns the result of `work`; what it throws shows no secret, in its message and in the state that it stores. */
async function withoutSecrets<T>(work: () => Promise<T>, more: Properties = {}): Promise<T> {
	try {
		return await work();
	} catch (error) {
		throw hide(error, more);
	}
}

/** The error as one that the engine shows, without secrets. Throws one that is not thrown on purpose. */
function hide(error: unknown, more: Properties = {}): ResourceFailure {
	const failure = error instanceof ResourceFailure ? error : new ResourceFailure(explainHidden(error));
	return failure.with(secrets.redact(failure.message), (id, properties) => ({
		id: sealId(id, properties),
		properties: { ...stateOf(properties), ...more },
	}));
}

function explainHidden(error: unknown): string {
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

/** The properties without Pulumi's own, which it adds back. What is secret in them is hidden from now on. */
function read<T>(properties: Properties): T {
	const { __provider: _provider, ...rest } = properties;
	secrets.addFrom(rest);
	return rest as T;
}
