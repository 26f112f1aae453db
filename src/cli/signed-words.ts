/** Words for what a passkey signs, from the parameters in the signed bytes. Without words, nothing is shown or signed. */
import { showAddress } from "../common/escape.ts";
import type { SignedRequest, SignedWords } from "../passkey/words.ts";
import { isPastValidity } from "../plan/access-window.ts";
import { isSameRequest, narrowStep, objectsOf } from "../plan/activities/requests.ts";
import { effectOfStep } from "../plan/impact/step-effect.ts";
import type { NamedOrganization } from "../plan/organization-name.ts";
import type { Plan } from "../plan/plan.ts";
import { fillStandIns, idsOfStandIns } from "../plan/stand-in.ts";
import type { Step } from "../plan/step.ts";
import type { UserNames } from "../plan/users.ts";
import { type Html, html } from "../render/html/html.ts";
import { cardHtml, differencesHtml, phraseHtml, rowCardHtml } from "../render/print/html.ts";
import type { OrganizationVotes } from "../render/result/votes.ts";
import { activityRow, describeRequest } from "../render/sections/activity.ts";
import { impactSection } from "../render/sections/impact.ts";
import { sayOrganization } from "../render/sections/organization.ts";
import { identifier } from "../say/phrase.ts";
import type { Row } from "../say/section.ts";
import type { Comparison } from "../sync/converge.ts";
import { approvals, type WriteName, writes } from "../wire/operations.ts";

const headings: Readonly<Record<WriteName, string>> = {
	update_user_tag: "Change a user tag",
	delete_oauth_providers: "Remove OAuth providers of a user",
	delete_policies: "Remove policies",
	create_user_tag: "Create a user tag",
	delete_user_tags: "Remove user tags",
	create_policies: "Create policies",
	update_policy: "Change a policy",
	delete_tvc_app_and_deployments: "Remove a TVC app and its deployments",
	init_import_private_key: "Prepare the import of a private key",
};

/** Returns the words of an import for this user; undefined for any other request. */
export function importWords(request: SignedRequest, names: UserNames): SignedWords | undefined {
	const operation = "init_import_private_key";
	if (request.type !== writes[operation].type) return undefined;
	const rows = differencesHtml(describeRequest({ operation, parameters: request.parameters, effect: null }, names));
	return { heading: headings[operation], html: requestCard(rows, request) };
}

/**
 * Returns the step that the request carries out, or the part of one that is about some of its objects; undefined if there is none. The
 * request has the ids of what earlier steps created, where the plan has stand-ins.
 */
export function findSignedStep({ type, organizationId, parameters }: SignedRequest, plan: Plan): Step | undefined {
	if (organizationId !== plan.organizationId) return undefined;
	const found = plan.steps.filter(({ operation }) => writes[operation].type === type);
	for (const step of found) {
		const [ids, own] = [objectsOf({ operation: step.operation, parameters }), objectsOf(step)];
		const part = ids.length > 0 && ids.every((id) => own.includes(id)) ? narrowStep(step, ids) : step;
		const filled = {
			...part,
			parameters: fillStandIns(part.parameters, idsOfStandIns(part.parameters, parameters)),
		} as Step;
		if (isSameRequest(filled, parameters)) return part;
	}
	return undefined;
}

/** Returns the words of a step of these plans; undefined for any other request. */
export function describeSteps(
	request: SignedRequest,
	comparisons: readonly Comparison[],
	now: () => number,
): SignedWords | undefined {
	const found = comparisons.find(({ plan }) => findSignedStep(request, plan) !== undefined);
	const step = found && findSignedStep(request, found.plan);
	if (found === undefined || step === undefined) return undefined;
	const { operation } = step;
	const effect = effectOfStep(step, found.plan, found);
	const rows = differencesHtml([
		...describeRequest({ operation, parameters: request.parameters, effect }),
		...createdIdRows(step, request, found.plan),
	]);
	const impact = cardHtml(impactSection(effect));
	const { exactOffsetMs = found.clockOffsetMs } = found;
	return {
		heading: headings[operation],
		html: html`${requestCard(rows, effect)}${impact}`,
		whyPast: () => (isPastValidity(effect, now() + exactOffsetMs) ? pastWords : undefined),
	};
}

/** Returns the ids that the request has where the texts of its policies name tags that earlier steps created. */
function createdIdRows({ parameters }: Step, request: SignedRequest, { changes }: Plan): readonly Row[] {
	return [...idsOfStandIns(parameters, request.parameters)].map(([standIn, id]): Row => {
		const tag = changes.find((one) => one.kind === "userTag" && one.tagId === standIn)?.address ?? standIn;
		return { sign: "!", said: [identifier(showAddress(tag)), " has the id ", identifier(id)] };
	});
}

/** What is said where a person signed too late. */
const pastWords = "a window of the document began or ended before you signed, so nothing was submitted";

const votes = new Map([
	[approvals.approve_activity.type as string, "Approve an activity"],
	[approvals.reject_activity.type as string, "Reject an activity"],
]);

/** Returns the words of a vote for one of the reviewed activities; undefined for any other request. */
export function voteWords(
	request: SignedRequest,
	organizations: readonly OrganizationVotes[],
	isPast: (organization: OrganizationVotes) => boolean,
): SignedWords | undefined {
	const heading = votes.get(request.type ?? "");
	const { fingerprint, ...others } = request.parameters;
	const organization = organizations.find(({ organizationId }) => organizationId === request.organizationId);
	const found = organization?.activities.find(({ activity }) => activity.fingerprint === fingerprint);
	if (heading === undefined || organization === undefined || found === undefined) return undefined;
	if (found.decision !== "vote" || found.activity.mistakes.length > 0 || Object.keys(others).length > 0)
		return undefined;
	const words = rowCardHtml(activityRow(found.activity, organization, organization.voterId));
	const whyPast = () => (isPast(organization) ? pastWords : undefined);
	return { heading, html: requestCard(words, organization), whyPast };
}

function requestCard(body: Html | null, organization: NamedOrganization): Html {
	return html`<section class="card plain" aria-labelledby="signed"><h2 id="signed">What you sign</h2>${body}<p class="soft">Organization ${phraseHtml(sayOrganization(organization))}</p></section>`;
}
