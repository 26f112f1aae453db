/** Members with a window in documents: how they are read, in templates too, and what rules and the digest make of them. */
import { describe, expect, it } from "vitest";
import { parseDocuments } from "../../src/document/read/parse.ts";
import { type DesiredOrganization, tagsOf } from "../../src/plan/organization.ts";
import { makePlan } from "../../src/plan/plan.ts";
import { context, known, liveOf, liveTag } from "../plan/support-organizations.ts";

const userId = (number: number) => `3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c00${number}`;
const [alice, bob, carol] = [userId(1), userId(2), userId(3)] as const;
const head = `organizationId: 0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a11
users: { alice: ${alice}, bob: ${bob}, carol: ${carol} }
`;
const until = "2026-01-01T00:00:00Z";

function parse(content: string, list = "") {
	const findList = () => ({ file: "list.csv", content: list });
	const { organizations, problems } = parseDocuments([{ file: "a.yaml", content }], {}, { findList });
	return { organizations, problems: problems.map(({ line, code }) => `${line} ${code}`) };
}

function read(content: string): DesiredOrganization {
	const { organizations, problems } = parse(head + content);
	expect(problems).toEqual([]);
	return organizations[0] as DesiredOrganization;
}

const ofTag = (members: string) => read(`userTags: [{ name: signers, members: ${members} }]\n`);
const membersIn = (desired: DesiredOrganization) => tagsOf(desired)[0]?.members;

describe("a member with a window", () => {
	it("is listed like every other, by alias or id, with the times as they are written", () => {
		const desired = ofTag(
			`{ exactly: [{ user: carol, from: ${until}, reason: " on call " }, alice, { user: ${bob}, until: 2026-01-01 Europe/Berlin }] }`,
		);
		expect(membersIn(desired)).toMatchObject({
			mode: "exactly",
			exactly: [alice, bob, carol],
			windows: [
				{ userId: bob, untilMs: Date.parse("2025-12-31T23:00:00Z"), until: "2026-01-01 Europe/Berlin" },
				{ userId: carol, fromMs: Date.parse(until), from: until, reason: "on call" },
			],
		});
		expect(membersIn(ofTag("{ atLeast: [alice] }"))).toEqual({ mode: "atLeast", atLeast: [alice], never: [] });
	});

	it("makes another document by its times and its reason, and not by its place in the file", () => {
		const digests = [
			`{ atLeast: [{ user: bob, until: ${until} }] }`,
			`{ atLeast: [   { until: ${until}, user: bob }] }`,
			"{ atLeast: [bob] }",
			`{ atLeast: [{ user: bob, from: ${until} }] }`,
			`{ atLeast: [{ user: bob, until: ${until}, reason: x }] }`,
		].map((members) => ofTag(members).digest);
		expect(digests[1]).toBe(digests[0]);
		expect(new Set(digests).size).toBe(4);
	});

	it("comes from a list with its own end for each organization, and problems at its place there", () => {
		const template = `organizations: { from: list.csv }
userTags: [{ name: signers, members: { atLeast: [{ user: "\${each.user}", until: "\${each.until}" }] } }]\n`;
		const list = `organizationId,user,until\n${userId(8)},${bob},2026-01-01 UTC\n${userId(9)},${bob},2026-01-02 UTC\n`;
		const { organizations } = parse(template, list);
		expect(organizations.map((one) => membersIn(one)?.windows?.[0]?.untilMs)).toEqual([
			Date.parse(until),
			Date.parse("2026-01-02T00:00:00Z"),
		]);
		expect(parse(template, list.replace("01-02 UTC", "01-02")).problems).toEqual(["3 bad-time"]);
	});
});

describe("rules", () => {
	const rules = "rules: { exclusive: [signers, auditors], members: { signers: { min: 1, max: 1 } } }\n";
	const tags = (signers: string, auditors: string) => `userTags:
  - { name: signers, members: { exactly: [${signers}] } }
  - { name: auditors, members: { exactly: [${auditors}] } }\n`;
	const early = `{ user: alice, until: ${until} }`;
	const late = `{ user: bob, from: ${until} }`;

	it("are problems of the document only where no time can keep them", () => {
		expect(parse(head + tags(`${early}, ${late}`, late) + rules).problems).toEqual([]);
		expect(parse(head + tags(`alice, bob, ${late.replace("bob", "carol")}`, "") + rules).problems).toEqual([
			"4 breaks-rule",
		]);
		expect(parse(head + tags("", "carol") + rules).problems).toEqual(["4 breaks-rule"]);
	});

	it("are judged at the time of the plan, and block the one that breaks them", () => {
		const desired = read(tags(`${early}, ${late}`, late) + rules);
		const live = liveOf({
			userTags: known([
				liveTag(1, "auditors", { members: known([]) }),
				liveTag(2, "signers", { members: known([alice]) }),
			]),
			users: known({ [alice]: "alice", [bob]: "bob", [carol]: "carol" }),
		});
		const refusing = (serviceTimeMs: number) =>
			makePlan(desired, live, { ...context, serviceTimeMs }).guards.filter(
				({ kind, refuses }) => kind === "rules" && refuses,
			);
		expect(refusing(Date.parse(until) - 1)).toEqual([]);
		expect(refusing(Date.parse(until))).toMatchObject([{ where: ["userTag:auditors", "userTag:signers"] }]);
	});
});
