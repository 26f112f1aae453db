/** An object that can be removed, as the service shows it: its digest says whether it is another one by now. */
import { expect, it } from "vitest";
import { toRemovable } from "../../../src/sync/read/live-objects.ts";

it("has the same digest whatever its times and the case of its ids are, and another one with other content", () => {
	const policyId = "3000000a-7a3f-4c9e-9d40-00000000000a";
	const digestOf = (parts: object) =>
		toRemovable({ policyId, policyName: "pay", ...parts }, "policyId", "policyName").digest;
	const digest = digestOf({});
	expect(digest).toMatch(/^sha256:/);
	for (const same of [{ createdAt: "1" }, { updatedAt: "2" }, { policyId: policyId.toUpperCase() }])
		expect(digestOf(same)).toBe(digest);
	for (const other of [{ policyName: "PAY" }, { notes: "n" }]) expect(digestOf(other)).not.toBe(digest);
});
