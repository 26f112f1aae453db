/** Groups of activities (docs/powers.md#groups): pairs of resource and action; a kind or type where a policy names it. */

import { type PowerName, powersByName } from "../activities/named-powers.ts";
import { type ActivityType, activityTypes, typesOfKind } from "../activities/types.ts";

export type ActivityGroup =
	| { readonly resource: string; readonly action: string }
	| { readonly kind: string }
	| { readonly type: string };

/** Resources of activities, as policies name them. */
export const activityResources = [
	...["AUTH", "AUTH_PROXY", "CONFIG", "CREDENTIAL", "FIAT_TRANSACTION", "INVITATION", "MFA_POLICY"],
	...["ON_RAMP_CREDENTIALS", "ORGANIZATION", "OTP", "PAYMENT_METHOD", "POLICY", "PRIVATE_KEY", "RECOVERY"],
	...["SESSION_PROFILE", "SMART_CONTRACT_INTERFACE", "SPONSORSHIP", "SUBSCRIPTION", "TVC_APP", "TVC_DEPLOYMENT"],
	...["TVC_OPERATOR", "TVC_QUORUM_KEY", "USER", "WALLET", "WEBHOOK_ENDPOINT"],
] as const;

/** Actions of activities, as policies name them. */
export const activityActions = ["CREATE", "UPDATE", "DELETE", "SIGN", "EXPORT", "IMPORT", "VERIFY", "ENCRYPT"] as const;

/** The groups of each named power: pairs of which all types are in it, then kinds and types without a documented pair. */
export const namedPowers = Object.fromEntries(
	powersByName.map(({ name, types, pairs }) => [name, groupsOf(types, pairs)]),
) as unknown as Readonly<Record<PowerName, readonly ActivityGroup[]>>;

export type { PowerName } from "../activities/named-powers.ts";

/** The groups that one person alone must not get hold of where two or more were needed (the guard `escalation`), as reports write them. */
export const sensitiveGroups: ReadonlyMap<string, ActivityGroup> = new Map(
	powersByName
		.flatMap(({ name, isSensitive }) => (isSensitive ? namedPowers[name] : []))
		.map((group) => [printGroup(group), group]),
);

function groupsOf(types: ReadonlySet<string>, pairs: readonly string[]): readonly ActivityGroup[] {
	const groups = new Map<string, ActivityGroup>();
	for (const one of activityTypes.filter(({ type }) => types.has(type))) {
		const group = groupOfType(one);
		groups.set(printGroup(group), group);
	}
	const order = (group: ActivityGroup): number => {
		if (!("resource" in group)) return groups.size + pairs.length;
		const index = pairs.indexOf(printGroup(group));
		return index < 0 ? pairs.length : index;
	};
	return [...groups.values()].sort((one, other) => order(one) - order(other));
}

/** Returns the group of a type: its resource and action; without these its kind, or itself where its kind has another group. */
function groupOfType({ type, kind, resource, action }: ActivityType): ActivityGroup {
	if (resource !== null && action !== null) return { resource, action };
	return typesOfKind(kind).every((one) => one.resource === null) ? { kind } : { type };
}

/** Returns the group as reports write it: `POLICY/DELETE`, `kind CREATE_WALLET`, `type ACTIVITY_TYPE_…`. */
export function printGroup(group: ActivityGroup): string {
	if ("kind" in group) return `kind ${group.kind}`;
	if ("type" in group) return `type ${group.type}`;
	return `${group.resource}/${group.action}`;
}

/** Returns the types of activities that are in the group, as far as the table has them. */
export function typesOf(group: ActivityGroup): readonly ActivityType[] {
	if ("kind" in group) return typesOfKind(group.kind);
	return activityTypes.filter((one) =>
		"type" in group ? one.type === group.type : one.resource === group.resource && one.action === group.action,
	);
}

/** Returns the actions that activities on the resource have; all of them for one of which no activity is documented. */
export function actionsOf(resource: string): readonly string[] {
	const found = new Set(activityTypes.flatMap((one) => (one.resource === resource ? (one.action ?? []) : [])));
	return activityActions.filter((action) => found.size === 0 || found.has(action));
}

/** Returns the groups as reports write them, `POLICY/*` for all actions of a resource, where its first action is. */
export function printGroups(groups: readonly ActivityGroup[]): readonly string[] {
	const whole = wholeResources(groups);
	const printed = groups.map((group) =>
		"resource" in group && whole.has(group.resource) ? `${group.resource}/*` : printGroup(group),
	);
	return [...new Set(printed)];
}

/** Returns the resources of which all actions are among the groups. */
export function wholeResources(groups: readonly ActivityGroup[]): ReadonlySet<string> {
	const pairs = groups.filter((group) => "resource" in group);
	const printed = new Set(pairs.map(printGroup));
	const resources = [...new Set(pairs.map(({ resource }) => resource))];
	return new Set(
		resources.filter((resource) => {
			// Up to three are better named.
			const actions = actionsOf(resource).length > 3 ? actionsOf(resource) : activityActions;
			return actions.every((action) => printed.has(printGroup({ resource, action })));
		}),
	);
}

/** Returns the name of the power to which the group belongs; null for a group without a name. */
export function nameOfGroup(group: ActivityGroup): PowerName | null {
	const printed = printGroup(group);
	const names = Object.keys(namedPowers) as PowerName[];
	return names.find((name) => namedPowers[name].some((one) => printGroup(one) === printed)) ?? null;
}
