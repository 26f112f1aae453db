/** The functions that an engine can call. */
import type { DesiredOrganization } from "../../plan/organization.ts";
import type { CheckFailure, Properties } from "../inputs/inputs.ts";
import { type OrganizationArgs, readOrganization } from "../organization/component.ts";
import { getPlanName, planDocument } from "../organization/get-plan.ts";
import { documentInputs } from "../organization/organization-fields.ts";
import { ResourceFailure } from "../resources/failure.ts";
import { noOrganization } from "../resources/resource.ts";
import type { Session } from "../session/session.ts";
import { checkArguments } from "./arguments.ts";
import { queryFunctions, runQuery } from "./queries.ts";

type FunctionAnswer = { readonly result: Properties } | { readonly failures: readonly CheckFailure[] };

/** Calls the function of this name, or returns what is wrong with its arguments; undefined if there is no such function. */
export async function callFunction(
	name: string,
	args: Properties,
	session: Session,
): Promise<FunctionAnswer | undefined> {
	const query = queryFunctions.find((one) => one.name === name);
	if (query === undefined && name !== getPlanName) return undefined;
	const failures = checkArguments(query?.arguments ?? documentInputs, args);
	if (failures.length > 0) return { failures };
	const { secretInputs: _names, ...given } = args;
	if (query === undefined) return callGetPlan(given, session);
	if ((given.organizationId ?? session.settings.organizationId) === undefined) return { failures: [noOrganization] };
	return { result: await runQuery(query.operation, given, session) };
}

async function callGetPlan(given: Properties, session: Session): Promise<FunctionAnswer> {
	const read = readArguments(given);
	return "failures" in read ? read : { result: { ...(await planDocument(read.desired, session)) } };
}

type ReadArguments = { readonly desired: DesiredOrganization } | { readonly failures: readonly CheckFailure[] };

function readArguments(given: Properties): ReadArguments {
	try {
		return { desired: readOrganization(given as unknown as OrganizationArgs) };
	} catch (error) {
		if (!(error instanceof ResourceFailure)) throw error;
		return { failures: [{ property: "document", reason: error.message }] };
	}
}
