/** The errors of a result: that of the call, and those of organizations that failed. */

import { groupBy } from "../../common/group-by.ts";
import { showOrganization } from "../../plan/organization-name.ts";
import type { FailedOrganization } from "./found.ts";
import { type CommandResult, type ErrorDescription, isCompared } from "./result.ts";

/** Returns errors, one for each message: `organization ID and 2 others: MESSAGE`, without the name of an only organization. */
export function errorsOfFailed(
	failed: readonly Pick<FailedOrganization, "organizationId" | "organizationName" | "error">[],
	isSeveral: boolean,
): readonly ErrorDescription[] {
	return groupBy(failed, ({ error }) => error.message).map(([first, ...others]) => {
		if (!isSeveral) return first.error;
		const more = others.length === 0 ? "" : ` and ${others.length} ${others.length === 1 ? "other" : "others"}`;
		return { ...first.error, message: `organization ${showOrganization(first)}${more}: ${first.error.message}` };
	});
}

function errorsInside(result: CommandResult): readonly ErrorDescription[] {
	// That an organization could not be read when the plan was made is no error of the command that shows the plan.
	if (!isCompared(result) || result.command === "show") return [];
	const { organizations } = result;
	return errorsOfFailed(
		organizations.flatMap(({ failed }) => failed ?? []),
		organizations.length > 1,
	);
}

/** Returns the error that ended the whole call; null where there is none, or only organizations failed. */
export function errorOfCall(result: CommandResult): ErrorDescription | null {
	const { error } = result;
	const [first] = errorsInside(result);
	return error !== null && first?.message === error.message && first.code === error.code ? null : error;
}

/** Returns every error of the result once: that of the call, then those of failed organizations. */
export function errorsOf(result: CommandResult): readonly ErrorDescription[] {
	const error = errorOfCall(result);
	return [...(error === null ? [] : [error]), ...errorsInside(result)];
}
