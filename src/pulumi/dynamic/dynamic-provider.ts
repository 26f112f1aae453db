/** The engine's dynamic provider protocol. Every method awaits `configure`, which the engine calls once and does not await. */
import type { dynamic } from "@pulumi/pulumi";
import type { Properties } from "../inputs/inputs.ts";
import { isRepeatedFailure, ResourceFailure } from "../resources/failure.ts";
import type { ResourceDefinition } from "../resources/resource.ts";
import { makeOperations } from "../resources/resource-operations.ts";
import { ProviderProcess } from "../session/provider-process.ts";
import {
	configurationNamespace,
	type GivenSettings,
	givenSettings,
	secretSettings,
	settingNames,
} from "../settings/settings.ts";

/** The process that loaded this file. Pulumi shows what it prints as information. */
const thisProcess = new ProviderProcess({ engine: engineAddress(), print: (line) => console.log(line) });

/** The address of the engine that started this process as a dynamic provider: its last argument. Otherwise undefined. */
function engineAddress(): string | undefined {
	const [, script = "", ...words] = process.argv;
	const address = words.at(-1);
	return script.includes("dynamic-provider") && address !== undefined && /:\d+$/.test(address) ? address : undefined;
}

/** Keeps the dynamic provider from printing a failure that the engine shows beside the resource. */
export function hideRepeatedFailures(): void {
	const print = console.error;
	console.error = (...words: unknown[]) => {
		if (!isRepeatedFailure(words[0])) print(...words);
	};
}

export function makeProvider(definition: ResourceDefinition): dynamic.ResourceProvider {
	let given: GivenSettings = {};
	const configured = Promise.withResolvers<void>();
	const operations = makeOperations(definition, thisProcess, async () => {
		await configured.promise;
		return given;
	});
	return {
		async configure({ config }) {
			given = readGiven(config);
			thisProcess.endWithEngine();
			configured.resolve();
		},
		check: (olds, news) => operations.check(withoutProvider(olds ?? {}), withoutProvider(news)),
		async diff(id, olds, news) {
			const [before, after] = [withoutProvider(olds), withoutProvider(news)];
			const { changes, replaces } = operations.diff(id, before, after);
			if (replaces.length === 0) await operations.review(before, after, changes);
			// The state of a resource of the plugin does not have the text without which a refresh or a destroy fails.
			const isOfPlugin = !("__provider" in olds);
			return { changes: changes || isOfPlugin, replaces: [...replaces] };
		},
		create: (inputs) => keepingProvider(inputs, (properties) => operations.create(properties)),
		update: (_id, olds, news) =>
			keepingProvider(news, (properties) => operations.update(withoutProvider(olds), properties)),
		read: async (id, properties) => (await operations.read(id, withoutProvider(properties))) as dynamic.ReadResult,
		delete: (_id, properties) => operations.delete(withoutProvider(properties)),
	};
}

function readGiven(config: dynamic.Config): GivenSettings {
	const textOf = (key: string): string | undefined => {
		const value = config.get(key);
		return typeof value === "string" ? value : undefined;
	};
	const given = givenSettings(textOf);
	const names = textOf(`${configurationNamespace}:${secretSettings}`)?.split(" ") ?? [];
	thisProcess.secrets.add(settingNames.flatMap((name) => (names.includes(name) ? (given[name] ?? []) : [])));
	return given;
}

/** Returns the result of `work`. The properties of a failure name the provider too, or the engine would not find it again. */
async function keepingProvider<T>(inputs: Properties, work: (properties: Properties) => Promise<T>): Promise<T> {
	try {
		return await work(withoutProvider(inputs));
	} catch (error) {
		if (!(error instanceof ResourceFailure)) throw error;
		throw error.with(error.message, (id, properties) => ({
			id,
			properties: { ...properties, __provider: inputs.__provider },
		}));
	}
}

/** The properties without Pulumi's own, which it adds back. */
function withoutProvider({ __provider: _provider, ...properties }: Properties): Properties {
	return properties;
}
