/** Policies. policies/ decides by them. */
import { duplicatePolicyNameMessage, invalidExpressionMessage, organizationLimits } from "../assumptions.ts";
import { laterTime, timeAt } from "../identifiers.ts";
import { checkExpressions } from "../policies/vocabularies.ts";
import { badRequest } from "../request-error.ts";
import type { OperationContext, Organization } from "../state.ts";
import {
	checkLimit,
	type EntityKind,
	findEntity,
	idIn,
	idsIn,
	type JsonObject,
	listSection,
	putEntity,
	removeEntity,
	type SeedRow,
	type SubmitHandler,
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
		create_policies: creationOf(
			({ policies: rows }) => rows as readonly JsonObject[],
			(policyIds) => ({ policyIds }),
		),
		create_policy: creationOf(
			(parameters) => [parameters],
			([policyId]) => ({ policyId }),
		),
		update_policy: { check: checkUpdate, execute: executeUpdate },
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

/** The texts of a policy, and where an update has each. */
const updateFields = {
	policyName: "policyName",
	effect: "policyEffect",
	condition: "policyCondition",
	consensus: "policyConsensus",
	notes: "policyNotes",
	time: "time",
} as const;

/** Returns the texts that were sent, by the names of the policy. */
function textsIn(parameters: JsonObject, nameOf: (field: keyof typeof updateFields) => string): JsonObject {
	const fields = Object.keys(updateFields) as (keyof typeof updateFields)[];
	const sent = fields.filter((field) => typeof parameters[nameOf(field)] === "string");
	return Object.fromEntries(sent.map((field) => [field, parameters[nameOf(field)]]));
}

/** Returns the policy without a time that does not restrict it. */
function withoutEmptyTime({ time, ...policy }: Policy): Policy {
	return time === undefined || time === "" ? policy : { ...policy, time };
}

/** Throws a RequestError unless policies can have these texts beside the policies of these names. Adds their names. */
function checkTexts(policy: JsonObject, names: Set<unknown>): void {
	if (names.has(policy.policyName)) throw badRequest(duplicatePolicyNameMessage);
	names.add(policy.policyName);
	checkExpressions(policy, (field, reason) => badRequest(`${invalidExpressionMessage} ${field}: ${reason}`));
}

function namesOf(organization: Organization, exceptId?: string): Set<unknown> {
	const others = [...organization.entities(policies).values()].filter(({ policyId }) => policyId !== exceptId);
	return new Set(others.map(({ policyName }) => policyName));
}

/** Returns what creates policies, all or none. `rowsIn` are the policies in the parameters. */
function creationOf(
	rowsIn: (parameters: JsonObject) => readonly JsonObject[],
	resultOf: (policyIds: readonly string[]) => JsonObject,
): SubmitHandler {
	return {
		check(organization, parameters) {
			const rows = rowsIn(parameters);
			const names = namesOf(organization);
			for (const row of rows) checkTexts(row, names);
			const count = organization.entities(policies).size + rows.length;
			checkLimit(count, organizationLimits.policies, "policies");
		},
		execute({ nowMs, makeId }, parameters) {
			const created = rowsIn(parameters).map((row) => {
				const texts = textsIn(row, (field) => field) as unknown as SeedPolicy;
				return withoutEmptyTime(policies.complete({ ...texts, policyId: makeId(nowMs) }, timeAt(nowMs)));
			});
			const result = resultOf(created.map(({ policyId }) => policyId));
			return { changes: created.map((policy) => putEntity(policies, policy)), result };
		},
	};
}

/** Returns the policy with what an update sends. Throws a RequestError when there is no such policy. */
function updated(organization: Organization, parameters: JsonObject): Policy {
	const policy = findEntity(organization.entities(policies), idIn(parameters, "policyId"), "policy");
	const keepsEmpty = organization.rules.emptyUpdate === "keep";
	const sent = Object.entries(textsIn(parameters, (field) => updateFields[field]));
	return withoutEmptyTime({ ...policy, ...Object.fromEntries(sent.filter(([, text]) => text !== "" || !keepsEmpty)) });
}

function checkUpdate(organization: Organization, parameters: JsonObject): void {
	const policy = updated(organization, parameters);
	checkTexts(policy as unknown as JsonObject, namesOf(organization, policy.policyId));
}

function executeUpdate({ organization, nowMs }: OperationContext, parameters: JsonObject) {
	const policy = updated(organization, parameters);
	const before = organization.entities(policies).get(policy.policyId);
	const isSame = Object.keys(updateFields).every(
		(field) => policy[field as keyof Policy] === before?.[field as keyof Policy],
	);
	const updatedAt = isSame ? policy.updatedAt : laterTime(nowMs, policy.updatedAt);
	return { changes: [putEntity(policies, { ...policy, updatedAt })], result: { policyId: policy.policyId } };
}
