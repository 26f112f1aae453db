/** The YAML of docs/pipelines.md is that of the examples, and of the hook. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { included } from "./gitlab-component.ts";
import { readWorkflow } from "./workflow.ts";

const fromRoot = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

const blocks = [...fromRoot("docs/pipelines.md").matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = ""]) =>
	parse(text),
);

test("docs/pipelines.md shows the steps of the example workflow, the component of the example, and the hook", () => {
	const [hook] = parse(fromRoot(".pre-commit-hooks.yaml"));
	expect(blocks).toEqual([
		readWorkflow("orgsync-plan").jobs.plan?.steps,
		{ include: [included] },
		{
			repos: [
				{
					repo: "https://orgsync.invalid/orgsync",
					rev: expect.stringMatching(/^v\d+\.\d+\.\d+$/),
					hooks: [{ id: hook.id, files: "^organization/", args: ["--file", "organization"] }],
				},
			],
		},
	]);
});
