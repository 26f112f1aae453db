/**
 * Pending activities that no step of a plan is about, on policies and user tags, and that give a user a credential: whichever user
 * submitted them, they can still be approved.
 */
import { defined, nonEmpty } from "../../common/defined.ts";
import { statesPolicies } from "../kinds/policy-changes.ts";
import type { DesiredOrganization, DesiredRule, LiveOrganization, Named } from "../organization.ts";
import type { ActivityState } from "../step.ts";
import type { PendingActivity, RelatedActivity } from "./pending.ts";

export type OtherPending = Pick<ActivityState & { readonly state: "pending" }, "state" | "status"> &
	Pick<
		PendingActivity,
		"activityId" | "fingerprint" | "createdAt" | "approvedBy" | "lapsed" | "liveNames" | "saidBy"
	> & {
		readonly activityId: string;
		readonly action: "create" | "update" | "remove";
		readonly kind: "policy" | "userTag" | "credential";
		/**
		 * Names of what it creates, and of what it changes or removes the live names, or ids where no name is known; of credentials
		 * the id of the user.
		 */
		readonly objects: readonly string[];
		/** The live objects that have the names of what it creates; left out where there is none. */
		readonly taken?: readonly Named[];
	};

/** Which of them a plan shows. */
export interface OthersAsked {
	/** Whether those on policies and user tags. */
	readonly written: boolean;
	/** Those that give one of these users a credential; null: any user. */
	readonly credentialsOf: readonly string[] | null;
}

/** Returns which the document asks for; undefined where it states no policy, protects no user and has no rule about credentials. */
export function othersAsked(desired: DesiredOrganization, rules: readonly DesiredRule[]): OthersAsked | undefined {
	const credentialsOf = rules.some(({ rule }) => rule === "credentials") ? null : desired.protect.userIds;
	const written = statesPolicies(desired);
	return written || credentialsOf?.length !== 0 ? { written, credentialsOf } : undefined;
}

/** Returns those that the plan does not list already, with live names in place of ids. */
export function findOtherPending(
	all: readonly OtherPending[],
	waiting: readonly RelatedActivity[],
	{ userTags, policies, removables }: LiveOrganization,
): readonly OtherPending[] {
	const related = new Set(waiting.map(({ activityId }) => activityId?.toLowerCase()));
	const lists = { userTag: userTags, policy: policies ?? removables.policy };
	const live = Object.values(lists).flatMap((known): readonly Named[] => (known.known ? known.value : []));
	const names = new Map(live.map(({ id, name }) => [id, name]));
	const holdersOf = ({ action, kind, objects }: OtherPending): readonly Named[] => {
		const known = action === "create" && kind !== "credential" ? lists[kind] : undefined;
		const held: readonly Named[] = known?.known === true ? known.value : [];
		return held.flatMap(({ id, name }) => (objects.includes(name) ? [{ id, name }] : []));
	};
	return all
		.filter(({ activityId }) => !related.has(activityId.toLowerCase()))
		.map((one) => ({
			...one,
			objects: one.objects.map((object) => names.get(object) ?? object),
			...defined({ taken: nonEmpty(holdersOf(one)) }),
		}));
}
