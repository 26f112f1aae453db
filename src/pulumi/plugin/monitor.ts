/** The engine's resource monitor, as far as the plugin calls it: a component registers itself and its parts there. */
import { credentials, type ServiceError } from "@grpc/grpc-js";
import monitorService from "@pulumi/pulumi/proto/resource_grpc_pb.js";
import monitorMessages from "@pulumi/pulumi/proto/resource_pb.js";
import type struct from "google-protobuf/google/protobuf/struct_pb.js";
import { ResourceFailure } from "../resources/failure.ts";
import { messageLimits } from "./engine.ts";

const { RegisterResourceOutputsRequest } = monitorMessages;

type RegisterRequest = InstanceType<typeof monitorMessages.RegisterResourceRequest>;

export class Monitor {
	readonly #client: InstanceType<typeof monitorService.ResourceMonitorClient>;

	/** The monitor at this address. */
	constructor(address: string) {
		this.#client = new monitorService.ResourceMonitorClient(address, credentials.createInsecure(), messageLimits);
	}

	/** Registers a resource and returns its URN once the engine is done with it. Throws ResourceFailure. */
	async register(request: RegisterRequest): Promise<string> {
		const response = await call<{ getUrn(): string }>((done) => this.#client.registerResource(request, done));
		return response.getUrn();
	}

	async registerOutputs(urn: string, outputs: struct.Struct): Promise<void> {
		const request = new RegisterResourceOutputsRequest();
		request.setUrn(urn);
		request.setOutputs(outputs);
		await call((done) => this.#client.registerResourceOutputs(request, done));
	}

	close(): void {
		this.#client.close();
	}
}

function call<Response>(
	start: (done: (error: ServiceError | null, response: Response) => void) => unknown,
): Promise<Response> {
	return new Promise((resolve, reject) => {
		start((error, response) => {
			if (error === null) return resolve(response);
			reject(new ResourceFailure(`the engine did not register all resources: ${error.details}`));
		});
	});
}
