/** How each query is answered (docs/internals/service.md#queries): by kinds of entities, users and activities. */
import { defined } from "../common/defined.ts";
import { countApprovals, describeActivity, policyIdOfRule, shownStatus } from "./activities.ts";
import {
	defaultPageSize,
	type Page,
	passkeyScheme,
	takePage,
	unknownCursorMessage,
	unknownFilterMessage,
	votersOf,
} from "./assumptions.ts";
import { deriveUuid } from "./identifiers.ts";
import { idIn, type JsonObject, type QueryHandler, type QueryHandlers } from "./kinds/entity-kind.ts";
import { entityKinds } from "./kinds/table.ts";
import { findUser, type MfaPolicy, users } from "./kinds/user.ts";
import { badRequest, notFound } from "./request-error.ts";
import type { ActivityRecord, OperationContext, PolicyEvaluation, SubOrganization, Vote } from "./state.ts";
import { userQueries } from "./user-queries.ts";

function findActivity(context: OperationContext, body: JsonObject): ActivityRecord {
	const id = idIn(body, "activityId");
	const activity = context.findById(id);
	if (activity === undefined) throw notFound(`no activity found with id ${id}`);
	return activity;
}

const methodOf = ({ scheme }: Vote): string =>
	scheme === passkeyScheme ? "AUTHENTICATION_TYPE_PASSKEY" : "AUTHENTICATION_TYPE_API_KEY";

function describeMfaStatus(policy: MfaPolicy, userId: string, used: ReadonlySet<string>) {
	const steps = policy.requiredAuthenticationMethods;
	return {
		mfaPolicyId: policy.mfaPolicyId,
		userId,
		satisfied: steps.every((step) => step.any.some((method) => used.has(method.type))),
		satisfiedMethods: [...used].map((type) => ({ type })),
		requiredMethods: steps,
	};
}

const mfaStatuses: QueryHandler = (context, body) => {
	const activity = findActivity(context, body);
	const asked = typeof body.userId === "string" ? findUser(context.organization, body).userId : undefined;
	return votersOf(activity, asked).flatMap((userId) => {
		const policies = context.organization.entities(users).get(userId)?.mfaPolicies ?? [];
		const votes = activity.votes.filter((vote) => vote.userId === userId);
		const used = new Set(votes.map(methodOf));
		return policies.map((policy) => describeMfaStatus(policy, userId, used));
	});
};

/** Returns how the rules evaluated the activity when its vote number `index` was cast. */
function outcomeOf(activity: ActivityRecord, index: number): string {
	const vote = activity.votes[index];
	if (vote?.selection === "VOTE_SELECTION_REJECTED") return "OUTCOME_REJECTED";
	const votes = activity.votes.slice(0, index + 1);
	if (activity.authenticatorNeeded && !votes.some((earlier) => earlier.scheme === passkeyScheme)) {
		return "OUTCOME_REQUIRES_AUTHENTICATORS";
	}
	const approvals = countApprovals({ ...activity, votes }, 0);
	return approvals < activity.approvalsNeeded ? "OUTCOME_REQUIRES_CONSENSUS" : "OUTCOME_ALLOW";
}

/** Returns what the policies said at a vote; before them the rules, as one policy more, where they need anything or are alone. */
function evaluationsOf(activity: ActivityRecord, vote: Vote, index: number): readonly PolicyEvaluation[] {
	const ofPolicies = activity.evaluations?.[vote.id];
	const isRuled = ofPolicies === undefined || activity.approvalsNeeded > 1 || activity.authenticatorNeeded;
	if (!isRuled) return ofPolicies;
	const policyId = policyIdOfRule(activity.organizationId, activity.type);
	return [{ policyId, outcome: outcomeOf(activity, index) }, ...(ofPolicies ?? [])];
}

const policyEvaluations: QueryHandler = (context, body) => {
	const activity = findActivity(context, body);
	return activity.votes.map((vote, index) => ({
		id: deriveUuid("evaluation", vote.id),
		activityId: activity.id,
		organizationId: activity.organizationId,
		voteId: vote.id,
		policyEvaluations: evaluationsOf(activity, vote, index),
		createdAt: vote.createdAt,
	}));
};

/** Returns the page that a body asks for. Throws a RequestError when `knows` denies the id of a cursor. */
function pageOf(body: JsonObject, knows: (id: string) => boolean): Page {
	const { limit, before, after } = (body.paginationOptions ?? {}) as JsonObject;
	const cursor = (value: unknown): string | undefined => {
		if (typeof value !== "string") return undefined;
		const id = value.toLowerCase();
		if (!knows(id)) throw badRequest(unknownCursorMessage);
		return id;
	};
	return {
		before: cursor(before),
		after: cursor(after),
		limit: typeof limit === "string" ? Number(limit) : defaultPageSize,
	};
}

/** True when the filter names `value`, or names nothing. */
function passes(filter: unknown, value: string): boolean {
	return !Array.isArray(filter) || filter.length === 0 || filter.includes(value);
}

const listActivities: QueryHandler = (context, body, userId) => {
	const fits = (activity: ActivityRecord) =>
		passes(body.filterByStatus, shownStatus(activity, true)) && passes(body.filterByType, activity.type);
	const page = pageOf(body, (id) => context.findById(id) !== undefined);
	const taken = takePage(context.activitiesNewestFirst(), ({ id }) => id, fits, page);
	return taken.map((activity) => describeActivity(activity, userId, true));
};

const listSubOrganizations: QueryHandler = (context, body) => {
	const newestFirst = context.listSubOrganizations();
	const idOf = ({ organizationId }: SubOrganization): string => organizationId;
	const page = pageOf(body, (id) => newestFirst.some((one) => idOf(one) === id));
	const { filterType, filterValue } = body;
	if (typeof filterType === "string" && filterType !== "NAME") throw badRequest(unknownFilterMessage);
	const fits = ({ organizationName }: SubOrganization): boolean =>
		typeof filterType !== "string" || organizationName === filterValue;
	return takePage(newestFirst, idOf, fits, page).map(idOf);
};

const organizationQueries: QueryHandlers = {
	get_mfa_status: mfaStatuses,
	get_policy_evaluations: policyEvaluations,
	get_activity: (context, body, userId) => describeActivity(findActivity(context, body), userId, true),
	list_activities: listActivities,
	list_suborgs: listSubOrganizations,
	get_organization_configs: ({ organization: { rootQuorum } }) => ({
		features: [],
		...defined({ quorum: rootQuorum }),
	}),
};

export const queryHandlers: ReadonlyMap<string, QueryHandler> = new Map(
	[...entityKinds.map(({ queries }) => queries), userQueries, organizationQueries].flatMap(
		(queries) => Object.entries(queries) as [string, QueryHandler][],
	),
);
