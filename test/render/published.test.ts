/** The published form of a result: programs read its members, in this order. */
import { describe, expect, it } from "vitest";
import { publish } from "../../src/render/result/published.ts";
import type { CommandResult } from "../../src/render/result/result.ts";
import { id } from "../plan/support-organizations.ts";
import { complete } from "./complete.ts";
import { emptyPlan, goodReportOf, resultsOf } from "./support.ts";

const error = { code: "transport", message: "no answer", hint: null };
const failed = [{ organizationId: id("org", 2), error, steps: [] }];
const membersOf = (result: CommandResult | undefined) => Object.keys(publish(result as CommandResult)).slice(5);

describe("the published form of a result", () => {
	it("has the lists in the place of the organizations, and leaves out empty ones that are optional", () => {
		const { show, "plan-base": planned, "drift-since": drift, "apply-stale": stale } = resultsOf();
		expect(membersOf(planned)).toEqual(["plans", "threeWay"]);
		expect(membersOf(drift)).toEqual(["plans", "drift"]);
		expect(membersOf(stale)).toEqual(["plans", "reports", "savedPlan", "outdated"]);
		expect(membersOf(show)).toEqual(["plans", "savedPlan"]);
	});

	it("joins what belongs to an organization by its id alone", () => {
		const plans = [emptyPlan(1), emptyPlan(2)];
		const reports = plans.slice(0, 1).map(goodReportOf);
		const published = publish(complete({ command: "apply", plans, reports, failed, notRead: [id("org", 3)] }));
		expect(Object.entries(published).slice(5)).toEqual(
			Object.entries({ plans, failed, reports, notRead: [id("org", 3)] }),
		);
	});

	it("of a saved plan does not name as failed the organizations that it could not read", () => {
		const { show } = resultsOf();
		const result = { ...show, organizations: [{ organizationId: id("org", 2), exitCode: 0, failed: failed[0] }] };
		expect(publish(result as CommandResult)).toMatchObject({ plans: [] });
		expect(publish(result as CommandResult)).not.toHaveProperty("failed");
	});
});
