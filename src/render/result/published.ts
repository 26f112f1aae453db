/**
 * A result about organizations is a list of them, one part for each. Its published form has a list for each kind of fact instead,
 * joined by id (schemas/output.json): this is the only file that takes a result apart for it, and puts it together again.
 */
import { defined, nonEmpty } from "../../common/defined.ts";
import type { ExitCode } from "../../common/errors.ts";
import type { ThreeWay } from "../../plan/base/three-way.ts";
import type { OrganizationDrift } from "../../plan/drift/drift.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Report } from "../../plan/report.ts";
import type { SoonEnding } from "../expiry-words.ts";
import type { ApplyResult, CommandResult, DriftResult, FailedOrganization, PlanResult } from "./result.ts";

/** What a command found in one organization. */
export interface OrganizationPart {
	readonly organizationId: string;
	/** What the command would exit with if it were the only one. */
	readonly exitCode: ExitCode;
	/** Left out where the organization could not be read. */
	readonly plan?: Plan;
	readonly threeWay?: ThreeWay;
	readonly drift?: OrganizationDrift;
	readonly report?: Report;
	/** The error that ended the work in this organization. */
	readonly failed?: FailedOrganization;
	/** What the organization is counted as, where there is nothing else to show of it. */
	readonly state?: "inSync" | "notRead";
	/** When it was read, where there is no plan; ISO 8601 in UTC. */
	readonly readAt?: string;
	/** What ends soon, where there is no plan. */
	readonly endsSoon?: SoonEnding;
	/** The document, for positions in it. */
	readonly desired?: DesiredOrganization;
}

/** The published lists of a result, without its head. */
type Published =
	| ({ readonly command: "plan" } & Pick<PlanResult, "plans" | "failed" | "threeWay">)
	| ({ readonly command: "drift" } & Pick<DriftResult, "plans" | "failed" | "drift">)
	| ({ readonly command: "apply" } & Pick<ApplyResult, "plans" | "failed" | "reports" | "notRead">);

/** Returns the lists of these parts. `dropped` are organizations that are only in the base. */
export function publish(
	command: Published["command"],
	parts: readonly OrganizationPart[],
	dropped: readonly ThreeWay[] = [],
): Published {
	if (command === "plan") return { command, ...publishPlans(parts, dropped) };
	const lists = publishPlans(parts);
	if (command === "drift") return { ...lists, command, drift: parts.flatMap(({ drift }) => drift ?? []) };
	const reports = parts.flatMap(({ report }) => report ?? []);
	const notRead = parts.flatMap(({ organizationId, state }) => (state === "notRead" ? [organizationId] : []));
	return { ...lists, command, reports, ...defined({ notRead: nonEmpty(notRead) }) };
}

/** Returns the lists that results of `plan` have. */
export function publishPlans(
	parts: readonly OrganizationPart[],
	dropped: readonly ThreeWay[] = [],
): Pick<PlanResult, "plans" | "failed" | "threeWay"> {
	const failed = parts.flatMap((part) => part.failed ?? []);
	const threeWay = [...parts.flatMap((part) => part.threeWay ?? []), ...dropped];
	return {
		plans: parts.flatMap(({ plan }) => plan ?? []),
		...defined({ failed: nonEmpty(failed), threeWay: nonEmpty(threeWay) }),
	};
}

/**
 * Returns the parts of a result: those with a plan in its order, then those that could not be read. Without a part are organizations
 * that are only in the base. A part has the exit code of the whole result.
 */
export function partsOf(result: CommandResult): readonly OrganizationPart[] {
	if (!("plans" in result)) return [];
	const parts = new Map<string, OrganizationPart>();
	const add = (organizationId: string, more: Partial<OrganizationPart>): void => {
		const known = parts.get(organizationId) ?? { organizationId, exitCode: result.exitCode };
		parts.set(organizationId, { ...known, ...more });
	};
	for (const plan of result.plans) add(plan.organizationId, { plan });
	for (const failed of result.failed ?? []) add(failed.organizationId, { failed });
	if ("drift" in result) for (const drift of result.drift) add(drift.organizationId, { drift });
	if ("reports" in result) {
		for (const organizationId of result.notRead ?? []) add(organizationId, { state: "notRead" });
		for (const report of result.reports) add(report.organizationId, { report });
	}
	if ("threeWay" in result) {
		const planned = (result.threeWay ?? []).filter(({ organizationId }) => parts.has(organizationId));
		for (const threeWay of planned) add(threeWay.organizationId, { threeWay });
	}
	return [...parts.values()];
}
