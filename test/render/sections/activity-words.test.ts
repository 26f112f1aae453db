/** One pending activity in words: what it changes, what that means, who voted, and what is missing. */
import { describe, expect, it } from "vitest";
import { planActivity } from "../../../src/plan/activities/activity-effect.ts";
import type { ReviewedActivity } from "../../../src/plan/activities/reviewed-activity.ts";
import type { Plan } from "../../../src/plan/plan.ts";
import { rowCardHtml } from "../../../src/render/print/html.ts";
import { differenceLines } from "../../../src/render/print/text.ts";
import { activityRow, describeRequest } from "../../../src/render/sections/activity.ts";
import { plainStyle } from "../../../src/render/style.ts";
import { context, id, known, liveOf, liveTag } from "../../plan/support-organizations.ts";
import { hostileNames } from "../support.ts";
import { activityOf, alice, bob, carol, dave, names, treasury } from "../support-activities.ts";
import {
	approvalOf,
	changingPlanOf,
	findingOf,
	pendingApproval,
	sideOf,
	signPolicy,
	twoOfTreasury,
	withApprovals,
	withImpact,
} from "../support-impact.ts";

const show = (activity: ReviewedActivity, voterId: string | null = null): string =>
	differenceLines(activityRow(activity, names, voterId), plainStyle).join("\n");

const showRequest = (parts: Partial<ReviewedActivity>): readonly string[] =>
	describeRequest(activityOf(parts), names)
		.flatMap((row) => differenceLines(row, plainStyle))
		.map((line) => line.trim());

/** The plan that takes treasury from dave, with an impact, as the effect of one activity. */
function effectOf(approval = pendingApproval, name = (text: string): string => text): Plan {
	const whole = changingPlanOf(name);
	const isTreasury = ({ address }: { readonly address: string }): boolean => address === `userTag:${name("treasury")}`;
	const plan = {
		...whole,
		changes: whole.changes.filter(isTreasury),
		steps: whole.steps.filter(({ covers }) => covers.some(isTreasury)),
	};
	const finding = findingOf({
		...{ change: "nobody", group: { resource: "WALLET", action: "EXPORT" }, userIds: [carol, dave] },
		...{ before: twoOfTreasury, after: sideOf(), policyIds: [signPolicy], witness: [carol, dave] },
	});
	return withImpact(withApprovals(plan, [approval]), [finding], "less-permissive", name);
}

const removal = {
	parameters: { userTagId: treasury, newUserTagName: "vault", addUserIds: [carol], removeUserIds: [dave, bob] },
	effect: effectOf(),
};

describe("a pending activity in words", () => {
	it("shows what was signed as a plan does, its impact, who submitted it, who voted, and what is missing", () => {
		const voted = { userId: bob, selection: "rejected", at: "2026-11-22T18:05:00.000Z", counts: true } as const;
		const lapsed = { userId: carol, selection: "approved", at: "2026-11-21T18:00:00.000Z", counts: false } as const;
		const [own] = activityOf().votes;
		const votes = own === undefined ? [] : [own, lapsed, voted];
		expect(show(activityOf({ ...removal, votes }))).toMatchInlineSnapshot(`
			"update_user_tag: activity 60000007-7a3f-4c9e-9d40-000000000007 is pending approval
			    ~ userTag:treasury  20000002-7a3f-4c9e-9d40-000000000002
			        ~ name: treasury -> vault
			        + member carol: has it already
			        - member bob: does not have it
			        - member dave
			    What changes for who can do what: Less permissive: 2 people can do less, no one can do more.
			    !! no one can export wallets any more: it needs 2 of treasury, and only carol is left
			        policy \`two signers\`; for example carol and dave; \`WALLET/EXPORT\`
			    submitted by alice at 2026-11-22T18:00:00.000Z
			    approved by carol at 2026-11-21T18:00:00.000Z: lapsed, since votes count for 24 hours
			    rejected by bob at 2026-11-22T18:05:00.000Z
			    missing: 1 of (carol, dave), or the root quorum (erin (id 10000005…, no alias))
			    fingerprint sha256:a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1"
		`);
	});

	it("says what the vote of this user would do: complete it, or leave others missing", () => {
		const missing = (voterId: string | null, sets: readonly (readonly string[])[]): string =>
			show(activityOf({ ...removal, effect: effectOf({ ...pendingApproval, approverSets: sets }) }), voterId)
				.split("\n")
				.filter((line) => line.includes("missing: "))
				.join();
		expect(missing(carol, [[carol], [dave]])).toContain("; your approval completes it");
		expect(missing(carol, [[carol, dave]])).toContain("; with your approval, others are still missing");
		expect(missing(bob, [[carol], [dave]])).not.toContain("your");
		expect(missing(null, [[carol], [dave]])).not.toContain("your");
	});

	it("says on one line that no one can do more or less", () => {
		const effect = withImpact(effectOf(), [], "equivalent");
		const lines = show(activityOf({ ...removal, effect })).split("\n");
		expect(lines).toContain("    Who can do what stays the same.");
		expect(lines.join()).not.toContain("What changes for who can do what");
	});

	it("says why it is not known what is missing", () => {
		const effect = effectOf(
			approvalOf({
				verdict: "unknown",
				because: { kind: "not-read", why: { kind: "stated", text: "policies could not be read" } },
			}),
		);
		expect(show(activityOf({ ...removal, effect }))).toContain("missing: unknown: policies could not be read");
		expect(show(activityOf({ status: "ACTIVITY_STATUS_AUTHENTICATORS_NEEDED" }))).toContain(
			"missing: an authenticator",
		);
		expect(show(activityOf({ ...removal, status: "ACTIVITY_STATUS_PENDING" }))).not.toContain("missing");
	});

	it("shows no impact and nothing missing of one that cannot be reviewed", () => {
		const mistakes = [{ code: "other-parameters", message: "the parameters differ" }] as const;
		const shown = show(activityOf({ ...removal, mistakes, submittedBy: null }));
		expect(shown).toContain("cannot be reviewed: the parameters differ");
		expect(shown).toContain("submitted by a user whom the service does not name");
		expect(shown).not.toMatch(/missing|who can do what/);
	});

	it("shows every parameter of each operation, without a plan too", () => {
		const [policy, provider, app] = [id("policy", 1), id("provider", 1), id("app", 1)];
		expect([
			showRequest({ operation: "delete_policies", parameters: { policyIds: [policy, id("policy", 2)] } }),
			showRequest({ operation: "delete_policies", parameters: { policyIds: [] } }),
			showRequest({
				operation: "delete_oauth_providers",
				parameters: { userId: bob.toUpperCase(), providerIds: [provider] },
			}),
			showRequest({ operation: "delete_tvc_app_and_deployments", parameters: { appId: app } }),
			showRequest({ operation: "init_import_private_key", parameters: { userId: alice } }),
			showRequest({ parameters: { userTagId: treasury, newUserTagName: "vault", addUserIds: [], more: { a: 1 } } }),
			showRequest({ parameters: { userTagId: treasury } }),
			showRequest({ operation: null, parameters: { walletName: "w" } }),
		]).toMatchInlineSnapshot(`
			[
			  [
			    "- policy:30000001-7a3f-4c9e-9d40-000000000001",
			    "- policy:30000002-7a3f-4c9e-9d40-000000000002",
			  ],
			  [
			    "! it removes nothing",
			  ],
			  [
			    "- oauthProvider:bob/40000001-7a3f-4c9e-9d40-000000000001",
			  ],
			  [
			    "- tvcApp:50000001-7a3f-4c9e-9d40-000000000001  with its deployments",
			  ],
			  [
			    "+ prepare the import of a private key for alice",
			  ],
			  [
			    "~ userTag:20000002-7a3f-4c9e-9d40-000000000002",
			    "~ new name: vault",
			    "! parameter more: \`{"a":1}\`",
			  ],
			  [
			    "~ userTag:20000002-7a3f-4c9e-9d40-000000000002",
			    "! it changes nothing",
			  ],
			  [
			    "! parameter walletName: \`"w"\`",
			  ],
			]
		`);
	});

	it("says until when a saved plan gives access, where there is no document", () => {
		const live = liveOf({ userTags: known([liveTag(2, "treasury", { members: known([carol]) })]) });
		const window = { address: "userTag:treasury", until: "2026-12-01T00:00:00.000Z", state: "granted" } as const;
		const plannedExpiries = [bob, dave].map((userId) => ({ ...window, userId }));
		const effect = planActivity(activityOf(), { desired: undefined, plannedExpiries, live, context });
		expect(effect?.expiries).toEqual([{ ...window, userId: bob }]);
		expect(show(activityOf({ effect }))).toContain("+ member bob (access ends 2026-12-01 00:00 UTC)\n");
	});

	it("shows on a page each part of a change below its object", () => {
		const { html } = rowCardHtml(activityRow(activityOf(removal), names, null));
		expect(html).toMatch(
			/treasury<\/code>(?:(?!<\/li>).)*<p class="people">(?:(?!<\/li>).)*vault(?:(?!<\/li>).)*dave/s,
		);
	});

	it("shows no name of others as words of its own, in text and on a page", () => {
		const plain = (text: string): number => text.split("\n").length;
		const calm = activityOf(removal);
		for (const hostile of hostileNames) {
			const effect = effectOf(pendingApproval, (name) => `${hostile}${name}`);
			const one = activityOf({ ...removal, effect, type: hostile, status: hostile, voterNames: { [dave]: hostile } });
			expect(plain(show(one))).toBe(plain(show({ ...calm, status: "x" })));
			expect(rowCardHtml(activityRow(one, names, null)).html).not.toMatch(/<script|<img|<h1|<!--|&lt;b&gt;/);
		}
	});
});
