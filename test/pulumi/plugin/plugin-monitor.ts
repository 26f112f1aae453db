/** The engine's resource monitor in this process: it records what a component registers, and fails where a test says so. */
import { Server, ServerCredentials, type sendUnaryData, status } from "@grpc/grpc-js";
import providerMessages from "@pulumi/pulumi/proto/provider_pb.js";
import monitorService from "@pulumi/pulumi/proto/resource_grpc_pb.js";
import monitorMessages from "@pulumi/pulumi/proto/resource_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import struct from "google-protobuf/google/protobuf/struct_pb.js";
import { onTestFinished } from "vitest";
import type { Plugin } from "./plugin-client.ts";

type Values = Readonly<Record<string, unknown>>;
type RegisterRequest = InstanceType<typeof monitorMessages.RegisterResourceRequest>;
type OutputsRequest = InstanceType<typeof monitorMessages.RegisterResourceOutputsRequest>;
type ConstructRequest = InstanceType<typeof providerMessages.ConstructRequest>;

export interface Registered {
	readonly type: string;
	readonly name: string;
	readonly inputs: Values;
	/** The whole request. */
	readonly request: RegisterRequest;
}

export interface TestMonitor {
	readonly address: string;
	/** In the order in which they arrived. */
	readonly registered: readonly Registered[];
	/** The outputs that components registered, by URN. */
	readonly outputs: Readonly<Record<string, Values>>;
}

/** A monitor that registers everything but the resources of these names: it refuses one, and never answers for the other. */
export async function startMonitor({
	refuses,
	holds,
}: {
	readonly refuses?: string;
	readonly holds?: string;
} = {}): Promise<TestMonitor> {
	const registered: Registered[] = [];
	const outputs: Record<string, Values> = {};
	const server = new Server();
	server.addService(monitorService.ResourceMonitorService, {
		registerResource({ request }: { request: RegisterRequest }, done: sendUnaryData<object>) {
			const [type, name] = [request.getType(), request.getName()];
			if (name === refuses) return done({ code: status.INVALID_ARGUMENT, details: `${name} is refused` });
			registered.push({ type, name, inputs: read(request.getObject()), request });
			if (name === holds) return;
			const response = new monitorMessages.RegisterResourceResponse();
			response.setUrn(urnOf(request.getParent(), type, name));
			return done(null, response);
		},
		registerResourceOutputs({ request }: { request: OutputsRequest }, done: sendUnaryData<object>) {
			outputs[request.getUrn()] = read(request.getOutputs());
			return done(null, new empty.Empty());
		},
	});
	const port = await new Promise<number>((resolve, reject) => {
		server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
			error === null ? resolve(bound) : reject(error),
		);
	});
	onTestFinished(() => server.forceShutdown());
	return { address: `127.0.0.1:${port}`, registered, outputs };
}

/** The URN that the engine gives a resource. */
export function urnOf(parent: string, type: string, name: string): string {
	const above = parent === "" ? "" : `${parent.split("::")[2]}$`;
	return `urn:pulumi:test::probe::${above}${type}::${name}`;
}

/** Has the plugin construct `acme`. `edit` adds options of the program. */
export async function constructAcme(
	plugin: Plugin,
	monitor: TestMonitor,
	inputs: Values,
	edit: (request: ConstructRequest) => void = () => undefined,
): Promise<Values> {
	const request = new providerMessages.ConstructRequest();
	request.setType("orgsync:index:Organization");
	request.setName("acme");
	request.setMonitorendpoint(monitor.address);
	request.setDryrun(true);
	request.setInputs(struct.Struct.fromJavaScript(JSON.parse(JSON.stringify(inputs))));
	edit(request);
	const response = await plugin.call<InstanceType<typeof providerMessages.ConstructResponse>>("construct", request);
	return read(response.getState());
}

export function read(message: struct.Struct | undefined): Values {
	return (message?.toJavaScript() ?? {}) as Values;
}
