/**
 * A journal that another user has written: it is evidence, not authority. Whatever it contains, orgsync submits only what
 * the document asks for.
 */
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { openJournal } from "../../../src/sync/journal/file.ts";
import { requestDigestOf } from "../../../src/sync/journal/journal.ts";
import { type SubmitName, submits } from "../../../src/wire/operations.ts";
import { encodeSubmit } from "../../../src/wire/request-body.ts";
import { onPosix } from "../../needs.ts";
import { readOutput } from "../../run.ts";
import { alice, bob, document, makeWorld, organizationId, policies, providers, tags, type World } from "../../world.ts";

const rename = document("userTags: [{ name: signatories, previously: [signers] }]");
const removal = document(`absent: { policies: [${policies[0]}] }`);

const commands: readonly (readonly string[])[] = [
	["apply", "--yes"],
	["plan"],
	["drift"],
	["status"],
	["wait", "--wait", "0"],
];

/** Puts a request into the world's journal, as if it had been sent without an answer or were pending. */
async function plant(
	world: World,
	operation: SubmitName,
	parameters: Readonly<Record<string, unknown>>,
	parts: { readonly outcome?: "awaiting-approval"; readonly activityId?: string } = {},
): Promise<string> {
	mkdirSync(join(world.folder, ".orgsync"), { recursive: true });
	const journal = await openJournal(join(world.folder, ".orgsync", "journal.sqlite"));
	const body = encodeSubmit(submits[operation], organizationId, parameters, Date.now() - 60_000);
	await journal.recordSending(body, requestDigestOf(organizationId, operation, parameters), [], Date.now());
	if (parts.outcome !== undefined) {
		journal.recordOutcome(body.fingerprint, parts.outcome, parts.activityId ?? null, Date.now());
	}
	journal.close();
	return body.fingerprint;
}

/** Changes rows of the journal by SQL, as anyone who can write the file could. */
function forge(world: World, sql: string, ...values: (string | number | null)[]): void {
	const database = new DatabaseSync(join(world.folder, ".orgsync", "journal.sqlite"));
	database.prepare(sql).run(...values);
	database.close();
}

const planted: readonly (readonly [SubmitName, Readonly<Record<string, unknown>>])[] = [
	["update_user_tag", { userTagId: tags.signers, addUserIds: [bob], removeUserIds: [alice] }],
	["delete_policies", { policyIds: [...policies] }],
	["delete_oauth_providers", { userId: alice, providerIds: [...providers.alice] }],
	["init_import_private_key", { userId: bob }],
];

describe("an entry that no document asks for", () => {
	const stranger = "01a1fe02-1455-712e-be80-c4ad5d3e1bce";
	test.each(
		(["all", "documented"] as const).flatMap((reads) =>
			planted.flatMap(([operation, parameters]) =>
				[{}, { outcome: "awaiting-approval", activityId: stranger } as const].map(
					(parts) => [operation, reads, parts.outcome ?? "in doubt", parameters, parts] as const,
				),
			),
		),
	)("%s, on a service that answers %s reads and %s, is sent by no command", async (operation, reads, _how, parameters, parts) => {
		const world = await makeWorld(rename, { reads });
		await plant(world, operation, parameters, parts);
		const before = world.organization();
		for (const words of commands.slice(1)) await world.run(words);
		expect(world.submits()).toEqual([]);
		expect(world.organization()).toEqual(before);
		await world.run(["apply", "--yes"]);
		// An activity about the same tag that may still be pending keeps the document's own step back; all else is ignored.
		const isHeld = operation === "update_user_tag" && (reads === "documented" || parts.outcome === undefined);
		expect(world.submits()).toEqual(isHeld ? [] : ["update_user_tag"]);
		expect(world.organization().policies).toEqual(before.policies);
		expect(world.organization().userTags[0].userIds).toEqual(before.userTags[0].userIds);
	});

	test("is sent by no saved plan either", async () => {
		const world = await makeWorld(rename);
		expect((await world.run(["plan", "--out", "plan.json"])).code).toBe(0);
		await plant(world, "delete_policies", { policyIds: [...policies] });
		expect((await world.run(["apply", "--plan", "plan.json"])).code).toBe(0);
		expect(world.submits()).toEqual(["update_user_tag"]);
	});
});

describe("an entry whose row was changed", () => {
	const other = encodeSubmit(submits.delete_policies, organizationId, { policyIds: [...policies] }, Date.now());
	const elsewhere = "f0000000-0000-4000-8000-000000000009";
	const changes: readonly (readonly [string, (bytes: string) => readonly [string, ...(string | number)[]]])[] = [
		["bytes of another wish", () => ["bytes = ?", other.bytes]],
		["another wish, with its fingerprint", () => ["bytes = ?, fingerprint = ?", other.bytes, other.fingerprint]],
		["a member more in the envelope", (bytes) => ["bytes = ?", bytes.replace("{", '{"generateAppProofs":true,')]],
		[
			"parameters twice",
			(bytes) => {
				const twice = bytes.replace(/}}$/, `},"parameters":{"policyIds":["${policies[2]}"]}}`);
				const digest = createHash("sha256").update(twice).digest("hex");
				return ["bytes = ?, fingerprint = ?", twice, `sha256:${digest}`];
			},
		],
		["no JSON", () => ["bytes = ?", "x"]],
		["another operation", () => ["operation = ?", "delete_oauth_providers"]],
		["another timestamp", () => ["timestamp_ms = ?", 1]],
		["another fingerprint", () => ["fingerprint = ?", `sha256:${"0".repeat(64)}`]],
		["another wish", () => ["request_digest = ?", "sha256:0"]],
		["addresses that are none", () => ["covers = ?", "[1]"]],
		["an outcome that is none", () => ["outcome = ?", "sure"]],
	];

	test.each(changes)("%s: it is refused by name, and nothing is submitted", async (_what, change) => {
		const world = await makeWorld(removal);
		const fingerprint = await plant(world, "delete_policies", { policyIds: [policies[0]] });
		const body = world.folder === "" ? "" : readBytes(world);
		const [assignments, ...values] = change(body);
		forge(world, `UPDATE sent SET ${assignments}`, ...values);
		const named =
			values.find((value) => String(value).startsWith("sha256:") && String(value).length > 20) ?? fingerprint;
		const isOpen = assignments !== "outcome = ?";
		for (const words of isOpen ? commands : [["apply", "--yes"]]) {
			const answer = await world.run(words);
			expect(answer.code, words.join(" ")).toBe(1);
			expect(answer.stderr).toContain(String(named));
			expect(answer.stderr).toContain("does not agree with itself");
			expect(answer.stderr).not.toContain("unexpected error");
		}
		expect(world.submits()).toEqual([]);
	});

	test("another organization: it conflicts with that one, and is sent to none", async () => {
		const world = await makeWorld(removal);
		await plant(world, "delete_policies", { policyIds: [policies[0]] });
		forge(world, "UPDATE sent SET organization_id = ?", elsewhere);
		expect((await world.run(["apply", "--yes"])).code).toBe(1);
		expect(world.submits()).toEqual([]);
	});

	test("a request of the document over the bytes of another one is refused", async () => {
		const world = await makeWorld(removal);
		await plant(world, "delete_policies", { policyIds: [...policies] });
		const requestDigest = requestDigestOf(organizationId, "delete_policies", { policyIds: [policies[0]] });
		forge(world, "UPDATE sent SET request_digest = ?", requestDigest);
		const answer = await world.run(["apply", "--yes"]);
		expect(answer.code).toBe(1);
		expect(answer.stderr).toContain("its bytes ask for something else");
		expect(world.submits()).toEqual([]);
		expect(world.organization().policies.length).toBe(policies.length);
	});

	test.each([
		["userTag", "{}"],
		["userTag", '{"appliedAt":"x","name":"a","present":[1],"gone":[],"updatedAt":""}'],
		["policy", "null"],
		["policy", "x"],
		["wallet", '{"appliedAt":"x"}'],
	])("what was last applied to a %s as %s is refused", async (kind, value) => {
		const world = await makeWorld(removal);
		await plant(world, "delete_policies", { policyIds: [policies[0]] });
		forge(world, "INSERT INTO applied VALUES (?, ?, 'x', ?)", organizationId, kind, value);
		const answer = await world.run(["plan"]);
		expect(answer.code).toBe(1);
		expect(answer.stderr).toContain(`what was last applied to ${kind} x cannot be read`);
	});

	test("last-applied names with a meaning in JavaScript are only names", async () => {
		const world = await makeWorld(removal);
		await plant(world, "delete_policies", { policyIds: [policies[1]] });
		forge(
			world,
			"INSERT INTO applied VALUES (?, 'policy', '__proto__', ?)",
			organizationId,
			JSON.stringify({ appliedAt: "x" }),
		);
		expect((await world.run(["plan"])).code).toBe(0);
	});
});

function readBytes(world: World): string {
	const database = new DatabaseSync(join(world.folder, ".orgsync", "journal.sqlite"));
	const { bytes } = database.prepare("SELECT bytes FROM sent").get() as { bytes: string };
	database.close();
	return bytes;
}

describe("a full disk", () => {
	test("after the service completed a step leaves the step in the report, and the next run does not repeat it", async () => {
		const world = await makeWorld(removal, { reads: "documented" });
		const documented = ["--reads", "documented"];
		await plant(world, "delete_policies", { policyIds: [policies[2]] });
		forge(world, "DELETE FROM sent");
		forge(world, `ALTER TABLE sent ADD COLUMN more TEXT CONSTRAINT "the disk is full" CHECK (outcome IS NULL)`);
		const first = await world.run(["apply", "--yes", ...documented, "--format", "json"]);
		expect(first.code).toBe(7);
		expect(readOutput(first)).toMatchObject({
			error: { code: "storage", message: expect.stringMatching(/CHECK constraint failed: the disk is full$/) },
			failed: [{ steps: [{ outcome: "completed" }] }],
		});
		forge(world, "ALTER TABLE sent DROP COLUMN more");
		world.clearRequests();
		expect((await world.run(["apply", "--yes", ...documented])).code).toBe(0);
		// The same bytes asked what became of them; the policy is gone, and other bytes would have been refused.
		expect(world.submits()).toEqual(["delete_policies"]);
		expect(world.activities().length).toBe(1);
		expect((await world.run(["plan", "--detailed-exitcode", ...documented])).code).toBe(0);
	});
});

test.runIf(onPosix)("orgsync makes the journal private and reports it", async () => {
	const world = await makeWorld(removal);
	await plant(world, "delete_policies", { policyIds: [policies[2]] });
	chmodSync(join(world.folder, ".orgsync", "journal.sqlite"), 0o640);
	expect((await world.run(["plan"])).stderr).toContain("was open to other users (mode 0640)");
	expect((await world.run(["plan"])).stderr).not.toContain("was open");
});
