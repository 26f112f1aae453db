/** Claims are on disk before they resolve, and other work goes on while the disk writes. */
import fs, { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openJournal } from "../../../src/sync/journal/file.ts";
import { type Journal, requestDigestOf } from "../../../src/sync/journal/journal.ts";
import { submits } from "../../../src/wire/operations.ts";
import { encodeSubmit } from "../../../src/wire/request-body.ts";
import { id, organizationId } from "../../plan/support-organizations.ts";

const disk = { held: [] as (() => void)[], holds: false, error: null as NodeJS.ErrnoException | null };
const { fdatasync } = fs;
const spy = vi.spyOn(fs, "fdatasync").mockImplementation((fd, done) => {
	const write = () => (disk.error === null ? fdatasync(fd, done) : done(disk.error));
	if (disk.holds) disk.held.push(write);
	else write();
});
syncBuiltinESMExports();
afterAll(() => {
	spy.mockRestore();
	syncBuiltinESMExports();
});

let folder: string;
let file: string;
let journal: Journal;

/** Claims the removal of the policy with this number; resolves with the number. */
async function claim(number: number): Promise<number> {
	const parameters = { policyIds: [id("policy", number)] };
	const body = encodeSubmit(submits.delete_policies, organizationId, parameters, 1);
	await journal.recordSending(body, requestDigestOf(organizationId, "delete_policies", parameters), [], 1);
	return number;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

beforeEach(async () => {
	folder = mkdtempSync(join(tmpdir(), "orgsync-disk-"));
	file = join(folder, "journal.sqlite");
	journal = await openJournal(file);
	await claim(1);
});
afterEach(() => {
	Object.assign(disk, { holds: false, error: null });
	for (const write of disk.held.splice(0)) write();
	journal.close();
	rmSync(folder, { recursive: true, force: true });
});

describe("a claim", () => {
	it("resolves once the disk has it, and those that are made meanwhile share the next write", async () => {
		disk.holds = true;
		const ended: number[] = [];
		const claims = [claim(2).then((one) => ended.push(one))];
		await turn();
		claims.push(...[3, 4].map((number) => claim(number).then((one) => ended.push(one))));
		await turn();
		expect({ ended, writes: disk.held.length }).toEqual({ ended: [], writes: 1 });
		// The bytes are in the file that the disk is asked to write.
		expect(readFileSync(`${file}-wal`, "utf8")).toContain(id("policy", 2));
		disk.held.shift()?.();
		await expect.poll(() => ended).toEqual([2]);
		await expect.poll(() => disk.held.length).toBe(1);
		disk.held.shift()?.();
		await Promise.all(claims);
		expect(ended).toEqual([2, 3, 4]);
	});

	it("fails where the disk does, as do all that would follow it in the file", async () => {
		disk.error = new Error("EIO: i/o error, fdatasync");
		const both = await Promise.allSettled([claim(2), claim(3)]);
		expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
		disk.error = null;
		await expect(claim(4)).rejects.toThrow("cannot be used: EIO");
	});

	it("fails where the journal is closed before the disk has it", async () => {
		disk.holds = true;
		const claimed = claim(2);
		await turn();
		journal.close();
		disk.error = null;
		disk.held.shift()?.();
		await expect(claimed).rejects.toThrow("cannot be used");
		journal = await openJournal(file);
	});
});
