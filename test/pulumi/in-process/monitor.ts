/** The engine's side of the protocol, on loopback in this process: resource monitor and log, for a program and for components. */
import { Server, ServerCredentials, type sendUnaryData, status } from "@grpc/grpc-js";
import engineService from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import engineMessages from "@pulumi/pulumi/proto/engine_pb.js";
import providerMessages from "@pulumi/pulumi/proto/provider_pb.js";
import monitorService from "@pulumi/pulumi/proto/resource_grpc_pb.js";
import monitorMessages from "@pulumi/pulumi/proto/resource_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import { readStruct, write } from "../plugin/plugin-client.ts";
import { type Deployment, StepFailure } from "./deployment.ts";
import type { Registration } from "./model.ts";
import type { EngineProvider } from "./providers.ts";
import type { Values } from "./values.ts";

type RegisterRequest = InstanceType<typeof monitorMessages.RegisterResourceRequest>;
type ReadRequest = InstanceType<typeof monitorMessages.ReadResourceRequest>;
type OutputsRequest = InstanceType<typeof monitorMessages.RegisterResourceOutputsRequest>;
type InvokeRequest = InstanceType<typeof monitorMessages.ResourceInvokeRequest>;
type LogRequest = InstanceType<typeof engineMessages.LogRequest>;

export interface MonitorOptions {
	readonly deployment: () => Deployment;
	readonly isPreview: boolean;
	/** The provider of a reference, or the default one of a type; undefined while it is not configured. */
	readonly providerOf: (reference: string, type: string) => Promise<EngineProvider | undefined>;
	/** Starts the provider of a program's resource, and returns its id. */
	readonly startProvider: (urn: string, type: string, settings: Values) => Promise<string>;
}

export interface Monitor {
	readonly address: string;
	close(): void;
}

const stackType = "pulumi:pulumi:Stack";

/** The URN that the engine gives a resource. */
function urnOf(parent: string, type: string, name: string): string {
	const above = parent.split("::")[2] ?? "";
	const prefix = above === "" || above === stackType ? "" : `${above}$`;
	return `urn:pulumi:test::probe::${prefix}${type}::${name}`;
}

/** Serves what a program and its components ask. */
export async function startMonitor(options: MonitorOptions): Promise<Monitor> {
	const server = new Server({ "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 });
	let root = "";
	const address = await new Promise<string>((resolve, reject) => {
		server.addService(
			monitorService.ResourceMonitorService,
			monitorHandlers(options, () => address),
		);
		server.addService(engineService.EngineService, {
			log({ request }: { request: LogRequest }, done: sendUnaryData<object>) {
				log(options.deployment(), request);
				done(null, new empty.Empty());
			},
			setRootResource({ request }: { request: { getUrn(): string } }, done: sendUnaryData<object>) {
				root = request.getUrn();
				done(null, new engineMessages.SetRootResourceResponse());
			},
			getRootResource(_call: unknown, done: sendUnaryData<object>) {
				const response = new engineMessages.GetRootResourceResponse();
				response.setUrn(root);
				done(null, response);
			},
		});
		server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
			error === null ? resolve(`127.0.0.1:${port}`) : reject(error),
		);
	});
	return { address, close: () => server.forceShutdown() };
}

const severities = ["debug", "info", "warning", "error"] as const;

function log(deployment: Deployment, request: LogRequest): void {
	const severity = severities[request.getSeverity()] ?? "info";
	if (severity === "debug") return;
	if (severity === "error") deployment.fail(request.getMessage(), request.getUrn());
	else deployment.log({ severity, message: request.getMessage(), urn: request.getUrn() });
}

function monitorHandlers(options: MonitorOptions, address: () => string) {
	/** A handler; what failed is in the diagnostics, and the program ends as when an engine shuts down. */
	const answer =
		<Request>(respond: (request: Request) => Promise<object>) =>
		async ({ request }: { request: Request }, done: sendUnaryData<object>): Promise<void> => {
			try {
				if (options.deployment().isEnded) throw new StepFailure("the engine has ended");
				done(null, await respond(request));
			} catch (error) {
				if (!(error instanceof StepFailure)) options.deployment().fail(String(error), "");
				done({ code: status.CANCELLED, details: "resource monitor shut down" });
			}
		};
	return {
		supportsFeature: answer(async (request: { getId(): string }) => {
			const response = new monitorMessages.SupportsFeatureResponse();
			response.setHassupport(["secrets", "deletedWith", "aliasSpecs"].includes(request.getId()));
			return response;
		}),
		registerResource: answer((request: RegisterRequest) => registerResource(request, options, address())),
		readResource: answer(async (request: ReadRequest) => {
			const asked = readAsked(request);
			const { outputs } = await options.deployment().read(asked, request.getId());
			const response = new monitorMessages.ReadResourceResponse();
			response.setUrn(asked.urn);
			response.setProperties(write(outputs));
			return response;
		}),
		registerResourceOutputs: answer(async (request: OutputsRequest) => {
			options.deployment().registerOutputs(request.getUrn(), readStruct(request.getOutputs()));
			return new empty.Empty();
		}),
		invoke: answer((request: InvokeRequest) => invoke(request, options)),
		signalAndWaitForShutdown: answer(async () => new empty.Empty()),
	};
}

async function registerResource(request: RegisterRequest, options: MonitorOptions, address: string): Promise<object> {
	const asked = registrationOf(request);
	const deployment = options.deployment();
	const response = new monitorMessages.RegisterResourceResponse();
	response.setUrn(asked.urn);
	if (request.getRemote()) {
		const { urn, outputs } = await construct(request, asked, options, address);
		response.setUrn(urn);
		response.setObject(write(outputs));
		return response;
	}
	try {
		const { id, outputs } = await registered(asked, request, options);
		response.setId(id);
		response.setObject(write(outputs));
	} catch (error) {
		if (!(error instanceof StepFailure) || deployment.isEnded) throw error;
		response.setResult(monitorMessages.Result.FAIL);
	}
	return response;
}

async function registered(asked: Registration, request: RegisterRequest, options: MonitorOptions) {
	const deployment = options.deployment();
	if (asked.type.startsWith("pulumi:providers:")) {
		const id = await options.startProvider(asked.urn, asked.type, asked.inputs);
		return deployment.registerPlain(asked, id);
	}
	if (asked.type === "pulumi:index:Stash") return deployment.registerStash(asked);
	if (!asked.custom) return deployment.registerPlain(asked);
	if (request.getImportid() !== "") throw deployment.fail("this engine imports nothing", asked.urn);
	return deployment.register(asked);
}

function registrationOf(request: RegisterRequest): Registration {
	const [parent, type, name] = [request.getParent(), request.getType(), request.getName()];
	return {
		urn: urnOf(parent, type, name),
		type,
		name,
		custom: request.getCustom(),
		parent,
		inputs: readStruct(request.getObject()),
		provider: request.getProvider(),
		aliases: [...request.getAliasurnsList(), ...aliasesOf(request, parent, type, name)],
		ignoreChanges: request.getIgnorechangesList(),
		replaceOnChanges: request.getReplaceonchangesList(),
		retainOnDelete: request.getRetainondelete() === true,
		protect: request.getProtect() === true,
		deleteBeforeReplace: request.getDeletebeforereplace(),
	};
}

function aliasesOf(request: RegisterRequest, parent: string, type: string, name: string): readonly string[] {
	return request.getAliasesList().map((alias) => {
		const spec = alias.getSpec();
		if (spec === undefined) return alias.getUrn();
		return urnOf(spec.getParenturn() || parent, spec.getType() || type, spec.getName() || name);
	});
}

function readAsked(request: ReadRequest): Registration {
	const [parent, type, name] = [request.getParent(), request.getType(), request.getName()];
	return {
		urn: urnOf(parent, type, name),
		type,
		name,
		custom: true,
		parent,
		inputs: readStruct(request.getProperties()),
		provider: request.getProvider(),
		aliases: [],
		ignoreChanges: [],
		replaceOnChanges: [],
		retainOnDelete: false,
		protect: false,
		deleteBeforeReplace: false,
	};
}

/** A component of the plugin. */
async function construct(
	request: RegisterRequest,
	{ urn, type, provider }: Registration,
	{ deployment, isPreview, providerOf }: MonitorOptions,
	address: string,
): Promise<{ urn: string; outputs: Values }> {
	const reference = provider || (request.getProvidersMap().get("orgsync") ?? "");
	const found = await providerOf(reference, type);
	if (found === undefined) {
		deployment().registerPlain(registrationOf(request));
		return { urn, outputs: {} };
	}
	const asked = new providerMessages.ConstructRequest();
	asked.setProject("probe");
	asked.setStack("test");
	asked.setDryrun(isPreview);
	asked.setMonitorendpoint(address);
	asked.setType(type);
	asked.setName(request.getName());
	asked.setParent(request.getParent());
	asked.setInputs(request.getObject());
	asked.setAliasesList(request.getAliasesList());
	asked.setDependenciesList(request.getDependenciesList());
	for (const [name, one] of request.getProvidersMap().entries()) asked.getProvidersMap().set(name, one);
	if (reference !== "") asked.getProvidersMap().set("orgsync", reference);
	if (request.hasProtect()) asked.setProtect(request.getProtect() === true);
	if (request.hasRetainondelete()) asked.setRetainondelete(request.getRetainondelete() === true);
	try {
		return await deployment().asking(() => found.construct(asked));
	} catch (error) {
		throw deployment().hasFailed
			? new StepFailure("a part failed")
			: deployment().fail(error instanceof Error ? error.message : String(error), urn);
	}
}

async function invoke(request: InvokeRequest, { deployment, providerOf }: MonitorOptions): Promise<object> {
	const provider = await providerOf(request.getProvider(), request.getTok());
	const response = new monitorMessages.ResourceInvokeResponse();
	if (provider === undefined) return response;
	try {
		const { result, failures } = await provider.invoke(request.getTok(), readStruct(request.getArgs()));
		if (failures.length > 0) {
			throw new Error(failures.map(({ property, reason }) => `${property}: ${reason}`).join("\n"));
		}
		response.setReturn(write(result));
		return response;
	} catch (error) {
		throw deployment().fail(error instanceof Error ? error.message : String(error), "");
	}
}
