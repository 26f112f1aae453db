/**
 * The base of a plan is the commit that the operator names, whatever a pull request adds to the checkout and whatever the
 * repository's configuration and the environment say.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { havePrograms } from "../../needs.ts";
import { type Answer, makeFolder, readOutput } from "../../run.ts";
import { agreeing, document, makeWorld, type World } from "../../world.ts";

const hasGit = havePrograms("the tests of --base", "git");

function git(folder: string, ...words: string[]): string {
	const who = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.test"];
	const env = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: "1" };
	return execFileSync("git", [...who, ...words], { cwd: folder, env, encoding: "utf8", stdio: "pipe" }).trim();
}

const before = document(agreeing.userTags, "protect: { userTags: [root-quorum] }", "limits: { policies: 1 }");
const after = document(agreeing.userTags, "limits: { policies: 100 }");

/** A repository whose only commit has `before`, and whose working folder has `after`. */
async function makeRepository(): Promise<World & { readonly first: string }> {
	const world = await makeWorld(before);
	git(world.folder, "init", "--quiet");
	git(world.folder, "symbolic-ref", "HEAD", "refs/heads/main");
	git(world.folder, "add", "--all");
	git(world.folder, "commit", "--quiet", "--message", "before");
	world.write("orgsync.yaml", after);
	return { ...world, first: git(world.folder, "rev-parse", "HEAD") };
}

/** A commit of `after` that no branch has. */
function strayCommit({ folder }: World): string {
	const blob = execFileSync("git", ["hash-object", "-w", "--stdin"], { cwd: folder, input: after, encoding: "utf8" });
	const tree = execFileSync("git", ["mktree"], {
		cwd: folder,
		input: `100644 blob ${blob.trim()}\torgsync.yaml\n`,
		encoding: "utf8",
	});
	return git(folder, "commit-tree", "-m", "stray", tree.trim());
}

const planOn = (world: World, base: string, options = {}): Promise<Answer> =>
	world.run(["plan", "--base", base, "--format", "json"], options);

/** What the change means: that the protection went and the limit grew. */
const expected = [{ what: "unprotected" }, { what: "limit" }];

function expectMeant(answer: Answer): void {
	expect(answer.code, answer.stderr).toBe(0);
	const [found] = readOutput(answer).threeWay;
	expect(found.documentChanges.map(({ what }: { what: string }) => what).sort()).toEqual(
		expected.map(({ what }) => what).sort(),
	);
}

describe.runIf(hasGit)("a revision as the base", () => {
	test.each(["HEAD", "main", "HEAD^0", "the whole id"])("is the commit, where a folder is called %s", async (name) => {
		const world = await makeRepository();
		const base = name === "the whole id" ? world.first : name;
		mkdirSync(join(world.folder, base));
		world.write(`${base}/orgsync.yaml`, after);
		expectMeant(await planOn(world, base));
	});

	test("is refused if a tag has the name of the branch, and read if its full name is given", async () => {
		const world = await makeRepository();
		git(world.folder, "update-ref", "refs/tags/main", strayCommit(world));
		const refused = await planOn(world, "main");
		expect(refused.code).toBe(3);
		expect(readOutput(refused).error).toMatchObject({
			message: "--base main: ambiguous name: more than one branch, tag or commit has it",
			hint: expect.stringContaining("refs/heads/main"),
		});
		expectMeant(await planOn(world, "refs/heads/main"));
		git(world.folder, "config", "core.warnAmbiguousRefs", "false");
		expect((await planOn(world, "main~0")).code).toBe(3);
	});

	test("is the commit with that id even if a branch has that name", async () => {
		const world = await makeRepository();
		git(world.folder, "update-ref", `refs/heads/${world.first}`, strayCommit(world));
		expectMeant(await planOn(world, world.first));
		const short = world.first.slice(0, 10);
		git(world.folder, "update-ref", `refs/heads/${short}`, strayCommit(world));
		expect((await planOn(world, short)).code).toBe(3);
	});

	test("is the commit itself, despite replace refs and grafts", async () => {
		const world = await makeRepository();
		const stray = strayCommit(world);
		git(world.folder, "replace", world.first, stray);
		expectMeant(await planOn(world, world.first));
		git(world.folder, "replace", "--delete", world.first);
		git(world.folder, "commit", "--quiet", "--all", "--message", "after");
		writeFileSync(join(world.folder, ".git", "info", "grafts"), `${git(world.folder, "rev-parse", "HEAD")} ${stray}\n`);
		expectMeant(await planOn(world, "HEAD^"));
	});

	test("is read from the working folder's repository, whatever git's variables say", async () => {
		const world = await makeRepository();
		const other = await makeRepository();
		git(other.folder, "commit", "--quiet", "--all", "--message", "after");
		const env = { GIT_DIR: join(other.folder, ".git"), GIT_WORK_TREE: other.folder, GIT_CONFIG_PARAMETERS: "nonsense" };
		expectMeant(await planOn(world, "HEAD", { env }));
	});

	test("is not read from a bare repository that the pull request adds", async () => {
		const world = await makeRepository();
		const documents = join(world.folder, "documents");
		mkdirSync(documents);
		writeFileSync(join(documents, "orgsync.yaml"), after);
		const other = await makeRepository();
		git(other.folder, "commit", "--quiet", "--all", "--message", "after");
		for (const name of ["HEAD", "config", "objects", "refs"]) {
			cpSync(join(other.folder, ".git", name), join(documents, name), { recursive: true });
		}
		git(documents, "--git-dir=.", "config", "core.bare", "true");
		const answer = await planOn(world, "HEAD", { cwd: documents });
		expect(answer.code).toBe(3);
		expect(readOutput(answer).error.message).toContain("--base HEAD: git says: cannot use bare repository");
	});

	test("makes git run nothing that the repository's configuration names", async () => {
		const world = await makeRepository();
		const marker = join(world.folder, "ran");
		const script = join(world.folder, "script");
		writeFileSync(script, `#!/bin/sh\ntouch '${marker}'\n`);
		chmodSync(script, 0o755);
		for (const name of ["core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "remote.origin.uploadpack"]) {
			git(world.folder, "config", name, script);
		}
		git(world.folder, "config", "remote.origin.url", makeFolder());
		git(world.folder, "config", "remote.origin.promisor", "true");
		git(world.folder, "config", "extensions.partialClone", "origin");
		git(world.folder, "config", "core.repositoryFormatVersion", "1");
		expectMeant(await planOn(world, "HEAD"));
		// A promised object that is missing would be fetched, with the program that the configuration names.
		const blob = git(world.folder, "rev-parse", "HEAD:orgsync.yaml");
		execFileSync("rm", ["-f", join(world.folder, ".git", "objects", blob.slice(0, 2), blob.slice(2))]);
		expect((await planOn(world, "HEAD")).code).toBe(3);
		expect(existsSync(marker)).toBe(false);
	});

	test("is refused in a partial clone and is not mistaken for a new document", async () => {
		const world = await makeRepository();
		git(world.folder, "config", "uploadpack.allowFilter", "true");
		git(world.folder, "commit", "--quiet", "--all", "--message", "after");
		const clone = join(makeFolder(), "clone");
		git(world.folder, "clone", "--quiet", "--filter=blob:none", `file://${world.folder}`, clone);
		const answer = await planOn(world, "HEAD^", { cwd: clone });
		expect(answer.code).toBe(3);
		expect(readOutput(answer).error).toMatchObject({
			message: "--base HEAD^: git does not have the content of the documents",
			hint: expect.stringContaining("--filter"),
		});
	});

	test("includes documents that links in a folder point to, as in the working folder", async () => {
		const world = await makeWorld();
		const folder = join(world.folder, "all");
		mkdirSync(join(folder, ".kept", "deep"), { recursive: true });
		writeFileSync(join(folder, ".kept", "deep", "orgsync.yaml"), before);
		symlinkSync(".kept/deep", join(folder, "shown"));
		symlinkSync(".", join(folder, "again"));
		symlinkSync("/etc", join(folder, ".outside"));
		symlinkSync("nowhere", join(folder, "dangling"));
		symlinkSync("nowhere", join(folder, "two\nlines"));
		git(world.folder, "init", "--quiet");
		git(world.folder, "add", "--all");
		git(world.folder, "commit", "--quiet", "--message", "before");
		writeFileSync(join(folder, ".kept", "deep", "orgsync.yaml"), after);
		const answer = await world.run(["plan", "--base", "HEAD", "--format", "json", "-f", "all"]);
		expectMeant(answer);
		rmSync(folder, { recursive: true });
	});

	test("includes each document once, even if it is named twice or by a link", async () => {
		const world = await makeRepository();
		symlinkSync("orgsync.yaml", join(world.folder, "link.yaml"));
		git(world.folder, "add", "link.yaml");
		git(world.folder, "commit", "--quiet", "--message", "link");
		const words = ["-f", "orgsync.yaml", "-f", "./link.yaml", "-f", "orgsync.yaml", "-f", "."];
		expectMeant(await world.run(["plan", "--base", "HEAD", "--format", "json", ...words]));
	});
});
