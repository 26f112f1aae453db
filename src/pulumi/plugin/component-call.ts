/** `construct`: the engine asks the plugin to make a component, and the plugin registers it with all its parts. */

import { createHash } from "node:crypto";
import { credentials, type ServiceError } from "@grpc/grpc-js";
import providerMessages from "@pulumi/pulumi/proto/provider_pb.js";
import monitorService from "@pulumi/pulumi/proto/resource_grpc_pb.js";
import monitorMessages from "@pulumi/pulumi/proto/resource_pb.js";
import type struct from "google-protobuf/google/protobuf/struct_pb.js";
import { checkArguments } from "../inputs/input-schema.ts";
import { explainFailure, hasUnknown, type Properties, unknownValue } from "../inputs/inputs.ts";
import { markSecret, namesOfSecrets } from "../inputs/secrets.ts";
import {
	compareOrganization,
	describePlan,
	type Notice,
	type OrganizationArgs,
	readOrganization,
} from "../organization/component.ts";
import { documentInputs, findingsOf } from "../organization/organization-fields.ts";
import { fillIds, partsToRegister, type RegisteredPart } from "../organization/parts.ts";
import { ResourceFailure } from "../resources/failure.ts";
import { withoutSecrets } from "../resources/resource-operations.ts";
import type { ProviderProcess } from "../session/provider-process.ts";
import type { GivenSettings } from "../settings/settings.ts";
import { type EngineLog, messageLimits } from "./engine.ts";
import { componentRequest, partRequest, partUrn } from "./registrations.ts";
import type { ComponentParts } from "./resource-calls.ts";
import { readArguments, readProperties, writeProperties } from "./values.ts";

type Request = InstanceType<typeof providerMessages.ConstructRequest>;
type Response = InstanceType<typeof providerMessages.ConstructResponse>;

interface ComponentContext {
	readonly process: ProviderProcess;
	readonly log: EngineLog;
	readonly settings: () => Promise<GivenSettings>;
	/** The reference of this provider, `URN::ID`: the parts belong to the provider of their component. */
	readonly provider: () => string | undefined;
	readonly parts: Pick<ComponentParts, "set">;
}

/** What a component registers, and what the program sees of it. */
interface Made {
	readonly inputs: Properties;
	readonly parts: readonly RegisteredPart[];
	readonly notice: Notice | undefined;
	readonly outputs: Properties;
}

/** The names of outputs that are registered with the component: they do not belong to one run. */
const lastingOutputs = ["organizationId", "summary"];
const outputsOfOneRun = ["changes", "activities", "impact", "approvals"];

/** Plans the whole document, checks its guards, registers component and parts. Throws ResourceFailure: then nothing is deleted. */
export function construct(request: Request, context: ComponentContext): Promise<Response> {
	return withoutSecrets(context.process, async () => {
		const made = await make(request, context);
		const monitor = openMonitor(request.getMonitorendpoint());
		try {
			const urn = await register(request, made, monitor, context);
			const response = new providerMessages.ConstructResponse();
			response.setUrn(urn);
			response.setState(writeProperties(made.outputs));
			return response;
		} finally {
			monitor.close();
		}
	});
}

async function make(request: Request, { process, settings }: ComponentContext): Promise<Made> {
	const properties = readArguments(request.getInputs(), process);
	const secretNames = namesOfSecrets(properties);
	process.secrets.add(secretNames.includes("document") ? aliasesIn(properties.document) : []);
	const mistakes = checkArguments(documentInputs, properties);
	if (mistakes.length > 0) throw new ResourceFailure(mistakes.map(explainFailure).join("\n"));
	if (hasUnknown(properties)) return makeUnknown(properties);
	const session = process.sessionFor(await settings());
	const name = request.getName();
	const desired = readOrganization(properties as unknown as OrganizationArgs);
	const comparison = await compareOrganization(name, desired, session);
	const { plan } = comparison;
	const isDocumentSecret = secretNames.includes("document");
	const isOrganizationSecret = isDocumentSecret || secretNames.includes("organizationId");
	const seal = (isSecret: boolean, value: unknown): unknown => (isSecret ? markSecret(value) : value);
	const { summary, ...ofOneRun } = findingsOf(plan);
	const organizationId = seal(isOrganizationSecret, desired.organizationId);
	return {
		inputs: { organizationId },
		parts: partsToRegister(name, desired, comparison).map((part) => ({
			...(isDocumentSecret ? hideName(part, name) : part),
			args: mapValues(part.args, (key, value) =>
				seal(isDocumentSecret || (isOrganizationSecret && key === "organizationId"), value),
			),
		})),
		notice: describePlan(plan, session, request.getDryrun(), isDocumentSecret),
		outputs: {
			organizationId,
			summary: seal(isOrganizationSecret, summary),
			...mapValues(ofOneRun, (_key, value) => seal(isDocumentSecret, value)),
		},
	};
}

/**
 * The part under a name that shows nothing of a secret document: the state and the console have names as plain text. It has
 * its plain name as an earlier one, for a document that becomes secret.
 */
function hideName(part: RegisteredPart, component: string): RegisteredPart {
	const hide = (name: string): string =>
		`${component}-${createHash("sha256").update(name).digest("hex").slice(0, digestLength)}`;
	const earlierNames = [part.name, ...part.earlierNames.flatMap((name) => [hide(name), name])];
	return { ...part, name: hide(part.name), earlierNames };
}

/** Enough digits that two parts of a component never have the same. */
const digestLength = 16;

/** The aliases of users in a document that is an object. They are keys, and problems name them. */
function aliasesIn(document: unknown): readonly string[] {
	const { users } = (document ?? {}) as { readonly users?: unknown };
	return typeof users === "object" && users !== null ? Object.keys(users) : [];
}

/** In a preview, inputs may be unknown. Which parts there will be is not known then. */
function makeUnknown(properties: Properties): Made {
	const names = Object.keys(properties).filter((name) => hasUnknown(properties[name]));
	const text = `not compared yet: ${names.join(" and ")} ${names.length === 1 ? "is" : "are"} unknown until \`pulumi up\`; a preview then shows the parts of the last \`up\` as deleted, which submits nothing`;
	return {
		inputs: {},
		parts: [],
		notice: { severity: "info", text },
		outputs: Object.fromEntries([...lastingOutputs, ...outputsOfOneRun].map((name) => [name, unknownValue])),
	};
}

function mapValues(given: object, change: (key: string, value: unknown) => unknown): Properties {
	return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, change(key, value)]));
}

/** Registers the component and then all parts. Returns the URN of the component. */
async function register(
	request: Request,
	{ inputs, parts, notice, outputs }: Made,
	monitor: Monitor,
	{ process, log, provider, parts: known }: ComponentContext,
): Promise<string> {
	const { urn } = await monitor.register(componentRequest(request, writeProperties(inputs)));
	if (notice !== undefined) log.print(notice.severity, process.secrets.redact(notice.text), urn);
	const component = request.getName();
	for (const part of parts) known.set(partUrn(urn, part), { component, drift: part.drift });
	const made = new Map<string, unknown>();
	const registerPart = async (part: RegisteredPart): Promise<void> => {
		const args = fillIds(part.args, made) as Properties;
		const { outputs: found } = await monitor.register(partRequest(request, urn, { ...part, args }, provider()));
		if (part.standIn !== undefined) made.set(part.standIn, found.tagId);
	};
	const registerInTurn = async (some: readonly RegisteredPart[]): Promise<void> => {
		for (const part of some) await registerPart(part);
	};
	const isOrdered = ({ rank }: RegisteredPart): boolean => rank !== undefined;
	const registering = [
		...parts.filter((part) => !isOrdered(part)).map(registerPart),
		registerInTurn(parts.filter(isOrdered)),
	];
	const isWhole = await Promise.race([allSettled(registering), process.interrupted]);
	// The engine ends the run after a part that failed, shows why, and deletes nothing. A second error would hide the first.
	if (isWhole !== true) return urn;
	const lasting = Object.entries(outputs).filter(([name]) => lastingOutputs.includes(name));
	await monitor.registerOutputs(urn, writeProperties(Object.fromEntries(lasting)));
	return urn;
}

/** Returns true once all have succeeded. Rejects with the first failure, once none is in progress. */
async function allSettled(work: readonly Promise<unknown>[]): Promise<true> {
	const failed = (await Promise.allSettled(work)).find((one) => one.status === "rejected");
	if (failed !== undefined) throw failed.reason;
	return true;
}

const { RegisterResourceOutputsRequest } = monitorMessages;

type RegisterResponse = InstanceType<typeof monitorMessages.RegisterResourceResponse>;
type RegisterRequest = InstanceType<typeof monitorMessages.RegisterResourceRequest>;

type Monitor = ReturnType<typeof openMonitor>;

/** The engine's resource monitor at this address. */
function openMonitor(address: string) {
	const client = new monitorService.ResourceMonitorClient(address, credentials.createInsecure(), messageLimits);
	return {
		/** Registers a resource. Returns its URN and its outputs once the engine is done with it. Throws ResourceFailure. */
		async register(request: RegisterRequest): Promise<{ readonly urn: string; readonly outputs: Properties }> {
			const response = await call<RegisterResponse>((done) => client.registerResource(request, done));
			return { urn: response.getUrn(), outputs: readProperties(response.getObject()).properties };
		},
		async registerOutputs(urn: string, outputs: struct.Struct): Promise<void> {
			const request = new RegisterResourceOutputsRequest();
			request.setUrn(urn);
			request.setOutputs(outputs);
			await call((done) => client.registerResourceOutputs(request, done));
		},
		close: () => client.close(),
	};
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
