/** The functions of an engine: the eight queries, each with its name, arguments and request, and `getPlan`. */
import { defined } from "../../common/defined.ts";
import { AuthenticationError, ConfigurationError } from "../../common/errors.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import { type QueryName, queries } from "../../wire/operations.ts";
import { type Arguments, checkArguments } from "../inputs/input-schema.ts";
import type { CheckFailure, Properties } from "../inputs/inputs.ts";
import { type OrganizationArgs, readOrganization } from "../organization/component.ts";
import { getPlanName, planDocument } from "../organization/get-plan.ts";
import { documentInputs } from "../organization/organization-fields.ts";
import { noOrganization } from "../resources/check.ts";
import { explain, ResourceFailure } from "../resources/failure.ts";
import type { Session } from "../session/session.ts";
import { functionReads } from "../session/shared-reads.ts";

export interface QueryFunction {
	/** For example `getMfaPolicies`. */
	readonly name: string;
	/** The query. Its answer is the result: an object with one field (schemas/operations). */
	readonly operation: QueryName;
	readonly arguments: Arguments;
}

const organizationArgument: Arguments = {
	organizationId: {
		shape: "id",
		description: "The organization to query, a UUID. Defaults to the Provider's.",
		isOptional: true,
	},
};

function defineQuery(operation: QueryName, fields: Arguments): QueryFunction {
	return { name: functionName(operation), operation, arguments: { ...fields, ...organizationArgument } };
}

/** The name of a query as a function: `get_mfa_policies` is `getMfaPolicies`. */
export function functionName(operation: QueryName): string {
	return operation.replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());
}

const userId = { shape: "id", description: "The user, a UUID." } as const;
const activityId = { shape: "id", description: "The activity, a UUID." } as const;

export const queryFunctions: readonly QueryFunction[] = [
	defineQuery("get_session_profile", {
		sessionProfileId: { shape: "id", description: "The session profile, a UUID." },
	}),
	defineQuery("get_mfa_policy", {
		userId,
		mfaPolicyId: { shape: "id", description: "The MFA policy, a UUID." },
	}),
	defineQuery("get_mfa_policies", { userId }),
	defineQuery("get_mfa_status", {
		activityId,
		userId: { shape: "id", description: "Only this user, a UUID. Defaults to all users who voted.", isOptional: true },
	}),
	defineQuery("get_latest_boot_proof", {
		appName: { shape: "id", description: "The id of the enclave app, a UUID." },
	}),
	defineQuery("get_policy_evaluations", { activityId }),
	defineQuery("list_user_tags", {}),
	defineQuery("list_supported_assets", {
		caip2: { shape: "text", description: "The network as a CAIP-2 identifier, for example `eip155:1`." },
	}),
];

/** Returns the service's answer: an object with one field. Throws ResourceFailure, whose message names the query. */
export async function runQuery(name: QueryName, args: Properties, session: Session): Promise<Properties> {
	const { organizationId = session.settings.organizationId, ...fields } = args;
	try {
		if (organizationId === undefined) throw new ConfigurationError(noOrganization.reason);
		const operation = queries[name];
		const { value } = await session.readerFor(functionReads).query(operation, { organizationId, ...defined(fields) });
		return { [operation.answerKey]: value[operation.answerKey] ?? [] };
	} catch (error) {
		const reason = explain(error);
		// A problem with address or key concerns every query, so it is shown once.
		const isAboutAll = error instanceof ConfigurationError || error instanceof AuthenticationError;
		throw new ResourceFailure(isAboutAll || reason.startsWith(`${name}: `) ? reason : `${name}: ${reason}`);
	}
}

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
	if (query === undefined) return callGetPlan(given as unknown as OrganizationArgs, session);
	if ((given.organizationId ?? session.settings.organizationId) === undefined) return { failures: [noOrganization] };
	return { result: await runQuery(query.operation, given, session) };
}

async function callGetPlan(given: OrganizationArgs, session: Session): Promise<FunctionAnswer> {
	let desired: DesiredOrganization;
	try {
		desired = readOrganization(given);
	} catch (error) {
		if (!(error instanceof ResourceFailure)) throw error;
		return { failures: [{ property: "document", reason: error.message }] };
	}
	return { result: { ...(await planDocument(desired, session)) } };
}
