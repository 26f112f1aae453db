/** What a plan means: the impact of its steps on who can do what, and who will have to approve each step. */
import { defined, nonEmpty } from "../../common/defined.ts";
import { remember } from "../../common/remember.ts";
import type { AccessState, Known } from "../../policy/access.ts";
import { factsOfGroup, factsOfType } from "../../policy/powers/activity.ts";
import type { SubmittingUser } from "../../policy/powers/forecast.ts";
import { findParts } from "../../policy/powers/judge.ts";
import { prepareAccess } from "../../policy/powers/prepare.ts";
import { type Assumed, joinAssumptions } from "../../policy/powers/reason.ts";
import type { Held } from "../activities/pending.ts";
import type { LiveOrganization, Named } from "../organization.ts";
import type { Step } from "../step.ts";
import { compareText, textsIn } from "../value.ts";
import { accessAfter, completing, coveredId } from "./access-after.ts";
import { forecastSteps, typeOfStep } from "./forecast.ts";
import { findImpact, type StepsImpact } from "./impact.ts";

/** The impact is left out where nothing is submitted or policies were not asked for. */
export interface Consequences extends Partial<StepsImpact> {
	/** Each with its approval. */
	readonly steps: readonly Step[];
	/** What no source documents of policies on which impact and approvals rest; left out where there is nothing. */
	readonly assumptions?: readonly Assumed[];
	/** Name by tag id, live or of a tag that the plan creates, of the tags that impact and approvals name; left out where there is none. */
	readonly tagNames?: Readonly<Record<string, string>>;
	/** Live name by policy id, of the policies that impact and approvals name; left out where there is none. */
	readonly policyNames?: Readonly<Record<string, string>>;
	/** Who will submit it, so far as it is known; approvals are forecast for this user. Left out where it is not known. */
	readonly submitterId?: string;
}

interface MeaningContext {
	/** Left out: it was not read. */
	readonly access?: AccessState;
	readonly submitter?: Known<SubmittingUser>;
	/** Milliseconds since 1970, by our clock, and by the service's where that differs. */
	readonly readAtMs: number;
	readonly serviceTimeMs?: number;
}

type Judged = Omit<Consequences, "tagNames" | "policyNames">;

/** What steps mean, by the access and all else that it depends on: a resource is checked and applied by the same answers. */
const judged = new WeakMap<AccessState, Map<string, Judged>>();

/** Returns the steps as they are, and nothing else, where there is none or it was not read who can do what. */
export function findConsequences(
	{ steps, waiting }: Held,
	{ access, submitter, readAtMs, serviceTimeMs: atMs = readAtMs }: MeaningContext,
	live: Pick<LiveOrganization, "userTags">,
): Consequences {
	if (access === undefined || steps.length === 0) return { steps };
	const who: Known<SubmittingUser> = submitter ?? { known: false, because: { kind: "not-asked" } };
	const find = (): Judged => judge({ steps, waiting }, access, { submitter: who, atMs });
	// A resource is one step. To compare a large plan would cost more than it saves.
	if (steps.length > 1) return withNames(find(), access, live);
	const all = [access, accessAfter(access, steps)].flatMap(({ policies }) => (policies.known ? policies.value : []));
	const isTimed = all.some(({ time }) => time.trim() !== "");
	const key = JSON.stringify([steps, waiting, who, isTimed && atMs]);
	return withNames(
		remember(
			remember(judged, access, () => new Map()),
			key,
			find,
		),
		access,
		live,
	);
}

function judge(
	{ steps, waiting }: Held,
	access: AccessState,
	{ submitter, atMs }: { readonly submitter: Known<SubmittingUser>; readonly atMs: number },
): Judged {
	const after = accessAfter(access, completing(steps));
	const forecast = forecastSteps(steps, { access, submitter, atMs, waiting });
	const found = findImpact(access, steps, atMs, after);
	const impact = [...found.impact, ...(found.impactAtOtherTimes ?? [])];
	const sides = [access, after].map((side) => prepareAccess(side, atMs));
	const facts = [
		...impact.map(({ group }) => factsOfGroup(group)),
		...steps.map((step) => factsOfType(typeOfStep(step))),
	];
	const assumed = sides.flatMap((side) => [...new Set(facts)].flatMap((one) => findParts(side, one).assumptions));
	const assumptions = joinAssumptions(assumed);
	return {
		steps: forecast,
		...found,
		...defined({ assumptions: nonEmpty(assumptions) }),
		...(submitter.known ? { submitterId: submitter.value.userId } : {}),
	};
}

/** Returns ids of all user tags that the consequences of a plan name. */
export function tagsOfConsequences({
	impact = [],
	impactAtOtherTimes = [],
	steps,
}: Pick<Consequences, "impact" | "impactAtOtherTimes" | "steps">): readonly string[] {
	const sides = [...impact, ...impactAtOtherTimes].flatMap(({ before, after }) => [before, after]);
	const approvals = steps.flatMap(({ approval }) => approval ?? []);
	return [...sides, ...approvals].flatMap(({ thresholds }) => thresholds.flat().flatMap(({ tagId }) => tagId ?? []));
}

/** Returns the tags that the steps create, with the ids that stand in for those that the service makes. */
function createdTags(steps: readonly Step[]): readonly Named[] {
	return steps.flatMap((step) => {
		if (step.operation !== "create_user_tag") return [];
		const { userTagName: name } = step.parameters;
		return [{ id: coveredId(step, name), name }];
	});
}

/** Returns the consequences with the names of the tags and policies that they name, so far as they are known. */
function withNames(
	found: Judged,
	{ policies }: AccessState,
	{ userTags }: Pick<LiveOrganization, "userTags">,
): Consequences {
	const { steps, ...others } = found;
	const ids = new Set(textsIn([others, steps.map(({ approval }) => approval)]));
	const tagNames = pick([...(userTags.known ? userTags.value : []), ...createdTags(steps)], ids);
	const policyNames = pick(policies.known ? policies.value : [], ids);
	return {
		...found,
		...(Object.keys(tagNames).length === 0 ? {} : { tagNames }),
		...(Object.keys(policyNames).length === 0 ? {} : { policyNames }),
	};
}

/** Returns name by id, sorted, of those with these ids. */
function pick(named: readonly Named[], ids: ReadonlySet<string>) {
	const found = named.filter(({ id }) => ids.has(id)).map(({ id, name }) => [id, name] as const);
	return Object.fromEntries(found.sort(([left], [right]) => compareText(left, right)));
}
