/** Inputs and outputs of `Organization`, and what a plan says for them; `getPlan` has some of them too. */
import type { DesiredOrganization } from "../../plan/organization.ts";
import type { Plan } from "../../plan/plan.ts";
import { groupSteps } from "../../plan/step-groups.ts";
import type { ApprovalVerdict } from "../../policy/powers/approval.ts";
import { phraseText } from "../../render/print/text.ts";
import { describeImpact } from "../../render/sections/impact-words.ts";
import { describeApprovals } from "../../say/approvals.ts";
import type { Described, DescribedField } from "../functions/described.ts";

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
					alike.map(({ reason }) => ({ step: reason, verdict, sentence: phraseText(sentence) })),
				)
			: null,
	};
}

function addressesOf(some: readonly { readonly address: string }[]): string[] {
	return some.map(({ address }) => address);
}

export const organizationDescription =
	"A whole document as one component.\n\nIt registers a `UserTag` for each tag, one `PolicyRemoval`, an `OauthProviderRemoval` for each user and a `TvcAppRemoval` for each app. It fails before it registers any part if the document has errors, the live organization has problems, or a guard blocks the plan. Read-only objects that differ from the document, and broken rules, are a warning. It repairs drift without `--refresh`.";

export const documentInputs: Described = {
	document: {
		shape: "document",
		description:
			"The document: the path of a YAML file, relative to the folder of `Pulumi.yaml`, or an object of the same form. Changing it updates the parts that differ; a part that it drops is destroyed, which submits nothing.",
	},
	organizationId: {
		shape: "id",
		description:
			"The organization of the document, a UUID. Required if the document has several. Changing it replaces the parts; in the organization before, that submits nothing.",
		isOptional: true,
	},
	env: {
		shape: { listOf: "text" },
		description:
			"Environment variables that the document may use as `${NAME}`, besides `ORGSYNC_VAR_*` and `ORGSYNC_ORGANIZATION_ID`. Credentials are not allowed. Changing it updates the parts whose values differ.",
		isOptional: true,
	},
};

const differences: DescribedField = {
	shape: { listOf: "text" },
	description: "Addresses of read-only objects that differ from the document.",
};

const unmanaged: DescribedField = {
	shape: { listOf: "text" },
	description: "Addresses of user tags that the document does not mention.",
};

const impact: DescribedField = {
	shape: { listOf: "text" },
	description:
		"What the plan changes for who can do what, worst first, one sentence each. Each begins with its sign: `!` bad news, `+` someone gains, `-` someone loses, `?` not known. Not set if policies were not read.",
};

const approvals: DescribedField = {
	shape: {
		listOf: {
			object: "PlannedApproval",
			description: "Which approvals a step needs, as policies are now.",
			fields: {
				step: { shape: "text", description: "What the step does." },
				verdict: { shape: "text", description: "`runs`, `pending`, `denied` or `unknown`." },
				sentence: {
					shape: "text",
					description:
						"Who has to approve the step, for example `will be pending approval by 1 of approvers (carol, dave)`.",
				},
			},
		},
	},
	description:
		"What the policies, as they are now, require for each step. Steps that would be denied come first. Not set if policies were not read.",
};

/** Fields that the outputs of the component and the result of `getPlan` share. */
export const planFields = { differences, unmanaged, impact, approvals };

const ofOneRun = (field: DescribedField): DescribedField => ({
	...field,
	description: `${field.description} It belongs to one run, so do not export it.`,
});

export const organizationOutputs: Described = {
	organizationId: { shape: "id", description: "The organization, in lower case." },
	summary: {
		shape: {
			object: "OrganizationSummary",
			description: "The state after a run: a run that changes something does not change the summary.",
			fields: {
				organizationId: { shape: "id", description: "The organization, in lower case." },
				differences,
				unmanaged,
			},
		},
		description: "The state after this run. Repeating the run does not change it.",
	},
	changes: ofOneRun({
		shape: { listOf: "text" },
		description: "Addresses of the objects that differed before this run.",
	}),
	activities: ofOneRun({
		shape: "number",
		description: "How many activities this run needs; some may be pending already.",
	}),
	impact: { ...ofOneRun(impact), isOptional: true },
	approvals: { ...ofOneRun(approvals), isOptional: true },
};
