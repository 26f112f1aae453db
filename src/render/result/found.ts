/** What a command found in one organization: results hold a list of them. */
import type { ExitCode } from "../../common/errors.ts";
import type { ThreeWay } from "../../plan/base/three-way.ts";
import type { OrganizationDrift } from "../../plan/drift/drift.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import type { NamedOrganization } from "../../plan/organization-name.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Report, StepResult } from "../../plan/report.ts";
import type { CommandContext } from "../../plan/suggested-command.ts";
import { compareText } from "../../plan/value.ts";
import type { SoonEnding } from "../sections/windows.ts";
import type { ErrorDescription } from "./head.ts";

/** An organization in which an error ended the work, so that it has no report. Without a plan it could not even be read. */
export interface FailedOrganization extends NamedOrganization {
	readonly error: ErrorDescription;
	/** The steps that had finished by then, in the order in which they finished. */
	readonly steps: readonly StepResult[];
}

export interface FoundOrganization {
	readonly organizationId: string;
	/** What the command would exit with if it were the only one. */
	readonly exitCode: ExitCode;
	/** Left out where the organization could not be read. */
	readonly plan?: Plan;
	/** With a base. */
	readonly threeWay?: ThreeWay;
	/** Of `drift`: what drifted, since when and by whom. */
	readonly drift?: OrganizationDrift;
	/** Of `apply`; left out where nothing was started. */
	readonly report?: Report;
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

/** What a command found in an organization that has a plan. */
export interface PlannedOrganization {
	readonly command: string;
	readonly plan: Plan;
	/** Null without a base. */
	readonly threeWay: ThreeWay | null;
	readonly report: Report | null;
	readonly failed: FailedOrganization | null;
	/** What drifted, since when and by whom; null for every command but `drift`. */
	readonly drift: OrganizationDrift | null;
	/** The results of the steps, of a report or of an organization that failed; null when nothing was started. */
	readonly results: readonly StepResult[] | null;
	/** What suggested commands repeat of the call; nothing when left out. */
	readonly commands?: CommandContext | undefined;
}

export function byOrganization(left: NamedOrganization, right: NamedOrganization): number {
	return compareText(left.organizationId, right.organizationId);
}
