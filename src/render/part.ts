/**
 * A result in parts: one for each organization, as soon as it is known, and an end. A format that shows one organization
 * after the other keeps none of them; the others are made from the whole result.
 */
import type { ExitCode } from "../common/errors.ts";
import type { ThreeWay } from "../plan/base/three-way.ts";
import type { OrganizationDrift } from "../plan/drift/drift.ts";
import type { DesiredOrganization } from "../plan/organization.ts";
import type { Plan } from "../plan/plan.ts";
import type { Report } from "../plan/report.ts";
import type { CommandContext } from "../plan/suggested-command.ts";
import type { SoonEnding } from "./expiry-words.ts";
import { assess, type OrganizationResult, type SuggestingOptions } from "./organizations.ts";
import type { FailedOrganization, ResumableRun } from "./result.ts";
import type { Style } from "./style.ts";

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

export interface StreamOptions extends SuggestingOptions {
	readonly command: string;
	/** How many organizations the result is about. One is shown in full, without a summary. */
	readonly size: number;
	readonly style: Style;
	/** Whether steps that completed were not shown while they did. */
	readonly quiet?: boolean;
	/** Which run it is, where it can be resumed. */
	readonly resumable?: ResumableRun | undefined;
}

/** Returns the organization as every format shows it; null where it could not be read. */
export function assessPart(
	command: string,
	part: OrganizationPart,
	commands?: CommandContext,
): OrganizationResult | null {
	const { plan, report = null, failed = null, threeWay = null, drift = null } = part;
	return plan === undefined ? null : assess({ command, plan, report, failed, threeWay, drift, commands });
}
