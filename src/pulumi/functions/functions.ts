/** All functions that an engine can call, with what the package schema says of them. */
import type { DesiredOrganization } from "../../plan/organization.ts";
import type { QueryName } from "../../wire/operations.ts";
import type { CheckFailure, Properties } from "../inputs/inputs.ts";
import { type OrganizationArgs, readOrganization } from "../organization/component.ts";
import { getPlanFunction, getPlanResult, planDocument } from "../organization/get-plan.ts";
import { ResourceFailure } from "../resources/failure.ts";
import { noOrganization } from "../resources/resource.ts";
import type { Session } from "../session/session.ts";
import { checkArguments, type Described } from "./described.ts";
import { queryFunctions, runQuery } from "./queries.ts";

interface FunctionDescription {
	readonly name: string;
	readonly description: string;
	readonly arguments: Described;
	/** The fields of the result; for a query, the schema of its operation has the one field. */
	readonly result: Described | { readonly operation: QueryName };
}

export const functions: readonly FunctionDescription[] = [
	...queryFunctions.map(({ operation, ...description }) => ({ ...description, result: { operation } })),
	{ ...getPlanFunction, result: getPlanResult },
];

type FunctionAnswer = { readonly result: Properties } | { readonly failures: readonly CheckFailure[] };

/**
 * Calls the function of this name. Returns what is wrong with its arguments, if something is; undefined if there is no such
 * function. Throws what the function throws.
 */
export async function callFunction(
	name: string,
	args: Properties,
	session: Session,
): Promise<FunctionAnswer | undefined> {
	const found = functions.find((one) => one.name === name);
	if (found === undefined) return undefined;
	const failures = checkArguments(found.arguments, args);
	if (failures.length > 0) return { failures };
	const { secretInputs: _names, ...given } = args;
	const query = queryFunctions.find((one) => one.name === name);
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
