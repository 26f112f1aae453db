/** Which resource applied an object last, as the journal has it. */
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StorageError } from "../../../src/common/errors.ts";
import { migrate } from "../../../src/sync/journal/schema.ts";
import { type OwnerJournal, ownersIn } from "../../../src/sync/journal-owners.ts";

let database: DatabaseSync;
let owners: OwnerJournal;
beforeEach(() => {
	database = new DatabaseSync(":memory:");
	migrate(database);
	owners = ownersIn(database);
});
afterEach(() => database.close());

const tag = { service: "s", organizationId: "o", object: "userTag/t" };
const urn = { resource: "approvers", resourceUrn: "urn:pulumi:x", appliedAtMs: 5 };

describe("the owner of an object", () => {
	it("is the resource that was recorded last, with its URN if it has one", () => {
		expect(owners.lastOwner(tag)).toBeUndefined();
		owners.recordOwner(tag, urn);
		expect(owners.lastOwner(tag)).toEqual(urn);
		owners.recordOwner(tag, { resource: "others", appliedAtMs: 6 });
		expect(owners.lastOwner(tag)).toEqual({ resource: "others", appliedAtMs: 6 });
	});

	it.each([{ service: "x" }, { organizationId: "x" }, { object: "userTag/x" }])("is not that of %j", (other) => {
		owners.recordOwner(tag, urn);
		owners.recordOwner({ ...tag, ...other }, { ...urn, resource: "others" });
		expect(owners.lastOwner(tag)).toEqual(urn);
		owners.forgetOwner({ ...tag, ...other });
		expect([owners.lastOwner(tag), owners.lastOwner({ ...tag, ...other })]).toEqual([urn, undefined]);
	});

	it("is an error with a time that no calendar has", () => {
		owners.recordOwner(tag, { ...urn, appliedAtMs: 9e15 });
		const read = () => owners.lastOwner(tag);
		expect(read).toThrow(StorageError);
		expect(read).toThrow("which resource applied userTag/t last cannot be read; nothing was submitted because of it");
	});
});
