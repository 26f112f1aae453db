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

/** By kind: the type without `ACTIVITY_TYPE_`, the same for every version of a type. */
export const activityKinds: Readonly<Record<string, Target>> = Object.fromEntries(
	[
		...["UPDATE_USER_TAG", "DELETE_OAUTH_PROVIDERS", "DELETE_POLICIES", "DELETE_TVC_APP_AND_DEPLOYMENTS"],
		"INIT_IMPORT_PRIVATE_KEY",
	].map((name) => [name, targetOf(name)]),
);

/** What a kind of activity changes of credentials. The last stands for every kind that has no name here. */
const credentialParts = ["API_KEYS", "AUTHENTICATORS", "OAUTH_PROVIDERS", "CREDENTIALS"];

function describe(kind: string, { resource, action }: Target): Value {
	return { type: `ACTIVITY_TYPE_${kind}`, kind, resource, action };
}

/** Returns the keyword `activity` of an activity of this type. Throws an Error for a type that the emulator does not make. */
export function describeForPolicies(type: string): Value {
	const kind = type.replace(/^ACTIVITY_TYPE_/, "");
	const target = activityKinds[kind];
	if (target === undefined) throw new Error(`no resource and action are known of ${type}`);
	return describe(kind, target);
}

/** The keyword `activity` of the activities that change credentials, of which the emulator makes one. */
export const credentialActivities: readonly Value[] = credentialParts.flatMap((part) =>
	["CREATE", "UPDATE", "DELETE"].map((action) => describe(`${action}_${part}`, { resource: "CREDENTIAL", action })),
);
