/**
 * How each query is answered (docs/service.md#queries), one row per query. `extendedAnswers` are extensions outside the 13
 * (docs/service.md#extended-reads). Adding a query is adding a row here and in wire/operations.ts.
 */
import { caip2Aliases, type ExtendedReadName, type QueryName } from "../wire/operations.ts";
import { countApprovals, describeActivity, policyIdOfRule } from "./activities.ts";
import { activitiesOfAPage, passkeyScheme, takePage, unknownCursorMessage, votersToJudge } from "./choices.ts";
import { describeBootProof, describeTvcApp, describeUsers, describeUserTag } from "./descriptions.ts";
import { deriveUuid } from "./identifiers.ts";
import { invalid, notFound } from "./refusals.ts";
import type { ActivityRecord, MfaPolicy, User, Vote, World } from "./state.ts";

type Body = Readonly<Record<string, unknown>>;

/**
 * The value of the answer's one member (of whoami: the whole answer), as the user `userId` sees it. Throws a refusal when
 * it is not there.
 */
export type Answerer = (world: World, body: Body, userId: string) => unknown;

function idOf(body: Body, field: string): string {
	return String(body[field]).toLowerCase();
}

function findUser({ organization }: World, body: Body): User {
	const user = organization.users.get(idOf(body, "userId"));
	if (user === undefined) throw notFound(`no user found with id ${idOf(body, "userId")}`);
	return user;
}

function findActivity(world: World, body: Body): ActivityRecord {
	const activity = world.findById(idOf(body, "activityId"));
	if (activity === undefined) throw notFound(`no activity found with id ${idOf(body, "activityId")}`);
	return activity;
}

function methodOf(vote: Vote): string {
	return vote.scheme === passkeyScheme ? "AUTHENTICATION_TYPE_PASSKEY" : "AUTHENTICATION_TYPE_API_KEY";
}

function judgeMfa(policy: MfaPolicy, userId: string, used: ReadonlySet<string>) {
	const steps = policy.requiredAuthenticationMethods;
	return {
		mfaPolicyId: policy.mfaPolicyId,
		userId,
		satisfied: steps.every((step) => step.any.some((method) => used.has(method.type))),
		satisfiedMethods: [...used].map((type) => ({ type })),
		requiredMethods: steps,
	};
}

const mfaStatuses: Answerer = (world, body) => {
	const activity = findActivity(world, body);
	const asked = typeof body.userId === "string" ? findUser(world, body).userId : undefined;
	return votersToJudge(activity, asked).flatMap((userId) => {
		const policies = world.organization.users.get(userId)?.mfaPolicies ?? [];
		const votes = activity.votes.filter((vote) => vote.userId === userId);
		const used = new Set(votes.map(methodOf));
		return policies.map((policy) => judgeMfa(policy, userId, used));
	});
};

/** How the rules judged the activity when its vote number `index` was cast. */
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

const policyEvaluations: Answerer = (world, body) => {
	const activity = findActivity(world, body);
	const policyId = policyIdOfRule(activity.organizationId, activity.type);
	return activity.votes.map((vote, index) => ({
		id: deriveUuid("evaluation", vote.id),
		activityId: activity.id,
		organizationId: activity.organizationId,
		voteId: vote.id,
		policyEvaluations: [{ policyId, outcome: outcomeOf(activity, index) }],
		createdAt: vote.createdAt,
	}));
};

const aliases: Readonly<Record<string, string>> = caip2Aliases;

/** The canonical name of a network (docs/service.md#networks). */
export function canonicalNetwork(caip2: string): string {
	return aliases[caip2] ?? caip2;
}

/** The eight queries of the interface. */
export const documentedAnswers: Readonly<Record<QueryName, Answerer>> = {
	get_session_profile({ organization }, body) {
		const profile = organization.sessionProfiles.get(idOf(body, "sessionProfileId"));
		if (profile === undefined) throw notFound(`no session profile found with id ${idOf(body, "sessionProfileId")}`);
		return profile;
	},
	get_mfa_policy(world, body) {
		const id = idOf(body, "mfaPolicyId");
		const policy = findUser(world, body).mfaPolicies.find((candidate) => candidate.mfaPolicyId === id);
		if (policy === undefined) throw notFound(`no MFA policy found with id ${id}`);
		return policy;
	},
	get_mfa_policies: (world, body) => findUser(world, body).mfaPolicies,
	get_mfa_status: mfaStatuses,
	get_latest_boot_proof({ organization }, body) {
		const app = organization.tvcApps.get(idOf(body, "appName"));
		if (app?.bootProof === undefined) throw notFound(`no boot proof found for the app ${idOf(body, "appName")}`);
		return describeBootProof(app);
	},
	get_policy_evaluations: policyEvaluations,
	list_user_tags: ({ organization }) => [...organization.userTags.values()].map(describeUserTag),
	list_supported_assets: ({ organization }, body) =>
		organization.supportedAssets.get(canonicalNetwork(String(body.caip2)))?.assets ?? [],
};

const whoami: Answerer = ({ organization }, _body, userId) => {
	const { organizationId, organizationName } = organization;
	return { organizationId, organizationName, userId, username: organization.users.get(userId)?.userName ?? "" };
};

/** Where the activity that a cursor names stands in the list; undefined without a cursor. */
function indexOfCursor(newestFirst: readonly ActivityRecord[], cursor: unknown): number | undefined {
	if (typeof cursor !== "string") return undefined;
	const index = newestFirst.findIndex(({ id }) => id === cursor.toLowerCase());
	if (index < 0) throw invalid(unknownCursorMessage);
	return index;
}

/** True when the filter names `value`, or names nothing. */
function passes(filter: unknown, value: string): boolean {
	return !Array.isArray(filter) || filter.length === 0 || filter.includes(value);
}

const listActivities: Answerer = (world, body, userId) => {
	const newestFirst = [...world.listActivities()].reverse();
	const { limit, before, after } = (body.paginationOptions ?? {}) as Body;
	const fits = (activity: Record<string, unknown>) =>
		passes(body.filterByStatus, String(activity.status)) && passes(body.filterByType, String(activity.type));
	const page = {
		before: indexOfCursor(newestFirst, before),
		after: indexOfCursor(newestFirst, after),
		limit: typeof limit === "string" ? Number(limit) : activitiesOfAPage,
	};
	return takePage(
		newestFirst.map((activity) => describeActivity(activity, userId, true)),
		fits,
		page,
	);
};

/** Reads outside the 13: extensions, which `reads: "documented"` turns off. */
export const extendedAnswers: Readonly<Record<ExtendedReadName, Answerer>> = {
	list_users: ({ organization }) => describeUsers(organization),
	list_policies: ({ organization }) => [...organization.policies.values()],
	list_tvc_apps: ({ organization }) =>
		[...organization.tvcApps.values()].map((app) => describeTvcApp(organization.organizationId, app)),
	whoami,
	get_activity: (world, body, userId) => describeActivity(findActivity(world, body), userId, true),
	list_activities: listActivities,
	get_session_profiles: ({ organization }) => [...organization.sessionProfiles.values()],
};
