/** What Pulumi shows of a failure: text of the service is text there too. */
import { describe, expect, it } from "vitest";
import { ServiceError } from "../../src/common/errors.ts";
import { isVisible } from "../../src/common/invisible.ts";
import { explain, explainReport } from "../../src/pulumi/resources/failure.ts";
import { goodReportOf, planOf } from "../render/support.ts";

const evil = "no\u001b[2J\u202E\u3164 ##[error]x\n::set-output name=a::b";

describe("a failure", () => {
	it("of the service is shown without characters that control a terminal or a log", () => {
		expect(explain(new ServiceError(`the service answered 400: ${evil}`, 400, 3, { hint: evil }))).toBe(
			[
				"the service answered 400: no\\u{1b}[2J\\u{202e}\\u{3164} #\\u{23}[error]x",
				"\\u{3a}:set-output name=a::b; no\\u{1b}[2J\\u{202e}\\u{3164} #\\u{23}[error]x",
				"\\u{3a}:set-output name=a::b",
			].join("\n"),
		);
	});

	it("of a step cannot add lines of its own", () => {
		const report = goodReportOf(planOf());
		const [step] = report.steps;
		if (step === undefined) throw new Error("the plan has no step");
		const failed = { ...step, outcome: "failed" as const, message: evil, activityId: evil, fingerprint: evil };
		const told = explainReport({ ...report, steps: [failed] });
		expect(told).toContain("failed (no\\u{1b}[2J\\u{202e}\\u{3164} #\\u{23}[error]x\\u{a}::set-output name=a::b)\n");
		expect(isVisible(told.replaceAll("\n", ""))).toBe(true);
		expect(told).not.toMatch(/##\[|^\s*::/m);
	});
});
