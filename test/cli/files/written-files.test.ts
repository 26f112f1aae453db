/**
 * Commands in a folder that others can prepare: they write through no symbolic link, and into no file with a predictable
 * name.
 */
import { execFileSync } from "node:child_process";
import {
	chmodSync,
	existsSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { writeTemporaryFile } from "../../../src/cli/files/write-file.ts";
import { havePrograms } from "../../needs.ts";
import { makeFolder, orgsync, runProgram } from "../../run.ts";
import { agreeing, document, keys, makeWorld, type World } from "../../world.ts";

const hasBash = havePrograms("the tests of what bash hands to a command", "bash");

const drifted = document("userTags: [{ name: signatories, id: 70000000-0000-4000-8000-000000000001 }]");

/** Every flag that names a file to write. */
const writers: Readonly<Record<string, (file: string) => readonly string[]>> = {
	"--output": (file) => ["plan", "--output", file],
	"--output in JSON": (file) => ["validate", "--format", "json", "--output", file],
	"--output with --since": (file) => ["drift", "--since", file, "--format", "json", "--output", file],
	"--out of plan": (file) => ["plan", "--out", file],
	"--out of import-key": (file) => ["import-key", "--user", "bob", "--out", file],
	"-f of init": (file) => ["init", "--local", "-f", file],
};

async function makePrepared(): Promise<{ world: World; victim: string }> {
	const world = await makeWorld(document(agreeing.userTags));
	const victim = join(makeFolder(), "victim");
	writeFileSync(victim, "precious\n");
	return { world, victim };
}

describe.each(Object.entries(writers))("%s", (writer, words) => {
	test("writes through no link, inside the working folder or outside", async () => {
		const { world, victim } = await makePrepared();
		world.write("beside", "precious\n");
		symlinkSync(victim, join(world.folder, "outside"));
		symlinkSync("beside", join(world.folder, "inside"));
		symlinkSync("nothing", join(world.folder, "dangling"));
		for (const name of ["outside", "inside", "dangling"]) {
			const answer = await world.run(words(name));
			expect(answer.code, name).toBe(3);
			expect(answer.stderr).toMatch(/symbolic link|already exists|has no findings|it is no JSON/);
			expect(lstatSync(join(world.folder, name)).isSymbolicLink()).toBe(true);
		}
		expect(readFileSync(victim, "utf8")).toBe("precious\n");
		expect(readFileSync(join(world.folder, "beside"), "utf8")).toBe("precious\n");
		expect(existsSync(join(world.folder, "nothing"))).toBe(false);
		expect(world.submits()).toEqual([]);
	});

	test("writes into no folder that a link in the working folder points to", async () => {
		const { world } = await makePrepared();
		const elsewhere = makeFolder();
		mkdirSync(join(world.folder, "inside"));
		symlinkSync(elsewhere, join(world.folder, "plan"));
		symlinkSync("inside", join(world.folder, "other"));
		for (const file of ["plan/new", "other/new", join(world.folder, "plan/new")]) {
			const answer = await world.run(words(file));
			expect(answer.code).toBe(3);
			expect(answer.stderr).toContain("a folder in its path is a symbolic link");
		}
		expect(readdirSync(elsewhere)).toEqual([]);
		expect(readdirSync(join(world.folder, "inside"))).toEqual([]);
		expect((await world.run(words(join(elsewhere, "new")))).code, "named in full").toBe(0);
	});

	test("leaves nothing beside the file", async () => {
		const { world } = await makePrepared();
		mkdirSync(join(world.folder, "plan"));
		expect((await world.run(words("plan/new"))).code).toBe(0);
		expect(readdirSync(join(world.folder, "plan"))).toEqual(["new"]);
		if (writer.includes("init")) return;
		expect((await world.run(words("plan/new"))).code).toBe(0);
		expect(readdirSync(join(world.folder, "plan"))).toEqual(["new"]);
	});
});

test.runIf(hasBash)("the streams of the shell are written to, although they are links", async () => {
	const { world } = await makePrepared();
	const env = { ORGSYNC_URL: world.url, ORGSYNC_API_PRIVATE_KEY: keys.alice.privateKey };
	const through = (command: string) => runProgram(["bash", "-c", command], { cwd: world.folder, env });
	const program = orgsync.join(" ");
	expect((await through(`${program} plan --output /dev/stdout > out.txt`)).code).toBe(0);
	expect(readFileSync(join(world.folder, "out.txt"), "utf8")).toContain("No changes.");
	expect((await through(`${program} plan --output >(cat)`)).stdout).toContain("No changes.");
	expect((await through(`${program} plan --output /dev/null`)).code).toBe(0);
	// Everyone can make links there.
	if (existsSync("/dev/shm")) {
		const shared = mkdtempSync("/dev/shm/orgsync-");
		onTestFinished(() => rmSync(shared, { recursive: true }));
		symlinkSync("elsewhere", join(shared, "plan"));
		expect((await through(`${program} plan --output ${shared}/plan`)).stderr).toContain("it is a symbolic link");
	}
	execFileSync("mkfifo", [join(world.folder, "fifo")]);
	expect((await through(`cat fifo & ${program} plan --output fifo; wait`)).stdout).toContain("No changes.");
});

test("an import bundle goes to a file that only its owner can read, whatever file existed", async () => {
	const { world, victim } = await makePrepared();
	writeFileSync(join(world.folder, "bundle"), "old");
	chmodSync(join(world.folder, "bundle"), 0o666);
	expect((await world.run(["import-key", "--user", "bob", "--out", "bundle"])).code).toBe(0);
	expect(statSync(join(world.folder, "bundle")).mode & 0o777).toBe(0o600);
	execFileSync("mkfifo", [join(world.folder, "fifo")]);
	const fifo = await world.run(["import-key", "--user", "bob", "--out", "fifo"]);
	expect(fifo).toMatchObject({ code: 3, stderr: expect.stringContaining("it is not a regular file") });
	// Writing in place would show the bundle under the second name too.
	execFileSync("ln", [victim, join(world.folder, "second")]);
	expect((await world.run(["import-key", "--user", "bob", "--out", "second"])).code).toBe(0);
	expect(readFileSync(victim, "utf8")).toBe("precious\n");
});

test("a temporary file has a random name and the mode of the file that it replaces", () => {
	const folder = makeFolder();
	const parts = [1, 2].map(() => writeTemporaryFile(folder, "text", undefined));
	expect(new Set(parts).size).toBe(2);
	for (const part of parts) expect(part).toMatch(/\/\.orgsync-[0-9a-f]{24}\.part$/);
	expect(statSync(writeTemporaryFile(folder, "text", 0o100640)).mode & 0o777).toBe(0o640);
});

describe("drift --accept", () => {
	const words = ["drift", "--accept", "userTag:signatories"];

	test("writes through a link that points inside its folder, and keeps the link", async () => {
		const world = await makeWorld();
		mkdirSync(join(world.folder, "kept"));
		world.write("kept/real.yaml", drifted);
		symlinkSync("kept/real.yaml", join(world.folder, "orgsync.yaml"));
		expect((await world.run(words)).code).toBe(0);
		expect(readFileSync(join(world.folder, "kept/real.yaml"), "utf8")).toContain("name: signers");
		expect(lstatSync(join(world.folder, "orgsync.yaml")).isSymbolicLink()).toBe(true);
		expect(readdirSync(join(world.folder, "kept"))).toEqual(["real.yaml"]);
	});

	test("does not write through a link that points outside its folder", async () => {
		const world = await makeWorld();
		const real = join(makeFolder(), "real.yaml");
		writeFileSync(real, drifted);
		symlinkSync(real, join(world.folder, "orgsync.yaml"));
		const refused = await world.run(words);
		expect(refused).toMatchObject({ code: 3, stdout: "" });
		expect(refused.stderr).toContain("orgsync.yaml is a link that points outside its folder");
		expect(readFileSync(real, "utf8")).toBe(drifted);
		expect((await world.run([...words, "-f", real])).code).toBe(0);
	});
});

test("the local emulator keeps its key in a real file of the working folder", async () => {
	const { world, victim } = await makePrepared();
	const env = { ORGSYNC_URL: "" };
	mkdirSync(join(world.folder, ".orgsync"));
	for (const name of [".gitignore", "local.public", "local.private"]) {
		symlinkSync(victim, join(world.folder, ".orgsync", name));
		if (name === "local.private") execFileSync("rm", ["-f", join(world.folder, ".orgsync", "local.public")]);
		const answer = await world.run(["query", "list_user_tags", "--local"], { env });
		expect(answer.stderr).toContain("it is a symbolic link");
		execFileSync("rm", ["-rf", join(world.folder, ".orgsync", name)]);
	}
	expect(readFileSync(victim, "utf8")).toBe("precious\n");
});
