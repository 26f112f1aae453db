/** The eight queries as functions of an engine: names, arguments, and the request that each makes. */
import { AuthenticationError, ConfigurationError } from "../errors.ts";
import { type QueryName, queries } from "../wire/operations.ts";
import type { Described, DescribedField } from "./described.ts";
import { explain, ResourceFailure } from "./failure.ts";
import { type Properties, withoutUndefined } from "./inputs.ts";
import { queriedOrganization, queryTexts } from "./query-texts.ts";
import { noOrganization } from "./resource.ts";
import { functionReads, type Session } from "./session.ts";

export interface QueryFunction {
	/** For example `getMfaPolicies`. */
	readonly name: string;
	/** The query. Its answer is the result: an object with one field (schemas/operations). */
	readonly operation: QueryName;
	readonly description: string;
	readonly arguments: Described;
}

/** Arguments that may be left out, besides `organizationId`. */
const optionalArguments: Partial<Record<QueryName, string>> = { get_mfa_status: "userId" };

export const queryFunctions: readonly QueryFunction[] = (Object.keys(queries) as QueryName[]).map((operation) => {
	const { description, arguments: texts } = queryTexts[operation];
	const fields = Object.entries(texts).map(([name, words]): readonly [string, DescribedField] => [
		name,
		{
			// A network is the only argument that is no UUID.
			shape: name === "caip2" ? "text" : "id",
			description: words,
			...(optionalArguments[operation] === name ? { isOptional: true } : {}),
		},
	]);
	const organizationId: DescribedField = { shape: "id", description: queriedOrganization, isOptional: true };
	const named = { name: functionName(operation), operation, description };
	return { ...named, arguments: { ...Object.fromEntries(fields), organizationId } };
});

/** The name of a query as a function: `get_mfa_policies` is `getMfaPolicies`. */
export function functionName(operation: QueryName): string {
	return operation.replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());
}

/** Returns the service's answer: an object with one field. Throws ResourceFailure, whose message names the query. */
export async function runQuery(name: QueryName, args: Properties, session: Session): Promise<Properties> {
	const { organizationId = session.settings.organizationId, ...fields } = args;
	try {
		if (organizationId === undefined) throw new ConfigurationError(noOrganization.reason);
		const operation = queries[name];
		const { value } = await session
			.readerFor(functionReads)
			.query(operation, { organizationId, ...withoutUndefined(fields) });
		return { [operation.answerKey]: value[operation.answerKey] ?? [] };
	} catch (error) {
		const reason = explain(error);
		// A problem with address or key concerns every query, so it is shown once.
		const isAboutAll = error instanceof ConfigurationError || error instanceof AuthenticationError;
		throw new ResourceFailure(isAboutAll || reason.startsWith(`${name}: `) ? reason : `${name}: ${reason}`);
	}
}
