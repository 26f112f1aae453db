/**
 * `plan --base` and `--base-file`: a three-way comparison of the documents, their base from git, a file or a folder, and
 * the live state.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { havePrograms } from "../../needs.ts";
import { type Answer, makeFolder, readOutput, run } from "../../run.ts";
import {
	agreeing,
	alice,
	bob,
	carol,
	document,
	makeWorld,
	organizationId,
	policies,
	tags,
	type World,
} from "../../world.ts";

/** Runs `git` in the folder without a configuration of its user, and returns its output. */
function git(folder: string, ...words: string[]): string {
	const who = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.test"];
	const env = {
		PATH: process.env.PATH,
		HOME: folder,
		GIT_CONFIG_NOSYSTEM: "1",
		GIT_CEILING_DIRECTORIES: join(folder, ".."),
	};
	return execFileSync("git", [...who, ...words], { cwd: folder, env, encoding: "utf8", stdio: "pipe" });
}

const hasGit = havePrograms("the tests of --base", "git");

function startRepository({ folder }: World): void {
	git(folder, "init", "--quiet");
	git(folder, "symbolic-ref", "HEAD", "refs/heads/main");
}

function commit(world: World, ...files: readonly (readonly [name: string, content: string])[]): void {
	for (const [name, content] of files) world.write(name, content);
	git(world.folder, "add", "--all");
	git(world.folder, "commit", "--quiet", "--message", "documents");
}

/** A world whose folder is a repository with this document committed. */
async function makeRepository(text: string): Promise<World> {
	const world = await makeWorld();
	startRepository(world);
	commit(world, ["orgsync.yaml", text]);
	return world;
}

// biome-ignore lint/suspicious/noExplicitAny: looked into by the assertions of each test.
async function planOn(world: World, base: string, ...words: string[]): Promise<any> {
	return readOutput(await world.run(["plan", "--base", base, "--format", "json", ...words]));
}

const signers = (members: string, more = ""): string =>
	`userTags: [{ name: signers, members: { exactly: [${members}] }${more} }]`;

test.runIf(hasGit)(
	"--base separates drift that the pull request does not mention from its intended changes",
	async () => {
		const world = await makeRepository(document(signers("alice, carol")));
		await world.change({ userTags: [{ tagId: tags.signers, userIds: [alice, bob, carol] }] });
		world.write("orgsync.yaml", document(signers("alice")));
		const answer = await world.run(["plan", "--base", "HEAD"]);
		expect(answer.code).toBe(0);
		expect(answer.stdout).toBe(`Organization Acme (${organizationId})
Base: HEAD

Apply would revert, though this change does not mention it:
  Signs show what apply would do: + add, - remove, ~ change, ! report only.
  - userTag:signers  takes the tag back from bob

This change (base → head):
  ~ userTag:signers
      - member carol

Drift before this change (base → live):
  ~ userTag:signers
      - member bob  (added outside; apply removes it)

What apply will do (head → live):
  1 object differs, 1 activity to submit. Parts that revert drift are marked (reverts drift).

~ userTag:signers  ${tags.signers}
    - member bob  (reverts drift)
    - member carol

Who can do what stays the same.

Plan: 1 activity; it runs at once. 1 user tag to update. Apply would revert 1 change made outside that this change does not mention.
`);
		expect(world.submits()).toEqual([]);
		expect(await planOn(world, "HEAD")).toMatchObject({
			threeWay: [
				{
					organizationId,
					base: { name: "HEAD" },
					documentChanges: [{ address: "userTag:signers", what: "no-member", userId: carol }],
					drifted: [{ address: "userTag:signers", what: "member-gained", userId: bob, fate: "reverted" }],
					reverts: [{ address: "userTag:signers", what: "remove-member", userId: bob }],
					accepted: [],
					alreadyInSync: [],
				},
			],
		});
	},
);

test.runIf(hasGit)(
	"--base compares both documents with one read: without differences it sends the same two queries",
	async () => {
		const world = await makeRepository(document(agreeing.userTags));
		symlinkSync("orgsync.yaml", join(world.folder, "link.yaml"));
		commit(world);
		const output = await planOn(world, "main", "-f", "link.yaml");
		expect([...world.requests()].sort()).toEqual(["list_user_tags", "list_users"]);
		expect(output.plans[0].changes).toEqual([]);
		expect(output.threeWay[0]).toMatchObject({
			documentChanges: [],
			drifted: [],
			reverts: [],
			accepted: [],
			alreadyInSync: [],
			unread: [],
		});
	},
);

test.runIf(hasGit)("--base adds the reads that only the base needs, and does not change the plan", async () => {
	const world = await makeRepository(document(agreeing.userTags, `absent: { policies: [${policies[0]}] }`));
	world.write("orgsync.yaml", document("userTags: [{ name: signatories, previously: [signers] }]"));
	const { plans, threeWay } = await planOn(world, "HEAD");
	expect([...world.requests()].sort()).toEqual([
		"get_organization_configs",
		"list_activities",
		"list_policies",
		"list_user_tags",
		"list_users",
		"whoami",
	]);
	const alone = readOutput(await world.run(["plan", "--format", "json"])).plans;
	const timeless = (all: readonly object[]) => all.map((plan) => ({ ...plan, readAt: "" }));
	expect(timeless(plans)).toEqual(timeless(alone));
	expect(threeWay[0].accepted).toMatchObject([{ address: `policy:${policies[0]}`, what: "is-there" }]);
});

test.runIf(hasGit)("--base reports a document without a base as new", async () => {
	const world = await makeRepository(document(agreeing.userTags));
	world.write("new.yaml", document(signers("alice, carol")));
	const answer = await world.run(["plan", "--base", "HEAD", "-f", "new.yaml", "--format", "json"]);
	expect(answer.stderr).toContain("new.yaml is not in HEAD: all of it is new");
	const [found] = readOutput(answer).threeWay;
	expect(found).toMatchObject({ base: { documentDigest: null }, drifted: [], reverts: [] });
	expect(found.documentChanges.map(({ what }: { what: string }) => what)).toEqual([
		"managed",
		"members-mode",
		"member",
		"member",
	]);
	expect(found.alreadyInSync).toHaveLength(2);
});

test.runIf(hasGit)("--base names an organization that only the base has, and does not read it", async () => {
	const other = organizationId.replace(/1$/, "9");
	const world = await makeRepository(document(agreeing.userTags));
	mkdirSync(join(world.folder, "all"));
	commit(
		world,
		["all/one.yaml", document(agreeing.userTags)],
		["all/two.yml", document(signers("alice")).replace(organizationId, other)],
		["all/notes.txt", "nothing: [of ours"],
	);
	git(world.folder, "rm", "--quiet", "all/two.yml");
	const answer = await world.run(["plan", "--base", "HEAD", "-f", "all"]);
	expect(answer.stdout).toContain(
		`No longer in any document:\n  ${other}: in HEAD but in no document now; 1 object stays as is, not compared`,
	);
	const { threeWay } = await planOn(world, "HEAD", "-f", "all");
	expect(threeWay).toMatchObject([{ organizationId }, { organizationId: other, head: null, drifted: [] }]);
	expect(new Set(world.requests())).toEqual(new Set(["list_user_tags", "list_users"]));
});

test("--base-file reads a file or a folder and needs no git", async () => {
	const world = await makeWorld(document(signers("alice")));
	world.write("before.yaml", document(signers("alice, carol")));
	mkdirSync(join(world.folder, "old"));
	world.write("old/orgsync.yaml", document(signers("alice, bob, carol")));
	const env = { PATH: makeFolder() };
	const removed = async (base: string) => {
		const answer = await world.run(["plan", "--base-file", base, "--format", "json"], { env });
		return readOutput(answer).threeWay[0].documentChanges.map(({ userId }: { userId: string }) => userId);
	};
	expect(await removed("before.yaml")).toEqual([carol]);
	expect(await removed("old")).toEqual([bob, carol]);
});

test.runIf(hasGit)(
	"--base recognizes a renamed tag, with --only too, and resolves paths from the working folder",
	async () => {
		const world = await makeWorld();
		startRepository(world);
		mkdirSync(join(world.folder, "deep"));
		const complete = "exactly: { userTags: {} }";
		commit(world, [
			"deep/orgsync.yaml",
			document(signers("alice"), `absent: { policies: [${policies[0]}] }`, complete),
		]);
		world.write(
			"deep/orgsync.yaml",
			document("userTags: [{ name: signatories, previously: [signers], members: { exactly: [alice] } }]", complete),
		);
		const cwd = join(world.folder, "deep");
		for (const selection of ["userTag/signatories", "userTag:signatories"]) {
			const words = ["plan", "--base", "main", "--only", selection, "--format", "json"];
			const [found] = readOutput(await world.run(words, { cwd })).threeWay;
			expect(found.documentChanges).toMatchObject([{ what: "renamed", before: "signers", after: "signatories" }]);
			expect(found.reverts).toMatchObject([{ what: "remove-member", userId: carol }]);
		}
	},
);

test.runIf(hasGit)("--base is refused with the places of the problems of the base", async () => {
	const world = await makeRepository("organizationId: 7\n");
	world.write("orgsync.yaml", document(agreeing.userTags));
	const answer = await world.run(["plan", "--base", "HEAD"]);
	expect(answer.code).toBe(3);
	expect(answer.stderr).toMatch(/^HEAD:orgsync\.yaml:1:17: /);
	expect(answer.stderr).toContain("error: the base has a problem");
	expect(world.requests()).toEqual([]);
});

interface Refusal {
	readonly why: string;
	readonly words: readonly string[];
	readonly said: string | RegExp;
	readonly hint?: string | RegExp;
	readonly env?: Readonly<Record<string, string>>;
}

const refusals: readonly Refusal[] = [
	{
		why: "a revision that git does not know",
		words: ["--base", "nowhere"],
		said: "error: --base nowhere: unknown git revision",
		hint: "as in origin/main",
	},
	{
		why: "what looks like a flag",
		words: ["--base=--output=x"],
		said: "--base --output=x: it takes a git revision",
	},
	{ why: "an empty name, as an unset variable leaves it", words: ["--base", ""], said: "it takes a git revision" },
	{ why: "standard input", words: ["--base", "HEAD", "-f", "-"], said: "standard input has no earlier revision" },
	{
		why: "a document outside of the repository",
		words: ["--base", "HEAD", "-f", "../strange.yaml"],
		said: "../strange.yaml is not in the git repository of this folder",
	},
	{
		why: "a machine without git",
		words: ["--base", "HEAD"],
		env: { PATH: "/nowhere" },
		said: "error: --base HEAD: git is not installed",
	},
	{
		why: "a machine without git, and with a file in its PATH",
		words: ["--base", "HEAD"],
		env: { PATH: fileURLToPath(import.meta.url) },
		said: "error: --base HEAD: git is not installed",
	},
	{
		why: "a file that speaks of other organizations",
		words: ["--base-file", "other.yaml"],
		said: "--base-file other.yaml: it has none of the organizations of the documents",
	},
	{
		why: "a file that is not there",
		words: ["--base-file", "nowhere.yaml"],
		said: "error: file not found: nowhere.yaml",
	},
	{
		why: "standard input as the base",
		words: ["--base-file", "-"],
		said: "It must be the name of a file, not -.",
	},
	{
		why: "a file given as a revision",
		words: ["--base", "other.yaml"],
		said: "error: --base other.yaml: unknown git revision",
		hint: "--base-file PATH",
	},
	{
		why: "a revision beside a file",
		words: ["--base", "HEAD", "--base-file", "other.yaml"],
		said: "--base and --base-file cannot be used together",
	},
];

test.runIf(hasGit).each(refusals)("$why is refused", async ({ words, said, hint, env }) => {
	const world = await makeRepository(document(agreeing.userTags));
	world.write("other.yaml", document(agreeing.userTags).replace(organizationId, organizationId.replace(/1$/, "9")));
	world.write("../strange.yaml", document(agreeing.userTags));
	const stdin = document(agreeing.userTags);
	const answer: Answer = await world.run(["plan", ...words], { stdin, ...(env === undefined ? {} : { env }) });
	expect(answer).toMatchObject({ code: 3, stdout: "" });
	expect(answer.stderr).toContain(said);
	if (hint !== undefined) expect(answer.stderr).toContain(hint);
	expect(world.requests()).toEqual([]);
});

test.runIf(hasGit)(
	"--base explains how to get the revision in a shallow clone, and reports a missing repository",
	async () => {
		const world = await makeRepository(document(agreeing.userTags));
		commit(world, ["other.yaml", ""]);
		const folder = join(makeFolder(), "clone");
		git(world.folder, "clone", "--quiet", "--depth", "1", `file://${world.folder}`, folder);
		const shallow = await world.run(["plan", "--base", "HEAD~1"], { cwd: folder });
		expect(shallow.code).toBe(3);
		expect(shallow.stderr).toContain("hint: this clone is shallow");
		expect(shallow.stderr).toContain("fetch-depth: 0");
		const nowhere = makeFolder();
		const answer = await run(["plan", "--base", "HEAD", "-f", join(world.folder, "orgsync.yaml")], {
			cwd: nowhere,
			env: { GIT_CEILING_DIRECTORIES: join(nowhere, "..") },
		});
		expect(answer.stderr).toContain("--base HEAD: this folder is not in a git repository");
		expect((await run(["drift", "--base", "HEAD"])).stderr).toContain("unknown option '--base'");
	},
);
