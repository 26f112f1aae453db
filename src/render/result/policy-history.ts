/** The result of `explain policy:NAME`. */

import type { PolicyEvent } from "../../plan/activities/policy-history.ts";
import type { WithNames } from "../../say/powers.ts";
import type { Head } from "./head.ts";

export interface ExplainPolicyResult extends Head<"explain">, WithNames<"userNames" | "liveNames" | "tagNames"> {
	readonly organizationId: string;
	/** As the call names it: the name or the id. */
	readonly address: string;
	/** Ids of live policies with this name or id; null where policies could not be read. */
	readonly livePolicyIds: readonly string[] | null;
	readonly history: readonly PolicyEvent[];
	/** Whether all activities of the organization were listed. */
	readonly isComplete: boolean;
}
