/**
 * A saved plan as a file of another user: its statements are labelled as such, `apply --plan` shows only its own plan, an
 * approval names the plan by its digest, and no plan is applied twice.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { makeFolder, readOutput } from "../../run.ts";
import {
	alice,
	bob,
	carol,
	document,
	keys,
	makeWorld,
	organizationId,
	policies,
	tags,
	type World,
} from "../../world.ts";
import { applying, forge, inJson, makeReviewed, read } from "../saved.ts";

// biome-ignore lint/suspicious/noExplicitAny: a forger keeps to no type.
type Forged = any;

/** Writes `forged.json`: the changed plan with a matching digest. */
function writeForged(world: World, change: (plan: Forged, file: Forged) => void): void {
	const file: Forged = read(world);
	change(file.plans[0], file);
	world.write("forged.json", forge(world, file));
}

const forged = ["apply", "--plan", "forged.json"];

describe("a plan file with a matching digest", () => {
	test("is refused by show and by apply for a changed parameter before any request", async () => {
		const world = await makeReviewed();
		writeForged(world, (plan) => Object.assign(plan.steps[0].parameters, { addUserIds: [carol] }));
		for (const words of [forged, ["show", "forged.json"]]) {
			const { code, stdout, stderr } = await world.run(words);
			expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
			expect(stderr).toContain("error: forged.json was not made by this orgsync: organization ");
			expect(stderr).toContain("hint: plan again: the file was edited, or another version of orgsync made it");
		}
		expect(world.requests()).toEqual([]);
	});

	test("is refused by apply for a change that its documents do not mention", async () => {
		const world = await makeReviewed(document(`absent: { policies: [${policies[0]}] }`));
		writeForged(world, (plan) => {
			const [one, other] = [policies[0], policies[1]];
			Object.assign(plan, JSON.parse(JSON.stringify(plan).replaceAll(one, other)));
		});
		const { code, stderr } = await world.run(forged);
		expect(code).toBe(3);
		expect(stderr).toContain(
			`the saved plan changes policy:${policies[1]} in organization ${organizationId}, and the documents do not mention it`,
		);
		expect(world.requests()).toEqual([]);
	});

	test("is refused by apply for an organization that its documents do not have, even one marked as failed", async () => {
		const world = await makeReviewed();
		const other = "f0000000-0000-4000-8000-000000000009";
		writeForged(world, (_plan, file) => Object.assign(file, { unread: [other] }));
		const { code, stderr } = await world.run(forged);
		expect(code).toBe(3);
		expect(stderr).toContain(`the saved plan is of organization ${other}, which the documents do not have`);
		expect(world.requests()).toEqual([]);
	});

	/** One of two signers has to sign then, and alice may do everything with tags and policies. */
	const bySigners = (count: number) => ({
		policies: [
			{
				...{ policyId: policies[0], policyName: "sign" },
				consensus: `approvers.filter(user, user.tags.contains('${tags.signers}')).count() >= ${count}`,
				condition: "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'",
			},
			...[policies[1], policies[2]].map((policyId, index) => ({
				...{ policyId, policyName: `administer ${index}`, consensus: `approvers.any(user, user.id == '${alice}')` },
				condition: "activity.resource in ['USER', 'POLICY']",
			})),
		],
	});

	test("is stale where its impact differs, in the file or since, and names before and after", async () => {
		const world = await makeWorld(document("userTags: [{ name: signers, members: { exactly: [alice] } }]"));
		await world.change(bySigners(1));
		expect((await world.run(["plan", "--out", "plan.json"])).code).toBe(0);
		writeForged(world, (plan) => Object.assign(plan, { impact: [], impactVerdict: "equivalent" }));
		const nicer = await world.run([...forged, ...inJson]);
		expect(nicer.code).toBe(6);
		expect(readOutput(nicer).outdated).toMatchObject([
			{
				...{ organizationId, address: "userTag:signers", reason: "impact-differs" },
				because:
					"the plan file states that who can do what would stay the same; now carol could no longer sign with any wallet or key (PRIVATE_KEY/SIGN); its reviewers went by that",
			},
		]);
		await world.change(bySigners(2));
		const { code, stderr } = await world.run(applying);
		expect(code).toBe(6);
		expect(stderr).toContain(
			"the plan file states that carol could no longer sign with any wallet or key (PRIVATE_KEY/SIGN); now no one could sign with any wallet or key (PRIVATE_KEY/SIGN) any more; its reviewers went by that",
		);
		expect(world.submits()).toEqual([]);
		await world.change(bySigners(1));
		const applied = await world.run([...applying, ...inJson]);
		expect(applied.code).toBe(0);
		expect(readOutput(applied).reports[0].steps[0].forecast).toEqual({ verdict: "runs", wasRight: true });
	});

	test("is shown with impact and approvals, as stated by the file, whatever their texts", async () => {
		const world = await makeWorld(document("userTags: [{ name: signers, members: { exactly: [alice] } }]"));
		await world.change(bySigners(1));
		await world.run(["plan", "--out", "plan.json"]);
		writeForged(world, (plan) => {
			Object.assign(plan.impact[0], { group: { kind: "\u001b[31mLIE\n" }, condition: "a\nb\u202e" });
			Object.assign(plan, { policyNames: { [policies[0]]: "\u001b[2JLIE" }, tagNames: { [tags.signers]: "\u0007" } });
		});
		for (const format of ["text", "markdown", "html", "github"]) {
			const { code, stdout } = await world.run(["show", "forged.json", "--format", format]);
			expect({ format, code }).toEqual({ format, code: 0 });
			expect(stdout).toContain("impact and approvals");
			// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there.
			expect(stdout, format).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u202e]/);
		}
	});

	/** Everything that only the service or the document could confirm, made up. */
	const makeUp = (plan: Forged, file: Forged): void => {
		Object.assign(file, { generatedBy: "LIE-maker" });
		Object.assign(plan, {
			readAt: "2031-01-01T00:00:00.000Z",
			guards: [{ kind: "policies", limit: "LIE-limit", found: 0, refuses: true, where: [], message: "LIE-guard" }],
			unmanaged: [{ address: "userTag:LIE-unmanaged" }],
			unread: [{ scope: "kind", kind: "policy", because: "LIE-unread", standsIn: "nothing" }],
			liveNames: { [alice]: "alice", [bob]: "LIE-name", [carol]: "carol" },
		});
	};

	test("is shown in every format under the label that only the file states it", async () => {
		const world = await makeReviewed();
		writeForged(world, makeUp);
		const show = ["show", "forged.json"];
		const stated =
			/As stated by the file, not verified: read at 2031-01-01T00:00:00\.000Z, made by (?:`|<bdi>)?(&#34;|\\?")LIE-maker/;
		for (const format of ["text", "markdown", "html", "github"]) {
			const { code, stdout } = await world.run([...show, "--format", format]);
			expect({ format, code }).toEqual({ format, code: 0 });
			expect(stdout).toContain("LIE-guard");
			expect(stdout.replaceAll("“", '"').replaceAll("”", '"'), format).toMatch(stated);
			// The label comes before what it is about.
			if (format !== "github")
				expect(stdout.indexOf("As stated by the file")).toBeLessThan(stdout.indexOf("LIE-guard"));
		}
		const { savedPlan } = readOutput(await world.run([...show, ...inJson]));
		expect(savedPlan.statedByFile).toEqual(
			expect.arrayContaining([
				"generatedBy",
				"plans[].readAt",
				"plans[].guards",
				"plans[].unmanaged",
				"plans[].liveNames",
			]),
		);
	});

	test("never has a text of its own in what apply prints, whether it runs or not", async () => {
		const world = await makeReviewed();
		writeForged(world, (plan, file) => {
			makeUp(plan, file);
			delete plan.liveNames;
			Object.assign(plan, { organizationName: "LIE", liveOrganizationName: "LIE" });
			Object.assign(file, { generatedBy: "LIE-maker" });
		});
		for (const format of ["text", "markdown", "html", "github"]) {
			const { stdout, stderr } = await world.run([...forged, "--format", format, "--allow", "policies=9"]);
			expect(stdout + stderr).not.toContain("LIE");
		}
		const output = await world.run([...forged, ...inJson]);
		const { savedPlan, ...others } = readOutput(output);
		expect(JSON.stringify(others)).not.toContain("LIE");
		expect(savedPlan).toMatchObject({
			generatedBy: "LIE-maker",
			statedByFile: expect.arrayContaining(["generatedBy"]),
		});
	});

	test("has its problems shown by show and only counted by apply", async () => {
		const second = "f0000000-0000-4000-8000-000000000002";
		const world = await makeReviewed(`${document(`absent: { policies: [${policies[0]}] }`)}`);
		const whole = `${readFileSync(join(world.folder, "orgsync.yaml"), "utf8")}---\norganizationId: ${second}\nuserTags: [{ name: ours }]\n`;
		world.write("orgsync.yaml", whole);
		await world.addOrganization({
			organizationId: second,
			users: [{ userId: alice, userName: "alice", apiKeys: [{ publicKey: keys.alice.publicKey }] }],
			userTags: [{ tagId: tags.oncall, tagName: "theirs" }],
		});
		await world.run(["plan", "--out", "plan.json"]);
		const file: Forged = read(world);
		const impossible = file.plans.find((plan: Forged) => plan.problems.length > 0);
		Object.assign(impossible?.problems[0] ?? {}, { message: "LIE-problem" });
		world.write("forged.json", forge(world, file));
		expect((await world.run(["show", "forged.json"])).stdout).toContain("LIE-problem");
		const answer = await world.run([...forged, ...inJson]);
		expect(answer.stdout + answer.stderr).not.toContain("LIE");
		expect(readOutput(answer)).toMatchObject({
			exitCode: 1,
			failed: [{ organizationId: second, error: { code: "live-problem" } }],
			reports: [{ organizationId, inSync: true }],
		});
	});

	test("has outdated objects shown with the live value, and the planned value as the file's statement", async () => {
		const world = await makeReviewed();
		writeForged(world, (plan) => Object.assign(plan, { liveNames: { ...plan.liveNames, [carol]: "LIE-name" } }));
		await world.change({ userTags: [{ tagId: tags.signers, tagName: "signers", userIds: [alice, bob, carol] }] });
		const { code, stderr } = await world.run(forged);
		expect(code).toBe(6);
		expect(stderr).toContain(
			"userTag:signers: the plan file states that alice, carol had it, now alice, bob, carol have it",
		);
		expect(stderr).not.toContain("LIE");
	});
});

describe("--digest", () => {
	test("accepts the digest that plan --out and show print in every format, with or without prefix, in any case", async () => {
		const world = await makeReviewed();
		const { digest } = read(world);
		const hex = digest.slice("sha256:".length);
		for (const format of ["text", "markdown", "html", "github", "json"]) {
			for (const words of [
				["plan", "--out", "again.json"],
				["show", "plan.json"],
			]) {
				const { stdout } = await world.run([...words, "--quiet", "--format", format]);
				const own = words[0] === "show" ? digest : read(world, "again.json").digest;
				expect(stdout, `${words[0]} ${format}`).toContain(own);
			}
		}
		world.clearRequests();
		for (const given of [digest, `SHA256:${hex.toUpperCase()}`]) {
			const answer = await world.run([...applying, "--digest", given, "--url", "http://127.0.0.1:1", "--timeout", "1"]);
			// The plan is taken; it is the service that is not there.
			expect(answer.code).toBe(1);
		}
		expect((await world.run([...applying, "--digest", hex])).code).toBe(0);
	});

	test("refuses any other plan before anything is asked, and does not repeat what it was given", async () => {
		const world = await makeReviewed();
		const other = "ab".repeat(32);
		for (const words of [applying, ["apply", "--plan", "-"]]) {
			const input = readFileSync(join(world.folder, "plan.json"), "utf8");
			const { code, stderr } = await world.run([...words, "--digest", other], { stdin: input });
			expect(code).toBe(3);
			expect(stderr).toContain(`is not the plan of --digest: its digest is ${read(world).digest}`);
			expect(stderr).not.toContain(other);
		}
		expect(world.requests()).toEqual([]);
	});

	test("and --max-age require --plan and valid values", async () => {
		const world = await makeReviewed();
		const cases: [string[], string][] = [
			[["apply", "--yes", "--digest", "ab".repeat(32)], "error: --digest needs --plan"],
			[["apply", "--yes", "--max-age", "24h"], "error: --max-age needs --plan"],
			[[...applying, "--digest", "abc"], "It must be the SHA-256 digest"],
			...["0", "-1", "1.5h", "90 m", "h", "24H", "1h30", "99999d"].map((age): [string[], string] => [
				[...applying, `--max-age=${age}`],
				"It must be a duration such as 90m, 24h or 7d",
			]),
		];
		for (const [words, reason] of cases) {
			expect(await world.run(words)).toMatchObject({ code: 3, stderr: expect.stringContaining(reason) });
		}
		expect(world.requests()).toEqual([]);
	});
});

describe("--max-age", () => {
	test.each([
		["90m", 89, 0],
		["90m", 91, 6],
		["3600", 59, 0],
		["3600", 61, 6],
		["24h", 24 * 60 - 1, 0],
		["1d", 24 * 60 + 1, 6],
		["1h30m", 91, 6],
		["1h", -4, 0],
		["1h", -6, 6],
	])("%s ends the apply of a plan that is %d minutes old with exit code %d", async (age, minutes, code) => {
		const world = await makeReviewed(document(`absent: { policies: [${policies[0]}] }`));
		writeForged(world, (plan) => {
			plan.readAt = new Date(Date.now() - minutes * 60_000).toISOString();
		});
		const answer = await world.run([...forged, "--max-age", age, ...inJson]);
		expect(answer.code, answer.stderr).toBe(code);
		if (code === 0) return;
		expect(readOutput(answer)).toMatchObject({ exitCode: 6, error: { code: "plan-too-old" } });
		expect(answer.stderr).toContain(minutes < 0 ? "which is in the future" : "longer ago than --max-age allows");
		expect(world.requests()).toEqual([]);
	});
});

describe("a plan that is applied according to the journal", () => {
	const undo = (world: World) =>
		world.change({
			userTags: [{ tagId: tags.signers, tagName: "signers", userIds: [alice, carol] }],
			policies: [{ policyId: policies[0], policyName: "policy 1" }],
		});

	test("is refused with when and which activity, before anything is asked, also when all of it was undone since", async () => {
		const world = await makeReviewed(document("userTags: [{ name: signers, members: { exactly: [alice, bob] } }]"));
		expect((await world.run(applying)).code).toBe(0);
		const [{ id: activityId }] = world.activities();
		await undo(world);
		world.clearRequests();
		const answer = await world.run([...applying, ...inJson]);
		expect(readOutput(answer)).toMatchObject({ exitCode: 6, error: { code: "plan-applied" } });
		expect(answer.stderr).toMatch(
			new RegExp(
				`error: the saved plan was already applied, nothing was submitted: organization ${organizationId}, activity ${activityId} completed at \\d{4}-\\S+Z\\n`,
			),
		);
		expect(world.requests()).toEqual([]);
		// Another plan for the same is another plan.
		await world.run(["plan", "--out", "plan.json"]);
		expect((await world.run(applying)).code).toBe(0);
	});

	test.each([
		[
			[],
			6,
			/^error: a step of the saved plan completed since it was made, nothing was submitted: .*, activity ID completed at /m,
		],
		[["--reads", "documented"], 0, /^Applied/m],
	])("is refused with another journal %j only where the service lists its activity", async (reads, code, said) => {
		const world = await makeReviewed(
			document("userTags: [{ name: signers, members: { exactly: [alice, bob] } }]"),
			reads,
		);
		expect((await world.run(applying)).code).toBe(0);
		const [{ id: activityId }] = world.activities();
		await undo(world);
		const answer = await world.run([...applying, "--journal", join(makeFolder(), "other.sqlite")]);
		expect({ code: answer.code, count: world.activities().length }).toEqual({ code, count: 1 });
		expect((answer.stdout + answer.stderr).replaceAll(activityId, "ID")).toMatch(said);
	});

	test("runs again if none of its steps completed: pending, failed or interrupted", async () => {
		const world = await makeReviewed();
		await world.setRules({ approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2, ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } });
		expect((await world.run(applying)).code).toBe(8);
		expect((await world.run(applying)).code).toBe(8);
		expect([...world.submits()].sort()).toEqual(["delete_policies", "update_user_tag"]);
	});

	test("is refused for a completed step that it would submit again, although other steps are open", async () => {
		const world = await makeReviewed();
		await world.setRules({ approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } });
		expect((await world.run(applying)).code).toBe(8);
		await world.change({ userTags: [{ tagId: tags.signers, tagName: "signers", userIds: [alice, carol] }] });
		const answer = await world.run([...applying, ...inJson]);
		expect(readOutput(answer)).toMatchObject({ exitCode: 6, error: { code: "plan-applied" }, reports: [] });
		expect(answer.stderr).toContain(
			"error: the saved plan was already applied in part, nothing was submitted: organization ",
		);
		expect([...world.submits()].sort()).toEqual(["delete_policies", "update_user_tag"]);
	});

	test("is recorded with every request that was sent for it, resubmitted ones included", async () => {
		const world = await makeReviewed(document(`absent: { policies: [${policies[0]}] }`));
		const first = read(world).digest;
		await world.setRules({ approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } });
		expect((await world.run(applying)).code).toBe(8);
		const database = new DatabaseSync(join(world.folder, ".orgsync/journal.sqlite"));
		expect(database.prepare("SELECT plans FROM sent").all()).toEqual([{ plans: JSON.stringify([first]) }]);
		database.exec(`UPDATE sent SET plans = '["sha256:x"]'`);
		database.close();
		const answer = await world.run(applying);
		expect(answer.code).toBe(1);
		expect(answer.stderr).toContain("does not agree with itself: the saved plans that it was sent for cannot be read");
	});
});

describe("a plan of a document with the end of an access", () => {
	const hourMs = 3_600_000;
	const inFourHours = () => `${new Date(Date.now() + 4 * hourMs).toISOString().slice(0, 16)}:00Z`;

	test("states until when it is valid, and is stale from then on by the service's clock alone", async () => {
		const until = inFourHours();
		const tagsOf = (members: string) =>
			`userTags: [{ name: signers, members: { ${members} } }, { name: crew, previously: [oncall] }]`;
		const world = await makeWorld(document(tagsOf(`atLeast: [alice, { user: carol, until: ${until} }]`)));
		const shown = until.replace("T", " ").replace(":00Z", " UTC");
		const planned = await world.run(["plan", "--out", "plan.json"]);
		expect(planned.stdout).toMatch(new RegExp(`^Saved plan .*, made by orgsync \\S+, valid until ${shown}\\.$`, "m"));
		const show = await world.run(["show", "plan.json"]);
		expect(show.stdout).toContain(`, valid until ${shown}, live values, `);
		expect(show.stdout).toContain("unread and unmanaged objects, access with an end");
		expect(readOutput(await world.run(["show", "plan.json", ...inJson])).savedPlan.validUntil).toBe(
			until.replace("Z", ".000Z"),
		);
		await world.moveClock(4 * hourMs);
		const answer = await world.run([...applying, ...inJson]);
		const because = `the plan was valid until ${shown}, when a window of the document begins or ends`;
		// It only renames another tag.
		const outdated = [{ address: "userTag:crew", reason: "time-passed", because }];
		expect(readOutput(answer)).toMatchObject({ exitCode: 6, error: { code: "stale-plan" }, outdated });
		expect(world.submits()).toEqual([]);
		const now = await world.run(["apply", "--yes", ...inJson]);
		expect(readOutput(now)).toMatchObject({
			exitCode: 0,
			plans: [{ expiries: [{ userId: carol, state: "expired" }] }],
		});
		expect(world.organization().userTags[0]).toMatchObject({ tagName: "signers", userIds: [alice] });
	});

	test("does not end the access of a protected user: that is drift, and apply is blocked", async () => {
		const members = `members: { exactly: [alice, { user: carol, until: ${inFourHours()} }] }`;
		const sections = [
			`userTags: [{ name: signers, ${members} }]`,
			"protect: { users: [carol] }",
			"limits: { expiries: any }",
		];
		const world = await makeWorld(document(...sections));
		expect((await world.run(["drift"])).code).toBe(0);
		await world.moveClock(4 * hourMs);
		expect((await world.run(["drift"])).code).toBe(2);
		const applied = await world.run(["apply", "--yes"]);
		expect([applied.code, world.submits()]).toEqual([5, []]);
		expect(applied.stdout + applied.stderr).toContain("userTag:signers would change protected users or tags");
	});
});
