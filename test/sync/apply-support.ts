/**
 * The organization Acme, and steps that fail on request, for tests of applyPlan.
 */
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { DesiredOrganization } from "../../src/plan/organization.ts";
import type { StepResult } from "../../src/plan/report.ts";
import type { Submitter } from "../../src/wire/client.ts";
import { approvals } from "../../src/wire/operations.ts";
import { encodeSubmit } from "../../src/wire/request-body.ts";
import { desiredOf, organizationId, type Sections, wantTag, withSections } from "../plan/support-organizations.ts";
import {
	acme,
	alice,
	approverStamper,
	apps,
	Bench,
	bob,
	carol,
	oncall,
	policies,
	providers,
	signers,
} from "./support.ts";

export let bench: Bench;
beforeAll(async () => {
	bench = await Bench.start([acme()]);
});
beforeEach(() => bench.reset(acme()));
afterAll(() => bench.close());
export const exactly = (...users: readonly string[]) => ({ members: { mode: "exactly", exactly: users } }) as const;
export function absent(parts: Partial<Sections["absent"]>): DesiredOrganization {
	return desiredOf({ absent: { policyIds: [], oauthProviders: [], tvcAppIds: [], ...parts } });
}
export const removeAll = absent({
	policyIds: [...policies],
	oauthProviders: [
		{ userId: alice, providerIds: [providers[0], providers[1]] },
		{ userId: bob, providerIds: [providers[2]] },
	],
	tvcAppIds: [...apps],
});
/** Signers and oncall exchange their names; Bob and Carol become members beside it, and a policy goes. */
export const exchange: DesiredOrganization = withSections(absent({ policyIds: [policies[0]] }), {
	userTags: [
		wantTag("auditors", exactly(bob)),
		wantTag("oncall", { id: signers }),
		wantTag("signers", { id: oncall, ...exactly(carol) }),
	],
});
export function operations(): readonly (string | null)[] {
	return bench.requests("submit").map(({ operation }) => operation);
}
export function outcomes(steps: readonly StepResult[]): readonly string[] {
	return steps.map(({ outcome }) => outcome);
}
/** The approval of another user. */
export async function approve(fingerprint: string | null | undefined): Promise<void> {
	const body = encodeSubmit(approvals.approve_activity, organizationId, { fingerprint }, bench.nowMs);
	await bench.client({ stamper: approverStamper }).voter.vote(body);
}
/** A submitter that does something after each answer of the service. */
export function afterEachSubmit(act: (operation: string) => Promise<void> | void): Submitter {
	const { submitter } = bench.client();
	return {
		async submit(body) {
			const answer = await submitter.submit(body);
			await act(body.operation.name);
			return answer;
		},
	};
}
