/** What a request for policies or tags needs besides its answer: live state before it, and after the service refused a name. */
import { OrgsyncError } from "../../common/errors.ts";
import { showAddress, showName } from "../../common/escape.ts";
import { findHolders, namesGiven } from "../../plan/activities/taken-names.ts";
import type { PolicyContent } from "../../plan/change.ts";
import { policyFields } from "../../plan/kinds/policy-content.ts";
import type { Known, LivePolicy, Named } from "../../plan/organization.ts";
import type { Plan } from "../../plan/plan.ts";
import { isTemporaryName } from "../../plan/renames.ts";
import type { Step, StepParameters } from "../../plan/step.ts";
import { reasonText } from "../../say/reason.ts";
import type { Reader } from "../../wire/client.ts";
import { extendedReads, extendedSubmits, queries } from "../../wire/operations.ts";
import { toLivePolicies } from "../read/access-objects.ts";
import { recordsOf, toId } from "../read/live-objects.ts";
import { queryIfAvailable } from "../read/live-queries.ts";
import { timeQueries } from "../read/read.ts";
import { createdIdsOf, notAttempted, type SubmitResult } from "./outcomes.ts";

/** Reads the policies of the organization; steps that start together share the answer. Throws what Reader.query throws. */
export type ReadPolicies = () => Promise<Known<readonly LivePolicy[]>>;

/** Returns a function that reads policies, and that shares a reading while it is under way. */
export function makePolicyReader(organizationId: string, reader: Reader): ReadPolicies {
	let underWay: ReturnType<ReadPolicies> | undefined;
	const read = async (): ReturnType<ReadPolicies> => {
		const answer = await queryIfAvailable(timeQueries(organizationId, reader).query, extendedReads.list_policies);
		return answer.known ? toLivePolicies(answer.value) : answer;
	};
	return () => {
		underWay ??= read().finally(() => {
			underWay = undefined;
		});
		return underWay;
	};
}

/** Returns the result of an update of a policy that is neither what the plan saw nor what it wants; null for others and other steps. */
export async function refuseStaleUpdate(
	step: Step,
	{ changes }: Plan,
	{ readPolicies, planDigest }: { readonly readPolicies: ReadPolicies; readonly planDigest?: string },
): Promise<SubmitResult | null> {
	if (step.operation !== "update_policy") return null;
	const { parameters } = step;
	const { policyId } = parameters;
	const change = changes.find((one) => one.kind === "policy" && one.id === policyId);
	const before = change?.kind === "policy" && change.action === "update" ? change.before : null;
	const stale = (message: string): SubmitResult => ({
		...failed(message),
		...(planDigest === undefined ? {} : { isStale: true }),
	});
	const about = `the policy ${showName(before?.name ?? policyId)} (${policyId})`;
	try {
		const policies = await readPolicies();
		if (!policies.known) return failed(`${about} could not be read before the update: ${reasonText(policies.because)}`);
		const now = policies.value.find(({ id }) => id === policyId);
		if (now === undefined) return stale(`${about} was deleted after orgsync read it: plan again`);
		const differs = before === null ? ["name"] : differences(before, now, change?.after?.name);
		if (differs.length === 0 || isWritten(parameters, now)) return null;
		return stale(`${about} was changed after orgsync read it (${differs.join(", ")}), and was not updated: plan again`);
	} catch (error) {
		if (!(error instanceof OrgsyncError)) throw error;
		return failed(`${about} could not be read before the update: ${error.message}`);
	}
}

/** An earlier step may have given the policy its new name, or in an exchange of names a temporary one. */
function differences(before: PolicyContent, now: LivePolicy, newName: unknown): readonly string[] {
	const isNamed = now.name === before.name || now.name === newName || isTemporaryName(now.name, now.id);
	return policyFields.filter((field) => (field === "name" ? !isNamed : before[field] !== now[field]));
}

/** Whether another run has made the same change, whose activity is then the answer to the same request. */
function isWritten(wanted: StepParameters["update_policy"], now: LivePolicy): boolean {
	const { time = now.time } = wanted;
	const isSame =
		now.name === wanted.policyName && now.effect === wanted.policyEffect && now.notes === wanted.policyNotes;
	return (
		isSame && now.consensus === wanted.policyConsensus && now.condition === wanted.policyCondition && now.time === time
	);
}

function failed(message: string): SubmitResult {
	return { ...notAttempted(message), outcome: "failed" };
}

/** Returns the result with what an answer about policies or tags means that the answer itself does not say. */
export async function explainResult(
	step: Step,
	result: SubmitResult,
	{ organizationId, changes }: Plan,
	context: { readonly reader: Reader },
): Promise<SubmitResult> {
	const { outcome, refusedStatus, message } = result;
	if (outcome === "completed" && result.isEarlier === true) return checkMade(step, result, organizationId, context);
	// The same bytes are refused where another object took the name since: they have no activity then.
	const isRefusedAgain = outcome === "unknown" && refusedStatus === 400;
	if (outcome !== "failed" && !isRefusedAgain) return result;
	if ((refusedStatus === 404 || refusedStatus === 501) && Object.hasOwn(extendedSubmits, step.operation)) {
		const isCreation = step.operation.startsWith("create_");
		const why = isCreation ? "does not have the operation" : "does not have the object, or the operation";
		return { ...result, message: `the service ${why} ${step.operation} (${refusedStatus}): ${message ?? outcome}` };
	}
	const taken = await findTakenNames(step, organizationId, context).catch(() => []);
	if (taken.length === 0) return result;
	const [wanted] = step.covers;
	const own = changes.some((one) => one.address === wanted?.address && one.action === "update")
		? ` (${wanted?.id})`
		: "";
	const holders = taken.map(({ name, id }) => `${id} has the name ${showName(name)}`).join(", ");
	const about = `${showAddress(wanted?.address ?? "")}${own}`;
	return {
		...result,
		message: `${message ?? outcome}; ${about} was planned before another object took its name: ${holders}. Plan again: it is compared then`,
	};
}

/** Returns the result of a step. Fewer ids than policies leave open which exist: the next run reads them. */
export function checkCreatedIds(step: Step, result: SubmitResult): SubmitResult {
	if (step.operation !== "create_policies" || result.outcome !== "completed" || result.activity === null) return result;
	const [ids, count] = [createdIdsOf(result.activity), step.parameters.policies.length];
	if (ids.length === count) return result;
	const message = `the service answered with ${ids.length} ids for ${count} policies, so which of them exist is in doubt: run apply again, it reads them`;
	return { ...result, outcome: "unknown", message };
}

/** Returns the result of a creation by an earlier activity: failed unless what that made still exists with its name. */
async function checkMade(step: Step, result: SubmitResult, ...where: Where): Promise<SubmitResult> {
	const ids = createdIdsOf(result.activity);
	const [names] = namesGiven(step);
	// Of another number of ids, nothing says whose they are.
	if (names.length === 0 || ids.length !== names.length) return result;
	const fail = (why: string): SubmitResult => ({ ...result, outcome: "failed", message: why });
	const about = (name: string, id: string) => `activity ${result.activityId} created ${name} (${id}) before`;
	try {
		const live = await readHolders(step, ...where);
		if (live === undefined) return result;
		for (const [index, id] of ids.entries()) {
			const [name = "", now] = [names[index], live.find((one) => one.id === id)];
			if (now?.name === name) continue;
			const became = now === undefined ? "deleted" : `renamed to ${showName(now.name)}`;
			return fail(`${about(showName(name), id)}, and it was ${became} since: the next run creates another`);
		}
		return result;
	} catch (error) {
		if (!(error instanceof OrgsyncError)) throw error;
		return fail(`${about(names.map(showName).join(", "), ids.join(", "))}, which could not be read: ${error.message}`);
	}
}

/** Returns the live objects that have a name which the step gives to another. */
async function findTakenNames(step: Step, ...where: Where): Promise<readonly Named[]> {
	if (namesGiven(step)[0].length === 0) return [];
	// A reading that is under way may have begun before the name was taken.
	const live = await readHolders(step, ...where);
	return live === undefined ? [] : findHolders(step, live);
}

type Where = readonly [organizationId: string, context: { readonly reader: Reader }];

/** Returns the live objects of the kind that the step writes; undefined where they cannot be read. */
async function readHolders({ operation }: Step, ...[organizationId, { reader }]: Where) {
	if (operation === "create_policies" || operation === "update_policy") {
		const policies = await makePolicyReader(organizationId, reader)();
		return policies.known ? policies.value : undefined;
	}
	const { value } = await reader.query(queries.list_user_tags, { organizationId });
	return recordsOf(value, "userTags").map(({ tagId, tagName }): Named => ({ id: toId(tagId), name: String(tagName) }));
}
