/** Runs in the journal: which organizations a run left in sync, as long as nothing happened to them since. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openJournal } from "../../../src/sync/journal/file.ts";
import { type Journal, maxRunAgeMs, type RunRecord, requestDigestOf } from "../../../src/sync/journal/journal.ts";
import { submits } from "../../../src/wire/operations.ts";
import { encodeSubmit } from "../../../src/wire/request-body.ts";
import { id, organizationId } from "../../plan/support-organizations.ts";

const parameters = { policyIds: [id("policy", 1)] };
const body = encodeSubmit(submits.delete_policies, organizationId, parameters, 1_767_225_600_000);
const requestDigest = requestDigestOf(organizationId, "delete_policies", parameters);
const [documentDigest, otherDigest] = ["a", "b"].map((letter) => `sha256:${letter.repeat(64)}`) as [string, string];
const run: RunRecord = {
	id: "20261122-152400-3f9c1a",
	startedAtMs: 1_767_225_600_000,
	service: "https://service.example",
	reads: "auto",
	only: ["userTag/sign*"],
	size: 1,
};
const later: RunRecord = { ...run, id: "20261122-152401-000000", startedAtMs: run.startedAtMs + 1000, only: [] };

let folder: string;
let journal: Journal;
const send = () => journal.recordSending(body, requestDigest, [], 1);
const finish = (): void =>
	journal.recordFinished(run.id, { organizationId, documentDigest, readPosition: journal.position() });
const hasFinished = (digest = documentDigest): boolean => journal.hasFinished(run.id, organizationId, digest);

beforeEach(async () => {
	folder = mkdtempSync(join(tmpdir(), "orgsync-journal-runs-"));
	journal = await openJournal(join(folder, "journal.sqlite"));
	journal.recordRun(run);
});
afterEach(() => {
	journal.close();
	rmSync(folder, { recursive: true, force: true });
});

/** Changes the journal by SQL, as anyone who can write the file could. */
function forge(sql: string): void {
	const database = new DatabaseSync(join(folder, "journal.sqlite"));
	database.exec(sql);
	database.close();
}

describe("a run in the journal", () => {
	it("is found by its id, and the latest without one", () => {
		expect([journal.run(run.id), journal.run(), journal.run(later.id)]).toEqual([run, run, undefined]);
		journal.recordRun(later);
		expect([journal.run(run.id), journal.run()]).toEqual([run, later]);
	});

	it("has finished an organization with the document that it recorded, and no other", () => {
		expect(hasFinished()).toBe(false);
		finish();
		expect([hasFinished(), hasFinished(otherDigest)]).toEqual([true, false]);
		expect(journal.hasFinished(later.id, organizationId, documentDigest)).toBe(false);
		expect(journal.hasFinished(run.id, id("policy", 1), documentDigest)).toBe(false);
	});

	it("is forgotten with what it finished, and when a run begins that it is too old for", () => {
		finish();
		journal.endRun(run.id);
		expect([journal.run(), hasFinished()]).toEqual([undefined, false]);
		journal.recordRun(run);
		finish();
		journal.recordRun({ ...later, startedAtMs: run.startedAtMs + maxRunAgeMs + 1 });
		expect([journal.run(run.id), hasFinished()]).toEqual([undefined, false]);
	});

	it("has not finished an organization for which a request was written, settled or is open since", async () => {
		await send();
		finish();
		expect(hasFinished()).toBe(false);
		journal.recordOutcome(body.fingerprint, "completed", "activity", 2);
		expect(hasFinished()).toBe(false);
		finish();
		expect(hasFinished()).toBe(true);
		const again = encodeSubmit(submits.delete_policies, organizationId, parameters, 1_767_225_600_001);
		await journal.recordSending(again, requestDigest, [], 3);
		journal.recordOutcome(again.fingerprint, "failed", null, 4);
		expect(hasFinished()).toBe(false);
	});

	it("that was forged is an error, or finishes nothing", () => {
		finish();
		forge("UPDATE finished SET read_position = 1000000");
		expect(hasFinished()).toBe(false);
		forge(`UPDATE runs SET selection = '[1]'`);
		expect(() => journal.run(run.id)).toThrow("a run in the journal cannot be read; nothing was submitted");
		for (const forged of ["x; rm -rf", `1${run.id}`, `${run.id}1`]) {
			forge(`UPDATE runs SET selection = '[]', id = '${forged}'`);
			expect(() => journal.run()).toThrow("a run in the journal cannot be read; nothing was submitted");
		}
	});
});
