/**
 * A removal that the service refused at once and that was submitted part by part: the report shows each part in every
 * format, and the exit code counts each.
 */
import { describe, expect, test } from "vitest";
import { type Answer, readOutput } from "../run.ts";
import { document, makeWorld, policies } from "../world.ts";

const stray = "90000000-0000-4000-8000-000000000009";
const [first, second] = policies;

/** Applies the removal of two policies and of one that is not there, with nothing but the documented reads. */
async function applyApart(
	format: string,
	rules: object,
): Promise<{ readonly answer: Answer; readonly made: readonly string[] }> {
	const world = await makeWorld(document(`absent: { policies: [${first}, ${second}, ${stray}] }`), {
		reads: "documented",
	});
	await world.setRules(rules);
	const answer = await world.run(["apply", "--yes", "--reads", "documented", "--format", format]);
	return {
		answer,
		made: world.activities().map(({ id, fingerprint }) => `activity ${id}, fingerprint ${fingerprint}`),
	};
}

const needsTwo = { approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } };
const idIn = (named: string | undefined): string => named?.split(/[ ,]/)[1] ?? "";

describe("a removal that orgsync submitted part by part", () => {
	test("is shown in text with each part, its activity and its missing approvals", async () => {
		const { answer, made } = await applyApart("text", needsTwo);
		expect(answer.code).toBe(1);
		const parts = answer.stdout.slice(answer.stdout.indexOf("     submitted one by one:\n"));
		expect(parts.split("\n").slice(1, 11)).toEqual([
			`       .. policy:${first}`,
			"            pending approval",
			`            ${made[0]}`,
			`            \`orgsync explain ${idIn(made[0])}\` shows what it is waiting for`,
			`       .. policy:${second}`,
			"            pending approval",
			`            ${made[1]}`,
			`            \`orgsync explain ${idIn(made[1])}\` shows what it is waiting for`,
			`       !! policy:${stray}`,
			expect.stringMatching(/^ {12}failed: /),
		]);
	});

	test("is shown in Markdown and in HTML with each part", async () => {
		const markdown = await applyApart("markdown", needsTwo);
		for (const named of markdown.made) expect(markdown.answer.stdout.replaceAll("`", "")).toContain(`    - ${named}\n`);
		expect(markdown.answer.stdout).toContain(`  - \`policy:${stray}\`: **failed**: `);
		const page = await applyApart("html", needsTwo);
		expect(page.answer.stdout).toContain("submitted one by one:");
		for (const named of page.made) {
			const withoutCode = page.answer.stdout.replaceAll(/<\/?code>/g, "");
			expect(withoutCode).toContain(`<p class="soft">${named}</p>`);
			expect(withoutCode).toContain(`orgsync explain ${idIn(named)} shows what it is waiting for`);
		}
		expect(page.answer.stdout).toContain("<dt>pending activities</dt><dd>2</dd>");
		expect(page.answer.stdout).toContain(`<span class="word bad">failed</span> <code>policy:${stray}</code>`);
	});

	test("has a GitHub annotation for each part that did not complete", async () => {
		const { answer, made } = await applyApart("github", needsTwo);
		const lines = answer.stdout.split("\n").filter((line) => line.includes("at once: policy:"));
		expect(lines.map((line) => line.split("::")[1])).toEqual([
			"error title=orgsync%3A failed",
			"warning title=orgsync%3A pending approval",
			"warning title=orgsync%3A pending approval",
		]);
		for (const named of made) expect(answer.stdout).toContain(`: pending approval; ${named}; \`orgsync explain`);
	});

	test("is listed in JSON with each part, and is partly applied if a part completed", async () => {
		const { answer } = await applyApart("json", {});
		expect(answer.code).toBe(7);
		expect(readOutput(answer).reports[0].steps[0].parts).toMatchObject([
			{ address: `policy:${first}`, outcome: "completed" },
			{ address: `policy:${second}`, outcome: "completed" },
			{ address: `policy:${stray}`, outcome: "failed", refusedStatus: 404 },
		]);
	});

	test("shows the outcome of each policy in the list of removals", async () => {
		const { stdout } = (await applyApart("markdown", {})).answer;
		expect(stdout).toMatch(new RegExp(`^- policy:${first}.*\\(completed\\)$`, "m"));
		expect(stdout).toMatch(new RegExp(`^- policy:${stray}.*\\(failed\\)$`, "m"));
	});
});
