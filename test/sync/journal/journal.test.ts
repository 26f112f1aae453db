/** The journal: what was sent is on disk, what was applied is remembered, and a file that is no journal is refused. */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { emptyLastApplied } from "../../../src/plan/organization.ts";
import type { Outcome } from "../../../src/plan/report.ts";
import { openJournal } from "../../../src/sync/journal/file.ts";
import {
	type ClaimDecision,
	type Journal,
	type JournalEntry,
	requestDigestOf,
} from "../../../src/sync/journal/journal.ts";
import { migrate } from "../../../src/sync/journal/schema.ts";
import { JournalStore } from "../../../src/sync/journal/store.ts";
import { submits } from "../../../src/wire/operations.ts";
import { encodeSubmit } from "../../../src/wire/request-body.ts";
import { id, organizationId } from "../../plan/support-organizations.ts";
import { latestOf } from "../support.ts";

const timestampMs = 1_767_225_600_000;
const parameters = { policyIds: [id("policy", 1)] };
const body = encodeSubmit(submits.delete_policies, organizationId, parameters, timestampMs);
const later = encodeSubmit(submits.delete_policies, organizationId, parameters, timestampMs + 1);
const requestDigest = requestDigestOf(organizationId, "delete_policies", parameters);
const covers = [`policy:${id("policy", 1)}`];

let folder: string;
let file: string;
const journals: Journal[] = [];

function resend(entry: JournalEntry | undefined): ClaimDecision {
	return entry === undefined ? { kind: "skip" } : { kind: "resend", entry };
}

async function open(): Promise<Journal> {
	const journal = await openJournal(file);
	journals.push(journal);
	return journal;
}

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "orgsync-journal-"));
	file = join(folder, "folder", "journal.sqlite");
});
afterEach(() => {
	for (const journal of journals.splice(0)) journal.close();
	rmSync(folder, { recursive: true, force: true });
});

describe("a journal", () => {
	it("has what was sent when it is opened again", async () => {
		const journal = await openJournal(file);
		await journal.recordSending(body, requestDigest, covers, timestampMs + 5);
		journal.close();
		const entry = (await open()).entry(body.fingerprint);
		expect(entry).toEqual({
			body,
			requestDigest,
			covers,
			planDigests: [],
			sentAtMs: timestampMs + 5,
			outcome: "in-flight",
			activityId: null,
		});
		expect(entry?.body.operation).toBe(submits.delete_policies);
	});

	it("records the saved plans for which bytes were sent, each once, and finds what completed for one of them", async () => {
		const journal = await open();
		const [plan, later] = ["a", "b"].map((letter) => `sha256:${letter.repeat(64)}`) as [string, string];
		await journal.claim(requestDigest, () => ({ kind: "send", entry: { body, covers, nowMs: timestampMs } }), plan);
		expect(journal.completedEntries(organizationId, plan)).toEqual([]);
		for (const again of [later, plan, later]) {
			await journal.claim(requestDigest, ([entry]) => resend(entry), again);
		}
		await journal.claim(requestDigest, ([entry]) => resend(entry));
		journal.recordOutcome(body.fingerprint, "completed", "activity", timestampMs + 1);
		for (const one of [plan, later]) {
			expect(journal.completedEntries(organizationId, one)).toMatchObject([
				{ planDigests: [plan, later], activityId: "activity" },
			]);
			expect(journal.completedEntries(id("org", 9), one)).toEqual([]);
		}
		expect(journal.completedEntries(organizationId, `sha256:${"c".repeat(64)}`)).toEqual([]);
	});

	it("shows another process what is being sent while it is still open", async () => {
		await (await open()).recordSending(body, requestDigest, covers, timestampMs);
		expect((await latestOf(await open(), requestDigest))?.body.bytes).toBe(body.bytes);
	});

	it("is made with its folder, for its owner alone", async () => {
		await open();
		expect(statSync(join(folder, "folder")).mode & 0o777).toBe(0o700);
	});

	it("has the entry of a request that was written last, whatever the clocks said", async () => {
		const journal = await open();
		await journal.recordSending(later, requestDigest, covers, 1);
		await journal.recordSending(body, requestDigest, covers, 2);
		expect((await latestOf(journal, requestDigest))?.body.fingerprint).toBe(body.fingerprint);
		expect(await latestOf(journal, "sha256:another")).toBeUndefined();
		expect(journal.entry("sha256:another")).toBeUndefined();
	});

	it("keeps the first entry when the same bytes are sent again", async () => {
		const journal = await open();
		await journal.recordSending(body, requestDigest, covers, 1);
		journal.recordOutcome(body.fingerprint, "awaiting-approval", "activity", 2);
		await journal.recordSending(body, requestDigest, covers, 3);
		expect(journal.entry(body.fingerprint)).toMatchObject({ sentAtMs: 1, outcome: "awaiting-approval" });
	});

	it("returns true to the first process that records bytes, and for bytes that never left", async () => {
		const [one, other] = [await open(), await open()];
		expect(
			await Promise.all([one, other].map((journal) => journal.recordSending(body, requestDigest, covers, 1))),
		).toEqual([true, false]);
		expect(await one.recordSending(later, requestDigest, covers, 1)).toBe(true);
		one.recordOutcome(body.fingerprint, "not-attempted", null, 2);
		expect(await other.recordSending(body, requestDigest, covers, 3)).toBe(true);
		expect(await one.recordSending(body, requestDigest, covers, 4)).toBe(false);
	});

	/** Outcomes of activities: they are never recorded without one. */
	const ofActivity: readonly string[] = ["completed", "rejected", "awaiting-approval", "awaiting-authenticator"];
	const activityOf = (outcome: string): string | null => (ofActivity.includes(outcome) ? "activity" : null);

	it.each<[Outcome | "abandoned", Outcome | "abandoned", boolean]>([
		["completed", "awaiting-approval", false],
		["completed", "unknown", false],
		["completed", "failed", false],
		["completed", "denied", false],
		["completed", "abandoned", false],
		["rejected", "awaiting-authenticator", false],
		["failed", "not-attempted", false],
		["abandoned", "awaiting-approval", false],
		["awaiting-approval", "unknown", false],
		["awaiting-approval", "denied", false],
		["awaiting-approval", "failed", false],
		["failed", "awaiting-approval", true],
		["denied", "awaiting-approval", true],
		["failed", "completed", true],
		["abandoned", "completed", true],
		["unknown", "awaiting-approval", true],
		["not-attempted", "denied", true],
		["denied", "completed", true],
		["awaiting-approval", "abandoned", true],
	])("that has %s records %s after it: %s", async (first, second, isNoted) => {
		const journal = await open();
		await journal.recordSending(body, requestDigest, covers, 1);
		journal.recordOutcome(body.fingerprint, first, activityOf(first), 2);
		expect(journal.recordOutcome(body.fingerprint, second, activityOf(second), 3)).toBe(isNoted);
		expect(journal.entry(body.fingerprint)).toMatchObject(
			isNoted ? { outcome: second, settledAtMs: 3 } : { outcome: first, settledAtMs: 2 },
		);
	});

	it.each<Outcome>([
		"failed",
		"denied",
		"not-attempted",
	])("does not record %s for bytes that two processes have sent: it is one answer of two", async (outcome) => {
		const journal = await open();
		await journal.recordSending(body, requestDigest, covers, 1);
		await (await open()).claim(requestDigest, ([entry]) => resend(entry));
		expect(journal.recordOutcome(body.fingerprint, outcome, null, 2)).toBe(false);
		expect(journal.entry(body.fingerprint)?.outcome).toBe("in-flight");
		expect(journal.recordOutcome(body.fingerprint, "completed", "activity", 3)).toBe(true);
	});

	it("records that bytes were abandoned, also if two processes have sent them", async () => {
		const journal = await open();
		await journal.recordSending(body, requestDigest, covers, 1);
		await (await open()).claim(requestDigest, ([entry]) => resend(entry));
		journal.abandon(organizationId, body.fingerprint, 2);
		expect(journal.entry(body.fingerprint)).toMatchObject({ outcome: "abandoned", settledAtMs: 2 });
		expect(journal.openEntries(organizationId)).toEqual([]);
	});

	it("records that bytes never arrived unless an activity is known", async () => {
		const journal = await open();
		await journal.recordSending(body, requestDigest, covers, 1);
		await journal.claim(requestDigest, ([entry]) => resend(entry));
		journal.recordNeverArrived(body.fingerprint, 2);
		expect(journal.entry(body.fingerprint)?.outcome).toBe("not-attempted");
		await journal.recordSending(later, requestDigest, covers, 3);
		journal.recordOutcome(later.fingerprint, "awaiting-approval", "activity", 4);
		journal.recordNeverArrived(later.fingerprint, 5);
		expect(journal.entry(later.fingerprint)?.outcome).toBe("awaiting-approval");
	});

	it.each<[Outcome | "abandoned" | null, boolean]>([
		[null, true],
		["unknown", true],
		["awaiting-approval", true],
		["awaiting-authenticator", true],
		["completed", false],
		["failed", false],
		["rejected", false],
		["denied", false],
		["not-attempted", false],
		["abandoned", false],
	])("has an entry with the outcome %s as open: %s", async (outcome, isOpen) => {
		const journal = await open();
		await journal.recordSending(body, requestDigest, covers, 1);
		if (outcome !== null) journal.recordOutcome(body.fingerprint, outcome, null, 2);
		expect(journal.openEntries(organizationId).length).toBe(isOpen ? 1 : 0);
		expect(journal.openEntries(id("org", 2))).toEqual([]);
	});

	it("lists open entries with the oldest first", async () => {
		const journal = await open();
		await journal.recordSending(later, requestDigest, covers, 1);
		await journal.recordSending(body, requestDigest, covers, 2);
		expect(journal.openEntries(organizationId).map((entry) => entry.sentAtMs)).toEqual([1, 2]);
	});

	it("returns the last-applied state by organization, the latest of each object", async () => {
		const journal = await openJournal(file);
		const tag = { name: "signers", present: [id("user", 1)], gone: [], updatedAt: "1.0", appliedAt: "2026-01-01" };
		const appliedAt = "2026-01-02";
		journal.recordApplied(organizationId, [
			{ kind: "userTag", id: id("tag", 1), value: tag },
			{ kind: "policy", id: id("policy", 1), value: { appliedAt } },
			{ kind: "oauthProvider", id: `${id("user", 1)}/${id("provider", 1)}`, value: { appliedAt } },
			{ kind: "tvcApp", id: id("app", 1), value: { appliedAt } },
		]);
		journal.recordApplied(organizationId, [
			{ kind: "userTag", id: id("tag", 1), value: { ...tag, gone: [id("user", 2)] } },
		]);
		journal.close();
		const again = await open();
		expect(again.lastApplied(organizationId)).toEqual({
			userTags: { [id("tag", 1)]: { ...tag, gone: [id("user", 2)] } },
			removed: {
				policy: { [id("policy", 1)]: { appliedAt } },
				oauthProvider: { [`${id("user", 1)}/${id("provider", 1)}`]: { appliedAt } },
				tvcApp: { [id("app", 1)]: { appliedAt } },
			},
		});
		expect(again.lastApplied(id("org", 2))).toEqual(emptyLastApplied);
	});

	it("reads the last-applied state again only where another process wrote", async () => {
		const [journal, other] = [await open(), await open()];
		const applied = (number: number) =>
			({ kind: "tvcApp", id: id("app", number), value: { appliedAt: `2026-01-0${number}` } }) as const;
		const apps = () => Object.keys(journal.lastApplied(organizationId).removed.tvcApp ?? {}).length;
		journal.recordApplied(organizationId, [applied(1)]);
		const first = journal.lastApplied(organizationId);
		expect(journal.lastApplied(organizationId)).toBe(first);
		journal.recordApplied(organizationId, [applied(2)]);
		journal.recordApplied(id("org", 2), [applied(5)]);
		expect(apps()).toBe(2);
		other.recordApplied(organizationId, [applied(3)]);
		expect(apps()).toBe(3);
	});

	it("keeps nothing of a last-applied state that could not be written", () => {
		const database = new DatabaseSync(":memory:");
		migrate(database);
		const journal = new JournalStore(database);
		const before = journal.lastApplied(organizationId);
		const exec = database.exec.bind(database);
		database.exec = (sql) => (sql === "COMMIT" ? exec("full") : exec(sql));
		const app = { kind: "tvcApp", id: id("app", 1), value: { appliedAt: "2026-01-01" } } as const;
		expect(() => journal.recordApplied(organizationId, [app])).toThrow();
		expect(journal.lastApplied(organizationId)).toEqual(before);
		database.close();
	});

	it("in memory leaves no file", async () => {
		const journal = await openJournal(":memory:");
		await journal.recordSending(body, requestDigest, covers, 1);
		expect(journal.openEntries(organizationId).length).toBe(1);
		journal.close();
		expect(readdirSync(folder)).toEqual([]);
	});
});

const appliedTag = { appliedAt: "", name: "signers", present: [], gone: [], updatedAt: "" };
const appliedRow = (kind: string, value: object): string =>
	`INSERT INTO applied VALUES (ORG, '${kind}', 't', '${JSON.stringify(value)}')`;

describe("a journal that something else changed is refused, in words that fit on a page:", () => {
	const changes: readonly (readonly [what: string, sql: string, because: RegExp])[] = [
		["a time after the last one that there is", "UPDATE sent SET sent_at_ms = 8640000000000001", /its times are none/],
		["a time before the first one", "UPDATE sent SET settled_at_ms = -8640000000000001", /its times are none/],
		[
			"bytes that have another fingerprint",
			"UPDATE sent SET fingerprint = 'sha256:0'",
			/its bytes have the fingerprint/,
		],
		["bytes that have another timestamp", "UPDATE sent SET timestamp_ms = 5", /its bytes have another timestamp/],
		[
			"a saved plan that is named twice",
			"UPDATE sent SET plans = replace('[\"D\",\"D\"]', 'D', 'sha256:' || lower(hex(zeroblob(32))))",
			/the saved plans that it was sent for cannot be read/,
		],
		["an object of an unknown kind", appliedRow("user", appliedTag), /user t cannot be read/],
		["a tag that was applied without a name", appliedRow("userTag", { ...appliedTag, name: 5 }), /userTag t cannot/],
		["a tag without a time", appliedRow("userTag", { ...appliedTag, updatedAt: null }), /userTag t cannot be read/],
		["a tag without members", appliedRow("userTag", { ...appliedTag, present: null }), /userTag t cannot be read/],
		["a tag with members that are no texts", appliedRow("userTag", { ...appliedTag, gone: [5] }), /userTag t cannot/],
		["a number too large to be read", "UPDATE sent SET sent_at_ms = 9007199254740993", /a number in it is larger/],
		["a position that is missing", "DELETE FROM position", /the position of the journal is missing/],
		[
			"a long name",
			"INSERT INTO applied VALUES (ORG, hex(zeroblob(9000)), hex(zeroblob(9000)), '')",
			/0…0+ cannot be read/,
		],
	];
	it.each(changes)("%s", async (_what, sql, because) => {
		const first = await openJournal(file);
		await first.recordSending(body, requestDigest, covers, timestampMs);
		first.close();
		const database = new DatabaseSync(file);
		database.exec(sql.replace("ORG", `'${organizationId}'`));
		database.close();
		const journal = await open();
		const read = (): unknown => [
			journal.openEntries(organizationId),
			journal.lastApplied(organizationId),
			journal.position(),
		];
		expect(read).toThrow(because);
		expect(read).toThrow(expect.objectContaining({ hint: expect.stringContaining("restore it from a backup") }));
		expect(read).not.toThrow(/.{1000}/);
	});
});

describe("a request digest", () => {
	it("is the same whatever the order of its parameters", () => {
		const one = requestDigestOf(organizationId, "update_user_tag", {
			userTagId: "t",
			addUserIds: ["a"],
			removeUserIds: [],
		});
		const other = requestDigestOf(organizationId, "update_user_tag", {
			removeUserIds: [],
			addUserIds: ["a"],
			userTagId: "t",
		});
		expect(other).toBe(one);
	});

	it.each([
		["organization", requestDigestOf(id("org", 2), "delete_policies", parameters)],
		["operation", requestDigestOf(organizationId, "delete_oauth_providers", parameters)],
		["parameters", requestDigestOf(organizationId, "delete_policies", { policyIds: [id("policy", 2)] })],
	])("differs for another %s", (_what, other) => {
		expect(other).not.toBe(requestDigest);
	});
});
