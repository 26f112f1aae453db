/** The forecast of approvals: the steps that would be denied, and the steps that need others or run at once. */
import { listCovers } from "../../common/escape.ts";
import type { Plan } from "../../plan/plan.ts";
import { coveredAddresses } from "../../plan/step.ts";
import type { ApprovalVerdict } from "../../policy/powers/forecast.ts";
import { type ApprovalLine, describeApprovals, describeForecaster } from "../../say/approvals.ts";
import { identifier } from "../../say/phrase.ts";
import { type Row, type Section, section } from "../../say/section.ts";

export function deniedSection(plan: Plan): Section {
	const denied = describeApprovals(plan).filter(({ verdict }) => verdict === "denied");
	return section("denied-steps", denied.map(rowOf), { foot: describeForecaster(denied, plan) });
}

/** The forecasts of the other steps; no rows where all run at once, which the summary says. */
export function approvalsSection(plan: Plan): Section {
	const lines = describeApprovals(plan);
	const isCalm = lines.every(({ verdict }) => verdict === "runs");
	return section("approvals", isCalm ? [] : lines.filter(({ verdict }) => verdict !== "denied").map(rowOf));
}

const badges: Readonly<Record<ApprovalVerdict, NonNullable<Row["badge"]>>> = {
	denied: { word: "denied", look: "bad" },
	unknown: { word: "unknown", look: "attention" },
	pending: { word: "pending", look: "attention" },
	runs: { word: "runs", look: "good" },
};

function rowOf({ verdict, why, steps }: ApprovalLine): Row {
	const about = coveredAddresses(steps);
	return { badge: badges[verdict], said: [identifier(listCovers(about)), "  ", ...why], about };
}
