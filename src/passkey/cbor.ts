/** Reads the part of CBOR (RFC 8949) that authenticators write: integers, bytes, texts, lists and maps of definite length. Pure. */

/** A map has its keys as texts: `-2` for the integer. */
type CborValue = number | string | Buffer | readonly CborValue[] | ReadonlyMap<string, CborValue>;

/** Max levels of nesting. Authenticators write three. */
const maxDepth = 8;

class Reader {
	at = 0;
	readonly #bytes: Buffer;

	constructor(bytes: Buffer) {
		this.#bytes = bytes;
	}

	/** Throws RangeError where the bytes end too early, or hold what is not read here. */
	value(depth = 0): CborValue {
		if (depth > maxDepth) throw new RangeError("nested too deep");
		const first = this.#take(1)[0] ?? 0;
		const size = this.#size(first & 31);
		switch (first >> 5) {
			case 0:
				return size;
			case 1:
				return -1 - size;
			case 2:
				return this.#take(size);
			case 3:
				return this.#take(size).toString("utf8");
			case 4:
				return Array.from({ length: this.#length(size) }, () => this.value(depth + 1));
			case 5:
				return this.#map(this.#length(size), depth + 1);
			default:
				throw new RangeError("a kind of value that no authenticator writes");
		}
	}

	#map(size: number, depth: number): ReadonlyMap<string, CborValue> {
		const entries = Array.from({ length: size }, () => [String(this.value(depth)), this.value(depth)] as const);
		return new Map(entries);
	}

	#size(short: number): number {
		if (short < 24) return short;
		if (short === 24) return this.#take(1).readUInt8();
		if (short === 25) return this.#take(2).readUInt16BE();
		if (short === 26) return this.#take(4).readUInt32BE();
		throw new RangeError("a length that no authenticator writes");
	}

	/** Each item has a byte at least. */
	#length(size: number): number {
		if (size > this.#bytes.length - this.at) throw new RangeError("the bytes end too early");
		return size;
	}

	#take(size: number): Buffer {
		const from = this.at;
		this.at += this.#length(size);
		return this.#bytes.subarray(from, this.at);
	}
}

/** Returns the first value, and how many bytes it has; undefined if the bytes begin with no value that is read here. */
export function readCbor(bytes: Buffer): { readonly value: CborValue; readonly size: number } | undefined {
	const reader = new Reader(bytes);
	try {
		return { value: reader.value(), size: reader.at };
	} catch {
		return undefined;
	}
}
