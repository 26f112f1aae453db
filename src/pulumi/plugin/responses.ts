/** What the plugin answers as the protocol has it: what is wrong with inputs or settings, differences, inputs and outputs. */

import { Metadata, type ServiceError, status } from "@grpc/grpc-js";
import providerMessages from "@pulumi/pulumi/proto/provider_pb.js";
import statusMessages from "@pulumi/pulumi/proto/status_pb.js";
import any from "google-protobuf/google/protobuf/any_pb.js";
import { OrgsyncError } from "../../common/errors.ts";
import { framesOf, hideSecrets } from "../../common/hide-secrets.ts";
import { type CheckFailure, explainFailure, hasUnknown, type Properties, withoutMeta } from "../inputs/inputs.ts";
import { namesOf, type PropertyChange } from "../inputs/property-changes.ts";
import { isMarkedSecret, markSecret, namesOfSecrets } from "../inputs/secrets.ts";
import { explain, ResourceFailure } from "../resources/failure.ts";
import type { ResourceDiff } from "../resources/resource-operations.ts";
import { writeProperties } from "./values.ts";

/**
 * The failures as messages. The engine prints the value of a property that a failure names, and `{<nil>}` for a missing one.
 * So the text names the property instead if its value is missing, or if its name is in `hidden`.
 */
export function writeFailures(
	failures: readonly CheckFailure[],
	inputs: Properties,
	hidden: readonly string[] = [],
): InstanceType<typeof providerMessages.CheckFailure>[] {
	return failures.map((failure) => {
		const { property, reason } = failure;
		const value = inputs[property];
		const isPrinted = value !== undefined && value !== null && !hidden.includes(property);
		const message = new providerMessages.CheckFailure();
		message.setProperty(isPrinted ? property : "");
		message.setReason(isPrinted ? reason : explainFailure(failure));
		return message;
	});
}

/** The outputs, without the one input that is none of them. */
export function sendOutputs(properties: Properties): Properties {
	const { limits: _limits, ...outputs } = sendInputs(properties);
	return outputs;
}

/** The properties without meta inputs. Secrets that are or contain unknown values, which the resources leave as they are, are secrets. */
export function sendInputs(properties: Properties): Properties {
	const names = namesOfSecrets(properties);
	const entries = Object.entries(withoutMeta(properties)).map(([name, value]) => {
		const isOpen = names.includes(name) && hasUnknown(value) && !isMarkedSecret(value);
		return [name, isOpen ? markSecret(value) : value];
	});
	return Object.fromEntries(entries);
}

const { DiffResponse, PropertyDiff } = providerMessages;
const { ADD, ADD_REPLACE, DELETE, DELETE_REPLACE, UPDATE, UPDATE_REPLACE } = PropertyDiff.Kind;

const kinds = {
	add: [ADD, ADD_REPLACE],
	delete: [DELETE, DELETE_REPLACE],
	update: [UPDATE, UPDATE_REPLACE],
} as const;

/** The response to a diff. `identity` are the outputs that only a replacement changes. No internal key is shown. */
export function writeDiff(
	{ changes, replaces, details }: ResourceDiff,
	identity: readonly string[],
): InstanceType<typeof DiffResponse> {
	const shown = details.filter(({ path: [name] }) => name !== "__provider");
	const response = new DiffResponse();
	response.setChanges(changes ? DiffResponse.DiffChanges.DIFF_SOME : DiffResponse.DiffChanges.DIFF_NONE);
	response.setReplacesList([...replaces]);
	response.setStablesList(replaces.length === 0 ? [...identity] : []);
	response.setDiffsList(namesOf(shown));
	response.setHasdetaileddiff(true);
	for (const change of shown) response.getDetaileddiffMap().set(printPath(change.path), writeChange(change));
	return response;
}

function writeChange({ kind, replaces, isOfInputs }: PropertyChange): InstanceType<typeof PropertyDiff> {
	const difference = new PropertyDiff();
	difference.setKind(kinds[kind][replaces ? 1 : 0]);
	difference.setInputdiff(isOfInputs === true);
	return difference;
}

/** The path in the engine's syntax, for example `members.exactly[2]`. */
function printPath(path: PropertyChange["path"]): string {
	return path
		.map((part, index) => {
			if (typeof part === "number") return `[${part}]`;
			if (!/^\w+$/.test(part)) return `[${JSON.stringify(part)}]`;
			return index === 0 ? part : `.${part}`;
		})
		.join("");
}

/** A call that the plugin does not serve, with the status that says why. */
export class Refusal extends Error {
	readonly code: status;

	constructor(code: status, message: string) {
		super(message);
		this.code = code;
	}
}

/** What the engine shows of an error. Only a defect has a stack, with which a person can report it. */
export function statusOf(error: unknown, redact: (text: string) => string): Partial<ServiceError> {
	if (error instanceof ResourceFailure) return toStatus(error);
	if (error instanceof OrgsyncError) return { code: status.UNKNOWN, details: redact(explain(error)) };
	if (error instanceof Refusal) return { code: error.code, details: error.message };
	const { message, stack = "" } = error instanceof Error ? error : new Error(String(error));
	const text = `unexpected error: ${message}; please report this\n${framesOf(stack)}`;
	return { code: status.INTERNAL, details: redact(hideSecrets(text)) };
}

/** The failure of a call: with an id and properties, the engine stores them as a resource that is not ready. */
function toStatus({ message, id, properties, reasons }: ResourceFailure): Partial<ServiceError> {
	const metadata = new Metadata();
	if (id !== undefined && properties !== undefined) {
		const failed = new providerMessages.ErrorResourceInitFailed();
		failed.setId(id);
		failed.setProperties(writeProperties(sendOutputs(properties)));
		failed.setReasonsList([...(reasons ?? [])]);
		const detail = new any.Any();
		detail.pack(failed.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
		const answer = new statusMessages.Status();
		answer.setCode(status.UNKNOWN);
		answer.setMessage(message);
		answer.addDetails(detail);
		metadata.add("grpc-status-details-bin", Buffer.from(answer.serializeBinary()));
	}
	return { code: status.UNKNOWN, details: message, metadata };
}
