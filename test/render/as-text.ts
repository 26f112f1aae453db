/** One organization as text, from what a test is about. */
import type { ThreeWay } from "../../src/plan/base/three-way.ts";
import type { OrganizationDrift } from "../../src/plan/drift/drift.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { assessFound } from "../../src/render/result/organizations.ts";
import type { VoteResult } from "../../src/render/result/votes.ts";
import { renderOrganization, renderText } from "../../src/render/result-text.ts";
import type { Style } from "../../src/render/style.ts";

function render(command: string, plan: Plan, more: { drift?: OrganizationDrift; threeWay?: ThreeWay }, style: Style) {
	const one = assessFound(command, { organizationId: plan.organizationId, exitCode: 0, plan, ...more });
	if (one === null) throw new Error("an organization with a plan is assessed");
	return renderOrganization(one, style);
}

export const renderDrift = (plan: Plan, drift: OrganizationDrift, style: Style): string =>
	render("drift", plan, { drift }, style);

export const renderThreeWay = (plan: Plan, threeWay: ThreeWay, style: Style): string =>
	render("plan", plan, { threeWay }, style);

export const renderVotes = (result: VoteResult, style: Style): string => renderText(result, { style });
