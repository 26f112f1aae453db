/** Failures as the engine's protocol has them. */
import { Metadata, type ServiceError, status } from "@grpc/grpc-js";
import providerMessages from "@pulumi/pulumi/proto/provider_pb.js";
import statusMessages from "@pulumi/pulumi/proto/status_pb.js";
import any from "google-protobuf/google/protobuf/any_pb.js";
import type { ResourceFailure } from "../failure.ts";
import { withoutMeta } from "../inputs.ts";
import { writeProperties } from "./values.ts";

/** The failure of a call: with an id and properties, the engine stores them as a resource that is not ready. */
export function toStatus({ message, id, properties, reasons }: ResourceFailure): Partial<ServiceError> {
	const metadata = new Metadata();
	if (id !== undefined && properties !== undefined) {
		const failed = new providerMessages.ErrorResourceInitFailed();
		failed.setId(id);
		const { limits: _limits, ...outputs } = withoutMeta(properties);
		failed.setProperties(writeProperties(outputs));
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
