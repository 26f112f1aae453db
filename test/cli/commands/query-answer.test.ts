/** The answer of `query` in JSON: as the service gave it, also where it looks like a value of orgsync's own. */
import { expect, it } from "vitest";
import { render } from "../../../src/cli/flags/formats.ts";
import { resultHead } from "../../../src/render/result/result.ts";
import { plainStyle } from "../../../src/render/style.ts";

it("An answer with members called because and message is printed unchanged", async () => {
	const answer = { because: { kind: "no-policy" }, message: ["use ", { kind: "flag", flag: "allow", value: null }] };
	const result = { ...resultHead("query", 0, null), operation: "get_whoami", answer } as const;
	const { text } = await render("json", result, {
		style: plainStyle,
		run: { version: "1", endedAtMs: 0, durationMs: 0, requests: null, labels: {} },
	});
	expect(JSON.parse(text).answer).toEqual(answer);
});
