/** `getPlan` as a function of programs. */

import * as pulumi from "@pulumi/pulumi";
import { defined } from "../../common/defined.ts";
import { type OrganizationArgs, readOrganization } from "../organization/component.ts";
import { type DocumentPlan, getPlanName, planDocument } from "../organization/get-plan.ts";
import { explain, ResourceFailure } from "../resources/failure.ts";
import type { Session } from "../session/session.ts";
import { programError } from "./configuration.ts";
import { makeForms } from "./function-forms.ts";

async function planArguments(args: OrganizationArgs, session: Session): Promise<DocumentPlan> {
	try {
		return await planDocument(readOrganization(args), session);
	} catch (error) {
		const reason = error instanceof ResourceFailure ? error.message : explain(error);
		throw new ResourceFailure(`${getPlanName}: ${reason}`);
	}
}

/** The result of the mocks, which return the whole plan. */
async function planMocks(args: OrganizationArgs): Promise<DocumentPlan> {
	const token = `orgsync:index:${getPlanName}`;
	const plan = (await pulumi.runtime.invoke(token, defined(args))) as Partial<DocumentPlan> | undefined;
	if (plan?.inSync !== undefined) return plan as DocumentPlan;
	throw programError(`${getPlanName}: the mocks return nothing for it: return { inSync: … } for ${token}`);
}

/**
 * Returns what the plan of a document says.
 *
 * It compares the document with the live organization, and submits nothing. The result has the changes, what they mean for
 * who can do what, who has to approve them, and the guards that block them.
 */
export const [getPlan, getPlanOutput] = makeForms<OrganizationArgs, DocumentPlan>({
	label: getPlanName,
	run: planArguments,
	mocked: planMocks,
});
