/** What a plan means, as text: impact and approvals in sentences for people who do not know the policy language. */

import { describe, expect, it } from "vitest";
import type { PlanImpact } from "../../../src/plan/impact/impact.ts";
import type { StepResult } from "../../../src/plan/report.ts";
import { activityActions } from "../../../src/policy/powers/groups.ts";
import type { ImpactVerdict } from "../../../src/policy/powers/impact.ts";
import { ownCredentials } from "../../../src/policy/powers/judge.ts";
import { renderGithub } from "../../../src/render/github.ts";
import { renderHtml } from "../../../src/render/html/page.ts";
import { renderMarkdown } from "../../../src/render/markdown.ts";
import { phraseText } from "../../../src/render/print/text.ts";
import { renderPlan, renderReport } from "../../../src/render/result-text.ts";
import { describeImpact, summarizeImpact } from "../../../src/render/sections/impact-words.ts";
import { plainStyle } from "../../../src/render/style.ts";
import { describeApprovals, summarizeApprovals } from "../../../src/say/approvals.ts";
import { describeGroups, describeThresholds } from "../../../src/say/powers.ts";
import { id } from "../../plan/support-organizations.ts";
import { complete } from "../complete.ts";
import { reportOf } from "../support.ts";
import {
	alice,
	approvalOf,
	bob,
	carol,
	changingPlanOf,
	dave,
	erin,
	findingOf,
	impactPlanOf,
	pendingApproval,
	rootQuorum,
	sideOf,
	signers,
	signPolicy,
	thresholdOf,
	treasury,
	twoOfTreasury,
	withApprovals,
	withImpact,
} from "../support-impact.ts";

const plan = impactPlanOf();
const exporting = { resource: "WALLET", action: "EXPORT" };
const sentencesOf = (impact: readonly PlanImpact[], of = changingPlanOf()): readonly string[] =>
	describeImpact(withImpact(of, impact)).map(({ sentence }) => phraseText(sentence));

describe("a plan as text", () => {
	it("says first what would be denied and who can do what after it, and last what apply waits for", () => {
		expect(renderPlan(plan, plainStyle)).toMatchInlineSnapshot(`
			"Organization 00000001-7a3f-4c9e-9d40-000000000001
			⚠ no one but the root quorum can export wallets any more (and 2 more) · 1 removal · 2 memberships lost · 3 activities

			~ userTag:admins  20000003-7a3f-4c9e-9d40-000000000003
			    + member dave
			    - member erin (id 10000005…, no alias)

			~ userTag:treasury  20000002-7a3f-4c9e-9d40-000000000002
			    - member dave

			- policy:30000001-7a3f-4c9e-9d40-000000000001  two signers

			Approvals:
			  policy:30000001-7a3f-4c9e-9d40-000000000001  approval unknown: policies could not be read
			  userTag:admins  will be pending approval by 1 of (carol, dave), or the root quorum (erin (id 10000005…, no alias))

			Would be denied:
			  userTag:treasury  no policy allows alice to change user tags
			  forecast for alice as submitter; for another user: --submitter USER

			What changes for who can do what:
			  More and less permissive: 4 people can do more, 3 people can do less. 1 group of activities could not be compared.
			  !! no one but the root quorum can export wallets any more: it needs 2 of treasury, and only carol is left
			      policy \`2-of-treasury\`; for example carol and dave; \`WALLET/EXPORT\`
			  !! bob can now sign alone, with any wallet or key; before: 2 of signers (alice, bob, carol)
			      policy \`two signers\`; \`PRIVATE_KEY/SIGN\`
			  !! fewer approvals are needed to create wallets, where \`wallet.exported\`: 1 of alice, bob, carol; before: 2 of signers (alice, bob, carol)
			      policy \`two signers\`; \`WALLET/CREATE\`
			  ? could not compare who can submit \`CREATE_WALLET_ACCOUNTS\` activities: the condition is not understood
			      \`kind CREATE_WALLET_ACCOUNTS\`
			  + dave can now approve creating, changing and removing policies: 2 of admins (alice, bob, dave)
			      policy \`admins\`; for example alice and dave; \`POLICY/CREATE\`, \`POLICY/UPDATE\`, \`POLICY/DELETE\`
			  - erin (id 10000005…, no alias) can no longer approve removing policies: now 2 of admins (alice, bob, dave)
			      policy \`admins\`; for example alice and erin (id 10000005…, no alias); \`POLICY/DELETE\`

			Plan: 3 activities; 1 would be denied, 1 with unknown approval, 1 will be pending approval by 1 of (carol, dave), or the root quorum (erin (id 10000005…, no alias)). 2 user tags to update, 1 policy to remove.
			⚠ no one but the root quorum can export wallets any more (and 2 more) · 1 removal · 2 memberships lost · 3 activities
			"
		`);
	});

	it("shows a guard that is not sure as a warning", () => {
		const message = "who could still export wallets is unknown: no read shows it";
		const finding = { what: "stated", limit: "at most 0", message } as const;
		const guard = { kind: "lockout", found: 0, refuses: false, where: [], finding } as const;
		expect(renderPlan({ ...plan, guards: [guard] }, plainStyle)).toContain(
			`\nGuards that warn:\n  ${message} (allowed: at most 0)\n\n`,
		);
	});

	it("says one calm line where nothing changes for who can do what", () => {
		const calm = withImpact(changingPlanOf(), [], "equivalent");
		expect(renderPlan(calm, plainStyle)).toContain("\n\nWho can do what stays the same.\n\n");
	});

	it("says nothing of impact and approvals where policies were not asked for", () => {
		const text = renderPlan(changingPlanOf(), plainStyle);
		expect(text).not.toMatch(/can do|approv|denied|at once/);
	});
});

describe("the verdict on the impact of a plan", () => {
	const [alone, gains, loses, unknown] = (["alone", "gains", "loses", "unknown"] as const).map((change, index) =>
		findingOf({
			change,
			group: exporting,
			userIds: change === "unknown" ? [] : ([[bob], [carol, dave], [erin]][index] ?? []),
		}),
	) as [PlanImpact, PlanImpact, PlanImpact, PlanImpact];

	it.each<[ImpactVerdict, readonly PlanImpact[], string]>([
		["equivalent", [], "Who can do what stays the same."],
		["more-permissive", [alone], "More permissive: 1 person can do more, no one can do less."],
		["more-permissive", [alone, gains, alone], "More permissive: 3 people can do more, no one can do less."],
		["less-permissive", [loses], "Less permissive: 1 person can do less, no one can do more."],
		["both", [gains, loses], "More and less permissive: 2 people can do more, 1 person can do less."],
		["unknown", [], "Unknown: who can do what could not be compared."],
		["unknown", [unknown], "Unknown: who can do what could not be compared."],
		["unknown", [alone, unknown], "Partly unknown: 1 person can do more, no one can do less."],
		[
			"more-permissive",
			[alone, unknown],
			"More permissive: 1 person can do more, no one can do less. 1 group of activities could not be compared.",
		],
	])("%s, with these findings, counts people: %#", (verdict, impact, said) => {
		expect(summarizeImpact({ impact, impactVerdict: verdict })).toBe(said);
	});
});

describe("a finding", () => {
	const nobody = findingOf({ change: "nobody", group: exporting, before: twoOfTreasury, policyIds: [signPolicy] });

	it("of a group that no one can do any more names the removed policy, where the plan removes it", () => {
		expect(sentencesOf([nobody])).toEqual(["no one can export wallets any more: policy `two signers` is removed"]);
	});

	it("of such a group says who could do it, where the plan does not show why", () => {
		const other = { ...nobody, policyIds: [] };
		const before = sideOf({ thresholds: [[thresholdOf(2, [alice, bob], { tagId: signers })]] });
		expect(sentencesOf([{ ...other, before }])).toEqual([
			"no one can export wallets any more; before: 2 of signers (alice, bob)",
		]);
	});

	it("of such a group says who could do it, where another way was left beside the tag", () => {
		const [first = []] = twoOfTreasury.thresholds;
		const before = { ...twoOfTreasury, thresholds: [first, [thresholdOf(1, [bob])]] };
		expect(sentencesOf([{ ...nobody, policyIds: [], before }])).toEqual([
			"no one can export wallets any more; before: 2 of treasury (carol, dave), or bob",
		]);
	});

	it("of someone who can do several things alone says so once", () => {
		const alone = { change: "alone", userIds: [bob] } as const;
		expect(
			sentencesOf([
				findingOf({ ...alone, group: exporting }),
				findingOf({ ...alone, group: { resource: "PRIVATE_KEY", action: "EXPORT" } }),
				findingOf({ ...alone, group: { resource: "PRIVATE_KEY", action: "SIGN" } }),
			]),
		).toEqual(["bob can now do this alone: export wallets and private keys and sign with any wallet or key"]);
	});

	it("of several people says that each of them can do it alone", () => {
		expect(sentencesOf([findingOf({ change: "alone", group: exporting, userIds: [alice, bob] })])).toEqual([
			"alice and bob can now each export wallets alone",
		]);
	});

	it("of a new set of people who took part before says that they suffice together", () => {
		const before = sideOf({ thresholds: [[thresholdOf(3, [alice, bob, carol])]] });
		const finding = findingOf({ change: "gains", group: exporting, userIds: [alice, bob], before, after: before });
		expect(sentencesOf([finding])).toEqual(["alice and bob can now export wallets together: alice, bob and carol"]);
		expect(sentencesOf([{ ...finding, change: "loses" }])).toEqual([
			"alice and bob can no longer export wallets together: now alice, bob and carol",
		]);
	});

	it("under a condition says it, with who could do it before where the condition holds", () => {
		const before = sideOf({ thresholds: [[thresholdOf(2, [alice, bob])]] });
		const alone = findingOf({ change: "alone", group: exporting, userIds: [bob], before });
		expect(sentencesOf([{ ...alone, condition: "wallet.id == 'a`b'" }])).toEqual([
			"bob can now export wallets alone, where the wallet is `a\\u{60}b`; before: alice and bob",
		]);
		expect(sentencesOf([{ ...alone, condition: ownCredentials }])).toEqual([
			"bob can now export wallets alone, where the credentials are the user's own; before: alice and bob",
		]);
	});

	it("says where a policy denies what is new", () => {
		const alone = findingOf({ change: "alone", group: exporting, userIds: [bob], unless: ["wallet.id == 'w-1'"] });
		expect(sentencesOf([alone])).toEqual(["bob can now export wallets alone, except where the wallet is `w-1`"]);
	});

	it("of the same under several conditions is one line, with an activity to ask about", () => {
		const alone = { change: "alone", group: exporting, userIds: [bob] } as const;
		const example = { type: "ACTIVITY_TYPE_EXPORT_WALLET", where: "wallet.id == 'w-1'" };
		const first = findingOf({ ...alone, condition: "wallet.id == 'w-1'", example });
		const both = [first, findingOf({ ...alone, condition: "wallet.label == 'spare'" })];
		expect(sentencesOf(both)).toEqual([
			"bob can now export wallets alone, where the wallet is `w-1`, or where the label of the wallet is `spare`",
		]);
		const keys = both.map((one) => ({ ...one, group: { resource: "PRIVATE_KEY", action: "EXPORT" } }));
		expect(sentencesOf([...both, ...keys])).toHaveLength(1);
		expect(sentencesOf([...both, ...keys.slice(1)])).toHaveLength(2);
		const [line] = describeImpact(withImpact(changingPlanOf(), [first]));
		expect(phraseText(line?.detail ?? [])).toContain(
			"for example `type ACTIVITY_TYPE_EXPORT_WALLET where wallet.id == 'w-1'`",
		);
	});

	it("with another past is another line", () => {
		const alone = { change: "alone", userIds: [bob] } as const;
		const before = sideOf({ thresholds: [[thresholdOf(2, [alice, bob])]] });
		expect(
			sentencesOf([
				findingOf({ ...alone, group: exporting, before }),
				findingOf({ ...alone, group: { resource: "WALLET", action: "CREATE" } }),
			]),
		).toEqual(["bob can now export wallets alone; before: alice and bob", "bob can now create wallets alone"]);
	});

	it("of someone who could do it alone and now needs others says that", () => {
		const before = sideOf({ alone: [bob], thresholds: [[thresholdOf(1, [bob])]] });
		const after = sideOf({ together: [[alice, bob]], thresholds: [[thresholdOf(2, [alice, bob])]] });
		expect(sentencesOf([findingOf({ change: "loses", group: exporting, userIds: [bob], before, after })])).toEqual([
			"bob can no longer export wallets alone: now alice and bob",
		]);
	});
});

describe("what people can do", () => {
	const users = (action: string) => ({ resource: "USER", action });
	const actionsOf = (resource: string) => activityActions.map((action) => ({ resource, action }));
	it.each([
		[[users("UPDATE")], "change users and their tags"],
		[[{ resource: "POLICY", action: "DELETE" }], "remove policies"],
		[[{ resource: "WALLET", action: "UPDATE" }], "change wallets"],
		[[{ resource: "SPACESHIP", action: "LAUNCH" }], "submit `SPACESHIP/LAUNCH` activities"],
		[[{ resource: "constructor", action: "toString" }], "submit `constructor/toString` activities"],
		[actionsOf("POLICY"), "do anything with policies"],
		[[...actionsOf("POLICY"), ...actionsOf("WALLET")], "do anything with policies and with wallets"],
		[[...actionsOf("POLICY"), users("CREATE")], "do anything with policies and create users"],
		[actionsOf("SPACESHIP"), "do anything with `SPACESHIP`"],
		[[{ kind: "a`, alone" }], "submit `a\\u{60}, alone` activities"],
		[[{ type: "ACTIVITY_TYPE_X" }], "submit activities of type `ACTIVITY_TYPE_X`"],
		[
			[
				...["CREATE", "UPDATE", "DELETE", "SIGN", "VERIFY", "IMPORT"].map(users),
				...[{ resource: "POLICY", action: "UPDATE" }],
			],
			"create, change and remove users, change policies, and do 3 other kinds of activities",
		],
		[
			["A", "B", "C", "D", "E", "F"].map((kind) => ({ kind })),
			"submit `A` activities, `B` activities, `C` activities, `D` activities and 2 more",
		],
	])("is in words: %j", (groups, said) => {
		expect(phraseText(describeGroups(groups))).toBe(said);
	});
});

describe("who can do it", () => {
	const people = Array.from({ length: 9 }, (_, index) => id("user", index + 1));
	const names = {
		userNames: Object.fromEntries(people.map((userId, at) => [userId, `u${at}`])),
		tagNames: { [signers]: "signers" },
	};
	it.each([
		[[[thresholdOf(2, people, { tagId: signers })]], "2 of signers (u0, u1, u2, u3 and 5 more)"],
		[[[thresholdOf(1, people.slice(0, 2))]], "1 of u0, u1"],
		[[[thresholdOf(1, people.slice(0, 1))]], "u0"],
		[[[thresholdOf(1, people.slice(0, 1)), thresholdOf(1, people.slice(1, 3))]], "u0 and 1 of (u1, u2)"],
		[[[thresholdOf(1, people.slice(0, 1))], [thresholdOf(1, people.slice(1, 3))]], "u0, or 1 of (u1, u2)"],
		[[[thresholdOf(2, [], { tagId: treasury })]], `2 of tag ${treasury} (no members)`],
		[people.map((userId) => [thresholdOf(1, [userId])]), "u0, or u1, or 7 other ways"],
		[[rootQuorum], "the root quorum (u0 and u4)"],
		[[[thresholdOf(2, people.slice(0, 3), { isRootQuorum: true })]], "the root quorum (2 of u0, u1, u2)"],
		[[rootQuorum, [thresholdOf(1, people.slice(0, 1))]], "u0"],
	])("is written short: %#", (thresholds, said) => {
		expect(phraseText(describeThresholds(thresholds, names))).toBe(said);
	});

	it.each(["and", "Alice Smith", "2", "the root quorum"])("quotes the alias %j, which is like a word", (alias) => {
		const named = { userNames: { [alice]: alias } };
		expect(phraseText(describeThresholds([[thresholdOf(1, [alice])]], named))).toBe(`"${alias}"`);
	});
});

describe("the forecast of approvals", () => {
	const forecast = (...approvals: readonly Parameters<typeof approvalOf>[0][]) =>
		withApprovals(changingPlanOf(), approvals.map(approvalOf));
	const runs = { verdict: "runs" } as const;

	const say = (...approvals: readonly Parameters<typeof approvalOf>[0][]) =>
		summarizeApprovals(forecast(...approvals))
			.map(phraseText)
			.join("; ");

	it("is in the summary of the plan", () => {
		expect(say(runs, runs, runs)).toBe("they run at once");
		expect(say(runs, runs)).toBe("");
		const pending =
			"1 will be pending approval by 1 of (carol, dave), or the root quorum (erin (id 10000005…, no alias))";
		expect(say(runs, runs, pendingApproval)).toBe(pending);
		expect(say({ verdict: "denied" }, runs, pendingApproval)).toBe(`1 would be denied, ${pending}`);
		expect(say()).toBe("");
	});

	it("names who can approve, with the root quorum", () => {
		expect(say(pendingApproval, pendingApproval)).toBe(
			"2 will be pending approval by 1 of (carol, dave), or the root quorum (erin (id 10000005…, no alias))",
		);
	});

	it("says that the impact is another one at another time", () => {
		expect(summarizeImpact({ impact: [], impactVerdict: "equivalent", impactTimed: [signPolicy] })).toBe(
			"Who can do what stays the same. At other times the impact differs: 1 policy has a time window.",
		);
	});

	it("names the policy that denies a step", () => {
		const [line] = describeApprovals(
			withImpact(
				forecast({ verdict: "denied", policyIds: [signPolicy], because: { kind: "denied-by-policy" } }),
				[],
				"equivalent",
			),
		);
		expect(phraseText(line?.sentence ?? [])).toBe("would be denied: policy `two signers` denies it");
	});

	it("does not say that a policy denies a step which it would allow with other approvals", () => {
		const denied = { verdict: "denied", policyIds: [signPolicy], because: { kind: "not-enough-approvals" } } as const;
		const [line] = describeApprovals({
			...withImpact(forecast(denied), [], "equivalent"),
			submitterId: alice,
		});
		expect(phraseText(line?.sentence ?? [])).toBe(
			"would be denied: no policy allows alice to change user tags: no set of approvals that includes this user's satisfies policy `two signers`",
		);
	});

	it("names by what it changes a step on which another depends", () => {
		const because = { kind: "order", stepIds: ["step-1", "step-9"], verdicts: ["runs", "denied"] } as const;
		const [line] = describeApprovals(forecast({ verdict: "unknown", because }));
		expect(phraseText(line?.sentence ?? [])).toBe(
			"approval unknown: it depends on which of the change of userTag:admins, step-9 complete first: runs or denied",
		);
	});

	it("leaves out steps that apply does not submit", () => {
		const [first, ...others] = forecast(runs, runs, { verdict: "denied" }).steps;
		if (first === undefined) throw new Error("there is no step");
		const held = others.map((step) => ({
			...step,
			earlierActivity: { ...{ state: "pending", status: "" }, activityId: "a", fingerprint: "f", relation: "same" },
		})) as typeof others;
		expect(describeApprovals({ ...plan, steps: [first, ...held] }).map(({ verdict }) => verdict)).toEqual(["runs"]);
	});
});

describe("a step that is pending approval", () => {
	const forecast = withApprovals(plan, [pendingApproval]);
	const report = reportOf(forecast);
	const stepsOf = (parts: Partial<StepResult>): readonly StepResult[] =>
		report.steps
			.slice(0, 1)
			.map((one) => ({ ...one, outcome: "awaiting-approval", message: null, parts: [], ...parts }));
	const said = "forecast: pending approval by 1 of (carol, dave), or the root quorum";

	it("names who can complete it, as the plan forecast, in every format", () => {
		const steps = stepsOf({});
		const result = complete({ command: "apply", plans: [forecast], reports: [{ ...report, steps }] });
		expect(renderReport({ ...report, steps }, forecast, plainStyle)).toContain(`     ${said}`);
		expect(renderMarkdown(result).replaceAll("`", "")).toContain(said);
		expect(renderGithub(result).annotations).toContain(said);
		expect(renderHtml(result).replaceAll(/<[^>]*>/g, "")).toContain(said);
	});

	it("names no one where the service is still processing it, or it ended", () => {
		for (const parts of [{ message: "in progress" }, { outcome: "completed" }, { outcome: "denied" }] as const)
			expect(renderReport({ ...report, steps: stepsOf(parts) }, forecast, plainStyle)).not.toContain("forecast");
	});
});

describe("a forecast that was wrong", () => {
	const report = reportOf(plan);
	const [first, second] = report.steps;
	if (first === undefined || second === undefined) throw new Error("the plan has too few steps");
	const steps: readonly StepResult[] = [
		{ ...first, forecast: { verdict: "denied", wasRight: false } },
		{ ...second, forecast: { verdict: "runs", wasRight: false } },
	];
	const said = ["forecast: denied; happened: completed", "forecast: runs at once; happened: pending approval"];

	it("is shown with what happened, also of a step that completed", () => {
		const text = renderReport({ ...report, steps }, plan, plainStyle, "open");
		for (const line of said) expect(text).toContain(`     ${line}\n`);
		expect(text).toMatch(/ 2 forecasts were wrong\.\n$/);
	});

	it("is shown in every other format", () => {
		const result = complete({ command: "apply", plans: [plan], reports: [{ ...report, steps }] });
		for (const text of [renderMarkdown(result), renderHtml(result), renderGithub(result).annotations]) {
			for (const line of said) expect(text).toContain(line);
		}
	});

	it("is not shown where it was right, or where what happened does not show it", () => {
		const others = [true, null].map((wasRight) => ({ ...first, forecast: { verdict: "denied" as const, wasRight } }));
		expect(renderReport({ ...report, steps: others }, plan, plainStyle)).not.toMatch(/forecast/);
	});
});
