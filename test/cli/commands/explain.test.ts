/**
 * What `explain` says of an activity, for every status and every policy outcome: the status decides, and what it
 * contradicts is history.
 */

import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import { type EvaluationRecord, sortJudgments, toExplainedActivity } from "../../../src/cli/commands/explain.ts";
import { type ExplainResult, type MfaStatus, resultHead } from "../../../src/render/result/result.ts";
import { renderText } from "../../../src/render/result-text.ts";
import { plainStyle } from "../../../src/render/style.ts";
import { readActivity } from "../../../src/wire/activity.ts";
import { activityStatuses, submits } from "../../../src/wire/operations.ts";
import { readOutput } from "../../run.ts";
import {
	alice,
	bob,
	carol,
	document,
	makeWorld,
	mfaPolicy,
	organizationId,
	policies,
	tags,
	type World,
} from "../../world.ts";

const outcomes = [
	"OUTCOME_ALLOW",
	"OUTCOME_DENY_EXPLICIT",
	"OUTCOME_DENY_IMPLICIT",
	"OUTCOME_REQUIRES_CONSENSUS",
	"OUTCOME_REJECTED",
	"OUTCOME_ERROR",
	"OUTCOME_REQUIRES_AUTHENTICATORS",
	"OUTCOME_TIME_INACTIVE",
	"OUTCOME_OF_TOMORROW",
] as const;

const waiting = ["ACTIVITY_STATUS_CONSENSUS_NEEDED", "ACTIVITY_STATUS_AUTHENTICATORS_NEEDED"];
const ended = ["ACTIVITY_STATUS_COMPLETED", "ACTIVITY_STATUS_FAILED", "ACTIVITY_STATUS_REJECTED"];
const known: readonly string[] = activityStatuses;

const renderExplain = (result: ExplainResult): string => renderText(result, { style: plainStyle });

/** The lines for an activity of this status, judged by one policy with each outcome in turn. */
function explainText(
	status: string | undefined,
	sequence: readonly string[],
	parts: { readonly evaluations?: readonly EvaluationRecord[]; readonly mfaStatuses?: readonly MfaStatus[] } = {},
): string {
	const record = { id: "1", organizationId: "2", status, type: submits.delete_policies.type, fingerprint: "sha256:0" };
	const failure = { code: 5, message: "policy not found" };
	const evaluations =
		parts.evaluations ??
		sequence.map((outcome, index) => ({
			createdAt: { seconds: String(1_700_000_000 + index), nanos: "0" },
			policyEvaluations: [{ policyId: "P", outcome }],
		}));
	const text = renderExplain({
		...resultHead("explain", 0, null),
		activityId: "A",
		reads: "auto",
		activity:
			status === undefined ? null : toExplainedActivity(readActivity(submits.delete_policies, { ...record, failure })),
		policyEvaluations: evaluations,
		policies: [],
		judgments: sortJudgments(evaluations, status),
		mfaStatuses: parts.mfaStatuses ?? [],
		userNames: {},
		liveNames: {},
		tagNames: {},
	});
	return text.replace("Activity A\n", "");
}

describe("explain", () => {
	test.each(known)("of an activity with %s reports a pending policy only if the status is pending", (status) => {
		for (const outcome of outcomes) {
			const text = explainText(status, [outcome]);
			if (!waiting.includes(status)) expect(text).not.toMatch(/\bpending\b|\bwaiting\b|can approve/);
			if (ended.includes(status)) expect(text, outcome).not.toMatch(/is not in force|returns OUTCOME|requires/);
			if (status === "ACTIVITY_STATUS_COMPLETED") expect(text).not.toMatch(/\b(denies|does not allow|considers)\b/);
			if (status !== "ACTIVITY_STATUS_REJECTED") expect(text).not.toMatch(/considers it rejected/);
			expect(text.split("\n").filter((line) => line.includes("policy P"))).toHaveLength(1);
		}
	});

	test.each([...known, undefined])("of an activity with %s marks a replaced evaluation as earlier", (status) => {
		for (const outcome of outcomes.filter((one) => one !== "OUTCOME_REQUIRES_CONSENSUS")) {
			const text = explainText(status, ["OUTCOME_REQUIRES_CONSENSUS", outcome]);
			expect(text).toContain("  earlier: policy P required more approvals\n");
			expect(text).not.toMatch(/policy P requires more approvals|who can approve/);
		}
	});

	test("of a completed activity shows the evaluations as history, whatever their order in the response", () => {
		const first = { createdAt: "2026-01-01T00:00:00Z", policyEvaluations: [{ policyId: "P", outcome: outcomes[3] }] };
		const second = { createdAt: "2026-01-02T00:00:00Z", policyEvaluations: [{ policyId: "P", outcome: outcomes[0] }] };
		const told =
			"  delete_policies is completed; fingerprint sha256:0\n  policy P allows it\n  earlier: policy P required more approvals\n";
		for (const evaluations of [
			[first, second],
			[second, first],
			[first, first, second],
		]) {
			expect(explainText("ACTIVITY_STATUS_COMPLETED", [], { evaluations })).toBe(told);
		}
	});

	test("of an activity without a status shows the last evaluation of each policy", () => {
		const evaluations = [
			{ policyEvaluations: [{ policyId: "P", outcome: outcomes[3] }] },
			{
				policyEvaluations: [
					{ policyId: "Q", outcome: outcomes[0] },
					{ policyId: "P", outcome: outcomes[3] },
				],
			},
			{ policyEvaluations: null },
			{ policyEvaluations: [{ policyId: null, outcome: null }] },
		];
		expect(explainText(undefined, [], { evaluations })).toBe(
			"  policy P requires more approvals\n  policy Q allows it\n  policy (no id) returns nothing\n  the service does not say who can approve it\n",
		);
	});

	test("shows a reason for failed activities only", () => {
		for (const status of known) {
			const isTold = explainText(status, []).includes("  the service says: policy not found\n");
			expect(isTold, status).toBe(status === "ACTIVITY_STATUS_FAILED");
		}
	});

	test("names the users of a consensus expression", () => {
		const [policyId, bob] = ["P", "10000002-7a3f-4c9e-9d40-000000000002"];
		const consensus = `approvers.any(user, user.id == '${bob}')`;
		const judgments = [{ policyId, outcome: "OUTCOME_REQUIRES_CONSENSUS", isCurrent: true }];
		const text = renderExplain({
			...{ ...resultHead("explain", 0, null), activityId: "A", reads: "auto", activity: null },
			...{ policyEvaluations: [], policies: [{ policyId, policyName: null, consensus }], judgments, mfaStatuses: [] },
			...{ userNames: {}, liveNames: { [bob]: "bob" }, tagNames: {} },
		});
		expect(text).toContain(`policy P requires more approvals: \`${consensus}\`, of bob (${bob})\n`);
	});

	test.each(known)("of an activity with %s reports missing authenticators only while it can proceed", (status) => {
		const entry = {
			userId: "U",
			mfaPolicyId: "M",
			satisfied: false,
			satisfiedMethods: [],
			requiredMethods: [{ any: [{ type: "AUTHENTICATION_TYPE_PASSKEY" }] }],
		};
		const text = explainText(status, [], { mfaStatuses: [entry] });
		if (ended.includes(status)) expect(text).toContain("user U, MFA policy M: not satisfied, and no longer needed\n");
		else expect(text).toContain("user U, MFA policy M: still missing: passkey\n");
		expect(explainText(status, [], { mfaStatuses: [{ ...entry, satisfied: true }] })).toContain("M: satisfied\n");
	});
});

describe("orgsync explain", () => {
	async function submitted(rules: object, code: number): Promise<{ world: World; activityId: string }> {
		const world = await makeWorld(document(`absent: { policies: [${policies[0]}] }`));
		await world.setRules(rules);
		const answer = await world.run(["apply", "--yes", "--format", "json"]);
		expect(answer.code).toBe(code);
		return { world, activityId: readOutput(answer).reports[0].steps[0].activityId };
	}

	const explained = async (world: World, activityId: string): Promise<string> => {
		const { code, stdout, stderr } = await world.run(["explain", activityId]);
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		return stdout.replace(/sha256:\w+/g, "sha256:HEX").replace(/policy [0-9a-f-]{36} /g, "policy RULE_ID ");
	};
	const two = { approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } };
	const mfa = `  user alice (${alice}), MFA policy ${mfaPolicy}: not satisfied, and no longer needed\n`;

	test("shows an approved activity as completed, with its policy pending earlier", async () => {
		const { world, activityId } = await submitted(two, 8);
		await world.submitAsBob("approve_activity", { fingerprint: world.activities()[0].fingerprint });
		const stdout = await explained(world, activityId);
		expect(stdout).toContain("  delete_policies is completed; fingerprint sha256:HEX\n");
		expect(stdout).toContain("  policy RULE_ID allows it\n  earlier: policy RULE_ID required more approvals\n");
		expect(stdout).toContain(mfa);
		expect(stdout).not.toMatch(/pending|requires|missing/);
	});

	test("shows a rejected activity as rejected, with its policy pending earlier", async () => {
		const { world, activityId } = await submitted(two, 8);
		await world.submitAsBob("reject_activity", { fingerprint: world.activities()[0].fingerprint });
		const stdout = await explained(world, activityId);
		expect(stdout).toContain("  delete_policies was rejected; fingerprint sha256:HEX\n");
		expect(stdout).toContain(
			"  policy RULE_ID considers it rejected\n  earlier: policy RULE_ID required more approvals\n",
		);
		expect(stdout).not.toMatch(/pending|requires|missing|can approve/);
	});

	test("names people in votes, in the request and in the MFA status, with and without a document", async () => {
		const world = await makeWorld(document("userTags: [{ name: oncall, members: { atLeast: [carol] } }]"));
		await world.setRules({ approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } });
		const answer = await world.run(["apply", "--yes", "--format", "json"]);
		const { activityId } = readOutput(answer).reports[0].steps[0];
		const named = await explained(world, activityId);
		expect(named).toContain(`approved by alice (${alice})`);
		const other = await world.run(["explain", activityId, "--organization", organizationId], { cwd: tmpdir() });
		expect(other).toMatchObject({ code: 0, stderr: "" });
		expect(other.stdout).toContain(`approved by alice (${alice})`);
		expect(other.stdout).toMatch(/\+ member carol \(id [0-9a-f]{8}/);
		expect(other.stdout).toContain(`user alice (${alice}), MFA policy`);
	});

	test("names the user tags in the consensus that is asked for and in the policies that are written, with and without a document", async () => {
		const consensus = (tagId: string): string => `approvers.filter(user, user.tags.contains('${tagId}')).count() >= 2`;
		const written = document(
			"userTags: [{ name: signers }, { name: oncall }]",
			`policies: [{ name: new, effect: allow, consensus: "${consensus("${userTags.oncall}")}", condition: "activity.action == 'SIGN'" }]`,
		);
		const world = await makeWorld(written);
		await world.change({
			rootQuorum: { threshold: 2, userIds: [bob, carol] },
			userTags: [{ tagId: tags.signers, userIds: [alice, bob] }],
			policies: [
				...policies.slice(1).map((policyId) => ({ policyId, condition: "false" })),
				{
					policyId: policies[0],
					policyName: "two",
					condition: "activity.resource == 'POLICY'",
					consensus: consensus(tags.signers),
				},
			],
		});
		const { stderr, stdout, code } = await world.run(["apply", "--yes", "--allow", "unsafeMoments=1"]);
		expect(code, stderr + stdout).toBe(8);
		const { id } = world.activities()[0];
		const elsewhere = await world.run(["explain", id, "--organization", organizationId], { cwd: tmpdir() });
		for (const said of [elsewhere.stdout, await explained(world, id)]) {
			expect(said).toContain(`(two) requires more approvals: \`${consensus("${userTags.signers}")}\``);
			expect(said).toContain(`+ ${consensus("${userTags.oncall}")}`);
			// A word in capitals is no user.
			expect(said).toContain("+ activity.action == 'SIGN'");
			expect(said).not.toContain(tags.oncall);
		}
	});

	test("shows the reason of a failed activity in text and in JSON", async () => {
		const world = await makeWorld(document(`absent: { policies: [${policies[0]}] }`));
		await world.addFault({ operation: "delete_policies", fault: "fail", count: 1 });
		const answer = await world.run(["apply", "--yes", "--format", "json"]);
		const { activityId, message } = readOutput(answer).reports[0].steps[0];
		const json = readOutput(await world.run(["explain", activityId, "--format", "json"]));
		expect(json.activity).toMatchObject({ status: "ACTIVITY_STATUS_FAILED", failure: expect.any(String) });
		expect(message).toContain(json.activity.failure);
		expect(await explained(world, activityId)).toContain(`  the service says: ${json.activity.failure}\n`);
	});
});
