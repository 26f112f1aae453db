/** A body that arrives in chunks, copied: a kept chunk of one byte keeps the whole buffer that its socket was read into. */

const firstBytes = 4 * 1024;

export class BoundedBody {
	readonly #maxBytes: number;
	#bytes = Buffer.alloc(0);
	#size = 0;

	constructor(maxBytes: number) {
		this.#maxBytes = maxBytes;
	}

	/** Copies the chunk. Returns false where the body is larger than the limit; the chunk and what follows are not kept. */
	add(chunk: Uint8Array): boolean {
		const size = this.#size + chunk.length;
		if (size > this.#maxBytes) {
			this.#size = this.#maxBytes + 1;
			this.#bytes = Buffer.alloc(0);
			return false;
		}
		if (size > this.#bytes.length) {
			const room = Math.max(size, Math.min(this.#maxBytes, Math.max(firstBytes, 2 * this.#bytes.length)));
			const larger = Buffer.allocUnsafe(room);
			larger.set(this.#bytes.subarray(0, this.#size));
			this.#bytes = larger;
		}
		this.#bytes.set(chunk, this.#size);
		this.#size = size;
		return true;
	}

	/** Returns the body so far; undefined where it is larger than the limit. */
	read(): Buffer | undefined {
		return this.#size > this.#maxBytes ? undefined : this.#bytes.subarray(0, this.#size);
	}
}
