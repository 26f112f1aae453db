/** Applies a resource: creates or changes its object, and says what its state has afterwards. */
import { defined, nonEmpty } from "../../common/defined.ts";
import { showName } from "../../common/escape.ts";
import { taggedUsers } from "../../plan/impact/access-after.ts";
import type { DesiredObject, DesiredOrganization } from "../../plan/organization.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Comparison } from "../../sync/converge.ts";
import type { LastOwner } from "../../sync/journal-owners.ts";
import type { Properties } from "../inputs/inputs.ts";
import { describeLeft } from "../notices/notices.ts";
import { convergeWhenNameIsFree } from "../session/name-order.ts";
import type { ConvergeResult, ResourceTarget, Session } from "../session/session.ts";
import { storeActivities } from "../state/stored-state.ts";
import { findOrigin, knownId, type Origin, pendingId, recordAsking, refuseOther } from "./created-object.ts";
import { explainReport, isDone, ResourceFailure } from "./failure.ts";
import {
	mustRead,
	type ResourceDefinition,
	type ResourceInputs,
	type ResourceOutputs,
	storedStateOf,
	type Target,
} from "./resource.ts";

/** Brings the object in sync: submits one activity, or none. Returns lines to print. Throws ResourceFailure when that does not complete. */
export async function converge(
	definition: ResourceDefinition,
	inputs: ResourceInputs,
	olds: (ResourceInputs & ResourceOutputs) | undefined,
	session: Session,
): Promise<{ readonly id: string; readonly outs: Properties; readonly notices: readonly string[] }> {
	const target = (await definition.findTarget?.(inputs, olds, session)) ?? {
		inputs,
		desired: mustRead(definition, inputs),
	};
	const stored = storedStateOf(definition, olds, session);
	let origin: Origin | undefined;
	const judge = async (comparison: Comparison): Promise<string | undefined> => {
		origin = await findOrigin(definition, target, olds, comparison, session);
		const reason = refuseOther(definition, target, origin, comparison);
		if (reason === undefined && origin === "none") await recordAsking(definition, target.inputs, session);
		return reason;
	};
	const request = { resource: inputs.resource, partOf: inputs.partOf, desired: target.desired, stored, judge };
	const result = await convergeWhenNameIsFree(request, session);
	const located = await locateApplied(definition, target, { request, result, origin }, session);
	const id = definition.idOf(located);
	let owner: LastOwner | undefined;
	if (definition.remove !== undefined) {
		for (const { object } of definition.claims(located)) {
			// Its check may not have known the id.
			session.claims.claim(located.organizationId, object, located);
			owner = await session.lastOwners.record(located.organizationId, object, located);
		}
	}
	const activities = storeActivities(result.report, result.journal, stored.activities);
	const isCreated = olds?.created === true || origin === "none" || origin === "own";
	const outs = {
		...definition.outputsOf({ inputs: located, desired: target.desired }, result),
		...defined({ activities: nonEmpty(activities), created: isCreated ? (true as const) : undefined }),
		...defined({ appliedAs: owner && { urn: owner.resourceUrn, atMs: owner.appliedAtMs } }),
	};
	if (isDone(result.report)) return { id, outs, notices: describeLeft(inputs, activities) };
	// What was never created has no state, unless an activity may still create it.
	const isNothing = olds === undefined && origin === "none" && activities.length === 0;
	throw new ResourceFailure(explainReport(result.report), isNothing ? undefined : { id, properties: outs });
}

/** What is asked of the service to find the object. A tag without members changes no user: who has which tags is as it was read. */
function wishOf({ objects, ...desired }: DesiredOrganization, { steps }: Pick<Plan, "steps">): DesiredOrganization {
	if (steps.some((step) => taggedUsers(step).length > 0)) return { objects, ...desired };
	const withoutMembers = (one: DesiredObject): DesiredObject => {
		if (!("members" in one)) return one;
		const { members: _members, ...tag } = one;
		return tag;
	};
	return { ...desired, objects: objects.map(withoutMembers) };
}

/** The inputs with what live state has of the object, or with the id of ours while it is not created. */
async function locateApplied(
	{ creation, locate }: ResourceDefinition,
	target: Target<ResourceInputs>,
	{ request, result, origin }: { request: ResourceTarget; result: ConvergeResult; origin: Origin | undefined },
	session: Session,
): Promise<ResourceInputs> {
	const isMade = origin === "none" && isDone(result.report);
	const live = isMade ? await session.read({ ...request, desired: wishOf(request.desired, result.plan) }) : result.live;
	const located = locate?.(target, live) ?? target.inputs;
	if (creation?.isAsked(located) !== true || knownId(creation.idName, located) !== undefined) return located;
	if (isMade && (creation.kind === "policy" ? live.policies : live.userTags)?.known === true) {
		// Someone who deleted it in the second in which it was created leaves the service answering with that activity.
		const made = `the ${creation.noun} \`${showName(String((located as ResourceInputs & Properties).name))}\``;
		throw new ResourceFailure(
			`the activity that creates ${made} has completed, but no such ${creation.noun} is there: it was deleted since; the next up creates it again`,
		);
	}
	return { ...located, [creation.idName]: pendingId(creation, { ...located }) };
}
