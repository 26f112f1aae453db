/** The engine's calls about a resource: requests as plain values, and responses as the bytes that are sent. */
import { readMessage, readStructField } from "./structs.ts";
import { type PlainProperties, toProperties } from "./values.ts";

/** A request about a resource. Which properties it has depends on the call. */
export interface ResourceRequest extends Partial<Readonly<Record<SentProperties, PlainProperties>>> {
	readonly urn: string;
	readonly id: string;
	/** Seconds; 0 is without a limit. */
	readonly timeout: number;
	readonly preview: boolean;
}

type SentProperties = "olds" | "news" | "oldInputs" | "properties" | "inputs";

/** The fields of each request by their numbers. */
const requests = {
	check: { 1: "urn", 2: "olds", 3: "news" },
	diff: { 1: "id", 2: "urn", 3: "olds", 4: "news", 6: "oldInputs" },
	create: { 1: "urn", 2: "properties", 3: "timeout", 4: "preview" },
	read: { 1: "id", 2: "urn", 3: "properties", 4: "inputs", 10: "timeout" },
	update: { 1: "id", 2: "urn", 3: "olds", 4: "news", 5: "timeout", 7: "preview", 8: "oldInputs" },
	delete: { 1: "id", 2: "urn", 3: "properties", 4: "timeout", 5: "oldInputs" },
} as const satisfies Readonly<Record<string, Readonly<Record<number, keyof ResourceRequest>>>>;

export type ResourceCall = keyof typeof requests;

export const resourceCalls = Object.keys(requests) as readonly ResourceCall[];

/** Reads the request of a call. Throws for bytes that are none. */
export function readRequest(call: ResourceCall, bytes: Uint8Array): ResourceRequest {
	const names: Readonly<Record<number, keyof ResourceRequest>> = requests[call];
	const request = { urn: "", id: "", timeout: 0, preview: false };
	const properties: Partial<Record<SentProperties, PlainProperties>> = {};
	readMessage(bytes, (field, reader) => {
		const name = names[field];
		if (name === undefined) return;
		if (name === "urn" || name === "id") request[name] = reader.readString();
		else if (name === "timeout") request.timeout = reader.readDouble();
		else if (name === "preview") request.preview = reader.readBool();
		else properties[name] = toProperties(readStructField(reader));
	});
	return { ...request, ...properties };
}
