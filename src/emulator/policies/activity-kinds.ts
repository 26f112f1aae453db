/** The activities that the emulator makes, as a policy's condition sees them (docs/internals/service.md#orgsyncs-activities-as-policies-see-them). */
import { activityTable } from "../../common/activity-table.ts";
import type { Value } from "./types.ts";

interface Target {
	readonly resource: string;
	readonly action: string;
}

/** Returns the resource and action of a type, without `ACTIVITY_TYPE_`, as the vendor's table has them. */
function targetOf(name: string): Target {
	const row = activityTable.split("\n").find((line) => line.startsWith(`${name} `));
	const [resource, action] = row?.split(" ")[2]?.split("/") ?? [];
	if (resource === undefined || action === undefined) throw new Error(`no resource and action are known of ${name}`);
	return { resource, action };
}

/** What a kind of activity changes of credentials. The last stands for every kind that has no name here. */
const credentialParts = ["API_KEYS", "AUTHENTICATORS", "OAUTH_PROVIDERS", "CREDENTIALS"];

/** `kind` is the type without `ACTIVITY_TYPE_` and version. */
function describe(type: string, { resource, action }: Target): Value {
	return { type, kind: type.replace(/^ACTIVITY_TYPE_|_V[0-9]+$/g, ""), resource, action };
}

/** Returns the keyword `activity` of an activity of this type. Throws an Error for a type that the vendor's table has not. */
export function describeForPolicies(type: string): Value {
	return describe(type, targetOf(type.replace(/^ACTIVITY_TYPE_/, "")));
}

/** The keyword `activity` of the activities that change credentials, of which the emulator makes two. */
export const credentialActivities: readonly Value[] = credentialParts.flatMap((part) =>
	["CREATE", "UPDATE", "DELETE"].map((action) =>
		describe(`ACTIVITY_TYPE_${action}_${part}`, { resource: "CREDENTIAL", action }),
	),
);
