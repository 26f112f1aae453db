/** Policies. policies/ decides by them. */
import { duplicatePolicyNameMessage, invalidExpressionMessage, organizationLimits } from "../assumptions.ts";
import { laterTime, makeUuid, timeAt } from "../identifiers.ts";
import { PolicyError } from "../policies/tokens.ts";
import { checkExpressions, compileField } from "../policies/vocabularies.ts";
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

/** Returns whether a time is open. One that errs is not (the vendor's published types, `v1ActivePolicyStatus`). */
function judgeTime(time: string, nowMs: number): { readonly active: boolean; readonly error?: string } {
	try {
		return { active: compileField({ time }, "time")?.({ time: { now: nowMs } }) ?? true };
	} catch (error) {
		if (error instanceof PolicyError) return { active: false, error: error.message };
		throw error;
	}
}

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
	queries: {
		list_policies: ({ organization }) => [...organization.entities(policies).values()],
		get_active_policies: ({ organization, nowMs }) => ({
			statuses: [...organization.entities(policies).values()].map(({ policyId, time }) => ({
				...{ organizationId: organization.organizationId, policyId },
				...(time === undefined || time.trim() === ""
					? { active: true }
					: { timeExpr: time, ...judgeTime(time, nowMs) }),
			})),
			evaluatedAtMs: String(nowMs),
		}),
	},
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

type TextField = keyof typeof updateFields;
type PolicyTexts = Readonly<Partial<Record<TextField, string>>>;

/** Returns the texts that were sent, by the names of the policy. `nameOf` returns where a text is sent. */
function textsIn(parameters: JsonObject, nameOf: (field: TextField) => string): PolicyTexts {
	const fields = Object.keys(updateFields) as TextField[];
	const sent = fields.map((field) => [field, parameters[nameOf(field)]]);
	return Object.fromEntries(sent.filter(([, text]) => typeof text === "string"));
}

/** Returns the policy without a time that does not restrict it. */
function withoutEmptyTime({ time, ...policy }: Policy): Policy {
	return time === undefined || time === "" ? policy : { ...policy, time };
}

/** Throws a RequestError unless a policy can have these texts beside those of `others`. */
function checkTexts(texts: PolicyTexts, others: readonly PolicyTexts[]): void {
	const { policyName } = texts;
	const isTaken = policyName !== undefined && others.some((other) => other.policyName === policyName);
	if (isTaken) throw badRequest(duplicatePolicyNameMessage);
	checkExpressions(texts, (field, reason) => badRequest(`${invalidExpressionMessage} ${field}: ${reason}`));
}

/** Returns what creates policies, all or none. `rowsIn` returns the policies in the parameters. */
function creationOf(
	rowsIn: (parameters: JsonObject) => readonly JsonObject[],
	resultOf: (policyIds: readonly string[]) => JsonObject,
): SubmitHandler {
	const draftsIn = (parameters: JsonObject) => rowsIn(parameters).map((row) => textsIn(row, (field) => field));
	return {
		check(organization, parameters) {
			const all: PolicyTexts[] = [...organization.entities(policies).values()];
			for (const draft of draftsIn(parameters)) {
				checkTexts(draft, all);
				all.push(draft);
			}
			checkLimit(all.length, organizationLimits.policies, "policies");
		},
		execute({ nowMs }, parameters) {
			const created = draftsIn(parameters).map(({ policyName = "", ...texts }) => {
				const row = { policyId: makeUuid(nowMs), policyName, ...texts };
				return withoutEmptyTime(policies.complete(row, timeAt(nowMs)));
			});
			const result = resultOf(created.map(({ policyId }) => policyId));
			return { changes: created.map((policy) => putEntity(policies, policy)), result };
		},
	};
}

/** Returns a policy, and the texts that an update changes. Throws a RequestError when there is no such policy. */
function readUpdate({ entities, rules }: Organization, parameters: JsonObject) {
	const policy = findEntity(entities(policies), idIn(parameters, "policyId"), "policy");
	const isKept = (text: string, field: string) =>
		text === (policy[field as TextField] ?? "") || (text === "" && rules.emptyUpdate === "keep");
	const sent = Object.entries(textsIn(parameters, (field) => updateFields[field]));
	const changed: PolicyTexts = Object.fromEntries(sent.filter(([field, text]) => !isKept(text, field)));
	return { policy, changed };
}

function checkUpdate(organization: Organization, parameters: JsonObject): void {
	const { changed } = readUpdate(organization, parameters);
	checkTexts(changed, [...organization.entities(policies).values()]);
}

function executeUpdate({ organization, nowMs }: OperationContext, parameters: JsonObject) {
	const { policy, changed } = readUpdate(organization, parameters);
	const { policyId } = policy;
	if (Object.keys(changed).length === 0) return { changes: [], result: { policyId } };
	const updatedAt = laterTime(nowMs, policy.updatedAt);
	const changes = [putEntity(policies, withoutEmptyTime({ ...policy, ...changed, updatedAt }))];
	return { changes, result: { policyId } };
}
