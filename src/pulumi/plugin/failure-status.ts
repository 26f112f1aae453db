/** Failures as the engine's protocol has them. */
import { Metadata, type ServiceError, status } from "@grpc/grpc-js";
import providerMessages from "@pulumi/pulumi/proto/provider_pb.js";
import statusMessages from "@pulumi/pulumi/proto/status_pb.js";
import any from "google-protobuf/google/protobuf/any_pb.js";
import { OrgsyncError } from "../../common/errors.ts";
import { framesOf, hideSecrets } from "../../common/hide-secrets.ts";
import { explain, ResourceFailure } from "../resources/failure.ts";
import { sendOutputs } from "./responses.ts";
import { writeProperties } from "./values.ts";

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
