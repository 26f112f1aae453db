/** Checks the inputs of a resource, and judges its change against the live organization before anything is submitted. */
import { defined } from "../../common/defined.ts";
import { GuardError } from "../../common/errors.ts";
import { tagsOfConsequences } from "../../plan/impact/consequences.ts";
import type { Plan } from "../../plan/plan.ts";
import { sameValue } from "../../plan/value.ts";
import type { Comparison } from "../../sync/converge.ts";
import { recordsOf, toId } from "../../sync/read/live-objects.ts";
import { queryIfAvailable } from "../../sync/read/live-queries.ts";
import { timeQueries } from "../../sync/read/read.ts";
import { queries } from "../../wire/operations.ts";
import { checkInputSchema } from "../inputs/input-schema.ts";
import {
	type CheckFailure,
	explainFailure,
	hasUnknown,
	metaOf,
	type Properties,
	readDocument,
	withoutMeta,
} from "../inputs/inputs.ts";
import {
	describeConsequences,
	describeCreate,
	describePending,
	describeWarnings,
	describeWindows,
} from "../notices/notices.ts";
import { explainSecond } from "../session/claims.ts";
import { type Session, timeOf } from "../session/session.ts";
import { nothingStored } from "../state/stored-state.ts";
import { findOrigin, hasAsked, knownId, mayBeMade, type Origin, refuseOther } from "./created-object.ts";
import { failCheck, ResourceFailure } from "./failure.ts";
import {
	mustRead,
	type ResourceDefinition,
	type ResourceInputs,
	type ResourceOutputs,
	type Target,
} from "./resource.ts";

/** The completed inputs, or what is wrong with them, and lines to print. */
interface CheckResult {
	readonly inputs: object;
	readonly failures: readonly CheckFailure[];
	readonly notices?: readonly string[];
}

type AnyOutputs = ResourceInputs & ResourceOutputs;
type AnyInputs = Partial<ResourceInputs>;

export const noOrganization: CheckFailure = {
	property: "organizationId",
	reason:
		"no organization is given: set organizationId on the resource or its Provider, run `pulumi config set orgsync:organizationId ID`, or set ORGSYNC_ORGANIZATION_ID",
};

/** Completes the inputs, or returns what is wrong with them. New ones are also planned against the live organization. */
export async function check(
	definition: ResourceDefinition,
	olds: AnyInputs,
	news: AnyInputs,
	session: Session,
): Promise<CheckResult> {
	const organizationId = news.organizationId ?? session.settings.organizationId;
	const mistakes = checkInputSchema({ ...news }, definition.schema);
	if (mistakes.length > 0) return { inputs: news, failures: mistakes };
	if (organizationId === undefined) return { inputs: news, failures: [noOrganization] };
	const named = { ...news, organizationId };
	const given = definition.complete?.(named, olds) ?? named;
	const found = definition.findMistakes?.(given) ?? [];
	if (found.length > 0) return { inputs: given, failures: found };
	const assumed = hasUnknown(given) ? definition.assume?.(given) : undefined;
	const known = assumed?.inputs ?? given;
	if (hasUnknown(known)) return { inputs: given, failures: [], ...(assumed && { notices: [assumed.unjudged] }) };
	const read = readDocument(definition.toDocument(known, olds), definition.places);
	if ("failures" in read) return { inputs: given, failures: read.failures };
	const inputs = {
		...definition.fromDocument(read.desired, known),
		...defined({ limits: news.limits }),
		...metaOf(news),
	} as unknown as ResourceInputs;
	try {
		const target = { inputs, desired: read.desired };
		// An object that was created has its id in the outputs only: `review` judges its changes.
		const isMade = definition.creation?.isAsked(inputs) === true && olds.organizationId !== undefined;
		const isReviewed = isMade && knownId(definition.creation?.idName ?? "", inputs) === undefined;
		const isNew = !isReviewed && !sameValue(withoutResource(olds), withoutResource(inputs));
		if (olds.organizationId === undefined) session.claims.renew(inputs);
		const checked = isNew
			? await checkLive(definition, target, { olds, news, unjudged: assumed?.unjudged }, session)
			: { inputs, failures: [] };
		const failures =
			checked.failures.length > 0
				? checked.failures
				: claim(definition, checked.inputs, session, assumed === undefined);
		return { ...checked, ...(assumed === undefined ? {} : { inputs: given }), failures };
	} catch (error) {
		const property = error instanceof GuardError ? definition.guardedInput : "";
		return { inputs, failures: [failCheck(error, property)] };
	}
}

/** Judges the change of an object that was created, whose id `check` does not know. Returns lines to print. Throws ResourceFailure. */
export async function review(
	definition: ResourceDefinition,
	olds: AnyOutputs,
	news: ResourceInputs,
	changes: boolean,
	session: Session,
): Promise<readonly string[]> {
	const { creation, findTarget } = definition;
	const id = creation?.isAsked(news) === true ? knownId(creation.idName, olds) : undefined;
	if (creation === undefined || id === undefined || knownId(creation.idName, news) !== undefined) return [];
	const inputs = { ...news, [creation.idName]: id } as ResourceInputs;
	claimOrRefuse(definition, inputs, session);
	const assumed = hasUnknown(news) ? definition.assume?.(inputs) : undefined;
	const known = (assumed?.inputs ?? inputs) as ResourceInputs;
	// A component has judged its parts.
	if (!changes || news.partOf !== undefined) return [];
	if (hasUnknown(known)) return assumed === undefined ? [] : [assumed.unjudged];
	const target = (await findTarget?.(known, olds, session)) ?? { inputs: known, desired: mustRead(definition, known) };
	const judged = { olds, news, unjudged: assumed?.unjudged };
	const { failures, notices = [] } = await checkLive(definition, target, judged, session);
	if (failures.length === 0) return notices;
	throw new ResourceFailure(failures.map(explainFailure).join("\n"));
}

/** Plans new inputs against the live organization. Throws GuardError when a guard blocks the plan. */
async function checkLive(
	definition: ResourceDefinition,
	target: Target<ResourceInputs>,
	{
		olds,
		news,
		unjudged,
	}: { readonly olds: AnyInputs; readonly news: AnyInputs; readonly unjudged: string | undefined },
	session: Session,
): Promise<CheckResult & { readonly inputs: ResourceInputs }> {
	const { inputs, desired } = target;
	const compared = { resource: inputs.resource, desired, stored: nothingStored };
	const comparison = await session.compare(compared);
	const { plan } = comparison;
	const isCreated = olds.organizationId === undefined;
	const origin = isCreated ? await findOrigin(definition, target, undefined, comparison, session) : undefined;
	const other = await explainOther(definition, target, origin, comparison, session);
	const failures = other.length > 0 ? other : (definition.explainProblems?.(plan, inputs, news) ?? []);
	if (failures.length > 0) return { inputs, failures };
	// What is not known yet is judged by the guards of `up`.
	if (unjudged === undefined) session.assertGuardsAllowed(plan, inputs);
	session.oldNames.addPlan(inputs, plan);
	const created = isCreated ? describeCreate(inputs, plan) : undefined;
	const severity = definition.creation?.kind === "policy" ? "warning: " : "";
	// A part of a component is in the plan that the component shows.
	const notices =
		inputs.partOf === undefined
			? [
					...(created === undefined ? [] : [created]),
					...describeWindows(inputs, desired, plan, timeOf(comparison)),
					...(unjudged === undefined
						? describeConsequences(inputs, await withTagNames(plan, inputs, session)).map((line) => severity + line)
						: [unjudged]),
					...describePending(inputs, plan),
					...describeWarnings(inputs, plan),
				]
			: [];
	const isOwn = origin === "own" || (origin === "other" && (await hasAsked(definition, inputs, session)));
	const located = definition.locate?.(target, comparison.live) ?? inputs;
	// The create that finds its own object records that this resource created it.
	return isOwn
		? { inputs, failures: claim(definition, located, session), notices }
		: { inputs: located, failures: [], notices };
}

/** Returns the plan with the names of all tags of its consequences: a policy alone reads no user tags, and its program names some. */
async function withTagNames(
	plan: Plan,
	{ resource, organizationId, references = {} }: ResourceInputs & { readonly references?: Properties },
	session: Session,
): Promise<Plan> {
	const named = Object.fromEntries(Object.entries(references).map(([name, id]) => [String(id).toLowerCase(), name]));
	const tagNames = { ...named, ...plan.tagNames };
	if (tagsOfConsequences(plan).every((id) => tagNames[id] !== undefined)) return { ...plan, tagNames };
	const { query } = timeQueries(organizationId, session.readerFor(resource));
	const answer = await queryIfAvailable(query, queries.list_user_tags);
	const listed = answer.known ? recordsOf(answer.value, "userTags") : [];
	const live = Object.fromEntries(listed.map(({ tagId, tagName }) => [toId(tagId), String(tagName)]));
	return { ...plan, tagNames: { ...live, ...tagNames } };
}

/** Why a resource must not manage the live object of its name. */
async function explainOther(
	definition: ResourceDefinition,
	target: Target<ResourceInputs>,
	origin: Origin | undefined,
	comparison: Comparison,
	session: Session,
): Promise<readonly CheckFailure[]> {
	const reason = refuseOther(definition, target, origin, comparison);
	if (reason === undefined || (origin === "other" && (await mayBeMade(definition, target.inputs, session)))) return [];
	return [{ property: definition.claimedInput, reason }];
}

/** Claims the objects. Throws ResourceFailure if another resource of this run manages one. */
export function claimOrRefuse(definition: ResourceDefinition, inputs: ResourceInputs, session: Session): void {
	const [second] = claim(definition, inputs, session);
	if (second !== undefined) throw new ResourceFailure(second.reason);
}

function claim(
	definition: ResourceDefinition,
	inputs: ResourceInputs,
	session: Session,
	isKnown = !hasUnknown(inputs),
): readonly CheckFailure[] {
	const { claimedInput, claimAdvice } = definition;
	return definition.claims(inputs).flatMap(({ object, subject }) => {
		const owner = session.claims.claim(inputs.organizationId, object, inputs, isKnown);
		if (owner === undefined) return [];
		return [{ property: claimedInput, reason: explainSecond(subject, owner, inputs, claimAdvice) }];
	});
}

/** The inputs without those that do not change what is desired: the meta inputs and the limits. */
function withoutResource(inputs: object): Properties {
	const { limits: _limits, __provider: _provider, ...rest } = withoutMeta({ ...inputs });
	return rest;
}
