/**
 * Whole runs of apply on an organization with approvers and a passkey: open entries are settled, pending activities are
 * read, and the plan is applied.
 */
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import type { DesiredOrganization } from "../../src/plan/organization.ts";
import type { Reads } from "../../src/plan/plan.ts";
import type { Report } from "../../src/plan/report.ts";
import type { ApplyContext } from "../../src/sync/apply.ts";
import { type Comparison, compareLive } from "../../src/sync/converge.ts";
import { openJournal } from "../../src/sync/journal/file.ts";
import type { Journal } from "../../src/sync/journal/journal.ts";
import { settleOpenEntries } from "../../src/sync/settle.ts";
import { approvals, type SubmitName, submits } from "../../src/wire/operations.ts";
import { encodeSubmit } from "../../src/wire/request-body.ts";
import { createApiKeyStamper, type Stamper } from "../../src/wire/stamp.ts";
import { credentialId, keys } from "../emulator/world.ts";
import { organizationId } from "../plan/support-organizations.ts";
import {
	acme,
	adminId,
	adminKey,
	alice,
	applyToReport,
	approverStamper,
	Bench,
	bob,
	minuteMs,
	signers,
	wantSigners,
} from "./support.ts";

/** Acme, whose administrator has a passkey too. */
function acmeWithPasskey() {
	const seed = acme();
	const authenticators = [{ credentialId, publicKey: keys.passkey.publicKey }];
	return {
		...seed,
		users: (seed.users ?? []).map((user) => (user.userId === adminId ? { ...user, authenticators } : user)),
	};
}
export let bench: Bench;
let everything: Bench;
let documented: Bench;
beforeAll(async () => {
	everything = await Bench.start([acmeWithPasskey()]);
	documented = await Bench.start([acme()], "documented");
});
beforeEach(async () => {
	bench = everything;
	await bench.reset(acmeWithPasskey());
	await documented.reset(acme());
});
afterAll(async () => {
	await everything.close();
	await documented.close();
});
export const adminStamper = createApiKeyStamper({ privateKey: adminKey });
export const withBob = wantSigners(alice, bob);
export const addBob = { userTagId: signers, addUserIds: [bob], removeUserIds: [] };
export const updates = { operation: "update_user_tag" } as const;
export const forEver = 0x7fff;
export const twoHours = 120 * minuteMs;
export const needTwo = {
	approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2, ACTIVITY_TYPE_DELETE_POLICIES: 2 },
};
/** One run of `orgsync apply`, with every net. */
export async function run(
	desired: DesiredOrganization,
	parts: Partial<ApplyContext> = {},
	reads: Reads = "auto",
): Promise<{ readonly comparison: Comparison; readonly report: Report }> {
	const context = { ...bench.context(parts), reads };
	const { journal, reader, now } = context;
	const settled = await settleOpenEntries(organizationId, context);
	const { retryRejected } = parts;
	const options = { reads, now, journal, ...(retryRejected === undefined ? {} : { retryRejected }) };
	const comparison = await compareLive(desired, reader, journal.lastApplied(organizationId), options);
	return { comparison, report: await applyToReport(comparison, { ...context, settled }) };
}
/** The plan alone, as `orgsync plan` makes it: nothing is settled before. */
export async function planOf(desired: DesiredOrganization, reads: Reads = "auto") {
	const { reader, journal, now } = bench.context();
	return (await compareLive(desired, reader, journal.lastApplied(organizationId), { reads, now, journal })).plan;
}
/** The same run on another machine: without our journal. */
export async function runElsewhere(desired: DesiredOrganization) {
	const journal = await openJournal(":memory:");
	try {
		return await run(desired, { journal });
	} finally {
		journal.close();
	}
}
/** Submits this as another user; returns the new activity. */
export async function othersSubmit(
	operation: SubmitName,
	parameters: Readonly<Record<string, unknown>>,
	atMs = bench.nowMs,
) {
	const body = encodeSubmit(submits[operation], organizationId, parameters, atMs);
	const answer = await bench.client({ stamper: approverStamper }).submitter.submit(body);
	if (answer.kind !== "activity") throw new Error("another user's submit was not accepted");
	return answer.activity;
}
/** A vote of the second user, or of another stamper. */
export async function vote(
	how: keyof typeof approvals,
	fingerprint: string | null | undefined,
	stamper: Stamper = approverStamper,
): Promise<void> {
	const body = encodeSubmit(approvals[how] as never, organizationId, { fingerprint }, bench.nowMs);
	const answer = await bench.client({ stamper }).voter.vote(body);
	expect(answer).toMatchObject({ kind: "activity", activity: { status: "ACTIVITY_STATUS_COMPLETED" } });
}
/** Activities that are no votes, and requests that could have made one. */
export function made(): { readonly activities: number; readonly submits: number } {
	const isVote = (text: unknown): boolean => /approve_activity|reject_activity/i.test(String(text));
	return {
		activities: bench.activities().filter(({ type }) => !isVote(type)).length,
		submits: bench.requests("submit").filter(({ operation }) => !isVote(operation)).length,
	};
}
export function queriesOf(): readonly (string | null)[] {
	return bench
		.requests("query")
		.map(({ operation }) => operation)
		.sort();
}
export function openEntries(journal: Journal = bench.journal) {
	return journal.openEntries(organizationId).map(({ outcome, activityId }) => ({ outcome, activityId }));
}

/** Lets the test use the service without the extended reads. */
export function useDocumented(): void {
	bench = documented;
}
