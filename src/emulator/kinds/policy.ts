/** Policies. policies/ decides by them. */
import { organizationLimits } from "../assumptions.ts";
import {
	type EntityKind,
	findEntity,
	idsIn,
	listSection,
	removeEntity,
	type SeedRow,
	type Texts,
} from "./entity-kind.ts";

export type Policy = Texts<"policyId" | "policyName" | "effect" | "condition" | "consensus" | "notes"> & {
	/** Left out, the policy takes part at any time. */
	readonly time?: string;
};

type SeedPolicy = SeedRow<Policy, "policyId" | "policyName">;

export const policies: EntityKind<Policy, SeedPolicy, readonly SeedPolicy[], "policies"> = {
	section: "policies",
	...listSection<Policy, SeedPolicy>("policyId", {
		effect: "EFFECT_ALLOW",
		condition: "",
		consensus: "",
		notes: "",
	}),
	max: { count: organizationLimits.policies, label: "policies" },
	uniqueFields: { policyId: "this policy id", policyName: "this policy name" },
	queries: { list_policies: ({ organization }) => [...organization.entities(policies).values()] },
	submits: {
		delete_policies: {
			check(organization, parameters) {
				const known = organization.entities(policies);
				for (const policyId of idsIn(parameters, "policyIds")) findEntity(known, policyId, "policy");
			},
			execute(_context, parameters) {
				const policyIds = [...new Set(idsIn(parameters, "policyIds"))];
				return { changes: policyIds.map((id) => removeEntity(policies, id)), result: { policyIds } };
			},
		},
	},
};
