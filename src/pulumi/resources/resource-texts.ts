/**
 * What each resource and each of its properties is, for the package schema. The comments of the resource classes and the
 * tables of docs/pulumi.md say the same, and a test compares them.
 */

/** A text: its own words, or those of a property of schemas/document.json, with what Pulumi adds to them. */
export type Text = string | { readonly document: string; readonly and?: string };

export interface ResourceTexts {
	readonly description: string;
	/** Every input, in the order in which pages list them. The schema adds what replaces the resource. */
	readonly inputs: Readonly<Record<string, Text>>;
	/** Every output, in the order in which pages list them. */
	readonly outputs: Readonly<Record<string, Text>>;
	/** Outputs that are always set although their inputs may be left out. */
	readonly filledIn: readonly string[];
}

const organization = "The organization, a UUID. Defaults to the Provider's.";
/** How a window says a time; the description of times in schemas/document.json. */
const timeFormat =
	"RFC 3339, for example `2026-12-01T00:00:00Z`, or a date with the name of a time zone, for example `2026-12-01 Europe/Berlin`.";
const organizationOutput = "The organization, in lower case.";

/** The texts of each resource by its name. */
export const resourceTexts: Readonly<Record<string, ResourceTexts>> = {
	UserTag: {
		description:
			"The name and the members of a user tag.\n\nIt adopts the live tag, by `tagId`, `name` or `previously`, and changes it with at most one `update_user_tag` per update. Creating fails if there is no such tag.",
		inputs: {
			name: { document: "userTag.name", and: "Changing it renames the tag." },
			organizationId: organization,
			tagId: { document: "userTag.id" },
			previously: {
				document: "userTag.previously",
				and: "Changing it submits nothing once the tag is found.",
			},
			members: {
				document: "userTag.members",
				and: "Either `exactly`, or `atLeast` and `never`: lists of user ids. For access with an end, an entry of the first two is an object with `user` and `until`. Changing it adds and removes members in one activity.",
			},
			limits:
				'How many members one update may remove, for example `{ memberRemovals: "25%" }`. Changing it submits nothing: it applies from the next update.',
			onDestroy:
				"What destroying the resource does: `keep` (the default) submits nothing, `removeMembers` removes the managed members from the tag. The tag itself stays: the service has no operation to delete it. Destroying fails while an activity of the resource is pending. Changing it submits nothing.",
		},
		outputs: {
			organizationId: organizationOutput,
			name: "The name of the tag.",
			tagId: "The id of the tag.",
			previously: { document: "userTag.previously" },
			members: "The managed members; after a refresh, the part of them that is in sync.",
			onDestroy: "What destroying the resource does.",
		},
		filledIn: ["organizationId", "tagId", "onDestroy"],
	},
	OauthProviderRemoval: {
		description:
			"OAuth providers that a user must not have.\n\nOne `delete_oauth_providers` removes those that exist. Destroying the resource submits nothing, and fails while its activity is pending.",
		inputs: {
			userId: "The user, a UUID.",
			providerIds:
				"Ids of OAuth providers that the user must not have. Changing it removes the providers that it adds; an id that it drops restores nothing.",
			organizationId: organization,
			limits:
				"How many OAuth providers one update may remove, for example `{ oauthProviders: 1 }`. Changing it submits nothing: it applies from the next update.",
		},
		outputs: {
			organizationId: organizationOutput,
			userId: "The user, in lower case.",
			providerIds: "The OAuth providers; after a refresh, those that do not exist.",
		},
		filledIn: ["organizationId"],
	},
	PolicyRemoval: {
		description:
			"Policies that must not exist.\n\nOne `delete_policies` removes those that do. Destroying the resource submits nothing, and fails while its activity is pending.",
		inputs: {
			policyIds: {
				document: "absent.policies",
				and: "Changing it removes the policies that it adds; an id that it drops restores nothing.",
			},
			organizationId: organization,
			limits:
				"How many policies one update may remove, for example `{ policies: 5 }`. Changing it submits nothing: it applies from the next update.",
		},
		outputs: {
			organizationId: organizationOutput,
			policyIds: "The policies; after a refresh, those that do not exist.",
		},
		filledIn: ["organizationId"],
	},
	TvcAppRemoval: {
		description:
			"A TVC app that must not exist.\n\nOne `delete_tvc_app_and_deployments` removes it and its deployments. Destroying the resource submits nothing, and fails while its activity is pending.",
		inputs: {
			appId: "The app, a UUID.",
			organizationId: organization,
			limits:
				"How many TVC apps one update may remove, for example `{ tvcApps: 1 }`. Changing it submits nothing: it applies from the next update.",
		},
		outputs: {
			organizationId: organizationOutput,
			appId: "The app, in lower case.",
		},
		filledIn: ["organizationId"],
	},
};

/** The object types of inputs and outputs by their names: what each is, and its properties. */
export const typeTexts: Readonly<
	Record<string, { readonly description: string; readonly properties: Readonly<Record<string, Text>> }>
> = {
	Members: {
		description: "The members of a user tag, by user id: either `exactly`, or `atLeast` and `never`.",
		properties: {
			exactly: { document: "userTag.members.exactly" },
			atLeast: { document: "userTag.members.atLeast" },
			never: { document: "userTag.members.never" },
		},
	},
	MemberWindow: {
		description: "A user who has the tag in a window, with at least one of `from` and `until`.",
		properties: {
			user: "The user, a UUID.",
			from: { document: "member.from", and: timeFormat },
			until: { document: "member.until", and: timeFormat },
			reason: { document: "member.reason" },
		},
	},
	UserTagLimits: {
		description: "How many members one update may remove.",
		properties: {
			memberRemovals: { document: "limits.memberRemovals" },
			expiries: { document: "limits.expiries" },
		},
	},
	PolicyRemovalLimits: {
		description: "How many policies one update may remove.",
		properties: { policies: { document: "limits.policies" } },
	},
	OauthProviderRemovalLimits: {
		description: "How many OAuth providers one update may remove.",
		properties: { oauthProviders: { document: "limits.oauthProviders" } },
	},
	TvcAppRemovalLimits: {
		description: "How many TVC apps one update may remove.",
		properties: { tvcApps: { document: "limits.tvcApps" } },
	},
};

/** The values of an input that has a fixed set of them, by the name of its type. */
export const enumTexts: Readonly<
	Record<string, { readonly description: string; readonly values: Readonly<Record<string, string>> }>
> = {
	OnDestroy: {
		description: "What destroying a user tag does.",
		values: {
			keep: "Submits nothing.",
			removeMembers: "Removes the managed members from the tag.",
		},
	},
	Reads: {
		description: "Which queries orgsync uses.",
		values: {
			auto: "The eight documented queries and, where the service has them, the extended reads.",
			documented: "Only the eight documented queries.",
		},
	},
};
