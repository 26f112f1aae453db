/**
 * The providers without an engine, asked as it asks them, each as in a process of its own: the dynamic ones and the plugin,
 * in the same words.
 */
import type { ServiceError } from "@grpc/grpc-js";
import type { dynamic } from "@pulumi/pulumi";
import providerMessages from "@pulumi/pulumi/proto/provider_pb.js";
import statusMessages from "@pulumi/pulumi/proto/status_pb.js";
import { providerOf } from "../../src/pulumi/dynamic/provider.ts";
import { keys, organizationId, type World } from "../world.ts";
import { configuredPlugin } from "./plugin/plugin-client.ts";

// Each plugin listens for the signal that ends its process, and here all of them are in one.
process.setMaxListeners(0);

type Provider = Pick<Required<dynamic.ResourceProvider>, "check" | "diff" | "create" | "update" | "read" | "delete">;

/** A provider of a process of its own: its journal is empty, as on another machine. */
type StartProvider = (resource: string, world: World, settings?: Readonly<Record<string, string>>) => Promise<Provider>;

export const startProvider: StartProvider = async (resource, world, more = {}) => {
	const provider = providerOf(resource) as Required<dynamic.ResourceProvider>;
	const given: Readonly<Record<string, string>> = {
		organizationId,
		url: world.url,
		apiPrivateKey: keys.alice.privateKey,
		journal: ":memory:",
		...more,
	};
	const config = { get: (key: string) => given[key.replace("orgsync:", "")] };
	await provider.configure({ config } as unknown as dynamic.ConfigureRequest);
	// Every state of a dynamic resource has this text; without it, the state is one of the plugin.
	return { ...provider, diff: (id, olds, news) => provider.diff(id, { __provider: "text", ...olds }, news) };
};

/** The plugin for resources of one type. `resource` names them, as it does for the dynamic provider. */
const startPluginProvider: StartProvider = async (type, world, settings) => {
	const asked = await configuredPlugin(world, settings);
	const of = ({ resource = "resource", ...properties }: Properties) => ({
		resource: asked.resource(type, String(resource)),
		properties,
	});
	return {
		async check(olds, news) {
			const { resource, properties } = of(news);
			const { inputs, failures } = await resource.check(properties, of(olds).properties);
			return { inputs, failures: failures.map(readFailure) };
		},
		async diff(id, olds, news) {
			const { resource, properties } = of(news);
			const { changes, replaces } = await resource.diff(id, of(olds).properties, properties);
			return { changes, replaces: [...replaces] };
		},
		async create(inputs) {
			const { resource, properties } = of(inputs);
			const { id, outputs } = await withProperties(resource.create(properties));
			return { id, outs: { ...outputs, resource: inputs.resource } };
		},
		async update(_id, olds, news) {
			const { resource, properties } = of(news);
			return { outs: await withProperties(resource.update(of(olds).properties, properties)) };
		},
		async read(id, props) {
			const { resource, properties } = of(props ?? {});
			const found = await withProperties(resource.read(id, properties, properties));
			return found.id === "" ? {} : { id: found.id, props: found.outputs };
		},
		async delete(id, props) {
			const { resource, properties } = of(props);
			await resource.delete(id, properties);
		},
	};
};

/** The providers of both adapters. */
export const providers: readonly { readonly title: string; readonly start: StartProvider }[] = [
	{ title: "the dynamic provider", start: startProvider },
	{ title: "the plugin", start: startPluginProvider },
];

type Properties = Readonly<Record<string, unknown>>;

function readFailure(text: string): { property: string; reason: string } {
	const [property = ""] = text.split(": ", 1);
	return { property, reason: text.slice(property.length + 2) };
}

/** The result; a failure has the properties that the engine would store. */
export async function withProperties<T>(work: Promise<T>): Promise<T> {
	try {
		return await work;
	} catch (error) {
		const { details, metadata } = error as ServiceError;
		throw Object.assign(new Error(details), { properties: propertiesOf(metadata.get("grpc-status-details-bin")) });
	}
}

function propertiesOf([bytes]: readonly unknown[]): Properties | undefined {
	if (!(bytes instanceof Uint8Array)) return undefined;
	const [detail] = statusMessages.Status.deserializeBinary(bytes).getDetailsList();
	const failed = detail && providerMessages.ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8());
	return failed?.getProperties()?.toJavaScript() as Properties | undefined;
}

/** The properties that a failure keeps in the state. */
export async function keptOf(work: Promise<unknown>): Promise<Record<string, unknown>> {
	const failure = await work.then(
		() => undefined,
		(error: { readonly properties?: Properties }) => error,
	);
	return failure?.properties ?? {};
}

/** The message of the error that the engine would show; fails where there is none. */
export async function messageOf(work: Promise<unknown>): Promise<string> {
	const message = await work.then(
		() => undefined,
		(error: Error) => error.message,
	);
	if (message === undefined) throw new Error("it went well");
	return message;
}
