/** What a person can do about drift. */
import { describe, expect, it } from "vitest";
import type { Change } from "../../../src/plan/change.ts";
import { accessExpired, type Difference } from "../../../src/plan/drift/difference.ts";
import { findTodo, type TodoContext } from "../../../src/plan/drift/todo.ts";
import type { DesiredOrganization } from "../../../src/plan/organization.ts";
import { makePlan, type Plan } from "../../../src/plan/plan.ts";
import type { JudgedRule } from "../../../src/plan/rules/judge.ts";
import type { EarlierActivity, Step } from "../../../src/plan/step.ts";
import type { CommandContext } from "../../../src/plan/suggested-command.ts";
import { todoText } from "../../../src/say/todo.ts";
import { at, context, desiredOf, id, known, liveOf, liveTag, wantTag } from "../support-organizations.ts";

const wanted = desiredOf({
	users: { alice: id("user", 1) },
	userTags: [wantTag("admins", { id: id("tag", 1), members: { mode: "exactly", exactly: [id("user", 1)] } })],
});
const plan = makePlan(wanted, liveOf({ userTags: known([liveTag(1, "admins")]) }), context);
const [step] = plan.steps as [Step];

const difference: Difference = {
	...{ address: "userTag:admins", kind: "userTag", what: "members-differ" },
	...{ rule: null, change: plan.changes[0] as Change, problem: null, earlierActivity: null },
};
const problem = { code: "tag-not-there", path: "userTag:admins", message: "", hint: "" };
const held = (earlier: Partial<EarlierActivity>): Plan => {
	const activity = {
		state: "pending",
		status: "",
		activityId: "activity-1",
		fingerprint: "f",
		relation: "conflicting",
	};
	return { ...plan, steps: [{ ...step, earlierActivity: { ...activity, ...earlier } as EarlierActivity }] };
};
const todo = (parts: Partial<Difference> = {}, found: Plan = plan, more: TodoContext = {}): string =>
	todoText(findTodo({ ...difference, ...parts }, found, more));
const windowed = (...userIds: string[]): DesiredOrganization => {
	const windows = userIds.map((userId) => ({ userId, fromMs: null, untilMs: 0, at }));
	return desiredOf({ userTags: [wantTag("admins", { members: { mode: "exactly", exactly: [], windows } as never })] });
};

describe("What to do about drift", () => {
	it("is to apply, or to write the live state into the document", () => {
		expect(todo()).toMatchInlineSnapshot(
			`"\`orgsync apply\` adds alice; \`orgsync drift --accept userTag:admins\` writes the live state into the document"`,
		);
	});

	it("is to apply, or to remove the entry of what is not live", () => {
		const change = { ...plan.changes[0], action: "create" } as Change;
		expect(todo({ change })).toBe(
			"`orgsync apply` creates the user tag; `orgsync drift --accept userTag:admins` removes its entry from the document",
		);
	});

	it("names what apply changes, and to what", () => {
		const [one, two] = [id("user", 1), id("user", 2)];
		const want = { previously: ["approvers"], members: { mode: "exactly", exactly: [one] } } as const;
		const moved = makePlan(
			desiredOf({ users: { alice: one, bob: two }, userTags: [wantTag("signers", want)] }),
			liveOf({ userTags: known([liveTag(1, "approvers", { members: known([two]) })]) }),
			context,
		);
		const [change] = moved.changes as [Change];
		expect(todo({ address: "userTag:signers", change }, moved)).toMatch(
			/^`orgsync apply` renames `approvers` to `signers`, adds alice and removes bob; /,
		);
		const crowd = { ...change, before: change.after, addUserIds: [one, two, id("user", 3), id("user", 4)] } as Change;
		expect(todo({ change: crowd }, moved)).toMatch(/^`orgsync apply` adds 4 members and removes bob; /);
		const ends = { what: accessExpired, change: { ...change, addUserIds: [] } as Change };
		expect(todo(ends, moved, { desired: wanted })).toBe("`orgsync apply` ends the access of bob");
	});

	it("repeats the flags of the command", () => {
		expect(todo({}, plan, { commands: { file: ["a.yaml"] } })).toMatchInlineSnapshot(
			`"\`orgsync apply -f a.yaml\` adds alice; \`orgsync drift -f a.yaml --accept userTag:admins\` writes the live state into the document"`,
		);
	});

	it("names the organization where the documents have several", () => {
		const more = { commands: { file: ["fleet/"], hasSeveral: true } };
		const named = `-f fleet/ --organization ${plan.organizationId}`;
		expect(todo({}, plan, more)).toBe(
			`\`orgsync apply ${named}\` adds alice; \`orgsync drift ${named} --accept userTag:admins\` writes the live state into the document`,
		);
		expect(todo({}, held({ relation: "rejected" }), more)).toContain(
			`\`orgsync drift ${named} --accept userTag:admins\``,
		);
		const earlierActivity = {
			state: "pending",
			status: "",
			activityId: "01a1fe02-1455-712e-be80-c4ad5d3e1bce",
			fingerprint: "f",
			relation: "same",
		};
		expect(todo({ earlierActivity: earlierActivity as EarlierActivity }, plan, more)).toContain(
			`\`orgsync explain ${named} 01a1fe02-1455-712e-be80-c4ad5d3e1bce\``,
		);
	});

	it("waits where other problems have to be solved first", () => {
		expect(todo({}, { ...plan, problems: [problem] as never })).toMatchInlineSnapshot(
			`"\`orgsync apply\` adds alice, once the other problems of this organization are solved; \`orgsync drift --accept userTag:admins\` writes the live state into the document"`,
		);
	});

	it("is to wait for the activity that makes it so", () => {
		const waitFor = (activityId: string, commands: CommandContext = { local: true }): string => {
			const activity = { state: "pending", status: "", activityId, fingerprint: "f", relation: "same" };
			return todo({ earlierActivity: activity as EarlierActivity }, plan, { commands });
		};
		expect(waitFor("01a1fe02-1455-712e-be80-c4ad5d3e1bce")).toBe(
			"wait for activity 01a1fe02-1455-712e-be80-c4ad5d3e1bce, which makes the same change: `orgsync explain --local 01a1fe02-1455-712e-be80-c4ad5d3e1bce` shows what it is waiting for",
		);
		// A reader who copies the command has no document on standard input.
		expect(waitFor("01a1fe02-1455-712e-be80-c4ad5d3e1bce", { url: "http://127.0.0.1:1", file: ["-"] })).toContain(
			`\`orgsync explain --url http://127.0.0.1:1 --organization ${plan.organizationId} 01a1fe02-`,
		);
		// explain refuses what is no UUID.
		expect(waitFor("activity-1")).toBe("wait for activity activity-1, which makes the same change");
	});

	it("is to change the document by hand where it came from standard input, in which --accept cannot write", () => {
		const commands = { file: ["a.yaml", "-"] };
		expect(todo({}, plan, { commands })).toBe(
			"`orgsync apply -f a.yaml -f -` adds alice; write the live state into the document to keep it",
		);
		expect(todo({}, held({ relation: "rejected" }), { commands })).toMatch(
			/submits it again; write the live state into the document to keep it$/,
		);
	});

	it("follows from the problem: no such tag, a name that is taken, or a tag that is not certain", () => {
		const of = (code: string) => todo({ problem: { ...problem, code } as never });
		expect(of("tag-not-there")).toBe(
			"create the tag `admins` (`create: true` in its entry), or remove it from the document",
		);
		expect(of("tag-name-taken")).toBe("another tag has the name `admins`: rename that tag, by hand or in the document");
		expect(of("tag-ambiguous")).toBe("write the `id` of the tag into the document");
		expect(of("policy-ambiguous")).toBe("write the `id` of the policy into the document");
		expect(of("policy-not-there")).toMatch(/^remove the `id` of `admins`/);
		expect(of("policy-name-taken")).toMatch(/^another policy has the name `admins`/);
	});
});

describe("What to do about a difference that apply leaves alone", () => {
	it("is to have the conflicting activity approved or rejected", () => {
		expect(todo({}, held({}))).toMatchInlineSnapshot(
			`"activity activity-1 is pending and conflicts with the document, so apply does not change the object: have it approved or rejected, then \`orgsync apply\`"`,
		);
	});

	it("is to submit a rejected step on request, or to take the live value over", () => {
		expect(todo({}, held({ relation: "rejected", state: "rejected" }))).toMatchInlineSnapshot(
			`"rejected before, as activity activity-1: \`orgsync apply --retry-rejected\` submits it again; \`orgsync drift --accept userTag:admins\` writes the live state into the document"`,
		);
	});

	it("is to look at a request that is in doubt, or to abandon it", () => {
		expect(todo({}, held({ state: "in-doubt", activityId: null } as never))).toMatchInlineSnapshot(
			`"an earlier request is in doubt, so apply does not change the object: see \`orgsync status\`; \`orgsync apply --abandon f\` abandons the request"`,
		);
	});

	it("is to submit both where its step comes after a rejected one", () => {
		const rejected = held({ relation: "rejected", state: "rejected" }).steps as [Step];
		const first = { ...rejected[0], covers: [] };
		const second: Step = { ...step, id: "step-2", dependsOn: [first.id] };
		expect(todo({}, { ...plan, steps: [first, second] })).toMatchInlineSnapshot(
			`"depends on a step that was rejected before: \`orgsync apply --retry-rejected\` submits both; \`orgsync drift --accept userTag:admins\` writes the live state into the document"`,
		);
	});

	it("is to submit a rejected step on request although another step of the same object is free", () => {
		const rejected = held({ relation: "rejected", state: "rejected" }).steps as [Step];
		const first: Step = { ...step, id: "step-1" };
		const second: Step = { ...rejected[0], id: "step-2", dependsOn: ["step-1"] };
		expect(todo({}, { ...plan, steps: [first, second] })).toBe(todo({}, { ...plan, steps: [second] }));
		expect(todo({}, { ...plan, steps: [first, second] })).toMatch(/^rejected before, as activity activity-1: /);
	});

	it("is to apply where the earlier activity is about another object, or does the same", () => {
		expect(todo({}, { ...plan, steps: held({}).steps.map((one) => ({ ...one, covers: [] })) })).toBe(todo());
		expect(todo({}, held({ relation: "same" }))).toBe(todo());
	});
});

describe("What to do about access that expired", () => {
	it("is to apply, or to change its end in the document that has a window", () => {
		const expired = { what: accessExpired };
		expect(todo(expired)).toBe("`orgsync apply` ends the access; to keep the access, change `until` in the document");
		expect(todo(expired, plan, { desired: windowed("alice") })).toBe(todo(expired));
		expect(todo(expired, plan, { desired: windowed() })).toBe("`orgsync apply` ends the access");
		expect(todo(expired, plan, { desired: wanted })).toBe("`orgsync apply` ends the access");
	});

	it("is not that of another tag", () => {
		const other = desiredOf({
			userTags: [wantTag("admins"), ...windowed("alice").objects.map((one) => ({ ...one, name: "others" }) as never)],
		});
		expect(todo({ what: accessExpired }, plan, { desired: other })).toBe("`orgsync apply` ends the access");
		const reversed = { ...other, objects: other.objects.toReversed() };
		expect(todo({ what: accessExpired }, plan, { desired: reversed })).toBe("`orgsync apply` ends the access");
	});
});

describe("What to do about a broken rule", () => {
	const of = (rule: Partial<JudgedRule> | null, found: Plan = plan) =>
		todo({ kind: "rule", rule: rule as JudgedRule | null }, found);

	it("is to apply where that repairs it", () => {
		expect(of({ rule: "mustHave", effect: "repairs" } as never)).toBe("`orgsync apply` makes the rule hold");
	});

	it("is to change what decides it otherwise: tags, and for powers policies and the root quorum too", () => {
		const tags = "apply does not make the rule hold: change the tags, or `rules` in the document";
		expect(of({ rule: "mustHave", effect: "keeps" } as never)).toBe(tags);
		expect(of(null)).toBe(tags);
		expect(of({ rule: "mustHave", effect: "repairs" } as never, { ...plan, problems: [problem] as never })).toBe(tags);
		const powers =
			"apply does not make the rule hold: change policies, tags or the root quorum, or `rules` in the document";
		expect(of({ rule: "minApprovers", effect: "keeps" } as never)).toBe(powers);
		expect(of({ rule: "onlyBy", effect: "keeps" } as never)).toBe(powers);
	});
});

describe("The live value of an organization of a list", () => {
	const row = { document: "template.yaml", file: "rows.csv", line: 3 };
	const inFile = (file: string) => wanted.objects.map((one) => ({ ...one, at: { ...at, file } }));
	const of = (parts: object) => todo({}, plan, { desired: { ...wanted, row, ...parts } as DesiredOrganization });

	it("is kept by its values where the template has the object", () => {
		expect(of({ objects: inFile("template.yaml") })).toMatchInlineSnapshot(
			`"\`orgsync apply\` adds alice; to keep the live state, change the values of this organization at rows.csv:3, or template.yaml for all organizations"`,
		);
	});

	it("is taken over where another document has the object", () => {
		expect(of({ objects: inFile("other.yaml") })).toContain(
			"`orgsync drift --accept userTag:admins` writes the live state",
		);
	});

	it("is that of the only document where the object has no place", () => {
		expect(of({ objects: [], files: ["template.yaml", "rows.csv"] })).toContain("rows.csv:3");
		expect(of({ objects: [], files: ["template.yaml", "other.yaml"] })).toContain("--accept");
	});
});
