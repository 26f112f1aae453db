/** Names and texts of others that look like a flag of the command line: in texts for Pulumi they stay as they are. */

import { describe, expect, it } from "vitest";
import { ConfigurationError, ServiceError } from "../../src/common/errors.ts";
import { flag, say } from "../../src/common/said.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { renderForPulumi } from "../../src/pulumi/organization/component.ts";
import { renderComment } from "../../src/pulumi/organization/get-plan.ts";
import { explain, explainReport } from "../../src/pulumi/resources/failure.ts";
import { renderMarkdown } from "../../src/render/markdown.ts";
import { renderPlan } from "../../src/render/result-text.ts";
import { plainStyle } from "../../src/render/style.ts";
import { complete } from "../render/complete.ts";
import { doubtfulPlanOf, goodReportOf, hostileNames, planOf } from "../render/support.ts";

const flags = [
	"--timeout",
	"--url --max-rps",
	"a --abandon [click](http://evil.test) b",
	"`orgsync apply --abandon x`",
	"otherwise apply with --abandon x",
	"--allow policies=3",
	"; --retry-rejected submits it",
	"; for another user: `--submitter USER`",
	"the document as it was then, applied within the hour,",
	...hostileNames.map((name) => `a --abandon ${name} --retry-rejected`),
];

/** Words of Pulumi that no text with flags in names only may hold. */
const settings = /orgsync:(?!apiPrivateKey)[a-z]|ORGSYNC_RETRY_REJECTED|the program as it was/;

/** A plan without a word of ours about a flag, all of whose names are the given one. */
function named(name: string): Plan {
	const { guards: _guards, waiting: _waiting, ...plan } = planOf((own) => (own === "" ? own : `${own} ${name}`));
	const steps = plan.steps.map((step) => ({ ...step, earlierActivity: null }));
	return { ...plan, steps, guards: [], waiting: [], organizationName: name };
}

const commentOf = (plan: Plan): string =>
	renderMarkdown(complete({ command: "plan", plans: [plan] }), { whole: "text" });

/** The plan's own words about who submits, in Pulumi's terms. */
const inPulumi = (text: string): string =>
	text.replaceAll(/(as submitter; for another user: `?)--submitter USER/g, "$1orgsync:apiPrivateKey");

describe.each(flags)("a name like a flag, %j,", (name) => {
	it("stays as it is in the text of a plan", () => {
		const plan = named(name);
		const text = renderForPulumi(plan, []);
		expect(text).not.toMatch(settings);
		expect(text).toBe(inPulumi(renderPlan(plan, plainStyle)));
	});

	it("stays as it is in the Markdown of a plan, and closes no code span", () => {
		const plan = named(name);
		const markdown = renderComment(plan);
		expect(markdown).not.toMatch(settings);
		expect(markdown).toBe(inPulumi(commentOf(plan)));
	});

	it("stays as it is in an error, in its hint and in the message of a step", () => {
		const error = new ServiceError(`no tag ${name}`, 400, 3, { hint: `did you mean ${name}?` });
		expect(explain(error)).not.toMatch(settings);
		const report = goodReportOf(planOf());
		const [step] = report.steps;
		if (step === undefined) throw new Error("the plan has no step");
		const failed = { ...step, outcome: "failed" as const, message: `no tag ${name}` };
		const said = explainReport({ ...report, steps: [failed] });
		expect(said).not.toMatch(/pulumi config set|orgsync:[a-z]|the program as it was|ORGSYNC/);
		expect(said).toContain("the next run submits it again");
	});
});

describe("a flag in words of orgsync", () => {
	it("is a setting beside names that look like one", () => {
		const plan: Plan = {
			...named("--allow policies=3"),
			guards: [
				{
					kind: "policies",
					found: 2,
					refuses: true,
					where: [],
					finding: { what: "stated", message: "--url would be removed", limit: "at most 1" },
				},
			],
		};
		const line = "--url would be removed";
		expect(renderForPulumi(plan, [])).toContain(`${line} (allowed: at most 1); to override: orgsync:allow policies=2`);
		const markdown = `\`${line}\` (allowed: at most 1); to override: \`orgsync:allow policies=2\``;
		expect(renderComment(plan)).toContain(markdown);
	});

	it("adds no back quotes in Markdown", () => {
		const ticks = (text: string) => text.match(/`/g)?.length;
		expect(renderComment(doubtfulPlanOf())).toMatch(/orgsync:abandon|ORGSYNC_RETRY_REJECTED/);
		expect(ticks(renderComment(doubtfulPlanOf()))).toBe(ticks(commentOf(doubtfulPlanOf())));
	});

	it.each([
		[say`check ${flag("url")} and the network`, "check orgsync:url and the network"],
		[
			say`check ${flag("url")}: something else answers at ${"http://--url"}`,
			"check orgsync:url: something else answers at http://--url",
		],
		[
			say`check the ids, the organization ${"--url"} and ${flag("url")}`,
			"check the ids, the organization --url and orgsync:url",
		],
		[
			say`lower the rate with ${flag("max-rps")}, or allow more time with ${flag("timeout")}`,
			"lower the rate with orgsync:maxRequestsPerSecond, or allow more time with orgsync:timeout",
		],
		[say`for example ${flag("max-rps", "1")}`, "for example orgsync:maxRequestsPerSecond 1"],
		[
			say`a new journal (${flag("journal", "FILE")}) does not know it`,
			"a new journal (orgsync:journal) does not know it",
		],
	])("is a setting in %j", (hint, inPulumi) => {
		expect(explain(new ConfigurationError("wrong", { hint }))).toBe(`wrong; ${inPulumi}`);
	});

	it("is a command in the message of a step that conflicts with a pending activity", () => {
		const id = "0193e2a4-0000-7000-8000-000000000001";
		const [step] = goodReportOf(planOf()).steps;
		if (step === undefined) throw new Error("the plan has no step");
		const message = say`approve or reject that first, or abandon it with ${flag("abandon", id)}`;
		const report = { ...goodReportOf(planOf()), steps: [{ ...step, outcome: "not-attempted" as const, message }] };
		expect(explainReport(report)).toContain(`abandon it with \`pulumi config set orgsync:abandon ${id}\``);
	});
});
