/** The versions of the journal's tables: each earlier one is read and migrated, and a newer one is refused. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StorageError } from "../../../src/common/errors.ts";
import { openJournal, readJournal } from "../../../src/sync/journal/file.ts";
import { type JournalView, requestDigestOf } from "../../../src/sync/journal/journal.ts";
import { schemaVersion } from "../../../src/sync/journal/schema.ts";
import type { VoteEntry } from "../../../src/sync/journal/votes.ts";
import { submits } from "../../../src/wire/operations.ts";
import { encodeSubmit } from "../../../src/wire/request-body.ts";
import { id, organizationId } from "../../plan/support-organizations.ts";

const versions = Array.from({ length: schemaVersion }, (_, index) => index + 1);
const startMs = 1_767_225_600_000;
const planDigest = `sha256:${"0123456789abcdef".repeat(4)}`;
const runId = "20260101-000000-0a1b2c";

let folder: string;
let file: string;

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "orgsync-journal-versions-"));
	file = join(folder, "journal.sqlite");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The journal that orgsync wrote when its tables had this version; see the comment at the top of each file. */
function recordingOf(version: number): URL {
	return new URL(`../../vectors/journal-version-${version}.sql`, import.meta.url);
}

function write(version: number, sql = ""): void {
	const database = new DatabaseSync(file);
	database.exec(readFileSync(recordingOf(version), "utf8") + sql);
	database.close();
	chmodSync(file, 0o600);
}

/** Runs `read` on the file as SQLite shows it, without orgsync. */
function inFile<T>(read: (database: DatabaseSync) => T): T {
	const database = new DatabaseSync(file, { readOnly: true });
	try {
		return read(database);
	} finally {
		database.close();
	}
}

/** Every table and index with its columns, types and constraints. */
function layout(): unknown {
	const list = "SELECT type, name, tbl_name FROM sqlite_schema ORDER BY type, name";
	return inFile((database) => [
		database.prepare("PRAGMA user_version").get(),
		database.prepare(list).all(),
		database.prepare("SELECT * FROM pragma_table_list WHERE schema = 'main' ORDER BY name").all(),
		database
			.prepare(`SELECT list.name AS owner, info.* FROM (${list}) AS list, pragma_table_xinfo(list.name) AS info`)
			.all(),
		database
			.prepare(`SELECT list.name AS owner, info.* FROM (${list}) AS list, pragma_index_xinfo(list.name) AS info`)
			.all(),
	]);
}

/** The fingerprint of the recorded request that deletes this policy. */
function fingerprintOf(policy: number, organization = organizationId): string {
	return encodeSubmit(submits.delete_policies, organization, { policyIds: [id("policy", policy)] }, startMs)
		.fingerprint;
}

const ownedTag = {
	service: "6f1ed002ab5595859014ebf0951522d9a1b2c3d4e5f60718293a4b5c6d7e8f90",
	organizationId,
	object: `userTag/${id("tag", 1)}`,
};

function shown(journal: JournalView): unknown {
	return {
		open: journal.openEntries(organizationId),
		openElsewhere: journal.openEntries(id("org", 2)),
		rejected: journal.rejectedEntries(organizationId),
		completed: journal.completedEntries(organizationId, planDigest),
		abandoned: journal.abandonedNames(organizationId),
		lastApplied: journal.lastApplied(organizationId),
		run: journal.run(),
		hasFinished: journal.hasFinished(runId, id("org", 3), planDigest),
		position: journal.position(),
		owner: journal.lastOwner(ownedTag),
	};
}

/** What every recording holds, as far as its version had tables and columns for it. */
function recorded(version: number): object {
	return {
		open: [
			{ body: { fingerprint: fingerprintOf(1) }, outcome: "awaiting-approval", activityId: id("other", 1) },
			{ body: { fingerprint: fingerprintOf(3) }, outcome: "unknown", activityId: null, sentAtMs: startMs + 4000 },
		],
		openElsewhere: [{ body: { fingerprint: fingerprintOf(4, id("org", 2)) }, outcome: "in-flight" }],
		rejected: [{ body: { fingerprint: fingerprintOf(2) }, covers: [`policy:${id("policy", 2)}`] }],
		completed: version < 2 ? [] : [{ outcome: "completed", planDigests: [planDigest] }],
		abandoned: new Set([id("other", 9)]),
		lastApplied: {
			userTags: { [id("tag", 1)]: { name: "signers", present: [id("user", 1)], gone: [], updatedAt: "1.0" } },
			removed: { tvcApp: { [id("app", 1)]: { appliedAt: "2026-01-01T00:00:00.000Z" } } },
		},
		run: version < 4 ? undefined : { id: runId, startedAtMs: startMs, size: version < 5 ? 0 : 2 },
		hasFinished: version >= 4,
		owner:
			version < 7
				? undefined
				: {
						resource: "signers",
						resourceUrn: "urn:pulumi:main::access::orgsync:index:UserTag::signers",
						appliedAtMs: startMs + 8000,
					},
	};
}

describe("a journal of an earlier version", () => {
	it("has a recording for every version up to that of this orgsync", () => {
		expect(versions.filter((version) => !existsSync(recordingOf(version)))).toEqual([]);
	});

	it.each(versions)("(%i) is read by commands that only read, which leave the file as it is", async (version) => {
		write(version);
		const bytes = readFileSync(file);
		const view = await readJournal(file);
		expect(view && shown(view)).toMatchObject(recorded(version));
		view?.close();
		expect(readFileSync(file).equals(bytes)).toBe(true);
	});

	it.each(versions)("(%i) is migrated by commands that write, and holds what it held", async (version) => {
		write(version);
		const view = await readJournal(file);
		const before = view && shown(view);
		view?.close();
		const journal = await openJournal(file);
		expect(shown(journal)).toEqual(before);
		expect(shown(journal)).toMatchObject(recorded(version));
		journal.close();
	});

	it.each(versions)("(%i) has the tables of a new journal once it is migrated", async (version) => {
		(await openJournal(file)).close();
		const expected = layout();
		rmSync(file);
		write(version);
		(await openJournal(file)).close();
		expect(layout()).toEqual(expected);
	});

	it.each(versions)("(%i) takes new requests, outcomes, votes and owners once it is migrated", async (version) => {
		write(version);
		const journal = await openJournal(file);
		/** Claims a new request that deletes this policy. Returns the fingerprints of equal requests. */
		const claim = async (policy: number): Promise<readonly string[]> => {
			const parameters = { policyIds: [id("policy", policy)] };
			const body = encodeSubmit(submits.delete_policies, organizationId, parameters, startMs + 900_000);
			const digest = requestDigestOf(organizationId, "delete_policies", parameters);
			const entry = { body, covers: [], nowMs: 2 };
			const { entries } = await journal.claim(digest, (entries) => ({ kind: "send", entry, entries }));
			return entries.map((known) => known.body.fingerprint);
		};
		expect(await claim(2)).toEqual([fingerprintOf(2)]);
		// A request that follows a rejected one takes its place.
		expect(journal.rejectedEntries(organizationId)).toEqual([]);
		expect(journal.openEntries(organizationId).at(-1)?.body.timestampMs).toBe(startMs + 900_000);
		journal.recordOutcome(fingerprintOf(3), "completed", id("other", 4), startMs + 5000);
		expect(journal.entry(fingerprintOf(3))).toMatchObject({ outcome: "completed" });
		const key = {
			organizationId,
			operation: "approve_activity",
			target: fingerprintOf(1),
			voter: id("user", 1),
		} as const;
		const votes: readonly VoteEntry[] = journal.claimVote(key, (entries) => ({ kind: "skip", entries })).entries;
		expect(votes.map(({ state }) => state)).toEqual(version < 6 ? [] : ["counted"]);
		journal.recordOwner(ownedTag, { resource: "approvers", appliedAtMs: startMs + 9000 });
		expect(journal.lastOwner(ownedTag)).toEqual({ resource: "approvers", appliedAtMs: startMs + 9000 });
		journal.forgetOwner(ownedTag);
		expect(journal.lastOwner(ownedTag)).toBeUndefined();
		journal.close();
	});

	it.each(versions.slice(0, -1))("(%i) stays as it is if its migration fails", async (version) => {
		// The name of a table that the last step makes.
		write(version, "CREATE TABLE owners (value TEXT);");
		const before = layout();
		await expect(openJournal(file)).rejects.toThrow("table owners already exists");
		expect(layout()).toEqual(before);
	});
});

describe("a journal of a newer version", () => {
	it.each([
		["for writing", openJournal],
		["for reading", readJournal],
	])("is refused %s in words that name both versions, and left as it is", async (_how, open) => {
		write(schemaVersion, `PRAGMA user_version = ${schemaVersion + 1};`);
		const bytes = readFileSync(file);
		const error: unknown = await open(file).catch((thrown: unknown) => thrown);
		expect(error).toBeInstanceOf(StorageError);
		expect(error).toMatchObject({
			message: `the journal ${file} cannot be opened: a newer orgsync wrote it: it has version ${schemaVersion + 1}, and this orgsync reads versions up to ${schemaVersion}`,
			hint: "upgrade orgsync, and run the command again with this journal",
		});
		expect(readFileSync(file).equals(bytes)).toBe(true);
	});
});
