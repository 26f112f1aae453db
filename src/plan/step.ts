/** Steps: the activities that a plan submits. Types and lookups only; steps.ts makes them. */
import type { Approval } from "../policy/powers/forecast.ts";
import type { AddressText } from "./address.ts";
import type { TagChange } from "./change.ts";
import type { RemovalKindName } from "./kinds/names.ts";

/** What an activity is submitted with, by operation: ids in lower case, lists sorted, so that equal requests have equal bytes. */
export interface StepParameters {
	readonly update_user_tag: {
		readonly userTagId: string;
		readonly newUserTagName?: string;
		readonly addUserIds: readonly string[];
		readonly removeUserIds: readonly string[];
	};
	readonly delete_oauth_providers: { readonly userId: string; readonly providerIds: readonly string[] };
	readonly delete_policies: { readonly policyIds: readonly string[] };
	readonly delete_tvc_app_and_deployments: { readonly appId: string };
	readonly create_user_tag: { readonly userTagName: string; readonly userIds: readonly string[] };
	readonly delete_user_tags: { readonly userTagIds: readonly string[] };
	readonly create_policies: { readonly policies: readonly NewPolicy[] };
	/** All of it, so that what is approved later is what was reviewed. */
	readonly update_policy: {
		readonly policyId: string;
		readonly policyName: string;
		readonly policyEffect: string;
		readonly policyCondition: string;
		readonly policyConsensus: string;
		readonly policyNotes: string;
		/** Left out where the policy has no window, before and after: a service may lack windows. */
		readonly time?: string;
	};
}

/** A policy as `create_policies` takes it. */
export interface NewPolicy {
	readonly policyName: string;
	readonly effect: string;
	readonly condition: string;
	readonly consensus: string;
	readonly notes: string;
	readonly time?: string;
}

export type StepOperation = keyof StepParameters;

export type StepRequest<O extends StepOperation = StepOperation> = {
	[P in O]: { readonly operation: P; readonly parameters: StepParameters[P] };
}[O];

/** One activity to submit. */
export type Step = StepRequest & {
	/** `step-1`, `step-2` … in the order of the plan. */
	readonly id: string;
	/** The objects that this step changes, or helps to change. */
	readonly covers: readonly CoveredObject[];
	/** Ids of steps that must have completed before this one is sent. */
	readonly dependsOn: readonly string[];
	readonly reason: StepReason;
	/** What holds the step back: then nothing is submitted. Null: it can be sent. */
	readonly earlierActivity: EarlierActivity | null;
	/** What becomes of it when it is submitted; left out where policies were not asked for. A forecast: nothing is allowed by it. */
	readonly approval?: Approval;
};

/** Why a step is in the plan; say/steps.ts puts it into words. `names-exchanged`: the tag or policy takes a temporary name first. */
export type StepReason =
	| { readonly kind: TagChange["reason"] | "names-exchanged"; readonly from: string; readonly to: string }
	/** `name`: of the first of them. */
	| { readonly kind: "create"; readonly of: "userTag" | "policy"; readonly count: number; readonly name: string }
	| { readonly kind: "change-policy"; readonly name: string }
	| { readonly kind: "remove"; readonly of: "userTag" | RemovalKindName; readonly count: number };

/** An object that a request changes: its address, and the id by which the request's parameters name it. */
export interface CoveredObject {
	readonly address: AddressText;
	readonly id: string;
}

/** Returns the addresses that steps cover, in the order of the steps. */
export function coveredAddresses(steps: readonly Pick<Step, "covers">[]): readonly AddressText[] {
	return steps.flatMap(({ covers }) => covers.map(({ address }) => address));
}

/** Whether the step changes the object with this address, or helps to change it. */
export function isCovered(address: string, { covers }: Pick<Step, "covers">): boolean {
	return covers.some((one) => one.address === address);
}

/** What is known of an activity or request: not ended, rejected, or in doubt. `status` is the service's word. */
export type ActivityState =
	| { readonly state: "pending" | "rejected"; readonly status: string }
	| { readonly state: "in-doubt" };

/** The activity that an earlier request made, or may have made. */
export type EarlierActivity = ActivityState & {
	/** Null when no answer named one. */
	readonly activityId: string | null;
	readonly fingerprint: string;
	readonly relation: Relation;
};

/** `conflicting`: it would change the same object differently. `rejected`: resubmitted only on request. */
export type Relation = "same" | "conflicting" | "rejected";
