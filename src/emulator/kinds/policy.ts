/** Policies, which the emulator shows and does not evaluate. */
import { organizationLimits } from "../assumptions.ts";
import type { Time } from "../identifiers.ts";
import {
	type EntityKind,
	findEntity,
	idsIn,
	listSection,
	removeEntity,
	type SeedRow,
	withTimes,
} from "./entity-kind.ts";

export interface Policy {
	readonly policyId: string;
	readonly policyName: string;
	readonly effect: string;
	readonly condition: string;
	readonly consensus: string;
	readonly notes: string;
	readonly createdAt: Time;
	readonly updatedAt: Time;
}

type SeedPolicy = SeedRow<Policy, "policyId" | "policyName">;

export const policies: EntityKind<Policy, SeedPolicy, readonly SeedPolicy[], "policies"> = {
	section: "policies",
	...listSection<Policy, SeedPolicy>("policyId"),
	max: { count: organizationLimits.policies, label: "policies" },
	uniqueFields: { policyId: "this policy id", policyName: "this policy name" },
	complete: (seed, now) => ({
		effect: "EFFECT_ALLOW",
		condition: "",
		consensus: "",
		notes: "",
		...withTimes(seed, now),
		policyId: seed.policyId.toLowerCase(),
	}),
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
