/** A reading for two documents, as it would be for the newer one alone. */

import { describe, expect, it } from "vitest";
import type { LiveOrganization } from "../../../src/plan/organization.ts";
import { narrowReading } from "../../../src/sync/read/read.ts";
import { saying } from "../../in-words.ts";
import { desiredOf, wantTag } from "../../plan/support-organizations.ts";
import { alice, signers, wantSigners } from "../support.ts";

const members = { known: true, value: [alice] } as const;
const users = { known: true, value: { [alice]: "alice" } } as const;
const tag = { id: signers, name: "signers", type: "TAG_TYPE_USER", updatedAt: "", members };
const live = { users, userTags: { known: true, value: [tag] } } as unknown as LiveOrganization;
const namesOnly = desiredOf({ userTags: [wantTag("signers")] });
const unread = { known: false, because: { kind: "not-needed" } };

describe("a reading for two documents", () => {
	it("keeps users and members that the document needs", () => {
		expect(narrowReading(wantSigners(alice), live, "auto")).toBe(live);
	});

	it("loses users and members that it does not need, and keeps the tags", () => {
		const narrow = { users: unread, userTags: { known: true, value: [{ ...tag, members: unread }] } };
		expect(narrowReading(namesOnly, live, "auto")).toEqual(narrow);
	});

	it("leaves tags unknown that are", () => {
		const unknown = { known: false, because: { kind: "stated", text: "no tags" } } as const;
		expect(narrowReading(namesOnly, { ...live, userTags: unknown }, "auto")).toEqual({
			users: unread,
			userTags: unknown,
		});
	});

	it("says of documented reads that they show neither", () => {
		expect(narrowReading(wantSigners(alice), live, "documented").users).toEqual({
			known: false,
			because: saying("the eight documented queries do not show it, and extended reads are off"),
		});
	});
});
