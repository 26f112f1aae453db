/** Groups of activities (docs/powers.md#groups): pairs of resource and action; a kind or type where a policy names it. */

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

/** The names that rules and reports use, each with its groups. One table: docs/powers.md#names shows it. */
export const namedPowers = {
	sign: [{ resource: "PRIVATE_KEY", action: "SIGN" }],
	export: [
		{ resource: "WALLET", action: "EXPORT" },
		{ resource: "PRIVATE_KEY", action: "EXPORT" },
	],
	policies: [
		{ resource: "POLICY", action: "CREATE" },
		{ resource: "POLICY", action: "UPDATE" },
		{ resource: "POLICY", action: "DELETE" },
	],
	users: [
		{ resource: "USER", action: "CREATE" },
		{ resource: "USER", action: "UPDATE" },
		{ resource: "USER", action: "DELETE" },
	],
	credentials: [
		{ resource: "CREDENTIAL", action: "CREATE" },
		{ resource: "CREDENTIAL", action: "DELETE" },
	],
	wallets: [{ resource: "WALLET", action: "CREATE" }],
	organizations: [
		{ resource: "ORGANIZATION", action: "CREATE" },
		{ resource: "ORGANIZATION", action: "DELETE" },
	],
	imports: [{ resource: "PRIVATE_KEY", action: "IMPORT" }],
	apps: [{ resource: "TVC_APP", action: "DELETE" }],
} as const satisfies Readonly<Record<string, readonly ActivityGroup[]>>;

export type PowerName = keyof typeof namedPowers;

/** Powers of which one person alone must not get hold where two or more were needed: the guard `escalation`. */
export const sensitivePowers = [
	"sign",
	"export",
	"policies",
	"users",
	"credentials",
] as const satisfies readonly PowerName[];

/** Returns the group as reports write it: `POLICY/DELETE`, `kind CREATE_WALLET`, `type ACTIVITY_TYPE_…`. */
export function printGroup(group: ActivityGroup): string {
	if ("kind" in group) return `kind ${group.kind}`;
	if ("type" in group) return `type ${group.type}`;
	return `${group.resource}/${group.action}`;
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
		resources.filter((resource) => activityActions.every((action) => printed.has(printGroup({ resource, action })))),
	);
}

/** Returns the name of the power to which the group belongs; null for a group without a name. */
export function nameOfGroup(group: ActivityGroup): PowerName | null {
	const printed = printGroup(group);
	const names = Object.keys(namedPowers) as PowerName[];
	return names.find((name) => namedPowers[name].some((one) => printGroup(one) === printed)) ?? null;
}
