/** The emulator's data file is private to its owner, and so is what SQLite keeps beside it. */
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StorageError } from "../../src/common/errors.ts";
import { seedStore } from "../../src/emulator/control/control.ts";
import { startEmulator } from "../../src/emulator/server.ts";
import { openStore } from "../../src/emulator/store.ts";
import { onPosix } from "../needs.ts";
import * as world from "./world.ts";

let folder: string;
let dataFile: string;
let notices: string[];
const notice = (text: string) => notices.push(text);
const modeOf = (path: string) => statSync(path).mode & 0o7777;
const files = () => ["", "-wal", "-shm"].map((suffix) => dataFile + suffix).filter((file) => existsSync(file));

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "emulator-"));
	dataFile = join(folder, "state.sqlite");
	notices = [];
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("a write that fails", () => {
	it("changes no organization, and the next write works", () => {
		const { organizationId, makeSeed } = world;
		const store = openStore(undefined);
		seedStore(store, makeSeed(), 0);
		const namesIn = () => store.summaries()[0]?.users.map(({ userName }) => userName);
		const before = namesIn();
		const other = organizationId.replace(/^./, "f");
		const put = { change: "put", section: "users", id: "made", value: { userName: "made" } } as const;
		const broken = { change: "put", section: "users", id: undefined, value: {} } as never;
		expect(() =>
			store.writeAll([
				[organizationId, [put]],
				[other, [broken]],
			]),
		).toThrow(StorageError);
		expect(namesIn()).toEqual(before);
		store.write(organizationId, [put]);
		expect(namesIn()).toEqual([...(before ?? []), "made"]);
		store.close();
	});
});

describe("a data file of an earlier version", () => {
	it("keeps its organizations and activities, and takes a root quorum", async () => {
		const { organizationId, alice } = world;
		const earlier = await startEmulator({ dataFile, seed: world.makeSeed() });
		await world.submit(earlier.url, "update_user_tag", world.tagUpdate([world.bob]));
		const before = earlier.state(organizationId);
		await earlier.close();
		const database = new DatabaseSync(dataFile);
		database.exec(
			"ALTER TABLE organizations DROP COLUMN root_quorum; ALTER TABLE organizations DROP COLUMN parent_id; PRAGMA user_version = 1;",
		);
		database.close();
		const rootQuorum = { threshold: 1, userIds: [alice] };
		const emulator = await startEmulator({ dataFile });
		expect(emulator.state(organizationId)).toEqual(before);
		await emulator.changeState({ organizationId, rootQuorum });
		await emulator.close();
		const again = await startEmulator({ dataFile });
		expect(again.state(organizationId).organization).toEqual({ ...before.organization, rootQuorum });
		await again.changeState({ organizationId, rootQuorum: null });
		expect(again.state(organizationId)).toEqual(before);
		await again.close();
	});

	it.each([
		[0, "is not a data file of the emulator"],
		[4, "a newer orgsync wrote the data file"],
		[99, "it has version 99, and this orgsync reads versions up to 3"],
	])("is refused when its version is %i, and stays as it is", async (version, message) => {
		await (await startEmulator({ dataFile, seed: world.makeSeed() })).close();
		const database = new DatabaseSync(dataFile);
		database.exec(`PRAGMA user_version = ${version}`);
		// A file that another process has open is refused for that.
		database.close();
		const error: unknown = await startEmulator({ dataFile }).catch((thrown: unknown) => thrown);
		expect(error).toBeInstanceOf(StorageError);
		expect((error as StorageError).message).toContain(message);
		const left = new DatabaseSync(dataFile, { readOnly: true });
		expect(left.prepare("PRAGMA user_version").get()).toEqual({ user_version: version });
		left.close();
	});
});

describe.runIf(onPosix)("the data file of the emulator", () => {
	it("is private to its owner while the emulator runs, with the files beside it", async () => {
		const emulator = await startEmulator({ dataFile, seed: world.makeSeed(), notice });
		try {
			await world.submit(emulator.url, "update_user_tag", world.tagUpdate([world.bob]));
			expect(files()).toContain(`${dataFile}-wal`);
			expect(files().map(modeOf)).toEqual(files().map(() => 0o600));
			expect(notices).toEqual([]);
		} finally {
			await emulator.close();
		}
	});

	it("is tightened with a notice when it is open to others", async () => {
		await (await startEmulator({ dataFile, seed: world.makeSeed() })).close();
		chmodSync(dataFile, 0o644);
		const emulator = await startEmulator({ dataFile, notice });
		await emulator.close();
		expect(modeOf(dataFile)).toBe(0o600);
		expect(notices).toEqual([`${dataFile} was open to other users (mode 0644); orgsync changed its mode to 0600`]);
	});
});
