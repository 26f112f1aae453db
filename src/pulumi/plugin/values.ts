/** Properties as the engine sends them in its protocol, and as the resources use them: plain JSON and names of secrets. */
import struct from "google-protobuf/google/protobuf/struct_pb.js";
import { type Properties, unknownValue } from "../inputs/inputs.ts";
import { secretSignature, signatureKey } from "../inputs/secrets.ts";

/** Plain properties, and which of them are or contain secrets. */
export interface PlainProperties {
	readonly properties: Properties;
	/** Sorted. */
	readonly secretNames: readonly string[];
	/** Properties that are or contain a value that no resource takes, and what it is, for example `an asset`. */
	readonly unusable: readonly UnusableProperty[];
}

interface UnusableProperty {
	readonly name: string;
	readonly what: string;
}

/** What is wrong with such a property. */
export function explainUnusable({ name, what }: UnusableProperty): string {
	return `${name} must not be or contain ${what}`;
}

/** Marks an output with its dependencies, as `construct` gets them. */
const outputSignature = "d0e6a833031e9bbcd3f4e8bde6ca49a4";

const unusableSignatures: ReadonlyMap<string | undefined, string> = new Map([
	["c44067f5952c0a294b673a41bacd8c17", "an asset"],
	["0def7320c3a5731c473e5ecbe6d01bc7", "an archive"],
	["5cf8f73096256a8f31e491e813e4eb8e", "a resource"],
]);

/** Placeholders of unknown values other than text. */
const otherUnknowns: ReadonlySet<unknown> = new Set([
	"1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
	"3eeb2bf0-c639-47a8-9e75-3b44932eb421",
	"6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
	"030794c1-ac77-496b-92df-f27374a8bd58",
	"e48ece36-62e2-4504-bad9-02848725956a",
	"dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

/** What was read from each message: a call reads one for its values, for its secrets and for what cannot be used. */
const read = new WeakMap<struct.Struct, PlainProperties>();

/** The properties of a message. Every unknown value becomes the one placeholder that resources know. */
export function readProperties(message: struct.Struct | undefined): PlainProperties {
	const known = message && read.get(message);
	if (known !== undefined) return known;
	const found = readFields(message);
	if (message !== undefined) read.set(message, found);
	return found;
}

function readFields(message: struct.Struct | undefined): PlainProperties {
	const found = fieldsOf(message).map(([name, value]) => ({ name, ...readValue(value) }));
	return {
		properties: Object.fromEntries(found.map(({ name, value }) => [name, value])),
		secretNames: found.flatMap(({ name, isSecret }) => (isSecret ? [name] : [])).sort(),
		unusable: found.flatMap(({ name, unusable }) => (unusable === undefined ? [] : [{ name, what: unusable }])),
	};
}

interface PlainValue {
	readonly value: unknown;
	readonly isSecret: boolean;
	readonly unusable?: string | undefined;
}

const unknown: PlainValue = { value: unknownValue, isSecret: false };

function fieldsOf(message: struct.Struct | undefined): readonly (readonly [string, struct.Value])[] {
	return [...(message?.getFieldsMap().entries() ?? [])];
}

/** Reads the message itself: its conversion to JavaScript would make a copy first. */
function readValue(message: struct.Value): PlainValue {
	const { KindCase } = struct.Value;
	switch (message.getKindCase()) {
		case KindCase.STRING_VALUE:
			return otherUnknowns.has(message.getStringValue()) ? unknown : plain(message.getStringValue());
		case KindCase.NUMBER_VALUE:
			return plain(message.getNumberValue());
		case KindCase.BOOL_VALUE:
			return plain(message.getBoolValue());
		case KindCase.LIST_VALUE: {
			const items = (message.getListValue()?.getValuesList() ?? []).map(readValue);
			return withParts(
				items,
				items.map(({ value }) => value),
			);
		}
		case KindCase.STRUCT_VALUE:
			return readObject(fieldsOf(message.getStructValue()).map(([name, value]) => [name, value]));
		default:
			return plain(null);
	}
}

function plain(value: unknown): PlainValue {
	return { value, isSecret: false };
}

function readObject(fields: readonly (readonly [string, struct.Value])[]): PlainValue {
	const fieldOf = (name: string): struct.Value | undefined => fields.find(([field]) => field === name)?.[1];
	const signature = fieldOf(signatureKey)?.getStringValue();
	const inner = fieldOf("value");
	if (signature === secretSignature) return { ...(inner ? readValue(inner) : plain(null)), isSecret: true };
	if (signature === outputSignature) {
		const found = inner === undefined ? unknown : readValue(inner);
		return { ...found, isSecret: found.isSecret || fieldOf("secret")?.getBoolValue() === true };
	}
	const unusable = unusableSignatures.get(signature);
	if (unusable !== undefined) return { value: null, isSecret: false, unusable };
	const items = fields.map(([name, value]) => [name, readValue(value)] as const);
	return withParts(
		items.map(([, item]) => item),
		Object.fromEntries(items.map(([name, item]) => [name, item.value])),
	);
}

/** A list or an object, which is a secret if a part of it is one. */
function withParts(parts: readonly PlainValue[], value: unknown): PlainValue {
	return {
		value,
		isSecret: parts.some(({ isSecret }) => isSecret),
		unusable: parts.find(({ unusable }) => unusable !== undefined)?.unusable,
	};
}

/** The properties as a message; wrapped secrets stay wrapped. Properties that are undefined are left out. */
export function writeProperties(properties: object): struct.Struct {
	// A value of the library's own may hold `undefined`, which a message cannot.
	return struct.Struct.fromJavaScript(JSON.parse(JSON.stringify(properties)));
}
