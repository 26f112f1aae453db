/** Properties as the engine sends them in its protocol, and as the resources use them: plain JSON and names of secrets. */
import struct from "google-protobuf/google/protobuf/struct_pb.js";
import { type Properties, unknownValue } from "../inputs.ts";
import { secretSignature, signatureKey } from "../secrets.ts";

/** Plain properties, and which of them are or contain secrets. */
export interface PlainProperties {
	readonly properties: Properties;
	/** Sorted. */
	readonly secretNames: readonly string[];
}

/** Marks an output with its dependencies, as `construct` gets them. */
const outputSignature = "d0e6a833031e9bbcd3f4e8bde6ca49a4";

/** Placeholders of unknown values other than text. */
const otherUnknowns: ReadonlySet<unknown> = new Set([
	"1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
	"3eeb2bf0-c639-47a8-9e75-3b44932eb421",
	"6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
	"030794c1-ac77-496b-92df-f27374a8bd58",
	"e48ece36-62e2-4504-bad9-02848725956a",
	"dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

/** The properties of a message. Every unknown value becomes the one placeholder that resources know. */
export function readProperties(message: struct.Struct | undefined): PlainProperties {
	const found = Object.entries(message?.toJavaScript() ?? {}).map(([name, value]) => ({ name, ...readValue(value) }));
	return {
		properties: Object.fromEntries(found.map(({ name, value }) => [name, value])),
		secretNames: found.flatMap(({ name, isSecret }) => (isSecret ? [name] : [])).sort(),
	};
}

interface PlainValue {
	readonly value: unknown;
	readonly isSecret: boolean;
}

function readValue(value: unknown): PlainValue {
	if (otherUnknowns.has(value)) return { value: unknownValue, isSecret: false };
	if (typeof value !== "object" || value === null) return { value, isSecret: false };
	if (Array.isArray(value)) {
		const items = value.map(readValue);
		return { value: items.map((item) => item.value), isSecret: items.some(({ isSecret }) => isSecret) };
	}
	const fields = value as Properties;
	const signature = fields[signatureKey];
	if (signature === secretSignature) return { ...readValue(fields.value), isSecret: true };
	if (signature === outputSignature) {
		const inner = "value" in fields ? readValue(fields.value) : { value: unknownValue, isSecret: false };
		return { value: inner.value, isSecret: inner.isSecret || fields.secret === true };
	}
	const entries = Object.entries(fields).map(([name, item]) => [name, readValue(item)] as const);
	return {
		value: Object.fromEntries(entries.map(([name, item]) => [name, item.value])),
		isSecret: entries.some(([, { isSecret }]) => isSecret),
	};
}

/** The properties as a message; wrapped secrets stay wrapped. Properties that are undefined are left out. */
export function writeProperties(properties: object): struct.Struct {
	// A value of the library's own may hold `undefined`, which a message cannot.
	return struct.Struct.fromJavaScript(JSON.parse(JSON.stringify(properties)));
}
