/** The Pulumi plugin as a process, asked as an engine asks it, in a session that never ends. */
import { credentials, type ServiceError } from "@grpc/grpc-js";
import providerService from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import messages from "@pulumi/pulumi/proto/provider_pb.js";
import struct from "google-protobuf/google/protobuf/struct_pb.js";
import { pluginFile } from "../../../scripts/manifest.ts";
import { type ServerProcess, startServer } from "../processes.ts";

type Values = Readonly<Record<string, unknown>>;

const urn = "urn:pulumi:soak::soak::orgsync:index:UserTag::signers";
/** How the engine marks a secret. */
const secretSignature = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
/** Nothing listens there: an engine that shows nothing. */
const noEngine = "127.0.0.1:1";

export interface SoakPlugin {
	readonly process: ServerProcess;
	/** Brings a tag in sync, as `up` does with one resource: check, then diff and update, or create. Rejects if it fails. */
	apply(inputs: Values): Promise<void>;
	/** Previews a change, as `preview` does. */
	preview(inputs: Values): Promise<void>;
	close(): void;
}

export async function startPlugin(cwd: string, settings: Values, privateKey: string): Promise<SoakPlugin> {
	const launcher = await startServer([pluginFile, noEngine], {
		...{ cwd, isObserved: true, env: { TMPDIR: `${cwd}/temporary` } },
	});
	const address = `127.0.0.1:${launcher.firstLine}`;
	const client = new providerService.ResourceProviderClient(address, credentials.createInsecure());
	const methods = client as unknown as Record<
		string,
		(request: object, done: (error: ServiceError | null, response: unknown) => void) => void
	>;
	const call = <Response>(method: string, request: object): Promise<Response> =>
		new Promise((resolve, reject) => {
			methods[method]?.call(client, request, (error, response) =>
				error === null ? resolve(response as Response) : reject(error),
			);
		});
	const configuration = new messages.ConfigureRequest();
	configuration.setUrn("urn:pulumi:soak::soak::pulumi:providers:orgsync::default");
	configuration.setId("1");
	configuration.setArgs(structOf({ ...settings, apiPrivateKey: { ...secretSignature, value: privateKey } }));
	await call("configure", configuration);
	let state: { readonly id: string; readonly outputs: Values; readonly inputs: Values } | undefined;
	const check = async (news: Values): Promise<Values> => {
		const request = new messages.CheckRequest();
		request.setUrn(urn);
		request.setOlds(structOf(state?.inputs ?? {}));
		request.setNews(structOf(news));
		const response = await call<InstanceType<typeof messages.CheckResponse>>("check", request);
		const [failure] = response.getFailuresList();
		if (failure !== undefined) throw new Error(`check: ${failure.getReason()}`);
		return valuesOf(response.getInputs());
	};
	const change = async (inputs: Values, isPreview: boolean): Promise<Values> => {
		if (state === undefined) {
			const request = new messages.CreateRequest();
			request.setUrn(urn);
			request.setProperties(structOf(inputs));
			request.setPreview(isPreview);
			const response = await call<InstanceType<typeof messages.CreateResponse>>("create", request);
			const outputs = valuesOf(response.getProperties());
			if (!isPreview) state = { id: response.getId(), outputs, inputs };
			return outputs;
		}
		const request = new messages.UpdateRequest();
		request.setUrn(urn);
		request.setId(state.id);
		request.setOlds(structOf(state.outputs));
		request.setOldInputs(structOf(state.inputs));
		request.setNews(structOf(inputs));
		request.setPreview(isPreview);
		const response = await call<InstanceType<typeof messages.UpdateResponse>>("update", request);
		const outputs = valuesOf(response.getProperties());
		if (!isPreview) state = { id: state.id, outputs, inputs };
		return outputs;
	};
	return {
		process: launcher,
		async apply(inputs) {
			await change(await check(inputs), false);
		},
		async preview(inputs) {
			await change(await check(inputs), true);
		},
		close: () => client.close(),
	};
}

function structOf(values: Values): struct.Struct {
	return struct.Struct.fromJavaScript(JSON.parse(JSON.stringify(values)));
}

function valuesOf(message: struct.Struct | undefined): Values {
	return (message?.toJavaScript() ?? {}) as Values;
}
