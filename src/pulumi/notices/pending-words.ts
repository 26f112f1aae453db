/** What pending activities mean for one resource, in words: lines beside it in the engine's output. */
import { quoteForShell, showAddress, showText } from "../../common/escape.ts";
import { nameOf, type PendingActivity, type RelatedActivity } from "../../plan/activities/pending.ts";
import type { Plan } from "../../plan/plan.ts";
import type { UserNames } from "../../plan/users.ts";
import { phraseText } from "../../render/print/text.ts";
import { sayPending } from "../../say/activities.ts";
import { outcomeWords } from "../../say/outcomes.ts";
import type { MetaInputs } from "../inputs/inputs.ts";
import type { StoredActivity } from "../state/stored-state-check.ts";
import { withLiveNames } from "./plan-notices.ts";

type Meta = Pick<MetaInputs, "resource" | "secretInputs">;

/** A line for each pending, doubtful or rejected activity of the plan, for example `signers: activity ID is pending approval …`. */
export function describePending(meta: Meta, plan: Plan): readonly string[] {
	return plan.waiting.map((one) =>
		showText(`${meta.resource}: ${describeActivity(one, meta, withLiveNames(plan))}; ${describeEffect(one)}`),
	);
}

/** Which activity it is, since when, and who approved it. Beside secret inputs, no user is named. */
export function describeActivity(
	activity: PendingActivity,
	{ secretInputs = [] }: Partial<Meta>,
	names: UserNames = { userNames: {} },
): string {
	return phraseText(sayPending(secretInputs.length === 0 ? activity : { ...activity, approvedBy: null }, names));
}

function describeEffect(activity: RelatedActivity): string {
	const what = activity.covers.map(({ address }) => showAddress(address)).join(", ");
	const abandon = `\`pulumi config set orgsync:abandon ${quoteForShell(nameOf(activity))}\``;
	if (activity.relation === "rejected") {
		return `it made the desired change of ${what}: \`pulumi up\` does not submit it again; to override: \`ORGSYNC_RETRY_REJECTED=true pulumi up\``;
	}
	if (activity.state === "in-doubt") {
		return `it can still change ${what}: \`pulumi up\` does not touch that; once you know that it has ended: ${abandon}`;
	}
	return activity.relation === "same"
		? `it makes the desired change of ${what}: \`pulumi up\` joins it and submits nothing`
		: `it conflicts with the desired change of ${what}: \`pulumi up\` submits nothing until it ends; to override: ${abandon}`;
}

/** A line for each activity of the state that may be pending and that the plan does not name. */
export function describeStored(
	{ resource }: Meta,
	stored: readonly StoredActivity[],
	{ steps, waiting, problems }: Pick<Plan, "steps" | "waiting" | "problems">,
): readonly string[] {
	const isInSync = steps.length === 0 && problems.length === 0;
	return stored
		.filter(({ fingerprint }) => !waiting.some((one) => one.fingerprint === fingerprint))
		.filter(({ outcome }) => outcome === "unknown" || (isInSync && outcome.startsWith("awaiting")))
		.map((one) => {
			const learns = "`pulumi up` learns what became of it";
			const next = isInSync
				? `the object is in sync: ${learns}, and submits nothing`
				: `${learns}, and makes no second activity`;
			return showText(`${resource}: ${describeLastRead(one)}; ${next}`);
		});
}

/** A warning for each activity that did not end although its resource is in sync without it. */
export function describeLeft({ resource }: Meta, left: readonly StoredActivity[]): readonly string[] {
	return left.map((one) =>
		showText(
			`warning: ${resource}: ${describeLastRead(one)}; the program does not ask for it any more, and it can still change the object: reject it`,
		),
	);
}

function describeLastRead({ activityId, fingerprint, outcome }: StoredActivity): string {
	const named = activityId === null ? "a request" : `activity ${activityId}`;
	const state = outcome === "unknown" ? "is in doubt" : `was ${outcomeWords[outcome]} when it was last read`;
	return `${named} ${state}; fingerprint ${fingerprint}`;
}
