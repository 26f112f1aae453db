/** The activity types of the service, as policies see them (docs/internals/policies.md#activities). */

import { activityTable } from "../../common/activity-table.ts";

export interface ActivityType {
	/** For example `ACTIVITY_TYPE_CREATE_USERS_V4`. */
	readonly type: string;
	/** The type without its version, for example `CREATE_USERS`. */
	readonly kind: string;
	/** Null where it is not documented: a condition that needs it is then unknown. Both are null, or none. */
	readonly resource: string | null;
	readonly action: string | null;
	/** Whether only the root quorum can do it: policies are not asked. */
	readonly rootQuorumOnly: boolean;
	/** The fields of `activity.params`; any other is missing. */
	readonly params: readonly string[];
}

/** Returns the kind of a type: the type without its version. */
export const kindOfType = (type: string): string => type.replace(/^ACTIVITY_TYPE_/, "").replace(/_V\d+$/, "");

function readType(line: string): ActivityType {
	const [name = "", , pair = "-", , root, params = "-"] = line.split(" ");
	const [resource = null, action = null] = pair === "-" ? [] : pair.split("/");
	return {
		type: `ACTIVITY_TYPE_${name}`,
		kind: kindOfType(name),
		resource,
		action,
		rootQuorumOnly: root === "root",
		params: params === "-" ? [] : params.split(","),
	};
}

/** All types, sorted. */
export const activityTypes: readonly ActivityType[] = activityTable.trim().split("\n").map(readType);

const byName = new Map(activityTypes.map((one) => [one.type, one]));

/** Returns the type of this name; undefined where the table has none. */
export const findType = (type: string): ActivityType | undefined => byName.get(type);

const byKind = Map.groupBy(activityTypes, ({ kind }) => kind);

/** Returns the versions of a kind, which may differ in what is documented of them; none of a kind that the table lacks. */
export const typesOfKind = (kind: string): readonly ActivityType[] => byKind.get(kind) ?? [];
