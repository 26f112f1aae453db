import { type ObjectNames, tagNamesOf } from "../../plan/activities/activity-objects.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import { namesOfUsers } from "../../plan/plan.ts";
import type { JournalSummary } from "../../sync/journal/journal.ts";
import { parametersOf } from "../../wire/request-body.ts";

/** Returns the names of an organization's objects that are known without a request: the document's and the journal's. */
export function namesFrom(
	organizationId: string,
	desired: DesiredOrganization | undefined,
	journal: Pick<JournalSummary, "openEntries" | "lastApplied">,
): ObjectNames {
	const requests = journal.openEntries(organizationId).map(({ body, covers }) => {
		return { operation: body.operation.name, parameters: parametersOf(body), covers };
	});
	const { userTags } = journal.lastApplied(organizationId);
	return {
		userNames: namesOfUsers(desired),
		tagNames: tagNamesOf(desired, { requests, userTags }),
	};
}
