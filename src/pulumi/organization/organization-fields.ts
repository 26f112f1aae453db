/** Inputs and outputs of `Organization`, and what a plan says for them; `getPlan` has some of them too. */
import type { DesiredOrganization } from "../../plan/organization.ts";
import type { Plan } from "../../plan/plan.ts";
import { groupSteps } from "../../plan/step-groups.ts";
import type { ApprovalVerdict } from "../../policy/powers/forecast.ts";
import { phraseText } from "../../render/print/text.ts";
import { describeImpact } from "../../render/sections/impact-words.ts";
import { describeApprovals } from "../../say/approvals.ts";
import { stepText } from "../../say/steps.ts";
import type { Arguments } from "../inputs/input-schema.ts";

/** The state after a run: a run that changes something does not change the summary. */
export interface OrganizationSummary {
	/** The organization, in lower case. */
	readonly organizationId: string;
	/** Addresses of read-only objects that differ from the document. */
	readonly differences: string[];
	/** Addresses of user tags that the document does not mention. */
	readonly unmanaged: string[];
}

/** Which approvals a step needs, as policies are now. */
export interface PlannedApproval {
	/** What the step does. */
	readonly step: string;
	/** `runs`, `pending`, `denied` or `unknown`. */
	readonly verdict: ApprovalVerdict;
	/** Who has to approve the step, for example `will be pending approval by 1 of approvers (carol, dave)`. */
	readonly sentence: string;
}

/** What a comparison found, for the outputs of the component. */
export interface Findings {
	readonly summary: OrganizationSummary;
	readonly changes: string[];
	readonly activities: number;
	/** Null if policies were not read, so that it is not known. */
	readonly impact: string[] | null;
	readonly approvals: PlannedApproval[] | null;
}

/** The findings of a run that compares nothing, as with mocks. */
export function noFindings({ organizationId }: DesiredOrganization): Findings {
	const summary = { organizationId, differences: [], unmanaged: [] };
	return { summary, changes: [], activities: 0, impact: [], approvals: [] };
}

/** What the plan says for the outputs of the component. */
export function findingsOf(plan: Plan): Findings {
	const { organizationId, changes, unmanaged, steps } = plan;
	const { sent, pending } = groupSteps(steps);
	const hasForecast = sent.length + pending.length === 0 || plan.impact !== undefined;
	return {
		summary: {
			organizationId,
			differences: addressesOf(changes.filter(({ action }) => action === "report")),
			unmanaged: addressesOf(unmanaged),
		},
		changes: addressesOf(changes.filter(({ action }) => action !== "report")),
		activities: sent.length + pending.length,
		impact: hasForecast ? describeImpact(plan).map(({ sign, sentence }) => `${sign} ${phraseText(sentence)}`) : null,
		approvals: hasForecast
			? describeApprovals(plan).flatMap(({ verdict, sentence, steps: alike }) =>
					alike.map((step) => ({ step: stepText(step), verdict, sentence: phraseText(sentence) })),
				)
			: null,
	};
}

function addressesOf(some: readonly { readonly address: string }[]): string[] {
	return some.map(({ address }) => address);
}

/** The inputs, which `OrganizationArgs` describes. */
export const documentInputs: Arguments = {
	document: { shape: "document" },
	organizationId: { shape: "id", isOptional: true },
	env: { shape: "texts", isOptional: true },
};
