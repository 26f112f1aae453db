/**
 * A fleet that one document and a list describe: every command works on it as on written-out documents, and what a pull request
 * can write names no file outside the folder.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { havePrograms } from "../needs.ts";
import { makeFolder, readOutput } from "../run.ts";
import { alice, bob, carol, keys, makeWorld, organizationId, tags, type World } from "../world.ts";

const idOf = (index: number): string => `f0000000-0000-4000-8000-${index.toString(16).padStart(12, "0")}`;

const template = `organizations: { from: organizations.csv }
users: { owner: "\${each.owner}" }
userTags:
  - name: theirs
    members: { exactly: [owner] }
`;

const listOf = (...owners: readonly string[]): string =>
	["organizationId,owner", ...owners.map((owner, index) => `${idOf(index + 1)},${owner}`), ""].join("\r\n");

/** Three sub-organizations with a tag that alice has, and a list in which bob must have the second one's. */
async function makeFleet(): Promise<World> {
	const world = await makeWorld();
	for (const index of [1, 2, 3]) {
		await world.addOrganization({
			organizationId: idOf(index),
			parentOrganizationId: organizationId,
			users: [
				{ userId: alice, userName: "alice", apiKeys: [{ publicKey: keys.alice.publicKey }] },
				{ userId: bob, userName: "bob" },
			],
			userTags: [{ tagId: tags.oncall, tagName: "theirs", userIds: [alice] }],
		});
	}
	world.write("fleet.yaml", template);
	world.write("organizations.csv", listOf(alice, bob, alice));
	return world;
}

const fleet = ["-f", "fleet.yaml"];

test("a fleet of a list is applied, compared, and accepted only into a document of one organization", async () => {
	const world = await makeFleet();
	const applied = await world.run(["apply", ...fleet, "--yes", "--allow", "ownUserTags=1"]);
	expect(applied.code, applied.stderr).toBe(0);
	expect(world.submits()).toEqual(["update_user_tag"]);
	expect((await world.run(["plan", ...fleet, "--detailed-exitcode"])).code).toBe(0);
	expect((await world.run(["drift", ...fleet])).code).toBe(0);
	expect((await world.run(["validate", ...fleet, "--shard", "1/2"])).code).toBe(0);

	world.write("organizations.csv", listOf(alice, alice, alice));
	const drifted = await world.run(["drift", ...fleet]);
	expect(drifted.code).toBe(2);
	expect(drifted.stdout).toContain(
		"to keep the live state, change the values of this organization at organizations.csv:3, or fleet.yaml for all organizations",
	);
	const refused = await world.run(["drift", ...fleet, "--accept", "userTag:theirs"]);
	expect(refused.code).toBe(3);
	expect(refused.stderr).toContain(
		"cannot accept userTag:theirs: fleet.yaml describes it for all organizations of its list; change that document, or the values of this organization at organizations.csv:3,",
	);
	expect(readFileSync(join(world.folder, "fleet.yaml"), "utf8")).toBe(template);

	const own = `organizationId: ${idOf(2)}\nuserTags: [{ name: theirs, members: { exactly: [${alice}] } }]\n`;
	world.write("own.yaml", own);
	world.write("fleet.yaml", template.replace("name: theirs", "name: others").replace(/ +members.*\n/, ""));
	const accepted = await world.run(["drift", ...fleet, "-f", "own.yaml", "--accept", "userTag:theirs"]);
	expect(accepted.stderr).toContain("accepted userTag:theirs: own.yaml:2");
	expect(readFileSync(join(world.folder, "own.yaml"), "utf8")).toBe(own.replace(alice, bob));
});

test.runIf(havePrograms("the tests of --base", "git"))(
	"plan --base reads the list of the same revision, and --base-file the one beside that file",
	async () => {
		const world = await makeFleet();
		const git = (...words: string[]): string =>
			execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@example.test", ...words], {
				cwd: world.folder,
				env: { PATH: process.env.PATH, HOME: world.folder, GIT_CONFIG_NOSYSTEM: "1" },
				encoding: "utf8",
			});
		git("init", "--quiet");
		git("add", "--all");
		git("commit", "--quiet", "--message", "before");
		mkdirSync(join(world.folder, "before"));
		world.write("before/fleet.yaml", template);
		world.write("before/organizations.csv", listOf(alice, bob, alice));
		world.write("organizations.csv", listOf(alice, bob));
		for (const base of [
			["--base", "HEAD"],
			["--base-file", "before"],
		]) {
			const answer = await world.run(["plan", ...fleet, ...base, "--format", "json"]);
			expect(answer.code, answer.stderr).toBe(0);
			const ids = readOutput(answer).threeWay.map((one: { organizationId: string }) => one.organizationId);
			expect(ids).toEqual([idOf(1), idOf(2), ...(base[0] === "--base" ? [idOf(3)] : [])]);
		}
		git("rm", "--quiet", "--cached", "organizations.csv");
		git("commit", "--quiet", "--message", "without the list");
		const without = await world.run(["plan", ...fleet, "--base", "HEAD"]);
		expect(without.code).toBe(3);
		expect(without.stderr).toContain("HEAD:fleet.yaml:1:24: the list organizations.csv cannot be read");
	},
);

test("a list is a regular file in the folder of the documents, whatever a document or a link says", async () => {
	const world = await makeFleet();
	const elsewhere = makeFolder();
	const validate = async (...files: readonly string[]) => {
		const { code, stderr } = await world.run(["validate", ...files.flatMap((file) => ["-f", file])]);
		return { code, stderr };
	};
	const outside = { code: 3, stderr: expect.stringContaining("it is outside the folder of the documents") };
	mkdirSync(join(world.folder, "eu"));
	world.write("eu/fleet.yaml", template.replace("from: ", "from: ../"));
	expect(await validate("eu/fleet.yaml")).toEqual(outside);
	world.write("fleet.yaml", `organizationId: ${idOf(9)}\n`);
	expect(await validate(".")).toEqual({ code: 0, stderr: "" });
	rmSync(join(world.folder, "organizations.csv"));
	symlinkSync(join(elsewhere, "organizations.csv"), join(world.folder, "organizations.csv"));
	execFileSync("cp", ["/dev/null", join(elsewhere, "organizations.csv")]);
	expect(await validate(".")).toEqual(outside);
	rmSync(join(world.folder, "organizations.csv"));
	execFileSync("mkfifo", [join(world.folder, "organizations.csv")]);
	expect(await validate(".")).toEqual({ code: 3, stderr: expect.stringContaining("it is not a regular file") });
});

test("organizations lists which sub-organizations no document manages, as text, JSON and Markdown", async () => {
	const world = await makeFleet();
	world.write("organizations.csv", `organizationId,owner\n${idOf(2)},${bob}\n${idOf(7)},${carol}\n`);
	const nameOnly = (id: string, name: string): string =>
		`organizationId: ${id}\nname: ${name}\nuserTags: [{ name: x }]\n`;
	world.write("named.yaml", `${nameOnly(organizationId, "Company")}---\n${nameOnly(idOf(8), "Sold")}`);
	const words = ["organizations", ...fleet, "-f", "named.yaml", "--organization", organizationId];
	const { code, stdout } = await world.run(words);
	expect({ code, stdout }).toEqual({
		code: 0,
		stdout: `Organization Company (${organizationId})

Unmanaged:
  ${idOf(1)}
  ${idOf(3)}

In documents, but no sub-organizations of it:
  ${idOf(7)}  fleet.yaml, organizations.csv
  Sold (${idOf(8)})  named.yaml

3 sub-organizations: 1 managed, 2 unmanaged.
`,
	});
	const json = readOutput(await world.run([...words, "--detailed-exitcode", "--format", "json"]));
	expect(json).toMatchObject({
		exitCode: 2,
		complete: true,
		elsewhere: [{ organizationId: idOf(7) }, { organizationId: idOf(8), organizationName: "Sold" }],
	});
	expect(json.organizationName).toBe("Company");
	expect(json.organizations.map(({ managed }: { managed: boolean }) => managed)).toEqual([false, true, false]);
	const { stdout: markdown } = await world.run([...words, "--format", "markdown"]);
	expect(markdown).toContain(`**Unmanaged**\n\n- \`${idOf(1)}\`\n- \`${idOf(3)}\`\n`);
	expect(world.requests()).toEqual(["list_suborgs", "list_suborgs", "list_suborgs"]);

	const old = await makeWorld(undefined, { reads: "documented" });
	const lacking = await old.run(["organizations", "--organization", organizationId]);
	expect(lacking.code).toBe(1);
	expect(lacking.stderr).toContain("list_suborgs is an extended read, outside the interface");
});
