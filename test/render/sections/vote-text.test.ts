/** What approve and reject show before the question, and what became of the activities. */

import { describe, expect, it } from "vitest";
import type { Disagreement } from "../../../src/plan/activities/reviewed-activity.ts";
import { renderMarkdown } from "../../../src/render/markdown.ts";
import { phraseText } from "../../../src/render/print/text.ts";
import { resultHead } from "../../../src/render/result/head.ts";
import type { OrganizationVotes, VotedActivity, VoteResult } from "../../../src/render/result/votes.ts";
import { renderVoteReview } from "../../../src/render/result-text.ts";
import { describeReasons } from "../../../src/render/sections/votes.ts";
import { plainStyle } from "../../../src/render/style.ts";
import { id, organizationId } from "../../plan/support-organizations.ts";
import { renderVotes } from "../as-text.ts";
import { hostileNames, planOf } from "../support.ts";
import { activityOf, alice, bob, carol, dave, names, treasury } from "../support-activities.ts";
import { changingPlanOf, impactPlanOf } from "../support-impact.ts";

function votedOf(number: number, parts: Partial<VotedActivity> = {}): VotedActivity {
	const activity = activityOf({ activityId: id("other", number) });
	return {
		...{ activity, isNamed: false, decision: "vote", stepId: null, disagreements: [] },
		...{ outcome: null, isSent: false, message: null },
		...parts,
	};
}

function votesOf(activities: readonly VotedActivity[], parts: Partial<OrganizationVotes> = {}): OrganizationVotes {
	return { organizationId, ...names, voterId: carol, activities, effect: null, missing: [], unlisted: null, ...parts };
}

function resultOf(one: OrganizationVotes, command: VoteResult["command"] = "approve"): VoteResult {
	return { ...resultHead(command, 0, null), votes: [one] };
}

const lastLine = (text: string): string => text.trimEnd().split("\n").at(-1) ?? "";

const lookAlike = votedOf(4, {
	decision: "refused",
	disagreements: [
		{
			code: "differs-from-step",
			stepId: "step-2",
			differences: [{ parameter: "addUserIds", more: [dave], missing: [bob] }],
		},
	],
});

describe("the review of pending activities", () => {
	it("shows what would be approved, then what is refused and why, and what several change together", () => {
		const [step] = changingPlanOf().steps;
		const one = votesOf([votedOf(1), lookAlike, votedOf(2, { decision: "voted" })], {
			missing: step === undefined ? [] : [step],
			unlisted: "the service lists more pending activities than could be read",
		});
		expect(renderVoteReview([one], "approve", plainStyle)).toMatchInlineSnapshot(`
			"Organization 00000001-7a3f-4c9e-9d40-000000000001

			To approve:
			  update_user_tag: activity 60000001-7a3f-4c9e-9d40-000000000001 is pending approval
			      ~ userTag:20000002-7a3f-4c9e-9d40-000000000002
			          + member bob
			      submitted by alice at 2026-11-22T18:00:00.000Z
			      fingerprint sha256:a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1

			Approved by you before:
			  update_user_tag: activity 60000002-7a3f-4c9e-9d40-000000000002 is pending approval
			      ~ userTag:20000002-7a3f-4c9e-9d40-000000000002
			          + member bob
			      submitted by alice at 2026-11-22T18:00:00.000Z
			      fingerprint sha256:a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1

			Refused:
			  update_user_tag: activity 60000004-7a3f-4c9e-9d40-000000000004 is pending approval
			      !! resembles step-2 of the saved plan, but differs: it also adds dave (id 10000004…, no alias); it does not add bob
			      ~ userTag:20000002-7a3f-4c9e-9d40-000000000002
			          + member bob
			      submitted by alice at 2026-11-22T18:00:00.000Z
			      fingerprint sha256:a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1

			Steps of the saved plan without an activity:
			  change who has \`admins\`  userTag:admins

			There may be other activities:
			  the service lists more pending activities than could be read

			To approve: 1 activity. 1 approved by you before. 1 refused: 60000004-7a3f-4c9e-9d40-000000000004. 1 step has no activity yet.
			"
		`);
	});

	it("shows what several change together, the guards that block that, and those that were overridden", () => {
		const plan = planOf();
		const one = votesOf([votedOf(1), votedOf(2)], { effect: { ...impactPlanOf(), guards: plan.guards } });
		const blocked = renderVoteReview([one], "approve", plainStyle);
		expect(blocked).toContain("What all of them together change for who can do what:\n  More and less permissive");
		expect(blocked).toContain("Guards that block approve:\n");
		const used = plan.guards
			.filter(({ refuses }) => refuses)
			.map(({ kind, found }) => ({ flag: "allow", kind, number: found }) as const);
		const effect = { ...plan, overrides: used };
		const overridden = votesOf([votedOf(1)], { effect });
		for (const shown of [
			renderVoteReview([overridden], "approve", plainStyle),
			renderVotes(resultOf(overridden), plainStyle),
			renderMarkdown(resultOf(overridden)),
		]) {
			expect(shown).not.toContain("Guards that block");
			expect(shown).not.toContain("together");
			for (const { kind, number } of used) expect(shown).toContain(`--allow ${kind}=${number}`);
		}
		expect(used.length).toBeGreaterThan(0);
	});

	it("says in words every way to differ from a document or a saved plan", () => {
		const policies = [id("policy", 1), id("policy", 2)];
		const all: readonly Disagreement[] = [
			{ code: "adds-unwanted", userIds: [dave] },
			{ code: "removes-wanted", userIds: [alice, bob] },
			{ code: "members-unmanaged", userIds: [carol] },
			{ code: "renames", name: "vault, and more", wanted: "treasury" },
			{ code: "not-absent", ids: [policies[1] ?? ""] },
			{ code: "unmanaged" },
			{ code: "differs", fields: ["notes", "condition"], unmanaged: ["smuggled"], isPartial: true },
			{ code: "differs", fields: [], unmanaged: [], isPartial: false },
			{ code: "name-taken", kind: "policy", taken: [{ id: policies[0] ?? "", name: "ours" }] },
			{ code: "name-taken", kind: "userTag", taken: [{ id: treasury, name: "vault" }] },
			{ code: "no-step" },
			{
				code: "differs-from-step",
				stepId: "step-1",
				differences: [
					{ parameter: "removeUserIds", more: [alice], missing: [] },
					{ parameter: "newUserTagName", is: "vault", planned: null },
					{ parameter: "userTagId", is: treasury, planned: id("tag", 9) },
				],
			},
			{ code: "duplicate", stepId: "step-1", activityId: id("other", 1) },
		];
		const activity = activityOf({ operation: "delete_policies", parameters: { policyIds: policies } });
		expect(describeReasons(votedOf(1, { activity, disagreements: all }), names).map(phraseText)).toMatchInlineSnapshot(`
			[
			  "conflicts with the document: it adds dave (id 10000004…, no alias)",
			  "conflicts with the document: it removes alice and bob",
			  "the document does not manage whether the tag has carol",
			  "conflicts with the document: the new name is "vault, and more", in the document treasury",
			  "conflicts with the document, which does not remove policy:30000002-7a3f-4c9e-9d40-000000000002",
			  "the document does not manage its object",
			  "conflicts with the document in notes, condition; leaves fields of the document out, whose live values can change before the approval; the document does not manage smuggled",
			  "changes nothing: its object is as the document has it already",
			  "name taken: policy 30000001-7a3f-4c9e-9d40-000000000001 has the name ours; the service refuses a second one",
			  "name taken: user tag 20000002-7a3f-4c9e-9d40-000000000002 has the name vault; the service may refuse a second one",
			  "equals no step of the saved plan",
			  "resembles step-1 of the saved plan, but differs: it also removes alice; its new name is vault, planned none; its userTagId is 20000002-7a3f-4c9e-9d40-000000000002, planned 20000009-7a3f-4c9e-9d40-000000000009",
			  "duplicate: activity 60000001-7a3f-4c9e-9d40-000000000001 equals step-1 of the saved plan",
			]
		`);
	});
});

describe("the result of a vote in Markdown", () => {
	it("shows the refused first, then what was approved, and the steps without an activity", () => {
		const done = votedOf(1, { outcome: "completed", isSent: true });
		const [step] = changingPlanOf().steps;
		const one = votesOf([done, lookAlike], { missing: step === undefined ? [] : [step] });
		expect(renderMarkdown(resultOf(one))).toMatchInlineSnapshot(`
			"<!-- orgsync: approve -->

			### Approved: 1 completed. 1 refused: 60000004-7a3f-4c9e-9d40-000000000004. 1 step has no activity yet.

			#### Organization \`00000001-7a3f-4c9e-9d40-000000000001\`

			**Refused**

			- \`update_user_tag of userTag:20000002-7a3f-4c9e-9d40-000000000002 (activity 60000004-7a3f-4c9e-9d40-000000000004)\`: **refused**
			  - resembles \`step-2\` of the saved plan, but differs: it also adds \`dave (id 10000004…, no alias)\`; it does not add \`bob\`
			  - changes \`userTag:20000002-7a3f-4c9e-9d40-000000000002\`
			  - adds member \`bob\`
			  - submitted by \`alice\` at 2026-11-22T18:00:00.000Z

			**Voted on**

			- \`update_user_tag of userTag:20000002-7a3f-4c9e-9d40-000000000002 (activity 60000001-7a3f-4c9e-9d40-000000000001)\`: **completed**
			  - changes \`userTag:20000002-7a3f-4c9e-9d40-000000000002\`
			  - adds member \`bob\`
			  - submitted by \`alice\` at 2026-11-22T18:00:00.000Z

			**Steps of the saved plan without an activity**

			- \`\` change who has \`admins\` \`\`  \`userTag:admins\`
			"
		`);
	});

	it("shows no name of others as Markdown, in text as one line", () => {
		const disagreements = (name: string): readonly Disagreement[] => [{ code: "renames", name, wanted: name }];
		const of = (name: string) => {
			const activity = activityOf({
				activityId: name,
				type: name,
				operation: null,
				status: name,
				parameters: { [name]: name },
			});
			const mistakes = [{ code: "not-understood", message: "orgsync does not know activities of this type" }] as const;
			return resultOf(
				votesOf([
					votedOf(1, { decision: "refused", activity: { ...activity, mistakes }, message: name }),
					votedOf(2, { decision: "refused", disagreements: disagreements(name) }),
				]),
			);
		};
		const lines = (result: VoteResult): number => renderVotes(result, plainStyle).split("\n").length;
		for (const hostile of hostileNames) {
			expect(lines(of(hostile))).toBe(lines(of("calm")));
			const [, ...shown] = renderMarkdown(of(hostile)).split("\n");
			const outside = shown.join("\n").replace(/(`+)(?!`).*?[^`]\1(?!`)/g, "");
			expect(outside).not.toContain(hostile.trim() || "?");
		}
	});
});

describe("the result of a vote", () => {
	const of = (...activities: readonly VotedActivity[]): string =>
		renderVotes(resultOf(votesOf(activities)), plainStyle);

	it("shows what became of each activity, and names the refused in the last line", () => {
		const done = votedOf(1, { outcome: "completed", isSent: true });
		const open = votedOf(2, { outcome: "awaiting-approval", isSent: true });
		expect(of(done, open, lookAlike)).toMatchInlineSnapshot(`
			"Organization 00000001-7a3f-4c9e-9d40-000000000001
			ok update_user_tag of userTag:20000002-7a3f-4c9e-9d40-000000000002 (activity 60000001-7a3f-4c9e-9d40-000000000001)
			.. update_user_tag of userTag:20000002-7a3f-4c9e-9d40-000000000002 (activity 60000002-7a3f-4c9e-9d40-000000000002)
			     pending approval
			!! update_user_tag of userTag:20000002-7a3f-4c9e-9d40-000000000002 (activity 60000004-7a3f-4c9e-9d40-000000000004)
			     refused
			     resembles step-2 of the saved plan, but differs: it also adds dave (id 10000004…, no alias); it does not add bob
			     changes userTag:20000002-7a3f-4c9e-9d40-000000000002
			     adds member bob
			     submitted by alice at 2026-11-22T18:00:00.000Z

			Approved: 1 completed, 1 pending approval. 1 refused: 60000004-7a3f-4c9e-9d40-000000000004.
			"
		`);
	});

	it("does not blame the document for an import of a key, which no document lists", () => {
		const activity = activityOf({ operation: "init_import_private_key", parameters: { userId: alice } });
		const refused = { activity, decision: "refused", disagreements: [{ code: "unmanaged" }] } as const;
		expect(of(votedOf(1, refused))).toContain("documents do not list imports of private keys\n");
	});

	it("says how to approve one that only the document refuses", () => {
		const refused = { decision: "refused", disagreements: [{ code: "adds-unwanted", userIds: [dave] }] } as const;
		const hint = "approve takes it only if its id is named";
		const mistakes = [{ code: "no-request", message: "it has no votes" }] as const;
		expect(of(votedOf(1, refused))).toContain(hint);
		expect(of(lookAlike)).not.toContain(hint);
		expect(of(votedOf(1, { ...refused, activity: activityOf({ mistakes }) }))).not.toContain(hint);
	});

	it("claims in its last line nothing but what was read", () => {
		expect([
			lastLine(of()),
			lastLine(of(votedOf(1))),
			lastLine(of(votedOf(1, { outcome: "completed" }), votedOf(2, { outcome: "denied" }))),
			lastLine(of(votedOf(1, { outcome: "unknown" }))),
			lastLine(of(votedOf(1, { decision: "voted", outcome: "awaiting-approval" }))),
			lastLine(of(votedOf(1, { decision: "ended", outcome: "rejected" }))),
			lastLine(renderVotes(resultOf(votesOf([votedOf(1, { outcome: "rejected" })]), "reject"), plainStyle)),
		]).toMatchInlineSnapshot(`
			[
			  "Nothing to approve.",
			  "Not approved: no vote was submitted.",
			  "Partly approved: 1 completed, 1 denied.",
			  "Not approved: 1 unknown.",
			  "Nothing to approve. 1 approved by you before.",
			  "Nothing to approve. 1 had ended before: 1 rejected.",
			  "Rejected: 1 rejected.",
			]
		`);
	});
});
