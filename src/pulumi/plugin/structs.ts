/** The protocol's messages with plain values in place of `Struct`: its objects were half of the garbage of a thousand resources. */
import { BinaryReader, BinaryWriter } from "google-protobuf";

/** A field of a message by its number: a text, bytes as they are, or an object as a `Struct`. */
type Field = readonly [number: number, value: string | Uint8Array | object];

/** Calls `take` for each field of a message; a field that it does not read is skipped. Throws for bytes that are no message. */
export function readMessage(bytes: Uint8Array, take: (field: number, reader: BinaryReader) => void): void {
	eachField(new BinaryReader(bytes), take);
}

/** Returns the plain values of a `Struct`. Throws for bytes that are none. */
export function readStruct(bytes: Uint8Array): Record<string, unknown> {
	return readFields(new BinaryReader(bytes), 1);
}

/** Returns the plain values of the field at which the reader is: a `Struct`. */
export function readStructField(reader: BinaryReader): Record<string, unknown> {
	return within(reader, (inner) => readFields(inner, 1));
}

/** In place of an object or a list that is nested too deeply. */
export const tooDeep = Symbol("nested too deeply");

/** The levels of objects and lists that are read: of more, reader and writer need a stack and a time without limits. */
export const maxDepth = 100;

function eachField(reader: BinaryReader, take: (field: number, reader: BinaryReader) => void): void {
	while (reader.nextField() && !reader.isEndGroup()) {
		const before = reader.getCursor();
		take(reader.getFieldNumber(), reader);
		if (reader.getCursor() === before) reader.skipField();
	}
}

function within<Value>(reader: BinaryReader, read: (reader: BinaryReader) => Value): Value {
	let value: Value | undefined;
	reader.readMessage({} as never, () => {
		value = read(reader);
	});
	return value as Value;
}

function readFields(reader: BinaryReader, depth: number): Record<string, unknown> {
	const entries: [string, unknown][] = [];
	eachField(reader, () => {
		const entry: [string, unknown] = ["", null];
		within(reader, () =>
			eachField(reader, (part) => {
				if (part === 1) entry[0] = reader.readString();
				else entry[1] = within(reader, (value) => readValue(value, depth));
			}),
		);
		entries.push(entry);
	});
	return Object.fromEntries(entries);
}

function readValue(reader: BinaryReader, depth: number): unknown {
	let found: unknown = null;
	eachField(reader, (kind) => {
		const isNested = kind === kinds.struct || kind === kinds.list;
		found = isNested && depth > maxDepth ? tooDeep : readKind(reader, kind, depth + 1);
	});
	return found;
}

/** The kinds of `google.protobuf.Value`. */
const kinds = { null: 1, number: 2, text: 3, boolean: 4, struct: 5, list: 6 } as const;

function readKind(reader: BinaryReader, kind: number, depth: number): unknown {
	switch (kind) {
		case kinds.number:
			return reader.readDouble();
		case kinds.text:
			return reader.readString();
		case kinds.boolean:
			return reader.readBool();
		case kinds.struct:
			return within(reader, (inner) => readFields(inner, depth));
		case kinds.list: {
			const items: unknown[] = [];
			within(reader, () => eachField(reader, () => items.push(within(reader, (value) => readValue(value, depth)))));
			return items;
		}
		default:
			return null;
	}
}

/** Returns the bytes of a message. Values of objects are those of JSON; what is undefined is left out. */
export function writeMessage(fields: readonly Field[]): Buffer {
	const writer = new BinaryWriter();
	for (const [number, value] of fields) {
		if (typeof value === "string") writer.writeString(number, value);
		else if (value instanceof Uint8Array) writer.writeBytes(number, value);
		else writer.writeMessage(number, value, writeFields);
	}
	return bytesOf(writer);
}

/** Returns the bytes of a `Struct`, as writeMessage has it. */
export function writeStruct(object: object): Buffer {
	const writer = new BinaryWriter();
	writeFields(object, writer);
	return bytesOf(writer);
}

function bytesOf(writer: BinaryWriter): Buffer {
	const { buffer, byteOffset, length } = writer.getResultBuffer();
	return Buffer.from(buffer, byteOffset, length);
}

function writeFields(object: object, writer: BinaryWriter): void {
	for (const entry of Object.entries(object)) if (entry[1] !== undefined) writer.writeMessage(1, entry, writeEntry);
}

function writeEntry([name, value]: readonly [string, unknown], writer: BinaryWriter): void {
	writer.writeString(1, name);
	// A value that is null would leave the message out.
	writer.writeMessage(2, { value }, writeValue);
}

function writeValue({ value }: { readonly value: unknown }, writer: BinaryWriter): void {
	if (typeof value === "string") writer.writeString(kinds.text, value);
	else if (typeof value === "number" && Number.isFinite(value)) writer.writeDouble(kinds.number, value);
	else if (typeof value === "boolean") writer.writeBool(kinds.boolean, value);
	else if (Array.isArray(value)) writer.writeMessage(kinds.list, value, writeItems);
	else if (typeof value === "object" && value !== null) writer.writeMessage(kinds.struct, value, writeFields);
	else writer.writeEnum(kinds.null, 0);
}

function writeItems(items: readonly unknown[], writer: BinaryWriter): void {
	for (const value of items) writer.writeMessage(1, { value }, writeValue);
}
