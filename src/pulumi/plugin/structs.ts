/**
 * Messages of the engine's protocol as bytes, with plain values in place of protobuf's `Struct`. The library of protobuf makes
 * several objects of each value: for a thousand resources, that was half of what the plugin left to the garbage collector. The small
 * library pbf (5.1.2) writes characters beyond U+FFFF wrongly and drops a mark of the byte order.
 */

/** A place in the bytes of a message. */
interface Cursor {
	readonly bytes: Buffer;
	at: number;
}

/** Types of fields on the wire. The last one is skipped: no field that is read here has it. */
const [varintType, doubleType, bytesType, fixedType] = [0, 1, 2, 5];

/** A field of a message by its number: a text, bytes as they are, or an object as a `Struct`. */
type Field = readonly [number: number, value: string | Uint8Array | object];

/** The value of a field, which can be read as what the protocol says that it is. */
interface FieldValue {
	/** A number; a boolean is 0 or 1. */
	readonly number: number;
	text(): string;
	struct(): Record<string, unknown>;
}

/** Calls `take` for each field of a message. Throws RangeError for bytes that are no message. */
export function readMessage(bytes: Uint8Array, take: (field: number, value: FieldValue) => void): void {
	const cursor = cursorAt(bytes);
	eachField(cursor, bytes.length, (field, number) =>
		take(field, { number, text: () => readText(cursor, number), struct: () => readFields(cursor, number) }),
	);
}

/** Returns the plain values of a `Struct`. Throws RangeError for bytes that are none. */
export function readStruct(bytes: Uint8Array): Record<string, unknown> {
	return readFields(cursorAt(bytes), bytes.length);
}

function cursorAt(bytes: Uint8Array): Cursor {
	return { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), at: 0 };
}

/** Calls `take` for each field up to `end`, with its number, or the end of its bytes, which begin at the cursor. */
function eachField(cursor: Cursor, end: number, take: (field: number, value: number) => void): void {
	while (cursor.at < end) {
		const key = readVarint(cursor);
		const field = Math.floor(key / 8);
		const type = key % 8;
		if (type === varintType) take(field, readVarint(cursor));
		else if (type === doubleType) {
			cursor.at += 8;
			take(field, cursor.bytes.readDoubleLE(cursor.at - 8));
		} else if (type === bytesType) {
			const next = readVarint(cursor) + cursor.at;
			if (next > end) throw new RangeError("a field of a message of the engine is longer than the message");
			take(field, next);
			cursor.at = next;
		} else if (type === fixedType) cursor.at += 4;
		else throw new RangeError(`a message of the engine has a field of the unknown type ${type}`);
	}
}

function readVarint(cursor: Cursor): number {
	let value = 0;
	for (let factor = 1; ; factor *= 128) {
		const byte = cursor.bytes[cursor.at];
		if (byte === undefined) throw new RangeError("a message of the engine ends within a number");
		cursor.at += 1;
		value += (byte % 128) * factor;
		if (byte < 128) return value;
	}
}

function readText({ bytes, at }: Cursor, end: number): string {
	return bytes.toString("utf8", at, end);
}

function readFields(cursor: Cursor, end: number): Record<string, unknown> {
	const entries: [string, unknown][] = [];
	eachField(cursor, end, (_fields, entryEnd) => {
		const entry: [string, unknown] = ["", null];
		eachField(cursor, entryEnd, (part, partEnd) => {
			if (part === 1) entry[0] = readText(cursor, partEnd);
			else entry[1] = readValue(cursor, partEnd);
		});
		entries.push(entry);
	});
	return Object.fromEntries(entries);
}

function readValue(cursor: Cursor, end: number): unknown {
	let found: unknown = null;
	eachField(cursor, end, (kind, value) => {
		found = readKind(cursor, kind, value);
	});
	return found;
}

/** The kinds of `google.protobuf.Value`. */
const kinds = { null: 1, number: 2, text: 3, boolean: 4, struct: 5, list: 6 } as const;

function readKind(cursor: Cursor, kind: number, value: number): unknown {
	switch (kind) {
		case kinds.number:
			return value;
		case kinds.text:
			return readText(cursor, value);
		case kinds.boolean:
			return value !== 0;
		case kinds.struct:
			return readFields(cursor, value);
		case kinds.list: {
			const items: unknown[] = [];
			eachField(cursor, value, (_values, itemEnd) => items.push(readValue(cursor, itemEnd)));
			return items;
		}
		default:
			return null;
	}
}

/** Returns the bytes of a message. Values of objects are those of JSON; what is undefined is left out. */
export function writeMessage(fields: readonly Field[]): Buffer {
	const writer = new BackwardWriter();
	for (const [number, value] of fields.toReversed()) {
		writer.enclose(number, () => {
			if (typeof value === "string") writer.text(value);
			else if (value instanceof Uint8Array) writer.bytes(value);
			else writeFields(writer, value);
		});
	}
	return writer.written();
}

/** Returns the bytes of a `Struct`, as writeMessage has it. */
export function writeStruct(object: object): Buffer {
	const writer = new BackwardWriter();
	writeFields(writer, object);
	return writer.written();
}

function writeFields(writer: BackwardWriter, object: object): void {
	for (const [name, value] of Object.entries(object).reverse()) {
		if (value === undefined) continue;
		writer.enclose(1, () => {
			writer.enclose(2, () => writeValue(writer, value));
			writer.enclose(1, () => writer.text(name));
		});
	}
}

function writeValue(writer: BackwardWriter, value: unknown): void {
	if (typeof value === "string") writer.enclose(kinds.text, () => writer.text(value));
	else if (typeof value === "number" && Number.isFinite(value)) writer.double(kinds.number, value);
	else if (typeof value === "boolean") writer.varint(kinds.boolean, value ? 1 : 0);
	else if (Array.isArray(value)) {
		writer.enclose(kinds.list, () => {
			for (const item of value.toReversed()) writer.enclose(1, () => writeValue(writer, item));
		});
	} else if (typeof value === "object" && value !== null) {
		writer.enclose(kinds.struct, () => writeFields(writer, value));
	} else writer.varint(kinds.null, 0);
}

/** Writes a message from its end: then the length of a part is known when it is written before the part. */
class BackwardWriter {
	#buffer = Buffer.allocUnsafe(1024);
	#start = this.#buffer.length;

	/** Writes a field of the bytes that `write` writes. */
	enclose(field: number, write: () => void): void {
		const end = this.#buffer.length - this.#start;
		write();
		this.#number(this.#buffer.length - this.#start - end);
		this.#number(field * 8 + bytesType);
	}

	varint(field: number, value: number): void {
		this.#number(value);
		this.#number(field * 8 + varintType);
	}

	double(field: number, value: number): void {
		this.#reserve(8);
		this.#buffer.writeDoubleLE(value, this.#start);
		this.#number(field * 8 + doubleType);
	}

	text(text: string): void {
		this.#reserve(Buffer.byteLength(text));
		this.#buffer.write(text, this.#start);
	}

	bytes(bytes: Uint8Array): void {
		this.#reserve(bytes.length);
		this.#buffer.set(bytes, this.#start);
	}

	written(): Buffer {
		return this.#buffer.subarray(this.#start);
	}

	#number(value: number): void {
		let size = 1;
		for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size += 1;
		this.#reserve(size);
		for (let index = 0, rest = value; index < size; index += 1, rest = Math.floor(rest / 128))
			this.#buffer[this.#start + index] = (rest % 128) + (index + 1 < size ? 128 : 0);
	}

	#reserve(size: number): void {
		if (size > this.#start) {
			const written = this.written();
			const larger = Buffer.allocUnsafe(2 * (this.#buffer.length + size));
			this.#start = larger.length - written.length;
			larger.set(written, this.#start);
			this.#buffer = larger;
		}
		this.#start -= size;
	}
}
