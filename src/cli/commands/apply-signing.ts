import { groupSteps } from "../../plan/step-groups.ts";
import type { PasskeySigner } from "../passkey.ts";
import type { ComparedOrganization } from "./comparing.ts";

/** Gives the page of `--passkey` the words of all steps. Does nothing without a page. */
export async function describeSigning(
	compared: readonly ComparedOrganization[],
	signer: PasskeySigner | undefined,
	now: () => number,
): Promise<void> {
	if (signer === undefined) return;
	const { describeSteps } = await import("../signed-words.ts");
	const comparisons = compared.map(({ comparison }) => comparison);
	const steps = comparisons.flatMap(({ plan }) => groupSteps(plan.steps).sent);
	signer.describeWith((request) => describeSteps(request, comparisons, now), steps.length);
}
