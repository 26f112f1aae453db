import type { SignedRequest } from "../../../passkey/words.ts";
import { groupSteps } from "../../../plan/step-groups.ts";
import { fingerprintOf } from "../../../wire/request-body.ts";
import type { PasskeySigner } from "../../passkey.ts";
import type { ComparedOrganization } from "../comparing.ts";

/** Gives the page of `--passkey` the words of all steps. Does nothing without a page. */
export async function describeSigning(
	compared: readonly ComparedOrganization[],
	signer: PasskeySigner | undefined,
	now: () => number,
): Promise<void> {
	if (signer === undefined) return;
	const { describeSteps } = await import("../../signed-words.ts");
	const comparisons = compared.map(({ comparison }) => comparison);
	const steps = comparisons.flatMap(({ plan }) => groupSteps(plan.steps).sent);
	signer.describeWith(
		(request) => describeSteps(request, comparisons, now),
		steps.length,
		(request) => whyStepChanged(request, compared),
	);
}

/** Returns why a signed step is not submitted: a new plan lacks it, a guard blocks it, or another activity makes the change. */
export async function whyStepChanged(
	request: SignedRequest,
	compared: readonly ComparedOrganization[],
): Promise<string | undefined> {
	const one = compared.find(({ comparison }) => comparison.plan.organizationId === request.organizationId);
	if (one === undefined) return undefined;
	const { planLater } = await import("../../../sync/submit/later-steps.ts");
	const { findSignedStep } = await import("../../signed-words.ts");
	const later = await planLater(one.comparison.plan, one.compareAgain);
	const notSent = "so what you signed was not sent: run the command again";
	if (later.plan === null) return `${later.because}, ${notSent}`;
	const step = findSignedStep(request, later.plan);
	const isFree = step?.earlierActivity === null || step?.earlierActivity.fingerprint === fingerprintOf(request.body);
	if (step !== undefined && isFree && step.dependsOn.length === 0) return undefined;
	return `live state changed before you signed, ${notSent}`;
}
