/** Access with an end as commands see it: before the moment, after it, blocked by a guard, and in a fleet. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readOutput } from "../../run.ts";
import { alice, bob, document, keys, makeWorld, organizationId, tags } from "../../world.ts";

const dayMs = 24 * 3_600_000;
const inDays = (days: number): string => new Date(Date.now() + days * dayMs).toISOString().replace(/\.\d+Z$/, "Z");
const withWindow = (until: string, more = ""): string =>
	document(
		`userTags: [{ name: oncall, members: { atLeast: [{ user: bob, until: ${until}, reason: desk 7 }] } }]\n${more}`,
	);
const inJson = ["--format", "json"];

test("Access that ends in 3 days is shown, and drift when it has; a guard that blocks the end is exit 5, and drift 2", async () => {
	const until = inDays(3.5);
	const world = await makeWorld(withWindow(until, "limits: { memberRemovals: 0 }"));
	await world.change({ userTags: [{ tagId: tags.oncall, tagName: "oncall", userIds: [alice, bob] }] });
	const before = await world.run(["plan", "--detailed-exitcode"]);
	expect(before.code).toBe(0);
	expect(before.stdout).toContain(
		"No changes. The organization is in sync. Access of 1 member ends soon, in 3 days.\n",
	);
	expect((await world.run(["drift", "--horizon", "36h"])).stdout).not.toContain("Access");
	expect((await world.run(["plan", "--horizon", "soon"])).code).toBe(3);

	await world.moveClock(4 * dayMs);
	expect((await world.run(["plan", "--detailed-exitcode"])).code).toBe(5);
	expect(await world.run(["apply", "--yes", "--quiet"])).toMatchObject({ code: 5 });
	const drift = await world.run(["drift", ...inJson]);
	expect(drift.code).toBe(2);
	expect(readOutput(drift)).toMatchObject({
		plans: [
			{
				expiries: [{ state: "expired", userId: bob, reason: "desk 7" }],
				guards: [{ kind: "memberRemovals", refuses: true }],
			},
		],
		drift: [{ findings: [{ what: "access-expired", by: null }], unattributed: null }],
	});
	expect(world.submits()).toEqual([]);

	world.write("orgsync.yaml", withWindow(until, "limits: { memberRemovals: 0, expiries: any }"));
	const applied = await world.run(["apply", "--yes"]);
	expect(applied.code).toBe(0);
	expect(applied.stderr).toContain(`- member bob  (access expired ${until.slice(0, 10)}`);
	expect(world.submits()).toEqual(["update_user_tag"]);
	expect((await world.run(["drift", "--accept", "userTag:*"])).stderr).toBe(
		"accepted userTag:oncall: orgsync.yaml:3\n",
	);
	expect((await world.run(["plan", "--detailed-exitcode"])).code).toBe(0);
});

test("An apply of several organizations says in how many in sync access ends soon, and keeps none of their plans", async () => {
	const second = "f0000000-0000-4000-8000-000000000002";
	const world = await makeWorld(
		`${withWindow(inDays(3))}---\norganizationId: ${second}\nuserTags: [{ name: theirs, members: { exactly: [] } }]\n`,
	);
	await world.addOrganization({
		organizationId: second,
		users: [{ userId: alice, userName: "alice", apiKeys: [{ publicKey: keys.alice.publicKey }] }],
		userTags: [{ tagId: tags.signers, tagName: "theirs" }],
	});
	await world.change({ userTags: [{ tagId: tags.oncall, tagName: "oncall", userIds: [bob] }] });
	const { stdout } = await world.run(["apply", "--yes"]);
	expect(stdout).toContain("2 organizations: 2 in sync. In 1 of them access ends soon.\n");
	const lines = (await world.run(["apply", "--yes", "--format", "jsonl"])).stdout.trim().split("\n");
	expect(JSON.parse(lines[1] ?? "")).toMatchObject({ organizationId, state: "inSync" });
	expect(JSON.parse(lines[1] ?? "")).not.toHaveProperty("plan");
	const metrics = await world.run(["apply", "--yes", "--format", "openmetrics"]);
	expect(metrics.stdout).toContain('orgsync_access_expires{command="apply"} 1\n');
});

test("An accepted end leaves `exactly`, and the result says that apply ends the access: accepting it again would keep the user", async () => {
	const until = inDays(1);
	const listed = (entry: string): string =>
		document(`userTags: [{ name: oncall, members: { exactly: [alice${entry}] } }]\n`);
	const world = await makeWorld(listed(`, { user: bob, until: ${until}, reason: desk 7 }`));
	await world.change({ userTags: [{ tagId: tags.oncall, tagName: "oncall", userIds: [alice, bob] }] });
	await world.moveClock(2 * dayMs);
	const { code, stdout } = await world.run(["drift", "--accept", "userTag:oncall"]);
	expect(code).toBe(2);
	expect(readFileSync(join(world.folder, "orgsync.yaml"), "utf8")).toBe(listed(""));
	expect(stdout).toContain(`- member bob  (access expired ${until.slice(0, 10)}`);
	expect(stdout).toContain("to do: `orgsync apply` ends the access of bob\n");
	expect(stdout).not.toContain("--accept");
});
