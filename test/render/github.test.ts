/** Annotations for a pipeline: read back by the rules of the runner. */
import { describe, expect, it } from "vitest";
import type { Position } from "../../src/plan/organization.ts";
import { renderGithub } from "../../src/render/github.ts";
import { renderMarkdown } from "../../src/render/markdown.ts";
import type { CommandResult } from "../../src/render/result/result.ts";
import { id } from "../plan/support-organizations.ts";
import { complete } from "./complete.ts";
import { commandsOf } from "./github-log.ts";
import { planOf, resultsOf } from "./support.ts";
import { impactPlanOf } from "./support-impact.ts";

const results = Object.entries(resultsOf());

describe("a result as annotations", () => {
	it.each(results)("%s", async (name, result) => {
		await expect(renderGithub(result).annotations).toMatchFileSnapshot(`../golden/render/${name}.github.txt`);
	});

	it("is at the line and column of each problem of a document", () => {
		const { "error-document": result } = resultsOf();
		expect(commandsOf(result as CommandResult).slice(1)).toEqual([
			{
				command: "error",
				properties: { file: "orgsync.yaml", line: "3", col: "9", title: "orgsync: unknown-user" },
				data: "unknown user `alcie`; did you mean `alice`?",
			},
			{
				command: "error",
				properties: { file: "orgsync.yaml", line: "5", col: "9", title: "orgsync: unknown-key" },
				data: "unknown key `membres`",
			},
		]);
	});

	it("is at the line of the object of a guard or a change, where the caller knows it", () => {
		const positions: Readonly<Record<string, Position>> = {
			"userTag:officers": { file: "a,b:c%.yaml", line: 13, column: 5 },
			"userTag:auditors": { file: "orgsync.yaml", line: 7, column: 5 },
		};
		const commands = commandsOf(complete({ command: "plan", plans: [planOf()] }), {
			positionOf: (address) => positions[address],
		});
		const about = (text: string) => commands.find(({ data }) => data.includes(text));
		expect(about("would lose 3 of 4")?.properties).toEqual({
			file: "a,b:c%.yaml",
			line: "13",
			col: "5",
			title: "orgsync: guard",
		});
		expect(about("~ userTag:auditors")?.properties.line).toBe("7");
		expect(about("tvcApp:")?.properties).toEqual({ title: "orgsync: remove" });
	});

	it("is at the tag that changes who can do what, and at the object of a denied step", () => {
		const plan = impactPlanOf();
		const lineOf = new Map(plan.changes.map(({ address }, index) => [address as string, index + 1]));
		const positionOf = (address: string): Position | undefined => {
			const line = lineOf.get(address);
			return line === undefined ? undefined : { file: "orgsync.yaml", line, column: 5 };
		};
		const commands = commandsOf(complete({ command: "plan", plans: [plan] }), { positionOf });
		const linesOf = (title: string) =>
			commands
				.filter(({ properties }) => properties.title === `orgsync: ${title}`)
				.map(({ properties }) => properties.line);
		// Of treasury; of the removed policy; of nothing that the plan changes; the verdict.
		const [treasury, policy] = [2, 3].map(String);
		expect(linesOf("step that would be denied")).toEqual([treasury]);
		expect(linesOf("change of who can do what")).toEqual([treasury, policy, policy, undefined, undefined]);
	});

	it("of several organizations has what is to be decided before every change", () => {
		const other = { ...planOf(), organizationId: id("org", 2) };
		const titles = commandsOf(complete({ command: "plan", plans: [other, impactPlanOf()] }))
			.filter(({ command }) => command === "warning")
			.map(({ properties }) => properties.title);
		expect(titles.lastIndexOf("orgsync: change of who can do what")).toBeLessThan(titles.indexOf("orgsync: update"));
	});

	it("has no position when the document came from standard input", () => {
		const problem = { file: "-", line: 1, column: 1, path: "", code: "null", message: "m" };
		const error = { code: "document", message: "the document has a problem", hint: null };
		const [, second] = commandsOf(complete({ command: "plan", error, problems: [problem] }));
		expect(second?.properties).toEqual({ title: "orgsync: null" });
	});

	it("is an error for what forbids, a warning for what takes away or drifted, else a notice", () => {
		const { "drift-first": drift } = resultsOf();
		const all = { plan: complete({ command: "plan", plans: [planOf()] }), drift: drift as CommandResult };
		const levelOf = (command: keyof typeof all, text: string) =>
			commandsOf(all[command]).find(({ data }) => data.includes(text))?.command;
		expect(levelOf("plan", "--allow policies=2")).toBe("error");
		expect(levelOf("plan", "~ userTag:auditors")).toBe("notice");
		expect(levelOf("plan", "~ userTag:officers")).toBe("warning");
		expect(levelOf("drift", "~ userTag:auditors")).toBe("warning");
	});

	it("is at most ten of a level, the last of which counts the others", () => {
		const plan = planOf();
		const removal = plan.changes.find(({ action }) => action === "remove");
		const plans = [{ ...plan, changes: Array(5_000).fill(removal), waiting: [], unread: [] }];
		const commands = commandsOf(complete({ command: "plan", plans }));
		const warnings = commands.filter(({ command }) => command === "warning");
		expect(warnings).toHaveLength(10);
		expect(warnings.at(-1)?.data).toBe("4991 more: the summary of this step has them");
	});

	it("comes with the Markdown as summary", () => {
		const result: CommandResult = complete({ command: "plan", plans: [planOf()] });
		expect(renderGithub(result, { key: "x" }).summary).toBe(renderMarkdown(result, { key: "x" }));
	});
});

describe("hostile names in annotations", () => {
	it("come out whole at the other end", () => {
		const error = { code: "document", message: "m", hint: null };
		const place = { file: "100%,a:b.yaml", line: 1, column: 2, path: "", code: "c" };
		const problems = [{ ...place, message: "50% of a::b, c\nd" }];
		const [, second] = commandsOf(complete({ command: "plan", error, problems }));
		expect(second?.properties.file).toBe("100%,a:b.yaml");
		expect(second?.data).toBe("50% of a::b, c\\u{a}d");
	});
});
