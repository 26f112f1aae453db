/**
 * Results of commands out of the fields that a test is about.
 */
import type { ThreeWay } from "../../src/plan/base/three-way.ts";
import type { OrganizationDrift } from "../../src/plan/drift/drift.ts";
import type { Plan } from "../../src/plan/plan.ts";
import type { Report } from "../../src/plan/report.ts";
import type { FailedOrganization, FoundOrganization } from "../../src/render/result/found.ts";
import type { CommandResult } from "../../src/render/result/result.ts";

/** Name and version of the program, as the golden files have it. */
export const generatedBy = "orgsync 0.0.0-test";

/** What was found in organizations, as lists of each kind of fact. */
interface FoundLists {
	readonly plans?: readonly Plan[];
	readonly failed?: readonly FailedOrganization[];
	readonly threeWay?: readonly ThreeWay[];
	readonly drift?: readonly OrganizationDrift[];
	readonly reports?: readonly Report[];
	/** Ids. */
	readonly notRead?: readonly string[];
}

/** Returns the result with what every result has. */
export function complete(fields: FoundLists & { readonly command: string; readonly [name: string]: unknown }) {
	const { plans, failed, threeWay, drift, reports, notRead, ...others } = fields;
	const head = { formatVersion: 1, exitCode: 0, error: null, problems: [] };
	const found = plans === undefined ? { ...(drift === undefined ? {} : { drift }) } : organizationsFrom(fields);
	return { ...head, ...others, ...found } as unknown as CommandResult;
}

/** Joins the lists: the organizations with a plan in its order, then those that could not be read. */
function organizationsFrom({ plans, failed, threeWay, drift, reports, notRead }: FoundLists) {
	const found = new Map<string, FoundOrganization>();
	const add = (organizationId: string, more: Partial<FoundOrganization>): void => {
		found.set(organizationId, { organizationId, exitCode: 0, ...found.get(organizationId), ...more });
	};
	for (const plan of plans ?? []) add(plan.organizationId, { plan });
	for (const one of failed ?? []) add(one.organizationId, { failed: one });
	for (const one of drift ?? []) add(one.organizationId, { drift: one });
	for (const organizationId of notRead ?? []) add(organizationId, { state: "notRead" });
	for (const report of reports ?? []) add(report.organizationId, { report });
	const isDropped = ({ organizationId }: ThreeWay): boolean => !found.has(organizationId);
	const dropped = (threeWay ?? []).filter(isDropped);
	for (const one of threeWay ?? []) if (!isDropped(one)) add(one.organizationId, { threeWay: one });
	return { organizations: [...found.values()], dropped };
}

/** Returns every result with what every result has. */
export function completeAll(
	all: Readonly<Record<string, Parameters<typeof complete>[0]>>,
): Readonly<Record<string, CommandResult>> {
	return Object.fromEntries(Object.entries(all).map(([name, fields]) => [name, complete(fields)]));
}
