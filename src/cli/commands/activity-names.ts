import { ifAvailable } from "../../common/errors.ts";
import { type ObjectNames, tagNamesOf } from "../../plan/activities/activity-objects.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import { namesOfUsers } from "../../plan/plan.ts";
import type { JournalSummary } from "../../sync/journal/journal.ts";
import { recordsOf, toId } from "../../sync/read/live-objects.ts";
import type { Reader } from "../../wire/client.ts";
import { extendedReads, queries } from "../../wire/operations.ts";
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

const lists = {
	users: [extendedReads.list_users, "users", "userId", "userName"],
	tags: [queries.list_user_tags, "userTags", "tagId", "tagName"],
} as const;

/** Returns live names by id, of what is shown; none where the service does not list them to this key. */
export async function readNamesOf(
	reader: Reader,
	organizationId: string,
	which: keyof typeof lists,
	isShown: (id: string) => boolean,
): Promise<Readonly<Record<string, string>>> {
	const [operation, list, id, name] = lists[which];
	const answer = await ifAvailable(reader.query(operation, { organizationId }));
	const named = recordsOf(answer?.value ?? {}, list).filter((one) => isShown(toId(one[id])) && one[name]);
	return Object.fromEntries(named.map((one) => [toId(one[id]), String(one[name])]));
}
