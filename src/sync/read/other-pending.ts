/** Reads the pending activities of any user on policies and user tags, and that give users credentials. */
import { activityTable } from "../../common/activity-table.ts";
import { isRecord } from "../../common/json.ts";
import type { OtherPending, OthersAsked } from "../../plan/activities/other-pending.ts";
import { readAnyActivity } from "../../wire/activity.ts";
import type { Reader } from "../../wire/client.ts";
import { type ActivityRecord, listPages } from "./list-activities.ts";
import { pendingOf, pendingStatuses } from "./pending-activities.ts";

const ofWritten = /^(CREATE|UPDATE|DELETE)_(POLIC|USER_TAG)/;
const ofCredential = /^(CREATE)_(API_KEYS|AUTHENTICATORS|OAUTH_PROVIDERS)/;

const types: readonly string[] = activityTable.split("\n").map((row) => row.split(" ")[0] ?? "");

const kinds = { POLIC: "policy", USER_TAG: "userTag" } as const;
const actions = { CREATE: "create", UPDATE: "update", DELETE: "remove" } as const;

/** Returns them, oldest last, and whether the service listed them all. Throws what Reader.query throws, other than denials. */
export async function readOtherPending(
	organizationId: string,
	{ written, credentialsOf }: OthersAsked,
	reader: Reader,
): Promise<{ readonly otherPending: readonly OtherPending[]; readonly isComplete: boolean }> {
	const patterns = [...(written ? [ofWritten] : []), ...(credentialsOf?.length === 0 ? [] : [ofCredential])];
	const asked = types.filter((type) => patterns.some((pattern) => pattern.test(type)));
	const filterByType = asked.map((type) => `ACTIVITY_TYPE_${type}`);
	const filters = { organizationId, filterByType, filterByStatus: pendingStatuses };
	const isAsked = ({ kind, objects: [userId = ""] }: OtherPending): boolean =>
		kind === "credential" ? (credentialsOf?.includes(userId) ?? true) : written;
	const otherPending: OtherPending[] = [];
	let isComplete = false;
	for await (const { activities, isLast, serverTimeMs } of listPages(reader, filters)) {
		otherPending.push(...activities.flatMap((one) => toOtherPending(one, serverTimeMs)).filter(isAsked));
		isComplete = isLast;
	}
	return { otherPending, isComplete };
}

function toOtherPending(record: ActivityRecord, atMs: number | undefined): readonly OtherPending[] {
	const activity = readAnyActivity(record);
	const type = activity.type.replace("ACTIVITY_TYPE_", "");
	const found = ofWritten.exec(type) ?? ofCredential.exec(type);
	if (found === null || !pendingStatuses.includes(activity.status)) return [];
	const [, verb, object = ""] = found;
	return [
		{
			...pendingOf(activity, atMs, {}),
			action: actions[verb as keyof typeof actions],
			kind: kinds[object as keyof typeof kinds] ?? "credential",
			objects: objectsIn(activity.intent ?? {}),
		},
	];
}

const idFields = ["policyId", "policyIds", "userTagId", "userTagIds", "userId"] as const;

/** Returns the ids of what the intent changes; where it has none, the names of what it creates. */
function objectsIn(intent: Readonly<Record<string, unknown>>): readonly string[] {
	const ids = idFields.flatMap((field) => intent[field] ?? []).map((id) => String(id).toLowerCase());
	if (ids.length > 0) return ids;
	const created = Array.isArray(intent.policies) ? intent.policies.filter(isRecord) : [intent];
	return created
		.flatMap(({ policyName, userTagName }) => [policyName, userTagName].flatMap((name) => name ?? []))
		.map(String);
}
