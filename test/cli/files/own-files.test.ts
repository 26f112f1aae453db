/** Files that orgsync keeps or reads are not written over, and the local emulator's are no journal. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeFolder } from "../../run.ts";
import { agreeing, document, keys, makeWorld, policies, type World } from "../../world.ts";

const removal = document(`absent: { policies: [${policies[0]}] }`);
const own = ["journal.sqlite", "local-journal.sqlite", "local.sqlite", "local.private", "local.public"];
const databases = own.filter((name) => name.endsWith(".sqlite"));
const kept = [...own, ...databases.flatMap((name) => [`${name}-wal`, `${name}-shm`])];

const writers: Readonly<Record<string, (file: string) => readonly string[]>> = {
	"plan --output": (file) => ["plan", "--output", file],
	"plan --local --out": (file) => ["plan", "--local", "--out", file],
	"apply --yes --output": (file) => ["apply", "--yes", "--output", file],
	"import-key --out": (file) => ["import-key", "--user", "bob", "--out", file],
};

/** Runs the command, which is to be refused: nothing asked, nothing written. */
async function expectRefused(world: World, words: readonly string[], env: Record<string, string> = {}): Promise<void> {
	const answer = await world.run(words, { env });
	expect([answer.code, answer.stderr], words.join(" ")).toEqual([3, expect.stringMatching(/^error: --/)]);
	expect(world.requests()).toEqual([]);
}

describe.each(Object.entries(writers))("%s", (_writer, words) => {
	test("writes over no file in .orgsync, however the file is spelled or linked", async () => {
		const world = await makeWorld(removal);
		const folder = join(world.folder, ".orgsync");
		mkdirSync(folder, { mode: 0o700 });
		for (const name of kept) writeFileSync(join(folder, name), "precious\n", { mode: 0o600 });
		const elsewhere = makeFolder();
		symlinkSync(folder, join(elsewhere, "way"));
		const spellings = kept.flatMap((name) => [join(".orgsync", name), join(folder, name)]);
		for (const file of [...spellings, "./x/../.orgsync/journal.sqlite", join(elsewhere, "way", "journal.sqlite")]) {
			await expectRefused(world, words(file));
		}
		for (const name of kept) {
			execFileSync("ln", [join(folder, name), join(elsewhere, name)]);
			await expectRefused(world, words(join(elsewhere, name)));
			expect(readFileSync(join(folder, name), "utf8")).toBe("precious\n");
		}
		expect(readdirSync(folder).sort()).toEqual([...kept].sort());
	});

	test("makes no file in .orgsync", async () => {
		const world = await makeWorld(removal);
		mkdirSync(join(world.folder, ".orgsync"), { mode: 0o700 });
		await expectRefused(world, words(".orgsync/journal.sqlite"));
		expect(readdirSync(join(world.folder, ".orgsync"))).toEqual([]);
	});

	test("writes over no key file that the environment names, nor its public half, nor the log of a named journal", async () => {
		const world = await makeWorld(removal);
		world.write("k.private", keys.alice.privateKey);
		world.write("k.public", keys.alice.publicKey);
		for (const named of ["k", "k.private", join(world.folder, "k")]) {
			for (const file of ["k.private", "k.public", "./k.private"]) {
				await expectRefused(world, words(file), { ORGSYNC_KEY_FILE: named });
			}
		}
		expect(readFileSync(join(world.folder, "k.private"), "utf8")).toBe(keys.alice.privateKey);
		expect(readFileSync(join(world.folder, "k.public"), "utf8")).toBe(keys.alice.publicKey);
		await expectRefused(world, [...words("j.sqlite-wal"), "--journal", "j.sqlite"]);
	});
});

describe("--journal", () => {
	test("takes no file of the local emulator, by any name", async () => {
		const world = await makeWorld(document(agreeing.userTags));
		expect((await world.run(["query", "list_user_tags", "--local"], { env: { ORGSYNC_URL: "" } })).code).toBe(0);
		symlinkSync(".orgsync", join(world.folder, "way"));
		execFileSync("ln", [join(world.folder, ".orgsync", "local.sqlite"), join(world.folder, "second.sqlite")]);
		for (const file of [".orgsync/local.sqlite", "way/local.sqlite", "second.sqlite", ".orgsync/local.private"]) {
			for (const words of [
				["apply", "--yes"],
				["apply", "--local", "--yes"],
				["plan", "--local"],
			]) {
				const answer = await world.run([...words, "--journal", file]);
				expect(answer).toMatchObject({ code: 3, stderr: expect.stringContaining("a file of the local emulator") });
			}
		}
		expect(world.requests()).toEqual([]);
	});
});
