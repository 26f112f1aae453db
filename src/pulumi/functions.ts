/** All functions that an engine can call, with what the package schema says of them. */
import type { QueryName } from "../wire/operations.ts";
import type { Described } from "./described.ts";
import { getPlanFunction, getPlanResult } from "./get-plan.ts";
import { queryFunctions } from "./queries.ts";

export interface FunctionDescription {
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
