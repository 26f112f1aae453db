/**
 * One call for several organizations: an error in one is reported with its id, and the others are applied.
 */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type Answer, normalize, readOutput } from "../run.ts";
import { alice, document, keys, makeWorld, organizationId, policies, tags, type World } from "../world.ts";

const golden = (name: string): string => fileURLToPath(new URL(`../golden/cli/${name}.txt`, import.meta.url));

const second = "f0000000-0000-4000-8000-000000000002";
const third = "f0000000-0000-4000-8000-000000000003";
const theirPolicies = ["f9000000-0000-4000-8000-000000000001", "f9000000-0000-4000-8000-000000000002"] as const;
const apply = ["apply", "--yes"];
const inJson = ["--format", "json"];

/** Two more organizations of alice's, each with one tag `theirs`; the second has two policies besides. */
async function makeThree(text: string): Promise<World> {
	const world = await makeWorld(text);
	for (const id of [second, third]) {
		await world.addOrganization({
			organizationId: id,
			users: [{ userId: alice, userName: "alice", apiKeys: [{ publicKey: keys.alice.publicKey }] }],
			userTags: [{ tagId: tags.oncall, tagName: "theirs" }],
			policies:
				id === second ? theirPolicies.map((policyId, index) => ({ policyId, policyName: `theirs ${index}` })) : [],
		});
	}
	return world;
}

const renaming = document("userTags: [{ name: signatories, previously: [signers] }]");
const theirs = (id: string, more = ""): string =>
	`---\norganizationId: ${id}\nuserTags: [{ name: ours, previously: [theirs] }]\n${more}`;

/** From now on the journal takes nothing of this kind that is about the organization, as if the disk were full. */
function breakJournal(world: World, id: string, operation = "%"): void {
	const journal = new DatabaseSync(join(world.folder, ".orgsync", "journal.sqlite"));
	journal.exec(`ALTER TABLE sent ADD COLUMN more TEXT CONSTRAINT "the disk is full"
		CHECK (organization_id <> '${id}' OR operation NOT LIKE '${operation}')`);
	journal.close();
}

describe("an error in one of three organizations", () => {
	async function applyThree(words: readonly string[], operation?: string, more = ""): Promise<[World, Answer]> {
		const world = await makeThree(`${renaming}${theirs(second, more)}${theirs(third)}`);
		await world.run(["wait", "--organization", organizationId]);
		breakJournal(world, second, operation);
		return [world, await world.run([...apply, ...words])];
	}

	test("is reported with its organization and exit 1, and apply completes the two others", async () => {
		const [world, answer] = await applyThree(inJson);
		expect(answer.code).toBe(1);
		const message = /^the journal .* cannot be used: CHECK constraint failed: the disk is full$/;
		expect(readOutput(answer)).toMatchObject({
			error: { code: "storage", message: expect.stringMatching(`^organization ${second}: the journal `) },
			plans: [{ organizationId }, { organizationId: second }, { organizationId: third }],
			reports: [
				{ organizationId, inSync: true },
				{ organizationId: third, inSync: true },
			],
			failed: [
				{ organizationId: second, error: { code: "storage", message: expect.stringMatching(message) }, steps: [] },
			],
		});
		expect(world.submits()).toEqual(["update_user_tag", "update_user_tag"]);
	});

	test("is shown in text under the name of its organization, like the results of the others", async () => {
		const [, { code, stdout, stderr }] = await applyThree(["--quiet"]);
		expect(code).toBe(1);
		await expect(normalize(`${stdout}${stderr}`)).toMatchFileSnapshot(golden("apply-one-of-three-broke-off"));
	});

	test.each([
		["markdown", "### 3 organizations: 1 stopped by an error, 2 applied.\n"],
		["html", "<title>orgsync apply: 3 organizations: 1 stopped by an error, 2 applied.</title>"],
		["github", "::error title=orgsync%3A apply::3 organizations: 1 stopped by an error, 2 applied.\n"],
	])("is shown in %s at its organization and counted in the verdict", async (format, verdict) => {
		const [, { code, stdout }] = await applyThree(["--format", format]);
		expect(code).toBe(1);
		expect(stdout).toContain(verdict);
		expect(stdout.match(/cannot be used: CHECK constraint failed: the disk is full/g)).toHaveLength(1);
		expect(stdout).toContain("Stopped: 0 of 1 step finished; see the error.");
		expect(stdout).toContain(second);
	});

	test("leaves completed steps in the report, with exit 7", async () => {
		const removal = `absent: { policies: [${theirPolicies.join(", ")}] }\nlimits: { lockout: 100 }\n`;
		const [, answer] = await applyThree([...inJson, "--concurrency", "1"], "delete_policies", removal);
		expect(answer.code).toBe(7);
		expect(readOutput(answer)).toMatchObject({
			failed: [{ organizationId: second, steps: [{ outcome: "completed", step: { operation: "update_user_tag" } }] }],
			reports: [{ organizationId }, { organizationId: third, inSync: true }],
		});
	});

	test("is completed by the next run, which submits nothing twice", async () => {
		const [world] = await applyThree([]);
		const journal = new DatabaseSync(join(world.folder, ".orgsync", "journal.sqlite"));
		journal.exec("ALTER TABLE sent DROP COLUMN more");
		journal.close();
		const answer = await world.run([...apply, ...inJson]);
		expect(answer.code).toBe(0);
		expect(readOutput(answer)).not.toHaveProperty("failed");
		expect(world.submits().length).toBe(3);
	});
});

test("each report counts its own submits, and all reports together count the requests of the run", async () => {
	const world = await makeThree(`${renaming}${theirs(second)}${theirs(third)}`);
	world.clearRequests();
	const { reports } = readOutput(await world.run([...apply, ...inJson]));
	const stats: readonly { queries: number; submits: number }[] = reports.map(
		(report: { stats: object }) => report.stats,
	);
	expect(stats.map(({ submits }) => submits)).toEqual([1, 1, 1]);
	const requests = stats.reduce((sum, { queries, submits }) => sum + queries + submits, 0);
	expect(requests).toBe(world.requests().length);
});

test("a key that is refused only at a submit is exit 4", async () => {
	const world = await makeWorld(document(`absent: { policies: [${policies[0]}] }`));
	// One that stamps queries with a key that is accepted, and requests with a type by one that is not.
	const stampers = new URL("../../src/wire/stamp.ts", import.meta.url);
	world.write(
		"stamp.mjs",
		`import { createApiKeyStamper } from ${JSON.stringify(stampers.href)};
import { text } from "node:stream/consumers";
const body = await text(process.stdin);
const privateKey = body.includes("ACTIVITY_TYPE_") ? process.env.OTHER : process.env.FIRST;
console.log((await createApiKeyStamper({ privateKey }).stamp(body)).stampHeaderValue);`,
	);
	const env = { FIRST: keys.alice.privateKey, OTHER: keys.stranger.privateKey, ORGSYNC_API_PRIVATE_KEY: "" };
	const stamping = ["--stamp-command", `${process.execPath} ${world.folder}/stamp.mjs`];
	const answer = await world.run([...apply, "--reads", "documented", ...stamping, ...inJson], { env });
	expect(answer.code).toBe(4);
	expect(readOutput(answer).reports).toMatchObject([{ steps: [{ outcome: "denied", refusedStatus: 401 }] }]);
});

describe("guards of one kind in two organizations", () => {
	const limit = "limits: { policies: 0, lockout: 100 }";
	const removeAll = `${document(`absent: { policies: [${policies.join(", ")}] }`, limit)}---
organizationId: ${second}
absent: { policies: [${theirPolicies.join(", ")}] }
${limit}
`;

	test("have their own numbers, and the error names both", async () => {
		const world = await makeThree(removeAll);
		const { code, stderr } = await world.run(apply);
		expect(code).toBe(5);
		expect(stderr).toContain("hint: to override: --allow policies=3 --allow policies=2\n");
		expect(world.submits()).toEqual([]);
	});

	test("are overridden by both numbers in any order, and by neither alone", async () => {
		const world = await makeThree(removeAll);
		for (const alone of ["policies=3", "policies=2"]) {
			const { code, stderr } = await world.run([...apply, "--allow", alone]);
			expect(code).toBe(5);
			expect(stderr).toContain(`blocked by a guard, nothing was submitted: ${alone === "policies=3" ? 2 : 3} policies`);
		}
		expect(world.submits()).toEqual([]);
		expect((await world.run([...apply, "--allow", "policies=2", "--allow", "policies=3"])).code).toBe(0);
		expect(world.submits()).toEqual(["delete_policies", "delete_policies"]);
	});

	test("with the same number are overridden once and named once", async () => {
		const same = removeAll.replace(`, ${policies[2]}`, "");
		const world = await makeThree(same);
		const { stderr } = await world.run(apply);
		expect(stderr).toContain("hint: to override: --allow policies=2\n");
		expect((await world.run([...apply, "--allow", "policies=2"])).code).toBe(0);
	});
});
