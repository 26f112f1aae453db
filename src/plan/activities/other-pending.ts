/** Pending activities on policies and user tags that no step of a plan is about: whichever user submitted them, they can still be approved. */
import type { Known, LiveOrganization } from "../organization.ts";
import type { ActivityState } from "../step.ts";
import type { PendingActivity, RelatedActivity } from "./pending.ts";

export type OtherPending = Pick<ActivityState & { readonly state: "pending" }, "state" | "status"> &
	Pick<
		PendingActivity,
		"activityId" | "fingerprint" | "createdAt" | "approvedBy" | "lapsed" | "liveNames" | "saidBy"
	> & {
		readonly activityId: string;
		readonly action: "create" | "update" | "remove";
		readonly kind: "policy" | "userTag";
		/** Names of what it creates, and of what it changes or removes the live names, or ids where no name is known. */
		readonly objects: readonly string[];
	};

/** Returns those that the plan does not list already, with live names in place of ids. */
export function findOtherPending(
	all: readonly OtherPending[],
	waiting: readonly RelatedActivity[],
	{ userTags, policies, removables }: LiveOrganization,
): readonly OtherPending[] {
	const related = new Set(waiting.map(({ activityId }) => activityId?.toLowerCase()));
	const lists: readonly Known<readonly { readonly id: string; readonly name: string }[]>[] = [
		userTags,
		policies ?? removables.policy,
	];
	const live = lists.flatMap((known) => (known.known ? known.value : []));
	const names = new Map(live.map(({ id, name }) => [id, name]));
	return all
		.filter(({ activityId }) => !related.has(activityId.toLowerCase()))
		.map((one) => ({ ...one, objects: one.objects.map((object) => names.get(object) ?? object) }));
}
