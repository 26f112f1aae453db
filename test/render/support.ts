/**
 * Plans and reports with something of everything, under names that the caller chooses: what a format does must not depend
 * on them.
 */

import { type OrganizationDrift, reportDrift } from "../../src/plan/drift/drift.ts";
import { emptyLastApplied } from "../../src/plan/organization.ts";
import { makePlan, type Plan, type SavedPlanFacts } from "../../src/plan/plan.ts";
import type { Outcome, Report, StepResult } from "../../src/plan/report.ts";
import { coveredAddresses } from "../../src/plan/step.ts";
import type { CommandResult } from "../../src/render/result/result.ts";
import { resultOfEarlier } from "../../src/sync/submit/run-step.ts";
import {
	context,
	desiredOf,
	id,
	known,
	liveOf,
	liveTag,
	nothingExpected,
	wantTag,
} from "../plan/support-organizations.ts";
import { completeAll } from "./complete.ts";
import { calmPlanOf, impactPlanOf } from "./support-impact.ts";
import { writtenPlanOf } from "./support-policies.ts";
import { threeWayResultsOf } from "./support-three-way.ts";

/** Maps a harmless name to the name to use in the service or the document; unique for unique names. */
export type Naming = (name: string) => string;

const peaceful: Naming = (name) => name;

/** Names that mean something to Markdown, HTML, a terminal, a pipeline or GitHub, and have no business to. */
export const hostileNames: readonly string[] = [
	"@acme/security-team",
	"</details><h1>all is well</h1>",
	"<!-- orgsync: plan -->",
	"-->",
	"<script>alert(1)</script>",
	'"><img src=x onerror=alert(1)>',
	"`code` ``` ~~~",
	"```",
	"a|b|c\\|",
	"::error file=a.yaml,line=1::stop",
	"##[error]stop",
	"line\nbreak\r\n\r\n# heading",
	"\u202Egnp.exe\u2066",
	"\u001b[31mred\u0007",
	"[click](https://evil.example)",
	"![x](https://evil.example/x.png)",
	"https://evil.example www.evil.example me@evil.example",
	"#12 GH-12 acme/shop#12 a1b2c3d4e5f60718293a4b5c6d7e8f9012345678",
	"**bold** _it_ ~~no~~ $x$ :tada: [ ] [^1]",
	"&lt;b&gt; &#60;i&#62; &amp;",
	"{{ secrets.KEY }} ${{ 1 }} %0A::error::",
	"'; drop table users; --",
	" leading and trailing ",
	"`",
	"\\",
	"\u3164\u115F\u2800\u034F\uFE0F\u{E0100}\u{E0041}\u2065\uE000",
	"\u0336\u0336\u0301\u0301\u0301\u0301\u0301\u0301\u0301",
	"bob, carol  (reverts drift)",
	"\uD800",
	"x".repeat(5_000),
];

/** Every hostile name before and behind the peaceful one. */
export const hostileNamings: readonly Naming[] = hostileNames.flatMap((hostile) => [
	(name: string) => `${hostile}${name}`,
	(name: string) => `${name}${hostile}`,
]);

export const [alice, bob, carol] = [id("user", 1), id("user", 2), id("user", 3)];

/** A plan with every kind of change, renames in a cycle, waiting, unknown, guards and unmanaged tags. */
export function planOf(name: Naming = peaceful): Plan {
	const exactly = (...users: string[]) => ({ members: { mode: "exactly", exactly: users } }) as const;
	const at = (line: number) => ({ at: { file: name("orgsync.yaml"), line, column: 5 } });
	const plan = makePlan(
		desiredOf({
			users: { [name("alice")]: alice, [name("bob")]: bob },
			userTags: [
				wantTag(name("auditors"), { id: id("tag", 1), ...exactly(alice, bob), ...at(7) }),
				wantTag(name("second"), { id: id("tag", 2), ...at(9) }),
				wantTag(name("first"), { id: id("tag", 3), ...at(11) }),
				wantTag(name("officers"), { id: id("tag", 4), ...exactly(alice), ...at(13) }),
				wantTag(name("unseen"), { id: id("tag", 5), ...exactly(bob), ...at(15) }),
			],
			absent: {
				policyIds: [id("policy", 1), id("policy", 2)],
				oauthProviders: [{ userId: alice, providerIds: [id("provider", 1)] }],
				tvcAppIds: [id("app", 1)],
			},
			expect: {
				...nothingExpected,
				sessionProfiles: [{ id: id("other", 1), fields: { name: name("short"), notes: name("n") }, ...at(20) }],
				bootProofs: [{ appId: id("app", 2), fields: { deploymentLabel: name("prod-42") }, ...at(22) }],
			},
			protect: { userIds: [carol], userTags: [] },
			limits: { policies: 1, memberRemovals: { percent: 25 } },
		}),
		liveOf({
			userTags: known([
				liveTag(1, name("auditors"), { members: known([bob]) }),
				liveTag(2, name("first"), { members: known([alice]) }),
				liveTag(3, name("second"), { members: known([]) }),
				liveTag(4, name("signers"), { members: known([alice, bob, carol, id("user", 4)]) }),
				liveTag(5, name("unseen"), { members: { known: false, because: { kind: "stated", text: name("HTTP 404") } } }),
				liveTag(6, name("guests"), { members: known([]) }),
			]),
			policies: known([
				{ id: id("policy", 1), name: name("old rule") },
				{ id: id("policy", 2), name: name("older rule") },
			]),
			oauthProviders: { known: false, because: { kind: "stated", text: name("HTTP 404") } },
			tvcApps: known([{ id: id("app", 1), name: name("retired") }]),
			sessionProfiles: { [id("other", 1)]: known({ sessionProfileName: name("long"), notes: null }) },
			bootProofs: { [id("app", 2)]: known(null) },
			lastApplied: {
				...emptyLastApplied,
				userTags: {
					[id("tag", 5)]: {
						appliedAt: "2025-12-30T08:00:00.000Z",
						name: name("unseen"),
						present: [carol],
						gone: [],
						updatedAt: "1.0",
					},
				},
			},
		}),
		{
			...context,
			waiting: [
				{
					activityId: id("other", 7),
					fingerprint: name("sha256:1"),
					state: "pending",
					status: name("ACTIVITY_STATUS_CONSENSUS_NEEDED"),
					operation: "delete_policies",
					parameters: { policyIds: [id("policy", 2)] },
					createdAt: "2026-01-01T00:00:00.000Z",
					approvedBy: [alice],
					saidBy: "service",
				},
			],
			unread: [{ scope: "caller", because: { kind: "stated", text: name("whoami was denied") }, standsIn: "nothing" }],
		},
	);
	return plan;
}

/** A plan that cannot be carried out. */
function impossiblePlanOf(name: Naming = peaceful): Plan {
	return makePlan(
		desiredOf({ userTags: [wantTag(name("singers"), { at: { file: name("orgsync.yaml"), line: 3, column: 11 } })] }),
		liveOf({ userTags: known([liveTag(1, name("signers"))]) }),
		context,
	);
}

/** A plan on hold: one earlier request got no answer, and one activity has an unknown status. */
export function doubtfulPlanOf(name: Naming = peaceful): Plan {
	const tag = { userTagId: id("tag", 1), newUserTagName: name("auditors"), addUserIds: [alice], removeUserIds: [] };
	const sent = { operation: "update_user_tag", state: "in-doubt", approvedBy: null, saidBy: "journal" } as const;
	return makePlan(
		desiredOf({
			users: { [name("alice")]: alice, [name("bob")]: bob },
			userTags: [1, 2].map((number) =>
				wantTag(name(`tag-${number}`), {
					id: id("tag", number),
					members: { mode: "exactly", exactly: [bob] },
					at: { file: name("orgsync.yaml"), line: number, column: 5 },
				}),
			),
		}),
		liveOf({ userTags: known([1, 2].map((number) => liveTag(number, name(`tag-${number}`), { members: known([]) }))) }),
		{
			...context,
			waiting: [
				{ ...sent, activityId: null, fingerprint, parameters: tag, createdAt: "2026-01-01T00:00:00.000Z" },
				{
					...sent,
					activityId: id("other", 8),
					fingerprint: "sha256:8",
					parameters: { ...tag, userTagId: id("tag", 2) },
					createdAt: null,
				},
			],
			unread: [{ scope: "activities", because: { kind: "stated", text: name("HTTP 404") }, standsIn: "nothing" }],
		},
	);
}

export const fingerprint = `sha256:${"0123456789abcdef".repeat(4)}`;

/** A plan of so many tags that the page draws the matrix; those that are added are only renamed. */
export function tabledPlanOf(name?: Naming): Plan {
	const given = planOf(name);
	const renamed = given.changes.filter((change) => change.kind === "userTag" && change.reason === "name-differs");
	return { ...given, changes: [...given.changes, ...renamed, ...renamed] };
}

/** A plan that finds nothing to do. */
export function emptyPlan(number = 1): Plan {
	return { ...makePlan(desiredOf(), liveOf(), context), organizationId: id("org", number) };
}

const outcomes: readonly Outcome[] = [
	"completed",
	"awaiting-approval",
	"denied",
	"failed",
	"not-attempted",
	"completed",
	"unknown",
	"rejected",
	"awaiting-authenticator",
];

/** A report on the plan in which steps end in every way. */
export function reportOf(plan: Plan, name: Naming = peaceful, parts: Partial<Report> = {}): Report {
	return {
		formatVersion: 1,
		organizationId: plan.organizationId,
		planDigest: "sha256:0",
		startedAt: "2026-01-01T00:00:00.000Z",
		finishedAt: "2026-01-01T00:00:04.000Z",
		steps: plan.steps.map((step, index): StepResult => {
			const outcome = outcomes[index % outcomes.length] ?? "completed";
			return {
				step,
				outcome,
				activityId: outcome === "not-attempted" ? null : id("other", 100 + index),
				fingerprint: outcome === "not-attempted" ? null : "sha256:f",
				requests: 1,
				tookMs: 12,
				message: outcome === "failed" ? name("no such tag") : null,
				refusedStatus: outcome === "denied" ? 403 : null,
				keyNotAccepted: false,
				parts: [],
				policyEvaluations:
					outcome === "denied" ? [{ policyId: name("policy-7"), outcome: name("OUTCOME_DENY_EXPLICIT") }] : [],
			};
		}),
		left: plan.changes.slice(0, 1),
		unverified: name("HTTP 503"),
		inSync: false,
		interrupted: false,
		overrides: [],
		stats: { queries: 3, submits: 7, retries: 1, throttledMs: 0 },
		...parts,
	};
}

/** A report in which everything completed. */
export function goodReportOf(plan: Plan): Report {
	const report = reportOf(plan);
	return {
		...report,
		steps: report.steps.map((result) => ({
			...result,
			step: { ...result.step, earlierActivity: null },
			outcome: "completed",
			message: null,
			policyEvaluations: [],
			keyNotAccepted: false,
			parts: [],
		})),
		left: [],
		unverified: null,
		inSync: true,
	};
}

/** A report in which a removal was submitted part by part: one part completed, one waits, one failed, one was not sent. */
function apartReportOf(plan: Plan, name: Naming): Report {
	const ends = ["completed", "awaiting-approval", "failed", "not-attempted"] as const;
	const steps = goodReportOf(plan).steps.map((result): StepResult => {
		if (result.step.operation !== "delete_policies" || result.step.earlierActivity !== null) return result;
		const parts = ends.map((outcome, index) => ({
			address: `policy:${id("policy", index + 1)}`,
			outcome,
			// The id of the one that waits is in a command: a hostile one has none.
			activityId: index > 1 ? null : index === 1 ? id("other", 201) : name(id("other", 200)),
			fingerprint: index > 2 ? null : name("sha256:p"),
			message: outcome === "failed" ? name("no such policy") : null,
			refusedStatus: outcome === "failed" ? 404 : null,
		}));
		return { ...result, outcome: "awaiting-approval", message: name("refused at once"), parts };
	});
	return { ...goodReportOf(plan), steps, inSync: false };
}

/** The plan with every override that an organization can have. */
function overriddenPlanOf(plan: Plan, name: Naming): Plan {
	const [refusing] = plan.guards.filter(({ refuses }) => refuses);
	if (refusing === undefined) throw new Error("no guard refuses the plan");
	return {
		...plan,
		overrides: [
			{ flag: "allow", kind: refusing.kind, number: refusing.found },
			{ flag: "abandon", activity: name(id("other", 9)) },
			{ flag: "retry-rejected", steps: 1, covers: [`userTag:${name("auditors")}`] },
		],
	};
}

const insecurely = { overrides: [{ flag: "insecure" }] } as const;

/** Results of `drift`: moved since the last report, without one, not to be read, waiting, and of several organizations. */
function driftsOf(plan: Plan, name: Naming): Readonly<Record<string, CommandResult>> {
	const unseen = makePlan(
		desiredOf({ absent: { policyIds: [id("policy", 1)], oauthProviders: [], tvcAppIds: [] } }),
		liveOf({ policies: { known: false, because: { kind: "stated", text: name("HTTP 404") } } }),
		context,
	);
	const nobody = { unattributed: name("the service does not list activities to this key") };
	const impossible = impossiblePlanOf(name);
	const waiting = { ...plan, steps: plan.steps.filter(({ earlierActivity }) => earlierActivity !== null) };
	const waits: readonly string[] = coveredAddresses(waiting.steps);
	const held = { ...waiting, changes: plan.changes.filter(({ address }) => waits.includes(address)), unread: [] };
	const [second, third] = [2, 3].map((number) => ({ ...unseen, organizationId: id("org", number) }));
	const command = "drift";
	return completeAll({
		"drift-since": { command, plans: [plan], drift: [driftOf(plan, name)] },
		"drift-first": { command, plans: [plan], drift: [reportDrift(plan, nobody)] },
		"drift-unseen": { command, plans: [unseen], drift: [reportDrift(unseen)] },
		"drift-waiting": { command, plans: [held], drift: [reportDrift(held)] },
		"drift-several": {
			command,
			plans: [impossible, ...[second, third].flatMap((one) => one ?? [])],
			drift: [
				reportDrift(impossible),
				...[second, third].flatMap((one) => (one === undefined ? [] : [reportDrift(one)])),
			],
		},
	});
}

/** What `apply` makes of a plan in doubt: nothing is attempted. */
function doubtfulReportOf(plan: Plan, name: Naming): Report {
	return {
		...reportOf(plan, name),
		steps: plan.steps.map((step) => ({
			step,
			outcome: "not-attempted",
			activityId: step.earlierActivity?.activityId ?? null,
			fingerprint: step.earlierActivity?.fingerprint ?? null,
			requests: 0,
			tookMs: 0,
			message: step.earlierActivity && resultOfEarlier(step, step.earlierActivity, plan).message,
			refusedStatus: null,
			policyEvaluations: [],
			keyNotAccepted: false,
			parts: [],
		})),
		left: null,
		unverified: null,
	};
}

function savedPlanOf(name: Naming): SavedPlanFacts {
	const generated = name("orgsync 0.0.0-test");
	const statedByFile = ["generatedBy", "plans[].readAt"];
	return { digest: fingerprint, readAt: "2026-01-01T00:00:00.000Z", generatedBy: generated, statedByFile };
}

/** Results of `apply` that an error stopped, before anything was begun or in one of its organizations. */
function stoppedOf(name: Naming): Readonly<Record<string, CommandResult>> {
	const plan = planOf(name);
	const error = { code: "storage", message: `the journal ${name("journal")} cannot be used`, hint: name("make room") };
	const failed = { organizationId: plan.organizationId, error, steps: reportOf(plan, name).steps.slice(0, 3) };
	const above = { ...error, message: `organization ${plan.organizationId}: ${error.message}` };
	const [second, third] = [2, 3].map((number) => ({ ...plan, organizationId: id("org", number) }));
	const others = [second, third].flatMap((one) => one ?? []);
	const [refusal, dead] = [
		{
			code: "guard",
			message: `blocked by a guard, nothing was submitted: ${name("2 policies")}`,
			hint: "to override: --allow policies=2",
		},
		{
			code: "live-problem",
			message: "the organization cannot converge; nothing was submitted",
			hint: "the plan says why",
		},
	];
	const command = "apply";
	const because = `the plan file states that it was called \`${name("approvers")}\`, now \`${name("signers")}\``;
	const object = { organizationId: plan.organizationId, address: `userTag:${name("signers")}`, because } as const;
	const stale = {
		code: "stale-plan",
		message: `the saved plan is stale, nothing was submitted:\n  ${object.address}: ${because}`,
		hint: "plan again, and have the new plan reviewed",
	};
	return completeAll({
		"apply-stale": {
			command,
			error: stale,
			plans: [plan],
			reports: [],
			savedPlan: savedPlanOf(name),
			outdated: [
				{ ...object, reason: "changed", before: { name: name("approvers") }, after: { name: name("signers") } },
			],
		},
		"apply-refused": { command, error: refusal, plans: [plan], reports: [] },
		"apply-impossible": { command, error: dead, plans: [impossiblePlanOf(name)], reports: [] },
		"apply-failed": { command, error, plans: [plan], reports: [], failed: [failed] },
		"apply-one-failed": {
			command,
			error: above,
			plans: [plan, ...others],
			reports: others.map(goodReportOf),
			failed: [{ ...failed, steps: [] }],
		},
	});
}

/** When the last report of drift read the organization, six days before this one. */
const lastReadAt = "2025-12-26T00:00:00.000Z";

/** Drift since the last report: new, still there, changed, resolved, and not checked. */
function driftOf(plan: Plan, name: Naming = peaceful): OrganizationDrift {
	const first = reportDrift({ ...plan, readAt: lastReadAt });
	const [one, two, ...others] = first.findings;
	if (one === undefined || two === undefined) throw new Error("the plan has too few differences");
	const gone = { ...one, address: `userTag:${name("gone")}` as const, what: "members-differ" };
	const unseen = { ...two, address: `userTag:${name("unseen-before")}` as const };
	const earlier = {
		...first,
		findings: [one, { ...two, digest: `sha256:${"0".repeat(64)}` }, ...others.slice(1), gone, unseen],
	};
	const by = { type: name("ACTIVITY_TYPE_UPDATE_USER_TAG"), activityId: name("activity"), userId: bob };
	return reportDrift(plan, {
		earlier,
		attributions: new Map([
			[one.address, { ...by, userName: name("bob"), at: "2025-12-25T00:00:00.000Z" }],
			[two.address, { ...by, userId: null, userName: null, at: null }],
		]),
		isSelected: (address) => address !== unseen.address,
	});
}

/** Returns the report with what was forecast of each step: the first ran although it was denied, the others as forecast. */
function withForecasts(report: Report): Report {
	const steps = report.steps.map((result, index): StepResult => {
		return { ...result, forecast: { verdict: index === 0 ? "denied" : "pending", wasRight: index !== 0 } };
	});
	return { ...report, steps };
}

/** Results that say what they change for who can do what. */
function impactsOf(name: Naming): Readonly<Record<string, CommandResult>> {
	const plan = impactPlanOf(name);
	const calm = { ...calmPlanOf(name), organizationId: id("org", 2) };
	return completeAll({
		"plan-impact": { command: "plan", plans: [plan] },
		"plan-impact-two": { command: "plan", plans: [calm, plan] },
		"drift-impact": { command: "drift", plans: [plan], drift: [reportDrift(plan)] },
		"apply-impact-declined": { command: "apply", plans: [plan], reports: [] },
		"apply-impact": { command: "apply", plans: [plan], reports: [withForecasts(reportOf(plan, name))] },
	});
}

/** One result for each way in which a command can end, by the name of its golden file. */
export function resultsOf(name: Naming = peaceful): Readonly<Record<string, CommandResult>> {
	const plan = planOf(name);
	const [second, third] = [id("org", 2), id("org", 3)];
	const doubtful = doubtfulPlanOf(name);
	const calm = { ...plan, guards: plan.guards.map((guard) => ({ ...guard, refuses: false })) };
	const problem = { file: name("orgsync.yaml"), line: 3, column: 9, path: "", code: "unknown-user" };
	return completeAll({
		plan: { command: "plan", plans: [plan] },
		show: { command: "show", plans: [calm], savedPlan: savedPlanOf(name) },
		"plan-overrides": { command: "plan", plans: [overriddenPlanOf(plan, name)], ...insecurely },
		"plan-policies": { command: "plan", plans: [writtenPlanOf(name)] },
		"plan-nothing": { command: "plan", plans: [emptyPlan()] },
		"plan-impossible": { command: "plan", plans: [impossiblePlanOf(name)] },
		"plan-three": {
			command: "plan",
			plans: [plan, emptyPlan(2), { ...impossiblePlanOf(name), organizationId: third }],
		},
		"plan-doubt": { command: "plan", plans: [doubtful] },
		"apply-doubt": {
			command: "apply",
			plans: [doubtful],
			reports: [doubtfulReportOf(doubtful, name)],
		},
		...impactsOf(name),
		...stoppedOf(name),
		...threeWayResultsOf(name),
		...driftsOf(calm, name),
		apply: { command: "apply", plans: [plan], reports: [reportOf(plan, name)] },
		"apply-good": {
			command: "apply",
			plans: [calm],
			reports: [goodReportOf(calm)],
			savedPlan: savedPlanOf(name),
		},
		"apply-apart": { command: "apply", plans: [calm], reports: [apartReportOf(calm, name)] },
		"apply-declined": { command: "apply", plans: [calm], reports: [] },
		"apply-two": {
			command: "apply",
			plans: [calm, { ...calm, organizationId: second }],
			reports: [goodReportOf(calm), reportOf({ ...calm, organizationId: second }, name)],
		},
		"error-document": {
			command: "plan",
			error: { code: "document", message: "the document has 2 problems", hint: null },
			problems: [
				{ ...problem, message: `unknown user \`${name("alcie")}\`; did you mean \`${name("alice")}\`?` },
				{ ...problem, line: 5, code: "unknown-key", message: `unknown key \`${name("membres")}\`` },
			],
		},
		"error-guard": {
			command: "apply",
			error: {
				code: "guard",
				message: `blocked by a guard, nothing was submitted: ${name("userTag:oncall")} would lose 3 of 4`,
				hint: "to override: --allow memberRemovals=3",
			},
		},
	});
}
