/** What became of access cases, as `test` shows it. */

import type { Uncovered } from "../../plan/access-cases/coverage.ts";
import type { JudgedCase } from "../../plan/access-cases/finding.ts";
import type { NamedOrganization } from "../../plan/organization-name.ts";
import type { Assumed } from "../../policy/powers/reason.ts";
import type { WithNames } from "../../say/powers.ts";
import type { ErrorDescription, Head } from "./head.ts";

/** `userNames` has the live name of a user without an alias. */
export interface OrganizationCases extends NamedOrganization, WithNames<"userNames" | "tagNames" | "policyNames"> {
	/** The time from which cases without a time hold, ISO 8601 in UTC; null where the organization could not be read. */
	readonly at: string | null;
	readonly cases: readonly JudgedCase[];
	/** What no source documents and the verdicts rest on; left out where there is nothing. */
	readonly assumptions?: readonly Assumed[];
	/** Policies and clauses whose removal no case would notice; left out without `--coverage`. */
	readonly uncovered?: readonly Uncovered[];
	/** Why the organization could not be read; null where it was. */
	readonly error: ErrorDescription | null;
}

export interface TestResult extends Head<"test", ErrorDescription | null> {
	/** The state in which the cases were judged. */
	readonly state: "live" | "after" | "plan" | "offline";
	readonly organizations: readonly OrganizationCases[];
}

/** Whether it is a result of `test` that has cases. */
export function isTest(result: { readonly command: string }): result is TestResult {
	return result.command === "test" && "organizations" in result;
}
