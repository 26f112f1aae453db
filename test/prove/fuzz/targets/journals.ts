/** The rows of a journal: sound ones, and those whose texts and numbers someone changed. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { OrgsyncError } from "../../../../src/common/errors.ts";
import { openJournal } from "../../../../src/sync/journal/file.ts";
import { type Journal, requestDigestOf } from "../../../../src/sync/journal/journal.ts";
import { folder, printError } from "../command.ts";
import type { Dice } from "../dice.ts";
import { isObject, type Json, type JsonObject, type Outcome, type Target } from "../input.ts";
import { mutateText, mutateTree, type Words, wordsOf } from "../mutate.ts";

const organizationId = "00000000-0000-4000-8000-000000000001";
const tagId = "70000000-0000-4000-8000-000000000001";
const userId = "a0000000-0000-4000-8000-000000000001";
const timestampMs = 1_795_384_800_000;
const planDigest = `sha256:${"0".repeat(64)}`;

const envelope = {
	type: "ACTIVITY_TYPE_UPDATE_USER_TAG",
	timestampMs: String(timestampMs),
	organizationId,
	parameters: { userTagId: tagId, newUserTagName: "signers", addUserIds: [userId], removeUserIds: [] },
};

const target = `sha256:${"1".repeat(64)}`;
const vote = {
	type: "ACTIVITY_TYPE_APPROVE_ACTIVITY",
	timestampMs: String(timestampMs),
	organizationId,
	parameters: { fingerprint: target },
};

const outcomes = [
	null,
	"unknown",
	"awaiting-approval",
	"failed",
	"rejected",
	"completed",
	"abandoned",
	"denied",
	"not-attempted",
	"lost",
];

/** The rows of each table. A text that starts with `{` or `[` is changed as a tree, too. */
const sound: Readonly<Record<string, JsonObject>> = {
	sent: {
		fingerprint: "",
		organization_id: organizationId,
		operation: "update_user_tag",
		bytes: JSON.stringify(envelope),
		timestamp_ms: timestampMs,
		request_digest: "",
		covers: JSON.stringify(["userTag:signers"]),
		plans: JSON.stringify([planDigest]),
		sent_at_ms: timestampMs,
		outcome: null,
		activity_id: "01a20545-f300-72be-a563-bc7cdee4d20a",
		settled_at_ms: timestampMs,
		written: 1,
		settled_position: 2,
	},
	applied: {
		organization_id: organizationId,
		kind: "userTag",
		id: tagId,
		value: JSON.stringify({
			appliedAt: "2026-11-22T22:00:00.000Z",
			name: "signers",
			present: [userId],
			gone: [],
			updatedAt: "1795384800.0",
		}),
	},
	abandoned: { organization_id: organizationId, name: target, at_ms: timestampMs },
	runs: {
		id: "20261122-220000-3f9c1a",
		started_at_ms: timestampMs,
		service: "local",
		reads: "auto",
		selection: "[]",
		size: 2,
	},
	position: { value: 9 },
	votes: {
		fingerprint: "",
		organization_id: organizationId,
		operation: "approve_activity",
		target,
		voter: userId,
		bytes: JSON.stringify(vote),
		timestamp_ms: timestampMs,
		sent_at_ms: timestampMs,
		outcome: null,
		written: 1,
	},
};

const tables = Object.keys(sound);

const words: Words = wordsOf([envelope, vote, sound], [JSON.stringify(sound)]);
let database: DatabaseSync | undefined;

function make(dice: Dice): Json {
	const table = dice.chance(0.5) ? "sent" : dice.pick(tables);
	const row = { ...sound[table] };
	if ("outcome" in row) row.outcome = dice.pick(outcomes);
	const columns = Object.keys(row);
	for (let left = dice.small(3); left > 0; left -= 1) {
		const column = dice.pick(columns);
		row[column] = changeCell(row[column] ?? null, dice);
	}
	return { table, row, isSealed: dice.chance(0.85) };
}

function changeCell(cell: Json, dice: Dice): Json {
	if (typeof cell !== "string") {
		return dice.pick([null, 0, -1, 1, 2 ** 53, 8.64e15, 8.64e15 + 2, timestampMs + 1, "x"]);
	}
	const tree = /^[[{]/.test(cell) && dice.chance(0.8) ? readTree(cell) : undefined;
	if (tree === undefined) return mutateText(cell, dice, words, 1 + dice.small(2));
	return JSON.stringify(mutateTree(tree, dice, words, 1 + dice.small(2)));
}

/** Returns the value of a JSON text; undefined for a text that was changed before and is none. */
function readTree(text: string): Json | undefined {
	try {
		return JSON.parse(text) as Json;
	} catch {
		return undefined;
	}
}

/** Returns the row with the digests that its bytes have: someone who changes the bytes can do that too. */
function seal(row: JsonObject, table: string): JsonObject {
	const bytes = String(row.bytes ?? "");
	const fingerprint = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
	if (table !== "sent") return table === "votes" ? { ...row, fingerprint } : row;
	return { ...row, fingerprint, request_digest: digestIn(bytes, String(row.operation)) };
}

function digestIn(bytes: string, operation: string): string {
	try {
		const { parameters } = JSON.parse(bytes) as { readonly parameters: Readonly<Record<string, unknown>> };
		return requestDigestOf(organizationId, operation as "update_user_tag", parameters);
	} catch {
		return "sha256:0";
	}
}

async function read(input: Json): Promise<Outcome> {
	const { table, row, isSealed } = isObject(input) ? input : {};
	if (typeof table !== "string" || !isObject(row) || database === undefined || !tables.includes(table)) return nothing;
	for (const name of tables) database.exec(`DELETE FROM ${name}`);
	if (table !== "position") database.exec("INSERT INTO position VALUES (9)");
	if (!insert(database, table, isSealed === true ? seal(row, table) : row)) return nothing;
	try {
		const journal = await openJournal(join(folder, "rows.sqlite"), { isNamed: true });
		try {
			readAll(journal);
		} finally {
			journal.close();
		}
	} catch (error) {
		if (!(error instanceof OrgsyncError)) throw error;
		return printError("status", error);
	}
	return { accepted: true, printed: "" };
}

/** Of an input that the tables do not take. */
const nothing: Outcome = { accepted: false, printed: "the tables do not take the row" };

/** Returns false for a row that the tables do not take. */
function insert(into: DatabaseSync, table: string, row: JsonObject): boolean {
	const columns = Object.keys(row).filter((column) => /^[a-z_]+$/.test(column));
	const cells = columns.map((column) => {
		const cell = row[column] ?? null;
		return typeof cell === "object" || typeof cell === "boolean" ? null : cell;
	});
	try {
		into
			.prepare(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`)
			.run(...cells);
		return true;
	} catch {
		return false;
	}
}

/** Reads everything as commands do, and what they do with times. */
function readAll(journal: Journal): void {
	const entries = [
		...journal.openEntries(organizationId),
		...journal.rejectedEntries(organizationId),
		...journal.completedEntries(organizationId, planDigest),
	];
	for (const { sentAtMs } of entries) new Date(sentAtMs).toISOString();
	journal.abandonedNames(organizationId);
	journal.lastApplied(organizationId);
	journal.run();
	journal.hasFinished("20261122-220000-3f9c1a", organizationId, planDigest);
	journal.claimVote({ organizationId, operation: "approve_activity", target, voter: userId }, () => ({ kind: "skip" }));
	journal.position();
}

export const journals: Target = {
	name: "journals",
	share: 100,
	async begin() {
		const file = join(folder, "rows.sqlite");
		(await openJournal(file, { isNamed: true })).close();
		database = new DatabaseSync(file);
		// What is tested is reading: nothing here has to survive a power cut.
		database.exec("PRAGMA synchronous = OFF");
	},
	end() {
		database?.close();
	},
	make,
	read,
};
