/** A body in chunks: as it was sent, up to its limit, and with no more memory than it needs. */
import { describe, expect, it } from "vitest";
import { BoundedBody } from "../src/common/bounded-body.ts";

describe("a body that arrives in chunks", () => {
	it("is what was sent, whatever the sizes of the chunks", () => {
		for (const size of [1, 2, 3, 4095, 4096, 4097, 100_000]) {
			const sent = Buffer.from(Array.from({ length: 10_000 }, (_, at) => at % 251));
			const body = new BoundedBody(sent.length);
			for (let at = 0; at < sent.length; at += size) expect(body.add(sent.subarray(at, at + size))).toBe(true);
			expect(body.read()?.equals(sent)).toBe(true);
		}
		expect(new BoundedBody(0).read()).toHaveLength(0);
	});

	it("is none when it is larger than its limit, also when less follows", () => {
		const body = new BoundedBody(4);
		expect(body.add(Buffer.from("1234"))).toBe(true);
		expect(body.add(Buffer.from("5"))).toBe(false);
		expect(body.add(Buffer.alloc(0))).toBe(false);
		expect(body.read()).toBeUndefined();
	});

	it("keeps nothing of the buffers that its chunks are slices of", () => {
		const body = new BoundedBody(1024 * 1024);
		let read = 0;
		for (; read < 1000; read += 1) body.add(Buffer.alloc(64 * 1024).subarray(7, 8));
		expect(body.read()).toHaveLength(read);
		expect(body.read()?.buffer.byteLength).toBeLessThanOrEqual(64 * 1024);
	});
});
