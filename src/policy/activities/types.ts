/** The activity types of the service, as policies see them (docs/internals/policies.md#activities). */

import { activityTable } from "../../common/activity-table.ts";
import { groupBy } from "../../common/group-by.ts";

/** Where a kind, or a resource and action, are documented. `type`: nowhere; the kind is the type without its version. */
type KindSource = "docs" | "later" | "type";

/** `listed` with the type, or `inferred` from another version of its kind. Null: not documented. */
type PairSource = "listed" | "inferred" | null;

export interface ActivityType {
	/** For example `ACTIVITY_TYPE_CREATE_USERS_V4`. */
	readonly type: string;
	/** The type without its version, for example `CREATE_USERS`. */
	readonly kind: string;
	readonly kindSource: KindSource;
	/** Null where it is not documented: a condition that needs it is then unknown. Both are null, or none. */
	readonly resource: string | null;
	readonly action: string | null;
	readonly pairSource: PairSource;
	/** Whether only the root quorum can do it: policies are not asked. */
	readonly rootQuorumOnly: boolean;
	/** The fields of `activity.params`; any other is missing. */
	readonly params: readonly string[];
}

/** What of an activity policies can tell apart, apart from its version: kind, resource and action, with the types that have them. */
interface Combination {
	readonly kind: string;
	readonly resource: string | null;
	readonly action: string | null;
	readonly rootQuorumOnly: boolean;
	readonly types: readonly string[];
}

/** Returns the kind of a type: the type without its version. */
export const kindOfType = (type: string): string => type.replace(/^ACTIVITY_TYPE_/, "").replace(/_V\d+$/, "");

function readType(line: string): ActivityType {
	const [name = "", kindSource, pair = "-", pairSource, root, params = "-"] = line.split(" ");
	const [resource = null, action = null] = pair === "-" ? [] : pair.split("/");
	return {
		type: `ACTIVITY_TYPE_${name}`,
		kind: kindOfType(name),
		kindSource: kindSource === "docs" || kindSource === "later" ? kindSource : "type",
		resource,
		action,
		pairSource: pairSource === "listed" || pairSource === "inferred" ? pairSource : null,
		rootQuorumOnly: root === "root",
		params: params === "-" ? [] : params.split(","),
	};
}

/** All types, sorted. */
export const activityTypes: readonly ActivityType[] = activityTable.trim().split("\n").map(readType);

const byName = new Map(activityTypes.map((one) => [one.type, one]));

/** Returns the type of this name; undefined where the table has none. */
export const findType = (type: string): ActivityType | undefined => byName.get(type);

/** The combinations that exist, in the order of their first types: versions of a kind may differ in what is documented of them. */
export const combinations: readonly Combination[] = groupBy(
	activityTypes,
	({ kind, resource, action }) => `${kind} ${resource}/${action}`,
).map((types) => ({ ...shared(types[0]), types: types.map(({ type }) => type) }));

function shared({ kind, resource, action, rootQuorumOnly }: ActivityType): Omit<Combination, "types"> {
	return { kind, resource, action, rootQuorumOnly };
}
