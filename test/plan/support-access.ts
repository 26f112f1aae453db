/** Access of small organizations for tests: users by the tags that they have, and policies in the service's language. */
import { holdRejected, holdSteps, type PendingActivity } from "../../src/plan/activities/pending.ts";
import { findConsequences } from "../../src/plan/impact/consequences.ts";
import type { DesiredOrganization, Limits, LiveOrganization } from "../../src/plan/organization.ts";
import type { Plan, PlanContext } from "../../src/plan/plan.ts";
import { makeSteps } from "../../src/plan/steps.ts";
import type { AccessPolicy, AccessState, AccessUser, RootQuorum } from "../../src/policy/access.ts";
import { makePlan, type WordedPlan } from "../in-words.ts";
import { context, desiredOf, id, known, liveOf, liveTag, wantTag } from "./support-organizations.ts";

export const [alice, bob, carol, dave] = [1, 2, 3, 4].map((number) => id("user", number)) as [
	string,
	string,
	string,
	string,
];
const people = { alice, bob, carol, dave };
export const [signers, approvers, treasury] = [1, 2, 3].map((number) => id("tag", number)) as [string, string, string];
const tagNames = { signers, approvers, treasury };

export type TagName = keyof typeof tagNames;
export type Person = keyof typeof people;

export const anyOf = (tagId: string): string => `approvers.any(user, user.tags.contains('${tagId}'))`;
export const twoOf = (tagId: string): string => `approvers.filter(user, user.tags.contains('${tagId}')).count() >= 2`;
export const onlyUser = (userId: string): string => `approvers.any(user, user.id == '${userId}')`;

export const condition = {
	sign: "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'",
	export: "activity.resource == 'WALLET' && activity.action == 'EXPORT'",
	tags: "activity.kind == 'UPDATE_USER_TAG'",
	policies: "activity.kind == 'DELETE_POLICIES'",
	credentials: "activity.resource == 'CREDENTIAL'",
} as const;

export function policyOf(number: number, parts: Partial<AccessPolicy> = {}): AccessPolicy {
	const named = { id: id("policy", number), name: `policy ${number}`, effect: "EFFECT_ALLOW" };
	return { ...named, consensus: "", condition: "", time: "", ...parts };
}

function userOf(userId: string, tagIds: readonly string[]): AccessUser {
	return { id: userId, tagIds: known([...tagIds].sort()), email: known(null), credentials: known([]) };
}

/** Who has each tag; everyone else has none. */
export type Members = Readonly<Partial<Record<TagName, readonly Person[]>>>;

export function accessOf(
	members: Members,
	policies: readonly AccessPolicy[],
	rootQuorum: RootQuorum = { threshold: 2, userIds: [carol, dave] },
): AccessState {
	const users = (Object.keys(people) as Person[]).map((person) => {
		const held = (Object.keys(tagNames) as TagName[]).filter((tag) => members[tag]?.includes(person));
		return userOf(
			people[person],
			held.map((tag) => tagNames[tag]),
		);
	});
	return { users: known(users), policies: known(policies), rootQuorum: known(rootQuorum) };
}

export interface Organization {
	readonly members: Members;
	readonly policies: readonly AccessPolicy[];
	readonly rootQuorum?: RootQuorum;
}

export interface Wish {
	/** Tags with these members and no others. */
	readonly members?: Members;
	/** New names of tags. */
	readonly names?: Readonly<Partial<Record<TagName, string>>>;
	readonly absent?: readonly string[];
	readonly limits?: Limits | undefined;
}

export function liveFor({ members, policies }: Organization): LiveOrganization {
	return liveOf({
		userTags: known(
			(Object.keys(tagNames) as TagName[]).map((tag, index) =>
				liveTag(index + 1, tag, { members: known((members[tag] ?? []).map((person) => people[person]).sort()) }),
			),
		),
		policies: known(policies.map(({ id: policyId, name }) => ({ id: policyId, name }))),
		users: known(Object.fromEntries(Object.entries(people).map(([name, userId]) => [userId, name]))),
	});
}

export function desiredFor({ members = {}, names = {}, absent = [], limits = {} }: Wish): DesiredOrganization {
	const tags = (Object.keys(tagNames) as TagName[]).filter((tag) => tag in members || tag in names);
	const userTags = tags.map((tag) => {
		const wanted = members[tag]?.map((person) => people[person]).sort();
		return wantTag(names[tag] ?? tag, {
			id: tagNames[tag],
			...(wanted === undefined ? {} : { members: { mode: "exactly", exactly: wanted } }),
		});
	});
	return desiredOf({
		users: people,
		limits,
		userTags: userTags.sort((left, right) => (left.name < right.name ? -1 : 1)),
		absent: { policyIds: [...absent].sort(), oauthProviders: [], tvcAppIds: [] },
	});
}

/** The plan that makes the organization as wished, with what it means; alice submits it. */
export function planFor(
	organization: Organization,
	wish: Wish,
	parts: Partial<PlanContext> = {},
	plan: typeof makePlan = makePlan,
): WordedPlan {
	const access = accessOf(organization.members, organization.policies, organization.rootQuorum);
	const submitter = known({ userId: alice, publicKey: null });
	return plan(desiredFor(wish), liveFor(organization), { ...context, access, submitter, ...parts });
}

/** The plan as if its steps could be submitted in any order in which names are free when they are taken. */
export function planUnordered(document: DesiredOrganization, live: LiveOrganization, given: PlanContext): WordedPlan {
	const plan = makePlan(document, live, given);
	const steps = makeSteps(plan.changes, live.userTags.known ? live.userTags.value : []);
	const held = holdRejected(holdSteps(steps, given.waiting ?? []), given.rejected ?? []);
	return { ...plan, ...findConsequences(held, given, live) };
}

/** A pending activity that does what the step of the plan does. */
export function pendingFor(
	{ steps }: Pick<Plan, "steps">,
	index: number,
	parts: Partial<PendingActivity> = {},
): PendingActivity {
	const step = steps[index];
	if (step === undefined) throw new Error(`the plan has no step ${index}`);
	return {
		activityId: `activity-${index}`,
		fingerprint: `sha256:${index}`,
		state: "pending",
		status: "ACTIVITY_STATUS_CONSENSUS_NEEDED",
		operation: step.operation,
		parameters: { ...step.parameters },
		createdAt: null,
		approvedBy: null,
		saidBy: "service",
		...parts,
	} as PendingActivity;
}
