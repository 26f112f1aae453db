/** Properties as the engine sends them in its protocol, and as the resources use them: plain JSON and names of secrets. */
import struct from "google-protobuf/google/protobuf/struct_pb.js";
import { defined, nonEmpty } from "../../common/defined.ts";
import { type Properties, unknownValue } from "../inputs/inputs.ts";
import { secretSignature, signatureKey } from "../inputs/secrets.ts";
import { ResourceFailure } from "../resources/failure.ts";
import type { ProviderProcess } from "../session/provider-process.ts";
import { maxDepth, readStruct, tooDeep, writeStruct } from "./structs.ts";

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

/** Marks an output with its dependencies, as `construct` gets them. */
const outputSignature = "d0e6a833031e9bbcd3f4e8bde6ca49a4";

const unusableSignatures: ReadonlyMap<unknown, string> = new Map([
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

/** The properties of a message. Every unknown value becomes the one placeholder that resources know. */
export function readProperties(message: struct.Struct | undefined): PlainProperties {
	return toProperties(message === undefined ? {} : readStruct(message.serializeBinary()));
}

/** The arguments of a function or a component, whose secrets are hidden from now on. Throws ResourceFailure for a value of no use. */
export function readArguments(message: struct.Struct | undefined, { secrets }: ProviderProcess): Properties {
	const { properties, secretNames, unusable } = readProperties(message);
	const mistakes = unusable.map(({ name, what }) => `${name} must not be or contain ${what}`);
	if (mistakes.length > 0) throw new ResourceFailure(mistakes.join("\n"));
	const args = { ...properties, ...defined({ secretInputs: nonEmpty(secretNames) }) };
	secrets.addFrom(args);
	return args;
}

/** The same for properties as they are sent. */
export function toProperties(sent: Properties): PlainProperties {
	const properties: [string, unknown][] = [];
	const secretNames: string[] = [];
	const unusable: UnusableProperty[] = [];
	for (const [name, value] of Object.entries(sent)) {
		const noticed: Noticed = { isSecret: false };
		properties.push([name, toPlain(value, noticed)]);
		if (noticed.isSecret) secretNames.push(name);
		if (noticed.unusable !== undefined) unusable.push({ name, what: noticed.unusable });
	}
	return { properties: Object.fromEntries(properties), secretNames: secretNames.sort(), unusable };
}

/** What is noticed while a value is made plain: of a list or an object, what one of its parts is. */
interface Noticed {
	isSecret: boolean;
	unusable?: string;
}

function toPlain(value: unknown, noticed: Noticed): unknown {
	if (value === tooDeep) {
		noticed.unusable ??= `values nested more than ${maxDepth} levels deep`;
		return null;
	}
	if (typeof value === "string") return otherUnknowns.has(value) ? unknownValue : value;
	if (Array.isArray(value)) return value.map((item) => toPlain(item, noticed));
	return typeof value === "object" && value !== null ? toPlainObject(value as Properties, noticed) : value;
}

function toPlainObject(object: Properties, noticed: Noticed): unknown {
	const { [signatureKey]: signature, value: inner = null } = object;
	if (signature === secretSignature || signature === outputSignature) {
		noticed.isSecret ||= signature === secretSignature || object.secret === true;
		return signature === outputSignature && !("value" in object) ? unknownValue : toPlain(inner, noticed);
	}
	const unusable = unusableSignatures.get(signature);
	if (unusable === undefined)
		return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, toPlain(value, noticed)]));
	noticed.unusable ??= unusable;
	return null;
}

/** The properties as a message; wrapped secrets stay wrapped. Properties that are undefined are left out. */
export function writeProperties(properties: object): struct.Struct {
	return struct.Struct.deserializeBinary(writeStruct(properties));
}
