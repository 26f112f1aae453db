/** What the engine's resource monitor is asked to register for a component and for each of its parts. */

import aliasMessages from "@pulumi/pulumi/proto/alias_pb.js";
import type providerMessages from "@pulumi/pulumi/proto/provider_pb.js";
import monitorMessages from "@pulumi/pulumi/proto/resource_pb.js";
import type struct from "google-protobuf/google/protobuf/struct_pb.js";
import { defined } from "../../common/defined.ts";
import { withoutMeta } from "../inputs/inputs.ts";
import type { RegisteredPart } from "../organization/parts.ts";
import { configurationNamespace } from "../settings/settings.ts";
import { writeProperties } from "./values.ts";

const { RegisterResourceRequest } = monitorMessages;

type ConstructRequest = InstanceType<typeof providerMessages.ConstructRequest>;
type RegisterRequest = InstanceType<typeof RegisterResourceRequest>;
type Alias = InstanceType<typeof aliasMessages.Alias>;

/** The component with the options that the program gave it. */
export function componentRequest(asked: ConstructRequest, inputs: struct.Struct): RegisterRequest {
	const request = new RegisterResourceRequest();
	request.setType(asked.getType());
	request.setName(asked.getName());
	request.setParent(asked.getParent());
	request.setObject(inputs);
	request.setAliasesList(asked.getAliasesList());
	for (const [name, provider] of asked.getProvidersMap().entries()) request.getProvidersMap().set(name, provider);
	setOptions(request, asked);
	request.setAdditionalsecretoutputsList(asked.getAdditionalsecretoutputsList());
	request.setIgnorechangesList(asked.getIgnorechangesList());
	request.setReplaceonchangesList(asked.getReplaceonchangesList());
	request.setReplaceWithList(asked.getReplaceWithList());
	request.setReplacementTrigger(asked.getReplacementTrigger());
	const hooks = asked.getResourceHooks();
	if (hooks !== undefined) request.setHooks(copyOf(hooks, RegisterResourceRequest.ResourceHooksBinding));
	return request;
}

/** A part, of the same provider as its component. */
export function partRequest(
	asked: ConstructRequest,
	componentUrn: string,
	part: RegisteredPart,
	provider: string | undefined,
): RegisterRequest {
	const request = new RegisterResourceRequest();
	request.setCustom(true);
	request.setType(typeOf(part));
	request.setName(part.name);
	request.setParent(componentUrn);
	request.setObject(writeProperties(withoutMeta(part.args)));
	request.setProvider(provider ?? asked.getProvidersMap().get(configurationNamespace) ?? "");
	request.setAliasesList(aliasesOf(part));
	setOptions(request, asked);
	if (part.isKept) request.setRetainondelete(true);
	return request;
}

/** The URN that the engine gives a part of the component with this URN. */
export function partUrn(componentUrn: string, part: RegisteredPart): string {
	const [stack, project, types] = componentUrn.split("::", 3);
	return `${stack}::${project}::${types}$${typeOf(part)}::${part.name}`;
}

function typeOf({ definition }: RegisteredPart): string {
	return `${configurationNamespace}:index:${definition.name}`;
}

/** The names that the part had before, each also as a dynamic resource of `orgsync/pulumi`. */
function aliasesOf(part: RegisteredPart): Alias[] {
	const dynamicType = `pulumi-nodejs:dynamic/${configurationNamespace}:${part.definition.name}`;
	const names = [undefined, ...part.earlierNames];
	return names.flatMap((name) => [
		...(name === undefined ? [] : [makeAlias({ name })]),
		makeAlias({ type: dynamicType, ...defined({ name }) }),
	]);
}

function makeAlias({ name = "", type = "" }: { readonly name?: string; readonly type?: string }): Alias {
	const spec = new aliasMessages.Alias.Spec();
	spec.setName(name);
	spec.setType(type);
	const alias = new aliasMessages.Alias();
	alias.setSpec(spec);
	return alias;
}

/** What the component and its parts have in common: the options that parts inherit, and what they depend on. */
function setOptions(request: RegisterRequest, asked: ConstructRequest): void {
	request.setAcceptsecrets(true);
	request.setAcceptresources(true);
	request.setSupportspartialvalues(true);
	request.setSupportsresultreporting(true);
	request.setAliasspecs(true);
	request.setParentstacktracehandle(asked.getStackTraceHandle());
	const ofInputs = [...asked.getInputdependenciesMap().entries()].flatMap(([, found]) => found.getUrnsList());
	request.setDependenciesList([...new Set([...asked.getDependenciesList(), ...ofInputs])]);
	const protect = asked.hasProtect() ? asked.getProtect() : undefined;
	if (protect !== undefined) request.setProtect(protect);
	const retain = asked.hasRetainondelete() ? asked.getRetainondelete() : undefined;
	if (retain !== undefined) request.setRetainondelete(retain);
	request.setDeletedwith(asked.getDeletedwith());
	const timeouts = asked.getCustomtimeouts();
	if (timeouts !== undefined) request.setCustomtimeouts(copyOf(timeouts, RegisterResourceRequest.CustomTimeouts));
}

/** The message as one of another type with the same fields: construct and the monitor have types of their own for what they share. */
function copyOf<Copy>(
	message: { serializeBinary(): Uint8Array },
	type: { deserializeBinary(bytes: Uint8Array): Copy },
): Copy {
	return type.deserializeBinary(message.serializeBinary());
}
